"""The tables that are printed."""

import math
from argparse import Namespace
from collections.abc import Sequence

from bench.load.row import DRAIN, SERVING, Row
from bench.load.summary import Times

GROUPS = (*SERVING, "all", "client")


def headline(asked: Namespace) -> str:
    """Say under what conditions the rows were measured."""
    web, worker = asked.processes
    disk = "does not wait" if asked.no_sync else "waits"
    return (
        f"{asked.seconds:g} s a row, {asked.think:g} s of thinking, {asked.stored:,} judgments "
        f"stored before, {web} web and {worker} worker processes, Postgres {disk} for the disk; "
        "a unit is the processor time of `bench.unit` before the row"
    )


def tables(rows: Sequence[Row]) -> str:
    return "\n\n".join((speed(rows), cpu(rows), memory(rows)))


def speed(rows: Sequence[Row]) -> str:
    """Tasks a second, latencies in ms, the lag of estimates, and what was stored."""
    names = ("mean", "p50", "p95", "p99")
    head = [f"{what} {name}, ms" for what in ("submit", "next") for name in names]
    head = ["annotators", "tasks/s", *head, "lag p95, s", "acknowledged", "stored", "errors"]
    return markdown(head, [_speed(row) for row in rows])


def _speed(row: Row) -> list[str]:
    return [
        str(row.wish.annotators),
        f"{row.tasks_per_s:.1f}",
        *_latencies(row.submit),
        *_latencies(row.next),
        _lag(row.lag),
        f"{row.acknowledged:,}",
        f"{row.stored:,}",
        f"{sum(row.errors.values()):,}",
    ]


def cpu(rows: Sequence[Row]) -> str:
    """Processor time a task: milliseconds, and beside them units of `bench.unit`."""
    head = ["annotators", *(f"{name}, ms (units)" for name in GROUPS), "unit, ms"]
    lines = []
    for row in rows:
        used = row.cpu | {"all": row.cpu_serving}
        figures = [_in_units(used[name], row.unit) for name in GROUPS]
        lines.append([str(row.wish.annotators), *figures, f"{row.unit * 1000:.0f}"])
    return markdown(head, lines)


def memory(rows: Sequence[Row]) -> str:
    """The most memory of each group of processes while it was measured."""
    names = [name for name in GROUPS if name != "all"]
    lines = [
        [str(row.wish.annotators), *(f"{row.memory.get(name, 0):.0f}" for name in names)]
        for row in rows
    ]
    return markdown(["annotators", *(f"{name}, MB" for name in names)], lines)


def beside(rows: Sequence[Row]) -> str:
    """Plumbline and the peer, and how many times as much Plumbline does and takes."""
    head = ["annotators", "tasks/s", "peer", "ratio", "all, ms (units)", "peer", "ratio"]
    lines = [
        [
            str(row.wish.annotators),
            f"{row.tasks_per_s:.1f}",
            f"{row.peer.tasks_per_s:.1f}",
            f"{row.tasks_per_s / row.peer.tasks_per_s:.2f} ×",
            _in_units(row.cpu_serving, row.unit),
            _in_units(row.peer.cpu, row.unit),
            f"{row.cpu_serving / row.peer.cpu:.2f} ×",
        ]
        for row in rows
        if row.peer is not None
    ]
    return markdown(head, lines)


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table that reads well as text and as Markdown."""
    widths = [max(len(line[i]) for line in (head, *lines)) for i in range(len(head))]
    rule = "|".join("-" * (width + 1) + ":" for width in widths)
    return "\n".join([_line(head, widths), f"|{rule}|", *(_line(line, widths) for line in lines)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)) + " |"


def _in_units(seconds: float, unit: float) -> str:
    if math.isnan(seconds):
        return "–"
    return f"{seconds * 1000:.1f} ({seconds / unit:.3f})"


def _lag(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"> {DRAIN:g}" if math.isinf(seconds) else f"{seconds:.1f}"


def _latencies(times: Times) -> list[str]:
    values = (times.mean, times.p50, times.p95, times.p99)
    return ["–" if value is None else f"{value * 1000:.0f}" for value in values]
