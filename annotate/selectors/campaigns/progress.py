"""The progress of a campaign and its annotators, and the signs of current work, as plain rows."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Case, Count, Max, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import (
    Assignment,
    Authorship,
    Campaign,
    ChangeMark,
    Judgment,
    Participation,
    Score,
    Slot,
    System,
)
from annotate.selectors.campaigns import slot_counts
from annotate.selectors.campaigns.slot_counts import People

ZERO = timedelta(0)
FIRST = 1000  # held slots: where the first items of each system are looked for
LATE = timedelta(minutes=1)  # a change that has waited for so long is told: estimates take seconds
SEEN = timedelta(minutes=15)  # a page in use sends a sign every minute
# The precision of a silence's length: these steps, from these lengths on.
STEPS = (
    (timedelta(days=2), timedelta(days=1)),
    (timedelta(hours=2), timedelta(hours=1)),
    (ZERO, timedelta(minutes=15)),
)


@dataclass(frozen=True)
class Liveness:
    """The signs of current work. Times are rounded down (`since`), so equal values mean no change.

    leases: open and unexpired ones.
    active: those whose page was in use within `SEEN`.
    first_end: when the first lease ends, if none is active.
    silence: time since the last judgment, lease, page use or entry; None if there was none.
    judged_ago: time since the last judgment.
    behind: how long a change has waited for new estimates; zero within `LATE`.
    """

    leases: int = 0
    active: int = 0
    first_end: datetime | None = None
    silence: timedelta | None = None
    judged_ago: timedelta | None = None
    behind: timedelta = ZERO


def since(at: datetime | None, now: datetime) -> timedelta | None:
    """Return how long ago `at` was, rounded down to steps that grow with it."""
    if at is None:
        return None
    passed = max(ZERO, now - at)
    step = next(step for least, step in STEPS if passed >= least)
    return passed - passed % step


def liveness(campaign_id: int, *, lease_minutes: int) -> Liveness:
    """Return the signs of current work; two queries."""
    now, length = timezone.now(), timedelta(minutes=lease_minutes)
    judged, came, marked = _last(campaign_id)
    leases = _leases(campaign_id, now, length)
    # Using a page moves its lease's end to a full length from that moment.
    used = leases["end"] - length if leases["end"] else None
    signs = [at for at in (judged, came, leases["taken"], used) if at is not None]
    return Liveness(
        leases=leases["n"],
        active=leases["active"],
        first_end=None if leases["active"] else leases["first"],
        silence=since(max(signs, default=None), now),
        judged_ago=since(judged, now),
        behind=_behind(marked, now),
    )


def late_marks() -> QuerySet[ChangeMark]:
    """Select the changes that no estimate has taken up in time: probably no worker runs."""
    return ChangeMark.objects.filter(at__lt=timezone.now() - LATE)


def _behind(marked: datetime | None, now: datetime) -> timedelta:
    passed = ZERO if marked is None else max(ZERO, now - marked)
    return since(marked, now) or passed - passed % LATE


def _last(campaign_id: int) -> tuple[datetime | None, datetime | None, datetime | None]:
    """Return when the last judgment was submitted, when the last person came, and the oldest mark.

    The first two are the last ones stored: the last in time, within a moment. Asked for through
    the campaign, the database looks into its index, and not from the end of all rows.
    """
    judgments = Judgment.objects.filter(campaign=OuterRef("pk")).order_by("-pk")
    people = Participation.objects.filter(campaign=OuterRef("pk")).order_by("-pk")
    marks = ChangeMark.objects.filter(campaign=OuterRef("pk"))
    rows = Campaign.objects.filter(pk=campaign_id).annotate(
        judged=Subquery(judgments.values("submitted_at")[:1]),
        came=Subquery(people.values("entered_at")[:1]),
        marked=Subquery(marks.order_by("at").values("at")[:1]),
    )
    return rows.values_list("judged", "came", "marked").get()


def _leases(campaign_id: int, now: datetime, length: timedelta) -> dict[str, Any]:
    rows = Assignment.objects.filter(
        campaign=campaign_id, status=Assignment.Status.LEASED, expires_at__gt=now
    )
    in_use = Q(leased_at__gt=now - SEEN) | Q(expires_at__gt=now - SEEN + length)
    return rows.aggregate(
        n=Count("pk"),
        active=Count("pk", filter=in_use),
        taken=Max("leased_at"),
        end=Max("expires_at"),
        first=Min("expires_at"),
    )


def in_use(campaign: Campaign) -> tuple[int, int, datetime | None]:
    """Return what `liveness` shows of leases: how many, how many in use, the first end if none."""
    found = _leases(campaign.pk, timezone.now(), timedelta(minutes=campaign.lease_minutes))
    return found["n"], found["active"], None if found["active"] else found["first"]


@dataclass(frozen=True)
class Progress:
    """The counts of a campaign. Judgments count if they hold a slot and are verified.

    missing: slots that can still be leased.
    running: leases, and judgments that their crowd has not confirmed yet.
    doubled: outputs planned for several annotators.
    """

    outputs: int
    outputs_judged: int
    planned: int
    doubled: int
    judged: int
    missing: int
    running: int
    annotators: int
    room: int | None  # judgments that the entered annotators may still give under the cap
    spent: Decimal


class ItemCounts(NamedTuple):
    """Items of one system: those with a counting judgment, and all for which it has outputs.

    None of it is counted beyond what is enough for an estimate.
    """

    judged: int = 0
    all: int | None = None


def progress(campaign_id: int, *, cap: int | None, people: People | None = None) -> Progress:
    """Return the counts; always the same number of queries. people: as `slot_counts` says."""
    counts = slot_counts.counts(campaign_id)
    _annotators, held = people or slot_counts.by_person(campaign_id)
    return Progress(
        outputs=counts.outputs,
        outputs_judged=counts.judged_outputs,
        planned=counts.planned,
        doubled=counts.twice,
        judged=counts.judged,
        missing=slot_counts.missing(campaign_id, free=counts.free),
        running=counts.running,
        annotators=held.size,
        room=None if cap is None else int(np.maximum(0, cap - held).sum()),
        spent=counts.spent,
    )


def items(campaign_id: int, *, held: int, enough: int) -> dict[int, ItemCounts]:
    """Return how many items each system has, and how many are judged, up to `enough` of each.

    held: slots of the campaign that are leased or judged. At most four queries, and one more where
    a system has few judged items and others have many.
    """
    judged = _early_items(campaign_id)
    every = _items_of_systems(campaign_id, enough)
    if held > FIRST:
        few = [system for system in every if judged.get(system, 0) < enough]
        judged |= _judged_items(few)
    return {
        system: ItemCounts(min(enough, judged.get(system, 0)), n) for system, n in every.items()
    }


def _early_items(campaign_id: int) -> dict[int, int]:
    """Return by system how many items the first held slots have judgments of; three queries.

    Joined, Postgres would pass over the assignments of all earlier campaigns.
    """
    held = Slot.objects.filter(campaign=campaign_id, assignment__isnull=False)
    first = dict(held.order_by("assignment").values_list("assignment", "output")[:FIRST])
    verified = Assignment.objects.filter(pk__in=first, status=Assignment.Status.VERIFIED)
    outputs = {first[pk] for pk in verified.values_list("pk", flat=True)}
    rows = Authorship.objects.filter(output__in=outputs).order_by().values_list("system", "item")
    return Counter(system for system, _item in set(rows))


def _judged_items(systems: Collection[int]) -> dict[int, int]:
    wrote = Authorship.objects.filter(system__in=systems).order_by().values_list("system")
    judged = wrote.filter(output__slots__assignment__status=Assignment.Status.VERIFIED)
    return dict(judged.annotate(n=Count("item", distinct=True)))


def _items_of_systems(campaign_id: int, enough: int) -> dict[int, int]:
    mine = Authorship.objects.filter(system=OuterRef("pk")).order_by("item")
    n = mine.order_by().values("system").annotate(n=Count("pk")).values("n")
    last = Subquery(mine.values("pk")[enough - 1 : enough])
    # All of them are counted only where there are few.
    counted = Case(When(last=None, then=Coalesce(Subquery(n), 0)), default=Value(enough))
    systems = System.objects.filter(campaign=campaign_id).order_by()
    return dict(systems.annotate(last=last).values_list("pk").annotate(n=counted))


def judgments(campaign_id: int) -> Iterator[tuple[Any, ...]]:
    """Yield one row per score: item, systems, pseudonym, submitted at, criterion, score, counts."""
    wrote: dict[int, list[str]] = {}
    authors = Authorship.objects.filter(system__campaign=campaign_id).order_by("system")
    for output_id, name in authors.values_list("output", "system__name"):
        wrote.setdefault(output_id, []).append(name)
    rows = (
        Score.of(campaign_id)
        .order_by("pk")
        .values_list(
            "judgment__output",
            "judgment__output__item__key",
            "judgment__annotator__pseudonym",
            "judgment__submitted_at",
            "criterion",
            "value",
            "judgment__assignment__slot",
            "judgment__assignment__status",
        )
    )
    for output_id, item, who, at, criterion, value, slot, status in rows.iterator(chunk_size=2000):
        names = " + ".join(wrote[output_id])
        counts = slot is not None and status == Assignment.Status.VERIFIED
        yield item, names, who, at.isoformat(), criterion, value, int(counts)
