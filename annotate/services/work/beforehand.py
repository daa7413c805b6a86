"""Stores what comes before somebody's first task: consent, and answers to background questions."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate.models import BackgroundAnswers, Participation
from annotate.selectors.studies import background, texts
from annotate.selectors.work.beforehand import owed


def consent(participation_id: int) -> None:
    """Store that this person accepted the campaign's consent text. Safe to repeat."""
    mine = Participation.objects.filter(pk=participation_id, consented_at=None)
    mine.update(consented_at=timezone.now())


@transaction.atomic
def tell_background(participation_id: int, answers: Sequence[str]) -> None:
    """Store the answers, in the order of the questions, once they are what is owed.

    So nothing is stored before the consent text is accepted, and the first answers stay.
    """
    who = Participation.objects.select_for_update().get(pk=participation_id)
    if owed(texts.of(who.campaign), who) != "background":
        return
    BackgroundAnswers.objects.create(participation=who, answers=list(answers))
    who.background_at = timezone.now()
    who.save(update_fields=["background_at"])


def told_background_at(campaign_id: int, annotator_id: int) -> datetime | None:
    """Return when this person answered in an earlier paid unit, so as not to ask again."""
    mine = background.sure(campaign_id).filter(participation__annotator=annotator_id)
    return mine.values_list("answered_at", flat=True).first()
