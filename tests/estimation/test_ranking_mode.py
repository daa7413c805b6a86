"""A campaign that ranks: what decides a pair, who leaves, when it closes, and what undoes that."""

from itertools import combinations

import pytest
from django.db import IntegrityError, transaction

from annotate.campaigns import facts, life
from annotate.campaigns.problems import Row
from annotate.models import Assignment, Campaign, Slot, System, Target
from annotate.models.base import CloseReason
from estimation import facts as facts_module
from estimation import read, refresh
from estimation.core import Difference, PairState, ranking
from estimation.models import Comparison, Decision, Estimate
from tests.estimation.ranked import crowd, judge, ranked

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]
THREE = ("good", "fair", "poor")


def newest(made: Campaign) -> dict[tuple[str, str], Comparison]:
    rows = read.newest_comparisons([made.pk]).select_related("first", "second")
    return {(row.first.name, row.second.name): row for row in rows}


def found_now(made: Campaign) -> dict[tuple[str, str], Difference]:
    """The paired differences of the evidence that counts now."""
    design = facts.design(made.pk)
    _, compared = refresh.findings(design, facts_module.evidence(design))
    return {(one.first.name, one.second.name): one.difference for one in compared}


def stops(made: Campaign) -> dict[str, int | None]:
    return dict(System.objects.filter(campaign=made).values_list("name", "stop_position"))


@pytest.mark.slow
def test_it_closes_when_every_pair_is_decided():
    made = ranked(systems=THREE)
    judge(made, crowd(made), 400, every=10)
    made.refresh_from_db()
    assert (made.status, made.close_reason) == ("closed", CloseReason.RANKED)
    rows = newest(made)
    assert {pair: row.detail["outcome"] for pair, row in rows.items()} == dict.fromkeys(
        combinations(THREE, 2), "first"
    )
    assert {(row.interval, row.provisional) for row in rows.values()} == {("sequence", False)}
    assert {row.interval for row in Estimate.objects.filter(campaign=made)} == {"sequence"}
    assert all(30 <= row.n_items < 60 for row in rows.values())
    told = list(Decision.objects.filter(campaign=made).order_by("pk"))
    assert [one.verb for one in told] == ["stop_system"] * 3 + ["close", "finish"]
    assert {one.reason for one in told} == {"ranked"}
    assert [one.comparisons.count() for one in told] == [2, 2, 2, 3, 3]
    assert not told[-1].comparisons.filter(provisional=True).exists()


@pytest.mark.slow
def test_intervals_are_those_of_all_pairs_together():
    made = ranked(systems=THREE, margins={"overall": 0.05, "fluency": 0.05})
    judge(made, crowd(made, 12), 100)
    rows = [row for row in read.newest_comparisons([made.pk]) if row.criterion == "overall"]
    states = {pair: PairState.of(one) for pair, one in found_now(made).items()}
    # Two criteria and three pairs share alpha.
    verdict = ranking(states, margin=0.05, level=1 - 0.05 / 2, planned_items=40)
    assert len(rows) == 3
    for row in rows:
        said = verdict.pairs[row.first.name, row.second.name]
        assert row.low == pytest.approx(said.low)
        assert row.high == pytest.approx(said.high)
        assert (row.detail["pairs"], row.detail["margin"]) == (6, 0.05)
    assert {row.criterion for row in read.newest_comparisons([made.pk])} == {"overall", "fluency"}


@pytest.mark.slow
def test_a_system_that_is_settled_leaves_and_its_pairs_stay_as_they_are():
    made = ranked(systems=("good", "fair", "alike"), margins={"overall": 0.2}, annotator_cap=None)
    people = crowd(made)
    while stops(made)["good"] is None:
        assert judge(made, people, 15, every=15, seed=Assignment.objects.count())
    left = stops(made)["good"]
    assert {name: stop for name, stop in stops(made).items() if stop is not None} == {"good": left}
    before = newest(made)
    judge(made, people, 45, seed=7)
    after = newest(made)
    for pair in (("good", "fair"), ("good", "alike")):
        assert after[pair].n_items == left
        assert after[pair].detail["outcome"] == "first"
    assert after["fair", "alike"].n_items > before["fair", "alike"].n_items
    held = Slot.objects.filter(assignment__isnull=False)
    of_good = held.filter(output__authorships__system__name="good")
    assert max(of_good.values_list("position", flat=True)) < left


