"""Judgments beside others' on the same outputs, as the cells of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.selectors.review.judgments import (
    PARAGRAPH,
    PLAUSIBLE,
    AnnotatorWork,
    AskedQuestion,
    ComparedJudgment,
    Judged,
)
from annotate.text.figures import number
from annotate.text.word_diff import DiffRun, word_diff
from annotate.views.review.words import seconds


@dataclass(frozen=True)
class AnswerCell:
    """One answer; `off`: nobody else gave it."""

    column: str
    text: str
    off: bool = False


@dataclass(frozen=True)
class Piece:
    """A part of a text, highlighted or not."""

    text: str
    marked: bool


@dataclass(frozen=True)
class MarkedText:
    """Highlighted evidence: where it belongs, and the text with what one judge marked in it."""

    title: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class JudgeLine:
    """One judge of an output; name is "" for the annotator under review."""

    name: str
    seconds: str
    counts: bool
    cells: tuple[AnswerCell, ...]
    diff: tuple[DiffRun, ...]
    shown: tuple[MarkedText, ...]


@dataclass(frozen=True)
class Beside:
    """One output, and everybody's judgment of it: this annotator's first."""

    text: str
    input: str
    n_apart: int
    lines: tuple[JudgeLine, ...]


@dataclass(frozen=True)
class Count:
    n: int
    same: bool


@dataclass(frozen=True)
class AgreementRow:
    """What others said where this annotator said `label`."""

    label: str
    cells: tuple[Count, ...]


@dataclass(frozen=True)
class AgreementTable:
    question: AskedQuestion
    rows: tuple[AgreementRow, ...]
    n: int
    same: int


def matrices(work: AnnotatorWork) -> list[AgreementTable]:
    """The agreement with others, question by question."""
    return [
        AgreementTable(
            matrix.question,
            tuple(
                AgreementRow(label, tuple(Count(n, i == j) for j, n in enumerate(matrix.counts[i])))
                for i, (_value, label) in enumerate(matrix.question.levels)
            ),
            matrix.n,
            matrix.same,
        )
        for matrix in work.matrices
    ]


def columns(work: AnnotatorWork) -> list[str]:
    if any(question.name == PARAGRAPH for question in work.questions):
        return ["Plausible", "Paragraphs"]
    return [question.label for question in work.questions] + ["Edit"] * work.takes_edits


def beside(work: AnnotatorWork, page: int) -> list[Beside]:
    return [_beside(one, work) for one in work.page(page)]


def _beside(one: ComparedJudgment, work: AnnotatorWork) -> Beside:
    assert one.material is not None
    lines = tuple(_line(judged, one, work) for judged in (one.mine, *one.others))
    apart = sum(cell.off for cell in lines[0].cells)
    return Beside(one.material.text, one.material.input, apart, lines)


def _line(judged: Judged, one: ComparedJudgment, work: AnnotatorWork) -> JudgeLine:
    mine = judged is one.mine
    edit = judged.edit
    assert one.material is not None
    return JudgeLine(
        "" if mine else judged.pseudonym,
        seconds(judged.seconds),
        judged.counts,
        tuple(_cells(judged, one, work, mine=mine)),
        () if edit is None else tuple(word_diff(one.material.text, edit)),
        tuple(_shown(judged, one, work)),
    )


def _cells(
    judged: Judged, one: ComparedJudgment, work: AnnotatorWork, *, mine: bool
) -> Iterable[AnswerCell]:
    for question in work.questions:
        if question.name == PARAGRAPH:
            yield _paragraphs(question, judged, one, mine=mine)
            continue
        key = (question.name, 0)
        yield AnswerCell(
            question.label, _said(question, judged.answers[key]), mine and one.alone(key)
        )
    if work.takes_edits:
        yield AnswerCell("Edit", _edit(judged), mine and one.alone_in_editing)


def _said(question: AskedQuestion, value: float) -> str:
    if question.name == PLAUSIBLE:
        return question.said(value)
    signed = min(level for level, _label in question.levels) < 0
    return f"{value:+g}".replace("-", "−").replace("+0", "0") if signed else f"{value:g}"


def _edit(judged: Judged) -> str:
    if judged.edit is None:
        return "none"
    return number(judged.hter) if judged.hter is not None else "edited"


def _paragraphs(
    question: AskedQuestion, judged: Judged, one: ComparedJudgment, *, mine: bool
) -> AnswerCell:
    """Those that decide something, and those in which this annotator stands alone."""
    said = [
        (key, value, mine and one.alone(key))
        for key, value in judged.answers.items()
        if key[0] == PARAGRAPH
    ]
    told = [
        f"{'≠ ' if alone else ''}{key[1]} {question.said(value)}"
        for key, value, alone in said
        if value or alone
    ]
    return AnswerCell(
        "Paragraphs",
        ", ".join(told) or ("all neither" if said else "–"),
        any(alone for _key, _value, alone in said),
    )


def _shown(judged: Judged, one: ComparedJudgment, work: AnnotatorWork) -> Iterable[MarkedText]:
    assert one.material is not None
    labels = {question.name: question.label for question in work.questions}
    for name, spans in judged.response.get("evidence", {}).items():
        yield MarkedText(labels.get(name, name), _pieces(one.material.text, spans))
    verdicts: Sequence[Any] = judged.response.get("verdicts", ())
    for number_, (verdict, text) in enumerate(
        zip(verdicts, one.material.paragraphs, strict=False), start=1
    ):
        if verdict["spans"]:
            yield MarkedText(f"Paragraph {number_}", _pieces(text, verdict["spans"]))


def _pieces(text: str, spans: Sequence[Sequence[int]]) -> tuple[Piece, ...]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [Piece(text[at:start], False), Piece(text[start:end], True)]
        at = end
    return tuple(piece for piece in [*pieces, Piece(text[at:], False)] if piece.text)
