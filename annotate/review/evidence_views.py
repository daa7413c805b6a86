"""Evidence as a reviewer's page shows it: strips, screens in words, judgments side by side."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.common.numbers import count, many, number, seconds, series
from annotate.common.text import DiffRun, word_diff
from annotate.instruments.base import Question
from annotate.models import Flag
from annotate.review import queries as review_queries
from annotate.review.evidence import AnnotatorWork, ComparedJudgment, Judged, Look, Screened
from annotate.review.queries import Case
from annotate.screening.base import PAUSED, ForReviewers, ScreenAxis, Verdict
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
class Strip:
    """dots: (x, y) of the others. interval: (from, to) of this annotator's, where known.

    zone: (x, width) of what lies beyond the threshold.
    """

    dots: tuple[tuple[float, float], ...]
    me: Mark | None
    interval: tuple[float, float] | None
    threshold: Mark
    zone: tuple[float, float]
    ends: tuple[Mark, Mark]
    label: str

    @property
    def diamond(self) -> str:
        assert self.me is not None
        return f"M{self.me.x - 6:.1f} 42l6-7 6 7-6 7Z"


def _x(axis: ScreenAxis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return round(EDGE + (WIDTH - 2 * EDGE) * min(1.0, max(0.0, share)), 1)


def strip(words: ForReviewers, one: Screened) -> Strip:
    """Return where this annotator stands among the others by one screen."""
    said = one.verdict
    own, low, high = (
        None if value is None else words.onto(value) for value in (said.value, said.low, said.high)
    )
    threshold = words.onto(said.threshold)
    others = [words.onto(value) for value in _drawn(one.others)]
    # One extreme value does not squeeze the plot.
    usual = sorted(others)[: max(1, round(0.98 * len(others)))]
    axis = words.axis([*usual, *([] if own is None else [own]), threshold])
    limit = _mark(_x(axis, threshold), axis.said(threshold))
    start, end = (limit.x, WIDTH - EDGE) if axis.flags_above else (EDGE, limit.x)
    return Strip(
        dots=_stacked([_x(axis, value) for value in others]),
        me=None if own is None else _mark(_x(axis, own), "this person"),
        interval=_interval(axis, low, high),
        threshold=limit,
        zone=(start, round(end - start, 1)),
        ends=_ends(axis, limit),
        label=f"{words.title}: this annotator {words.big(said)}, {words.limit(said)} "
        f"{_place(said.value, one.others)}",
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
class Bars:
    """A bar (x, y, width, height) for each judgment in its order, and the others' usual height."""

    bars: tuple[tuple[float, float, float, float], ...]
    usual: float | None
    label: str


