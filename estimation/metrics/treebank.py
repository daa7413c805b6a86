"""Penn Treebank tokens, from nltk (imported on first use: seconds)."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _tokenizer() -> Any:
    from nltk.tokenize import TreebankWordTokenizer

    return TreebankWordTokenizer()


def treebank_tokens(text: str) -> list[str]:
    """Tokens of nltk's TreebankWordTokenizer; needs no downloaded model."""
    tokens: list[str] = _tokenizer().tokenize(text)
    return tokens
