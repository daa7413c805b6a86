"""Every verb of assignments and slots against every state of theirs."""

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.common import locks
from annotate.models import (
    Assignment,
    Participation,
    Slot,
)
from annotate.work import leasing, participations, slots, submitting
from tests.annotate.states import standing
from tests.annotate.states.trying import Moves, Verb, cases, done, records
from tests.factories import GOOD, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def submit(task: Assignment) -> bool:
    said = submitting.submit_judgment(task.pk, participation_id=task.participation_id, raw=GOOD)
    return not said.already


def give_back(task: Assignment) -> None:
    leasing.give_back(task.pk, participation_id=task.participation_id)


def confirm(task: Assignment) -> int:
    """What follows when the crowd confirms the paid unit."""
    who = task.participation
    sources = [Participation.Status.ACTIVE]
    participations.move(who.pk, Participation.Status.CONFIRMED, sources=sources)
    locks.campaign(who.campaign_id)
    return participations.verify(who, now=timezone.now())


def lose(task: Assignment) -> int:
    locks.campaign(task.campaign_id)
    return participations.lose(task.participation, now=timezone.now())


JUDGED = ("submitted", "verified")
OF_ASSIGNMENT: dict[str, tuple[Verb, Moves]] = {
    "submit": (submit, dict.fromkeys(("leased", "expired", "returned"), "verified")),
    "give_back": (give_back, {"leased": "returned"}),
    "expire_due": (
        lambda task: leasing.expire_due(task.campaign_id, now=timezone.now()),
        {"leased": "expired"},
    ),
    "end_open": (
        lambda task: leasing.end_open(task.campaign_id, task.annotator_id, now=timezone.now()),
        {"leased": "returned"},
    ),
    "verify": (confirm, {"leased": "returned", "submitted": "verified"}),
    "lose": (lose, dict.fromkeys(("leased", *JUDGED), "returned")),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_ASSIGNMENT, Assignment.Status))
def test_assignments(verb: Verb, state: str, to: str):
    task = standing.an_assignment(state)
    source, before = task.status, records(task)
    done(verb, task)
    task.refresh_from_db()
    assert task.status == to
    assert Slot.objects.filter(assignment=task).exists() == (to in Assignment.HELD)
    if to != source:
        assert records(task) > before


def test_judged_work_that_was_lost_comes_back_with_its_unit():
    task = standing.an_assignment("submitted")
    lose(task)
    assert not Slot.objects.filter(assignment=task).exists()
    confirm(task)
    task.refresh_from_db()
    assert task.status == "verified"
    assert Slot.objects.filter(assignment=task).exists()


def test_several_assignments_move_together_or_not_at_all():
    first = standing.an_assignment("submitted")
    second = leased(person(first.campaign, "p2"))
    both = [first.pk, second.pk]
    with pytest.raises(AssertionError, match="locked"), transaction.atomic():
        slots.move(
            both,
            Assignment.Status.RETURNED,
            campaign_id=first.campaign_id,
            sources=[Assignment.Status.SUBMITTED],
        )
    assert set(Assignment.objects.values_list("status", flat=True)) == {"submitted", "leased"}


SLOT_VERBS = ("take", "take_for", "take_or_add", "free")
HOLDERS = ("free", "mine", "another")
# Callers of `take_or_add` ask for work that holds no slot.
OF_SLOT = [(v, h) for v in SLOT_VERBS for h in HOLDERS if (v, h) != ("take_or_add", "mine")]


@pytest.mark.parametrize(("verb", "holder"), OF_SLOT)
def test_slots(verb: str, holder: str):
    task = standing.an_assignment("returned")
    slot = Slot.objects.filter(output=task.output_id).earliest("number")
    Slot.objects.filter(output=task.output_id).exclude(pk=slot.pk).delete()
    if holder != "free":
        held = task if holder == "mine" else leased(person(task.campaign, "p2"))
        Slot.objects.filter(assignment=held).update(assignment=None)
        Slot.objects.filter(pk=slot.pk).update(assignment=held)
    before = Slot.objects.get(pk=slot.pk).assignment_id
    got = {
        "take": lambda: slots.take(slot.pk, task.pk),
        "take_for": lambda: slots.take_for(task),
        "take_or_add": lambda: slots.take_or_add(task),
        "free": lambda: bool(slots.free([task.pk], campaign_id=task.campaign_id)),
    }
    said = got[verb]()
    after = Slot.objects.get(pk=slot.pk).assignment_id
    moves = {("take", "free"), ("take_for", "free"), ("take_or_add", "free"), ("free", "mine")}
    if (verb, holder) in moves:
        assert said in (True, None)
        assert after == (None if verb == "free" else task.pk)
    else:
        assert not said
        assert after == before
    added = Slot.objects.filter(output=task.output_id).exclude(pk=slot.pk)
    assert [one.assignment_id for one in added] == (
        [task.pk] if (verb, holder) == ("take_or_add", "another") else []
    )
