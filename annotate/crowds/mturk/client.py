"""boto3's MTurk client: created late, checked, and called once per effect."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore import exceptions as raised
from botocore.config import Config

from annotate.crowds import contract
from annotate.crowds.contract import (
    Configuration,
    CrowdError,
    Duplicate,
    InsufficientFunds,
    InvalidTransition,
    NotFoundAtCrowd,
    Throttled,
    Transient,
    Unanswered,
)

# The environments of MTurk: production, the sandbox, and other servers with its protocol.


PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"


@dataclass(frozen=True)
class Environment:
    """`sites`: where workers see our pages in a frame, and where these submit the work."""

    environment: str
    endpoint: str
    sites: tuple[str, ...]
    own: bool = False  # not Amazon's

    @property
    def plain_http(self) -> bool:
        """Return whether our pages may be without TLS, which only a local server allows."""
        return self.own and urlsplit(self.endpoint).scheme == "http"

    def listing_url(self, group: str) -> str:
        return f"{self.sites[0]}/mturk/preview?groupId={group}"


AMAZON = {
    "production": Environment(
        "production", PRODUCTION, ("https://worker.mturk.com", "https://www.mturk.com")
    ),
    "sandbox": Environment("sandbox", SANDBOX, ("https://workersandbox.mturk.com",)),
}
HOSTS = {urlsplit(world.endpoint).hostname: name for name, world in AMAZON.items()}


def environment_of(endpoint: str) -> str:
    """Return the environment of an endpoint."""
    parts = urlsplit(endpoint)
    return HOSTS.get(parts.hostname) or parts.netloc.rpartition("@")[2].lower()


def world(environment: str, endpoint_url: str, worker_url: str) -> Environment:
    """Return the environment that the settings name; raises `Configuration` if they contradict."""
    found = environment_of(endpoint_url) if endpoint_url else environment
    if found not in AMAZON:
        return _own(endpoint_url, worker_url)
    if found != environment:
        raise Configuration(
            f"MTURK_ENDPOINT_URL is the address of {found}, but MTURK_ENVIRONMENT says "
            f"{environment}: set both to the same, or leave the address out."
        )
    if worker_url:
        raise Configuration(
            "MTURK_WORKER_URL is for other servers than Amazon's: leave it out, or set "
            "MTURK_ENDPOINT_URL too."
        )
    return AMAZON[found]


def _own(endpoint_url: str, worker_url: str) -> Environment:
    origins = [origin(url) for url in (endpoint_url, worker_url or endpoint_url)]
    if not endpoint_url or None in origins:
        raise Configuration(
            "Set MTURK_ENVIRONMENT to sandbox or production, or MTURK_ENDPOINT_URL to the "
            "address of another server (such as http://localhost:8123), and MTURK_WORKER_URL, "
            "if at all, to the address where its workers are."
        )
    return Environment(environment_of(endpoint_url), endpoint_url, (str(origins[1]),), own=True)


def origin(url: str) -> str | None:
    """Return scheme, host and port of an address; None if it is not an address."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return f"{parts.scheme}://{parts.hostname}{port}"


# MTurk's errors: converts what boto3 raises into outcomes of effects and errors of reading.


ERRORS = (raised.BotoCoreError, raised.ClientError)
CREDENTIALS = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of an AWS user with the policy "
    "AmazonMechanicalTurkFullAccess, and link that AWS account to the requester account "
    "(requester.mturk.com/developer; for the sandbox requestersandbox.mturk.com/developer)."
)
REFUSED = "refused"  # the code where MTurk says none
ACCOUNT = "requester.mturk.com/account"
STAMP = re.compile(r"\s*\(\d+(?: s)?\)\s*$")  # MTurk ends its messages with a time


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


def turk_error(error: Exception) -> CrowdError:
    """Return the meaning of an error of boto3; `code` is MTurk's own, if it has one."""
    if isinstance(error, raised.ClientError):
        return _answered(error.response)
    if isinstance(error, NO_CREDENTIALS):
        return Configuration(f"There are no usable AWS credentials. {CREDENTIALS}")
    if isinstance(error, UNREACHED):
        return Transient(
            "MTurk cannot be reached, so nothing was changed there. Try again in a moment. If it "
            "still fails, check the network and MTURK_ENDPOINT_URL.",
            code="unreached",
        )
    if isinstance(error, raised.ParamValidationError):
        return CrowdError(f"MTurk would not take this: {error}", code=REFUSED)
    return Unanswered(f"The connection to MTurk broke before it answered: {error}")


