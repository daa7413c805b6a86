"""MTurk's errors: converts what boto3 raises into outcomes of effects and errors of reading."""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, ParamSpec

from botocore import exceptions as raised

from annotate.crowds.base import (
    Configuration,
    CrowdError,
    Effect,
    InsufficientFunds,
    InvalidTransition,
    NotFoundAtCrowd,
    Outcome,
    Throttled,
    Transient,
)

P = ParamSpec("P")
ERRORS = (raised.BotoCoreError, raised.ClientError)
CREDENTIALS = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of an AWS user with the policy "
    "AmazonMechanicalTurkFullAccess, and link that AWS account to the requester account "
    "(requester.mturk.com/developer; for the sandbox requestersandbox.mturk.com/developer)."
)
ACCOUNT = "requester.mturk.com/account"
STAMP = re.compile(r"\s*\(\d+(?: s)?\)\s*$")  # MTurk ends its messages with a time


class Kind(StrEnum):
    THROTTLED = "throttled"
    UNREACHED = "unreached"  # the call did not arrive
    UNKNOWN = "unknown"  # it may have arrived and taken effect
    FUNDS = "funds"
    MISSING = "not_found"
    STATE = "state"
    DUPLICATE = "duplicate"
    INCREASE = "increase"
    SETTINGS = "configuration"
    INVALID = "refused"


class TurkError(Exception):
    """A failed call; `code` is MTurk's own, if it has one."""

    def __init__(self, kind: Kind, message: str, code: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.code = code or kind.value

    def outcome(self) -> Outcome:
        return Outcome(EFFECTS[self.kind], CODES.get(self.kind, self.code), self.message)

    def crowd_error(self) -> CrowdError:
        return READING.get(self.kind, CrowdError)(
            self.message, code=CODES.get(self.kind, self.code)
        )


CODES = {Kind.THROTTLED: "throttled", Kind.FUNDS: "funds", Kind.SETTINGS: "configuration"}
EFFECTS = {
    Kind.THROTTLED: Effect.RETRYABLE,
    Kind.UNREACHED: Effect.RETRYABLE,
    Kind.UNKNOWN: Effect.AMBIGUOUS,
    Kind.DUPLICATE: Effect.ALREADY,
} | dict.fromkeys(
    (Kind.FUNDS, Kind.MISSING, Kind.STATE, Kind.INCREASE, Kind.INVALID), Effect.REFUSED
)
READING: dict[Kind, type[CrowdError]] = {
    Kind.THROTTLED: Throttled,
    Kind.UNREACHED: Transient,
    Kind.UNKNOWN: Transient,
    Kind.FUNDS: InsufficientFunds,
    Kind.MISSING: NotFoundAtCrowd,
    Kind.STATE: InvalidTransition,
    Kind.SETTINGS: Configuration,
}


def effect(method: Callable[P, Outcome]) -> Callable[P, Outcome]:
    """Return the method with its errors converted to outcomes.

    An effect is one request, which raises `TurkError`. An error while reading before it means that
    nothing was requested yet. `Configuration` is passed on, because a person has to change
    settings.
    """

    @wraps(method)
    def carried_out(*args: P.args, **kwargs: P.kwargs) -> Outcome:
        try:
            return method(*args, **kwargs)
        except TurkError as error:
            if error.kind is Kind.SETTINGS:
                raise error.crowd_error() from error
            return error.outcome()
        except Configuration:
            raise
        except CrowdError as error:
            again = isinstance(error, Transient)
            return Outcome(Effect.RETRYABLE if again else Effect.REFUSED, error.code, error.message)

    return carried_out


# ---------------------------------------------------------------- from boto3

THROTTLING = {
    "throttlingexception",
    "throttling",
    "toomanyrequestsexception",
    "requestlimitexceeded",
}
NO_ENTRY = {
    "accessdeniedexception",
    "badclaimssupplied",
    "badcredentialsupplied",
    "expiredtoken",
    "expiredtokenexception",
    "incompletesignature",
    "invalidclienttokenid",
    "invalidsignatureexception",
    "missingauthenticationtoken",
    "notauthorized",
    "accountnotlinked",
    "signaturedoesnotmatch",
    "unrecognizedclientexception",
}
TURK = {
    "insufficientfunds": Kind.FUNDS,
    "invalidmaximumassignmentsincrease": Kind.INCREASE,
    "duplicaterequest": Kind.DUPLICATE,
}
UNREACHED = (
    raised.EndpointConnectionError,
    raised.ConnectTimeoutError,
    raised.ProxyConnectionError,
)
NO_CREDENTIALS = (
    raised.NoCredentialsError,
    raised.PartialCredentialsError,
    raised.CredentialRetrievalError,
    raised.ProfileNotFound,
    raised.ConfigParseError,
    raised.TokenRetrievalError,
    raised.SSOError,
    raised.NoAuthTokenError,
)


def turk_error(error: Exception) -> TurkError:
    """Return the meaning of an error of boto3."""
    if isinstance(error, raised.ClientError):
        return _answered(error.response)
    if isinstance(error, NO_CREDENTIALS):
        return TurkError(Kind.SETTINGS, f"There are no usable AWS credentials. {CREDENTIALS}")
    if isinstance(error, UNREACHED):
        return TurkError(
            Kind.UNREACHED,
            "MTurk cannot be reached, so nothing was changed there. Try again in a moment. If it "
            "still fails, check the network and MTURK_ENDPOINT_URL.",
        )
    if isinstance(error, raised.ParamValidationError):
        return TurkError(Kind.INVALID, f"MTurk would not take this: {error}")
    return TurkError(Kind.UNKNOWN, f"The connection to MTurk broke before it answered: {error}")


def _answered(response: dict[str, Any]) -> TurkError:
    """Return the meaning of a server's answer: `TurkErrorCode` says more than `Code`."""
    said = response.get("Error", {})
    code = str(response.get("TurkErrorCode") or said.get("Code", ""))
    message = STAMP.sub("", str(said.get("Message") or response.get("Message") or code))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    kind = _kind(code, str(said.get("Code", "")), message, status)
    return TurkError(kind, _sentence(kind, message), code)


def _kind(code: str, shape: str, message: str, status: int) -> Kind:
    # Documents and answers differ in capital letters: HITAlreadyExists, HitAlreadyExists.
    names = {code.rpartition(".")[2].lower(), shape.lower()}
    if names & THROTTLING or status == 429:
        return Kind.THROTTLED
    if status >= 500 or "servicefault" in names:
        return Kind.UNKNOWN
    if names & NO_ENTRY:
        return Kind.SETTINGS
    return _of_turk(code.rpartition(".")[2].lower(), message)


def _of_turk(name: str, message: str) -> Kind:
    if name in TURK:
        return TURK[name]
    if name.endswith("doesnotexist"):
        return Kind.MISSING
    if name.endswith("alreadyexists") or "idempotency token" in message:
        return Kind.DUPLICATE
    if name.startswith("invalid") and name.endswith("state"):
        return Kind.STATE
    return Kind.INVALID


def _sentence(kind: Kind, message: str) -> str:
    if kind is Kind.SETTINGS:
        return f"MTurk refused access: {message} {CREDENTIALS}"
    if kind is Kind.FUNDS:
        return f"The requester account’s balance is too low ({ACCOUNT})."
    if kind is Kind.THROTTLED:
        return "MTurk accepts no more calls at the moment."
    return f"MTurk: {message}"
