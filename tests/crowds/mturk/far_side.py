"""MTurk's far side for tests: the bundled stand-in, with people in front of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from annotate.crowds.mturk.marketplace import MTurk
from extras.mturk_simulator import workers
from extras.mturk_simulator.server import RunningServer, serve
from extras.mturk_simulator.world import AssignmentState, Clock, FaultKind
from tests.crowds.far_side import Fault, NoPlace

# The requests that carry out, or read for, a method of the adapter.
BEHIND = {
    "balance": ("GetAccountBalance",),
    "publish": ("CreateHIT", "CreateHITWithHITType"),
    "find_postings": ("ListHITs",),
    "add_places": ("CreateAdditionalAssignmentsForHIT",),
    "stop": ("UpdateExpirationForHIT",),
    "posting_level": ("GetHIT",),
    "archive": ("DeleteHIT",),
    "iter_submissions": ("ListAssignmentsForHIT",),
    "get_submission": ("GetAssignment",),
    "approve": ("ApproveAssignment",),
    "reject": ("RejectAssignment",),
    "pay_bonus": ("SendBonus",),
    "find_bonus": ("ListBonusPayments",),
    "set_excluded": ("AssociateQualificationWithWorker", "DisassociateQualificationFromWorker"),
    "message": ("NotifyWorkers",),
}


class MTurkFarSide:
    """A `FarSide`. People are named by worker ids: an A, then capitals and digits."""

    def __init__(self, running: RunningServer, clock: Clock) -> None:
        self.running = running
        self.world = running.state
        # The server ends what it keeps waiting, long before the client would: nothing in a test
        # hangs on who of them is quicker. `test_mturk_errors` waits for a client's own time-out.
        self.world.faults.patience = 0.01
        self._clock = clock
        self._adapters: list[MTurk] = []

    @property
    def url(self) -> str:
        return self.running.url

    @property
    def balance(self) -> Decimal:
        return self.world.balance

    @balance.setter
    def balance(self, amount: Decimal) -> None:
        self.world.balance = amount

    def adapter(self) -> MTurk:
        made = MTurk("sandbox", endpoint_url=self.url, worker_url=self.url)
        self._adapters.append(made)
        return made

    def person(self, number: int) -> str:
        return f"A{number:013d}"

    def accept(self, listing: str, person: str) -> str:
        try:
            return workers.accept(self.world, listing, person).id
        except workers.CannotDo as cannot:
            raise NoPlace(cannot.message) from cannot

    def submit(self, unit: str, *, receipt: str) -> None:
        """Post the form that our completion page posts."""
        fields = urlencode({"assignmentId": unit, "receipt": receipt}).encode()
        try:
            with urlopen(Request(f"{self.url}/mturk/externalSubmit", data=fields)):
                pass
        except HTTPError as error:
            raise AssertionError(f"not handed in: {error.code}") from error

    def give_back(self, unit: str) -> None:
        workers.give_back(self.world, unit)

    def move_clock(self, by: timedelta) -> None:
        self._clock.move(by)

    def fail_next(self, operation: str, how: Fault) -> None:
        self.world.faults.add(BEHIND[operation], FaultKind(how.value), requests=None)

    def heal(self) -> None:
        self.world.faults.clear()

    def postings(self) -> list[str]:
        return list(self.world.hits)

    def paid(self) -> dict[str, Decimal]:
        with self.world.lock:
            self.world.settle()
            every = self.world.assignments.values()
            return {
                one.id: one.hit.type.reward
                for one in every
                if one.state == AssignmentState.APPROVED
            }

    def bonuses(self) -> list[tuple[str, str, Decimal]]:
        return [(one.worker, one.assignment.id, one.amount) for one in self.world.bonuses]

    def close(self) -> None:
        for adapter in self._adapters:
            adapter.api.close()
        self.running.stop()


@contextmanager
def mturk_far_side(**options: object) -> Iterator[MTurkFarSide]:
    """Run one for as long as the block lasts; options are those of `serve`."""
    clock = Clock()
    far_side = MTurkFarSide(serve(clock=clock, **options), clock)  # type: ignore[arg-type]
    try:
        yield far_side
    finally:
        far_side.close()
