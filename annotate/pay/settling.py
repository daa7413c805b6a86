"""Compares the fee that a crowd charges with the fee that a campaign calculates with.

It works on plain values. A crowd may know its account's own fee, as Prolific does; a campaign
calculates with one share of what people are paid.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.common import audit, intents, locks
from annotate.common.errors import Conflict
from annotate.common.numbers import money_text
from annotate.common.text import interface_language
from annotate.crowds import adapters, outbox, prices, registry
from annotate.crowds.contract import Cost, from_json
from annotate.crowds.prices import ZERO, Bill
from annotate.models import (
    Batch,
    Campaign,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    Review,
    Ruling,
    WorkTimes,
)
from annotate.models.base import CampaignStatus
from annotate.models.crowds import (
    ApprovePayload,
    BonusPayload,
    OverridePayload,
    Payload,
    RejectPayload,
)
from annotate.pay import budget, ledger, promises, tallies
from annotate.pay.ledger import PayAct, UnitAccount, UnitEntry, UnitFacts, bonus_key, decide
from annotate.pay.tallies import GIVEN

FINEST = Decimal("0.0001")


def too_low(
    label: str, said: Cost | None, bill: Bill, *, share: Decimal, told: str, currency: str
) -> str:
    """Return why a launch is refused, where the crowd charges more than calculated; "" otherwise.

    told: the fee that it charges, in words. A crowd that does not answer does not stop a launch
        (see `note`).
    """
    if said is None or said.note or said.total <= bill.total:
        return ""
    return (
        f"{label} says that this costs {money_text(said.total, currency)}. With "
        "this campaign’s fee of "
        f"{percent(share)} it would be {money_text(bill.total, currency)}: "
        "the budget would not hold. "
        f"Let the campaign calculate with {told or 'a higher fee'}."
    )


def note(label: str, said: Cost | None, bill: Bill, *, share: Decimal, currency: str) -> str:
    """Return the crowd's own figure, where it is lower or unknown; "" where both agree."""
    if said is None or (not said.note and said.total >= bill.total):
        return ""
    fee = f"the campaign’s fee of {percent(share)}, rounded for each payment"
    if said.note:
        return f"{label} did not say what it charges. The total above rests on {fee}."
    return (
        f"{label} says that it charges {money_text(said.total, currency)} in all. "
        "The total above, the "
        f"budget and the ledger rest on {fee}."
    )


def share_told(said: Cost, sample: Cost, bill: Bill, *, crowd: str) -> Decimal | None:
    """Return the fee as a share that explains what the crowd says; None where no share does.

    sample: the crowd's cost of a large amount, for which rounding to cents is negligible.
    """
    if sample.note or not sample.rewards or not bill.units:
        return None
    exact = sample.fees / sample.rewards
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        share = exact.quantize(FINEST, rounding)
        if _total(crowd, share, bill) >= said.total:
            return share
    return None


def percent(share: Decimal) -> str:
    return f"{(100 * share).normalize():f} %"


def _total(crowd: str, share: Decimal, bill: Bill) -> Decimal:
    again = prices.of_units(
        registry.tariffs_of(crowd, share),
        reward=bill.work.reward / bill.units,
        units=bill.units,
        tasks=bill.tasks,
        bonus=bill.bonuses.reward / bill.units,
    )
    return again.total


# Turns rulings and ledger rows into operations that pay at the crowd, once each.
#
# No payment is made here. Each function locks the campaign, so rulings and payments follow one
# another. An untried operation that is no longer wanted is dropped.


Status = Participation.Status
Kind = Operation.Kind
State = Operation.Status
ACTS = {PayAct.APPROVE: Kind.APPROVE, PayAct.REJECT: Kind.REJECT, PayAct.OVERRIDE: Kind.OVERRIDE}
PAYS = tuple(ACTS.values())
UNDER_WAY = (State.SENT, State.UNCLEAR)  # the call may have had its effect
NO_UNIT = "This work came by a link, so no crowd pays it: what it earned is on a pay-out list."
STANDS = ~Q(status=State.DROPPED) | Q(code=outbox.GIVEN_UP)  # a person's decision is kept


