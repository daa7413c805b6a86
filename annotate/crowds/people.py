"""People at a crowd: kept out of a campaign, written to, paid, and what that changes here.

Each campaign has its own list there, with the people excluded from it and those blocked by its
owners. Leasing refuses them in any case; the list saves them the attempt.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.common import intents, locks, tokens
from annotate.common.text import interface_language
from annotate.crowds import adapters, outbox
from annotate.crowds.contract import NOT_YET, Bonus, Effect, Marketplace, Outcome, Terms
from annotate.crowds.outbox import Handler, register
from annotate.models import (
    Annotator,
    Batch,
    Campaign,
    LedgerEntry,
    Membership,
    Operation,
    Participation,
    Payout,
    Review,
    Ruling,
)
from annotate.models.crowds import (
    BonusPayload,
    ExcludePayload,
    IncludePayload,
    MessagePayload,
    RejectPayload,
)
from annotate.pay import ledger
from annotate.review import eligibility
from annotate.work import participations

Kind = Operation.Kind
OVER = (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


def exclusion_group(campaign: Campaign) -> str:
    """Return the list's name at the crowd: `Audience.exclusion` of all postings."""
    return f"plumbline-{campaign.public_id}"


def applied(terms: Terms, campaign: Campaign) -> Terms:
    """Return these terms with the campaign's list. People on it do not see the posting."""
    return replace(terms, audience=replace(terms.audience, exclusion=exclusion_group(campaign)))


def follow(review: Review) -> None:
    """Update the lists after a ruling: of its campaign, and of its owners' other campaigns."""
    owners = Membership.objects.filter(campaign=review.campaign_id, role=Membership.Role.OWNER)
    theirs = Membership.objects.filter(
        user__in=owners.values("user"), role=Membership.Role.OWNER
    ).values("campaign")
    for campaign in Campaign.objects.filter(pk__in=theirs).exclude(status__in=OVER):
        out = review.annotator_id in eligibility.kept_out_people(campaign.pk)
        _bring_into_line(campaign, review.annotator, out=out)


def sync(campaign_id: int) -> None:
    """Update a campaign's list. It includes people who were blocked before the launch."""
    campaign = Campaign.objects.get(pk=campaign_id)
    out, listed = eligibility.kept_out_people(campaign_id), _listed(campaign_id)
    changed = Annotator.objects.filter(pk__in=out ^ listed, crowd=campaign.crowd)
    for annotator in changed.order_by("pk") if out ^ listed else ():
        _bring_into_line(campaign, annotator, out=annotator.pk in out)


def _listed(campaign_id: int) -> set[int]:
    """Return the annotators on the list, counting the operations that are still intended."""
    changes = Operation.objects.filter(campaign=campaign_id, annotator__isnull=False)
    last = dict(changes.order_by("pk").values_list("annotator", "kind"))
    return {annotator for annotator, kind in last.items() if kind == Kind.EXCLUDE}


def _bring_into_line(campaign: Campaign, annotator: Annotator, *, out: bool) -> None:
    """Intend the change, if one is needed and the campaign has been launched."""
    batch = Batch.objects.filter(
        campaign=campaign, crowd=annotator.crowd, environment=annotator.environment
    ).last()
    if batch is None:
        return
    with transaction.atomic():
        before = Operation.objects.filter(campaign=campaign, annotator=annotator)
        last = before.order_by("-pk").first()
        if out == (last is not None and last.kind == Kind.EXCLUDE):
            return
        form = ExcludePayload if out else IncludePayload
        intents.intend(
            form(person=annotator.external_id, group=exclusion_group(campaign)),
            key=f"standing:{campaign.pk}:{annotator.pk}:{before.count()}",
            campaign_id=campaign.pk,
            crowd=batch.crowd,
            environment=batch.environment,
            batch_id=batch.pk,
            annotator_id=annotator.pk,
        )


