"""Paying by hand: lists of what is due, the mark that they were paid, extra pay.

Preparing, marking and refusing all lock the campaign's row, so they run one after the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce

from annotate.campaigns import totals
from annotate.common import audit, locks
from annotate.common import lists as common_lists
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.lists import FixedOrder, Listing
from annotate.common.numbers import money_text
from annotate.crowds import adapters
from annotate.crowds.prices import CENT, ZERO
from annotate.models import Campaign, LedgerEntry, Participation, Payout, PayoutList
from annotate.pay import budget, settling, tallies


@dataclass(frozen=True)
class PayoutLine:
    """One participation's line in a list, with what is recorded of its payment."""

    participation: int
    pseudonym: str
    external_id: str
    amount: Decimal
    state: str  # "" before it is marked, then "paid" or "undone"


def lists_of(campaign_id: int) -> QuerySet[Any]:
    """Select the lists of a campaign without their lines, with what became of them.

    marked_at, marked_by: None and "" before that. paid: marked as paid, and not undone since.
    undone: how many people.
    """
    lists = PayoutList.objects.filter(campaign=campaign_id).select_related("actor").defer("rows")
    given = Q(payouts__amount__gt=0)
    found: QuerySet[Any] = lists.annotate(
        marked_at=Min("payouts__at"),
        marked_by=Coalesce(Min("payouts__actor__username", filter=given), Value("")),
        paid=Coalesce(Sum("payouts__amount"), ZERO, output_field=tallies.MONEY),
        undone=Count("payouts", filter=Q(payouts__amount__lt=0)),
    )
    return found


def summaries(campaign_id: int, listing: Listing) -> tuple[Listing, list[Any]]:
    """Return a page of the lists of a campaign, the newest first (`lists_of`); two queries."""
    return common_lists.page_beside(lists_of(campaign_id), ("-pk",), listing)


def summary(campaign: Campaign, public_id: str) -> Any:
    """Return a list of this campaign (`lists_of`); raises `NotFound` for any other."""
    found = lists_of(campaign.pk).filter(public_id=public_id).first()
    if found is None:
        raise NotFound("There is no such pay-out list in this campaign.")
    return found


def lines_page(found: PayoutList, listing: Listing) -> tuple[Listing, list[PayoutLine]]:
    """Return a page of the lines of a list.

    `listing` may search for a pseudonym, a name or a code. Always the same number of queries.
    """
    rows = PayoutList.objects.values_list("rows", flat=True).get(pk=found.pk)
    every = np.array([participation for participation, _amount in rows], dtype=np.int64)
    kept = np.ones(every.size, dtype=bool)
    if words := listing.search:
        meant = Q(annotator__pseudonym__icontains=words)
        meant |= Q(annotator__external_id__icontains=words)
        mine = Participation.objects.filter(meant, campaign=found.campaign_id)
        kept = np.isin(every, list(mine.values_list("pk", flat=True)))
    listing, part = common_lists.cut(FixedOrder(every, kept), listing)
    shown = [rows[at] for at in np.flatnonzero(kept)[part]]
    ids = [participation for participation, _amount in shown]
    payouts = Payout.objects.filter(listed=found, participation__in=ids)
    return listing, _lines(shown, Participation.objects.filter(pk__in=ids), payouts)


def lines(found: PayoutList) -> list[PayoutLine]:
    """Return all lines of a list, for its file."""
    rows = PayoutList.objects.values_list("rows", flat=True).get(pk=found.pk)
    people = Participation.objects.filter(campaign=found.campaign_id)
    return _lines(rows, people, Payout.objects.filter(listed=found))


def _lines(
    rows: list[tuple[int, str]], people: QuerySet[Participation], payouts: QuerySet[Payout]
) -> list[PayoutLine]:
    names = {
        pk: (pseudonym, name)
        for pk, pseudonym, name in people.values_list(
            "pk", "annotator__pseudonym", "annotator__external_id"
        )
    }
    states = {
        one.participation_id: "paid" if one.amount > 0 else "undone"
        for one in payouts.order_by("pk")
    }
    return [PayoutLine(pk, *names[pk], Decimal(amount), states.get(pk, "")) for pk, amount in rows]


LONGEST = 500
AT_ONCE = 2000  # rows in one statement


