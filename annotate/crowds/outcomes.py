"""The outcomes of effects on a crowd, and the errors of reading from it."""

from dataclasses import dataclass
from enum import StrEnum

from annotate.crowds.listings import Posted


class Effect(StrEnum):
    APPLIED = "applied"
    ALREADY = "already"  # it had already happened: success
    REFUSED = "refused"  # it will never happen as asked
    RETRYABLE = "retryable"  # it did not happen, but it may later
    AMBIGUOUS = "ambiguous"  # it may have happened: check before trying again


# The crowd does not know the unit as submitted, because lists lag by minutes.
NOT_YET = "not_yet"


@dataclass(frozen=True)
class Outcome:
    """The outcome of an effect.

    message: what happened, in plain words, and where to correct it if only the crowd's site can.
        `marketplace.operations` says what to do then.
    posted: of `publish`.
    code: the crowd's own error code, or "funds", "throttled", `NOT_YET`.
    failed: of `message`, the people whom it did not reach.
    note: a value to store, such as a name given by the crowd.
    """

    effect: Effect
    code: str = ""
    message: str = ""
    posted: Posted | None = None
    failed: tuple[str, ...] = ()
    note: str = ""

    @property
    def happened(self) -> bool:
        return self.effect in (Effect.APPLIED, Effect.ALREADY)


class CrowdError(Exception):
    """Reading from a crowd failed. The message says what to do."""

    code = "crowd"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class Transient(CrowdError):
    """It did not answer, or not in a valid form: try again later."""

    code = "transient"


class Throttled(Transient):
    code = "throttled"


class InsufficientFunds(CrowdError):
    code = "funds"


class NotFoundAtCrowd(CrowdError):
    code = "not_found"


class InvalidTransition(CrowdError):
    code = "transition"


class Configuration(CrowdError):
    """Credentials, address or environment: a person must change the settings."""

    code = "configuration"