# Messages that a crowd passes on: something was noticed in a person's work, or decided about it.
#
# Each message carries the address of the person's own page. Some crowds confirm an identity only on
# submission; before that, another person could enter under the same name, so the page is reached by
# message. Some crowds pass messages only to people with a decided submission; messages wait for
# that.


LATEST = timedelta(days=30)  # by then every crowd has approved automatically
LONGEST = 2000  # characters of a reason; crowds limit messages, and the page shows all of it


def noticed(review: Review, *, flag_id: int) -> None:
    """Announce that a reviewer will look at this work, in the caller's transaction."""
    with override(interface_language(review.campaign.language)):
        said = _(
            "Something was noticed automatically in your work in this study. A person looks at it "
            "and decides, not a program. Until then you get no new tasks in it, and what you have "
            "earned stays yours."
        )
        _send(review, said, "", key=f"notice:{flag_id}")


def decided(review: Review, made: Iterable[Ruling]) -> None:
    """Send the rulings of one submit, in the caller's transaction."""
    rulings = list(made)
    refused = any(ruling.act == Ruling.Act.REFUSE for ruling in rulings)
    with override(interface_language(review.campaign.language)):
        said = _("We have decided about your work in this study.")
        if rulings[-1].opened:
            said = _("We have looked at your work in this study, and decided about it.")
        if refused:
            said = f"{said} {_('It is not paid.')}"
        _send(review, said, rulings[-1].reason, key=f"message:{rulings[-1].pk}")


def answered(review: Review, answer: str, *, appeal_id: int) -> None:
    """Send the answer to an appeal that changed nothing, in the caller's transaction."""
    with override(interface_language(review.campaign.language)):
        said = _("We have read what you wrote about your work in this study. It stays as it was.")
        _send(review, said, answer, key=f"answer:{appeal_id}")


def reaches(campaign: Campaign, annotator_id: int) -> str:
    """Return when a message reaches this person: "now", "later" (once their crowd has decided a
    submission), or "" where no message is sent: people by link find everything on their page."""
    if not adapters.publishes(campaign.crowd):
        return ""
    unit = _addressed(campaign.pk, annotator_id)
    if unit is None:
        return ""
    return "now" if _due(unit) is None else "later"


def _addressed(campaign_id: int, annotator_id: int) -> Participation | None:
    """Return the confirmed unit about which a crowd passes on messages; None if none does."""
    unit = eligibility.latest_unit(campaign_id, annotator_id)
    if unit is None or unit.posting is None:
        return None
    return unit if adapters.marketplace(unit.posting.batch.crowd).can.messaging else None


def _send(review: Review, said: str, reason: str, *, key: str) -> None:
    """Send a message about a confirmed unit of this person, if their crowd passes messages on."""
    unit = _addressed(review.campaign_id, review.annotator_id)
    if unit is None or unit.posting is None:
        return
    batch = unit.posting.batch
    for earlier in _waiting(review.annotator_id).filter(campaign=review.campaign_id):
        outbox.drop(earlier.pk)  # the new message says the current state
    title = review.campaign.public_title
    intents.intend(
        MessagePayload(
            people=(unit.annotator.external_id,),
            subject=_("About your work in “%(study)s”") % {"study": title},
            text="\n\n".join(filter(None, [said, _shortened(reason), _where(), _address(unit)])),
        ),
        key=key,
        campaign_id=review.campaign_id,
        crowd=batch.crowd,
        environment=unit.posting.environment,
        batch_id=batch.pk,
        participation_id=unit.pk,
        due_at=_due(unit),
    )


def reach(annotator_id: int) -> None:
    """Send the waiting messages of this person, now that their crowd has decided a submission."""
    outbox.hurry(_waiting(annotator_id))


def _waiting(annotator_id: int) -> QuerySet[Operation]:
    return Operation.objects.filter(
        kind=Operation.Kind.MESSAGE,
        status=Operation.Status.PENDING,
        participation__annotator=annotator_id,
    )


