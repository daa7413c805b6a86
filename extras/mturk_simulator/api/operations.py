"""All operations of the stand-in, by their names in the API."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from extras.mturk_simulator.api import assignments, checks, hits, people, qualifications, shapes
from extras.mturk_simulator.state.errors import INVALID, NOT_OFFERED, RequestRefused, Unknown
from extras.mturk_simulator.state.world import World

Operation = Callable[[World, Mapping[str, Any]], dict[str, Any]]

OPERATIONS: dict[str, Operation] = {
    "CreateHIT": hits.create_hit,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "GetHIT": hits.get_hit,
    "ListHITs": hits.list_hits,
    "ListReviewableHITs": hits.list_reviewable_hits,
    "UpdateExpirationForHIT": hits.update_expiration,
    "CreateAdditionalAssignmentsForHIT": hits.add_places,
    "DeleteHIT": hits.delete_hit,
    "UpdateHITReviewStatus": hits.update_review_status,
    "ListAssignmentsForHIT": assignments.list_for_hit,
    "GetAssignment": assignments.get,
    "ApproveAssignment": assignments.approve,
    "RejectAssignment": assignments.reject,
    "SendBonus": assignments.send_bonus,
    "ListBonusPayments": assignments.list_bonuses,
    "GetAccountBalance": assignments.balance,
    "CreateQualificationType": qualifications.create_type,
    "GetQualificationType": qualifications.get_type,
    "ListQualificationTypes": qualifications.list_types,
    "UpdateQualificationType": qualifications.update_type,
    "DeleteQualificationType": qualifications.delete_type,
    "AssociateQualificationWithWorker": qualifications.associate,
    "DisassociateQualificationFromWorker": qualifications.disassociate,
    "GetQualificationScore": qualifications.get_score,
    "ListWorkersWithQualificationType": qualifications.list_workers,
    "CreateWorkerBlock": people.block,
    "DeleteWorkerBlock": people.unblock,
    "ListWorkerBlocks": people.list_blocks,
    "NotifyWorkers": people.notify,
}


def run(world: World, target: str, body: bytes) -> dict[str, Any]:
    """Carry out one request; raises `Refused` where the service would refuse it."""
    name = _name(target)
    arguments = _arguments(body)
    model = shapes.operation(name)
    assert model
    shapes.check(model, arguments)
    checks.limits(arguments)
    with world.lock:
        world.settle()
        return OPERATIONS[name](world, arguments)


def _name(target: str) -> str:
    service, _, name = target.partition(".")
    if service != shapes.TARGET or shapes.operation(name) is None:
        raise Unknown(INVALID, f"There is no operation {target or 'without a name'}.")
    if name not in OPERATIONS:
        raise RequestRefused(NOT_OFFERED, f"This stand-in does not offer {name}.")
    return name


def _arguments(body: bytes) -> Any:
    try:
        return json.loads(body or b"{}")
    except ValueError:
        raise RequestRefused(INVALID, "The request is not JSON.")
