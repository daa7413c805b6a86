"""Metrics that compare a text with a reference. Their libraries load on first use (slow imports).

Nothing in common gives 0 (ter: 1 or more). An empty text or reference, or one in which the
metric's tokenizer finds nothing (only punctuation; for ROUGE also only emoji), gives 0 for all
similarities, even if both are empty; ter is then 0 if both are empty, else 1.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

from estimation.metrics.base import Metric
from estimation.metrics.ter import edit_rate
from estimation.metrics.text import cut, treebank_tokens, words

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

RougeKind = Literal["rouge1", "rouge2", "rougeL"]
RougePart = Literal["fmeasure", "precision", "recall"]


class _Words:
    """rouge-score's tokenizer, but letters and digits of every script are kept."""

    def tokenize(self, text: str) -> list[str]:
        return words(text, symbols=False)


@cache
def _rouge_scorer(kind: RougeKind) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], tokenizer=_Words())


@lru_cache(maxsize=1024)  # P, R and F of a pair are usually computed together
def _rouge_all(kind: RougeKind, text: str, reference: str) -> Any:
    if kind == "rougeL":
        return _rouge_l(words(text, symbols=False), words(reference, symbols=False))
    return _rouge_scorer(kind).score(reference, text)[kind]


def _rouge_l(text: list[str], reference: list[str]) -> Any:
    """As rouge-score, whose table of the longest common sequence takes seconds for long texts."""
    from rapidfuzz.distance import LCSseq
    from rouge_score.scoring import Score, fmeasure

    common = LCSseq.similarity(text, reference)
    precision, recall = common / max(len(text), 1), common / max(len(reference), 1)
    return Score(precision, recall, fmeasure(precision, recall))


def rouge(text: str, reference: str, *, kind: RougeKind, part: RougePart) -> float:
    """ROUGE of Lin (2004) with the values of rouge-score without stemming; range [0, 1]."""
    return float(getattr(_rouge_all(kind, text, reference), part))


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def bleu(text: str, reference: str) -> float:
    """Sentence BLEU, sacrebleu: 13a tokens, case kept, exponential smoothing, effective order.

    Range [0, 1] (sacrebleu's number / 100). Effective order: a text of fewer than 4 tokens is
    scored on the n-grams it has.
    """
    spaced, wanted = (" ".join(_cut(one.split())) for one in (text, reference))
    return min(float(_bleu().sentence_score(spaced, [wanted]).score) / 100, 1.0)


def _cut(tokens: list[str]) -> list[str]:
    return [one for token in tokens for one in cut(token)]


def chrf(text: str, reference: str) -> float:
    """chrF2 (Popovic 2015), sacrebleu: character 6-grams, no words; range [0, 1]."""
    return min(float(_chrf().sentence_score(text, [reference]).score) / 100, 1.0)


def ter(text: str, reference: str) -> float:
    """TER with shifts (`ter.edit_rate`), lower case, split at white space.

    Edits / words of the reference: 0 when equal, unbounded above. `hter` (edits.py) differs: it
    keeps case and uses Treebank tokens.
    """
    return edit_rate(_cut(text.lower().split()), _cut(reference.lower().split()))


class _NoSynonyms:
    """Stands in for WordNet, which is a download: no word has a synonym."""

    def synsets(self, _word: str) -> list[Any]:
        return []


def meteor_exact_stem(text: str, reference: str) -> float:
    """METEOR (Lavie and Agarwal 2007; nltk, alpha .9, beta 3, gamma .5), exact and stem matches.

    Range [0, 1): a text of m tokens equal to its reference has 1 - .5 / m**3. Treebank tokens,
    lower case, Porter stems. Without WordNet's synonyms: hence the name.
    """
    from nltk.translate.meteor_score import single_meteor_score

    tokens, targets = (_cut(treebank_tokens(one)) for one in (text, reference))
    return float(single_meteor_score(targets, tokens, wordnet=_NoSynonyms()))


_KINDS: tuple[tuple[str, RougeKind, str], ...] = (
    ("rouge_1", "rouge1", "words"),
    ("rouge_2", "rouge2", "pairs of words"),
    ("rouge_l", "rougeL", "longest common sequence of words"),
)
_PARTS: tuple[tuple[str, RougePart, str], ...] = (
    ("f", "fmeasure", "F-measure"),
    ("p", "precision", "precision (share of the text found in the reference)"),
    ("r", "recall", "recall (share of the reference found in the text)"),
)

METRICS: tuple[Metric, ...] = (
    *(
        Metric(
            name=f"{name}_{letter}",
            version="2",
            needs="reference",
            description=f"ROUGE on {what}, {part_words} (0 to 1).",
            higher_is_better=True,
            function=partial(rouge, kind=kind, part=part),
        )
        for name, kind, what in _KINDS
        for letter, part, part_words in _PARTS
    ),
    Metric(
        name="bleu",
        version="2",
        needs="reference",
        description="Sentence BLEU, smoothed (sacrebleu; 0 to 1).",
        higher_is_better=True,
        function=bleu,
    ),
    Metric(
        name="chrf",
        version="1",
        needs="reference",
        description="chrF: overlap of character n-grams (sacrebleu; 0 to 1).",
        higher_is_better=True,
        function=chrf,
    ),
    Metric(
        name="ter",
        version="3",
        needs="reference",
        description="Translation edit rate: word edits and shifts that turn the text into the "
        "reference, per word of the reference (0 = equal, unbounded).",
        higher_is_better=False,
        function=ter,
        slow=True,
    ),
    Metric(
        name="meteor_exact_stem",
        version="2",
        needs="reference",
        description="METEOR with exact and stem matches, no synonyms (nltk; 0 to 1).",
        higher_is_better=True,
        function=meteor_exact_stem,
        slow=True,
    ),
)
