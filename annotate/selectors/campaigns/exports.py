"""The contents of an export, row by row: texts, judgments and decisions of a campaign.

The number of queries is constant. Memory is constant except for a few numbers per judgment and
output. Annotators appear by pseudonym only.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Case, Exists, Max, Min, OuterRef, Q, Sum, Value, When
from numpy.typing import NDArray

from annotate.instruments import highlights
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Campaign,
    Exclusion,
    Flag,
    Item,
    Judgment,
    Output,
    Review,
    Score,
    Slot,
)
from annotate.selectors import amendments, bulk
from annotate.selectors.campaigns import counting as evidence
from annotate.selectors.campaigns import screen_settings
from annotate.selectors.campaigns.counting import SystemStanding
from annotate.selectors.studies import instruments
from annotate.selectors.studies.page_orders import PageOrders

CHUNK, ANSWERS, TEXTS = 1000, 200, 50  # rows at once: of numbers, with answers, with long texts
COUNTS, EXCLUDED, SUPERSEDED = 1, 2, 4
FACTS = (
    *("pk", "output", "output__item__key", "output__item__position", "output__item__group"),
    "annotator__pseudonym",
    *("submitted_at", "elapsed_seconds", "active_seconds"),
    *("instrument", "instrument_version", "supersedes"),
)

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Moment:
    """The changeable part of a campaign, read at one moment.

    All other rows are only added, so what existed at this moment can be read afterwards.
    judgment, annotator: (T,) the judgments so far, ids ascending, and their annotators.
    state: (T,) `COUNTS` where the judgment holds a slot and is verified, plus `EXCLUDED` where it
        is excluded; `SUPERSEDED` where a correction has taken its place.
    output, team: (N,) outputs, ids ascending, and the index in `teams` of who wrote each.
    amendments: what was changed in the settings of the screens, the oldest first.
    """

    campaign: Campaign
    amendments: tuple[amendments.Amendment, ...]
    judgment: Ints
    annotator: Ints
    state: Ints
    output: Ints
    team: Ints
    teams: tuple[tuple[SystemStanding, ...], ...]

    @property
    def last(self) -> int:
        """Return the id of the last judgment; 0 if there is none."""
        return int(self.judgment[-1]) if self.judgment.size else 0

    def of(self, judgment_id: int) -> tuple[int, int] | None:
        """Return a judgment's annotator and state; None: stored later under an earlier id."""
        place = int(self.judgment.searchsorted(judgment_id))
        known = place < self.judgment.size and self.judgment[place] == judgment_id
        return (int(self.annotator[place]), int(self.state[place])) if known else None

    def authors(self, output_id: int) -> tuple[SystemStanding, ...]:
        """Return the systems that wrote this output."""
        return self.teams[self.team[self.output.searchsorted(output_id)]]


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One judgment with all its answers. position: of its item, in the order of leasing.

    supersedes: the judgment that it corrects. superseded: a later one has taken its place; it does
    not count, and has no scores. page: the outputs side by side on this annotator's page, in order.
    """

    id: int
    output: int
    item: str
    position: int
    group: str
    annotator: str
    submitted_at: datetime
    elapsed_seconds: float
    active_seconds: float | None
    instrument: str
    instrument_version: str
    supersedes: int | None
    systems: tuple[SystemStanding, ...]
    response: dict[str, Any]
    highlights: list[dict[str, Any]]
    scores: dict[str, float]
    counts: bool
    excluded: bool
    superseded: bool
    page: tuple[int, ...] | None

    def enters(self, system: SystemStanding) -> bool:
        """Return whether it enters this system's estimates: it counts, before the system's stop."""
        stop = system.stop_position
        return self.counts and (stop is None or self.position < stop)


@dataclass(frozen=True)
class PersonRow:
    """One annotator of a campaign, by pseudonym, with their contributions."""

    annotator: str
    judgments: int
    counting: int
    excluded: int
    first_at: datetime
    last_at: datetime
    active_seconds: float | None
    review: str  # "" where there is no flag and no review
    screens: tuple[str, ...]


@dataclass(frozen=True)
class ExcludedRow:
    """An excluded judgment, and when it was restored, if it was."""

    judgment: int
    annotator: str
    reason: str
    excluded_at: datetime
    restored_at: datetime | None


def moment(campaign_id: int) -> Moment:
    """Return the state that the other functions read by; six queries."""
    campaign = Campaign.objects.get(pk=campaign_id)
    amended = amendments.logged(campaign_id, screen_settings.AMENDED)[::-1]
    judgment, annotator, state = _judged(campaign_id)
    output, team, teams = _teams(campaign_id)
    return Moment(campaign, amended, judgment, annotator, state, output, team, teams)


def judgments(now: Moment, *, answers: bool = True) -> Iterator[JudgmentRow]:
    """Yield the judgments in order of arrival; without `answers`, the answers are not read."""
    instrument = instruments.of(now.campaign)
    with_texts = answers and highlights.are_taken(instrument)
    orders = PageOrders(now.campaign.pk) if answers and instrument.shows_others else None
    scores = _Scores(now)
    for row in _rows(now, answers=answers, with_texts=with_texts):
        *facts, response, text, paragraphs = row
        pk, output = facts[:2]
        if (known := now.of(pk)) is None:
            continue
        who, state = known
        found = highlights.marked(response, text=text, paragraphs=paragraphs) if with_texts else []
        states = (bool(state & one) for one in (COUNTS, EXCLUDED, SUPERSEDED))
        page = orders and orders.of(who, output)
        more = (now.authors(output), response, found, scores.of(pk), *states, page)
        yield JudgmentRow(*(*facts, *more))


def items(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the systems' inputs, in the order in which they are judged."""
    rows = Item.objects.filter(campaign=now.campaign).order_by("position")
    names = ("key", "position", "group", "input", "paragraphs", "reference")
    for row in rows.values_list(*names).iterator(chunk_size=TEXTS):
        yield dict(zip(("item", *names[1:]), row, strict=True))


