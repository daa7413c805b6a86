"""Messages that a crowd passes on: something was noticed in a person's work, or decided about it.

Each message carries the address of the person's own page. Some crowds confirm an identity only on
submission; before that, another person could enter under the same name, so the page is reached by
message. Some crowds pass messages only to people with a decided submission; messages wait for that.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate import adapters, tokens
from annotate.models import Campaign, Operation, Participation, Review, Ruling
from annotate.models.payloads import MessagePayload
from annotate.selectors.review import eligibility
from annotate.services.outbox import delivery, intents
from annotate.text.languages import interface_language

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
        delivery.drop(earlier.pk)  # the new message says the current state
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
    delivery.hurry(_waiting(annotator_id))


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
