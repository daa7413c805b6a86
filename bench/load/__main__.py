"""Closed-loop load against servers that this starts: Postgres, Redis, gunicorn, worker and beat.

Each row has a campaign of its own. Exit code 1: an acknowledged judgment is not stored, a row has
no judgment, or a server or the peer failed.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from bench.database import prepare
from bench.load.peer import SHAPE, PeerError
from bench.load.peer import run as run_peer
from bench.load.row import Row, Wish, measure
from bench.load.servers import ServerError, Servers, durable, servers
from bench.load.table import beside, headline, tables

ROWS = (1, 10, 50, 100, 200)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    asked = parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    rows: list[Row] = []
    try:
        prepare()
        if not asked.no_sync:
            durable()
        web, worker = asked.processes
        with servers(web=web, worker=worker) as running:
            print(headline(asked), flush=True)
            _measure(asked, running, rows)
    except (ServerError, PeerError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if asked.json:
            asked.json.write_text(json.dumps([row.data() for row in rows], indent=1) + "\n")
    if len(rows) > 1:
        _show(rows)
    return int(any(not row.is_whole for row in rows))


def _measure(asked: argparse.Namespace, running: Servers, rows: list[Row]) -> None:
    """Measure each row and print it; `rows` has what is measured, also where one fails."""
    groups = running.groups()
    for annotators in asked.annotators:
        _tell(f"{annotators} annotators: making their campaign, then {asked.seconds:g} s of work")
        row = measure(Wish(annotators, asked.seconds, asked.think, asked.stored), running, groups)
        rows.append(row)
        if asked.peer:
            _tell("the peer's turn")
            values = {"seconds": asked.seconds, "think": asked.think}
            row.peer = run_peer(asked.peer, annotators=annotators, **values)
        _show([row])
        for why, times in sorted(row.errors.items()):
            print(f"{times} × {why}")
            running.failed = True


def _show(rows: list[Row]) -> None:
    print(f"\n{tables(rows)}", flush=True)
    if any(row.peer for row in rows):
        print(f"\n{beside(rows)}", flush=True)


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    add = made.add_argument
    add("--annotators", type=_whole(1), nargs="+", default=ROWS, metavar="N")
    add("--seconds", type=seconds, default=20, help="measured for each row")
    add("--think", type=seconds, default=0, help="seconds before each submit, on average")
    add("--stored", type=_whole(0), default=0, help="judgments stored before, of each campaign")
    add("--peer", metavar="COMMAND", help=f"measures another server; its last line is {SHAPE}")
    add(
        "--processes",
        type=_whole(1),
        nargs=2,
        default=(2, 2),
        metavar=("WEB", "WORKER"),
        help="processes of gunicorn and of the worker",
    )
    add("--no-sync", action="store_true", help="Postgres does not wait for the disk")
    add("--json", type=Path, help="file for all figures, in seconds and MB")
    return made


def _whole(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        if int(text) < least:
            raise ValueError
        return int(text)

    return count


def seconds(text: str) -> float:
    if not 0 <= float(text) < 1e6:
        raise ValueError
    return float(text)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """End everything, which takes seconds: a second Ctrl+C does not break that off."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
