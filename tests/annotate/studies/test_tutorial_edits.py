"""Forty right and forty wrong edits of the built-in tutorials in each language, as graded."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.instruments import registry
from annotate.instruments.tutorials.grading import grade
from annotate.instruments.tutorials.questions import KINDS, Edit
from annotate.instruments.tutorials.wordings import matches, problem

EDITS = json.loads((Path(__file__).parent / "edits.json").read_text())
VALUES = {
    "en": {"town": "Ashby", "day": "Friday", "n": "42", "k": "500", "name": "Helena Brandt"},
    "de": {"town": "Eschbach", "day": "Freitag", "n": "42", "k": "500", "name": "Helena Brandt"},
}


def whole(asked: Edit, edit: str) -> str:
    """The edit with the last sentence of the text, in which nothing is wrong."""
    return f"{edit} {asked.text.rsplit('. ', 1)[-1]}"


def listed(which: str) -> Iterator[object]:
    for language, found in EDITS.items():
        for key, edits in found[which].items():
            yield from (pytest.param(language, key, one, id=f"{key}-{one[-40:]}") for one in edits)


def question(language: str, key: str) -> Edit:
    """The question as it is drawn with `VALUES`."""
    tutorial = registry.get("language_quality").tutorial(language)
    assert tutorial is not None
    family = tutorial.family(key)
    assert family is not None
    version, values = family.versions[0], VALUES[language]

    def pick(slot: str, n: int) -> int:
        return [value[0] for value in version.slots[slot]].index(values[slot])

    made = KINDS["edit"].model_validate(version.filled(pick), context=family.studied)
    assert isinstance(made, Edit)
    return made


@pytest.mark.parametrize("language", VALUES)
@pytest.mark.parametrize("which", ["right", "wrong"])
def test_there_are_forty_of_each(which: str, language: str) -> None:
    edits = [one for found in EDITS[language][which].values() for one in found]
    assert len(set(edits)) == len(edits) >= 40


@pytest.mark.parametrize(("language", "key", "edit"), [*listed("right")])
def test_a_right_edit_is_accepted(language: str, key: str, edit: str) -> None:
    asked = question(language, key)
    assert grade(asked, {"edit": whole(asked, edit)}).correct


@pytest.mark.parametrize(("language", "key", "edit"), [*listed("wrong")])
def test_a_wrong_edit_is_not_praised(language: str, key: str, edit: str) -> None:
    asked = question(language, key)
    got = grade(asked, {"edit": whole(asked, edit)})
    assert not got.correct
    assert asked.feedback not in got.feedback
    assert asked.alternatives[0] in got.feedback[-1], "a good edit is shown"


@pytest.mark.parametrize(
    ("wording", "text", "accepted"),
    [
        ("it (rains|is wet) today", "It is wet, today!", True),
        ("it (rains|is wet) today", "It is today", False),
        ("(very|) wet", "wet", True),
        ("a (b (c|d)|e) f", "a b d f", True),
        ("a (b (c|d)|e) f", "a b e f", False),
        ("to its end", "to it's end", False),
        ("a b", "b a", False),
    ],
)
def test_a_wording_accepts_its_choices_in_their_order(
    wording: str, text: str, accepted: bool
) -> None:
    assert matches(wording, text) == accepted


@pytest.mark.parametrize("wording", ["a (b", "a b)", "a | b", "((((((a))))))"])
def test_choices_that_cannot_be_read_are_told(wording: str) -> None:
    assert problem(wording)


def test_many_choices_take_no_long_time() -> None:
    assert not matches("(a|) " * 400, "a " * 399 + "b")
