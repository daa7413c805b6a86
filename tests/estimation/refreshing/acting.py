"""A campaign and people, of whom a test lets each do anything that may change what counts."""

import random

from django.utils import timezone

from annotate.common import locks
from annotate.models import Assignment, ChangeMark, Judgment, Review, Ruling, Score
from annotate.work import leasing, participations, submitting
from estimation.models import MetricScore
from tests.annotate.market import arrive, posting
from tests.annotate.market import study as at_a_crowd
from tests.estimation.collecting import answer
from tests.estimation.reviewed import by_hand, rule
from tests.factories import campaign, person, user

FAR = {"overall": 1e-6}  # nothing is ever decided
Act = Ruling.Act


class World:
    """A campaign and people who do in it what people do, in any order."""

    def __init__(self, seed, *, crowd=False, items=30, people=6):
        self.chance = random.Random(seed)
        self.owner = user()
        settings = {"items": items, "double_share": 0.5, "targets": FAR, "owner": self.owner}
        settings |= {"annotator_cap": None}
        self.study = at_a_crowd(**settings) if crowd else campaign(**settings)
        if crowd:
            there = posting(self.study, tasks=9, places=9)
            self.people = [arrive(there, f"A{i}", f"U{i}", verified=i < 4) for i in range(7)]
        else:
            self.people = [person(self.study, f"p{i}") for i in range(people)]

    def step(self):
        acts = [self.judge] * 8 + [self.leave, self.expire, self.correct, self.exclude]
        acts += [self.restore, self.confirm, self.lose, self.rescore, self.remetric, self.late]
        self.chance.choice(acts)()

    def _judge(self, who, lease):
        raw = answer(lease.output_id, who.pk, self.chance)
        submitting.submit_judgment(lease.pk, participation_id=who.pk, raw=raw)

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
            submitting.supersede(one.pk, response=raw)

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
        participations.verify(self.chance.choice(self.people), now=timezone.now())

    def lose(self):
        if self.chance.random() < 0.3:
            locks.campaign(self.study.pk)
            participations.lose(self.chance.choice(self.people), now=timezone.now())

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