def times(look: Look) -> Bars | None:
    """Return the active time of each judgment, beside what others usually take."""
    if not look.seconds:
        return None
    own, usual = sorted(look.seconds), look.others_seconds
    top = max(own[-1], usual or 0.0, 1e-9)
    if usual and top > 3 * usual:
        # One long break does not flatten the rest.
        top = max(3 * usual, own[len(own) // 2] * 1.5)
    room = (WIDTH - 2 * EDGE) / len(own)
    beside = f"; the others’ median is {seconds(usual)}" if usual is not None else ""
    span = seconds(own[0]) if len(own) == 1 else f"{seconds(own[0])} to {seconds(own[-1])}"
    return Bars(
        bars=tuple(_bar(i, min(1.0, value / top), room) for i, value in enumerate(look.seconds)),
        usual=None if usual is None else round(BASE - 40 * min(1.0, usual / top), 1),
        label=f"Active time of {many(len(own), 'judgment')}: {span}{beside}",
    )


def _bar(i: int, share: float, room: float) -> tuple[float, float, float, float]:
    height = max(1.0, 40 * share)
    width = max(0.5, min(14.0, room * 0.72))
    return (
        round(EDGE + i * room, 1),
        round(BASE - height, 1),
        round(width, 1),
        round(height, 1),
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
class ScreenLine:
    """One screen about one annotator. state: (kind for the colour, icon, word)."""

    title: str
    state: tuple[str, str, str]
    figure: str
    unit: str
    sentences: tuple[str, ...]
    strip: Strip


FLAGGED = ("bad", "cross", "Flagged")
LISTS = ("warn", "flag", "Listed")
FLAGGED_BEFORE = ("warn", "flag", "Flagged before")
LISTED_BEFORE = ("", "flag", "Listed before")
PASSED = ("good", "check", "Passed")
LITTLE = ("", "info", "Too little to tell")


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


def brief(said: Verdict) -> str:
    """One flag in a line: `Too fast: 13 s median active time. Flags below …`."""
    words = _words(said.screen)
    return f"{words.big(said)} {words.unit}. {words.limit(said)}"


def flags(fired: Iterable[Flag]) -> list[tuple[str, str]]:
    """Return the title and line of each sign, with its latest numbers."""
    return [
        (title(flag.screen), brief(review_queries.verdict_of(flag)))
        for flag in review_queries.signs(fired)
    ]


def screens(look: Look, case: Case) -> list[ScreenLine]:
    """Return what each screen found, with this annotator's place among all others."""
    paused = {flag.screen for flag in case.flags if flag.tier == PAUSED}
    fired = {flag.screen: flag.screen in paused for flag in case.flags}
    ordered = sorted(
        look.screens, key=lambda one: not (one.verdict.flagged or one.verdict.screen in fired)
    )
    return [_line(one, fired) for one in ordered]


def _line(one: Screened, fired: Mapping[str, bool]) -> ScreenLine:
    """Return one screen. fired: those that have flagged, and whether that paused the person."""
    verdict = one.verdict
    words = _words(verdict.screen)
    if verdict.flagged:
        state = FLAGGED if verdict.tier == PAUSED else LISTS
    elif verdict.screen in fired:
        state = FLAGGED_BEFORE if fired[verdict.screen] else LISTED_BEFORE
    else:
        state = PASSED if verdict.enough else LITTLE
    detail = "Nothing to go by yet." if verdict.value is None else words.detail(verdict)
    return ScreenLine(
        words.title,
        state,
        words.big(verdict),
        words.unit,
        (detail, words.limit(verdict), f"n\u00a0=\u00a0{count(verdict.n)}."),
        strip(words, one),
    )


def no_screens(look: Look, case: Case) -> str:
    """Return why no screen is shown."""
    if look.awaited:
        return (
            "The screens have not looked at this work yet. They do so within a minute or two; "
            "reload the page then."
        )
    why = "it was not done on a page" if case.judgments else "there is no judgment yet"
    return f"No screen looks at this work: {why}."


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


# A table of one annotator's judgments and others' on the same outputs.


CORRECTION = "correction"


@dataclass(frozen=True)
class AnswerCell:
    """One answer; `off`: no other annotator gave it."""

    column: str
    text: str
    off: bool = False


Marked = tuple[str, list[tuple[str, bool]]]  # a title, and pieces of text, highlighted or not


@dataclass(frozen=True)
class JudgeLine:
    """One judgment of an output; name is "" for the annotator under review.

    standing: as in `Judged`, or "correction" if it is the later answer.
    """

    name: str
    seconds: str
    counts: bool
    cells: tuple[AnswerCell, ...]
    diff: tuple[DiffRun, ...]
    shown: tuple[Marked, ...]
    standing: str

    @property
    def n_apart(self) -> int:
        return sum(cell.off for cell in self.cells)


def columns(work: AnnotatorWork) -> list[str]:
    headings = [question.heading for question in work.questions]
    others = [label for label, _said in work.instrument.other_answers({})]
    return [*headings, *others, *["Edit"] * work.takes_edits]


def compared(work: AnnotatorWork, page: int) -> list[tuple[ComparedJudgment, list[JudgeLine]]]:
    """Return the outputs of a page, each with all judgments of it, this annotator's first."""
    return [
        (
            one,
            [
                each
                for judged in (one.mine, *one.others)
                for each in _with_earlier(judged, one, work)
            ],
        )
        for one in work.page(page)
    ]


def _with_earlier(
    judged: Judged, one: ComparedJudgment, work: AnnotatorWork
) -> Iterable[JudgeLine]:
    """Yield a judgment, and after it what it corrects."""
    mine, earlier = judged is one.mine, one.corrected_by(judged)
    now = line(judged, one, work, mine=mine)
    yield replace(now, standing=CORRECTION) if earlier else now
    for each in earlier:
        before = line(each, one, work)
        yield replace(before, name="") if mine else before


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
        judged.standing,
    )


def _cells(
    judged: Judged, one: ComparedJudgment, work: AnnotatorWork, *, mine: bool
) -> Iterable[AnswerCell]:
    for question in work.questions:
        if question.of_paragraphs:
            yield _paragraphs(question, judged, one, mine=mine)
            continue
        said = work.instrument.said(question, judged.response)
        yield AnswerCell(question.label, said, mine and one.alone((question.name, 0)))
    for label, said in work.instrument.other_answers(judged.response):
        yield AnswerCell(label, said)
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


def _shown(judged: Judged, one: ComparedJudgment, work: AnnotatorWork) -> Iterable[Marked]:
    assert one.material is not None
    for found in work.instrument.highlights(judged.response, one.material):
        pieces, at = [], 0
        for start, end in found.spans:
            pieces += [(found.text[at:start], False), (found.text[start:end], True)]
            at = end
        pieces.append((found.text[at:], False))
        yield found.title, [piece for piece in pieces if piece[0]]
