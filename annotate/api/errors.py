"""Service errors as JSON: translated once, here."""

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate.errors import Invalid, ServiceError
from annotate.services.upload import UploadRefused


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer with `{"error": code, "message": text}` and, where fields are wrong, `errors`."""
    if isinstance(error, ServiceError):
        body: dict[str, Any] = {"error": error.code, "message": error.message}
        if isinstance(error, Invalid):
            body["errors"] = error.errors
        return Response(body, status=error.status)
    if isinstance(error, UploadRefused):
        rows = [{"line": row.line, "message": row.message} for row in error.errors]
        return Response({"error": "refused", "message": str(error), "rows": rows}, status=422)
    return exception_handler(error, context)
