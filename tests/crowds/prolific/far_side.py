"""Prolific's far side for tests: the stand-in server, and the people in front of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

from annotate.crowds.prolific.marketplace import (
    EVENT_ID,
    EVENT_TIME,
    SIGNATURE,
    TIMESTAMP,
    Prolific,
    signature,
)
from tests.crowds.far_side import Fault
from tests.crowds.prolific.server import Server
from tests.crowds.prolific.world import World

TOKEN, SECRET = "a-token", "a-secret"
# Each of what its descriptions may mean: options of `World`.
WORLDS: dict[str, dict[str, Any]] = {
    f"{reopens.lower()}, {'stopped' if stops else 'not stopped'} when full": {
        "reopens": reopens,
        "stops_full": stops,
    }
    for reopens in ("ACTIVE", "PAUSED")
    for stops in (True, False)
}


class ProlificFarSide:
    """See `tests.crowds.far_side.FarSide`. Receipts are not carried: Prolific has none."""

    def __init__(self, **options: Any) -> None:
        self.world = World(**options)
        self.server = Server(self.world, TOKEN)
        self._adapters: list[Prolific] = []

    @property
    def balance(self) -> Decimal:
        return Decimal(self.world.available) / 100

    @balance.setter
    def balance(self, amount: Decimal) -> None:
        self.world.available = int(amount * 100)

    def adapter(self, *, token: str = TOKEN, secret: str = SECRET) -> Prolific:
        made = Prolific(base_url=self.server.url, api_token=token, webhook_secret=secret)
        self._adapters.append(made)
        return made

    def person(self, number: int) -> str:
        """Return the name of one of the people in front of it: 24 hexadecimal digits."""
        return f"{number:024x}"

    def accept(self, listing: str, person: str) -> str:
        with self.world.lock:
            return self.world.accept(listing, person)

    def submit(self, unit: str, *, receipt: str) -> None:
        with self.world.lock:
            self.world.hand_in(unit)

    def give_back(self, unit: str) -> None:
        with self.world.lock:
            self.world.give_back(unit)

    def move_clock(self, by: timedelta) -> None:
        with self.world.lock:
            self.world.ahead += by

    def fail_next(self, operation: str, how: Fault) -> None:
        self.server.break_calls(operation, how)

    def heal(self) -> None:
        self.server.heal()

    def postings(self) -> list[str]:
        """Drafts are none: nobody sees them and they cost nothing."""
        return [
            key for key, study in self.world.studies.items() if study["status"] != "UNPUBLISHED"
        ]

    def paid(self) -> dict[str, Decimal]:
        return {
            unit: Decimal(self.world.studies[row["study_id"]]["reward"]) / 100
            for unit, row in self.world.submissions.items()
            if self.world.submission(unit)["status"] == "APPROVED"
        }

    def bonuses(self) -> list[tuple[str, str, Decimal]]:
        return [
            (person, unit, Decimal(amount) / 100) for person, unit, amount in self.world.bonuses
        ]

    def event(self, kind: str, resource: str, *, name: str = "e1") -> tuple[bytes, dict[str, str]]:
        """Return what a hook would send: the body and its headers, signed."""
        raw = json.dumps({"event_type": kind, "resource_id": resource}).encode()
        stamp = str(int(self.world.now().timestamp()))
        headers = {TIMESTAMP: stamp, EVENT_TIME: stamp, EVENT_ID: name}
        return raw, {**headers, SIGNATURE: signature(SECRET, stamp, raw)}

    def close(self) -> None:
        self.server.close()
        for adapter in self._adapters:
            adapter.client.close()


@contextmanager
def prolific_far_side(**options: Any) -> Iterator[ProlificFarSide]:
    """Run one for as long as the block lasts; options are fields of its `World`."""
    far_side = ProlificFarSide(**options)
    try:
        yield far_side
    finally:
        far_side.close()
