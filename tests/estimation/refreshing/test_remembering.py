"""What a worker remembers between refreshes equals what it would read anew, after every step."""

import logging
import math
import random
import time
from collections import OrderedDict

import numpy as np
import pytest

from annotate.models import ChangeMark, Judgment
from annotate.selectors.campaigns import counting
from annotate.services.work import scoring
from estimation import data
from estimation.models import Comparison, Decision, Estimate
from estimation.selectors.history import estimate_rows
from estimation.services import estimating, memory, quick, stopping
from estimation.services.watermark import Watermark
from tests.estimation.ranked import crowd, ranked
from tests.estimation.ranked import judge as collected
from tests.estimation.refreshing.acting import FAR, World
from tests.estimation.refreshing.recounting import as_bytes, read_only_what_is_new, recounted, told
from tests.factories import campaign, judge, person
from tests.seeds import walks

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _from_the_first_judgment(monkeypatch, no_screens):
    read_only_what_is_new(monkeypatch)


@pytest.fixture
def quickly(monkeypatch):
    """The campaigns of refreshes that read only what was new."""
    told = []

    def estimate(brief, *rest, **how):
        made(brief, *rest, **how)
        told.append(brief.campaign_id)

    made = quick.estimate
    monkeypatch.setattr(quick, "estimate", estimate)
    return told


def assert_as_read_anew(study):
    facts = memory.of(study.pk).facts
    brief = counting.brief(study.pk)
    seen = data.see(brief)
    for remembered, full in (
        (facts.seen.scores, seen.scores),
        (facts.seen.everybody, seen.everybody),
    ):
        assert (remembered is None) == (full is None)
        if full is not None:
            assert_same(remembered, full)
    found, _compared = estimating.findings(brief, seen)
    mine = [one for system in seen.systems for one in facts.findings.get(system.system_id, [])]
    assert [shown(one) for one in mine] == [shown(one) for one in found]
    stored = {(row.system_id, row.criterion): row for row in estimate_rows(study.pk)}
    for one in found:
        row = stored[one.system.system_id, one.criterion.name]
        assert (row.estimate, row.n_judgments) == (one.estimate.estimate, one.estimate.n_judgments)
        assert row.width == (one.interval and one.interval.width)


def assert_same(remembered, full):
    for name in ("judgment", "output", "annotator"):
        assert getattr(remembered, name).tolist() == getattr(full, name).tolist()
    assert remembered.value.keys() == full.value.keys()
    for name, row in full.value.items():
        assert np.array_equal(remembered.value[name], row, equal_nan=True)
    assert remembered.waiting == full.waiting
    order = remembered.others[0].argsort()
    assert remembered.others[:, order].tolist() == full.others.tolist()


def shown(finding):
    """All that is stored of a finding, to the last digit."""
    return (
        finding.system.system_id,
        finding.criterion.name,
        repr(finding.estimate),
        repr(finding.mean),
        repr(finding.with_excluded),
        finding.verdict,
        finding.interval,
    )


@pytest.mark.slow
@pytest.mark.parametrize("crowd", [False, True])
@pytest.mark.parametrize("seed", walks(3))
def test_whatever_people_do_it_equals_what_is_read_anew(seed, crowd, quickly, caplog):
    world = World(seed, crowd=crowd)
    for _ in range(40):
        world.step()
        estimating.refresh(world.study.pk)
        assert_as_read_anew(world.study)
    assert len(quickly) > 5
    assert "not remembered" not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("seed", walks(2))
def test_workers_that_take_turns_know_what_the_others_did(seed, monkeypatch, quickly):
    """Two processes, one of which may be killed and begins with nothing."""
    world, chance = World(seed, crowd=True), random.Random(seed)
    minds = [OrderedDict(), OrderedDict()]
    for _ in range(40):
        world.step()
        if chance.random() < 0.1:
            minds[0] = OrderedDict()
        monkeypatch.setattr(memory, "_kept", chance.choice(minds))
        if estimating.refresh(world.study.pk):
            assert_as_read_anew(world.study)
    assert len(quickly) > 5


def judged(n=12, people=4, items=30, **changes):
    study = campaign(items=items, targets=FAR, annotator_cap=None, **changes)
    for i in range(n):
        judge(person(study, f"p{i % people}"), overall=(1, 0, -1)[i % 3], edit=f"It met, {i}.")
    estimating.refresh(study.pk)
    return study


