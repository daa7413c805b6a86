"""Participations: their states, written here alone, and how people enter and hand in."""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotate.common import audit, intents, limits, locks, marks
from annotate.common.errors import Conflict, Gone, Invalid, NotAllowed, NotFound, TooMany
from annotate.common.limits import in_minutes
from annotate.common.text import LONGEST, can_be_seen, keys, tidy
from annotate.crowds import adapters
from annotate.crowds.contract import Claim, from_json
from annotate.models import (
    Annotator,
    Assignment,
    BackgroundAnswers,
    Campaign,
    EarlierConsent,
    Exclusion,
    Judgment,
    Participation,
    Posting,
    Ruling,
)
from annotate.models.annotators import OPEN_LINK
from annotate.pay import budget, ledger
from annotate.review import eligibility
from annotate.studies import queries as studies_queries
from annotate.work import admission, experts, leasing, slots, units
from annotate.work.task import has_consented, owed

Status = Participation.Status


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.ACTIVE: frozenset({Status.HANDED_IN, Status.CONFIRMED, Status.LEFT}),
    Status.HANDED_IN: frozenset({Status.CONFIRMED, Status.LEFT}),
    # On Prolific, people can return a submission until it is decided.
    Status.CONFIRMED: frozenset({Status.APPROVED, Status.REJECTED, Status.LEFT}),
    Status.APPROVED: frozenset(),
    Status.REJECTED: frozenset({Status.APPROVED}),
    Status.LEFT: frozenset({Status.ACTIVE, Status.CONFIRMED}),
}


def move(participation_id: int, to: Status, *, sources: Collection[Status], **fields: Any) -> bool:
    """Move from one of `sources` to `to`, and log it, in the caller's transaction.

    `fields` change along with it. Returns False and changes nothing in any other state, which means
    that another process was first.
    """
    mine = Participation.objects.filter(pk=participation_id)

    def record() -> None:
        campaign_id = mine.values_list("campaign_id", flat=True).get()
        subject = f"participation:{participation_id}"
        audit.record(f"participation_{to}", campaign_id=campaign_id, subject=subject)

    return bool(audit.change(mine, TRANSITIONS, to, sources=sources, record=record, **fields))


# Counting the work of a participation, once the crowd has confirmed the participation.
#
# The crowd's list is authoritative: submitted work is confirmed from any state here, even from a
# state in which it was believed to be returned.


AssignmentStatus = Assignment.Status
TAKES_BACK = (Campaign.Status.OPEN, Campaign.Status.PAUSED, Campaign.Status.CLOSING)


def verify(participation: Participation, *, now: datetime) -> int:
    """Let the unit's judgments count; return how many were not verified before.

    Judgments whose slots were freed because the unit was believed lost take a free slot of their
    outputs again. Without a free slot they are kept and paid, and do not count.
    """
    leasing.end_leases(_of(participation), now=now)
    came = _locked(_of(participation).filter(status=AssignmentStatus.SUBMITTED))
    lost = _locked(
        _of(participation).filter(Assignment.has_work(), status=AssignmentStatus.RETURNED)
    )
    slots.move(
        came + lost,
        AssignmentStatus.VERIFIED,
        campaign_id=participation.campaign_id,
        sources=(AssignmentStatus.SUBMITTED, AssignmentStatus.RETURNED),
    )
    for pk in lost:
        _take_back(pk, participation)
    if came or lost:
        marks.mark(participation.campaign_id, "verified")
    return len(came) + len(lost)


def lose(participation: Participation, *, now: datetime) -> int:
    """Free the slots of a unit that was not submitted; its judgments stay as facts."""
    leasing.end_leases(_of(participation), now=now)
    judged = (AssignmentStatus.SUBMITTED, AssignmentStatus.VERIFIED)
    held = _locked(_of(participation).filter(status__in=judged))
    campaign_id = participation.campaign_id
    slots.move(held, AssignmentStatus.RETURNED, campaign_id=campaign_id, sources=judged)
    slots.free(held, campaign_id=campaign_id)
    if held:
        marks.mark(campaign_id, "left")
    return len(held)


def _take_back(assignment_id: int, participation: Participation) -> None:
    """Let lost work count again where it can; the answer to a gold item never did."""
    assignment = Assignment.objects.get(pk=assignment_id)
    if assignment.output_id is None:
        return
    campaign = participation.campaign
    if eligibility.excluded(campaign.pk, participation.annotator_id):
        # It is added to the person's already excluded work.
        judgment = Judgment.objects.get(assignment=assignment_id)
        ruling = Ruling.objects.filter(
            review__campaign=judgment.campaign_id,
            review__annotator=judgment.annotator_id,
            act=Ruling.Act.EXCLUDE,
        ).latest("pk")
        Exclusion.objects.get_or_create(
            judgment=judgment, restored_at=None, defaults={"ruling": ruling}
        )
    elif campaign.status in TAKES_BACK:
        slots.take_for(assignment)


def _of(participation: Participation) -> QuerySet[Assignment]:
    return Assignment.objects.filter(participation=participation)


def _locked(assignments: QuerySet[Assignment]) -> list[int]:
    """Lock them in the global lock order (`locks`)."""
    held = assignments.select_for_update(no_key=True).order_by("pk")
    return list(held.values_list("pk", flat=True))


# Stores what comes before somebody's first task: consent, and answers to background questions.


