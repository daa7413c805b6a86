"""The slots of a campaign: which are wanted, free or held, and who may still take them."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.common import rows as common_rows
from annotate.common.rows import Ints
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Block,
    Campaign,
    CampaignTotals,
    ChangeMark,
    Expert,
    Item,
    Judgment,
    Membership,
    Participation,
    Review,
    Slot,
    System,
)
from annotate.pay import tallies


def free(campaign_id: int) -> QuerySet[Slot]:
    """Select the free slots that some system still needs, in the order of leasing.

    Such a system has no stop position, or a later one.
    """
    author = Authorship.objects.filter(output=OuterRef("output")).filter(
        Q(system__stop_position=None) | Q(system__stop_position__gt=OuterRef("position"))
    )
    wanted = Slot.objects.filter(Exists(author), campaign=campaign_id, assignment=None)
    return wanted.order_by("position", "output_id", "number")


def tasks_of_others(annotator_id: int) -> QuerySet[Assignment]:
    """Select the tasks that other people have now, of the item of an outer query's slot."""
    leased = Assignment.objects.filter(status=Assignment.Status.LEASED)
    return leased.filter(output__item=OuterRef("output__item")).exclude(annotator=annotator_id)


def _slots_of(system_id: int, *, ranks: bool) -> QuerySet[Slot]:
    """Select the slots in which a system's outputs are judged. ranks: all texts of an item in one.

    Where texts are ranked, every system has a text in every slot.
    """
    if ranks:
        return Slot.objects.filter(campaign__systems=system_id)
    return Slot.objects.filter(output__authorships__system=system_id)


def frontier(system_id: int, *, ranks: bool) -> int:
    """Return the first position that no lease or judgment of this system has reached.

    Where items come in groups, the first one after the last group that is begun.
    """
    begun = _slots_of(system_id, ranks=ranks).filter(assignment__isnull=False)
    last = begun.aggregate(last=Max("position"))["last"]
    if last is None:
        return 0
    # A group that is begun is finished: its items are drawn together.
    item = Item.objects.filter(campaign__systems=system_id)
    begins = item.filter(position=last).values_list("group_start", flat=True).first()
    if begins is None:
        return int(last) + 1
    return int(item.filter(group_start=begins).aggregate(end=Max("position"))["end"]) + 1


def open_leases(campaign_id: int) -> int:
    """Return how many leases are running, including judgments that their crowd may confirm.

    Those of gold items bring no judgment, so nothing waits for them.
    """
    unsure = Q(status=Assignment.Status.SUBMITTED, slot__isnull=False)
    return Assignment.objects.filter(
        Q(status=Assignment.Status.LEASED) | unsure, campaign=campaign_id, gold=None
    ).count()


