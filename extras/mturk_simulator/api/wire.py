"""The JSON-1.1 protocol, and its deliberate faults."""

import json
import logging
import uuid
from collections.abc import Mapping
from email.utils import format_datetime
from typing import Any

from extras.mturk_simulator.api.operations import run
from extras.mturk_simulator.responses import Response
from extras.mturk_simulator.state.errors import Faulty, RequestRefused, RequestThrottled
from extras.mturk_simulator.state.faults import FaultKind
from extras.mturk_simulator.state.world import World

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
        _fail(how)
        reply = _reply(world, "200 OK", run(world, target, body))
    except RequestRefused as refused:
        reply = _reply(world, refused.status, refused.body())
    except Exception:
        logger.exception("The stand-in failed at %s", target)
        faulty = Faulty("AWS.ServiceUnavailable", "It has a bug.")
        reply = _reply(world, Faulty.status, faulty.body())
    if how == FaultKind.AFTER:
        raise Dropped
    return reply


def _fail(how: FaultKind | None) -> None:
    if how == FaultKind.BEFORE:
        raise Faulty("AWS.ServiceUnavailable", "The service is unavailable for a moment.")
    if how == FaultKind.THROTTLE:
        raise RequestThrottled("", "Rate exceeded")


def _reply(world: World, status: str, body: dict[str, Any]) -> Response:
    date = format_datetime(world.now(), usegmt=True)
    return Response(
        status=status,
        kind=KIND,
        body=json.dumps(body).encode(),
        headers=(("x-amzn-RequestId", str(uuid.uuid4())), ("Date", date)),
    )
