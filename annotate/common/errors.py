"""Errors of the services: typed, in plain words, translated once at the boundary.

`status` is the HTTP status that pages and the API answer with.
"""

from collections.abc import Mapping

from django.core.management.base import CommandError


class ServiceError(Exception):
    """The request cannot be carried out; the message says what to do next."""

    status = 400
    code = "refused"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class BadCursor(ServiceError):
    """The place in a list from which it was to go on is not one."""

    code = "bad_cursor"

    def __init__(self) -> None:
        super().__init__(
            "This cursor is not one of this list, or was made for other filters or another order. "
            "Take `next` and `previous` as they are, or start without a cursor."
        )


class NotFound(ServiceError):
    """It does not exist, or not for this user."""

    status = 404
    code = "not_found"


class NotAllowed(ServiceError):
    """This user may see it but not do this."""

    status = 403
    code = "not_allowed"


class Conflict(ServiceError):
    """The state has changed; nothing was done."""

    status = 409
    code = "conflict"


class Gone(ServiceError):
    """The lease or the link has ended."""

    status = 410
    code = "gone"


class TooMany(ServiceError):
    """There were too many lately; `wait`: seconds until there may be more."""

    status = 429
    code = "too_many"

    def __init__(self, message: str, *, wait: int) -> None:
        super().__init__(message)
        self.wait = wait


class Invalid(ServiceError):
    """Fields need correcting; `errors` maps each to what to do."""

    status = 422
    code = "invalid"

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = dict(errors)


# How a command says that a service refused what was asked.


def nothing_changed(refused: ServiceError) -> CommandError:
    """Return the error that lists each problem on a line, with the name of its field."""
    told = getattr(refused, "errors", {"": refused.message})
    lines = "\n".join(f"{name}: {text}" if name else text for name, text in told.items())
    return CommandError(f"Nothing was changed.\n{lines}")