def _answered(response: dict[str, Any]) -> CrowdError:
    """Return the meaning of a server's answer: `TurkErrorCode` says more than `Code`."""
    said = response.get("Error", {})
    code = str(response.get("TurkErrorCode") or said.get("Code", ""))
    message = STAMP.sub("", str(said.get("Message") or response.get("Message") or code))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    # Documents and answers differ in capital letters: HITAlreadyExists, HitAlreadyExists.
    name = code.rpartition(".")[2].lower()
    names = {name, str(said.get("Code", "")).lower()}
    told = f"MTurk: {message}"
    if names & THROTTLING or status == 429:
        return Throttled("MTurk accepts no more calls at the moment.")
    if status >= 500 or "servicefault" in names:
        return Unanswered(told, code=code)
    if names & NO_ENTRY:
        return Configuration(f"MTurk refused access: {message} {CREDENTIALS}")
    if name == "insufficientfunds":
        return InsufficientFunds(f"The requester account’s balance is too low ({ACCOUNT}).")
    if name.endswith("doesnotexist"):
        return NotFoundAtCrowd(told, code=code)
    if name.endswith(("alreadyexists", "duplicaterequest")) or "idempotency token" in message:
        return Duplicate(told, code=code)
    if name.startswith("invalid") and name.endswith("state"):
        return InvalidTransition(told, code=code)
    return CrowdError(told, code=code or REFUSED)


REGION = "us-east-1"
CONNECT_TIMEOUT = 5.0
READ_TIMEOUT = 20.0
ATTEMPTS = 3
PAGE = 100
OWN_CREDENTIALS = {"AWS_ACCESS_KEY_ID", "AWS_PROFILE"}


class MTurkClient:
    """A client that separates reading from acting.

    `read` tries up to three times. `act` tries once: after a silent second try, the last answer
    would not show whether the first one had taken effect. Times in answers are on our clock;
    `ahead` is how far MTurk's clock was ahead at the last answer.
    """

    def __init__(self, world: Environment, *, timeout: float = READ_TIMEOUT) -> None:
        self.world = world
        self._timeout = timeout
        self._session: boto3.Session | None = None  # it reads large files, so all clients share one
        self._made: dict[int, Any] = {}
        self._lock = Lock()
        self.ahead: timedelta | None = None

    def read(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer; raises a `CrowdError`."""
        try:
            return self._call(ATTEMPTS, operation, arguments)
        except Unanswered as error:  # for a reader nothing is at stake
            raise Transient(error.message, code=error.code) from error

    def act(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer; raises a `CrowdError`, `Unanswered` if the effect is unknown."""
        return self._call(1, operation, arguments)

    def pages(self, operation: str, key: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Yield the entries of a list, over all its pages; raises a `CrowdError`."""
        token: dict[str, str] = {}
        while True:
            answer = self.read(operation, MaxResults=PAGE, **arguments, **token)
            yield from answer.get(key, [])
            if not answer.get("NextToken"):
                return
            token = {"NextToken": answer["NextToken"]}

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            self._session = None
            for client in self._made.values():
                client.close()
            self._made.clear()

    def _call(self, attempts: int, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            client = self._client(attempts)
            self._check(client)
            method: Callable[..., dict[str, Any]] = getattr(client, operation)
            answer = method(**arguments)
        except ERRORS as error:
            raise turk_error(error) from error
        self.ahead = contract.ahead(answer["ResponseMetadata"]["HTTPHeaders"].get("date"))
        told: dict[str, Any] = contract.on_ours(answer, self.ahead)
        return told

    def _client(self, attempts: int) -> Any:
        with self._lock:
            if attempts not in self._made:
                self._session = self._session or boto3.Session()
                self._made[attempts] = self._session.client(
                    "mturk",
                    region_name=REGION,
                    endpoint_url=self.world.endpoint,
                    config=Config(
                        connect_timeout=min(CONNECT_TIMEOUT, self._timeout),
                        read_timeout=self._timeout,
                        retries={"mode": "standard", "total_max_attempts": attempts},
                    ),
                    **self._credentials(),
                )
            return self._made[attempts]

    def _credentials(self) -> dict[str, str]:
        """Return the signing credentials; a private server has no accounts, so any name works."""
        if not self.world.own or OWN_CREDENTIALS & os.environ.keys():
            return {}
        return {"aws_access_key_id": "LOCAL", "aws_secret_access_key": "local"}

    def _check(self, client: Any) -> None:
        """Raise if boto3 is connected to another environment, because rows belong to one."""
        real = environment_of(client.meta.endpoint_url)
        if real != self.world.environment:
            raise Configuration(
                f"This belongs to {self.world.environment}, but the MTurk client is connected to "
                f"{real}. Set MTURK_ENVIRONMENT and MTURK_ENDPOINT_URL to where it was launched.",
            )