def _due(unit: Participation) -> datetime | None:
    """Return when the message is dropped without a decided unit; None if it need not wait."""
    assert unit.posting is not None, "only marketplaces pass messages on"
    if not adapters.marketplace(unit.posting.batch.crowd).can.messaging_once_decided:
        return None
    decided = (Participation.Status.APPROVED, Participation.Status.REJECTED)
    known = Participation.objects.filter(annotator=unit.annotator_id, status__in=decided)
    return None if known.exists() else timezone.now() + LATEST


def _where() -> str:
    return _(
        "Your work, what was noticed or decided and why, and a place for your answer are on your "
        "own page. Only you get its address, so keep it to yourself:"
    )


def _address(unit: Participation) -> str:
    page = reverse("annotate:me", args=[tokens.participation_token(unit.pk)])
    return f"{settings.PUBLIC_URL}{page}"


def _shortened(reason: str) -> str:
    return reason if len(reason) <= LONGEST else f"{reason[: LONGEST - 1]}…"


# What a crowd has decided about a paid unit: state, pay-out and ledger.
#
# Each function runs in the caller's transaction, which locks the campaign. It takes effect once,
# whether an operation or the crowd's list reports the decision.


Status = Participation.Status
TRIED = (Operation.Status.SENT, Operation.Status.DONE, Operation.Status.UNCLEAR)


def approved(participation_id: int) -> bool:
    """Move CONFIRMED or REJECTED -> APPROVED: the crowd pays the unit."""
    if not participations.move(
        participation_id, Status.APPROVED, sources=(Status.CONFIRMED, Status.REJECTED)
    ):
        return False
    participation = _get(participation_id)
    _end_unverified(participation)
    Payout.objects.create(
        participation=participation,
        amount=ledger.reward_of(participation),
        key=f"approve:{participation_id}",
    )
    ledger.square_with_approval(participation)
    reach(participation.annotator_id)
    return True


def rejected(participation_id: int) -> bool:
    """Move CONFIRMED -> REJECTED: the crowd does not pay the unit.

    Without a ruling that refused its pay, it was rejected on the crowd's site, and the ledger
    follows.
    """
    if not participations.move(participation_id, Status.REJECTED, sources=(Status.CONFIRMED,)):
        return False
    participation = _get(participation_id)
    _end_unverified(participation)
    ours = participation.operations.filter(kind=Kind.REJECT, status__in=TRIED)
    if not ours.exists():
        ledger.square_with_rejection(
            participation, reason="The work was rejected at the crowd itself."
        )
    reach(participation.annotator_id)
    return True


def bonus_paid(entry_id: int, amount: Decimal) -> bool:
    """Record that this ledger row was paid as a bonus."""
    participation_id = LedgerEntry.objects.values_list("participation", flat=True).get(pk=entry_id)
    _payout, made = Payout.objects.get_or_create(
        key=ledger.bonus_key(entry_id),
        defaults={"participation_id": participation_id, "entry_id": entry_id, "amount": amount},
    )
    if made:
        ledger.square_with_bonus(_get(participation_id), entry_id, amount)
    return made


def _get(participation_id: int) -> Participation:
    return Participation.objects.select_related("campaign", "posting__batch").get(
        pk=participation_id
    )


def _end_unverified(participation: Participation) -> None:
    """End unverified work once its pay is decided, so that its campaign does not wait for it."""
    if participation.verified_at is None:
        participations.lose(participation, now=timezone.now())


# People at the crowd: pay them, exclude them, include them again, write to them.


PATIENCE = timedelta(hours=1)  # for some minutes a crowd may not know what it has listed
BEHIND = (NOT_YET, "not_found")
UNLISTED = "unlisted"


def _unit(op: Operation) -> Participation:
    return Participation.objects.get(operations=op)