@pytest.mark.slow
def test_in_a_ranking_the_pairs_of_systems_with_new_judgments_are_compared_again(quickly):
    """And what is remembered of the other pairs is what a comparison of all finds."""
    study = ranked(items=20, systems=("good", "fair", "poor"), margins={"overall": 1e-6})
    people = crowd(study, 8)
    collected(study, people, 30)
    estimating.refresh(study.pk)
    for i in range(4):
        before = Comparison.objects.count()
        collected(study, people, 1, seed=i)
        estimating.refresh(study.pk)
        new = Comparison.objects.order_by("pk")[before:]
        brief = counting.brief(study.pk)
        _found, whole = estimating.findings(brief, data.see(brief))
        assert [pair_shown(one) for one in memory.of(study.pk).facts.compared] == [
            pair_shown(one) for one in whole
        ]
        assert [(one.difference, one.low) for one in new] == [
            (one.difference.estimate, one.interval and one.interval.low) for one in whole
        ]
    assert len(quickly) == 4


def pair_shown(one):
    """All that is known of a pair before the ranking, to the last digit."""
    return one.first.system_id, one.second.system_id, one.criterion.name, repr(one.difference)


@pytest.mark.slow
def test_only_systems_with_new_judgments_get_new_rows(quickly):
    study = judged()
    before = Estimate.objects.count()
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert quickly == [study.pk]
    new = Estimate.objects.order_by("pk")[before:]
    assert len({row.system_id for row in new}) == 1
    assert len(new) == 4


@pytest.mark.slow
def test_what_is_left_for_later_is_a_mark_and_is_done_once_it_is_due(monkeypatch, quickly):
    study = judged()
    judge(person(study, "late"))
    assert estimating.refresh(study.pk)
    assert [mark.reason for mark in ChangeMark.objects.all()] == ["put off"]
    assert not estimating.refresh(study.pk)
    memory.of(study.pk).facts.until = 0.0
    assert estimating.refresh(study.pk)
    assert not ChangeMark.objects.exists()
    assert quickly == [study.pk]


def test_while_many_come_the_facts_are_read_again_for_a_tenth_of_the_time(monkeypatch, quickly):
    study = judged()
    monkeypatch.setattr(memory, "GROWTH", 1.0)
    mind = memory.of(study.pk)
    facts = mind.facts
    assert facts is not None
    began = time.monotonic() - 7  # this full refresh took so many seconds
    mind.begin(
        facts.brief, facts.seen, [], facts.compared, epoch=facts.epoch, newest=10**9, began=began
    )
    assert mind.facts.grown_from == pytest.approx(time.monotonic() + 70, abs=5)
    facts.grown_from, mind.facts = math.inf, facts
    judge(person(study, "one of many"))
    estimating.refresh(study.pk)
    assert quickly == [study.pk]
    facts.grown_from = 0.0
    judge(person(study, "another"))
    estimating.refresh(study.pk)
    assert quickly == [study.pk]
    assert memory.of(study.pk).facts is not facts


@pytest.mark.parametrize(("spacing", "at_once"), [(0.0, True), (60.0, False)])
def test_what_comes_in_a_long_round_has_the_next_one(monkeypatch, settings, spacing, at_once):
    """A round is long where the next one is due before its end."""
    settings.REFRESH_SECONDS = spacing
    study, read = judged(), []

    def estimate(brief, changes, *rest, **how):
        made(brief, changes, *rest, **how)
        read.append(len(changes))
        if len(read) == 1:
            judge(person(study, "meanwhile"))

    made = quick.estimate
    monkeypatch.setattr(quick, "estimate", estimate)
    judge(person(study, "first"))
    estimating.refresh(study.pk)
    assert len(read) == 1 + at_once
    assert set(counting.changes(study.pk).values()) == (
        {"put off"} if at_once else {"put off", "judgment"}
    )


@pytest.mark.slow
def test_a_killed_worker_leaves_the_mark_to_another(quickly):
    study = judged()
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    memory.forget()
    assert estimating.refresh(study.pk)
    assert not ChangeMark.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["value", "annotator", "output", "overlooked", "too many"])
def test_a_difference_is_logged_and_heals(what, caplog):
    study = judged()
    followed = memory.of(study.pk).facts.followed
    if what == "value":
        followed._value[0, 3] += 1
    elif what == "annotator":
        followed._ids[2, 3] += 1
    elif what == "output":
        followed._ids[1, 3] += 1
    elif what == "too many":
        followed._ids[0, followed.n - 1] += 1000
    else:
        keep = np.arange(followed.n) != 3
        followed._ids, followed._value = followed._ids[:, keep], followed._value[:, keep]
        followed.n -= 1
        memory.of(study.pk).facts.watermark = Watermark()
        memory.of(study.pk).facts.watermark.looked(10**9)
    memory.of(study.pk).facts.until = 0.0
    judge(person(study, "late"))
    with caplog.at_level(logging.ERROR):
        estimating.refresh(study.pk)
    assert "not remembered as it is" in caplog.text
    assert_as_read_anew(study)


