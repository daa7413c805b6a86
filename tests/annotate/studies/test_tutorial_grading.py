"""How answers to a tutorial are graded: by rule, and always with a reason."""

import pytest

from annotate.instruments.base import InvalidResponse
from annotate.instruments.grading import grade
from tests.annotate.studies.test_tutorial_reading import (
    CHOICE,
    EDIT,
    EVIDENCE,
    EXAMPLE,
    WHOLE,
    read,
)

TEXT = "At noon there are three boats on the lake, and later a dozen."
WHOLE_TEXT = f"{TEXT} It rained."


def question(raw):
    return read({**WHOLE, "questions": [raw]}).samples[0]


def edited(text, **changes):
    return grade(question({**EDIT, **changes}), {"edit": text})


def paragraph(**changes):
    return {
        **EVIDENCE,
        "paragraphs": [
            {
                **EVIDENCE["paragraphs"][0],
                "text": WHOLE_TEXT,
                "evidence": ["three boats"],
                **changes,
            }
        ],
    }


def highlighted(*quotes, verdict=1, **changes):
    spans = [
        {
            "start": WHOLE_TEXT.index(quote),
            "end": WHOLE_TEXT.index(quote) + len(quote),
            "text": quote,
        }
        for quote in quotes
    ]
    given = {"paragraphs": [{"verdict": verdict, "spans": spans}]}
    return grade(question(paragraph(**changes)), given)


@pytest.mark.parametrize(("value", "correct", "said"), [(0, True, "Yes."), (1, False, "No.")])
def test_a_choice_is_graded_with_the_feedback_of_its_value(value, correct, said):
    got = grade(question(CHOICE), {"value": value})
    assert (got.correct, got.feedback) == (correct, (said,))


@pytest.mark.parametrize(
    "response", [{}, {"value": None}, {"value": "0"}, {"value": True}, {"value": 3}]
)
def test_a_choice_of_no_level_is_refused(response):
    with pytest.raises(InvalidResponse) as caught:
        grade(question(CHOICE), response)
    assert set(caught.value.errors) == {"value"}


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("It rains all day.", ("Fine.",)),
        ("It  rained ALL day.\n", ("Fine.",)),
        ("It rain all day.", ("Nothing has been corrected yet.", "Still wrong.")),
        ("it rain all  day", ("Nothing has been corrected yet.", "Still wrong.")),
        ("It rains.", ("How long?",)),
        ("It rain.", ("Still wrong.", "How long?")),
        (
            "It rains all day, and it will snow for another week.",
            (
                "This is new: “snow”, “week”. Correct the text, and add nothing.",
                "This is much longer than the text. Correct it, and add nothing.",
                "The words are in an order that makes no sentence.",
            ),
        ),
    ],
)
def test_an_edit_is_graded_by_rule(edit, said):
    got = edited(edit)
    assert got.feedback == said
    assert got.correct == (said == ("Fine.",))


def test_a_listed_alternative_is_right_whatever_the_rules_say():
    other = "Rain, from dawn to dusk, without a moment of sun!"
    assert not edited(other).correct
    assert edited(f"  {other.upper()} ", alternatives=[other]).correct


def test_a_defect_may_be_a_string_that_comes_too_often():
    raw = {**EDIT, "text": "Rain all day, rain all day."}
    raw["defects"] = [{"strings": ["rain", "rains"], "at_most": 1, "feedback": "Twice."}]
    assert grade(question(raw), {"edit": "It rains, rain all day."}).feedback == ("Twice.",)
    assert grade(question(raw), {"edit": "Rain all day."}).correct


@pytest.mark.parametrize("edit", [None, "", " \n", 3, "x" * 10_001])
def test_an_edit_that_is_none_is_refused(edit):
    with pytest.raises(InvalidResponse) as caught:
        edited(edit)
    assert set(caught.value.errors) == {"edit"}


@pytest.mark.parametrize(
    ("quotes", "overlap"),
    [
        (["three boats"], "good"),
        (["three boats", "on the"], "good"),
        (["there are three boats on the"], "good"),
        (["three boats on the lake, and later a dozen"], "good"),
        ([TEXT], "good"),
        ([TEXT, "It rained"], "poor"),
        (["a dozen. It"], "none"),
        (["boats"], "good"),
        (["noon", "the lake"], "none"),
        ([], "none"),
    ],
)
def test_highlights_are_graded_by_their_words(quotes, overlap):
    got = highlighted(*quotes)
    assert got.detail["paragraphs"][0]["overlap"] == overlap
    assert got.correct == (overlap == "good")
    assert got.feedback == ("Yes.", f"{overlap.capitalize()}.")


@pytest.mark.parametrize("verdict", [0, -1])
def test_a_wrong_verdict_is_explained_and_its_highlight_not_graded(verdict):
    got = highlighted("three boats", verdict=verdict)
    assert (got.correct, got.feedback) == (False, ("No.",))


def test_one_wrong_paragraph_makes_the_answer_wrong_and_tells_which():
    raw = paragraph()
    raw["paragraphs"] = [
        *raw["paragraphs"],
        {"text": "Nothing here.", "verdict": 0, "feedback": {"1": "a", "0": "b", "-1": "c"}},
    ]
    spans = [{"start": 18, "end": 29, "text": "three boats"}]
    given = [{"verdict": 1, "spans": spans}, {"verdict": 1, "spans": []}]
    got = grade(question(raw), {"paragraphs": given})
    assert [one["correct"] for one in got.detail["paragraphs"]] == [True, False]
    assert (got.correct, got.feedback) == (False, ("Yes.", "Good.", "a"))


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        [{}],
        [{"verdict": 2, "spans": []}],
        [{"verdict": 1}],
        [{"verdict": 1, "spans": [{"start": 0, "end": 3, "text": "no"}]}],
        [{"verdict": 1, "spans": [{"start": 3, "end": 3, "text": ""}]}],
        [{"verdict": 1, "spans": [{"start": -3, "end": -1, "text": "en"}]}],
        [{"verdict": 1, "spans": ["three"]}],
        [{"verdict": 0}, {"verdict": 0}],
    ],
)
def test_an_answer_that_does_not_fit_the_paragraphs_is_refused(given):
    with pytest.raises(InvalidResponse):
        grade(question(paragraph()), {"paragraphs": given})


def test_an_example_is_only_read():
    assert grade(question(EXAMPLE), {}).correct
