"""One measurement: so many annotators for so many seconds, and what it took."""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.load import study
from bench.load.annotators import Annotator, Load, Tally
from bench.load.lag import Watch, lags
from bench.load.peer import Peer
from bench.load.servers import Servers
from bench.load.summary import Times, percentile, times
from bench.load.usage import Groups
from bench.unit import unit

# Before each measurement processes import, connect and compile: so many seconds at least, until
# each annotator and each thread of the web has submitted twice, so many seconds at most.
WARM_UP, WARM_TASKS, LONGEST_WARM_UP = 3.0, 32, 120.0
SILENCE = 150.0  # seconds after which no answer will come: gunicorn gives up after 120
LOOK = 2.0  # seconds between two looks at memory
DRAIN = 60.0  # seconds that estimates may need for what was judged
SERVING = ("web", "worker", "background", "beat", "postgres", "redis")


@dataclass(frozen=True)
class Wish:
    """What is to be measured."""

    annotators: int
    seconds: float
    think: float
    stored: int


@dataclass
class Row:
    wish: Wish
    unit: float  # seconds
    tasks_per_s: float
    submit: Times
    next: Times
    cpu: dict[str, float]  # seconds a task by group of processes; NaN without a task
    lag: float | None  # the 95th percentile, in seconds; infinity: not estimated within `DRAIN`
    acknowledged: int
    stored: int
    errors: dict[str, int]
    memory: dict[str, float]  # MB at most by group
    peer: Peer | None = None

    @property
    def cpu_serving(self) -> float:
        """Return the processor seconds a task of all servers, without the client."""
        return sum(self.cpu[name] for name in SERVING)

    @property
    def is_whole(self) -> bool:
        """Return whether something was judged, and all that was acknowledged is stored."""
        return self.submit.n > 0 and 0 < self.acknowledged == self.stored

    def data(self) -> dict[str, Any]:
        """Return all figures for JSON, which has neither infinity nor NaN."""
        cpu = {name: _finite(used) for name, used in self.cpu.items()}
        serving = _finite(self.cpu_serving)
        return asdict(self) | {"cpu": cpu, "cpu_serving": serving, "lag": _finite(self.lag)}


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def measure(wish: Wish, servers: Servers, groups: Groups) -> Row:
    """Make a campaign, let people work, and count."""
    made = study.make(
        wish.annotators,
        seconds=WARM_UP + wish.seconds,
        stored=wish.stored,
        check=servers.check,
    )
    one_unit = unit()
    watch = Watch(made.id)
    watch.start()
    groups.forget()
    shift = Shift(wish, servers, groups)
    asyncio.run(shift.run(made.tokens))
    watch.end(patience=DRAIN)
    tally, since, until = shift.tally, shift.since, shift.until
    submit = times(tally.submits, since, until)
    judged = sorted(at for at, _took in tally.submits if since <= at < until)
    return Row(
        wish=wish,
        unit=one_unit,
        tasks_per_s=submit.n / (until - since),
        submit=submit,
        next=times(tally.pages, since, until),
        cpu={name: used / submit.n if submit.n else math.nan for name, used in shift.cpu.items()},
        lag=percentile(lags(judged, watch.looks), 95),
        acknowledged=len(tally.acknowledged),
        stored=study.judgments(made.id) - made.judged,
        errors=dict(tally.errors),
        memory=groups.peak,
    )


class Shift:
    """The annotators at work, and the processor time meanwhile."""

    def __init__(self, wish: Wish, servers: Servers, groups: Groups) -> None:
        self.wish, self.servers, self.groups = wish, servers, groups
        self.tally = Tally()
        self.since = self.until = 0.0  # what is measured, by `time.time()`
        self.cpu: dict[str, float] = {}

    async def run(self, tokens: Sequence[str]) -> None:
        stop = asyncio.Event()
        load = Load("127.0.0.1", self.servers.port, self.wish.think, stop, self.tally)
        people = [asyncio.create_task(Annotator(token, load).run()) for token in tokens]
        await self._warm_up()
        before, self.since = self.groups.cpu(), time.time()
        while (left := self.since + self.wish.seconds - time.time()) > 0:
            await asyncio.sleep(min(LOOK, left))
            self.groups.look()
            self.servers.check()
        after, self.until = self.groups.cpu(), time.time()
        stop.set()
        await self._end(people)
        self.cpu = {name: after[name] - before[name] for name in after}

    async def _end(self, people: Sequence["asyncio.Task[None]"]) -> None:
        """Wait until everybody has the answer that they wait for; without one it is an error."""
        done, silent = await asyncio.wait(people, timeout=SILENCE + self.wish.think * 2)
        for one in silent:
            one.cancel()
            self.tally.errors["no answer"] += 1
        for one in done:
            one.result()

    async def _warm_up(self) -> None:
        began = time.time()
        enough = max(WARM_TASKS, 2 * self.wish.annotators)
        await asyncio.sleep(WARM_UP + self.wish.think)
        while len(self.tally.submits) < enough and time.time() < began + LONGEST_WARM_UP:
            await asyncio.sleep(0.1)
