"""What a tutorial's file may hold; every fault is told by its path, all at once."""

import copy
from typing import Any

import pytest

from annotate.common.schemas import Refused
from annotate.instruments import registry, tutorials
from annotate.instruments.grading import grade

CRITERIA = registry.get("language_quality").criteria
CHOICE = {
    "key": "one",
    "kind": "choice",
    "section": "Fluency",
    "prompt": "How fluent?",
    "text": "It rain.",
    "criterion": "fluency",
    "accepted": [0],
    "feedback": {"1": "No.", "0": "Yes.", "-1": "No."},
}
EDIT = {
    "key": "two",
    "kind": "edit",
    "section": "Improving",
    "prompt": "Improve it.",
    "text": "It rain all day.",
    "feedback": "Fine.",
    "defects": [{"strings": ["it rain"], "feedback": "Still wrong."}],
    "meaning": [{"any_of": ["all day", "the whole day"], "feedback": "How long?"}],
}
EVIDENCE = {
    "key": "three",
    "kind": "evidence",
    "section": "Evidence",
    "prompt": "Check.",
    "question": "how many",
    "answer": "three",
    "paragraphs": [
        {
            "text": "There are three of them.",
            "verdict": 1,
            "evidence": ["three of them"],
            "feedback": {"1": "Yes.", "0": "No.", "-1": "No."},
            "highlight": {"none": "None.", "poor": "Poor.", "good": "Good."},
        },
    ],
}
EXAMPLE = {
    "key": "four",
    "kind": "example",
    "section": "Evidence",
    "prompt": "Read.",
    "steps": [{"title": "See:", "text": "There are three.", "quote": "three"}],
}
WHOLE: dict[str, Any] = {
    "instrument": "language_quality",
    "version": "7",
    "language": "en",
    "questions": [CHOICE, EDIT, EVIDENCE, EXAMPLE],
}


def read(raw: Any) -> Any:
    return tutorials.read_tutorial(raw, instrument="language_quality", criteria=CRITERIA)


def changed(path: str, value: Any) -> dict[str, Any]:
    """A tutorial with one thing changed; `path` such as questions.0.text."""
    raw = copy.deepcopy(WHOLE)
    *way, last = path.split(".")
    inner: Any = raw
    for step in way:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    if value is None:
        del inner[last]
    else:
        inner[int(last) if isinstance(inner, list) else last] = value
    return raw


def refused(raw: Any) -> dict[str, str]:
    with pytest.raises(Refused) as caught:
        read(raw)
    return caught.value.errors("tutorial")


def test_a_tutorial_of_all_kinds_is_read():
    tutorial = read(WHOLE)
    assert [question.kind for question in tutorial.questions] == [
        "choice",
        "edit",
        "evidence",
        "example",
    ]
    assert [option.value for option in tutorial.questions[0].samples[0].options] == [1, 0, -1]
    assert tutorial.version.startswith("7-")
    assert len(tutorial.version) <= 64


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("version", None, "version"),
        ("instrument", "answer_correctness", "instrument"),
        ("questions", [], "questions"),
        ("questions.0.kind", "essay", "questions[0].kind"),
        ("questions.0.key", "Not a slug", "questions[0].key"),
        ("questions.1.key", "one", "questions[1].key"),
        ("questions.0.prompt", "x" * 401, "questions[0].prompt"),
        ("questions.0.text", "x" * 4001, "questions[0].text"),
        ("questions.0.criterion", "taste", "questions[0].criterion"),
        ("questions.0.criterion", "edit", "questions[0].criterion"),
        ("questions.0.accepted", [5], "questions[0].accepted"),
        ("questions.0.feedback", {"1": "No.", "0": "Yes."}, "questions[0].feedback.-1"),
        ("questions.0.feedback.9", "What?", "questions[0].feedback.9"),
        ("questions.0.options", [{"value": 1, "label": "Yes"}], "questions[0].options"),
        (
            "questions.0.options",
            [{"value": 1, "label": "Yes"}, {"value": 0, "label": "No"}],
            "questions[0].criterion",
        ),
        ("questions.0.ask", "What?", "questions[0].ask"),
        ("questions.1.allowed", ["a (b"], "questions[1].allowed[0]"),
        ("questions.2.paragraphs.0.verdict", 0, "questions[2].paragraphs[0].evidence"),
        ("questions.2.paragraphs.0.verdict", 0, "questions[2].paragraphs[0].highlight"),
        ("questions.1.defects.0.strings", ["it snows"], "questions[1].defects[0].strings"),
        ("questions.1.meaning.0.any_of", ["all week"], "questions[1].meaning[0].any_of"),
        ("questions.1.alternatives", ["it  rain all day."], "questions[1].alternatives[0]"),
        ("questions.2.paragraphs.0.evidence", ["four"], "questions[2].paragraphs[0].evidence[0]"),
        ("questions.2.paragraphs.0.evidence", ["the"], "questions[2].paragraphs[0].evidence[0]"),
        ("questions.3.steps.0.quote", "seven", "questions[3].steps[0].quote"),
    ],
)
def test_each_fault_is_told_by_its_path(path, value, where):
    raw = changed(path, value)
    if value == ["the"]:
        raw["questions"][2]["paragraphs"][0]["text"] = "There are the three of the lot."
    if where == "questions[0].options":
        del raw["questions"][0]["criterion"]
    assert where in refused(raw)


@pytest.mark.parametrize("raw", [None, [], "text", 7, {}])
def test_what_is_no_tutorial_at_all_is_refused(raw):
    assert refused(raw)


def test_too_many_questions_and_too_long_a_file_are_refused():
    many = changed("questions", [{**CHOICE, "key": f"q{i}"} for i in range(41)])
    assert "questions" in refused(many)
    long = changed("questions", [{**CHOICE, "key": f"q{i}", "text": "x" * 8000} for i in range(30)])
    assert "tutorial" in refused(long)


def test_the_digest_follows_the_content_and_not_its_layout():
    first = read(WHOLE)
    turned = {name: WHOLE[name] for name in reversed(WHOLE)}
    assert read(turned).version == first.version
    second = read(changed("questions.0.feedback.1", "No, because."))
    assert second.version != first.version
    same = [a.digest == b.digest for a, b in zip(first.questions, second.questions, strict=True)]
    assert same == [False, True, True, True]


def test_a_tutorial_from_before_the_rules_is_still_read():
    bounds = {"least": 1, "most": 10, "too_little": "Little.", "too_much": "Much."}
    old = {**EDIT, "distance": bounds, "references": ["it (rains|pours) all day"]}
    old["meaning"] = [{"any_of": [":("], "feedback": "How?"}]
    question = read({**WHOLE, "questions": [old]}).questions[0].question(0)
    assert not grade(question, {"edit": question.text}).correct
