"""Lists for paying by hand, and their state."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotate.crowds.tariffs import ZERO
from annotate.errors import NotFound
from annotate.models import Campaign, Participation, Payout, PayoutList


@dataclass(frozen=True)
class PayoutLine:
    """One participation's line in a list, with what is recorded of its payment."""

    participation: int
    pseudonym: str
    external_id: str
    amount: Decimal
    state: str  # "" before it is marked, then "paid" or "undone"


@dataclass(frozen=True)
class ListedPayouts:
    """A list. It is marked as a whole, and undone line by line."""

    id: int
    public_id: str
    made_at: datetime
    made_by: str
    lines: tuple[PayoutLine, ...]
    marked_at: datetime | None
    marked_by: str

    @property
    def amount(self) -> Decimal:
        return sum((line.amount for line in self.lines), ZERO)

    @property
    def undone(self) -> int:
        return sum(line.state == "undone" for line in self.lines)

    @property
    def paid(self) -> Decimal:
        return sum((line.amount for line in self.lines if line.state == "paid"), ZERO)


def of_campaign(campaign_id: int) -> list[ListedPayouts]:
    """Return every list of a campaign, the newest first."""
    lists = list(
        PayoutList.objects.filter(campaign=campaign_id).select_related("actor").order_by("-pk")
    )
    people = dict(_people(campaign_id))
    return [_listed(one, people) for one in lists]


def get(campaign: Campaign, public_id: str) -> ListedPayouts:
    """Return a list of this campaign; raises `NotFound` for any other."""
    found = (
        PayoutList.objects.filter(campaign=campaign, public_id=public_id)
        .select_related("actor")
        .first()
    )
    if found is None:
        raise NotFound("There is no such pay-out list in this campaign.")
    return _listed(found, dict(_people(campaign.pk)))


def _people(campaign_id: int) -> list[tuple[int, tuple[str, str]]]:
    rows = Participation.objects.filter(campaign=campaign_id).values_list(
        "pk", "annotator__pseudonym", "annotator__external_id"
    )
    return [(pk, (pseudonym, name)) for pk, pseudonym, name in rows]


def _listed(found: PayoutList, people: dict[int, tuple[str, str]]) -> ListedPayouts:
    payouts = list(found.payouts.select_related("actor").order_by("pk"))
    states = {one.participation_id: "paid" if one.amount > 0 else "undone" for one in payouts}
    first = payouts[0] if payouts else None
    lines = tuple(
        PayoutLine(pk, *people[pk], Decimal(amount), states.get(pk, ""))
        for pk, amount in found.rows
    )
    return ListedPayouts(
        found.pk,
        found.public_id,
        found.at,
        found.actor.get_username(),
        lines,
        first.at if first else None,
        _name(first),
    )


def _name(payout: Payout | None) -> str:
    return payout.actor.get_username() if payout and payout.actor else ""
