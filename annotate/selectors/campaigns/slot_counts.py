"""How many slots of a campaign are held, free and judged, and by how many people.

Most of it is counted beforehand (`SlotTally`, `services/slot_tallies.py`; `PersonTally`). What came
since is added here, so the figures are exact however long ago that was.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from annotate.models import Assignment, Campaign, Slot, SlotTally, System
from annotate.selectors.bulk import Ints
from annotate.selectors.campaigns import slots
from annotate.selectors.pay import accounts, tallies

Status = Assignment.Status
People = tuple[Ints, Ints]  # annotators, and how many tasks each has
NUMBER = IntegerField()
PLANNED = ("planned", "planned_outputs", "planned_twice")
TALLY = {name: f"slot_tally__{name}" for name in ("upto", "held", "outputs")}
RETRIES = 5
MANY = 20_000  # slots; to count so many takes some milliseconds


@dataclass(frozen=True)
class CampaignCounts:
    """The slots of a campaign, and what it has spent, in one moment.

    outputs, judged_outputs: all, and those with a judgment that counts.
    twice: outputs planned for several annotators.
    held: leased or judged. running: the part of them that does not count yet.
    """

    planned: int
    outputs: int
    twice: int
    held: int
    running: int
    judged_outputs: int
    spent: Decimal

    @property
    def judged(self) -> int:
        return self.held - self.running

    @property
    def free(self) -> int:
        return self.planned - self.held


def counts(campaign_id: int) -> CampaignCounts:
    """Return the counts of a campaign; always the same number of queries."""
    for _attempt in range(RETRIES):
        row = _row(_tally(campaign_id), outputs=True)
        if row["is_same"]:
            break
    return CampaignCounts(
        planned=row["planned"],
        outputs=row["planned_outputs"],
        twice=row["planned_twice"],
        held=row["held"],
        running=row["n_running"],
        judged_outputs=row["n_outputs"] - row["n_unjudged"],
        spent=accounts.in_cents(row["spent"]),
    )


def held(campaign_id: int) -> int:
    """Return how many slots are leased or judged."""
    return int(_held(campaign_id)["held"])


def missing(campaign_id: int, *, free: int | None = None) -> int:
    """Return how many slots can still be leased: free ones that some system still needs.

    free: how many are free, where it is known.
    """
    if free is None:
        row = _held(campaign_id)
        free = row["planned"] - row["held"]
    if not free:
        return 0
    stops = dict(System.objects.filter(campaign=campaign_id).values_list("pk", "stop_position"))
    ends = [stop for stop in stops.values() if stop is not None]
    if not ends:
        return free
    wanted = slots.wanted_of(campaign_id, stops).filter(assignment=None).order_by()
    return (wanted if len(ends) < len(stops) else wanted.filter(position__lt=max(ends))).count()


def judged_of(campaign: str = "") -> Any:
    """Return how many judgments of a campaign count as a query expression about it.

    campaign: the field that leads to it, "" for the campaign itself. They are the planned ones
    without free slots and those in progress: to count verified ones would read them all.
    """
    mine, planned = OuterRef(campaign or "pk"), F(f"{campaign}__planned" if campaign else "planned")
    free = Slot.objects.filter(assignment=None)
    leased = Assignment.objects.filter(status=Status.LEASED)
    sent = Assignment.objects.filter(status=Status.SUBMITTED, slot__isnull=False)
    parts = [rows.filter(campaign=mine).order_by() for rows in (free, leased, sent)]
    counted = [one.values("campaign").annotate(n=Count("pk")).values("n") for one in parts]
    not_yet = [Coalesce(Subquery(one, output_field=NUMBER), 0) for one in counted]
    return planned - not_yet[0] - not_yet[1] - not_yet[2]


def is_behind(campaign_id: int) -> bool:
    """Return whether so much is still to be added up that counting it takes a second; one query."""
    tally = SlotTally.objects.filter(campaign=campaign_id).values("upto")
    newer = Slot.objects.filter(
        campaign=campaign_id, assignment__gt=Coalesce(Subquery(tally), Value(0))
    )
    return newer.order_by()[: MANY + 1].count() > MANY


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


def _held(campaign_id: int) -> dict[str, Any]:
    for _attempt in range(RETRIES):
        row = _row(_tally(campaign_id), outputs=False)
        if row["is_same"]:
            break
    return row


def _tally(campaign_id: int) -> SlotTally:
    """Read the tally, so that the database knows how few slots are newer."""
    found = SlotTally.objects.filter(campaign=campaign_id).first()
    return found or SlotTally(campaign_id=campaign_id)


def _row(tally: SlotTally, *, outputs: bool) -> dict[str, Any]:
    """Return the tally with what is newer, in one statement, and whether the tally is the same."""
    newer = _newer(tally)
    named: dict[str, Any] = {"n_newer": _number(newer)}
    if outputs:
        named |= _of_outputs(tally, newer)
    found: Any = Campaign.objects.filter(pk=tally.campaign_id).order_by().annotate(**named)
    row: dict[str, Any] = found.values(*PLANNED, *TALLY.values(), *named).get()
    kept = {name: row[column] or 0 for name, column in TALLY.items()}
    row["is_same"] = kept == {name: getattr(tally, name) for name in TALLY}
    row["held"] = kept["held"] + row["n_newer"]
    row["n_outputs"] = kept["outputs"] + row.get("n_outputs", 0)
    return row


def _of_outputs(tally: SlotTally, newer: QuerySet[Slot]) -> dict[str, Any]:
    running = _running(tally.campaign_id)
    counted = Slot.objects.filter(output=OuterRef("output"), assignment__lte=tally.upto)
    judged = Slot.objects.filter(output=OuterRef("output"), assignment__status=Status.VERIFIED)
    return {
        "n_outputs": _outputs(_without(newer, counted)),
        "n_running": _number(running),
        "n_unjudged": _outputs(_without(running, judged)),
        "spent": accounts.spent_of(),
    }


def _newer(tally: SlotTally) -> QuerySet[Slot]:
    """Select the held slots that are not in the campaign's tally."""
    rows = Slot.objects.filter(campaign=tally.campaign_id, assignment__gt=tally.upto)
    return rows.order_by()


def _running(campaign_id: int) -> QuerySet[Slot]:
    """Select the slots held by leases and by what no crowd has confirmed; an index for each."""
    open_now = Q(assignment__status=Status.LEASED) | Q(assignment__status=Status.SUBMITTED)
    return Slot.objects.filter(open_now, assignment__campaign=campaign_id)


def _without(few: QuerySet[Slot], others: QuerySet[Slot]) -> QuerySet[Slot]:
    """Select those of a few slots of whose outputs `others` has none: a look-up for each.

    As a condition (NOT EXISTS) it may be joined with all slots of the campaign.
    """
    return few.annotate(other=Subquery(others.order_by().values("pk")[:1])).filter(other=None)


def _number(rows: QuerySet[Slot]) -> Coalesce:
    return _total(rows, Count("assignment"))  # which an index of slots holds, unlike their ids


def _outputs(rows: QuerySet[Slot]) -> Coalesce:
    return _total(rows, Count("output", distinct=True))


def _total(rows: QuerySet[Slot], how: Count) -> Coalesce:
    counted = rows.order_by().values("campaign").annotate(total=how).values("total")
    return Coalesce(Subquery(counted, output_field=NUMBER), 0)