@pytest.mark.slow
def test_what_others_bring_of_a_shared_output_does_not_enter():
    rows = [
        Row(f"i{i:03}", system, text)
        for i in range(90)
        for system in ("good", "fair", "poor")
        # From item 40 on, fair and good wrote the same.
        for text in [f"{'fair' if system == 'good' and i >= 40 else system} on district {i}."]
    ]
    made = ranked(rows_=rows, margins={"overall": 0.05}, double_share=0)
    judge(made, crowd(made), 130)
    System.objects.filter(campaign=made, name="good").update(stop_position=32)
    assert found_now(made)["good", "fair"].n_items == 32
    assert found_now(made)["fair", "poor"].n_items > 40


@pytest.mark.slow
def test_it_goes_on_where_the_drain_leaves_a_pair_open():
    made = ranked(systems=("fair", "alike"), margins={"overall": 0.05})
    judge(made, crowd(made), 70)
    assert life.close(made.pk, CloseReason.RANKED)
    refresh.refresh(made.pk)
    made.refresh_from_db()
    assert (made.status, made.close_reason) == ("open", "")
    told = Decision.objects.get(campaign=made, verb="resume")
    assert (told.reason, told.comparisons.count()) == ("open_after_drain", 1)
    assert told.text == "With all items finished, pairs are open again between fair, alike."
    assert stops(made) == {"fair": None, "alike": None}


@pytest.mark.slow
def test_a_system_whose_pair_is_open_again_resumes():
    made = ranked(systems=("fair", "alike"), margins={"overall": 0.05})
    judge(made, crowd(made), 70)
    life.stop_system(System.objects.get(campaign=made, name="fair").pk, reason="ranked")
    judge(made, crowd(made), 1)
    assert stops(made) == {"fair": None, "alike": None}
    told = Decision.objects.get(campaign=made, verb="resume_system")
    assert told.text == "With its last items finished, a pair with fair is open again."


@pytest.mark.slow
def test_running_out_of_items_closes_it_with_pairs_open():
    made = ranked(items=35, systems=("fair", "alike"), margins={"overall": 0.05})
    judge(made, crowd(made), 200)
    made.refresh_from_db()
    assert (made.status, made.close_reason) == ("closed", CloseReason.EXHAUSTED)
    assert newest(made)["fair", "alike"].detail["outcome"] == "open"


@pytest.mark.slow
@pytest.mark.parametrize(("shared", "outcome"), [(35, "open"), (60, "close")])
def test_being_identical_so_far_is_not_being_identical(shared, outcome):
    rows = [
        Row(f"i{i:03}", system, f"{'fair' if i < shared else system} on district {i}.")
        for i in range(60)
        for system in ("fair", "alike")
    ]
    made = ranked(rows_=rows, double_share=0)
    at = dict(made.items.values_list("key", "position"))
    if shared < 60:  # the items that differ come last
        for i in range(60):
            made.items.filter(key=f"i{i:03}").update(position=1000 + i)
        for key in at:
            made.items.filter(key=key).update(position=int(key[1:]))
            Slot.objects.filter(output__item__key=key, campaign=made).update(position=int(key[1:]))
    judge(made, crowd(made), 33)
    pair = newest(made)["fair", "alike"]
    assert (pair.difference, pair.n_items) == (0, 33)
    assert pair.detail["outcome"] == outcome
    assert (pair.low, pair.high) == ((0, 0) if outcome == "close" else (None, None))


@pytest.mark.slow
@pytest.mark.parametrize(("people", "needs"), [(4, "people"), (24, "items")])
def test_few_people_decide_nothing(people, needs):
    made = ranked(systems=("good", "fair"), margins={"overall": 0.3}, annotator_cap=None)
    judge(made, crowd(made, people), 72)
    pair = newest(made)["good", "fair"]
    assert pair.n_items >= 30
    if people == 4:
        assert (pair.detail["outcome"], pair.detail["needs"]) == ("open", needs)
        assert stops(made) == {"good": None, "fair": None}
    else:
        assert pair.detail["outcome"] == "first"


@pytest.mark.slow
def test_exactly_these_annotators_may_be_few():
    made = ranked(
        systems=("good", "fair"), margins={"overall": 0.3}, annotator_cap=None, estimand="panel"
    )
    judge(made, crowd(made, 4), 70)
    assert newest(made)["good", "fair"].detail["outcome"] == "first"


def test_a_target_has_a_width_or_a_margin():
    made = ranked(systems=("good", "fair"))
    target = Target.objects.get(campaign=made)
    assert (target.width, target.margin, made.planned_items) == (None, 0.5, 40)
    for change in ({"width": 0.2}, {"margin": None}, {"margin": 0}, {"margin": -1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Target.objects.filter(pk=target.pk).update(**change)
