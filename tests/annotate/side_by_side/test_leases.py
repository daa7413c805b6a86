"""Where texts stand side by side, one person rates those of an item one after the other."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Assignment, Participation, Slot, System
from annotate.work import leasing, picking
from tests.annotate.side_by_side.studies import items, rows, seen, study, submit, work
from tests.factories import leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def in_hand(who: Participation) -> list[int]:
    mine = Assignment.objects.filter(participation=who, status="leased").order_by("pk")
    return list(mine.values_list("output__item__position", flat=True))


def end(who: Participation) -> None:
    """Let the time of this person's tasks run out."""
    mine = Assignment.objects.filter(participation=who, status="leased")
    mine.update(expires_at=timezone.now() - timedelta(seconds=1))


def test_a_person_rates_all_texts_of_an_item_before_the_next():
    done = work(person(study(items=4)))
    assert items(done) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.slow
def test_from_the_first_to_the_last_on_the_page():
    who = person(study(items=3, systems="ABCDE"))
    for n in range(15):
        texts, place = seen(leased(who)), n % 5
        assert [text.is_rated for text in texts].index(True) == place
        assert [bool(text.answer) for text in texts] == [True] * place + [False] * (5 - place)
        submit(who, leased(who).pk)


@pytest.mark.slow
def test_the_orders_of_people_differ():
    made = study(items=8, systems="AB", double_share=1, annotator_cap=None)
    first, second = (work(person(made, name)) for name in ("p1", "p2"))
    orders = [[one.output.text for one in done] for done in (first, second)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_somebody_else_begins_another_item():
    made = study(items=6)
    people = [person(made, f"p{n}") for n in range(3)]
    done = [work(people[turn % 3], turns=1)[0] for turn in range(9)]
    for n in range(3):
        assert items(done[n::3]) == [n, n, n]


def test_also_while_both_have_a_task_in_hand():
    made = study(items=6)
    first, second = person(made, "p1"), person(made, "p2")
    for who in (first, second):
        leasing.lease_ahead(who.pk, after=leased(who).pk)
    assert in_hand(first) == [0, 0]
    assert in_hand(second) == [1, 1]
    assert items(work(first, turns=4)) == [0, 0, 0, 2]


def test_the_last_texts_go_to_whoever_is_there():
    """Nothing else is free: an item is shared rather than left."""
    made = study(items=1)
    first, second = person(made, "p1"), person(made, "p2")
    leased(first)
    assert items(work(second)) == [0, 0]


def test_what_somebody_leaves_is_taken_by_the_next():
    made = study(items=6)
    first, second = person(made, "p1"), person(made, "p2")
    work(first, turns=1)
    end(first)
    done = work(second, turns=4)
    assert items(done) == [0, 0, 1, 1]
    assert len(seen(done[0])) == 3


def test_the_item_in_progress_comes_before_one_that_was_left():
    """Texts of an earlier item come back in the middle of a later one: that is finished first."""
    made = study(items=6)
    who, other = person(made, "p1"), person(made, "p2")
    assert items(work(who, turns=1)) == [0]
    end(who)
    leasing.lease_ahead(other.pk, after=leased(other).pk)  # all that was left of the item
    assert items(work(who, turns=1)) == [1]
    end(other)
    assert items(work(who, turns=4)) == [1, 1, 0, 0]


def test_a_second_judge_takes_the_whole_item_later():
    made = study(items=2, double_share=1)
    first, second = person(made, "p1"), person(made, "p2")
    work(first, turns=1)
    assert items(work(second, turns=1)) == [1]
    assert items(work(first)) == [0, 0, 1, 1, 1]
    assert items(work(second)) == [1, 1, 0, 0, 0]
    assert not Slot.objects.filter(assignment=None).exists()


def test_at_the_cap_the_rest_of_the_item_goes_to_somebody_else():
    made = study(items=2, annotator_cap=2)
    assert items(work(person(made, "p1"))) == [0, 0]
    assert items(work(person(made, "p2"))) == [0, 1]
    assert items(work(person(made, "p3"))) == [1, 1]


def test_a_system_that_has_stopped_is_shown_and_not_asked_about():
    made = study(items=3)
    System.objects.filter(campaign=made, name="B").update(stop_position=0)
    done = work(person(made))
    assert items(done) == [0, 0, 1, 1, 2, 2]
    assert not [one for one in done if one.output.text.startswith("B")]
    assert {len(seen(one)) for one in done} == {3}


def test_texts_that_are_the_same_are_one():
    texts = [row for row in rows(1) if row.system != "C"] + [rows(1, "A")[0]]
    texts[-1] = type(texts[0])("i0", "C", texts[0].output)
    done = work(person(study(texts=texts)))
    assert items(done) == [0, 0]
    assert [len(seen(one)) for one in done] == [2, 2]


def test_a_gap_far_before_comes_first():
    """The frontier would wait: the rest of an item is left where a slot is free 50 items before."""
    made = study(items=60, systems="AB", annotator_cap=None)
    who, other = person(made, "p1"), person(made, "p2")
    slots = Slot.objects.filter(campaign=made)
    mine = leased(other)
    held = slots.filter(position__lt=55, assignment=None)
    kept = list(held.values_list("pk", flat=True))
    leased_all = Assignment.objects.bulk_create(
        Assignment(
            campaign=made,
            participation=other,
            annotator=other.annotator,
            output_id=output,
            status="verified",
            leased_at=mine.leased_at,
            expires_at=mine.expires_at,
            ended_at=mine.leased_at,
        )
        for output in slots.filter(pk__in=kept).values_list("output", flat=True)
    )
    for slot, assignment in zip(slots.filter(pk__in=kept), leased_all, strict=True):
        Slot.objects.filter(pk=slot.pk).update(assignment=assignment)
    assert items([leased(who)]) == [55]
    leasing.give_back(mine.pk, participation_id=other.pk)
    submit(who, leased(who).pk)
    assert in_hand(who) == [0]


def test_a_lease_that_was_too_late_is_tried_again(monkeypatch):
    made = study(items=3)
    first, second = person(made, "p1"), person(made, "p2")
    work(person(made, "p0"), turns=1)
    held = leased(first).output.item.position
    real, picked = picking.pick_side_by_side, []

    def pick(*args, **how):
        slot = real(*args, **how)
        if not picked:
            free = Slot.objects.filter(campaign=made, position=held, assignment=None).first()
            slot = replace(slot, slot=free, begins=True)
        picked.append(slot)
        return slot

    monkeypatch.setattr(picking, "pick_side_by_side", pick)
    assert leased(second).output.item.position not in (0, held)
    assert len(picked) == 2
    assert Assignment.objects.filter(participation=second).count() == 1
