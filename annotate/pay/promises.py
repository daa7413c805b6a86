"""Promised tutorial bonuses: making them, and turning them into ledger rows.

A bonus falls due after a number of counting judgments (`bonus_after` of the campaign), or at once
where the campaign has ended or offers this person no further task. The budget includes promised
bonuses.
"""

from decimal import Decimal

from annotate.campaigns import totals
from annotate.common import audit, marks
from annotate.crowds.prices import ZERO, Price
from annotate.models import Campaign, LedgerEntry, Participation, TutorialRound, TutorialRun
from annotate.pay import budget, promise_queries
from annotate.pay.promise_queries import OVER
from annotate.work import admission, tutorial_queries


def make(run: TutorialRun, *, campaign: Campaign) -> Decimal:
    """Promise the bonus for a run that has just passed, in its transaction; return the amount."""
    amount = promise_queries.to_earn(campaign, run.annotator)
    if amount:
        TutorialRun.objects.filter(pk=run.pk).update(promised=amount)
        run.promised = amount
    return amount


def fall_due(campaign: Campaign, annotator_id: int) -> Decimal:
    """Add the bonus to the ledger if enough of this person's judgments count; return it.

    The caller locks the person, or the campaign alone: of two judgments submitted at the same
    moment, the second sees the first.
    """
    run = promise_queries.open_of(campaign.pk, [annotator_id]).first()
    if run is None or promise_queries.judged(campaign.pk, annotator_id) < campaign.bonus_after:
        return ZERO
    return _add(run, campaign) if promise_queries.payable(campaign, annotator_id) else ZERO


def look(campaign: Campaign, annotator_id: int) -> Decimal:
    """Add the bonus of this person if it is due now. The caller locks campaign or person."""
    run = promise_queries.open_of(campaign.pk, [annotator_id]).first()
    if run is None or not promise_queries.payable(campaign, annotator_id):
        return ZERO
    enough = promise_queries.judged(campaign.pk, annotator_id) >= campaign.bonus_after
    return _add(run, campaign) if enough or not _offers_more(run, campaign) else ZERO


def look_all(campaign: Campaign) -> Decimal:
    """Add all bonuses that are due because the campaign offers no further tasks to anyone.

    A bonus that depends on one person alone is checked when they submit something. The caller locks
    the campaign.
    """
    if campaign.status not in OVER and admission.offers(campaign):
        return ZERO
    people = promise_queries.due(campaign).values_list("annotator", flat=True)
    return sum((look(campaign, annotator_id) for annotator_id in sorted(set(people))), ZERO)


def end(campaign: Campaign) -> int:
    """Add all promised bonuses of an ended campaign; return how many fall due now.

    The caller locks the campaign.
    """
    runs = list(promise_queries.due(campaign).order_by("pk"))
    if not runs:
        return 0
    charges = budget.tariff(campaign)
    rows = [(run, charges.bonus(run.promised)) for run in runs]
    # Promised once, but another campaign may pay it at this moment.
    totals.store_once((_entry(run, campaign, each) for run, each in rows), campaign_id=campaign.pk)
    marks.mark(campaign.pk, "tutorial")
    audit.record("tutorial_bonuses_due", campaign_id=campaign.pk, people=len(runs))
    return len(runs)


def pay_failing(round_: TutorialRound, campaign: Campaign) -> Decimal:
    """Add the pay for a failed try to the ledger, in the transaction that ends the last round.

    Nobody is paid twice in a campaign, or for answers that came faster than anyone reads.
    """
    run = round_.run
    amount = promise_queries.for_failing(campaign, run.annotator)
    if not amount:
        return ZERO
    subject = f"tutorial_run:{run.pk}"
    if tutorial_queries.too_fast(campaign.pk, run.annotator_id):
        audit.record("failed_try_too_fast", campaign_id=campaign.pk, subject=subject)
        return ZERO
    each = budget.tariff(campaign).bonus(amount)
    row = LedgerEntry(
        key=promise_queries.failing_key(campaign.pk, run.annotator_id),
        campaign=campaign,
        participation_id=run.participation_id,
        kind=LedgerEntry.Kind.FAILED_TRY,
        amount=each.reward,
        fee=each.fee,
    )
    totals.store_once([row], campaign_id=campaign.pk)
    audit.record("failed_try_due", campaign_id=campaign.pk, subject=subject, amount=str(amount))
    return amount


def note_settled() -> int:
    """Note which promised bonuses are in the ledger by now; return how many. Safe to repeat.

    A ledger row stays, so this can be noted at any time after it.
    """
    return promise_queries.newly_settled().update(settled=True)


def _offers_more(run: TutorialRun, campaign: Campaign) -> bool:
    if campaign.status in OVER:
        return False
    who = Participation.objects.select_related("annotator").get(pk=run.participation_id)
    return admission.goes_on(campaign, who)


def _add(run: TutorialRun, campaign: Campaign) -> Decimal:
    """Add the bonus once per annotator and instrument, over all campaigns."""
    wanted = _entry(run, campaign, budget.tariff(campaign).bonus(run.promised))
    if not totals.store_once([wanted], campaign_id=campaign.pk):
        return ZERO
    marks.mark(campaign.pk, "tutorial")
    audit.record(
        "tutorial_bonus_due",
        campaign_id=campaign.pk,
        subject=f"tutorial_run:{run.pk}",
        amount=str(run.promised),
    )
    return run.promised


def _entry(run: TutorialRun, campaign: Campaign, each: Price) -> LedgerEntry:
    return LedgerEntry(
        key=promise_queries.key(run.annotator_id, run.instrument),
        campaign=campaign,
        participation_id=run.participation_id,
        kind=LedgerEntry.Kind.TUTORIAL,
        amount=each.reward,
        fee=each.fee,
    )
