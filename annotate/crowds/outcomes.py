"""What becomes of an effect on a crowd, and what is raised where a crowd cannot be read."""

from dataclasses import dataclass
from enum import StrEnum

from annotate.crowds.listings import Posted


class Effect(StrEnum):
    APPLIED = "applied"
    ALREADY = "already"  # it was so before: success
    REFUSED = "refused"  # it will never happen as asked
    RETRYABLE = "retryable"  # it did not happen; later it may
    AMBIGUOUS = "ambiguous"  # unknown whether it happened: look before trying again


# It is about a unit that the crowd does not know as handed in: lists lag behind, by minutes.
NOT_YET = "not_yet"


@dataclass(frozen=True)
class Outcome:
    """What became of an effect. `message` says in plain words what happened, and where to correct
    it if only the crowd's site can; `marketplace.operations` says what to do then.

    posted: of `publish`. code: the crowd's own error code, or "funds", "throttled", `NOT_YET`.
    failed: of `message`, the people whom it did not reach. note: what to remember, such as a name
    given by the crowd.
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
    """A crowd could not be read; the message says what to do."""

    code = "crowd"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class Transient(CrowdError):
    """It did not answer, or not sensibly: try again later."""

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
