"""Tutorials ask the instrument's own questions, and grade the answers by what is right."""

from typing import Any

import pytest

from annotate.common.schemas import Refused
from annotate.instruments import grading
from annotate.instruments.base import InvalidResponse
from annotate.instruments.rating.instrument import Rating, read_definition
from annotate.instruments.tutorials import Question, Tutorial, read_tutorial
from annotate.models import TutorialRun
from annotate.studies import definitions
from annotate.studies.tutorials import feedback_on_answers
from annotate.work import tutorial as work_tutorial
from estimation.pages import report
from tests.annotate.own import every_kind
from tests.annotate.practice import CHOICES, ERRORS, PLACES, SLIDER, tutorial
from tests.annotate.ranked_texts.studies import ranking
from tests.factories import campaign, person, user


def read(*questions: dict[str, Any], best_only: bool = False) -> Tutorial:
    ranks = any(one["criterion"] == "rank" for one in questions)
    whole = ranking(best_only=best_only) if ranks else every_kind()
    asked = Rating(read_definition(whole))
    raw = tutorial(*questions, instrument=asked.key)
    return read_tutorial(raw, instrument=asked.key, criteria=asked.criteria, asked=asked.asked)


def one(question: dict[str, Any], *, best_only: bool = False) -> Question:
    return read(question, best_only=best_only).samples[0]


def mark(words: str, category: str = "grammar", severity: str = "minor") -> dict[str, Any]:
    start = ERRORS["text"].index(words)
    end = start + len(words)
    return {"start": start, "end": end, "text": words, "category": category, "severity": severity}


WHOLE = mark(ERRORS["text"])
OPEN, ARE, MILL, NINE = (
    mark("open"),
    mark("are", "omission", "critical"),
    mark("mill"),
    mark("nine"),
)


@pytest.mark.parametrize(
    ("question", "answer", "right"),
    [
        (SLIDER, 60, True),
        (SLIDER, 100, True),
        (SLIDER, 59, False),
        (SLIDER | {"right": {"at_most": 10}}, 11, False),
        (SLIDER | {"right": {"at_most": 10}}, 10, True),
        (CHOICES, ["vague"], True),
        (CHOICES, ["rude", "vague"], False),
        (CHOICES, [], False),
        (CHOICES | {"right": {"chosen": []}}, [], True),
        (ERRORS, [OPEN, ARE], True),
        (ERRORS, [OPEN, ARE, MILL], True),
        (ERRORS, [OPEN, ARE, MILL, NINE], False),
        (ERRORS, [OPEN], False),
        (ERRORS, [WHOLE], False),
        (ERRORS | {"right": ERRORS["right"] | {"others": 2}}, [WHOLE], False),
        (ERRORS, [], False),
        (ERRORS, [OPEN | {"category": "omission"}, ARE], False),
        (ERRORS, [OPEN | {"severity": "critical"}, ARE], False),
        (ERRORS, [OPEN | {"severity": "major"}, ARE], True),
        (ERRORS | {"right": {"errors": []}}, [], True),
        (ERRORS | {"right": {"errors": []}}, [MILL], False),
        (PLACES, [1, 3, 2], True),
        (PLACES, [1, 2, 3], False),
        (PLACES, [1, 2, 2], False),
        (PLACES | {"right": {"places": [1, 2, 2]}}, [1, 3, 3], True),
    ],
)
def test_an_answer_is_right_as_the_tutorial_says(question: Any, answer: Any, right: bool) -> None:
    graded = grading.grade(one(question), {"answer": answer})
    assert graded.correct is right
    assert graded.feedback == (question["feedback"]["right" if right else "wrong"],)


def test_the_best_text_is_right() -> None:
    asked = one(PLACES | {"right": {"places": [1, 2, 2]}}, best_only=True)
    assert grading.grade(asked, {"answer": [1, 2, 2]}).correct
    assert not grading.grade(asked, {"answer": [2, 1, 2]}).correct