def settle(participation_id: int) -> PayAct:
    """Intend what is due for one unit, and its bonuses; return the decision about it."""
    with transaction.atomic():
        locks.campaign(
            Participation.objects.values_list("campaign_id", flat=True).get(pk=participation_id)
        )
        return _settle(_units().get(pk=participation_id))


def settle_person(campaign_id: int, annotator_id: int) -> None:
    """Settle all units of one annotator in a campaign, after their dues may have changed."""
    with transaction.atomic():
        promises.look(locks.campaign(campaign_id), annotator_id)
        for found in _units().filter(campaign=campaign_id, annotator=annotator_id).order_by("pk"):
            _settle(found)


def settle_everywhere(annotator_id: int) -> None:
    """Settle all units of one annotator: a unit may carry a bonus from another campaign."""
    mine = _units().filter(annotator=annotator_id)
    for campaign_id in mine.order_by("campaign").values_list("campaign_id", flat=True).distinct():
        settle_person(campaign_id, annotator_id)


def settle_campaign(campaign_id: int) -> None:
    """Settle the units of a campaign that may have an amount due without an operation.

    It runs often, so it reads only these of the campaign's units.
    """
    with transaction.atomic():
        promises.look_all(locks.campaign(campaign_id))
    for pk in sorted({*_ripe(campaign_id), *_owed(campaign_id)}):
        settle(pk)


def _owed(campaign_id: int) -> set[int]:
    """Return the units with something due whose people can be paid a bonus now."""
    due = {one.participation for one in tallies.accounts_of_campaign(campaign_id) if one.due > 0}
    carriers = Participation.objects.filter(status__in=Participation.LISTED).exclude(posting=None)
    units = _units().filter(campaign=campaign_id, annotator__in=carriers.values("annotator"))
    coming = Operation.objects.filter(
        campaign=campaign_id, status__in=(*Operation.NOT_HAPPENED, *UNDER_WAY)
    )
    over = units.filter(status__in=(Status.APPROVED, Status.REJECTED)).exclude(
        pk__in=coming.filter(kind__in=(*PAYS, Kind.BONUS)).values("participation")
    )
    tried = _standing(campaign_id, Kind.BONUS).values("entry")
    given = LedgerEntry.objects.filter(
        campaign=campaign_id, kind__in=(*GIVEN, LedgerEntry.Kind.COMPENSATION)
    ).exclude(pk__in=tried)
    extra = units.filter(pk__in=given.values("participation"))
    return due & {*over.values_list("pk", flat=True), *extra.values_list("pk", flat=True)}


def _standing(campaign_id: int, *kinds: Kind) -> QuerySet[Operation]:
    """Return the operations that stand and are not intended again."""
    return Operation.objects.filter(STANDS, campaign=campaign_id, kind__in=kinds)


def _ripe(campaign_id: int) -> list[int]:
    """Return the units whose time of approval has come and whose payment has not started."""
    ripe: list[int] = []
    stuck = _standing(campaign_id, *PAYS)
    for batch in Batch.objects.filter(campaign=campaign_id):
        before = timezone.now() - from_json(batch.terms).approve_after
        units = _units().filter(
            posting__batch=batch, status=Status.CONFIRMED, problem="", submitted_at__lte=before
        )
        free = units.exclude(pk__in=stuck.values("participation"))
        ripe += free.values_list("pk", flat=True)
    return ripe


def accept(participation_id: int, *, actor_id: int, beyond_budget: bool = False) -> None:
    """Pay a unit with a discrepancy, by a person's decision.

    Raises `Conflict` where no unit waits for a decision, as for work that came by a link, and where
    the campaign is beyond its budget and `beyond_budget` is not set. Unverified work is paid but
    does not count.
    """
    with transaction.atomic():
        found = _units().filter(pk=participation_id).first()
        if found is None:
            raise Conflict(NO_UNIT)
        locks.campaign(found.campaign_id)
        waiting = Participation.objects.filter(pk=participation_id, status=Status.CONFIRMED)
        if not waiting.exclude(problem="").update(problem=""):
            raise Conflict("Nothing about this work waits for a decision.")
        ledger.fill(found, reason="The whole submission is paid.")
        excess = budget.ask(found.campaign, before=ZERO, beyond_budget=beyond_budget)
        audit.record(
            "unit_accepted",
            campaign_id=found.campaign_id,
            actor_id=actor_id,
            subject=f"participation:{participation_id}",
            problem=found.problem,
            beyond_budget=str(excess),
        )
        settle(participation_id)


