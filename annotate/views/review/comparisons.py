"""A table of one annotator's judgments and others' on the same outputs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotate.instruments.answers import Question
from annotate.instruments.base import TextBeside
from annotate.selectors.review.judgments import AnnotatorWork, ComparedJudgment, Judged
from annotate.text.figures import number, seconds
from annotate.text.word_diff import DiffRun, word_diff

SUPERSEDED, CORRECTION = "superseded", "correction"


@dataclass(frozen=True)
class AnswerCell:
    """One answer; `off`: no other annotator gave it."""

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
    """One judgment of an output; name is "" for the annotator under review.

    standing: "superseded" if its annotator corrected it, "correction" if it is the later answer.
    """

    name: str
    seconds: str
    counts: bool
    cells: tuple[AnswerCell, ...]
    diff: tuple[DiffRun, ...]
    shown: tuple[MarkedText, ...]
    standing: str = ""


@dataclass(frozen=True)
class Beside:
    """One output, and everybody's judgment of it: this annotator's first.

    page: the texts that this annotator saw side by side; empty where the text stood alone.
    """

    text: str
    input: str
    n_apart: int
    lines: tuple[JudgeLine, ...]
    page: tuple[TextBeside, ...] = ()


@dataclass(frozen=True)
class Count:
    n: int
    same: bool


@dataclass(frozen=True)
class AgreementRow:
    """Others' answers where this annotator answered `label`."""

    label: str
    cells: tuple[Count, ...]


@dataclass(frozen=True)
class AgreementTable:
    question: Question
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
    return [question.heading for question in work.questions] + ["Edit"] * work.takes_edits


def beside(work: AnnotatorWork, page: int) -> list[Beside]:
    return [_beside(one, work) for one in work.page(page)]


def _beside(one: ComparedJudgment, work: AnnotatorWork) -> Beside:
    assert one.material is not None
    lines = tuple(
        each for judged in (one.mine, *one.others) for each in _with_earlier(judged, one, work)
    )
    apart = sum(cell.off for cell in lines[0].cells)
    return Beside(one.material.text, one.material.input, apart, lines, one.material.side_by_side)


def _with_earlier(
    judged: Judged, one: ComparedJudgment, work: AnnotatorWork
) -> Iterable[JudgeLine]:
    """Yield a judgment, and after it what it corrects."""
    mine, earlier = judged is one.mine, one.corrected_by(judged)
    now = line(judged, one, work, mine=mine)
    yield replace(now, standing=CORRECTION) if earlier else now
    for each in earlier:
        before = line(each, one, work)
        yield replace(before, name="" if mine else before.name, standing=SUPERSEDED)


def line(
    judged: Judged, one: ComparedJudgment, work: AnnotatorWork, *, mine: bool = False
) -> JudgeLine:
    """Return one judgment as a line; `mine`: it is the one that is compared with the others."""
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
        if question.of_paragraphs:
            yield _paragraphs(question, judged, one, mine=mine)
            continue
        key = (question.name, 0)
        yield AnswerCell(
            question.label, question.said(judged.answers[key]), mine and one.alone(key)
        )
    if work.takes_edits:
        yield AnswerCell("Edit", _edit(judged), mine and one.alone_in_editing)


def _edit(judged: Judged) -> str:
    if judged.edit is None:
        return "none"
    return number(judged.hter) if judged.hter is not None else "edited"


def _paragraphs(
    question: Question, judged: Judged, one: ComparedJudgment, *, mine: bool
) -> AnswerCell:
    """Those that decide something, and those in which this annotator stands alone."""
    said = [
        (key, value, mine and one.alone(key))
        for key, value in judged.answers.items()
        if key[0] == question.name
    ]
    told = [
        f"{'≠ ' if alone else ''}{key[1]} {question.said(value)}"
        for key, value, alone in said
        if value or alone
    ]
    return AnswerCell(
        question.heading,
        ", ".join(told) or (f"all {question.said(0)}" if said else "–"),
        any(alone for _key, _value, alone in said),
    )


def _shown(judged: Judged, one: ComparedJudgment, work: AnnotatorWork) -> Iterable[MarkedText]:
    assert one.material is not None
    for found in work.instrument.highlights(judged.response, one.material):
        yield MarkedText(found.title, _pieces(found.text, found.spans))


def _pieces(text: str, spans: Sequence[Sequence[int]]) -> tuple[Piece, ...]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [Piece(text[at:start], False), Piece(text[start:end], True)]
        at = end
    return tuple(piece for piece in [*pieces, Piece(text[at:], False)] if piece.text)