@pytest.mark.parametrize("question", [SLIDER, CHOICES, ERRORS, PLACES])
@pytest.mark.parametrize("answer", [None, "x", {}, [None], -1, 101, [{"start": 0}], [1, 2]])
def test_what_is_no_answer_is_refused_and_not_graded(question: Any, answer: Any) -> None:
    with pytest.raises(InvalidResponse):
        grading.grade(one(question), {"answer": answer})


@pytest.mark.parametrize(
    ("question", "path"),
    [
        (SLIDER | {"criterion": "helpful"}, "criterion"),
        (SLIDER | {"criterion": "remark"}, "criterion"),
        (SLIDER | {"criterion": "nothing"}, "criterion"),
        (SLIDER | {"right": {}}, "right"),
        (SLIDER | {"right": {"at_least": 101}}, "right.at_least"),
        (SLIDER | {"right": {"at_least": 9, "at_most": 8}}, "right"),
        (SLIDER | {"right": {"least": 9}}, "right.least"),
        (SLIDER | {"right": 9}, "right"),
        (SLIDER | {"others": ["Another."]}, "others"),
        (CHOICES | {"right": {"chosen": ["none"]}}, "right.chosen[0]"),
        (ERRORS | {"right": {"errors": [{"text": "e"}]}}, "right.errors[0].text"),
        (ERRORS | {"right": {"errors": [{"text": "no"}]}}, "right.errors[0].text"),
        (
            ERRORS | {"right": {"errors": [{"text": "are", "categories": ["x"]}]}},
            "right.errors[0].categories",
        ),
        (ERRORS | {"right": {"errors": [], "others": 3}}, "right.others"),
        (ERRORS | {"right": {"errors": [{"text": "are"}] * 2}}, "right.errors[1].text"),
        (PLACES | {"others": []}, "others"),
        (PLACES | {"others": [PLACES["text"], "Mills."]}, "others"),
        (PLACES | {"right": {"places": [1, 2]}}, "right.places"),
        (PLACES | {"right": {"places": [1, 3, 3]}}, "right.places"),
        (PLACES | {"right": {"places": [1, 2, 4]}}, "right.places"),
        (SLIDER | {"feedback": {"right": "Yes."}}, "feedback.wrong"),
    ],
)
def test_what_does_not_fit_is_told_at_its_place(question: dict[str, Any], path: str) -> None:
    with pytest.raises(Refused) as refused:
        one(question)
    assert f"questions[0].{path}" in {problem.path for problem in refused.value.problems}


def test_researchers_read_what_is_right() -> None:
    told = {one.key: feedback_on_answers(one)[0][1][0][0] for one in read(SLIDER, ERRORS).samples}
    assert told == {"slider": "60 to 100", "errors": "“open”; “are”"}
    shown = report.questions(read(PLACES))[0]
    assert shown.right == "1 > 3 > 2"
    assert ("Text 3", "It opens.") in shown.parts


@pytest.mark.orm
@pytest.mark.django_db
def test_a_person_passes_by_right_answers_of_every_kind() -> None:
    owner = user()
    definitions.define(every_kind(), owner_id=owner.pk)
    content = tutorial(SLIDER, CHOICES, ERRORS)
    stored = definitions.store_tutorial(content, reference="kinds", owner_id=owner.pk)
    made = campaign(
        owner=owner,
        instrument="kinds",
        targets={"quality": 5},
        tutorial=True,
        tutorial_id=stored.pk,
        metrics=(),
    )
    who = person(made)
    work_tutorial.begin(who.pk)
    version = TutorialRun.objects.get().version
    for key, answer in (("slider", 80), ("choices", ["vague"]), ("errors", [OPEN, ARE])):
        found = work_tutorial.answer(
            who.pk, version=version, key=key, raw={"answer": answer}, round_number=1
        )
        assert found.grade.correct
    assert found.passed
