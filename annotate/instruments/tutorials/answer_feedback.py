"""The feedback after each answer of a tutorial, for researchers who review it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.instruments.answer_correctness.criteria import VERDICTS
from annotate.instruments.tutorials.questions import Choice, Edit, Evidence, Paragraph, Question

if TYPE_CHECKING:
    from annotate.instruments.wording import Words


@dataclass(frozen=True)
class Said:
    """One answer, whether it is accepted, and the feedback."""

    answer: "Words"
    accepted: bool
    sentence: str


@dataclass(frozen=True)
class Part:
    """The answers to a whole question (`title` is ""), or to one of its paragraphs."""

    title: str
    answers: tuple[Said, ...]


def told(question: Question) -> tuple[Part, ...]:
    if isinstance(question, Choice):
        return (Part("", _choice(question)),)
    if isinstance(question, Edit):
        return (Part("", tuple(_edit(question))),)
    if isinstance(question, Evidence):
        return tuple(
            Part(f"Paragraph {number}", tuple(_paragraph(one)))
            for number, one in enumerate(question.paragraphs, start=1)
        )
    return ()


def _choice(question: Choice) -> tuple[Said, ...]:
    return tuple(
        Said(one.label, one.value in question.accepted, question.feedback[str(one.value)])
        for one in question.options
    )


def _edit(question: Edit) -> list[Said]:
    return [
        *(Said(f"Exactly “{one}”", True, question.feedback) for one in question.alternatives),
        Said("No rule finds a fault: error gone, facts kept, nothing new", True, question.feedback),
        *(
            Said(_too_often(one.at_most, one.strings), False, one.feedback)
            for one in (*question.defects, *question.slips)
        ),
        *(Said(f"Without {_any(one.any_of)}", False, one.feedback) for one in question.meaning),
    ]


def _too_often(at_most: int, strings: Sequence[str]) -> str:
    return f"{_any(strings)} more than {at_most} times" if at_most else f"Still {_any(strings)}"


def _any(strings: Sequence[str]) -> str:
    return " or ".join(f"“{one}”" for one in strings)


def _paragraph(paragraph: Paragraph) -> list[Said]:
    verdicts = [
        Said(one.label, one.value == paragraph.verdict, paragraph.feedback[str(one.value)])
        for one in VERDICTS
    ]
    said = paragraph.highlight
    if said is None:
        return verdicts
    expected = " and ".join(f"“{one}”" for one in paragraph.evidence)
    return [
        *verdicts,
        Said(f"Then highlighted: {expected}, up to the whole sentence", True, said.good),
        Said("More than the sentence", False, said.poor),
        Said("None of these words", False, said.none),
    ]
