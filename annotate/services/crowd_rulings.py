"""What a ruling means at the crowd of its campaign: pay, who is kept out, a message."""

from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate import adapters, tokens
from annotate.languages import interface_language
from annotate.models import Operation, Participation, Review, Ruling
from annotate.services import exclusion_lists, outbox, settling

Act = Ruling.Act
PAY = (Act.REFUSE, Act.REPAY, Act.RESTORE)
STANDING = (Act.EXCLUDE, Act.RESTORE, Act.BLOCK, Act.UNBLOCK)


def follow(review: Review, made: Iterable[Ruling]) -> None:
    """Intend what these rulings mean there, in their transaction; by link nothing does."""
    acts = {Act(ruling.act): ruling for ruling in made}
    if not acts or review.campaign.crowd not in adapters.MARKETPLACES:
        return
    settling.settle_person(review.campaign_id, review.annotator_id)
    if any(act in STANDING for act in acts):
        exclusion_lists.follow(review)
    if Act.REFUSE in acts:
        _tell(review, acts[Act.REFUSE])


def _tell(review: Review, ruling: Ruling) -> None:
    """Write to whoever is refused pay: why, and where they can answer."""
    unit = _latest(review)
    if unit is None or unit.posting is None:
        return
    batch = unit.posting.batch
    if not adapters.marketplace(batch.crowd).can.messaging:
        return
    with override(interface_language(review.campaign.language)):
        subject, text = _subject(review), _text(unit, ruling)
    outbox.intend(
        Operation.Kind.MESSAGE, key=f"message:{ruling.pk}", campaign_id=review.campaign_id,
        crowd=batch.crowd, environment=unit.posting.environment, batch_id=batch.pk,
        people=[unit.annotator.external_id], subject=subject, text=text,
    )  # fmt: skip


def _latest(review: Review) -> Participation | None:
    mine = Participation.objects.filter(
        campaign=review.campaign_id, annotator=review.annotator_id
    ).exclude(posting=None)
    return mine.select_related("posting__batch", "annotator").order_by("-pk").first()


def _subject(review: Review) -> str:
    return _("About your work in “%(study)s”") % {"study": review.campaign.name}


def _text(unit: Participation, ruling: Ruling) -> str:
    page = reverse("annotate:me", args=[tokens.participation_token(unit.pk)])
    return _(
        "We have looked at your work in this study, and decided not to pay for it. This is why:\n\n"
        "%(reason)s\n\nIf you think that this is wrong, tell us: your work, what was noticed and "
        "a place for your answer are on this page.\n\n%(page)s"
    ) % {"reason": ruling.reason, "page": f"{settings.PUBLIC_URL}{page}"}