def outputs(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the outputs. Identical texts for one item are one output of several systems."""
    rows = Output.objects.filter(campaign=now.campaign).order_by("pk")
    chosen = rows.values_list("pk", "item__key", "text", "words")
    for pk, item, text, words in chosen.iterator(chunk_size=TEXTS):
        names = [system.name for system in now.authors(pk)]
        yield {"output": pk, "item": item, "systems": names, "text": text, "words": words}


def people(now: Moment) -> Iterator[PersonRow]:
    """Yield the annotators in the order of their entry; four queries."""
    mine = Judgment.objects.filter(campaign=now.campaign)
    judges = Annotator.objects.filter(pk__in=mine.values("annotator"))
    known = dict(judges.values_list("pk", "pseudonym"))
    reviews = dict(Review.objects.filter(campaign=now.campaign).values_list("annotator", "status"))
    screens: dict[int, list[str]] = defaultdict(list)
    flags = Flag.objects.filter(review__campaign=now.campaign).order_by("pk")
    for who, screen in flags.values_list("review__annotator", "screen"):
        screens[who].append(screen)
    times = mine.filter(pk__lte=now.last).order_by()
    rows = times.values_list("annotator").annotate(
        first=Min("submitted_at"), last=Max("submitted_at"), active=Sum("active_seconds")
    )
    work = _work_by_person(now)
    for who, first, last, active in rows.order_by("first", "annotator"):
        if who not in work:
            continue
        more = (reviews.get(who, ""), tuple(screens[who]))
        yield PersonRow(known[who], *work[who], first, last, active, *more)


def exclusions(now: Moment) -> Iterator[ExcludedRow]:
    """Yield the exclusions and restorations, in their order."""
    rows = Exclusion.objects.filter(judgment__campaign=now.campaign).order_by("pk")
    chosen = rows.values_list(
        "judgment", "judgment__annotator__pseudonym", "ruling__reason", "ruling__at", "restored_at"
    )
    for row in chosen.iterator(chunk_size=CHUNK):
        yield ExcludedRow(*row)


def _work_by_person(now: Moment) -> dict[int, tuple[int, int, int]]:
    """Return how many judgments each annotator made, how many count, how many are excluded."""
    current = now.state & SUPERSEDED == 0
    state = now.state[current]
    people, who = np.unique(now.annotator[current], return_inverse=True)
    kinds = (None, state & COUNTS > 0, state & EXCLUDED > 0)
    columns = [np.bincount(who, kind, people.size).astype(int).tolist() for kind in kinds]
    return dict(zip(people.tolist(), zip(*columns, strict=True), strict=True))


def _judged(campaign_id: int) -> tuple[Ints, Ints, Ints]:
    counting = Slot.objects.filter(
        assignment=OuterRef("assignment"), assignment__status=Assignment.Status.VERIFIED
    )
    out = Exclusion.objects.filter(judgment=OuterRef("pk"), restored_at=None)
    superseded = Q(superseded_at__isnull=False)
    rows = Judgment.every.filter(campaign=campaign_id).annotate(
        state=_if(Q(Exists(counting)) & ~superseded, COUNTS)
        + _if(Q(Exists(out)), EXCLUDED)
        + _if(superseded, SUPERSEDED)
    )
    ids, annotator, state = bulk.columns(rows.order_by("pk"), id="i8", annotator="i8", state="i4")
    return ids, annotator, state


def _if(condition: Q, value: int) -> Case:
    return Case(When(condition, then=Value(value)), default=Value(0))


def _teams(campaign_id: int) -> tuple[Ints, Ints, tuple[tuple[SystemStanding, ...], ...]]:
    """Return the sets of systems that wrote outputs, and each output's set: there are few sets."""
    standing = {one.system_id: one for one in evidence.standings(campaign_id)}
    rows = Authorship.objects.filter(system__campaign=campaign_id).order_by("output", "system")
    author = bulk.columns(rows, output="i8", system="i8")
    outputs = np.unique(author[0])
    number: dict[tuple[int, ...], int] = {}
    wrote = groupby(zip(*author, strict=True), key=itemgetter(0))
    found = (
        number.setdefault(tuple(int(system) for _, system in systems), len(number))
        for _, systems in wrote
    )
    team = np.fromiter(found, np.int64, outputs.size)
    return outputs, team, tuple(tuple(standing[system] for system in one) for one in number)


def _rows(now: Moment, *, answers: bool, with_texts: bool) -> Iterator[tuple[Any, ...]]:
    """Yield the judgments' columns; texts are read only for judgments with highlights."""
    rows = Judgment.every.filter(campaign=now.campaign, pk__lte=now.last).order_by("pk")
    more = ("response", "output__text", "output__item__paragraphs")[: answers + 2 * with_texts]
    none: tuple[Any, ...] = ({}, "", ())[len(more) :]
    size = TEXTS if with_texts else ANSWERS if answers else CHUNK
    found = rows.values_list(*FACTS, *more).iterator(chunk_size=size)
    return ((*row, *none) for row in found)


class _Scores:
    """The scores of judgments, read in the order of the judgments."""

    def __init__(self, now: Moment) -> None:
        mine = Score.of(now.campaign.pk).filter(judgment__lte=now.last)
        rows = mine.order_by("judgment", "pk").values_list("judgment", "criterion", "value")
        self._groups = groupby(rows.iterator(chunk_size=4 * CHUNK), key=itemgetter(0))
        self._next: tuple[int, dict[str, float]] | None = self._read()

    def of(self, judgment: int) -> dict[str, float]:
        """Return {criterion: score}; empty where they are not computed yet."""
        while self._next is not None and self._next[0] < judgment:
            self._next = self._read()
        if self._next is None or self._next[0] != judgment:
            return {}
        return self._next[1]

    def _read(self) -> tuple[int, dict[str, float]] | None:
        judgment, rows = next(self._groups, (0, ()))
        return (judgment, {name: value for _, name, value in rows}) if judgment else None
