"""Turns rulings and ledger rows into operations that pay at the crowd, once each.

No payment is made here. Each function locks the campaign, so rulings and payments follow one
another. An untried operation that is no longer wanted is dropped.
"""

from decimal import Decimal

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.common import audit, intents, locks
from annotate.common.errors import Conflict
from annotate.common.text import interface_language
from annotate.crowds import adapters, outbox
from annotate.crowds.contract import from_json
from annotate.crowds.prices import ZERO
from annotate.models import (
    Batch,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    Review,
    Ruling,
)
from annotate.models.crowds import (
    ApprovePayload,
    BonusPayload,
    OverridePayload,
    Payload,
    RejectPayload,
)
from annotate.pay import budget, ledger, promises, tallies
from annotate.pay.ledger import PayAct, UnitAccount, bonus_key, decide
from annotate.pay.tallies import GIVEN

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
    due = tallies.accounts_of_campaign(campaign_id).filter(due__gt=0)
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
    owed = {*over.values_list("pk", flat=True), *extra.values_list("pk", flat=True)}
    return owed & set(due.values_list("pk", flat=True))


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
    due = account.earned - _paid(found, account)
    act = _decision(found, review, due)
    if act == PayAct.OVERRIDE and _given_up(found, Kind.OVERRIDE):
        act = PayAct.BONUS
    free = _give_up_others(found, act)
    if free and act in ACTS and not _given_up(found, ACTS[act]):
        _intend(found, _told(act, review))
    handed_in = found.status in Participation.LISTED
    bonuses = account.bonuses(handed_in=handed_in)
    if free and act == PayAct.BONUS:
        bonuses += account.instead(paid=_paid_under(account), due=due)
    _give_up_bonuses(found, [entry.pk for entry, _amount in bonuses])
    for entry, amount in bonuses:
        _intend_bonus(found, entry, amount)
    return act


def _decision(found: Participation, review: Review | None, due: Decimal) -> PayAct:
    assert found.posting is not None, "units belong to a posting"
    can = adapters.marketplace(found.posting.batch.crowd).can
    terms = from_json(found.posting.batch.terms)
    begin = found.submitted_at  # a rejection can be reversed for a time after the submission
    return decide(
        found.status,
        now=timezone.now(),
        due=due,
        refused=review is not None and review.pay_refused,
        in_review=review is not None and review.status == Review.Status.OPEN,
        doubt=bool(found.problem),
        approve_from=begin and begin + terms.approve_after,
        override_until=begin + can.override_refusal if begin and can.override_refusal else None,
    )


def _paid(found: Participation, account: UnitAccount) -> Decimal:
    """Return what the unit was paid: as a whole, or as bonuses for what its reward covers."""
    covered = [one.pk for one in account.covered]
    rows = found.payouts.filter(Q(entry=None, listed=None) | Q(entry__in=covered))
    return sum(rows.values_list("amount", flat=True), ZERO)


def _paid_under(account: UnitAccount) -> set[int]:
    """Return the ledger rows of the unit for which a bonus was paid."""
    paid = Payout.objects.filter(entry__in=[one.pk for one in account.covered])
    return set(paid.values_list("entry", flat=True))


def _give_up_others(found: Participation, act: PayAct) -> bool:
    """Drop operations that contradict this decision; return False while one may be under way."""
    mine = found.operations.filter(kind__in=PAYS)
    others = mine.exclude(kind=ACTS[act]) if act in ACTS else mine
    for pk in others.filter(status__in=Operation.NOT_HAPPENED).values_list("pk", flat=True):
        outbox.drop(pk)
    return not others.filter(status__in=(*UNDER_WAY, State.PENDING)).exists()


def _give_up_bonuses(found: Participation, due: list[int]) -> None:
    """Drop bonuses whose reason is gone and that are known to be unpaid."""
    mine = found.operations.filter(kind=Kind.BONUS, status__in=Operation.NOT_HAPPENED)
    for op in mine.exclude(entry__in=due):
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


def _intend_bonus(found: Participation, entry: LedgerEntry, amount: Decimal) -> None:
    tried = Operation.objects.filter(kind=Kind.BONUS, entry=entry)
    if Payout.objects.filter(entry=entry).exists() or tried.filter(STANDS).exists():
        return
    carrier = tallies.carrier(found)
    if carrier is None:
        return  # it waits until this person submits work; their account page says so
    assert carrier.posting is not None, "a carrier is a unit of a posting"
    payload = BonusPayload(
        listing=carrier.posting.external_id,
        unit=carrier.external_key,
        person=carrier.annotator.external_id,
        amount=amount,
        reason=_reason(entry, found.campaign.language),
    )
    _write(found, payload, key=f"{bonus_key(entry.pk)}:{tried.count()}", entry_id=entry.pk)


def _reason(entry: LedgerEntry, language: str) -> str:
    """Return the text for the annotator: a person's words, or ours in the study's language."""
    with override(interface_language(language)):
        return entry.reason or {
            LedgerEntry.Kind.TUTORIAL: _("You have passed the tutorial. Thank you!"),
            LedgerEntry.Kind.COMPENSATION: _("For work that came too late to count. Thank you!"),
        }.get(LedgerEntry.Kind(entry.kind), _("For your work in this study. Thank you!"))


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
