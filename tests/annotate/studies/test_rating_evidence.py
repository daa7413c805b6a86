"""Highlights and edits, where a level of a researcher's own instrument requires them."""

from typing import Any

import pytest

from annotate.instruments.base import InvalidResponse, Material
from annotate.instruments.rating.instrument import Rating, read_definition
from tests.annotate.own import helpful, marked

TEXT = "Hold the 🔴 button for ten seconds, then wait."
INSTRUMENT = Rating(read_definition(marked()))
NEEDS = {"helpful": -2, "invented": 0}


def span(words: str) -> dict[str, Any]:
    start = TEXT.index(words)
    return {"start": start, "end": start + len(words), "text": words}


def check(text: str = TEXT, **response: Any) -> dict[str, Any]:
    return INSTRUMENT.check({**NEEDS, **response}, material=Material(text))


def refused(text: str = TEXT, **response: Any) -> dict[str, str]:
    with pytest.raises(InvalidResponse) as caught:
        check(text, **response)
    return caught.value.errors


def test_highlights_are_stored_as_offsets_of_the_text() -> None:
    stored = check(evidence={"helpful": [span("ten"), span("button"), span("for ten")]})
    start = TEXT.index("button")
    assert stored == {
        **NEEDS,
        "evidence": {"helpful": [[start, TEXT.index(" seconds")]]},
        "edit": None,
        "distance": 0,
    }
    assert TEXT[start:].startswith("button")


@pytest.mark.parametrize("evidence", [None, {}, [], {"helpful": []}, {"invented": [span("ten")]}])
def test_a_level_that_requires_highlights_needs_one(evidence: Any) -> None:
    errors = refused(evidence=evidence)
    assert list(errors) == ["evidence.helpful"]
    assert "highlight" in errors["evidence.helpful"]


def test_highlights_that_no_level_asked_for_are_not_stored() -> None:
    stored = check(helpful=2, evidence={"helpful": [span("ten")], "other": 1})
    assert stored["evidence"] == {}


@pytest.mark.parametrize("text", ["", "  \n", "… —"])
def test_nothing_can_be_highlighted_in_a_text_without_words(text: str) -> None:
    assert check(text, evidence={})["evidence"] == {"helpful": []}


def test_all_lacking_highlights_are_told_and_the_edit_comes_after() -> None:
    assert set(refused(invented=1)) == {"evidence.helpful", "evidence.invented"}
    given = {"helpful": [span("ten")], "invented": [span("wait")]}
    assert list(refused(invented=1, evidence=given)) == ["edit"]


def test_the_edit_is_scored_only_where_there_may_be_one() -> None:
    given = {"helpful": [span("ten")], "invented": [span("wait")]}
    stored = check(invented=1, evidence=given, edit=TEXT.replace(", then wait", ""))
    assert stored["distance"] == len(", then wait")
    scores = INSTRUMENT.scores(stored, material=Material(TEXT))
    assert set(scores) == {"helpful", "invented", "edit"}
    assert scores["edit"] > 0
    plain = Rating(read_definition(helpful()))
    assert set(plain.scores({"helpful": 1, "invented": 0}, material=Material(TEXT))) == {
        "helpful",
        "invented",
    }
    assert plain.check({"helpful": 1, "invented": 0, "edit": "x"}, material=Material(TEXT)) == {
        "helpful": 1,
        "invented": 0,
    }
