"""Prolific's people: messages to them, and the groups that keep them out."""

from annotate.crowds.contract import Effect
from tests.crowds.far_side import Fault
from tests.crowds.prolific.test_prolific import crowd, far, publish

__all__ = ["crowd", "far"]  # fixtures


def test_messages_go_to_each_person_who_took_part(far, crowd):
    listing = publish(crowd)
    for number in (1, 2):
        far.accept(listing, far.person(number))
    far.world.unreachable.add(far.person(2))
    people = [far.person(number) for number in (1, 2, 3)]
    outcome = crowd.message(people, "Your pay", "It is on its way.")
    assert outcome.effect is Effect.APPLIED
    assert far.world.messages == [
        {
            "recipient_id": far.person(1),
            "study_id": listing,
            "body": "Your pay\n\nIt is on its way.",
        }
    ]


def test_nobody_reached_is_no_success(far, crowd):
    listing = publish(crowd)
    far.accept(listing, far.person(1))
    assert crowd.message([far.person(2)], "", "Hello").effect is Effect.REFUSED
    far.fail_next("message", Fault.THROTTLE)
    assert crowd.message([far.person(1)], "", "Hello").effect is Effect.RETRYABLE
    assert far.world.messages == []


def test_a_group_is_made_once_and_may_be_named_by_its_id(far, crowd):
    crowd.set_excluded(far.person(1), True, group="study-a")
    (made,) = far.world.groups
    crowd.set_excluded(far.person(2), True, group="study-a")
    crowd.set_excluded(far.person(3), True, group=made)
    assert far.world.groups[made]["members"] == {far.person(number) for number in (1, 2, 3)}
    assert list(far.world.groups) == [made]
