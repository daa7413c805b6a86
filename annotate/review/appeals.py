"""Appeals: what annotators write against a flag or a ruling, and the answers."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.common import audit
from annotate.common.errors import Conflict, Gone, Invalid, ServiceError
from annotate.crowds import people
from annotate.models import Appeal, Participation, Review, Ruling
from annotate.review import queries as review_queries
from annotate.review import reviews
from annotate.review.queries import AppealGround

TO_ANSWER = timedelta(days=7)
LONGEST = 5000
IN_FAVOUR = (Ruling.Act.CLEAR, Ruling.Act.RESTORE, Ruling.Act.REPAY, Ruling.Act.UNBLOCK)


def make_from(participation_id: int, *, text: str) -> Appeal:
    """Appeal from a person's own page; see `make`.

    Raises `Conflict` if it is not confirmed yet that the page is theirs.
    """
    who = Participation.objects.get(pk=participation_id)
    if not who.is_sure:
        raise Conflict(
            _(
                "We do not know yet that this is you. Write from your own page: its address is in "
                "our message to you."
            ),
            code="unsure",
        )
    return make(who.campaign_id, who.annotator_id, text=text)


def make(campaign_id: int, annotator_id: int, *, text: str) -> Appeal:
    """Appeal against a current flag or ruling, or against the annotator's block.

    Raises `Invalid` for an empty or overlong text. Raises `Conflict` where there is nothing to
    appeal against, an appeal is open, or one has been answered since the last flag or ruling.
    Raises `Gone` after the deadline.
    """
    text = text.replace("\0", "").strip()
    if not 1 <= len(text) <= LONGEST:
        raise Invalid({"text": _("Write what we should know, in at most 5,000 characters.")})
    now = timezone.now()
    with transaction.atomic():
        review = _against(campaign_id, annotator_id)
        appeal = Appeal.objects.create(
            review=review, text=text, made_at=now, due_at=now + TO_ANSWER
        )
        audit.record(
            "appeal",
            campaign_id=review.campaign_id,
            subject=f"annotator:{annotator_id}",
        )
    return appeal


def dismiss(review_id: int, *, actor_id: int, answer: str) -> None:
    """Answer an appeal without changing the ruling. A ruling in favour is the other answer."""
    if not answer.strip():
        raise Invalid({"reason": "Answer the annotator: an appeal deserves a reason."})
    with transaction.atomic():
        review = reviews.locked(review_id)
        last = review.appeals.order_by("-pk").first()
        own = answered_by(review, actor_id)
        if last is None or not _answer(review, upheld=False, answer=answer.strip(), own=own):
            raise Conflict("There is no open appeal: it has been answered.")
        people.answered(review, answer.strip(), appeal_id=last.pk)
        audit.record(
            "dismiss_appeal",
            campaign_id=review.campaign_id,
            actor_id=actor_id,
            subject=f"annotator:{review.annotator_id}",
            answer=answer.strip(),
        )


def close(review: Review, acts: Sequence[Ruling.Act], *, answer: str, own: bool) -> bool:
    """Answer an open appeal by a ruling; return whether there was one.

    own: the result of `answered_by` before the ruling.
    """
    return _answer(review, upheld=any(act in IN_FAVOUR for act in acts), answer=answer, own=own)


def answered_by(review: Review, actor_id: int) -> bool:
    """Return whether this person would answer an appeal against their own ruling.

    Raises `Conflict` where another reviewer can answer the open appeal.
    """
    if not review.appeals.filter(answered_at=None).exists():
        return False
    answerers = review_queries.who_may_answer(review.pk)
    if answerers.bars(actor_id):
        raise Conflict(
            f"This appeal is against your own ruling. Another reviewer answers it: "
            f"{', '.join(answerers.names)}.",
            code="own_ruling",
        )
    return answerers.is_own(actor_id)


def _against(campaign_id: int, annotator_id: int) -> Review:
    """Lock the campaign, and return the review that this appeal is about."""
    found = review_queries.ground(campaign_id, annotator_id)
    chosen = next((ground for ground in found if ground.is_open), None)
    if chosen is None:
        raise _refused(found)
    review = reviews.locked(chosen.review.pk)
    now = [
        ground
        for ground in review_queries.ground(campaign_id, annotator_id)
        if ground.review == review
    ]
    if not any(ground.is_open for ground in now):
        raise _refused(now)
    return review


def _refused(found: Sequence[AppealGround]) -> ServiceError:
    """Return why no appeal is possible."""
    if not found:
        return Conflict(_("There is nothing to appeal against: your work counts."))
    if found[0].waits:
        return Conflict(_("Your appeal has been received and waits for an answer."))
    if found[0].appealed:
        return Conflict(_("Your appeal has been answered: the answer is on this page."))
    return Gone(_("The time to appeal has passed. You can still write to the researcher."))


def _answer(review: Review, *, upheld: bool, answer: str, own: bool) -> bool:
    open_ = Appeal.objects.filter(review=review, answered_at=None)
    now = timezone.now()
    return bool(open_.update(answered_at=now, upheld=upheld, answer=answer, own_ruling=own))
