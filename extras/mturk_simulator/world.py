"""The state of the stand-in behind one lock: records, clock, costs, errors, deliberate faults."""

import random
import string
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Any, TypeVar

Now = Callable[[], datetime]


class Clock:
    """The real time plus the time by which it was moved."""

    def __init__(self) -> None:
        self._offset = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def move(self, by: timedelta) -> None:
        self._offset += by


MISSING = "AWS.MissingParameters"
OUT_OF_RANGE = "AWS.ParameterOutOfRange"


class RequestRefused(Exception):
    """The request is wrong, or impossible in the present state.

    code: without the prefix that most of MTurk's codes have.
    """

    status = 400
    kind = "RequestError"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code if code.startswith("AWS.") else f"AWS.MechanicalTurk.{code}"
        self.message = message

    def body(self) -> dict[str, Any]:
        return {"__type": self.kind, "Message": self.message, "TurkErrorCode": self.code}


class Unknown(RequestRefused):
    """There is no such operation."""

    kind = "UnknownOperationException"


class Faulty(RequestRefused):
    """The service itself fails; the same request may succeed later."""

    status = 500
    kind = "ServiceFault"


class RequestThrottled(RequestRefused):
    """Too many requests."""

    kind = "ThrottlingException"

    def body(self) -> dict[str, Any]:
        return {"__type": self.kind, "Message": self.message}


class FaultKind(StrEnum):
    BEFORE = "before"  # a server error; nothing happened
    AFTER = "after"  # the effect happened, then the connection broke
    THROTTLE = "throttle"  # refused for too many requests; nothing happened
    TIMEOUT = "timeout"  # nothing happens and nothing is answered


@dataclass
class Fault:
    """`left`: how many more requests meet it; None: all requests of one client call."""

    operations: frozenset[str]
    how: FaultKind
    left: int | None
    call: str = ""  # the client call that met it first


class Faults:
    """Faults that wait for requests. A client repeats requests under the name of one call."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []
        self._released = threading.Event()
        self.patience = 60.0  # seconds that a client waits at TIMEOUT

    def add(self, operations: Iterable[str], how: FaultKind, *, requests: int | None = 1) -> None:
        """Let the next requests of these operations fail; None: one call with its repeats."""
        self._released.clear()
        self._waiting.append(Fault(frozenset(operations), how, requests))

    def clear(self) -> None:
        self._waiting.clear()
        self._released.set()

    def of(self, operation: str, call: str) -> FaultKind | None:
        """Return the fault of a request, and count it."""
        for fault in self._waiting:
            if operation in fault.operations and fault.call in ("", call):
                return self._meet(fault, call)
        return None

    def wait(self) -> None:
        """Keep the client waiting."""
        self._released.wait(self.patience)

    def _meet(self, fault: Fault, call: str) -> FaultKind:
        if fault.left is None and call:
            fault.call = call
        elif fault.left in (None, 1):
            self._waiting.remove(fault)
        else:
            fault.left -= 1
        return fault.how


FEE = Decimal("0.20")
FEE_OF_MANY = Decimal("0.40")  # of the reward, for HITs with ten or more places
MANY = 10
LEAST_FEE = Decimal("0.01")
CENT = Decimal("0.01")


def reward_cost(reward: Decimal, places: int) -> Decimal:
    """Return the cost of approving one assignment, with the fee."""
    return reward + fee(reward, FEE_OF_MANY if places >= MANY else FEE)


def bonus_cost(amount: Decimal) -> Decimal:
    return amount + fee(amount, FEE)


def fee(amount: Decimal, rate: Decimal) -> Decimal:
    return max((amount * rate).quantize(CENT, rounding=ROUND_HALF_UP), LEAST_FEE)


@dataclass(frozen=True)
class HitType:
    """The common properties of HITs; HITs of one type are one group for workers."""

    id: str
    group: str
    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: timedelta
    auto_approval: timedelta
    requirements: tuple[dict[str, Any], ...] = ()


@dataclass
class Hit:
    """`places` is MaxAssignments; `at_first` is its value when the HIT was made."""

    id: str
    type: HitType
    serial: int
    question: str
    url: str
    annotation: str
    created_at: datetime
    expires_at: datetime
    places: int
    at_first: int
    disposed: bool = False


class AssignmentState(StrEnum):
    ACTIVE = "Active"  # accepted; the API does not show it
    RETURNED = "Returned"
    ABANDONED = "Abandoned"  # the deadline passed
    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"


HANDED_IN = (AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED)
GIVEN_UP = (AssignmentState.RETURNED, AssignmentState.ABANDONED)


@dataclass
class HitAssignment:
    """One worker's assignment of a HIT. `serial` is of the submission, if there is one."""

    id: str
    hit: Hit
    worker: str
    accepted_at: datetime
    deadline: datetime
    state: AssignmentState = AssignmentState.ACTIVE
    serial: int = 0
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    approved_at: datetime | None = None
    rejected_at: datetime | None = None
    answer: str = ""
    feedback: str = ""


