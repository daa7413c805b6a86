"""What the annotator's page asks of the server while somebody works."""

import math
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.common import tokens
from annotate.common.errors import Conflict, Gone, Invalid
from annotate.common.limits import client_address
from annotate.common.numbers import count_in
from annotate.models import Draft
from annotate.work import leasing, submitting, task
from annotate.work import queries as work_queries
from annotate.work.access import RequestError, data_words, handed, said, speak, worker_endpoint
from annotate.work.admission import NoTask
from annotate.work.submitting import PageResponse

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
        saved = submitting.save_draft(
            assignment_id, participation_id=participation_id, revision=revision, data=data
        )
    except Conflict as error:
        newer = Draft.objects.filter(assignment=assignment_id).values("revision", "data").first()
        if newer is None:  # submitted at this moment
            raise Gone(_("You have submitted this task already."), code="submitted") from None
        raise RequestError(error.message, status=409, code=error.code, draft=newer) from None
    return {"revision": saved}


@worker_endpoint("POST", with_request=True)
def submit(
    participation_id: int, body: dict[str, Any], assignment_id: int, *, request: HttpRequest
) -> dict[str, Any]:
    given = _given(body, request)
    receipt, following = submitting.submit(
        assignment_id, participation_id=participation_id, given=given
    )
    correctable = bool(settings.CORRECTION) and not following.figures.barred
    answered = said(following.study.instrument, assignment_id, given.raw)
    return {
        "counts": receipt.counts,
        "earned": str(receipt.earned),
        **_next(participation_id, following, correctable=correctable, answered=answered),
    }


@worker_endpoint("POST", with_request=True)
def correct(
    participation_id: int, body: dict[str, Any], assignment_id: int, *, request: HttpRequest
) -> dict[str, Any]:
    """Store a correction of the text submitted last; safe to repeat."""
    _require_response(body)
    after = body.get("after")
    if type(after) is not int or not 0 < after < LARGEST:
        message = _("A correction says which answer it follows: “after” in the page’s data.")
        raise RequestError(message, status=400, code="not_a_correction")
    speak(task.study_at(participation_id))
    submitting.correct(
        assignment_id,
        participation_id=participation_id,
        given=_given(body, request),
        after=after,
    )
    token = tokens.participation_token(participation_id)
    return {"next": reverse("annotate:work", args=[token])}


@worker_endpoint("POST")
def ahead(participation_id: int, _body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    """Reserve the task after this one, which is being answered."""
    study = task.study_at(participation_id)
    got = leasing.lease_ahead(participation_id, after=assignment_id)
    coming = None if isinstance(got, NoTask) else task.current(got, study)
    return {"coming": _handed(participation_id, study, coming)}


@worker_endpoint("POST")
def give_back(participation_id: int, _body: dict[str, Any], assignment_id: int) -> dict[str, Any]:
    leasing.give_back(assignment_id, participation_id=participation_id)
    following = submitting.what_follows(participation_id)
    return _next(
        participation_id, following, correctable=work_queries.may_correct(participation_id)
    )


def _next(
    participation_id: int,
    following: submitting.AfterSubmit,
    *,
    correctable: bool,
    answered: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the next address, the task that comes now, the one after it, and the texts around it.

    answered: what was answered just now, for the page of the next text of the same item.
    told: names the texts of the study; a page that has shown others is loaded again.

    The token is new each time, so that people who keep working are not locked out after thirty
    days.
    """
    study, figures = following.study, following.figures
    count_in(study.currency)
    around = data_words(study, figures, number=figures.judged + 1, correctable=correctable)
    around["texts"] |= answered or {}
    return {
        "next": reverse("annotate:work", args=[tokens.participation_token(participation_id)]),
        "told": study.told,
        "assignment": following.next,
        "coming": _handed(participation_id, study, following.coming),
        "words": around,
    }


def _handed(
    participation_id: int, study: task.Study, work: task.Work | None
) -> dict[str, Any] | None:
    if work is None:
        return None
    return handed(tokens.participation_token(participation_id), study, work)


def _require_response(body: dict[str, Any]) -> dict[str, Any]:
    response = body.get("response")
    if not isinstance(response, dict):
        raise Invalid({"response": _("There is no response to store.")})
    return response


def _given(body: dict[str, Any], request: HttpRequest) -> PageResponse:
    """Read what the page sends; it must say with which version of the instrument it asked."""
    response, version = _require_response(body), body.get("version")
    if not isinstance(version, str):
        raise Invalid({"version": _("Say which version was asked: “version” in the page’s data.")})
    return PageResponse(
        response,
        seconds(body.get("active_seconds")),
        version,
        signals=body.get("signals"),
        network=client_address(request),
        agent=request.headers.get("User-Agent", ""),
    )


def seconds(value: Any) -> float | None:
    """Read the time that the page measured, which decides nothing; None if no clock can show it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < LARGEST and math.isfinite(value) else None
