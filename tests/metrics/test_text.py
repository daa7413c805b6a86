from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.metrics import (
    get,
    hter,
    normalise,
    paragraphs,
    reading_length,
    word_spans,
    words,
)


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


@pytest.mark.parametrize("case", json.loads((Path(__file__).parents[1] / "words.json").read_text()))
def test_words_are_those_of_the_shared_list(case: dict[str, Any]) -> None:
    assert [case["text"][a:b] for a, b in word_spans(case["text"])] == case["words"]


def test_reading_takes_characters_of_dense_scripts_and_four_of_spelled_ones() -> None:
    assert reading_length("旧水车很美。") == 5
    assert reading_length("กำลังไป") == 2  # six characters
    assert reading_length("The mill is old.") == 4


def test_scripts_without_blanks_have_metrics_that_vary() -> None:
    same, one_changed, other = (
        "今天天气很好我们去公园",
        "今天天气很坏我们去公园",
        "他昨天买了三本旧书",
    )
    for name in ("rouge_1_f", "rouge_l_f", "bleu", "meteor_exact_stem"):
        score = get(name).score([same, one_changed, other], [same] * 3)
        assert 1 >= score[0] > score[1] > score[2] >= 0, name
    assert get("ter").score([same, one_changed], [same] * 2).tolist() == [0, pytest.approx(1 / 11)]
    assert get("length").score([same]).tolist() == [11]
    assert get("repetition_2").score(["好的好的好的好的"])[0] > 0.5
    assert get("shortest_sentence").score(["今天好。我们去公园。"]).tolist() == [3]


def test_one_changed_character_is_a_small_edit() -> None:
    text, edited = "今天天气很好我们去公园", "今天天气很坏我们去公园"
    assert hter(text, edited) == pytest.approx(1 / 11)
    assert hter(text, edited, version="2") == 1.0
    assert hter("the cat sat", "the cat stood") == hter("the cat sat", "the cat stood", version="2")