@dataclass(frozen=True)
class BonusPayment:
    serial: int
    assignment: HitAssignment
    worker: str
    amount: Decimal
    reason: str
    at: datetime


@dataclass
class QualificationType:
    """`given` holds the requester's values, by the API's names."""

    id: str
    serial: int
    name: str
    created_at: datetime
    given: dict[str, Any] = field(default_factory=dict)


@dataclass
class Qualification:
    type: str
    worker: str
    serial: int
    at: datetime
    value: int
    granted: bool = True


@dataclass(frozen=True)
class WorkerNotice:
    """A message to a worker."""

    worker: str
    subject: str
    text: str
    at: datetime


@dataclass
class WorkerProfile:
    """What the service knows of a worker; everyone here is experienced."""

    country: str = "US"
    approval_rate: int = 99
    approved: int = 5000


BALANCE = Decimal("10000.00")
TOKEN_LIFE = timedelta(hours=24)
ID_SIGNS = string.ascii_uppercase + string.digits


class World:
    """Everything that exists. Readers and writers hold `lock`.

    reuse_ids: the next worker who accepts a HIT after a return gets the returned assignment id.
    """

    def __init__(
        self,
        *,
        clock: Now | None = None,
        balance: Decimal = BALANCE,
        seed: int | None = None,
        reuse_ids: bool = False,
    ) -> None:
        self.lock = threading.RLock()
        self.clock: Now = clock or Clock()
        self.balance = balance
        self.reuse_ids = reuse_ids
        self.url = ""
        self.faults = Faults()
        self.hit_types: dict[str, HitType] = {}
        self.hits: dict[str, Hit] = {}
        self.assignments: dict[str, HitAssignment] = {}
        self.earlier: list[HitAssignment] = []  # assignments whose id was given to another worker
        self.bonuses: list[BonusPayment] = []
        self.qualification_types: dict[str, QualificationType] = {}
        self.qualifications: dict[tuple[str, str], Qualification] = {}
        self.notices: list[WorkerNotice] = []
        self.profiles: dict[str, WorkerProfile] = {}
        self._tokens: dict[tuple[str, str], tuple[datetime, str]] = {}
        self._random = random.Random(seed)
        self._serial = 0

    # ------------------------------------------------------------ names and numbers

    def new_id(self) -> str:
        """Return an id like the service's: 30 capitals and digits, starting with 3."""
        return "3" + "".join(self._random.choices(ID_SIGNS, k=29))

    def serial(self) -> int:
        self._serial += 1
        return self._serial

    def now(self) -> datetime:
        return self.clock()

    # ------------------------------------------------------------ finding

    def hit(self, name: str) -> Hit:
        return _known(self.hits, name, "HIT")

    def hit_type(self, name: str) -> HitType:
        return _known(self.hit_types, name, "HITType")

    def assignment(self, name: str) -> HitAssignment:
        return _known(self.assignments, name, "Assignment")

    def qualification_type(self, name: str) -> QualificationType:
        return _known(self.qualification_types, name, "QualificationType")

    def of_hit(self, hit: Hit) -> list[HitAssignment]:
        return [one for one in self.assignments.values() if one.hit is hit]

    def profile(self, worker: str) -> WorkerProfile:
        return self.profiles.setdefault(worker, WorkerProfile())

    # ------------------------------------------------------------ request tokens

    def look_for(self, kind: str, token: str) -> None:
        """Refuse a request that was carried out with this token in the last 24 hours."""
        at, name = self._tokens.get((kind, token), (None, ""))
        if at is None or self.now() - at >= TOKEN_LIFE:
            return
        if kind == "hit":
            raise RequestRefused("HitAlreadyExists", f"This token has already made a HIT: {name}")
        raise RequestRefused(
            "DuplicateRequest", f"This token has already been used, by request {name}"
        )

    def remember(self, kind: str, token: str, name: str) -> None:
        if token:
            self._tokens[kind, token] = (self.now(), name)

    # ------------------------------------------------------------ time

    def settle(self) -> None:
        """Apply the clock: deadlines that have passed, approvals that are due."""
        now = self.now()
        for one in self.assignments.values():
            if one.state == AssignmentState.ACTIVE and one.deadline <= now:
                one.state = AssignmentState.ABANDONED
            elif (
                one.state == AssignmentState.SUBMITTED
                and one.auto_approval_at
                and (one.auto_approval_at <= now)
            ):
                self.pay(one, one.auto_approval_at)

    def pay(self, one: HitAssignment, at: datetime) -> None:
        """Approve an assignment and deduct its cost from the account."""
        one.state = AssignmentState.APPROVED
        one.approved_at = at
        self.balance -= reward_cost(one.hit.type.reward, one.hit.places)


Thing = TypeVar("Thing")


def _known(things: dict[str, Thing], name: str, kind: str) -> Thing:
    if found := things.get(name):
        return found
    raise RequestRefused(f"{kind}DoesNotExist", f"{kind} {name} does not exist.")
