"""The state of the stand-in, behind one lock. `settle` applies the passing of time."""

import random
import string
import threading
from datetime import datetime, timedelta
from decimal import Decimal

from extras.mturk_simulator.state import money
from extras.mturk_simulator.state.clock import Clock, Now
from extras.mturk_simulator.state.errors import (
    ASSIGNMENT_UNKNOWN,
    DUPLICATE,
    HIT_EXISTS,
    HIT_TYPE_UNKNOWN,
    HIT_UNKNOWN,
    TYPE_UNKNOWN,
    RequestRefused,
)
from extras.mturk_simulator.state.faults import Faults
from extras.mturk_simulator.state.records import (
    AssignmentState,
    BonusPayment,
    Hit,
    HitAssignment,
    HitType,
    Qualification,
    QualificationType,
    WorkerBlock,
    WorkerNotice,
    WorkerProfile,
)

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
        self.blocks: dict[str, WorkerBlock] = {}
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

    def hit(self, hit_id: str) -> Hit:
        if hit := self.hits.get(hit_id):
            return hit
        raise RequestRefused(HIT_UNKNOWN, f"HIT {hit_id} does not exist.")

    def hit_type(self, type_id: str) -> HitType:
        if found := self.hit_types.get(type_id):
            return found
        raise RequestRefused(HIT_TYPE_UNKNOWN, f"HIT type {type_id} does not exist.")

    def assignment(self, assignment_id: str) -> HitAssignment:
        if found := self.assignments.get(assignment_id):
            return found
        raise RequestRefused(ASSIGNMENT_UNKNOWN, f"Assignment {assignment_id} does not exist.")

    def qualification_type(self, type_id: str) -> QualificationType:
        if found := self.qualification_types.get(type_id):
            return found
        raise RequestRefused(TYPE_UNKNOWN, f"Qualification type {type_id} does not exist.")

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
            raise RequestRefused(HIT_EXISTS, f"This token has already made a HIT: {name}")
        raise RequestRefused(DUPLICATE, f"This token has already been used, by request {name}")

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
        self.balance -= money.of_reward(one.hit.type.reward, one.hit.places)
