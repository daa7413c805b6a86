"""One measurement: so many annotators for so many seconds, and what it took."""

import asyncio
import math
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.load.annotators import Annotator, Load, Tally, Timed
from bench.load.lag import Watch, lags
from bench.load.servers import Servers
from bench.load.usage import Groups
from bench.unit import unit

WARM_UP = 3.0  # seconds before each measurement: processes import, connect and compile
DRAIN = 60.0  # seconds that estimates may need for what was judged
SERVING = ("web", "worker", "beat", "postgres", "redis")
SHARES = (50, 95, 99)


@dataclass(frozen=True)
class Wish:
    """What is to be measured."""

    annotators: int
    seconds: float
    think: float = 0.0
    stored: int = 0


@dataclass(frozen=True)
class Times:
    """Seconds that requests took: mean and percentiles; all None without a request."""

    n: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True)
class Row:
    wish: Wish
    unit: float  # seconds
    tasks: int
    tasks_per_s: float
    submit: Times
    next: Times
    cpu: dict[str, float]  # seconds a task by group of processes
    lag: float | None  # the 95th percentile, in seconds
    acknowledged: int
    stored: int
    errors: dict[str, int]
    memory: dict[str, float]  # MB at most by group

    @property
    def cpu_serving(self) -> float:
        """Return the processor seconds a task of all servers, without the client."""
        return sum(self.cpu[name] for name in SERVING)

    def data(self) -> dict[str, Any]:
        return asdict(self) | {"cpu_serving": self.cpu_serving}


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least `share` % of the values do not exceed."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def times(timed: Iterable[Timed], since: float, until: float) -> Times:
    """Summarise the requests that were answered in this time."""
    took = [seconds for at, seconds in timed if since <= at < until]
    p50, p95, p99 = (percentile(took, share) for share in SHARES)
    return Times(len(took), statistics.fmean(took) if took else None, p50, p95, p99)


def measure(wish: Wish, servers: Servers, groups: Groups) -> Row:
    """Make a campaign, let people work, and count."""
    from bench.load import study

    made = study.make(wish.annotators, seconds=wish.seconds + WARM_UP, stored=wish.stored)
    one_unit = unit()
    watch = Watch(made.id)
    watch.start()
    groups.forget()
    drive = _Drive(wish, servers, groups)
    asyncio.run(drive.run(made.tokens))
    watch.end(patience=DRAIN)
    servers.check()
    tally, since, until = drive.tally, drive.since, drive.until
    submit = times(tally.submits, since, until)
    judged = sorted(at for at, _took in tally.submits if since <= at < until)
    n = max(1, submit.n)
    return Row(
        wish,
        one_unit,
        submit.n,
        submit.n / (until - since),
        submit,
        times(tally.pages, since, until),
        {name: used / n for name, used in drive.cpu.items()},
        percentile(lags(judged, watch.looks), 95),
        len(tally.acknowledged),
        study.judgments(made.id) - made.judged,
        dict(tally.errors),
        groups.peak,
    )


class _Drive:
    """The annotators at work, and the processor time meanwhile."""

    def __init__(self, wish: Wish, servers: Servers, groups: Groups) -> None:
        self.wish, self.servers, self.groups = wish, servers, groups
        self.tally = Tally()
        self.since = self.until = 0.0
        self.cpu: dict[str, float] = {}

    async def run(self, tokens: Sequence[str]) -> None:
        stop = asyncio.Event()
        load = Load("127.0.0.1", self.servers.port, self.wish.think, stop, self.tally)
        people = [asyncio.create_task(Annotator(token, load).run()) for token in tokens]
        await asyncio.sleep(WARM_UP + self.wish.think)
        before, self.since = self.groups.cpu(), time.time()
        while (left := self.since + self.wish.seconds - time.time()) > 0:
            await asyncio.sleep(min(1.0, left))
            self.groups.look()
        after, self.until = self.groups.cpu(), time.time()
        stop.set()
        await asyncio.gather(*people)
        self.cpu = {name: after[name] - before[name] for name in after}
