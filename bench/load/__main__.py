"""Closed-loop load against servers that this starts: Postgres, Redis, gunicorn, worker and beat.

`python -m bench.load` prints a row for each number of annotators, who submit and have the next task
without a pause (or think `--think` seconds on average), in a campaign of their own. A unit is the
processor time of `bench.unit` before the row. speed: tasks a second times the unit in seconds
(floor 10). cpu: processor time of all servers for a thousand tasks, in units (at most 180). lag:
seconds until an estimate knows a judgment. Exit code 1: an acknowledged judgment is not stored, a
row has no judgment, or a server failed.
"""

import argparse
import asyncio
import math
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType

from bench.database import prepare
from bench.load import study
from bench.load.annotators import Annotator, Load, Tally
from bench.load.doccano import measured as measured_doccano
from bench.load.servers import ServerError, Servers, durable, servers
from bench.unit import unit

# Before each measurement processes import, connect and compile: so many seconds at least, until
# each annotator and each thread of the web has submitted twice, so many seconds at most.
WARM_UP, WARM_TASKS, LONGEST_WARM_UP = 3.0, 32, 120.0
SILENCE = 150.0  # seconds after which no answer will come: gunicorn gives up after 120
LOOK = 2.0  # seconds between two looks at the servers
DRAIN = 60.0  # seconds that estimates may need for what was judged
HEAD = (
    *("annotators", "tasks/s", "speed", "submit p50, p95 ms", "next p50, p95 ms", "lag p95 s"),
    *("cpu", "of it web, workers, database", "client", "unit ms", "stored", "errors"),
)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    asked = parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    print(
        f"{asked.seconds:g} s a row, {asked.think:g} s of thinking, {asked.stored:,} stored before"
    )
    whole = True
    try:
        prepare()
        durable()
        with servers() as running:
            print(f"| {' | '.join(HEAD)} |\n|{'--:|' * len(HEAD)}", flush=True)
            for annotators in asked.annotators:
                cells, is_whole, why = row(annotators, asked, running)
                print(f"| {' | '.join(cells)} |", *why, sep="\n", flush=True)
                whole &= is_whole
                running.failed |= bool(why)
    except ServerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return int(not whole)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    add = made.add_argument
    add("--annotators", type=int, nargs="+", default=(1, 10, 50, 100), metavar="N")
    add("--seconds", type=float, default=20, help="measured for each row")
    add("--think", type=float, default=0, help="seconds before each submit, on average")
    add("--stored", type=int, default=0, help="judgments stored before, of each campaign")
    add("--doccano", metavar="PYTHON", help="of an environment with doccano, measured beside")
    return made


def row(
    annotators: int, asked: argparse.Namespace, running: Servers
) -> tuple[list[str], bool, list[str]]:
    """Make a campaign and let people work: the row's cells, whether all is stored, and errors."""
    made = study.make(
        annotators, seconds=WARM_UP + asked.seconds, stored=asked.stored, check=running.check
    )
    one_unit = unit()
    watch = study.Watch(made.id)
    watch.start()
    shift = Shift(annotators, asked, running)
    asyncio.run(shift.run(made.tokens))
    watch.end(patience=DRAIN)
    tally, since, until = shift.tally, shift.since, shift.until
    submits, pages = (
        [(at, took) for at, took in timed if since <= at < until]
        for timed in (tally.submits, tally.pages)
    )
    n = len(submits)
    used = {name: seconds / max(n, 1) * 1000 / one_unit for name, seconds in shift.cpu.items()}
    client = used.pop("client")
    workers = used.get("worker", 0) + used.get("background", 0)
    lag = percentile(study.lags(sorted(at for at, _took in submits), watch.looks), 95)
    stored = study.judgments(made.id) - made.judged
    speed = n / (until - since)
    cells = [
        *(str(annotators), f"{speed:.1f}", f"{speed * one_unit:.1f}"),
        *(_latencies([took for _at, took in timed]) for timed in (submits, pages)),
        *(f"{lag:.1f}", f"{sum(used.values()):.0f}"),
        f"{used['web']:.0f}, {workers:.0f}, {used['postgres']:.0f}",
        *(f"{client:.0f}", f"{one_unit * 1000:.0f}", f"{stored:,} of {len(tally.acknowledged):,}"),
        str(tally.errors.total()),
    ]
    why = [f"{times} × {name}" for name, times in sorted(tally.errors.items())]
    if asked.doccano:
        tasks, cpu = measured_doccano(asked.doccano, annotators, asked.seconds, asked.think)
        why.append(
            f"doccano: {tasks:.1f} tasks/s (ours {speed / tasks:.2f} ×), "
            f"cpu {cpu * 1000 / one_unit:.0f} (ours {sum(used.values()) / cpu / 1000 * one_unit:.2f} ×)"
        )
    return cells, n > 0 and stored == len(tally.acknowledged), why


class Shift:
    """The annotators at work, and the processor time meanwhile."""

    def __init__(self, annotators: int, asked: argparse.Namespace, running: Servers) -> None:
        self.annotators, self.asked, self.running = annotators, asked, running
        self.groups = running.groups()
        self.tally = Tally()
        self.since = self.until = 0.0  # what is measured, by `time.time()`
        self.cpu: dict[str, float] = {}

    async def run(self, tokens: Sequence[str]) -> None:
        stop = asyncio.Event()
        load = Load("127.0.0.1", self.running.port, self.asked.think, stop, self.tally)
        people = [asyncio.create_task(Annotator(token, load).run()) for token in tokens]
        await self._warm_up()
        before, self.since = self.groups.cpu(), time.time()
        while (left := self.since + self.asked.seconds - time.time()) > 0:
            await asyncio.sleep(min(LOOK, left))
            self.running.check()
        after, self.until = self.groups.cpu(), time.time()
        self.cpu = {name: after[name] - before[name] for name in after}
        stop.set()
        # Everybody has the answer that they wait for; without one it is an error.
        done, silent = await asyncio.wait(people, timeout=SILENCE + self.asked.think * 2)
        for one in silent:
            one.cancel()
            self.tally.errors["no answer"] += 1
        for one in done:
            one.result()

    async def _warm_up(self) -> None:
        began = time.time()
        enough = max(WARM_TASKS, 2 * self.annotators)
        await asyncio.sleep(WARM_UP + self.asked.think)
        while len(self.tally.submits) < enough and time.time() < began + LONGEST_WARM_UP:
            await asyncio.sleep(0.1)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` % of the values do not exceed, or NaN."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def _latencies(seconds: Sequence[float]) -> str:
    return ", ".join(f"{percentile(seconds, share) * 1000:.0f}" for share in (50, 95))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """End everything, which takes seconds: a second Ctrl+C does not break that off."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
