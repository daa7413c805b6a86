from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.metrics import normalise, paragraphs, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e\u0301a\u0308", "éä"),
        ("a\u00a0b\u2009c\u3000d\te", "a b c d e"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("a  \nb \n\n", "a\nb"),
        ("  a  b", "  a  b"),
        ("e\u200b\u0301\ufeff", "é"),
        ("👩🏽\u200d💻 ❤\ufe0f", "👩🏽\u200d💻 ❤\ufe0f"),
        ("می\u200cروم", "می\u200cروم"),
        ("\u1100\u1161", "가"),
        ("", ""),
        (" \u00a0\r\n", ""),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


_SPACY = st.sampled_from(list("ae \n\r\t\u0301\u0308\u00a0\u200b\ufeff\u2000\u2028\u1100\u1161😀"))


@given(st.one_of(st.text(), st.lists(_SPACY).map("".join)))
def test_normalise_is_idempotent_and_nfc(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not {"\r", "\t", "\u00a0", "\u200b", "\u2028"} & set(once)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't, re-open $3.50_now!", ["don", "t", "re", "open", "3", "50", "now"]),
        ("नमस्ते दुनिया।", ["नमस्ते", "दुनिया"]),
        ("Ça—va «très» bien…", ["ça", "va", "très", "bien"]),
        ("ok 😀 \u2583!", ["ok", "😀", "\u2583"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("می\u200cروم", ["می\u200cروم"]),
        ("...", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_words_without_symbols_leaves_no_marks_behind() -> None:
    assert words("ok ❤\ufe0f 👩\u200d💻 \u2583", symbols=False) == ["ok"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What?\n\nOne.\r\n \r\n\r\nTwo,\nstill two.\n", ["What?", "One.", "Two,\nstill two."]),
        ("\n\n one", ["one"]),
        ("  \n\n \u200b", []),
    ],
)
def test_paragraphs(text: str, expected: list[str]) -> None:
    assert paragraphs(text) == expected