def prepare(campaign_id: int, *, actor_id: int) -> PayoutList:
    """Make a list of what is due now, and return it.

    Returns the existing list if it is not marked and nothing has changed since. Raises `Conflict`
    where nothing is due, or where the crowd pays people.
    """
    with transaction.atomic():
        _require_by_hand(locks.campaign(campaign_id))
        due = [
            [one.pk, str(one.due)]
            for one in tallies.accounts_of_campaign(campaign_id).filter(due__gt=0)
        ]
        if not due:
            raise Conflict("Nothing is due: everybody is paid.")
        seen, last = _last_payout(campaign_id), _last_list(campaign_id)
        if last is not None and (last.rows, last.seen) == (due, seen):
            return last
        made = PayoutList.objects.create(
            campaign_id=campaign_id,
            rows=due,
            people=len(due),
            amount=_total(due),
            seen=seen,
            actor_id=actor_id,
        )
        audit.record(
            "payout_list",
            campaign_id=campaign_id,
            actor_id=actor_id,
            subject=f"list:{made.public_id}",
            amount=str(_total(due)),
            people=len(due),
        )
    return made


def mark_paid(list_id: int, *, actor_id: int) -> int:
    """Record that every line of a list was paid; return how many, 0 if it was marked before.

    Raises `Conflict` where something was paid, refused or undone since the list was made. Nothing
    is recorded then, so the record always agrees with the list.
    """
    found = _get(list_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        if found.payouts.exists():
            return 0
        _check_current(found)
        Payout.objects.bulk_create(
            (
                Payout(
                    participation_id=participation_id,
                    listed=found,
                    amount=Decimal(amount),
                    key=f"list:{found.pk}:{participation_id}",
                    actor_id=actor_id,
                )
                for participation_id, amount in found.rows
            ),
            batch_size=AT_ONCE,
        )
        audit.record(
            "paid_out",
            campaign_id=found.campaign_id,
            actor_id=actor_id,
            subject=f"list:{found.public_id}",
            amount=str(_total(found.rows)),
            people=len(found.rows),
        )
    return len(found.rows)


def undo(list_id: int, pseudonyms: Iterable[str], *, actor_id: int, reason: str) -> int:
    """Undo the mark for these people, so that their pay is due again; return how many.

    Raises `Invalid` without a reason or people, and `Conflict` where one of them is not marked as
    paid.
    """
    reason, names = reason.strip(), sorted(set(pseudonyms))
    _check_undo(reason, names)
    found = _get(list_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        paid = found.payouts.filter(amount__gt=0, participation__annotator__pseudonym__in=names)
        undone = [_undo(payout, actor_id) for payout in paid.order_by("pk")]
        if len(undone) < len(names):
            raise Conflict("Some of these annotators are not marked as paid by this list.")
        audit.record(
            "payout_undone",
            campaign_id=found.campaign_id,
            actor_id=actor_id,
            subject=f"list:{found.public_id}",
            reason=reason,
            people=names,
            amount=str(sum(undone, Decimal(0))),
        )
    return len(undone)


def paid_by(campaign: Campaign) -> str:
    """Return the label of the crowd that pays these annotators; "" where they are paid by hand."""
    return adapters.crowd_label(campaign.crowd) if adapters.publishes(campaign.crowd) else ""


def _require_by_hand(campaign: Campaign) -> None:
    if crowd := paid_by(campaign):
        raise Conflict(
            f"People of this campaign are paid through {crowd}: their work is approved there, and "
            "everything beside its reward is paid as a bonus. A list to pay by hand would pay them "
            "twice.",
            code="marketplace",
        )


def _check_undo(reason: str, names: list[str]) -> None:
    errors = {}
    if not 1 <= len(reason) <= LONGEST:
        errors["reason"] = f"Say why, in at most {LONGEST} characters: it goes into the log."
    if not names:
        errors["annotators"] = "Choose who was not paid after all."
    if errors:
        raise Invalid(errors)


def _undo(payout: Payout, actor_id: int) -> Decimal:
    key = f"undo:{payout.pk}"
    if Payout.objects.filter(key=key).exists():
        raise Conflict("This mark has been taken back already.")
    Payout.objects.create(
        participation_id=payout.participation_id,
        listed_id=payout.listed_id,
        amount=-payout.amount,
        key=key,
        actor_id=actor_id,
    )
    return payout.amount


def _check_current(found: PayoutList) -> None:
    """Raise `Conflict` unless every line is still due and none was paid meanwhile."""
    listed = {participation_id for participation_id, _amount in found.rows}
    later = Payout.objects.filter(participation__campaign=found.campaign_id, pk__gt=found.seen)
    if not listed.isdisjoint(later.values_list("participation", flat=True)):
        raise Conflict(
            "Another list with the same people has been marked since this one was made. Nothing "
            "was recorded. Make a new list: it holds what is still due."
        )
    due = {one.pk: one.due for one in tallies.accounts_of_campaign(found.campaign_id)}
    if any(due[participation_id] < Decimal(amount) for participation_id, amount in found.rows):
        raise Conflict(
            "Pay of an annotator on this list has been refused since it was made. Nothing was "
            "recorded. Make a new list: it holds what is due now."
        )


def _get(list_id: int) -> PayoutList:
    try:
        return PayoutList.objects.get(pk=list_id)
    except PayoutList.DoesNotExist:
        raise NotFound("There is no such pay-out list.") from None


def _last_payout(campaign_id: int) -> int:
    mine = Payout.objects.filter(participation__campaign=campaign_id)
    return mine.order_by("-pk").values_list("pk", flat=True).first() or 0


def _last_list(campaign_id: int) -> PayoutList | None:
    return PayoutList.objects.filter(campaign=campaign_id).order_by("-pk").first()


def _total(rows: list[list[object]]) -> Decimal:
    return sum((Decimal(str(amount)) for _participation, amount in rows), Decimal(0))


# Pay that a researcher gives by hand: a bonus or a compensation.


Kind = LedgerEntry.Kind
KINDS = (Kind.BONUS, Kind.COMPENSATION)
LARGEST = Decimal(1000)  # limits the cost of a typing mistake
LONGEST_KEY = 40


@dataclass(frozen=True)
class Gift:
    """Who is given what, and why. The annotator reads the reason.

    key: names this gift, so that a repeated request pays nothing more.
    """

    kind: Kind
    pseudonym: str
    amount: Decimal
    reason: str
    key: str


@dataclass(frozen=True)
class GiftReceipt:
    """The result: `already` is true where this key had paid before."""

    entry: int
    amount: Decimal
    fee: Decimal
    beyond_budget: Decimal
    already: bool


def give(
    campaign_id: int, gift: Gift, *, actor_id: int, beyond_budget: bool = False
) -> GiftReceipt:
    """Add the gift to the ledger, once for each key.

    Raises `Invalid` for an impossible amount or reason, `NotFound` for a person who is not in the
    campaign, and `Conflict` where the key was used for another gift, or where the gift exceeds the
    budget and `beyond_budget` is not set.
    """
    _check(gift)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        participation = _to(campaign, gift.pseudonym)
        if given := LedgerEntry.objects.filter(key=_key(campaign, gift)).first():
            return _again(given, participation, gift)
        each, before = budget.tariff(campaign).bonus(gift.amount), budget.excess(campaign)
        entry = LedgerEntry.objects.create(
            campaign=campaign,
            participation=participation,
            kind=gift.kind,
            amount=each.reward,
            fee=each.fee,
            key=_key(campaign, gift),
            reason=gift.reason.strip(),
        )
        totals.spend(entry)
        excess = budget.ask(campaign, before=before, beyond_budget=beyond_budget)
        audit.record(
            gift.kind.value,
            campaign_id=campaign.pk,
            actor_id=actor_id,
            subject=f"annotator:{participation.annotator_id}",
            reason=gift.reason.strip(),
            amount=str(each.reward),
            fee=str(each.fee),
            beyond_budget=str(excess),
        )
        settling.settle_person(campaign.pk, participation.annotator_id)  # paid as a bonus there
    return GiftReceipt(entry.pk, each.reward, each.fee, excess, already=False)


def _check(gift: Gift) -> None:
    errors = {}
    amount, reason = gift.amount, gift.reason.strip()
    if gift.kind not in KINDS:
        errors["kind"] = "Give a bonus or a compensation."
    if not amount.is_finite() or not 0 < amount <= LARGEST or amount != round(amount, 2):
        errors["amount"] = (
            f"Give an amount from {money_text(CENT)} to {money_text(LARGEST)}, in whole cents."
        )
    if not 1 <= len(reason) <= LONGEST or "\0" in reason:
        errors["reason"] = f"Say what it is for, in at most {LONGEST} characters."
    if not 1 <= len(gift.key) <= LONGEST_KEY or "\0" in gift.key:
        errors["key"] = f"A key has 1 to {LONGEST_KEY} characters."
    if errors:
        raise Invalid(errors)


def _to(campaign: Campaign, pseudonym: str) -> Participation:
    mine = Participation.objects.filter(campaign=campaign, annotator__pseudonym=pseudonym)
    found = mine.order_by("-pk").first()
    if found is None:
        raise NotFound("No annotator with this pseudonym has entered the campaign.")
    return found


def _key(campaign: Campaign, gift: Gift) -> str:
    return f"by-hand:{campaign.pk}:{gift.key}"


def _again(before: LedgerEntry, participation: Participation, gift: Gift) -> GiftReceipt:
    same = (before.participation_id, before.kind, before.amount) == (
        participation.pk,
        gift.kind,
        gift.amount,
    )
    if not same:
        raise Conflict("This key has been used for another payment. Nothing was given.")
    return GiftReceipt(before.pk, before.amount, before.fee, Decimal(0), already=True)
