"""Strips: where one annotator lies among the others, as the coordinates of a small drawing."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.common.numbers import count, many, number, seconds, series
from annotate.common.text import DiffRun, word_diff
from annotate.instruments.base import Question, TextBeside
from annotate.review import queries as review_queries
from annotate.review.evidence import AnnotatorWork, ComparedJudgment, Judged, Look, Screened
from annotate.review.queries import Case, Fired
from annotate.screening.base import PAUSED, ForReviewers, Numbers, ScreenAxis
from annotate.screening.gold import FOR_REVIEWERS as GOLD_REVIEWERS
from annotate.screening.gold import GOLD
from annotate.screening.screens import SCREENS

WIDTH, HEIGHT, EDGE = 304, 64, 10
BASE, TOP = 47, 17  # the axis, and how high the threshold's zone reaches
STEP, RADIUS = 6.6, 2.7  # between dots
MOST_HIGH = 5  # dots above each other; more of them stand closer


@dataclass(frozen=True)
class Mark:
    """A place on the axis with its label; `anchor` keeps the label inside the drawing."""

    x: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Zone:
    """What lies beyond the threshold."""

    x: float
    width: float


@dataclass(frozen=True)
class Strip:
    """dots: (x, y) of the others. interval: (from, to) of this annotator's, where known."""

    dots: tuple[tuple[float, float], ...]
    me: Mark | None
    interval: tuple[float, float] | None
    threshold: Mark
    zone: Zone
    ends: tuple[Mark, Mark]
    label: str

    @property
    def diamond(self) -> str:
        assert self.me is not None
        return f"M{self.me.x - 6:.1f} 42l6-7 6 7-6 7Z"


