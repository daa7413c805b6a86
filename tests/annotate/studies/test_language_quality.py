"""What language quality takes as a response, refuses, and scores."""

import pytest

from annotate.instruments import registry
from annotate.instruments.base import InvalidResponse, Material

INSTRUMENT = registry.get("language_quality")
TEXT = "The council met on Monday, the council said on Monday."
BEST = {"fluency": 1, "redundancy": 1, "overall": 1}


def check(**response):
    return INSTRUMENT.check(BEST | response, material=Material(TEXT))


def refused(**response) -> str:
    with pytest.raises(InvalidResponse) as caught:
        check(**response)
    assert set(caught.value.errors) == {"edit"}
    return caught.value.errors["edit"]


def test_all_best_needs_no_edit_and_ignores_one():
    assert check(edit="Something else entirely.") == {**BEST, "edit": None, "distance": 0}
    assert INSTRUMENT.scores(check(), material=Material(TEXT))["edit"] == 0


@pytest.mark.parametrize("criterion", ["fluency", "redundancy", "overall"])
@pytest.mark.parametrize("level", [0, -1])
def test_any_answer_below_the_best_needs_an_edit(criterion, level):
    assert "improve" in refused(**{criterion: level})


@pytest.mark.parametrize(
    "edit",
    [
        TEXT,
        f"  {TEXT}\n",
        TEXT.replace(" ", "\u00a0"),
        TEXT.replace(" ", "  "),
        TEXT.replace(" ", "\r\n"),
        TEXT + "\u200b",
    ],
)
def test_spaces_are_no_edit(edit):
    assert "spaces" in refused(redundancy=-1, edit=edit)


@pytest.mark.parametrize("edit", ["", " ", "\n", "The", "."])
def test_deleting_nearly_everything_is_no_edit(edit):
    assert "everything" in refused(redundancy=-1, edit=edit)


def test_an_edit_is_stored_as_it_was_typed_and_compared_in_its_normal_form():
    plain = check(redundancy=0, edit="The council met on Monday.")
    typed = check(redundancy=0, edit="\tThe council\u00a0met on Monday.\n")
    assert typed["edit"] == "\tThe council\u00a0met on Monday.\n"
    assert plain["distance"] == len(TEXT) - len(plain["edit"])
    assert typed["distance"] == plain["distance"] + 1
    scores = [INSTRUMENT.scores(one, material=Material(TEXT)) for one in (plain, typed)]
    assert scores[0] == scores[1]
    assert scores[0]["edit"] > 0


@pytest.mark.parametrize("value", [2, -2, 0.0, True, "1", [], {}])
def test_unknown_levels_are_refused(value):
    with pytest.raises(InvalidResponse) as caught:
        check(fluency=value)
    assert set(caught.value.errors) == {"fluency"}
