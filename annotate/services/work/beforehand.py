"""Stores what comes before somebody's first task: consent, and answers to background questions."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate.models import BackgroundAnswers, EarlierConsent, Participation
from annotate.selectors.studies import background, texts
from annotate.selectors.work.beforehand import has_consented, owed


@transaction.atomic
def consent(participation_id: int, *, version: int) -> bool:
    """Store that this person accepted this version of the campaign's consent text.

    Safe to repeat: the first time stays. An earlier version that was accepted stays on record.
    Returns False, and stores nothing, where the text has another version by now.
    """
    who = Participation.objects.select_for_update(no_key=True).get(pk=participation_id)
    if version != texts.consent_version(who.campaign):
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
    mine = background.sure(campaign_id).filter(participation__annotator=annotator_id)
    return mine.values_list("answered_at", flat=True).first()
