"""boto3's MTurk client: created late, checked, and called once per effect."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Lock
from typing import Any

import boto3
from botocore.config import Config

from annotate.crowds import clocks
from annotate.crowds.mturk.environments import Environment, environment_of
from annotate.crowds.mturk.errors import ERRORS, Kind, TurkError, turk_error

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
        except TurkError as error:
            raise error.crowd_error() from error

    def act(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer; raises `TurkError`."""
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
        self.ahead = clocks.ahead(answer["ResponseMetadata"]["HTTPHeaders"].get("date"))
        told: dict[str, Any] = clocks.on_ours(answer, self.ahead)
        return told

    def _client(self, attempts: int) -> Any:
        with self._lock:
            if attempts not in self._made:
                self._session = self._session or boto3.Session()
                self._made[attempts] = self._session.client(
                    "mturk",
                    region_name=REGION,
                    endpoint_url=self.world.endpoint,
                    config=self._config(attempts),
                    **self._credentials(),
                )
            return self._made[attempts]

    def _config(self, attempts: int) -> Config:
        return Config(
            connect_timeout=min(CONNECT_TIMEOUT, self._timeout),
            read_timeout=self._timeout,
            retries={"mode": "standard", "total_max_attempts": attempts},
        )

    def _credentials(self) -> dict[str, str]:
        """Return the signing credentials; a private server has no accounts, so any name works."""
        if not self.world.own or OWN_CREDENTIALS & os.environ.keys():
            return {}
        return {"aws_access_key_id": "LOCAL", "aws_secret_access_key": "local"}

    def _check(self, client: Any) -> None:
        """Raise if boto3 is connected to another environment, because rows belong to one."""
        real = environment_of(client.meta.endpoint_url)
        if real != self.world.environment:
            raise TurkError(
                Kind.SETTINGS,
                f"This belongs to {self.world.environment}, but the MTurk client is connected to "
                f"{real}. Set MTURK_ENVIRONMENT and MTURK_ENDPOINT_URL to where it was launched.",
            )
