"""Operations on assignments, the resulting payments, and messages to workers."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from extras.mturk_simulator import hits
from extras.mturk_simulator.checks import page
from extras.mturk_simulator.world import (
    CENT,
    HANDED_IN,
    MISSING,
    OUT_OF_RANGE,
    AssignmentState,
    BonusPayment,
    HitAssignment,
    RequestRefused,
    WorkerNotice,
    World,
    bonus_cost,
    reward_cost,
)

Args = Mapping[str, Any]
Reply = dict[str, Any]
OVERRIDE_LIMIT = timedelta(days=30)


def list_for_hit(world: World, args: Args) -> Reply:
    hit = world.hit(args["HITId"])
    wanted = args.get("AssignmentStatuses") or [state.value for state in HANDED_IN]
    found = (one for one in world.of_hit(hit) if one.state.value in wanted)
    rows, about = page(args, found, lambda one: one.serial)
    return {"Assignments": [shown(one) for one in rows], **about}


def get(world: World, args: Args) -> Reply:
    """Return a submitted assignment. An accepted one exists, but is not shown."""
    one = _handed_in(world, args["AssignmentId"])
    return {"Assignment": shown(one), "HIT": hits.shown(world, one.hit)}


def approve(world: World, args: Args) -> Reply:
    one = _handed_in(world, args["AssignmentId"])
    if one.state == AssignmentState.REJECTED and args.get("OverrideRejection", False):
        _check_override(world, one)
    elif one.state != AssignmentState.SUBMITTED:
        raise _only(AssignmentState.SUBMITTED, one)
    _afford(world, reward_cost(one.hit.type.reward, one.hit.places))
    world.pay(one, world.now())
    one.rejected_at = None
    one.feedback = args.get("RequesterFeedback", one.feedback)
    return {}


def reject(world: World, args: Args) -> Reply:
    one = _handed_in(world, args["AssignmentId"])
    if not args["RequesterFeedback"].strip():
        raise RequestRefused(MISSING, "RequesterFeedback is empty: the worker reads the reason.")
    if one.state != AssignmentState.SUBMITTED:
        raise _only(AssignmentState.SUBMITTED, one)
    one.state, one.rejected_at = AssignmentState.REJECTED, world.now()
    one.feedback = args["RequesterFeedback"]
    return {}


def send_bonus(world: World, args: Args) -> Reply:
    token = args.get("UniqueRequestToken", "")
    world.look_for("bonus", token)
    one = _handed_in(world, args["AssignmentId"])
    amount = Decimal(args["BonusAmount"])
    if one.worker != args["WorkerId"]:
        raise RequestRefused(
            "InvalidParameterValue", f"Assignment {one.id} does not belong to {args['WorkerId']}."
        )
    if amount < CENT:
        raise RequestRefused(OUT_OF_RANGE, "BonusAmount is less than 0.01.")
    _afford(world, bonus_cost(amount))
    world.balance -= bonus_cost(amount)
    world.bonuses.append(_bonus(world, one, amount, args["Reason"]))
    world.remember("bonus", token, world.new_id())
    return {}


def list_bonuses(world: World, args: Args) -> Reply:
    if "HITId" not in args and "AssignmentId" not in args:
        raise RequestRefused(MISSING, "Either HITId or AssignmentId is needed.")
    found = world.bonuses
    if "HITId" in args:
        hit = world.hit(args["HITId"])
        found = [bonus for bonus in found if bonus.assignment.hit is hit]
    if "AssignmentId" in args:
        one = world.assignment(args["AssignmentId"])
        found = [bonus for bonus in found if bonus.assignment is one]
    rows, about = page(args, found, lambda bonus: bonus.serial)
    return {"BonusPayments": [_shown_bonus(bonus) for bonus in rows], **about}


def balance(world: World, args: Args) -> Reply:
    """Return the balance, at least 0: amounts have no sign, but auto-approvals may overdraw it."""
    return {"AvailableBalance": f"{max(world.balance, Decimal(0)):.2f}"}


def shown(one: HitAssignment) -> Reply:
    """Return an assignment as the API shows it."""
    times = {
        "AcceptTime": one.accepted_at,
        "Deadline": one.deadline,
        "SubmitTime": one.submitted_at,
        "AutoApprovalTime": one.auto_approval_at,
        "ApprovalTime": one.approved_at,
        "RejectionTime": one.rejected_at,
    }
    return {
        "AssignmentId": one.id,
        "WorkerId": one.worker,
        "HITId": one.hit.id,
        "AssignmentStatus": one.state.value,
        "Answer": one.answer,
        **{name: at.timestamp() for name, at in times.items() if at},
        **({"RequesterFeedback": one.feedback} if one.feedback else {}),
    }


def _handed_in(world: World, assignment_id: str) -> HitAssignment:
    one = world.assignment(assignment_id)
    if one.state not in HANDED_IN:
        raise _only("Submitted, Approved, Rejected", one)
    return one


def _only(wanted: str, one: HitAssignment) -> RequestRefused:
    message = f"This needs an assignment that is {wanted}; {one.id} is {one.state}."
    return RequestRefused("InvalidAssignmentState", message)


def _check_override(world: World, one: HitAssignment) -> None:
    if one.hit.disposed:
        raise RequestRefused(
            "InvalidAssignmentState", "Its HIT has been deleted: the rejection is final."
        )
    if one.submitted_at and world.now() - one.submitted_at > OVERRIDE_LIMIT:
        raise RequestRefused(
            "InvalidAssignmentState", "It was submitted more than 30 days ago: final."
        )


def _afford(world: World, cost: Decimal) -> None:
    if cost > world.balance:
        message = f"This costs {cost}, fees included; the account holds {world.balance}."
        raise RequestRefused("InsufficientFunds", message)


def _bonus(world: World, one: HitAssignment, amount: Decimal, reason: str) -> BonusPayment:
    return BonusPayment(world.serial(), one, one.worker, amount, reason, world.now())


def _shown_bonus(bonus: BonusPayment) -> Reply:
    return {
        "WorkerId": bonus.worker,
        "BonusAmount": f"{bonus.amount:.2f}",
        "AssignmentId": bonus.assignment.id,
        "Reason": bonus.reason,
        "GrantTime": bonus.at.timestamp(),
    }


AT_ONCE = 100


def notify(world: World, args: Args) -> Reply:
    """Write to workers. Only those with approved or rejected work receive the message."""
    people = args["WorkerIds"]
    if not people:
        raise RequestRefused("InvalidParameterValue", "WorkerIds is empty.")
    if len(people) > AT_ONCE:
        raise RequestRefused(OUT_OF_RANGE, f"At most {AT_ONCE} workers can be notified at once.")
    known = _known(world)
    for worker in dict.fromkeys(people):
        if worker in known:
            world.notices.append(
                WorkerNotice(worker, args["Subject"], args["MessageText"], world.now())
            )
    return {"NotifyWorkersFailureStatuses": [_failure(one) for one in people if one not in known]}


def _known(world: World) -> set[str]:
    decided = (AssignmentState.APPROVED, AssignmentState.REJECTED)
    every = [*world.assignments.values(), *world.earlier]
    return {one.worker for one in every if one.state in decided}


def _failure(worker: str) -> Reply:
    return {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "You have never approved or rejected work of this worker.",
        "WorkerId": worker,
    }
