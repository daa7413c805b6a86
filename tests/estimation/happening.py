"""A campaign, and everything that may happen to it, for tests of what its pages then show."""

import random
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotate.campaigns import amendments, life
from annotate.common.errors import ServiceError
from annotate.crowds import prices
from annotate.models import Assignment, Campaign, Operation, PendingScore, Posting, Review, Ruling
from annotate.pay import payouts
from annotate.pay.payouts import Gift
from annotate.work import admission, leasing, scoring, submitting
from estimation import after, refresh
from estimation.models import MetricScore
from tests.annotate import market
from tests.estimation.reviewed import by_hand, flag, respond, rule
from tests.factories import campaign, person

NAMES = "abcdef"


class Happening:
    """A campaign, and what may happen to it."""

    def __init__(self, owner: User, seed: int, **changes: Any) -> None:
        self.owner = owner
        self.made = campaign(owner=owner, items=8, budget=40, annotator_cap=9, **changes)
        self.choose = random.Random(seed)

    def happen(self, act: str) -> None:
        """Do it; what the services refuse now does nothing."""
        with suppress(ServiceError), transaction.atomic():
            getattr(self, act)()

    def lease(self) -> None:
        leasing.lease(self._person().pk)

    def submit(self) -> None:
        if (open_ := self._open()) is not None:
            submitting.submit_judgment(
                open_.pk,
                participation_id=open_.participation_id,
                raw=respond(self.choose.randrange(6)),
            )

    def give_back(self) -> None:
        if (open_ := self._open()) is not None:
            leasing.give_back(open_.pk, participation_id=open_.participation_id)

    def heartbeat(self) -> None:
        if (open_ := self._open()) is not None:
            leasing.heartbeat(open_.pk, participation_id=open_.participation_id)

    def expire(self) -> None:
        Assignment.objects.filter(campaign=self.made, status="leased").update(
            expires_at=timezone.now() - timedelta(seconds=1)
        )
        life.expire_all()

    def judge(self) -> None:
        who = self._person()
        got = leasing.lease(who.pk)
        if not isinstance(got, admission.NoTask):
            submitting.submit_judgment(got.pk, participation_id=who.pk, raw=respond(got.pk))

    def score(self) -> None:
        scoring.ensure(self.made.pk)

    def estimate(self) -> None:
        refresh.refresh(self.made.pk)

    def agree(self) -> None:
        after.MEASURING.carry_out(self.made.pk)

    def flag(self) -> None:
        flag(self._person(), self.choose.choice(["too_fast", "short_edits"]))

    def exclude(self) -> None:
        self._rule(Ruling.Act.EXCLUDE, "open")

    def restore(self) -> None:
        self._rule(Ruling.Act.RESTORE, "excluded")

    def block(self) -> None:
        self._rule(Ruling.Act.BLOCK, "open", "cleared", "excluded")

    def block_elsewhere(self) -> None:
        """An owner's block holds in all campaigns of that owner."""
        other = Happening(self.owner, 1)
        rule(by_hand(other._person(), self.owner), self.owner, Ruling.Act.CLEAR, Ruling.Act.BLOCK)

    def pause(self) -> None:
        life.pause(self.made.pk)

    def open(self) -> None:
        life.open_(self.made.pk)

    def close(self) -> None:
        life.close(self.made.pk, Campaign.Reason.HAND)

    def finish(self) -> None:
        life.finish(self.made.pk)

    def reopen(self) -> None:
        life.reopen(self.made.pk, actor_id=self.owner.pk, why="More.")

    def retitle(self) -> None:
        amendments.change_texts(
            self.made.pk,
            {"public_title": f"{self.choose.random()}"},
            actor_id=self.owner.pk,
            reason="Shorter.",
        )

    def budget(self) -> None:
        Campaign.objects.filter(pk=self.made.pk).update(budget=self.choose.randrange(1, 90))

    def bonus(self) -> None:
        name = self._person().annotator.pseudonym
        gift = Gift(payouts.Kind.BONUS, name, prices.CENT, "Thanks.", key=f"{self.choose.random()}")
        payouts.give(self.made.pk, gift, actor_id=self.owner.pk)

    def stop_system(self) -> None:
        life.stop_system(self.made.systems.all()[0].pk)

    def metric(self) -> None:
        output = self.choose.choice(list(self.made.outputs.all()))
        MetricScore.objects.update_or_create(
            campaign=self.made, output=output, metric="quality", defaults={"value": 1.0}
        )

    def waits_for_score(self) -> None:
        for judgment in self.made.judgments.all()[:1]:
            PendingScore.objects.get_or_create(
                judgment=judgment, defaults={"campaign": self.made, "due_at": timezone.now()}
            )

    def post(self) -> None:
        market.posting(self.made, listing=f"HIT{self.choose.random()}")

    def place_more(self) -> None:
        for posting in Posting.objects.filter(batch__campaign=self.made)[:1]:
            Posting.objects.filter(pk=posting.pk).update(places=posting.places + 1)

    def arrive(self) -> None:
        for posting in Posting.objects.filter(batch__campaign=self.made, status="open")[:1]:
            market.arrive(posting, self.choose.choice(NAMES), f"U{self.choose.random()}")

    def operation_fails(self) -> None:
        Operation.objects.filter(campaign=self.made).update(message="refused", attempts=3)

    def _rule(self, act: Ruling.Act, *status: str) -> None:
        found = Review.objects.filter(campaign=self.made, status__in=status).first()
        if found is not None:
            rule(found, self.owner, act)

    def _person(self) -> Any:
        return person(self.made, self.choose.choice(NAMES))

    def _open(self) -> Assignment | None:
        return Assignment.objects.filter(campaign=self.made, status="leased").first()


ACTS = [name for name in vars(Happening) if not name.startswith("_") and name != "happen"]