def unfilled(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Select those of these slots that no counting judgment holds."""
    return slots.filter(Q(assignment=None) | ~Q(assignment__status=Assignment.Status.VERIFIED))


def awaited(campaign: Campaign) -> set[int]:
    """Return the outputs that count once all named experts have judged them; of others none."""
    if not campaign.named_experts:
        return set()
    left = unfilled(Slot.objects.filter(campaign=campaign))
    return set(left.order_by().values_list("output", flat=True))


def unfinished_items(system_id: int, *, ranks: bool) -> int:
    """Return how many items before the system's stop position lack a counting judgment."""
    end = System.objects.filter(pk=system_id).values("stop_position")
    return (
        unfilled(_slots_of(system_id, ranks=ranks))
        .filter(position__lt=Subquery(end))
        .values("output")
        .distinct()
        .count()
    )


# How many slots of a campaign are held, free and judged, and by how many people.


Status = Assignment.Status
People = tuple[Ints, Ints]  # annotators, and how many tasks each has
NUMBER = IntegerField()


@dataclass(frozen=True)
class Progress:
    """The slots of a campaign, and what it has spent, in one moment.

    Judgments count if they hold a slot and are verified.
    outputs_judged: those with a judgment that counts. doubled: planned for several annotators.
    running: leases, and judgments that their crowd has not confirmed yet.
    The last three are added by `progress`: slots that can still be leased, people who judged, and
    how many judgments these may still give under the cap (None: no cap).
    """

    planned: int
    outputs: int
    doubled: int
    judged: int
    running: int
    outputs_judged: int
    spent: Decimal
    missing: int = 0
    annotators: int = 0
    room: int | None = None


def count_slots(campaign_id: int) -> Progress:
    """Return the counts of a campaign in one statement, hence of one moment."""
    held_slots = Slot.objects.filter(campaign=OuterRef("pk"), assignment__isnull=False)
    running = _running(OuterRef("pk"))
    judged = _judged_slots(OuterRef("output"))
    mine = Campaign.objects.filter(pk=campaign_id).order_by()
    row = mine.annotate(
        n_outputs=_number(held_slots, Count("output", distinct=True)),
        n_running=_number(running, Count("pk")),
        n_unjudged=_number(running.filter(~Exists(judged)), Count("output", distinct=True)),
    ).select_related("totals")
    found: Any = row.get()
    outputs_judged = found.n_outputs - found.n_unjudged
    if found.named_experts:
        outputs_judged = found.planned_outputs - len(awaited(found))
    return Progress(
        planned=found.planned,
        outputs=found.planned_outputs,
        doubled=found.planned_twice,
        judged=found.totals.held - found.n_running,
        running=found.n_running,
        outputs_judged=outputs_judged,
        spent=tallies.in_cents(found.totals.spent),
    )


def _running(campaign: Any) -> QuerySet[Slot]:
    """Select the slots of leases, and of judgments that their crowd has not confirmed yet."""
    open_now = Q(assignment__status=Status.LEASED) | Q(assignment__status=Status.SUBMITTED)
    # Both campaigns are the same one: so the indexes of open assignments are used.
    return Slot.objects.filter(open_now, campaign=campaign, assignment__campaign=campaign)


def _judged_slots(output: Any) -> QuerySet[Slot]:
    return Slot.objects.filter(output=output, assignment__status=Status.VERIFIED)


def _number(rows: Any, how: Count) -> Coalesce:
    counted = rows.order_by().values("campaign").annotate(n=how).values("n")
    return Coalesce(Subquery(counted, output_field=NUMBER), 0)


def held(campaign_id: int) -> int:
    """Return how many slots are leased or judged."""
    return CampaignTotals.objects.values_list("held", flat=True).get(campaign=campaign_id)


def missing(campaign_id: int, *, n_free: int | None = None) -> int:
    """Return how many slots can still be leased: free ones that some system still needs.

    n_free: how many are free, where it is known.
    """
    if n_free is None:
        planned = Campaign.objects.values_list("planned", flat=True).get(pk=campaign_id)
        n_free = planned - held(campaign_id)
    stopped = System.objects.filter(campaign=campaign_id, stop_position__isnull=False)
    return free(campaign_id).count() if n_free and stopped.exists() else n_free


def judged_of(campaign: str = "") -> Any:
    """Return how many judgments of a campaign count as a query expression about it.

    campaign: the field that leads to it, "" for the campaign itself. They are the held slots
    without those in progress: to count verified ones would read them all.
    """
    running = _number(_running(OuterRef(campaign or "pk")), Count("pk"))
    return F(f"{campaign}__totals__held" if campaign else "totals__held") - running


def by_person(campaign_id: int) -> People:
    """Return (A,) annotators with open or submitted tasks, and (A,) how many each has."""
    who, n = tallies.judged(campaign_id)
    mine = Assignment.objects.filter(campaign=campaign_id, gold=None).order_by()
    leased, back = Q(status=Status.LEASED), Q(status=Status.RETURNED)
    rows = mine.filter(leased | (back & Assignment.has_work()))
    sums = rows.values_list("annotator").annotate(
        n=Count("pk", filter=leased) - Count("pk", filter=back)
    )
    more = np.array(list(sums), dtype=np.int64).reshape(-1, 2).T
    people, held = tallies.added_up(np.concatenate([who, more[0]]), np.concatenate([n, more[1]]))
    return people[held > 0], held[held > 0]


# The progress of a campaign and its annotators, and the signs of current work, as plain rows.


ZERO = timedelta(0)
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
    late = ZERO if marked is None else max(ZERO, now - marked)
    signs = [at for at in (judged, came, leases["taken"], used) if at is not None]
    return Liveness(
        leases=leases["n"],
        active=leases["active"],
        first_end=None if leases["active"] else leases["first"],
        silence=since(max(signs, default=None), now),
        judged_ago=since(judged, now),
        behind=since(marked, now) or late - late % LATE,
    )


def late_marks() -> QuerySet[ChangeMark]:
    """Select the changes that no estimate has taken up in time: probably no worker runs."""
    return ChangeMark.objects.filter(at__lt=timezone.now() - LATE)


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


def progress(campaign_id: int, *, cap: int | None, people: People | None = None) -> Progress:
    """Return all counts; always the same number of queries. people: as `by_person` returns."""
    counts = count_slots(campaign_id)
    _annotators, held = people or by_person(campaign_id)
    unheld = counts.planned - counts.judged - counts.running
    return replace(
        counts,
        missing=missing(campaign_id, n_free=unheld),
        annotators=held.size,
        room=None if cap is None else int(np.maximum(0, cap - held).sum()),
    )


def items(
    campaign_id: int, *, most: int, ranks: bool, by_all: bool = False
) -> dict[int, tuple[int, int]]:
    """Return for each system how many items have a counting judgment, and how many it has.

    most: where the first are counted up to; more judged items are not looked for. ranks: one slot
    stands for all texts of an item. by_all: count only those that all named experts have judged.
    """
    wrote = Authorship.objects.filter(system=OuterRef("pk")).order_by()
    of_text = {"output__item": OuterRef("item")} if ranks else {"output": OuterRef("output")}
    slots = Slot.objects.filter(**of_text)
    is_judged = Q(Exists(slots.filter(assignment__status=Status.VERIFIED)))
    if by_all:
        is_judged &= ~Q(Exists(unfilled(slots)))
    judged = wrote.filter(is_judged).values("pk")[:most]
    every = wrote.values("system").annotate(n=Count("pk")).values("n")
    rows = System.objects.filter(campaign=campaign_id).values_list(
        "pk", ArraySubquery(judged), Coalesce(Subquery(every), 0)
    )
    return {system: (len(first), n) for system, first, n in rows}


# Who could fill the slots of a campaign that are still free.


MANY_PEOPLE = 20  # above this number of people, `_for_nobody` is not checked


@dataclass(frozen=True)
class Availability:
    """Who could fill the free slots.

    free: slots that can be leased.
    for_nobody: those of them that none of the `able` people can lease.
    came: annotators who entered, without experts who were released. Each of them is counted once:
        under_review (waits for a ruling), left_out (excluded, or blocked by an owner), at_cap (of
        the others, those at the cap of tasks per person), or able.
    """

    came: int = 0
    under_review: int = 0
    left_out: int = 0
    at_cap: int = 0
    free: int = 0
    for_nobody: int = 0

    @property
    def barred(self) -> int:
        return self.under_review + self.left_out

    @property
    def able(self) -> int:
        return self.came - self.barred - self.at_cap

    @property
    def takeable(self) -> int:
        """Return the free slots that an annotator who entered may take."""
        return self.free - self.for_nobody


def availability_of(campaign_id: int, cap: int | None, free: int, people: People) -> Availability:
    """Return who could fill the missing slots; at most six queries.

    free: how many are free. people: who has how many tasks (`slot_counts.by_person`).
    """
    released = Expert.objects.filter(campaign=campaign_id, released_at__isnull=False)
    gone = Annotator.by_name(released.values("name")).values("pk")
    entered = Participation.objects.filter(campaign=campaign_id).exclude(annotator__in=gone)
    came = np.unique(common_rows.columns(entered.order_by(), annotator="i8")[0])
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    blocked = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    who, held = people
    at_cap = who[:0] if cap is None else who[held >= cap]
    reviews = dict(Review.objects.filter(campaign=campaign_id).values_list("annotator", "status"))
    excluded = {who for who, status in reviews.items() if status == Review.Status.EXCLUDED}
    waiting = {who for who, status in reviews.items() if status == Review.Status.OPEN}
    left_out = _ids(came, excluded | set(blocked.values_list("annotator", flat=True)))
    reviewed = np.setdiff1d(_ids(came, waiting), left_out, assume_unique=True)
    barred = np.concatenate([left_out, reviewed])
    full = np.setdiff1d(_ids(came, at_cap), barred, assume_unique=True)
    able = np.setdiff1d(came, np.concatenate([barred, full]), assume_unique=True)
    return Availability(
        came=came.size,
        under_review=reviewed.size,
        left_out=left_out.size,
        at_cap=full.size,
        free=free,
        for_nobody=_for_nobody(campaign_id, set(able.tolist())) if able.size else free,
    )


def _ids(came: Ints, among: Collection[int] | Ints) -> Ints:
    """Return those of `among` who entered."""
    wanted = among if isinstance(among, np.ndarray) else np.array(sorted(among), dtype=np.int64)
    return np.intersect1d(came, wanted, assume_unique=True)


def _for_nobody(campaign_id: int, able: Collection[int]) -> int:
    """Count the free slots of outputs that all of these people have had already.

    No annotator gets an output twice. For many people it is not checked, because nearly all would
    have had to return the same outputs.
    """
    if len(able) > MANY_PEOPLE:
        return 0
    had = Assignment.objects.filter(campaign=campaign_id, annotator__in=able)
    had = had.exclude(status=Assignment.Status.EXPIRED).order_by()
    each = had.values("output").annotate(people=Count("annotator", distinct=True))
    by_all = each.filter(people=len(able)).values("output")
    return free(campaign_id).filter(output__in=by_all).count()
