"""Errors of the API as problem details (RFC 9457), and as part of its description."""

from http import HTTPStatus
from typing import Any

CONTENT_TYPE = "application/problem+json"
SCHEMA = "Problem"
_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"line": {"type": "integer"}, "message": {"type": "string"}},
    },
}
_PROBLEM = {
    "type": "object",
    "description": "An error, by RFC 9457.",
    "required": ["type", "title", "status", "detail", "error", "message"],
    "properties": {
        "type": {"type": "string", "description": "always about:blank: `error` tells errors apart"},
        "title": {"type": "string", "description": "the words of the status"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what happened, and what to do next"},
        "error": {"type": "string", "description": "a short code for programs"},
        "message": {"type": "string", "description": "the same as `detail`"},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "what to correct in each field",
        },
        "rows": _ROWS | {"description": "examples of wrong rows of a file"},
        "more": {"type": "boolean", "description": "whether more is wrong than `rows` shows"},
        "problems": {
            "type": "array",
            "items": {"type": "object"},
            "description": "the wrong rows by kind, with their lines and number",
        },
    },
}


def problem(code: str, message: str, status: int, **more: Any) -> dict[str, Any]:
    """Return the body of an error."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "error": code,
        "message": message,
        **more,
    }


def described(result: dict[str, Any], **_generator: Any) -> dict[str, Any]:
    """Add to the description of the API which errors each operation answers with."""
    result["components"]["schemas"][SCHEMA] = _PROBLEM
    for operations in result["paths"].values():
        for method, operation in operations.items():
            for status in _statuses(method, operation):
                operation["responses"].setdefault(str(status), _answer(HTTPStatus(status).phrase))
            operation["responses"].setdefault("default", _answer("Any other error"))
    return result


def _statuses(method: str, operation: dict[str, Any]) -> list[int]:
    is_open = {} in operation.get("security", [{}])
    in_path = any(one["in"] == "path" for one in operation.get("parameters", ()))
    found = [400]
    found += [] if is_open else [401, 403]
    found += [404] if in_path else []
    found += [] if method == "get" else [409, 422]
    return found + ([413, 415] if "requestBody" in operation else [])


def _answer(description: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{SCHEMA}"}
    return {"description": description, "content": {CONTENT_TYPE: {"schema": schema}}}