def _units() -> QuerySet[Participation]:
    return Participation.objects.exclude(posting=None).select_related(
        "campaign", "annotator", "posting__batch"
    )


def _settle(found: Participation) -> PayAct:
    account = ledger.account_of(found)
    review = Review.objects.filter(campaign=found.campaign_id, annotator=found.annotator_id).first()
    unit = _unit(found, account, review)
    act = decide(unit, now=timezone.now())
    if act == PayAct.OVERRIDE and _given_up(found, Kind.OVERRIDE):
        act = PayAct.BONUS
    free = _give_up_others(found, act)
    if free and act in ACTS and not _given_up(found, ACTS[act]):
        _intend(found, _told(act, review))
    handed_in = found.status in Participation.LISTED
    due = account.bonuses(handed_in=handed_in)
    if free and act == PayAct.BONUS:
        due += account.instead(paid=_paid_under(account), due=unit.due)
    _give_up_bonuses(found, due)
    for entry in due:
        _intend_bonus(found, entry)
    return act


def _unit(found: Participation, account: UnitAccount, review: Review | None) -> UnitFacts:
    assert found.posting is not None, "units belong to a posting"
    can = adapters.marketplace(found.posting.batch.crowd).can
    terms = from_json(found.posting.batch.terms)
    begin = found.submitted_at  # a rejection can be reversed for a time after the submission
    until = begin + can.override_refusal if begin and can.override_refusal else None
    return UnitFacts(
        status=Status(found.status),
        due=account.earned - _paid(found, account),
        refused=review is not None and review.pay_refused,
        in_review=review is not None and review.status == Review.Status.OPEN,
        doubt=bool(found.problem),
        approve_from=begin and begin + terms.approve_after,
        override_until=until,
    )


def _paid(found: Participation, account: UnitAccount) -> Decimal:
    """Return what the unit was paid: as a whole, or as bonuses for what its reward covers."""
    covered = [one.id for one in account.covered]
    rows = found.payouts.filter(Q(entry=None, listed=None) | Q(entry__in=covered))
    return sum(rows.values_list("amount", flat=True), ZERO)


def _paid_under(account: UnitAccount) -> set[int]:
    """Return the ledger rows of the unit for which a bonus was paid."""
    paid = Payout.objects.filter(entry__in=[one.id for one in account.covered])
    return set(paid.values_list("entry", flat=True))


def _give_up_others(found: Participation, act: PayAct) -> bool:
    """Drop operations that contradict this decision; return False while one may be under way."""
    mine = found.operations.filter(kind__in=PAYS)
    others = mine.exclude(kind=ACTS[act]) if act in ACTS else mine
    for pk in others.filter(status__in=Operation.NOT_HAPPENED).values_list("pk", flat=True):
        outbox.drop(pk)
    return not others.filter(status__in=(*UNDER_WAY, State.PENDING)).exists()


def _give_up_bonuses(found: Participation, due: list[UnitEntry]) -> None:
    """Drop bonuses whose reason is gone and that are known to be unpaid."""
    mine = found.operations.filter(kind=Kind.BONUS, status__in=Operation.NOT_HAPPENED)
    for op in mine.exclude(entry__in=[one.id for one in due]):
        outbox.drop(op.pk)


def _told(act: PayAct, review: Review | None) -> Payload:
    if act != PayAct.REJECT:
        return ApprovePayload() if act == PayAct.APPROVE else OverridePayload()
    assert review is not None, "only a ruling refuses pay"
    ruling = review.rulings.filter(act=Ruling.Act.REFUSE).order_by("-pk").first()
    return RejectPayload(reason=ruling.reason if ruling else "")


def _given_up(found: Participation, kind: Kind) -> bool:
    """Return whether a person has decided that this is not tried again."""
    return found.operations.filter(kind=kind, code=outbox.GIVEN_UP).exists()


def _intend(found: Participation, payload: Payload) -> None:
    """Intend it once; intend it again only if it was dropped before it was tried."""
    given_up = found.operations.filter(kind=payload.kind, status=State.DROPPED).count()
    _write(found, payload, key=f"{payload.kind}:{found.pk}:{given_up}")


