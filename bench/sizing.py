"""Turn a target into processes, connections and memory: python -m bench.sizing --help

The processor time of a task is that of `bench.load` (docs/performance.md). It is divided among
processes that are busy for at most `BUSY` of the time, so that requests rarely wait.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from bench.unit import unit

# Processor time of a task in units of `bench.unit`, the most of docs/performance.md: web and Postgres
# of people who think, which is more than of those who wait for each other.
WEB, WORKER, POSTGRES = 0.060, 0.008, 0.055
REFRESH = 1.1  # units of the worker for a refresh, of which a campaign has one a second at most
BUSY = 0.6
THREADS, CONCURRENCY = 4, 1  # connections of a web process, and of a process of the worker
RESERVED = 16  # connections for beat, background work, migrations, back-ups and people
# The background worker: its first process, and one that calibrates screens.
MB = {"web": 175, "worker": 215, "background": 165 + 185, "beat": 67, "connection": 10}
PARENTS = 30 + 165  # MB of gunicorn's and of the worker's first process
BYTES = 3_000  # of a judgment in Postgres, with its output, scores, pay and indexes
DAY_HOURS, PEAK = 10, 3  # when people work, and how much more at the busiest time
FEWEST = 2  # processes of a kind: one may be restarted


@dataclass(frozen=True)
class Needs:
    """What a target takes; processors are those that are busy, of the machine with this unit."""

    tasks_per_s: float
    web: int
    worker: int
    web_processors: float
    worker_processors: float
    postgres_processors: float
    connections: int
    pool: int
    memory: int  # MB of web, workers and beat, and of Postgres' connections

    @property
    def processors(self) -> int:
        """Return how many to have, so that they are busy for `BUSY` of the time."""
        used = self.web_processors + self.worker_processors + self.postgres_processors
        return ceil(used / BUSY)


def needs(tasks_per_s: float, seconds: float, *, campaigns: int = 1) -> Needs:
    """Return what so many tasks a second take, where `bench.unit` takes these seconds.

    campaigns: judged in at the same time.
    """
    refreshes = REFRESH * min(tasks_per_s, campaigns)
    used = {
        "web": tasks_per_s * WEB * seconds,
        "worker": (tasks_per_s * WORKER + refreshes) * seconds,
        "postgres": tasks_per_s * POSTGRES * seconds,
    }
    web, worker = (max(FEWEST, ceil(used[name] / BUSY)) for name in ("web", "worker"))
    connections = web * THREADS + worker * CONCURRENCY + RESERVED
    # Behind a pool a connection is held for a transaction only.
    pool = max(FEWEST, ceil((used["web"] + used["postgres"]) / BUSY)) + worker
    memory = web * MB["web"] + worker * MB["worker"] + MB["background"] + MB["beat"] + PARENTS
    return Needs(
        tasks_per_s,
        web,
        worker,
        used["web"],
        used["worker"],
        used["postgres"],
        connections,
        pool,
        memory + connections * MB["connection"],
    )


def at_once(people: float, seconds: float) -> float:
    """Return the tasks a second of so many people who take so long for one."""
    return people / seconds


def a_day(judgments: float) -> float:
    """Return the tasks a second at the busiest time of a day with so many judgments."""
    return judgments / (DAY_HOURS * 3600) * PEAK


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    rate = a_day(asked.judgments) if asked.judgments else at_once(asked.people, asked.seconds)
    took = asked.unit / 1000 if asked.unit else unit()
    found = needs(rate, took, campaigns=asked.campaigns)
    print(f"{rate:,.1f} tasks a second at the busiest time; bench.unit takes {took * 1000:.0f} ms")
    print(f"web        {found.web} processes × {THREADS} threads, {found.web_processors:.2f} busy")
    print(f"worker     {found.worker} processes, {found.worker_processors:.2f} processors busy")
    print(f"Postgres   {found.postgres_processors:.2f} processors busy")
    print(f"machine    {found.processors} processors in all, busy {BUSY:.0%} of the time")
    print(f"           {found.connections} connections, or a pool of {found.pool}")
    print(f"           {found.memory / 1000:.1f} GB, and Postgres’ shared buffers")
    if asked.judgments:
        print(f"disk       {asked.judgments * BYTES / 1e9:.2f} GB more a day")


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.sizing", description=__doc__)
    target = made.add_mutually_exclusive_group(required=True)
    target.add_argument("--people", type=_positive, help="who work at the same time")
    target.add_argument("--judgments", type=_positive, help="in a day")
    made.add_argument("--seconds", type=_positive, default=60, help="that a person takes for one")
    made.add_argument("--campaigns", type=int, default=1, help="judged in at the same time")
    made.add_argument("--unit", type=_positive, help="ms of `bench.unit` there; measured otherwise")
    return made


def _positive(text: str) -> float:
    if not 0 < float(text) < 1e12:
        raise ValueError
    return float(text)


if __name__ == "__main__":
    main()
