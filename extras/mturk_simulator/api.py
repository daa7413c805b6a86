"""The API: all operations by name, the JSON-1.1 protocol, and its deliberate faults."""

import json
import logging
import uuid
from collections.abc import Callable, Mapping
from email.utils import format_datetime
from typing import Any

from extras.mturk_simulator import assignments, checks, hits, qualifications
from extras.mturk_simulator.markup import Response
from extras.mturk_simulator.world import (
    FaultKind,
    Faulty,
    RequestRefused,
    RequestThrottled,
    Unknown,
    World,
)

Operation = Callable[[World, Mapping[str, Any]], dict[str, Any]]

OPERATIONS: dict[str, Operation] = {
    "CreateHIT": hits.create_hit,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "GetHIT": hits.get_hit,
    "ListHITs": hits.list_hits,
    "UpdateExpirationForHIT": hits.update_expiration,
    "CreateAdditionalAssignmentsForHIT": hits.add_places,
    "DeleteHIT": hits.delete_hit,
    "ListAssignmentsForHIT": assignments.list_for_hit,
    "GetAssignment": assignments.get,
    "ApproveAssignment": assignments.approve,
    "RejectAssignment": assignments.reject,
    "SendBonus": assignments.send_bonus,
    "ListBonusPayments": assignments.list_bonuses,
    "GetAccountBalance": assignments.balance,
    "CreateQualificationType": qualifications.create_type,
    "ListQualificationTypes": qualifications.list_types,
    "AssociateQualificationWithWorker": qualifications.associate,
    "DisassociateQualificationFromWorker": qualifications.disassociate,
    "NotifyWorkers": assignments.notify,
}


def run(world: World, target: str, body: bytes) -> dict[str, Any]:
    """Carry out one request; raises `Refused` where the service would refuse it."""
    name = _name(target)
    arguments = _arguments(body)
    model = checks.operation(name)
    assert model
    checks.check(model, arguments)
    checks.limits(arguments)
    with world.lock:
        world.settle()
        return OPERATIONS[name](world, arguments)


def _name(target: str) -> str:
    service, _, name = target.partition(".")
    if service != checks.TARGET or checks.operation(name) is None:
        raise Unknown(
            "InvalidParameterValue", f"There is no operation {target or 'without a name'}."
        )
    if name not in OPERATIONS:
        raise RequestRefused("NotOfferedByStandIn", f"This stand-in does not offer {name}.")
    return name


def _arguments(body: bytes) -> Any:
    try:
        return json.loads(body or b"{}")
    except ValueError:
        raise RequestRefused("InvalidParameterValue", "The request is not JSON.")


KIND = "application/x-amz-json-1.1"
CALL = "HTTP_AMZ_SDK_INVOCATION_ID"  # one per call, shared by its repeats

logger = logging.getLogger(__name__)


class Dropped(ConnectionAbortedError):
    """The connection must break without an answer."""


def answer(world: World, environ: Mapping[str, Any], body: bytes) -> Response:
    """Answer one request of the API."""
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    with world.lock:
        how = world.faults.of(target.partition(".")[2], environ.get(CALL, ""))
    if how == FaultKind.TIMEOUT:
        world.faults.wait()
        raise Dropped
    try:
        if how == FaultKind.BEFORE:
            raise Faulty("AWS.ServiceUnavailable", "The service is unavailable for a moment.")
        if how == FaultKind.THROTTLE:
            raise RequestThrottled("", "Rate exceeded")
        reply = _reply(world, 200, run(world, target, body))
    except RequestRefused as refused:
        reply = _reply(world, refused.status, refused.body())
    except Exception:
        logger.exception("The stand-in failed at %s", target)
        faulty = Faulty("AWS.ServiceUnavailable", "It has a bug.")
        reply = _reply(world, Faulty.status, faulty.body())
    if how == FaultKind.AFTER:
        raise Dropped
    return reply


def _reply(world: World, status: int, body: dict[str, Any]) -> Response:
    date = format_datetime(world.now(), usegmt=True)
    headers = {"x-amzn-RequestId": str(uuid.uuid4()), "Date": date}
    return Response(status=status, kind=KIND, body=json.dumps(body).encode(), headers=headers)
