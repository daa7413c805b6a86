"""What the campaigns of `advised` share: an owner, a clock, a crowd, and their register."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from unittest import mock

from django.contrib.auth.models import User
from django.utils import timezone

from annotate.crowds import adapters, outbox, reconciling
from annotate.crowds.contract import Submission, UnitState
from annotate.models import Campaign, Participation, Posting
from annotate.review import reviews
from annotate.work import participations
from tests.annotate.market import arrive
from tests.crowds.clock import Clock
from tests.crowds.scripted import Scripted
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, judge, person


@dataclass
class World:
    """Who owns the campaigns, our clock, and a crowd in reach that does as it is told."""

    owner: User
    clock: Clock
    crowd: Scripted
    staying: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> "World":
        for target, name, as_ in (
            (timezone, "now", self.clock.now),
            (adapters, "marketplace", lambda _crowd: self.crowd),
            (outbox, "permit", lambda *_crowd, wait=0.0: True),
            (reviews, "screen_all", lambda *_asked: []),
        ):
            self.staying.enter_context(mock.patch.object(target, name, as_))
        return self

    def __exit__(self, *_error: object) -> None:
        self.staying.close()

    def study(self, **changes: Any) -> Campaign:
        usual: dict[str, Any] = {"name": "News in short, autumn", "systems": ("pointer",)}
        usual |= {"double_share": 0.0, "reward": Decimal("0.40"), "items": 12}
        return campaign(owner=self.owner, **(usual | changes))

    def narrow(self, **changes: Any) -> Campaign:
        """A campaign that reaches its target, and closes, with 30 judgments by 8 people."""
        made = self.study(**{"items": 60, "targets": {"overall": 1.6}} | changes)
        take_turns([person(made, f"p{i}") for i in range(8)], 40)
        return settle(made)

    def market(self, **changes: Any) -> Campaign:
        return self.study(**{"crowd": "mturk", "items": 20} | changes)

    def unit(self, made: Campaign, name: str = "AW1", *, tasks: int = 2) -> Participation:
        """Somebody who has taken a unit of the first posting and done so many of its tasks."""
        posting = Posting.objects.filter(batch__campaign=made).exclude(external_id="")[0]
        who = arrive(posting, name, f"U-{name}")
        for _ in range(tasks):
            judge(who)
        return who

    def hand_in(self, who: Participation, *, here: bool = True, **said: Any) -> None:
        """They hand it in, and the crowd lists it; not `here`: without our last page."""
        if here:
            participations.hand_in(who.pk)
        who.refresh_from_db()
        assert who.posting is not None
        usual = {"state": UnitState.SUBMITTED, "receipt": who.receipt}
        name = who.annotator.external_id
        seen = Submission(who.posting.external_id, who.external_key, name, **usual | said)
        reconciling.take(who.posting_id, seen)


Build = Callable[[World], Campaign]
SITUATIONS: dict[str, Build] = {}


def situation(name: str) -> Callable[[Build], Build]:
    """Register a builder; what follows a dash tells apart those of one branch."""

    def add(build: Build) -> Build:
        assert name not in SITUATIONS
        SITUATIONS[name] = build
        return build

    return add
