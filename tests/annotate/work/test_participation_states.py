"""The states of a participation: one table, one writer."""

import pytest

from annotate.models import AuditEntry, Participation
from annotate.work.participations import TRANSITIONS, move
from tests.factories import campaign, person

Status = Participation.Status

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign())


def acts(who: Participation) -> list[str]:
    mine = AuditEntry.objects.filter(subject=f"participation:{who.pk}").order_by("pk")
    return list(mine.values_list("verb", flat=True))


def test_a_move_changes_the_fields_and_is_logged(who):
    assert move(who.pk, Status.LEFT, sources=[Status.ACTIVE, Status.HANDED_IN], problem="gone")
    who.refresh_from_db()
    assert (who.status, who.problem) == (Status.LEFT, "gone")
    assert acts(who) == ["participation_left"]


def test_who_comes_second_changes_nothing(who):
    assert move(who.pk, Status.HANDED_IN, sources=[Status.ACTIVE])
    assert not move(who.pk, Status.LEFT, sources=[Status.ACTIVE], problem="too late")
    who.refresh_from_db()
    assert (who.status, who.problem) == (Status.HANDED_IN, "")
    assert acts(who) == ["participation_handed_in"]


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (Status.APPROVED, Status.REJECTED),
        (Status.HANDED_IN, Status.APPROVED),
        (Status.CONFIRMED, Status.ACTIVE),
        (Status.REJECTED, Status.ACTIVE),
        (Status.HANDED_IN, Status.ACTIVE),
    ],
)
def test_what_the_table_does_not_hold_is_an_error(who, source, to):
    with pytest.raises(ValueError, match="cannot go"):
        move(who.pk, to, sources=[source])
    assert acts(who) == []


def test_every_state_stands_in_the_table_and_approved_is_the_end():
    assert set(TRANSITIONS) == set(Status)
    assert not TRANSITIONS[Status.APPROVED]
