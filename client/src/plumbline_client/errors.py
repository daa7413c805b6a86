"""What can go wrong, one class for each thing that a program may do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class PlumblineError(Exception):
    """The base of all errors of this package."""


class Unreachable(PlumblineError):
    """The server could not be reached, or the connection broke. What it did is not known."""


class UnexpectedAnswer(PlumblineError):
    """The answer is not one of Plumbline's: another program may stand at this address."""


class AnswerError(PlumblineError):
    """The server answered with an error.

    status: the HTTP status. code: the server's word for it, such as `hidden`; "" without one.
    """

    def __init__(self, message: str, *, status: int, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


class NotAllowed(AnswerError):
    """The token is missing, revoked or expired (401), or its account may not do this (403)."""


class NotFound(AnswerError):
    """There is no such thing, or it is somebody else's."""


class Conflict(AnswerError):
    """The state does not allow it: the campaign is closed, or a key belongs to another request."""


class TooLarge(AnswerError):
    """The body is larger than the server takes."""


class ServerFailed(AnswerError):
    """An error on the server's side (5xx)."""


class TooManyRequests(AnswerError):
    """Ask again after `wait` seconds; None where the server did not say how many."""

    def __init__(self, message: str, *, status: int, code: str = "", wait: float | None) -> None:
        super().__init__(message, status=status, code=code)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One kind of error in a file: the first lines that have it, and how many do."""

    message: str
    lines: tuple[int, ...]
    count: int


class Refused(AnswerError):
    """What was sent needs correcting.

    errors: by field. problems: of the rows of a file.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        errors: Mapping[str, str] | None = None,
        problems: tuple[RowProblem, ...] = (),
    ) -> None:
        super().__init__(message, status=status, code=code)
        self.errors, self.problems = dict(errors or {}), problems


def row_problems(refusal: Mapping[str, Any]) -> tuple[RowProblem, ...]:
    """Return the problems of a refusal as the server tells it."""
    return tuple(
        RowProblem(str(one["message"]), tuple(one["lines"]), int(one["count"]))
        for one in refusal.get("problems") or ()
    )


class BadSignature(PlumblineError):
    """A call of a webhook that Plumbline has not made, or not lately."""


_BY_STATUS: dict[int, type[AnswerError]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
}


def error_of(status: int, body: Any, wait: str | None) -> AnswerError:
    """Return the error that an answer of this status tells."""
    told = body if isinstance(body, dict) else {}
    message = str(told.get("message") or f"The server answered with status {status}.")
    code = str(told.get("error") or "")
    if status == 429:
        seconds = float(wait) if wait and wait.isdecimal() else None
        return TooManyRequests(message, status=status, code=code, wait=seconds)
    if status >= 500:
        return ServerFailed(message, status=status, code=code)
    if status in _BY_STATUS:
        return _BY_STATUS[status](message, status=status, code=code)
    errors = told.get("errors")
    fields = errors if isinstance(errors, dict) else {}
    return Refused(message, status=status, code=code, errors=fields, problems=row_problems(told))
