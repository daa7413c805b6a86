"""The built-in tutorials: the designed questions, each answerable, each mistake explained."""

from collections import Counter
from pathlib import Path

import pytest

import annotate.instruments
from annotate.instruments.language_quality.criteria import ASKED
from annotate.instruments.tutorials.grading import expected_spans, grade
from annotate.instruments.tutorials.reading import builtin

FOLDER = Path(annotate.instruments.__file__).parent
LANGUAGE_QUALITY = builtin(
    FOLDER / "language_quality", "en", instrument="language_quality", criteria=ASKED
)
ANSWER_CORRECTNESS = builtin(FOLDER / "answer_correctness", "en", instrument="answer_correctness")
QUESTIONS = [*LANGUAGE_QUALITY.questions, *ANSWER_CORRECTNESS.questions]


def of_kind(kind):
    found = [question for question in QUESTIONS if question.kind == kind]
    return pytest.mark.parametrize("question", found, ids=[one.key for one in found])


def marked(paragraph, verdict=None, spans=None):
    spans = expected_spans(paragraph) if spans is None else spans
    return {
        "verdict": paragraph.verdict if verdict is None else verdict,
        "spans": [{"start": a, "end": b, "text": paragraph.text[a:b]} for a, b in spans],
    }


def test_the_designed_numbers():
    sections = Counter(question.section for question in LANGUAGE_QUALITY.questions)
    assert sections == {"Fluency": 3, "Redundancy": 3, "Overall": 2, "Improving": 2}
    kinds = Counter(question.kind for question in ANSWER_CORRECTNESS.questions)
    assert kinds == {"choice": 5, "evidence": 3, "example": 1}


def test_no_level_is_the_answer_too_often():
    for section in ("Fluency", "Redundancy"):
        answers = [
            question.accepted for question in LANGUAGE_QUALITY.questions
            if question.section == section
        ]  # fmt: skip
        assert sorted(answers) == [(-1,), (0,), (1,)]
    verdicts = Counter(
        paragraph.verdict
        for question in ANSWER_CORRECTNESS.questions if question.kind == "evidence"
        for paragraph in question.paragraphs
    )  # fmt: skip
    assert set(verdicts) == {-1, 0, 1}


@of_kind("choice")
def test_accepted_choices_are_right_and_the_others_are_explained(question):
    said = [grade(question, {"value": option.value}).feedback[0] for option in question.options]
    right = [grade(question, {"value": option.value}).correct for option in question.options]
    assert len(question.accepted) == sum(right) == 1
    assert len(set(said)) == len(said)
    assert all(len(line) > 60 for line in said), "feedback says why"


@of_kind("edit")
def test_alternatives_pass_by_the_rules_too_and_the_text_itself_does_not(question):
    from dataclasses import replace

    by_rule = replace(question, alternatives=())
    for alternative in question.alternatives:
        assert grade(by_rule, {"edit": alternative}).feedback == (question.feedback,)
    assert not grade(question, {"edit": question.text}).correct


@pytest.mark.parametrize(
    ("key", "edit", "said"),
    [
        ("edit-preposition", "The choir is looking forward in its first concert in the new hall "
         "on Sunday.", "after “looking forward”"),
        ("edit-preposition", "The choir looks forward to Sunday.", "first concert"),
        ("edit-preposition", "The choir is looking forward to its first concert in the new hall "
         "on Sunday, which everybody in town has waited for since the spring.", "far more"),
        ("edit-repetition", "The library is closed. Its roof is being repaired.", "This week"),
        ("edit-repetition", "The library is closed this week because its roof is being repaired. "
         "The library is closed.", "twice"),
        ("edit-repetition", "The library is closed this week.", "reason"),
    ],
)  # fmt: skip
def test_what_an_edit_lacks_is_named(key, edit, said):
    question = next(one for one in QUESTIONS if one.key == key)
    got = grade(question, {"edit": edit})
    assert not got.correct
    assert said.casefold() in " ".join(got.feedback).casefold()


@pytest.mark.parametrize(
    ("key", "edit"),
    [
        ("edit-preposition", "The choir looks forward to its first concert in the new hall on "
         "Sunday."),
        ("edit-preposition", "The choir is excited about its first concert in the new hall on "
         "Sunday."),
        ("edit-repetition", "The library is closed this week because of repairs to the roof."),
        ("edit-repetition", "The library is shut this week for roof repairs."),
        ("edit-repetition", "This week the library is closed because its roof is being fixed."),
    ],
)  # fmt: skip
def test_sensible_edits_pass(key, edit):
    question = next(one for one in QUESTIONS if one.key == key)
    assert grade(question, {"edit": edit}).feedback == (question.feedback,)


@of_kind("evidence")
def test_expected_highlights_are_right_and_others_are_explained(question):
    right = [marked(paragraph) for paragraph in question.paragraphs]
    assert grade(question, {"paragraphs": right}).correct
    for number, paragraph in enumerate(question.paragraphs):
        whole = [(0, len(paragraph.text))]
        wrong = [marked(paragraph, verdict, whole) for verdict in (1, 0, -1)]
        wrong += [marked(paragraph, spans=[])] if paragraph.verdict else []
        for one in wrong:
            if one["verdict"] == 0 == paragraph.verdict:
                continue
            got = grade(question, {"paragraphs": [*right[:number], one, *right[number + 1 :]]})
            assert not got.correct, (number, one)
            assert got.detail["paragraphs"][number]["feedback"]
