"""A campaign that is launched on a stand-in, and the steps of one person through it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from annotate.crowds import adapters, outbox, reconciling
from annotate.models import Assignment, Operation, Participation, Posting, Review, Ruling
from annotate.review import rulings
from annotate.work import participations
from tests.crowds.clock import Clock
from tests.crowds.far_side import FarSide
from tests.crowds.walk import REASON, Unit, Walk

Status = Participation.Status
Kind = Operation.Kind


class Market(Walk):
    """A walk that goes where it is told to."""

    def come(self, number: int = 1, *, listing: str = "") -> Unit:
        """Somebody accepts a unit and opens our page."""
        listing, person = listing or self.ours()[0], self.far.person(number)
        unit = Unit(listing, self.far.accept(listing, person), person)
        unit.entered = self._arrive(listing, unit.unit, person)
        return unit

    def judge(self, unit: Unit, n: int = 2) -> None:
        assert unit.entered is not None
        for _ in range(n):
            assert self._judge(unit.entered)

    def done(self, number: int = 1, *, listing: str = "") -> Unit:
        """Somebody does a whole unit, and hands it in here and there."""
        unit = self.come(number, listing=listing)
        self.judge(unit)
        assert participations.hand_in(self.of(unit).pk)
        self.far.submit(unit.unit, receipt=self.of(unit).receipt)
        return unit

    def of(self, unit: Unit) -> Participation:
        return Participation.objects.select_related("annotator").get(pk=unit.entered)

    def posting(self) -> Posting:
        return Posting.objects.filter(batch__campaign=self.study).exclude(external_id="")[0]

    def sync(self) -> None:
        reconciling.reconcile_all(all_=True)

    def later(self, **by: float) -> None:
        """Time passes on both sides, and both look at each other."""
        self.pass_time(timedelta(**by))
        self.sync()

    def pass_time_and_look(self) -> None:
        """Long enough that everything published has its turn, and nothing else is over."""
        self.pass_time(timedelta(minutes=6))
        reconciling.reconcile_all()

    def ruled(self, unit: Unit, *acts: str) -> None:
        annotator = self.of(unit).annotator_id
        last = Ruling.objects.filter(
            review__campaign=self.study, review__annotator=annotator
        ).order_by("-pk")
        rulings.rule_on_person(
            self.study.pk,
            annotator,
            [Ruling.Act(act) for act in acts],
            actor_id=self.ada.pk,
            reason=REASON,
            seen=last[0].pk if last else 0,
        )
        outbox.carry_out_due()

    def review(self, unit: Unit) -> Review:
        return Review.objects.get(campaign=self.study, annotator=self.of(unit).annotator_id)

    def ops(self, kind: str) -> list[Operation]:
        return list(Operation.objects.filter(campaign=self.study, kind=kind).order_by("pk"))

    def counting(self) -> int:
        return Assignment.objects.filter(
            campaign=self.study, status="verified", slot__isnull=False
        ).count()


@contextmanager
def market(far: FarSide, clock: Clock, *, places: int = 4) -> Iterator[Market]:
    """Launch a campaign on this far side."""
    crowd = far.adapter()
    with patch.object(adapters, "marketplace", lambda _crowd: crowd):
        made = Market.begin(far, crowd, clock, 1)
        made.launch(places)
        outbox.carry_out_due()
        yield made
