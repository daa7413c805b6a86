"""What the annotator's page asks of the server while somebody works."""

import math
from dataclasses import asdict
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotate import tokens
from annotate.errors import Conflict, Invalid
from annotate.selectors.work import task_page
from annotate.services.work import judgments, leasing
from annotate.text import figures
from annotate.views.work.access import RequestError, worker_endpoint
from annotate.views.work.data import words

LARGEST = 2**31 - 1


@worker_endpoint("POST")
def heartbeat(participation_id: int, _body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    until = leasing.heartbeat(assignment_id, participation_id=participation_id)
    return {"expires_at": until.isoformat()}


@worker_endpoint("PUT")
def draft(participation_id: int, body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    """Save the draft. A stale tab is refused and receives the newer draft."""
    revision, data = body.get("revision"), body.get("data")
    if type(revision) is not int or not 0 <= revision < LARGEST or not isinstance(data, dict):
        message = _("A draft has a revision and data.")
        raise RequestError(message, status=400, code="not_a_draft")
    try:
        saved = judgments.save_draft(
            assignment_id, participation_id=participation_id, revision=revision, data=data
        )
    except Conflict as error:
        newer = asdict(task_page.saved_draft(assignment_id))
        raise RequestError(error.message, status=409, code=error.code, draft=newer) from None
    return {"revision": saved}


@worker_endpoint("POST")
def submit(participation_id: int, body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    response = body.get("response")
    if not isinstance(response, dict):
        raise Invalid({"response": _("There is no response to store.")})
    receipt = judgments.submit(
        assignment_id,
        participation_id=participation_id,
        raw=response,
        active_seconds=seconds(body.get("active_seconds")),
        version=_version(body),
    )
    return {
        "counts": receipt.counts,
        "earned": str(receipt.earned),
        **_next(participation_id),
    }


@worker_endpoint("POST")
def give_back(participation_id: int, _body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    leasing.give_back(assignment_id, participation_id=participation_id)
    return _next(participation_id)


def _next(participation_id: int) -> dict[str, Any]:
    """Return the next address, the task that is already reserved, and the texts around it. The
    token is new each time, so that people who keep working are not locked out after thirty days.
    """
    visit = task_page.visit(participation_id)
    figures.count_in(visit.study.currency)
    return {
        "next": reverse("annotate:work", args=[tokens.participation_token(participation_id)]),
        "assignment": task_page.reserved(participation_id),
        "words": words(visit, number=visit.judged + 1),
    }


def _version(body: dict[str, Any]) -> str:
    """Return which version of the instrument the client asked with; it must say so."""
    version = body.get("version")
    if not isinstance(version, str):
        raise Invalid({"version": _("Say which version was asked: “version” in the page’s data.")})
    return version


def seconds(value: Any) -> float | None:
    """Read the time that the page measured, which decides nothing; None if no clock can show it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < LARGEST and math.isfinite(value) else None
