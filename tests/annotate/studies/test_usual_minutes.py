"""The minutes that a task says it takes: as announced, or those of reading longer texts."""

from collections.abc import Collection

import pytest

from annotate.instruments import base as instruments_base
from annotate.instruments.base import Material, TextBeside
from annotate.instruments.rating.instrument import Rating, read_definition
from tests.annotate.own import helpful


def minutes(
    material: Material, announced: str = "1–2", beside: Collection[str] = ("input", "reference")
) -> str:
    instrument = Rating(read_definition(helpful(minutes=announced)))
    return instruments_base.usual_minutes(instrument, material, beside=beside)


@pytest.mark.parametrize(
    ("words", "announced", "usual"),
    [(300, "1–2", "1–2"), (301, "1–2", "2–3"), (900, "1–2", "4–6"), (900, "5–10", "5–10"),
     (1, "half a minute", "half a minute"), (9000, "a while", "a while"), (160, "1", "1–2")],
)  # fmt: skip
def test_long_texts_take_as_long_as_reading_does(words: int, announced: str, usual: str) -> None:
    assert minutes(Material("word " * words), announced) == usual
    assert minutes(Material("", words=words), announced) == usual


def test_what_stands_beside_the_text_is_read_too() -> None:
    assert minutes(Material("Yes.", input="why " * 600)) == "3–5"
    assert minutes(Material("Yes.", reference="so " * 600)) == "3–5"
    hidden = Material("Yes.", input="why " * 600, reference="so " * 600)
    assert minutes(hidden, beside=()) == "1–2"
    assert minutes(Material("Yes.", paragraphs=("it " * 300, "is " * 300))) == "3–5"
    others = (TextBeside("Yes.", is_rated=True), TextBeside("no " * 600))
    assert minutes(Material("Yes.", side_by_side=others)) == "3–5"


def test_chinese_is_read_by_its_characters() -> None:
    assert minutes(Material("读" * 900)) == "4–6"
