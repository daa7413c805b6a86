"""What a worker remembers between refreshes equals what it would read anew, after every step."""

import logging
import random
from collections import OrderedDict

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Assignment, ChangeMark, Judgment, Review, Ruling, Score
from annotate.selectors.campaigns import counting
from annotate.services import locks
from annotate.services.work import confirmed_work, judgments, leasing, scoring, superseding
from estimation import data
from estimation.models import Decision, Estimate, MetricScore
from estimation.selectors.history import estimate_rows
from estimation.services import estimating, memory, quick
from estimation.services.watermark import Watermark
from tests.annotate.market import arrive, posting
from tests.annotate.market import study as at_a_crowd
from tests.estimation.collecting import answer
from tests.estimation.reviewed import by_hand, rule
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

FAR = {"overall": 1e-6}  # nothing is ever decided
Act = Ruling.Act


@pytest.fixture(autouse=True)
def _from_the_first_judgment(monkeypatch, no_screens):
    """What new judgments add is read from the first refresh on, and all facts are not."""
    monkeypatch.setattr(memory, "LEAST", 0)
    monkeypatch.setattr(memory, "GROWTH", 1e9)
    monkeypatch.setattr(memory, "PAUSE", 1e9)


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


class World:
    """A campaign and people who do in it what people do, in any order."""

    def __init__(self, seed, *, crowd=False):
        self.chance = random.Random(seed)
        self.owner = user()
        settings = {"items": 30, "double_share": 0.5, "targets": FAR, "owner": self.owner}
        settings |= {"annotator_cap": None}
        self.study = at_a_crowd(**settings) if crowd else campaign(**settings)
        if crowd:
            there = posting(self.study, tasks=9, places=9)
            self.people = [arrive(there, f"A{i}", f"U{i}", verified=i < 4) for i in range(7)]
        else:
            self.people = [person(self.study, f"p{i}") for i in range(6)]

    def step(self):
        acts = [self.judge] * 8 + [self.leave, self.expire, self.correct, self.exclude]
        acts += [self.restore, self.confirm, self.lose, self.rescore, self.remetric, self.late]
        self.chance.choice(acts)()

    def _judge(self, who, lease):
        raw = answer(lease.output_id, who.pk, self.chance)
        judgments.submit(lease.pk, participation_id=who.pk, raw=raw)

    def _leased(self):
        who = self.chance.choice(self.people)
        got = leasing.lease(who.pk)
        return (who, got) if isinstance(got, Assignment) else (who, None)

    def judge(self):
        who, lease = self._leased()
        if lease is not None:
            self._judge(who, lease)

    def leave(self):
        who, lease = self._leased()
        if lease is not None:
            leasing.give_back(lease.pk, participation_id=who.pk)

    def expire(self):
        _who, lease = self._leased()
        if lease is not None:
            Assignment.objects.filter(pk=lease.pk).update(expires_at=self.study.created_at)
            leasing.expire_due(self.study.pk, now=timezone.now())

    def late(self):
        """A judgment after its lease, which counts only if its slot is still free."""
        who, lease = self._leased()
        if lease is not None:
            leasing.give_back(lease.pk, participation_id=who.pk)
            self._judge(who, lease)

    def correct(self):
        found = Judgment.objects.filter(campaign=self.study, assignment__slot__isnull=False)
        if found:
            one = self.chance.choice(found)
            raw = {"fluency": 1, "redundancy": 0, "overall": 1, "edit": None}
            superseding.supersede(one.pk, response=raw)

    def exclude(self):
        who = self.chance.choice(self.people)
        review = by_hand(who, self.owner)
        if review.status != Review.Status.EXCLUDED:
            rule(review, self.owner, Act.EXCLUDE)

    def restore(self):
        for review in Review.objects.filter(campaign=self.study, status=Review.Status.EXCLUDED):
            rule(review, self.owner, Act.RESTORE)
            return

    def confirm(self):
        locks.campaign(self.study.pk)
        confirmed_work.verify(self.chance.choice(self.people), now=timezone.now())

    def lose(self):
        if self.chance.random() < 0.3:
            locks.campaign(self.study.pk)
            confirmed_work.lose(self.chance.choice(self.people), now=timezone.now())

    def rescore(self):
        """Scores go missing, as while a long text waits, and come again later."""
        found = Score.objects.filter(judgment__campaign=self.study).values("judgment")[:1]
        Score.supersede(*found.values_list("judgment", flat=True), by="none")
        ChangeMark.objects.create(campaign=self.study, reason="rescored")

    def remetric(self):
        made = MetricScore.objects.filter(campaign=self.study)
        for one in made[:3]:
            made.filter(pk=one.pk).update(value=self.chance.random())
        ChangeMark.objects.create(campaign=self.study, reason="metric")


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


@pytest.mark.parametrize("crowd", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_people_do_it_equals_what_is_read_anew(seed, crowd, quickly, caplog):
    world = World(seed, crowd=crowd)
    for _ in range(40):
        world.step()
        estimating.refresh(world.study.pk)
        assert_as_read_anew(world.study)
    assert len(quickly) > 5
    assert "not remembered" not in caplog.text


@pytest.mark.parametrize("seed", range(2))
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


def test_only_systems_with_new_judgments_get_new_rows(quickly):
    study = judged()
    before = Estimate.objects.count()
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert quickly == [study.pk]
    new = Estimate.objects.order_by("pk")[before:]
    assert len({row.system_id for row in new}) == 1
    assert len(new) == 4


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


def test_a_killed_worker_leaves_the_mark_to_another(quickly):
    study = judged()
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    memory.forget()
    assert estimating.refresh(study.pk)
    assert not ChangeMark.objects.exists()


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


def test_a_full_recount_of_what_is_right_logs_nothing(caplog):
    study = judged()
    for i in range(3):
        judge(person(study, f"late {i}"))
        estimating.refresh(study.pk)
    memory.of(study.pk).facts.until = 0.0
    judge(person(study, "last"))
    estimating.refresh(study.pk)
    assert "not remembered" not in caplog.text


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


def test_a_decision_holds_the_estimates_of_all_facts_to_the_last_digit(quickly):
    study = judged(n=20, systems=("alpha",))
    study.targets.update(width=1.9)
    ChangeMark.objects.create(campaign=study, reason="test")
    for i in range(40):
        judge(person(study, f"q{i % 5}"), overall=(1, 0, -1)[i % 3], edit=f"It met, {i}.")
        estimating.refresh(study.pk)
        if Decision.objects.exists():
            break
    brief = counting.brief(study.pk)
    decided = Decision.objects.filter(verb="close").get().estimates.all()
    for _again in range(2):
        found, _ = estimating.findings(brief, data.see(brief))
        whole = {one.criterion.name: one for one in found}
        for row in decided:
            one = whole[row.criterion]
            assert (row.estimate, row.low) == (one.estimate.estimate, one.interval.low)


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


def test_a_judgment_without_scores_is_overlooked_by_no_refresh(quickly):
    study = judged()
    memory.of(study.pk).scored = Watermark()
    memory.of(study.pk).scored.looked(10**9)
    judge(person(study, "late"))
    estimating.refresh(study.pk)
    assert quickly == []
    assert_as_read_anew(study)
    assert not Judgment.objects.filter(scores=None).exists()


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
