"""Every error as JSON of one shape: translated once, here."""

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate.api.base import flat
from annotate.errors import Invalid, ServiceError, TooMany
from annotate.services.campaigns.importing.problems import Refusal, UploadRefused


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer with `{"error": code, "message": text}`.

    Where fields are wrong, `errors` maps each to what to do; where rows of an upload are wrong,
    `rows` lists line and message of examples, and `problems` counts all by their kind.
    """
    if isinstance(error, ServiceError):
        later = {"Retry-After": str(error.wait)} if isinstance(error, TooMany) else None
        return Response(_service_error(error), status=error.status, headers=later)
    if isinstance(error, UploadRefused):
        return Response({"error": "refused", **refusal_as_data(error.refusal)}, status=422)
    response = exception_handler(error, context)
    if response is not None:
        response.data = _framework_error(response.data)
    return response


def refusal_as_data(refusal: Refusal) -> dict[str, Any]:
    return {
        "message": str(refusal),
        "rows": [{"line": row.line, "message": row.message} for row in refusal.errors],
        "more": refusal.more,
        "problems": [
            {
                "message": problem.message,
                "lines": [row.line for row in problem.examples],
                "count": problem.count,
            }
            for problem in refusal.problems
        ],
    }


def _service_error(error: ServiceError) -> dict[str, Any]:
    body: dict[str, Any] = {"error": error.code, "message": error.message}
    if isinstance(error, Invalid):
        body["errors"] = error.errors
    return body


def _framework_error(data: Any) -> dict[str, Any]:
    if isinstance(data, dict) and "detail" in data:
        detail = data["detail"]
        return {"error": getattr(detail, "code", "refused"), "message": str(detail)}
    errors = flat(data) if isinstance(data, dict) else flat({"body": data})
    return {"error": "invalid", "message": " ".join(errors.values()), "errors": errors}
