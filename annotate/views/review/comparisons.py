"""Judgments beside others' on the same outputs, as the cells of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.selectors.review.answers import PARAGRAPH, PLAUSIBLE, Question
from annotate.selectors.review.judgments import Compared, Judged, Work
from annotate.text.figures import number
from annotate.text.word_diff import Run, word_diff
from annotate.views.review.words import seconds


@dataclass(frozen=True)
class Cell:
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
class Shown:
    """Highlighted evidence: where it belongs, and the text with what one judge marked in it."""

    title: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Line:
    """One judge of an output; name is "" for the annotator under review."""

    name: str
    seconds: str
    counts: bool
    cells: tuple[Cell, ...]
    diff: tuple[Run, ...]
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class Beside:
    """One output, and everybody's judgment of it: this annotator's first."""

    text: str
    input: str
    n_apart: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Count:
    n: int
    same: bool


@dataclass(frozen=True)
class Row:
    """What others said where this annotator said `label`."""

    label: str
    cells: tuple[Count, ...]


@dataclass(frozen=True)
class Table:
    question: Question
    rows: tuple[Row, ...]
    n: int
    same: int


def matrices(work: Work) -> list[Table]:
    """The agreement with others, question by question."""
    return [
        Table(
            matrix.question,
            tuple(
                Row(label, tuple(Count(n, i == j) for j, n in enumerate(matrix.counts[i])))
                for i, (_value, label) in enumerate(matrix.question.levels)
            ),
            matrix.n,
            matrix.same,
        )
        for matrix in work.matrices
    ]


def columns(work: Work) -> list[str]:
    if any(question.name == PARAGRAPH for question in work.questions):
        return ["Plausible", "Paragraphs"]
    return [question.label for question in work.questions] + ["Edit"] * work.takes_edits


def beside(work: Work, page: int) -> list[Beside]:
    return [_beside(one, work) for one in work.page(page)]


def _beside(one: Compared, work: Work) -> Beside:
    assert one.material is not None
    lines = tuple(_line(judged, one, work) for judged in (one.mine, *one.others))
    apart = sum(cell.off for cell in lines[0].cells)
    return Beside(one.material.text, one.material.input, apart, lines)


def _line(judged: Judged, one: Compared, work: Work) -> Line:
    mine = judged is one.mine
    edit = judged.edit
    assert one.material is not None
    return Line(
        "" if mine else judged.pseudonym,
        seconds(judged.seconds),
        judged.counts,
        tuple(_cells(judged, one, work, mine=mine)),
        () if edit is None else tuple(word_diff(one.material.text, edit)),
        tuple(_shown(judged, one, work)),
    )


def _cells(judged: Judged, one: Compared, work: Work, *, mine: bool) -> Iterable[Cell]:
    for question in work.questions:
        if question.name == PARAGRAPH:
            yield _paragraphs(question, judged, one, mine=mine)
            continue
        key = (question.name, 0)
        yield Cell(question.label, _said(question, judged.answers[key]), mine and one.alone(key))
    if work.takes_edits:
        yield Cell("Edit", _edit(judged), mine and one.alone_in_editing)


def _said(question: Question, value: float) -> str:
    if question.name == PLAUSIBLE:
        return question.said(value)
    signed = min(level for level, _label in question.levels) < 0
    return f"{value:+g}".replace("-", "−").replace("+0", "0") if signed else f"{value:g}"


def _edit(judged: Judged) -> str:
    if judged.edit is None:
        return "none"
    return number(judged.hter) if judged.hter is not None else "edited"


def _paragraphs(question: Question, judged: Judged, one: Compared, *, mine: bool) -> Cell:
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
    return Cell(
        "Paragraphs",
        ", ".join(told) or ("all neither" if said else "–"),
        any(alone for _key, _value, alone in said),
    )


def _shown(judged: Judged, one: Compared, work: Work) -> Iterable[Shown]:
    assert one.material is not None
    labels = {question.name: question.label for question in work.questions}
    for name, spans in judged.response.get("evidence", {}).items():
        yield Shown(labels.get(name, name), _pieces(one.material.text, spans))
    verdicts: Sequence[Any] = judged.response.get("verdicts", ())
    for number_, (verdict, text) in enumerate(
        zip(verdicts, one.material.paragraphs, strict=False), start=1
    ):
        if verdict["spans"]:
            yield Shown(f"Paragraph {number_}", _pieces(text, verdict["spans"]))


def _pieces(text: str, spans: Sequence[Sequence[int]]) -> tuple[Piece, ...]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [Piece(text[at:start], False), Piece(text[start:end], True)]
        at = end
    return tuple(piece for piece in [*pieces, Piece(text[at:], False)] if piece.text)