@pytest.mark.slow
def test_a_full_recount_of_what_is_right_logs_nothing(caplog):
    study = judged()
    for i in range(3):
        judge(person(study, f"late {i}"))
        estimating.refresh(study.pk)
    memory.of(study.pk).facts.until = 0.0
    judge(person(study, "last"))
    estimating.refresh(study.pk)
    assert "not remembered" not in caplog.text


@pytest.mark.slow
def test_what_is_decided_comes_from_all_facts(monkeypatch, quickly):
    """A poisoned memory says that the target is reached: nothing follows from that."""
    study = judged(n=45, people=15, items=60, systems=("alpha",), double_share=0)
    followed = memory.of(study.pk).facts.followed
    study.targets.update(width=0.9 * Estimate.objects.get(criterion="overall").width)
    mind = memory.of(study.pk).facts
    mind.brief = counting.brief(study.pk)
    followed._value[:] = 1.0
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert quickly == []
    assert not Decision.objects.exists()
    assert_as_read_anew(study)


@pytest.mark.slow
def test_every_decision_stores_a_recount_of_all_facts_byte_for_byte(monkeypatch, quickly):
    """What is remembered is a little wrong each time: nothing of it enters a decision."""
    world = World(4, people=9)
    study, verbs = world.study, set()

    def carry_out(acts, rows, compared, **beside):
        if acts:
            stored = as_bytes(told(Estimate.objects.filter(pk__in=[row.pk for row in rows])))
            assert [stored] * 2 == [as_bytes(recounted(study)) for _again in range(2)]
            verbs.update(act.verb for act in acts)
        made(acts, rows, compared, **beside)

    made = stopping.carry_out
    monkeypatch.setattr(stopping, "carry_out", carry_out)
    study.targets.update(width=1.7)
    for _ in range(120):
        world.judge()
        estimating.refresh(study.pk)
        if "finish" in verbs:
            break
        if (facts := memory.of(study.pk).facts) is not None:
            facts.followed._value *= 1 - 1e-9
    assert verbs >= {"stop_system", "close", "finish"}
    assert len(quickly) > 5


@pytest.mark.slow
def test_a_judgment_whose_transaction_was_slow_takes_its_place():
    """Its id is lower than those of judgments that were seen before it."""
    study = judged()
    followed = memory.of(study.pk).facts.followed
    keep = np.arange(followed.n) != 5
    followed._ids, followed._value = followed._ids[:, keep], followed._value[:, keep]
    followed.n -= 1
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert_same(memory.of(study.pk).facts.seen.scores, counting.scores(study.pk))


@pytest.mark.slow
def test_a_judgment_without_scores_is_overlooked_by_no_refresh(quickly):
    study = judged()
    memory.of(study.pk).scored = Watermark()
    memory.of(study.pk).scored.looked(10**9)
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert quickly == []
    assert_as_read_anew(study)
    assert not Judgment.objects.filter(scores=None).exists()


@pytest.mark.slow
def test_memory_is_bounded(monkeypatch):
    first, second = judged(), judged()
    assert memory.of(first.pk).facts
    monkeypatch.setattr(memory, "ROWS", memory.of(second.pk).facts.rows + 5)
    ChangeMark.objects.create(campaign=second, reason="test")
    estimating.refresh(second.pk)
    assert memory.of(second.pk).facts
    assert memory.of(first.pk).facts is None
    judge(person(first, "late"))
    estimating.refresh(first.pk)
    assert_as_read_anew(first)
    monkeypatch.setattr(memory, "CAMPAIGNS", 1)
    memory.of(second.pk)
    assert len(memory._kept) == 1


def test_a_watermark_looks_again_at_ids_of_the_last_minute(monkeypatch):
    now = 1000.0
    monkeypatch.setattr("estimation.services.watermark.time.monotonic", lambda: now)
    mark = Watermark()
    assert mark.after == 0
    for newest in (50_000, 60_000, 70_000):
        mark.looked(newest)
        assert mark.after == 49_000 if newest == 50_000 else mark.after == 50_000
        now += 40
    assert mark.after == 60_000
    now += 40
    assert mark.after == 69_000
    scoring.ensure(0, after=mark.after)
