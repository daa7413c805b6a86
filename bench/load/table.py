"""The tables that are printed."""

from collections.abc import Sequence

from bench.load.row import SERVING, Row, Times

GROUPS = (*SERVING, "all", "client")


def tables(rows: Sequence[Row]) -> str:
    return "\n\n".join((speed(rows), cpu(rows), memory(rows)))


def speed(rows: Sequence[Row]) -> str:
    """Tasks a second, latencies in ms, the lag of estimates, and what was stored."""
    head = ["annotators", "tasks/s"]
    head += [
        f"{what} {name}" for what in ("submit", "next") for name in ("mean", "p50", "p95", "p99")
    ]
    head += ["lag p95", "acknowledged", "stored", "errors"]
    return markdown(
        head,
        [
            [
                str(row.wish.annotators),
                f"{row.tasks_per_s:.1f}",
                *_latencies(row.submit),
                *_latencies(row.next),
                "–" if row.lag is None else f"{row.lag:.1f} s",
                f"{row.acknowledged:,}",
                f"{row.stored:,}",
                str(sum(row.errors.values())),
            ]
            for row in rows
        ],
    )


def cpu(rows: Sequence[Row]) -> str:
    """Processor time a task: milliseconds, and beside them units of `bench.unit`."""
    head = ["annotators", *(f"{name} ms (units)" for name in GROUPS), "unit"]
    lines = []
    for row in rows:
        used = row.cpu | {"all": row.cpu_serving}
        figures = [f"{used[name] * 1000:.1f} ({used[name] / row.unit:.3f})" for name in GROUPS]
        lines.append([str(row.wish.annotators), *figures, f"{row.unit * 1000:.0f} ms"])
    return markdown(head, lines)


def memory(rows: Sequence[Row]) -> str:
    names = [name for name in GROUPS if name != "all"]
    head = ["annotators", *(f"{name} MB" for name in names)]
    return markdown(
        head,
        [
            [str(row.wish.annotators), *(f"{row.memory.get(name, 0):.0f}" for name in names)]
            for row in rows
        ],
    )


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table that reads well as text and as Markdown."""
    widths = [max(len(line[i]) for line in (head, *lines)) for i in range(len(head))]
    rule = "|".join("-" * (width + 1) + ":" for width in widths)
    return "\n".join([_line(head, widths), f"|{rule}|", *(_line(line, widths) for line in lines)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)) + " |"


def _latencies(times: Times) -> list[str]:
    values = (times.mean, times.p50, times.p95, times.p99)
    return ["–" if value is None else f"{value * 1000:.0f} ms" for value in values]