def _intend_bonus(found: Participation, entry: UnitEntry) -> None:
    tried = Operation.objects.filter(kind=Kind.BONUS, entry=entry.id)
    if Payout.objects.filter(entry=entry.id).exists() or tried.filter(STANDS).exists():
        return
    carrier = tallies.carrier(found)
    if carrier is None:
        return  # it waits until this person submits work; their account page says so
    payload = BonusPayload(
        listing=carrier.listing,
        unit=carrier.unit,
        person=carrier.person,
        amount=entry.amount,
        reason=_reason(entry, found.campaign.language),
    )
    _write(found, payload, key=f"{bonus_key(entry.id)}:{tried.count()}", entry_id=entry.id)


def _reason(entry: UnitEntry, language: str) -> str:
    """Return the text for the annotator: a person's words, or ours in the study's language."""
    written = LedgerEntry.objects.values_list("reason", flat=True).get(pk=entry.id)
    with override(interface_language(language)):
        return written or {
            LedgerEntry.Kind.TUTORIAL: _("You have passed the tutorial. Thank you!"),
            LedgerEntry.Kind.COMPENSATION: _("For work that came too late to count. Thank you!"),
        }.get(entry.kind, _("For your work in this study. Thank you!"))


def _write(
    found: Participation, payload: Payload, *, key: str, entry_id: int | None = None
) -> None:
    assert found.posting is not None, "units belong to a posting"
    intents.intend(
        payload,
        key=key,
        campaign_id=found.campaign_id,
        crowd=found.posting.batch.crowd,
        environment=found.posting.environment,
        batch_id=found.posting.batch_id,
        posting_id=found.posting_id,
        participation_id=found.pk,
        entry_id=entry_id,
    )


# Reads beforehand how long people took in large campaigns: the only writer of `WorkTimes`.
#
# Pages say of when it is where something has happened since. A row that is thrown away costs a page
# some seconds, until the next run of the task.


LEAST = 20_000  # held slots; all judgments of smaller campaigns are read for a page
PAUSE = 100  # times as long as it took to read, before it is read again
AT_ONCE = 30.0  # seconds after which one run of the task ends


def keep_due() -> int:
    """Read the large campaigns in which something has happened; return how many."""
    ends, n = time.monotonic() + AT_ONCE, 0
    for campaign_id in _due(timezone.now()):
        if time.monotonic() >= ends:
            break
        keep(campaign_id)
        n += 1
    return n


def keep(campaign_id: int) -> None:
    """Read one campaign, and store what its judgments say."""
    rows = Campaign.objects.filter(pk=campaign_id)
    # Before the judgments: what happens in between makes this outdated, and so is read again.
    state = rows.annotate(now=tallies.state_of(OuterRef("pk"))).values_list("now", flat=True)
    known = {"state": state.get(), "at": timezone.now()}
    began = time.monotonic()
    found = tallies.work_times_read(campaign_id)
    known["took"] = time.monotonic() - began
    known |= {name: getattr(found, name) for name in tallies.NUMBERS}
    WorkTimes.objects.update_or_create(campaign_id=campaign_id, defaults=known)


def _due(now: datetime) -> Iterator[int]:
    """Yield the campaigns to read, those that were never read first."""
    large = Campaign.objects.filter(totals__held__gte=LEAST)
    large = large.exclude(status=CampaignStatus.DRAFT).order_by("pk")
    kept = {one.campaign_id: one for one in WorkTimes.objects.all()}
    yield from (pk for pk in large.values_list("pk", flat=True) if pk not in kept)
    known = large.filter(pk__in=kept).annotate(now=tallies.state_of(OuterRef("pk")))
    for pk, state in known.values_list("pk", "now"):
        if state != kept[pk].state and (_has_moved(state, kept[pk]) or now >= _next(kept[pk])):
            yield pk


def _has_moved(state: str, kept: WorkTimes) -> bool:
    """Return whether the campaign has another status; a report that is final waits for nothing."""
    return state.partition(":")[0] != kept.state.partition(":")[0]


def _next(kept: WorkTimes) -> datetime:
    return kept.at + timedelta(seconds=PAUSE * kept.took)
