"""Every verb of paid units against every state of theirs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.crowds import people, reconciling
from annotate.crowds.contract import Submission, UnitState
from annotate.models import (
    Participation,
)
from annotate.work import participations
from tests.annotate.market import claim
from tests.annotate.states import standing
from tests.annotate.states.trying import Moves, Verb, cases, check

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def seen(state: UnitState) -> Verb:
    def take(who: Participation) -> None:
        listed = Submission(
            listing=who.listing,
            unit=who.external_key,
            person=who.annotator.external_id,
            state=state,
            receipt=who.receipt,
            submitted_at=timezone.now(),
        )
        reconciling.take(who.posting_id, listed)

    return take


def lapse(who: Participation) -> int:
    long_ago = timezone.now() - timedelta(days=3)
    Participation.objects.filter(pk=who.pk).update(deadline_at=long_ago)
    return reconciling.lapse(who.posting, set())


def come_again(who: Participation) -> None:
    given = claim(who.posting)
    participations.arrive(who.posting.public_id, given, verified=False)


HERE = ("active", "handed_in")
OF_PARTICIPATION: dict[str, tuple[Verb, Moves]] = {
    "arrive": (come_again, {"left": "active"}),
    "hand_in": (lambda who: participations.hand_in(who.pk), {"active": "handed_in"}),
    "leave": (
        lambda who: reconciling.leave(who.pk),
        dict.fromkeys((*HERE, "confirmed"), "left"),
    ),
    "lapse": (lapse, dict.fromkeys(HERE, "left")),
    "listed": (seen(UnitState.SUBMITTED), dict.fromkeys((*HERE, "left"), "confirmed")),
    "listed_approved": (
        seen(UnitState.APPROVED),
        dict.fromkeys((*HERE, "left", "confirmed", "rejected"), "approved"),
    ),
    "listed_rejected": (
        seen(UnitState.REJECTED),
        dict.fromkeys((*HERE, "left", "confirmed"), "rejected"),
    ),
    "listed_returned": (
        seen(UnitState.RETURNED),
        dict.fromkeys((*HERE, "confirmed"), "left"),
    ),
    "approved": (
        lambda who: people.approved(who.pk),
        dict.fromkeys(("confirmed", "rejected"), "approved"),
    ),
    "rejected": (lambda who: people.rejected(who.pk), {"confirmed": "rejected"}),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_PARTICIPATION, Participation.Status))
def test_participations(verb: Verb, state: str, to: str):
    check(verb, standing.a_participation(state), to)