@transaction.atomic
def consent(participation_id: int, *, version: int) -> bool:
    """Store that this person accepted this version of the campaign's consent text.

    Safe to repeat: the first time stays. An earlier version that was accepted stays on record.
    Returns False, and stores nothing, where the text has another version by now.
    """
    who = Participation.objects.select_for_update(no_key=True).get(pk=participation_id)
    if version != studies_queries.consent_version(who.campaign):
        return False
    if has_consented(who, version):
        return True
    if who.consented_at is not None:
        EarlierConsent.objects.create(
            participation=who, version=who.consented_to, accepted_at=who.consented_at
        )
    who.consented_at, who.consented_to = timezone.now(), version
    who.save(update_fields=["consented_at", "consented_to"])
    return True


@transaction.atomic
def tell_background(participation_id: int, answers: Sequence[str]) -> None:
    """Store the answers, in the order of the questions, once they are what is owed.

    So nothing is stored before the consent text is accepted, and the first answers stay.
    """
    who = Participation.objects.select_for_update().get(pk=participation_id)
    if owed(who.campaign, who) != "background":
        return
    BackgroundAnswers.objects.create(participation=who, answers=list(answers))
    who.background_at = timezone.now()
    who.save(update_fields=["background_at"])


def told_background_at(campaign_id: int, annotator_id: int) -> datetime | None:
    """Return when this person answered in an earlier paid unit, so as not to ask again."""
    mine = studies_queries.sure(campaign_id).filter(participation__annotator=annotator_id)
    return mine.values_list("answered_at", flat=True).first()


# How people enter, and how the paid units of marketplaces are submitted.


# The limit of unconfirmed claims on a posting, as a multiple of its places.
FORGED = 3
TAKES_NEW = (Posting.Status.PLANNED, Posting.Status.OPEN, Posting.Status.DRAINING)
UNSURE = (Status.ACTIVE, Status.HANDED_IN)


# ---- by link ---------------------------------------------------------------------------------


def enter(campaign_id: int, *, external_id: str) -> Participation:
    """Return this person's participation in a campaign by link; create it on first entry.

    Safe to repeat: the same person gets the same participation. Raises `Conflict` for a campaign
    whose people come from a marketplace.
    """
    require_link(campaign_id)
    experts.ask(campaign_id, external_id)
    found = keys(external_id)
    annotator, _created = Annotator.objects.get_or_create(
        crowd="link",
        environment="live",
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
    return message % {"crowd": adapters.crowd_label(crowd)}


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
        if who.posting_id != posting.pk:
            raise Conflict(_does_not_fit(), code="listing")
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
    left = None if posting.status in budget.TO_COME else budget.left(campaign)
    if left is not None and budget.unit_price(campaign, posting.batch.reward) > left:
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
        background_at=told_background_at(campaign.pk, annotator.pk),
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
        move(who.pk, Status.ACTIVE, sources=[Status.LEFT], handed_in_at=None, **fields)
    else:
        working = Participation.objects.filter(pk=who.pk, status=Status.ACTIVE)
        audit.note(working, **fields)


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
        move(who.pk, Status.HANDED_IN, sources=[Status.ACTIVE], handed_in_at=now)
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


# Entry by a campaign's open link, under a name that the annotator chooses.


WINDOW = 600  # seconds in which newcomers are counted


def enter_by_name(campaign_id: int, *, name: str, address: str = "") -> Participation:
    """Admit an annotator through a campaign's open link, under a chosen name.

    A name is taken once per campaign; the second time, also for a name that looks the same, raises
    `Conflict`. People who return use their personal link, so typing a name does not open another
    person's work.
    address: the newcomer's network, for the limit on newcomers (`TooMany`).
    Raises `NotAllowed` where an owner of the campaign has blocked this name.
    """
    require_link(campaign_id)
    experts.ask(campaign_id, "")
    name = tidy(name)
    if len(name) > LONGEST or not can_be_seen(name):
        raise Invalid({"name": _("Please enter a name or code of 1 to 80 characters.")})
    _count(campaign_id, address)
    found = keys(name)
    if units.blocked(campaign_id, found):
        raise NotAllowed(
            _(
                "This researcher’s studies are no longer open to this name. If it is yours, the "
                "page of your earlier work says why. If you are somebody else, choose another name."
            ),
            code="blocked",
        )
    if units.works_in(campaign_id, found):
        raise _taken()
    try:
        with transaction.atomic():
            annotator = Annotator.objects.create(
                crowd="link",
                environment=f"{OPEN_LINK}{campaign_id}",
                external_id=name,
                name_small=found.small,
                name_large=found.large,
                holds_name=True,
            )
            return Participation.objects.create(
                campaign_id=campaign_id, annotator=annotator, verified_at=timezone.now()
            )
    except IntegrityError:
        raise _taken() from None


def _taken() -> Conflict:
    return Conflict(
        _(
            "Somebody already works here under this name, or one that looks like it. If it is "
            "you, use your personal link (the address of your work page); otherwise choose "
            "another name."
        ),
        code="name_taken",
    )


def _count(campaign_id: int, address: str) -> None:
    """Count a newcomer. One whom the address limit refuses does not count for the campaign."""
    if address:
        network = salted_hmac("joining", address).hexdigest()[:32]
        message = _(
            "Many people have come to this study from your network just now. Try again in "
            "%(wait)s, or ask the researcher for a personal link."
        )
        _limit(f"joins:{campaign_id}:{network}", settings.JOINS_PER_ADDRESS, message)
    message = _(
        "Very many people are coming to this study at the moment. Try again in %(wait)s, or ask "
        "the researcher for a personal link."
    )
    _limit(f"joins:{campaign_id}", settings.JOINS_PER_CAMPAIGN, message)


def _limit(name: str, most: int, message: str) -> None:
    """Count one more; most: 0 for no limit."""
    if limits.count(name, WINDOW) > most > 0:
        wait = limits.seconds_to_wait(name)
        raise TooMany(message % {"wait": in_minutes(wait)}, wait=wait)
