"""How people enter, and how the paid units of marketplaces are submitted."""

import secrets
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import adapters
from annotate.crowds.base import Claim
from annotate.crowds.terms import from_json
from annotate.errors import Conflict, Gone, NotFound
from annotate.models import Annotator, Assignment, Campaign, Participation, Posting
from annotate.selectors.pay import budget, open_units
from annotate.selectors.work import admission, units
from annotate.services import audit, locks, transitions
from annotate.services.outbox import intents
from annotate.services.pay import ledger
from annotate.services.work import beforehand, leasing, participation_states
from annotate.text.names import keys

# The limit of unconfirmed claims on a posting, as a multiple of its places.
FORGED = 3

Status = Participation.Status
TAKES_NEW = (Posting.Status.PLANNED, Posting.Status.OPEN, Posting.Status.DRAINING)
UNSURE = (Status.ACTIVE, Status.HANDED_IN)


# ---- by link ---------------------------------------------------------------------------------


def enter(campaign_id: int, *, external_id: str, environment: str = "live") -> Participation:
    """Return this person's participation in a campaign by link; create it on first entry.

    Safe to repeat: the same person gets the same participation. Raises `Conflict` for a campaign
    whose people come from a marketplace.
    """
    require_link(campaign_id)
    found = keys(external_id)
    annotator, _created = Annotator.objects.get_or_create(
        crowd="link",
        environment=environment,
        external_id=external_id,
        defaults={"name_small": found.small, "name_large": found.large},
    )
    participation, _created = Participation.objects.get_or_create(
        campaign_id=campaign_id,
        annotator=annotator,
        external_key="",
        defaults={"verified_at": timezone.now()},
    )
    return participation


def require_link(campaign_id: int) -> None:
    """Raise `Conflict` for a campaign whose people come from a marketplace."""
    crowd = Campaign.objects.values_list("crowd", flat=True).get(pk=campaign_id)
    if crowd != "link":
        raise Conflict(elsewhere(crowd), code="elsewhere")


def elsewhere(crowd: str) -> str:
    """Return the message for people who follow a link to a study that is not open by link."""
    message = _("This study takes people through %(crowd)s only: look for it there.")
    return message % {"crowd": adapters.label(crowd)}


# ---- from a marketplace ----------------------------------------------------------------------


def arrive(posting_public_id: str, claim: Claim, *, verified: bool) -> Participation:
    """Return the participation of an accepted paid unit; create it on first arrival.

    Safe to repeat. `verified`: the crowd has confirmed the claim. Raises `NotFound`, `Conflict` or
    `Gone`, with a message for the annotator, if the posting does not take this claim.
    """
    posting = _posting(posting_public_id, claim)
    with transaction.atomic():
        campaign = locks.campaign(posting.batch.campaign_id)
        annotator, _made = Annotator.objects.get_or_create(
            crowd=posting.batch.crowd,
            environment=posting.environment,
            external_id=claim.person,
        )
        found = Participation.objects.filter(
            campaign=campaign, annotator=annotator, external_key=claim.unit
        ).first()
        who = found or _accept(posting, campaign, annotator, claim, verified=verified)
        _require_same(who, posting)
        _go_on(who, posting, claim)
        if verified:
            mine = Participation.objects.filter(pk=who.pk, verified_at=None)
            mine.update(verified_at=timezone.now())
    who.refresh_from_db()
    return who


def _posting(public_id: str, claim: Claim) -> Posting:
    try:
        posting = Posting.objects.select_related("batch").get(public_id=public_id)
    except Posting.DoesNotExist:
        raise NotFound(_("This study does not exist any more.")) from None
    if posting.environment != adapters.entry(posting.batch.crowd).environment:
        raise Conflict(
            _("This address belongs to another environment of the crowd, a test perhaps."),
            code="environment",
        )
    if posting.external_id and posting.external_id != claim.listing:
        raise Conflict(_does_not_fit(), code="listing")
    return posting


def _require_same(who: Participation, posting: Posting) -> None:
    if who.posting_id != posting.pk:
        raise Conflict(_does_not_fit(), code="listing")


def _does_not_fit() -> str:
    return _(
        "This address does not fit the work that you have accepted. Open it again from the list "
        "of your work there."
    )


