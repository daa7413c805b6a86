"""The progress of an export's download, for the page that started it.

It is kept for a minute where all processes see it (Redis). It
only shows: a download neither waits for it nor fails with it.
"""

import logging
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, field
from typing import Literal

from django.core.cache import caches
from redis import RedisError

from estimation.exporting.tables import JUDGMENTS, OUTPUTS

TOKEN = re.compile(r"[0-9a-f]{32}")  # that the page makes for one download
KEPT = 60  # seconds after the last change
EVERY = 0.5  # seconds between two changes
SHOWN = (OUTPUTS.name, JUDGMENTS.name)  # what grows with a campaign

State = Literal["running", "complete", "stopped"]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class DownloadStanding:
    """state: of the download. lines of total, of outputs and judgments; size: bytes so far."""

    state: State
    lines: int = 0
    total: int = 0
    size: int = 0

    @property
    def share(self) -> float:
        return self.lines / self.total if self.total else 0.0


@dataclass
class FollowedDownload:
    """A download that reports its progress. name: see `name_of`."""

    name: str
    lines: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    size: int = 0
    told_at: float = 0.0

    def progress(self, file: str, lines: int, total: int | None) -> None:
        """Record the progress that `archive.stream` reports."""
        if file in SHOWN and total is not None:
            self.lines[file], self.totals[file] = lines, total

    def over(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the parts, and tell how far they are and how they end."""
        state: State = "stopped"
        self._tell("running")
        try:
            for part in parts:
                self.size += len(part)
                if time.monotonic() >= self.told_at + EVERY:
                    self._tell("running")
                yield part
            state = "complete"
        finally:
            self._tell(state)

    def _tell(self, state: State) -> None:
        self.told_at = time.monotonic()
        now = DownloadStanding(
            state, sum(self.lines.values()), sum(self.totals.values()), self.size
        )
        try:
            caches["shared"].set(self.name, astuple(now), KEPT)
        except RedisError as error:
            logger.warning("no page can show how far a download is: %s", error)


def name_of(campaign_id: int, user_id: int, token: str) -> str:
    """Return under what a user's download is found; "" for a token that no page makes."""
    return f"export:{campaign_id}:{user_id}:{token}" if TOKEN.fullmatch(token) else ""


def find(name: str) -> DownloadStanding | None:
    """Return how far it is; None before it has begun, a minute after its end, without Redis."""
    try:
        found = caches["shared"].get(name) if name else None
    except RedisError as error:
        logger.warning("no page can show how far a download is: %s", error)
        return None
    return None if found is None else DownloadStanding(*found)
