"""How many slots of a campaign are held, free and judged, and by how many people."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from annotate.models import Assignment, Campaign, CampaignTotals, Slot, System
from annotate.selectors.bulk import Ints
from annotate.selectors.campaigns import slots
from annotate.selectors.pay import accounts, tallies

Status = Assignment.Status
People = tuple[Ints, Ints]  # annotators, and how many tasks each has
NUMBER = IntegerField()


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
    """Return the counts of a campaign in one statement, hence of one moment."""
    held_slots = Slot.objects.filter(campaign=OuterRef("pk"), assignment__isnull=False)
    open_now = Q(assignment__status=Status.LEASED) | Q(assignment__status=Status.SUBMITTED)
    running = Slot.objects.filter(open_now, campaign=OuterRef("pk"))
    running = running.filter(assignment__campaign=OuterRef("pk"))  # by the indexes of open ones
    judged = Slot.objects.filter(output=OuterRef("output"), assignment__status=Status.VERIFIED)
    mine = Campaign.objects.filter(pk=campaign_id).order_by()
    row = mine.annotate(
        n_outputs=_number(held_slots, Count("output", distinct=True)),
        n_running=_number(running, Count("pk")),
        n_unjudged=_number(running.filter(~Exists(judged)), Count("output", distinct=True)),
    ).select_related("totals")
    found: Any = row.get()
    return CampaignCounts(
        planned=found.planned,
        outputs=found.planned_outputs,
        twice=found.planned_twice,
        held=found.totals.held,
        running=found.n_running,
        judged_outputs=found.n_outputs - found.n_unjudged,
        spent=accounts.in_cents(found.totals.spent),
    )


def _number(rows: Any, how: Count) -> Coalesce:
    counted = rows.order_by().values("campaign").annotate(n=how).values("n")
    return Coalesce(Subquery(counted, output_field=NUMBER), 0)


def held(campaign_id: int) -> int:
    """Return how many slots are leased or judged."""
    return CampaignTotals.objects.values_list("held", flat=True).get(campaign=campaign_id)


def missing(campaign_id: int, *, free: int | None = None) -> int:
    """Return how many slots can still be leased: free ones that some system still needs.

    free: how many are free, where it is known.
    """
    if free is None:
        free = Campaign.objects.values_list("planned", flat=True).get(pk=campaign_id)
        free -= held(campaign_id)
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