def _approve(op: Operation, crowd: Marketplace) -> Outcome:
    override = op.kind == Kind.OVERRIDE
    return _patient(op, crowd.approve(_unit(op).external_key, override=override))


def _reject(op: Operation, crowd: Marketplace) -> Outcome:
    told = RejectPayload.of(op)
    return _patient(op, crowd.reject(_unit(op).external_key, reason=told.reason))


def _doubted(op: Operation) -> str:
    """Return why an approval is held: a new review or a refusal since it was intended; or ""."""
    unit = _unit(op)
    reviews = Review.objects.filter(campaign=unit.campaign_id, annotator=unit.annotator_id)
    doubt = reviews.filter(Q(status=Review.Status.OPEN) | Q(pay_refused=True))
    return "A reviewer is looking at this work." if doubt.exists() else ""


def _patient(op: Operation, outcome: Outcome) -> Outcome:
    """Retry for a while where the crowd may lag behind; then a person must look."""
    if outcome.happened or outcome.code not in BEHIND:
        return outcome
    if timezone.now() < op.created_at + PATIENCE:
        return replace(outcome, effect=Effect.RETRYABLE)
    return replace(outcome, effect=Effect.REFUSED, code=UNLISTED)


def _approved(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        locks.campaign(op.campaign_id)
        approved(op.participation_id)


def _rejected(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        locks.campaign(op.campaign_id)
        rejected(op.participation_id)


def _bonus(op: Operation) -> Bonus:
    told = BonusPayload.of(op)
    return Bonus(told.listing, told.unit, told.person, told.amount, told.reason)


def _pay(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.pay_bonus(_bonus(op), op.token))


def _find_paid(op: Operation, crowd: Marketplace) -> Outcome | None:
    return Outcome(Effect.ALREADY) if crowd.find_bonus(_bonus(op), op.token) else None


def _paid(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.entry_id is not None:
        locks.campaign(op.campaign_id)
        bonus_paid(op.entry_id, BonusPayload.of(op).amount)


register(Kind.APPROVE, Handler(_approve, _approved, natural=True, held=_doubted))
register(Kind.REJECT, Handler(_reject, _rejected, natural=True))
register(Kind.OVERRIDE, Handler(_approve, _approved, natural=True))
register(Kind.BONUS, Handler(_pay, _paid, _find_paid, keyed=True))


def _list(op: Operation, crowd: Marketplace) -> Outcome:
    """Put a person on the list of those who are kept out, or take them off it."""
    form: type[ExcludePayload | IncludePayload]
    form = ExcludePayload if op.kind == Kind.EXCLUDE else IncludePayload
    told = form.of(op)
    out = op.kind == Kind.EXCLUDE
    return _overtaken(op) or crowd.set_excluded(told.person, out, group=told.group)


def _overtaken(op: Operation) -> Outcome | None:
    """Return why this request is not sent now. Only the latest request counts.

    It waits for calls under way and replaces earlier requests.
    """
    same = Operation.objects.filter(campaign=op.campaign_id, annotator=op.annotator_id)
    if same.filter(pk__gt=op.pk).exists():
        return Outcome(Effect.ALREADY, message="There has been a later decision.")
    if same.filter(pk__lt=op.pk, status=Operation.Status.SENT).exists():
        return Outcome(Effect.RETRYABLE, "order", "It waits for an earlier change.")
    return None


def _write(op: Operation, crowd: Marketplace) -> Outcome:
    told = MessagePayload.of(op)
    return crowd.message(told.people, told.subject, told.text)


def _nothing(op: Operation, outcome: Outcome) -> None:
    """Do nothing: the operation's row is enough."""


register(Kind.EXCLUDE, Handler(_list, _nothing, natural=True))
register(Kind.INCLUDE, Handler(_list, _nothing, natural=True))
# A duplicate message does less harm than a missing one.
register(Kind.MESSAGE, Handler(_write, _nothing, natural=True))