def _accept(
    posting: Posting, campaign: Campaign, annotator: Annotator, claim: Claim, *, verified: bool
) -> Participation:
    """Create the participation. The caller has locked the campaign.

    While the posting is up, the budget is not checked: it was checked when the unit was published,
    and a person who accepted it is owed its work. Once the posting is stopped, its money may be
    promised elsewhere. A person whose place the crowd confirms may enter a posting that is closed
    here.
    """
    if verified and posting.status == Posting.Status.CLOSED:
        intents.announce_posting(posting.pk)  # one of its places was free again
    elif not _takes_new(posting):
        raise Gone(_full())
    if not _is_paid(posting, campaign):
        raise Gone(_full())
    unsure = posting.participations.filter(verified_at=None, status__in=UNSURE)
    if unsure.count() >= FORGED * posting.places:
        message = _("More people are at work here at the moment than there are places.")
        raise Conflict(message, code="forged")
    made = Participation.objects.create(
        campaign=campaign,
        annotator=annotator,
        external_key=claim.unit,
        posting=posting,
        listing=claim.listing,
        tasks=posting.batch.tasks,
        receipt=secrets.token_hex(16),
        submit_to=claim.submit_to,
        deadline_at=_deadline(posting),
        background_at=beforehand.told_background_at(campaign.pk, annotator.pk),
    )
    subject = f"participation:{made.pk}"
    audit.record("participation_begun", campaign_id=campaign.pk, subject=subject)
    return made


def _full() -> str:
    return _("This study is complete: it has all the judgments it needs. Thank you!")


def _takes_new(posting: Posting) -> bool:
    """Return whether a person who has accepted may enter.

    Crowds may report a posting that has just expired as closed.
    """
    ended, now = posting.expires_at, timezone.now()
    if posting.status == Posting.Status.CLOSED and ended is not None:
        return ended <= now < ended + from_json(posting.batch.terms).duration
    return posting.status in TAKES_NEW


def _is_paid(posting: Posting, campaign: Campaign) -> bool:
    left = None if posting.status in open_units.TO_COME else budget.left(campaign)
    return left is None or budget.unit_price(campaign, posting.batch.reward) <= left


def _deadline(posting: Posting) -> datetime:
    return timezone.now() + from_json(posting.batch.terms).duration


def _go_on(who: Participation, posting: Posting, claim: Claim) -> None:
    """Reopen a unit that the same person has accepted again; its time starts again."""
    again = who.status == Status.LEFT
    over = who.deadline_at is not None and who.deadline_at <= timezone.now()
    if not again and not (over and who.status == Status.ACTIVE):
        return
    fields = {"deadline_at": _deadline(posting), "submit_to": claim.submit_to}
    if again:
        participation_states.move(
            who.pk, Status.ACTIVE, sources=[Status.LEFT], handed_in_at=None, **fields
        )
    else:
        working = Participation.objects.filter(pk=who.pk, status=Status.ACTIVE)
        transitions.note(working, **fields)


def hand_in(participation_id: int) -> bool:
    """Move active -> handed in: all its tasks are done, or no task is left.

    Announced tasks that could not be done are paid all the same. If tasks were returned, a person
    decides whether the unit is paid (`confirming`). Returns False if it was already handed in.
    Raises `Conflict` where nothing was done or a task is still available, and `Gone` where the unit
    was returned.
    """
    campaign_id = Participation.objects.values_list("campaign_id", flat=True).get(
        pk=participation_id
    )
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        who = Participation.objects.select_for_update(no_key=True).get(pk=participation_id)
        if not _may_hand_in(who, campaign):
            return False
        now, given_back = timezone.now(), units.given_back(who.pk)
        leasing.end_leases(Assignment.objects.filter(participation=who), now=now)
        participation_states.move(
            who.pk, Status.HANDED_IN, sources=[Status.ACTIVE], handed_in_at=now
        )
        assert who.posting is not None, "only a marketplace's unit is handed in"
        wanted = who.posting.batch.reward - given_back * campaign.reward
        ledger.earn_rest(who, campaign=campaign, reward=wanted)
    return True


def _may_hand_in(who: Participation, campaign: Campaign) -> bool:
    if who.tasks is None:
        raise Conflict(_("There is nothing to hand in here: your work counts as it is."))
    if who.status == Status.LEFT:
        raise Gone(_("This work was returned, or its time is over."), code="left")
    if who.status != Status.ACTIVE:
        return False
    done = units.judged(who.pk)
    if not done:
        raise Conflict(_("Nothing is done yet, so there is nothing to hand in."), code="nothing")
    if done < who.tasks and admission.more(campaign, who):
        raise Conflict(_("There is another task for you: go on with it first."), code="more")
    return True
