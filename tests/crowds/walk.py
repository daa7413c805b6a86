"""A campaign on a running far side, and everything that people do around it, in any order.

Each step does what it can and refuses the rest, as the pages do. The far side and we share no
memory: only what goes over HTTP, through the adapter, or through a person's hands.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import User
from django.utils import timezone

from annotate.campaigns import life
from annotate.common.errors import ServiceError
from annotate.crowds import batches, outbox, reconciling
from annotate.crowds.contract import Claim, CrowdError, InvalidEntry, Marketplace, Terms
from annotate.models import (
    Assignment,
    AuditEntry,
    Batch,
    Campaign,
    Operation,
    Participation,
    Posting,
    Review,
    Ruling,
)
from annotate.models.base import CloseReason
from annotate.models.crowds import BonusPayload
from annotate.pay import payouts, settling
from annotate.review import rulings
from annotate.work import leasing, participations, submitting
from tests.crowds.clock import Clock
from tests.crowds.far_side import FarSide, Fault, NoPlace
from tests.crowds.scripted import Killed
from tests.factories import GOOD, campaign

REWARD = Decimal("0.30")
FEES = {"mturk": Decimal("0.2"), "prolific": Decimal("0.3334")}  # of the stand-ins
REASON = (
    "Every answer was the same, whatever the text said, and none took longer than two seconds: "
    "nobody can have read them."
)
TERMS = Terms(
    "Rate news",
    "Read a short text and rate it.",
    ("news",),
    tasks=2,
    minutes=2,
    duration=timedelta(hours=1),
    lifetime=timedelta(days=4),
    auto_approval=timedelta(days=3),
    approve_after=timedelta(hours=2),
)
CALLS = {
    "publish": "publish",
    "add_places": "add_places",
    "stop": "stop",
    "approve": "approve",
    "reject": "reject",
    "override": "approve",
    "bonus": "pay_bonus",
    "archive": "archive",
    "exclude": "set_excluded",
    "include": "set_excluded",
    "message": "message",
}
FAULTY = (
    "publish",
    "add_places",
    "stop",
    "approve",
    "reject",
    "pay_bonus",
    "iter_submissions",
    "posting_level",
    "archive",
    "set_excluded",
    "message",
)
Status = Participation.Status


def terms_for(crowd: Marketplace) -> Terms:
    """Without what changes nothing there."""
    usual = Terms(title="", description="")
    return replace(TERMS, **{name: getattr(usual, name) for name in crowd.can.no_effect})


@dataclass
class Unit:
    """What a person has in hand at the crowd."""

    listing: str
    unit: str
    person: str
    entered: int | None = None  # our participation
    over: bool = False


@dataclass
class Walk:
    """One story. `judged`: what people were told is stored."""

    far: FarSide
    crowd: Marketplace
    clock: Clock
    rng: random.Random
    study: Campaign
    ada: User
    units: list[Unit] = field(default_factory=list)
    judged: list[int] = field(default_factory=list)
    forged: int = 0
    keys: Iterator[int] = field(default_factory=count)
    log: list[str] = field(default_factory=list)
    killing: str = ""  # "before" or "after": where the next worker dies

    @classmethod
    def begin(cls, far: FarSide, crowd: Marketplace, clock: Clock, seed: int) -> "Walk":
        rng = random.Random(seed)
        ada = User.objects.create(username=f"ada-{seed}")
        study = campaign(
            owner=ada,
            items=6,
            systems=("alpha",),
            crowd=crowd.key,
            reward=REWARD,
            fee_rate=FEES[crowd.key],
            budget=None,
            double_share=0.5,
            tutorial_bonus=Decimal("0.05"),
        )
        return cls(far, crowd, clock, rng, study, ada)

    # ------------------------------------------------------------ steps

    def step(self, name: str) -> None:
        """Do it, or be refused; a worker that dies is what it is."""
        self.log.append(name)
        with suppress(ServiceError, CrowdError, NoPlace, Killed):
            getattr(self, name)()

    def launch(self, places: int = 0) -> None:
        places = places or self.rng.choice([1, 2, 3])
        batches.launch(
            self.study.pk,
            terms_for(self.crowd),
            places=places,
            actor_id=self.ada.pk,
            confirmed=self._cost(places),
            key=f"launch-{self.study.pk}-{next(self.keys)}",
        )

    def extend(self) -> None:
        batch = Batch.objects.filter(campaign=self.study).first()
        if batch is not None:
            key, cost = f"more-{next(self.keys)}", self._cost(1)
            batches.extend(batch.pk, 1, actor_id=self.ada.pk, confirmed=cost, key=key)

    def stop(self) -> None:
        if batch := Batch.objects.filter(campaign=self.study, stopped_at=None).first():
            batches.stop(batch.pk, actor_id=self.ada.pk)

    def close(self) -> None:
        life.close(self.study.pk, CloseReason.HAND, actor_id=self.ada.pk)

    def accept(self) -> None:
        listing = self.rng.choice(self.ours() or [""])
        if listing:
            person = self.far.person(self.rng.randrange(4))
            self.units.append(Unit(listing, self.far.accept(listing, person), person))
            if self.rng.random() < 0.9:
                self.enter(self.units[-1])

    def enter(self, unit: Unit | None = None) -> None:
        unit = unit or self._some()
        if unit is not None:
            unit.entered = self._arrive(unit.listing, unit.unit, unit.person)

    def forge(self) -> None:
        """Somebody comes with ids that they made up, or that belong to somebody else."""
        listing = self.rng.choice(self.ours() or [""])
        if listing:
            other = self._some()
            taken = other.unit if other and self.rng.random() < 0.5 else f"3FORGED{self.forged}"
            self.forged += 1
            made = self._arrive(listing, taken, self.far.person(90 + self.forged))
            self._judge(made)

    def work(self) -> None:
        unit = self._some(entered=True)
        if unit is not None and unit.entered is not None:
            self._judge(unit.entered)

    def finish(self) -> None:
        """All that is left of a unit, and handed in here and there; some make up a receipt."""
        unit = self._some(entered=True)
        if unit is None or unit.entered is None:
            return
        while self._judge(unit.entered):
            pass
        participations.hand_in(unit.entered)
        made_up = self.rng.random() < 0.08
        self._submit(unit, "0" * 32 if made_up else self._receipt(unit))

    def hand_in(self) -> None:
        """Here alone: their connection breaks before the form is posted there."""
        unit = self._some(entered=True)
        if unit is not None and unit.entered is not None:
            participations.hand_in(unit.entered)

    def submit(self) -> None:
        unit = self._some()
        if unit is not None:
            self._submit(unit, self._receipt(unit))

    def submit_twice(self) -> None:
        unit = self._some()
        if unit is not None:
            self._submit(unit, self._receipt(unit))
            self._submit(unit, self._receipt(unit))

    def submit_forged(self) -> None:
        unit = self._some()
        if unit is not None:
            self._submit(unit, "0" * 32)

    def give_back(self) -> None:
        unit = self._some()
        if unit is not None:
            unit.over = True
            with suppress(Exception):  # the far side has its own words for what is over already
                self.far.give_back(unit.unit)

    def take_back(self) -> None:
        """Somebody returns what they have handed in; not every crowd lets them."""
        handed_in = [unit for unit in self.units if unit.over and unit.entered]
        if handed_in:
            with suppress(Exception):
                self.far.give_back(self.rng.choice(handed_in).unit)

    def rule(self) -> None:
        who = self._somebody()
        if who is None:
            return
        review = Review.objects.filter(campaign=self.study, annotator=who).first()
        acts = self.rng.choice(RULINGS[_standing(review)])
        last = Ruling.objects.filter(review=review).order_by("-pk").first() if review else None
        rulings.rule_on_person(
            self.study.pk,
            who,
            [Ruling.Act(act) for act in acts],
            actor_id=self.ada.pk,
            reason=REASON,
            seen=last.pk if last else 0,
        )

    def bonus(self) -> None:
        who = self._somebody()
        if who is not None:
            name = Participation.objects.filter(annotator=who)[0].annotator.pseudonym
            gift = payouts.Gift(
                payouts.Kind(self.rng.choice(["bonus", "compensation"])),
                name,
                Decimal(self.rng.choice(["0.07", "0.50"])),
                "For the care.",
                f"gift-{self.rng.randrange(6)}",
            )
            payouts.give(self.study.pk, gift, actor_id=self.ada.pk)

    def accept_doubtful(self) -> None:
        doubtful = Participation.objects.filter(campaign=self.study).exclude(problem="")
        if found := doubtful.first():
            settling.accept(found.pk, actor_id=self.ada.pk)

    def minutes(self) -> None:
        self.pass_time(timedelta(minutes=self.rng.choice([3, 20])))

    def hours(self) -> None:
        self.pass_time(timedelta(hours=self.rng.choice([2, 9])))

    def days(self) -> None:
        self.pass_time(timedelta(hours=self.rng.choice([25, 50, 80])))

    def fault(self) -> None:
        """Something goes wrong next, preferably with what is just about to be done."""
        waiting = Operation.objects.filter(campaign=self.study, status__in=Operation.OPEN)
        soon = [CALLS[op.kind] for op in waiting if op.kind in CALLS]
        aimed = soon and self.rng.random() < 0.8
        self.far.fail_next(self.rng.choice(soon if aimed else FAULTY), self.rng.choice(list(Fault)))

    def die(self) -> None:
        self.killing = self.rng.choice(["before", "after", "slowly"])

    def carry_out(self) -> None:
        with self.workers():
            outbox.carry_out_due()

    def look(self) -> None:
        with self.workers():
            reconciling.reconcile_all()

    # ------------------------------------------------------------ inside

    def pass_time(self, by: timedelta) -> None:
        self.far.move_clock(by)
        self.clock.ahead += by

    def ours(self) -> list[str]:
        """The listings of this story that are known here: people find them at the crowd."""
        mine = Posting.objects.filter(batch__campaign=self.study).exclude(external_id="")
        return list(mine.order_by("pk").values_list("external_id", flat=True))

    @contextmanager
    def workers(self) -> Iterator[None]:
        """Workers die where they were told to: before the crowd is asked, or right after.

        One that dies slowly has its answer, and settles it when another worker has taken over.
        """
        ask = outbox.ask

        def deadly(op: Operation, *args: Any, **kwargs: Any) -> Any:
            where, self.killing = self.killing, ""
            if where == "before":
                raise Killed
            answer = ask(op, *args, **kwargs)
            if where == "after":
                raise Killed
            if where == "slowly":
                self.pass_time(timedelta(minutes=3))
                outbox.carry_out(op.pk)
            return answer

        with patch.object(outbox, "ask", deadly):
            yield

    def _cost(self, places: int) -> Decimal:
        return batches.offer(self.study.pk, terms_for(self.crowd), places=places).total

    def _arrive(self, listing: str, unit: str, person: str) -> int:
        posting = Posting.objects.get(external_id=listing)
        claim = Claim(
            person=person,
            posting=posting.public_id,
            listing=listing,
            unit=unit,
            submit_to="http://localhost",
        )
        try:
            verified = self.crowd.verify_claim(claim)
        except InvalidEntry as denied:
            raise NoPlace(denied.message) from None
        return participations.arrive(posting.public_id, claim, verified=verified).pk

    def _judge(self, participation_id: int) -> bool:
        got = leasing.lease(participation_id)
        if not isinstance(got, Assignment):
            return False
        receipt = submitting.submit_judgment(got.pk, participation_id=participation_id, raw=GOOD)
        self.judged.append(receipt.judgment_id)
        return True

    def _submit(self, unit: Unit, receipt: str) -> None:
        with suppress(AssertionError, NoPlace):  # returned, or its time is over: it is not taken
            self.far.submit(unit.unit, receipt=receipt)
            unit.over = True

    def _receipt(self, unit: Unit) -> str:
        if unit.entered is None:
            return "nothing"
        return Participation.objects.get(pk=unit.entered).receipt

    def _some(self, *, entered: bool = False) -> Unit | None:
        held = [one for one in self.units if not one.over and (one.entered or not entered)]
        return self.rng.choice(held) if held else None

    def _somebody(self) -> int | None:
        came = Participation.objects.filter(campaign=self.study)
        if self.rng.random() < 0.7:
            came = came.filter(status__in=("handed_in", "confirmed", "rejected"))
        people = list(came.order_by("annotator").values_list("annotator", flat=True).distinct())
        return self.rng.choice(people) if people else None


# What reviewers do about people, as they stand.
RULINGS = {
    "": [["exclude", "refuse"], ["exclude", "refuse"], ["exclude"], ["exclude", "block"], []],
    "open": [["clear"], ["exclude", "refuse"], ["exclude"], ["block"], ["refuse"]],
    "excluded": [["refuse"], ["refuse"], ["restore"], ["unblock"], ["exclude"]],
    "refused": [["repay"], ["restore"], ["repay"], ["refuse"], ["block"]],
}


def _standing(review: Review | None) -> str:
    if review is None or review.status == Review.Status.CLEARED:
        return ""
    return "refused" if review.pay_refused else str(review.status)


# How often each step is taken.
STEPS = {
    "accept": 8,
    "finish": 10,
    "work": 3,
    "look": 8,
    "carry_out": 2,
    "minutes": 1,
    "hours": 3,
    "fault": 5,
    "die": 3,
    "rule": 7,
    "bonus": 3,
    "submit": 2,
    "hand_in": 1,
    "give_back": 1.5,
    "enter": 1,
    "forge": 1,
    "submit_twice": 1,
    "submit_forged": 1,
    "stop": 0.7,
    "extend": 1,
    "days": 1,
    "close": 0.5,
    "launch": 0.5,
    "accept_doubtful": 0.5,
    "take_back": 2,
}


def story(walk: Walk, length: int) -> None:
    """Launch, then so many steps in any order."""
    walk.step("launch")
    if walk.rng.random() < 0.4:  # the launch itself is interrupted
        walk.step(walk.rng.choice(["fault", "die"]))
        walk.step("carry_out")
        walk.step(walk.rng.choice(["minutes", "hours", "days"]))
    for name in ("carry_out", "accept", "finish"):
        walk.step(name)
    names, weights = list(STEPS), list(STEPS.values())
    for name in walk.rng.choices(names, weights, k=length):
        walk.step(name)


def heal(walk: Walk, *, rounds: int = 12) -> int:
    """End all faults, and let time and workers do their work until nothing moves any more."""
    walk.far.heal()
    walk.killing = ""
    seen = -1
    for n in range(rounds):
        walk.pass_time(timedelta(minutes=11))
        walk.look()
        _answer(walk)
        before, seen = seen, AuditEntry.objects.filter(campaign=walk.study).count()
        if before == seen and not _open(walk):
            return n
    raise AssertionError(f"no fixed point: {_open(walk)}")


def _answer(walk: Walk) -> None:
    """A person looks whether unclear bonuses were paid, and says so."""
    unclear = Operation.objects.filter(campaign=walk.study, status=Operation.Status.UNCLEAR)
    for op in unclear.order_by("pk"):
        wanted = _bonus(op)
        done = Operation.objects.filter(campaign=walk.study, kind=op.kind, status="done")
        known = [_bonus(other) for other in done].count(wanted)
        outbox.decide(op.pk, walk.far.bonuses().count(wanted) > known, actor_id=walk.ada.pk)


def _bonus(op: Operation) -> tuple[str, str, Decimal]:
    told = BonusPayload.of(op)
    return told.person, told.unit, told.amount


def _open(walk: Walk) -> list[tuple[Any, ...]]:
    """What moves by itself; a message that waits until its reader is known does not."""
    soon = timezone.now() + timedelta(days=1)
    rows = Operation.objects.filter(
        campaign=walk.study, status__in=Operation.OPEN, due_at__lte=soon
    )
    return list(rows.values_list("pk", "kind", "status", "code", "message"))