def _x(axis: ScreenAxis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return round(EDGE + (WIDTH - 2 * EDGE) * min(1.0, max(0.0, share)), 1)


def strip(
    axis: ScreenAxis,
    *,
    own: float | None,
    low: float | None,
    high: float | None,
    threshold: float,
    others: Sequence[float],
    label: str,
) -> Strip:
    at = _x(axis, threshold)
    span = (at, WIDTH - EDGE - at) if axis.flags_above else (EDGE, at - EDGE)
    return Strip(
        dots=_stacked([_x(axis, value) for value in others]),
        me=None if own is None else _mark(_x(axis, own), "this person"),
        interval=_interval(axis, low, high),
        threshold=_mark(at, axis.said(threshold)),
        zone=Zone(round(span[0], 1), round(span[1], 1)),
        ends=_ends(axis, _mark(at, axis.said(threshold))),
        label=label,
    )


def _ends(axis: ScreenAxis, threshold: Mark) -> tuple[Mark, Mark]:
    """The axis's ends, without the labels that the threshold's would run into."""
    half = {"start": 0.0, "middle": 0.5, "end": 1.0}[threshold.anchor] * _long(threshold.label)
    left, right = threshold.x - half, threshold.x - half + _long(threshold.label)
    low, high = axis.said(axis.low), axis.said(axis.high)
    return (
        Mark(EDGE, low if EDGE + _long(low) < left else "", "start"),
        Mark(WIDTH - EDGE, high if WIDTH - EDGE - _long(high) > right else "", "end"),
    )


def _long(label: str) -> float:
    return 6.6 * len(label) + 6


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bars:
    """One bar for each judgment in its order, and the others' usual height as a line."""

    bars: tuple[Bar, ...]
    usual: float | None
    top: float
    label: str


def bars(values: Sequence[float], *, usual: float | None, label: str) -> Bars:
    top = max([*values, usual or 0.0, 1e-9])
    if usual and top > 3 * usual:
        # One long break does not flatten the rest.
        top = max(3 * usual, sorted(values)[len(values) // 2] * 1.5)
    room = (WIDTH - 2 * EDGE) / max(1, len(values))
    return Bars(
        bars=tuple(_bar(i, min(1.0, value / top), room) for i, value in enumerate(values)),
        usual=None if usual is None else round(BASE - 40 * min(1.0, usual / top), 1),
        top=top,
        label=label,
    )


def _bar(i: int, share: float, room: float) -> Bar:
    height = max(1.0, 40 * share)
    width = max(0.5, min(14.0, room * 0.72))
    return Bar(
        round(EDGE + i * room, 1), round(BASE - height, 1), round(width, 1), round(height, 1)
    )


def _stacked(places: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Dots in columns above the axis, closer together where there are many; one for each pixel."""
    columns: Counter[int] = Counter()
    tallest = max(Counter(round(x / STEP) for x in places).values(), default=1)
    rise = min(6.0, (BASE - TOP - 2) / max(MOST_HIGH, tallest))
    digits = 1 if rise > 1 else 0
    dots: dict[tuple[float, float], None] = {}
    for x in places:
        column = round(x / STEP)
        y = round(BASE - 3.5 - rise * columns[column], digits)
        dots[round(column * STEP, 1), y] = None
        columns[column] += 1
    return tuple(dots)


def _interval(
    axis: ScreenAxis, low: float | None, high: float | None
) -> tuple[float, float] | None:
    if low is None and high is None:
        return None
    return (
        _x(axis, axis.low if low is None else low),
        _x(axis, axis.high if high is None else high),
    )


def _mark(x: float, label: str) -> Mark:
    anchor = "start" if x < 45 else "end" if x > WIDTH - 45 else "middle"
    return Mark(x, label, anchor)


# The screens in words and numbers, for reviewers.


MOST_DRAWN = 2000  # a strip of more has the same shape: it has some 45 columns of dots


@dataclass(frozen=True)
class Told:
    """One screen about one annotator, ready to be shown."""

    screen: str
    title: str
    state: str  # flagged, listed, flagged_before, listed_before, passed, little
    big: str
    unit: str
    detail: str
    limit: str
    n: int
    strip: Strip


def _words(screen: str) -> ForReviewers:
    """Return the words of a screen, also of one that an earlier version had."""
    if screen in SCREENS:
        return SCREENS[screen].reviewers
    if screen == GOLD:
        return GOLD_REVIEWERS
    return ForReviewers(
        title=screen.replace("_", " ").capitalize(),
        looks_at="",
        unit="by a screen that is no longer in use",
        big=lambda said: number(said.value),
        detail=lambda _said: "",
        limit=lambda said: f"Its threshold was {number(said.threshold)}.",
        axis=lambda values: ScreenAxis(min(values), max(values) + 1e-9, number, flags_above=True),
    )


def title(screen: str) -> str:
    return _words(screen).title


def looked_at() -> str:
    """Return the signs that the screens look at, in a list."""
    return series(screen.reviewers.looks_at for screen in SCREENS.values())


def brief(said: Numbers) -> str:
    """One flag in a line: `Too fast: 13 s median active time. Flags below …`."""
    words = _words(said.screen)
    return f"{words.big(said)} {words.unit}. {words.limit(said)}"


def flags(fired: Iterable[Fired]) -> list[tuple[str, str]]:
    """Return the title and line of each sign, with its latest numbers."""
    return [(title(flag.screen), brief(flag)) for flag in review_queries.signs(fired)]


def words_told(look: Look, *, fired: Mapping[str, bool]) -> list[Told]:
    """Every screen of a look; `fired`: those that have flagged this annotator at some time, and
    whether that paused them."""
    ordered = sorted(look.screens, key=lambda one: not _flagged(one, fired))
    return [_told(one, fired) for one in ordered]


def _flagged(one: Screened, fired: Mapping[str, bool]) -> bool:
    return one.verdict.flagged or one.verdict.screen in fired


def _told(one: Screened, fired: Mapping[str, bool]) -> Told:
    verdict = one.verdict
    words = _words(verdict.screen)
    if verdict.flagged:
        state = "flagged" if verdict.tier == PAUSED else "listed"
    elif verdict.screen in fired:
        state = "flagged_before" if fired[verdict.screen] else "listed_before"
    else:
        state = "passed" if verdict.enough else "little"
    return Told(
        verdict.screen,
        words.title,
        state,
        words.big(verdict),
        words.unit,
        _detail(words, verdict),
        words.limit(verdict),
        verdict.n,
        _strip(words, one),
    )


def _detail(words: ForReviewers, said: Numbers) -> str:
    return "Nothing to go by yet." if said.value is None else words.detail(said)


def _strip(words: ForReviewers, one: Screened) -> Strip:
    verdict = one.verdict

    def onto(value: float | None) -> float | None:
        return None if value is None else words.onto(value)

    others = [words.onto(value) for value in _drawn(one.others)]
    own = onto(verdict.value)
    # One extreme value does not squeeze the plot.
    usual = sorted(others)[: max(1, round(0.98 * len(others)))]
    low, high = onto(verdict.low), onto(verdict.high)
    return strip(
        words.axis([*usual, *([] if own is None else [own]), words.onto(verdict.threshold)]),
        own=own,
        low=low,
        high=high,
        threshold=words.onto(verdict.threshold),
        others=others,
        label=f"{words.title}: this annotator {words.big(verdict)}, {words.limit(verdict)} "
        f"{_place(verdict.value, one.others)}",
    )


def _drawn(others: Sequence[float]) -> Sequence[float]:
    """Return at most `MOST_DRAWN` of these ascending values, evenly by rank, with both ends."""
    if len(others) <= MOST_DRAWN:
        return others
    last, steps = len(others) - 1, MOST_DRAWN - 1
    return [others[i * last // steps] for i in range(MOST_DRAWN)]


def _place(own: float | None, others: Sequence[float]) -> str:
    if own is None or not others:
        return "There is no one to compare with."
    below, above = bisect_left(others, own), len(others) - bisect_right(others, own)
    return f"{below} of {len(others)} others lie lower, {above} higher."


def times(look: Look) -> Bars | None:
    """The active time of each judgment, beside what others usually take."""
    if look.times is None or not look.times.own:
        return None
    own = sorted(look.times.own)
    usual = look.times.others
    beside = f"; the others’ median is {seconds(usual)}" if usual is not None else ""
    span = seconds(own[0]) if len(own) == 1 else f"{seconds(own[0])} to {seconds(own[-1])}"
    label = f"Active time of {many(len(own), 'judgment')}: {span}{beside}"
    return bars(look.times.own, usual=usual, label=label)


# A table of one annotator's judgments and others' on the same outputs.


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


# The evidence about one annotator besides their answers, as sections of rows.
#
# A row has a title, a state, a figure with its unit, and sentences. Whatever a reviewer should see
# beside the screens is one more section: a function that returns an `EvidenceSection`, and its
# place in `sections`.


@dataclass(frozen=True)
class EvidenceState:
    """The state of a row: a kind (for the colour), an icon and a word."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class EvidenceRow:
    """One row. figure, unit: its number, if it has one. strip: its place among all others."""

    title: str
    sentences: tuple[str, ...]
    state: EvidenceState | None = None
    figure: str = ""
    unit: str = ""
    strip: Strip | None = None


@dataclass(frozen=True)
class EvidenceSection:
    """A section of the case page.

    key: its id on the page. note: a sentence beside the title. empty: what is said without rows.
    n_others: how many people the strips show; None without strips.
    """

    key: str
    title: str
    rows: tuple[EvidenceRow, ...]
    note: str = ""
    empty: str = ""
    n_others: int | None = None


STATES = {
    "flagged": EvidenceState("bad", "cross", "Flagged"),
    "listed": EvidenceState("warn", "flag", "Listed"),
    "flagged_before": EvidenceState("warn", "flag", "Flagged before"),
    "listed_before": EvidenceState("", "flag", "Listed before"),
    "passed": EvidenceState("good", "check", "Passed"),
    "little": EvidenceState("", "info", "Too little to tell"),
}


def sections(look: Look, case: Case) -> list[EvidenceSection]:
    """Return the sections in the order in which the page shows them."""
    return [screens(look, case)]


def screens(look: Look, case: Case) -> EvidenceSection:
    """Return what each screen found, with this annotator's place among all others."""
    told = words_told(look, fired=_fired(case))
    return EvidenceSection(
        key="screens",
        title="Screens",
        rows=tuple(map(_of_screen, told)),
        empty=_no_screens(look, case),
        n_others=max((len(one.others) for one in look.screens), default=0),
    )


def _fired(case: Case) -> dict[str, bool]:
    """Return the screens that have flagged, and whether that paused the person."""
    paused = {flag.screen for flag in case.flags if flag.pauses}
    return {flag.screen: flag.screen in paused for flag in case.flags}


def _of_screen(one: Told) -> EvidenceRow:
    sentences = (one.detail, one.limit, f"n\u00a0=\u00a0{count(one.n)}.")
    return EvidenceRow(one.title, sentences, STATES[one.state], one.big, one.unit, one.strip)


def _no_screens(look: Look, case: Case) -> str:
    if look.awaited:
        return (
            "The screens have not looked at this work yet. They do so within a minute or two; "
            "reload the page then."
        )
    why = "it was not done on a page" if case.judgments else "there is no judgment yet"
    return f"No screen looks at this work: {why}."
