"""The command: see `python -m bench.load --help`."""

import argparse
import json
import signal
import sys
from pathlib import Path
from types import FrameType

from bench.database import prepare

ROWS = (1, 10, 50, 100, 200)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 1 where an acknowledged judgment is not stored."""
    asked = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    prepare("postgres")
    from bench.load.row import Row, Wish, measure
    from bench.load.servers import ServerError, durable, servers
    from bench.load.table import tables

    web, worker = asked.processes
    rows: list[Row] = []
    if not asked.no_sync:
        durable()
    try:
        with servers(web=web, worker=worker) as running:
            groups = running.groups()
            for n in asked.annotators:
                rows.append(
                    measure(Wish(n, asked.seconds, asked.think, asked.stored), running, groups)
                )
                print(f"{tables(rows[-1:])}\n", flush=True)
                for why, times in sorted(rows[-1].errors.items()):
                    print(f"{times} × {why}")
    except ServerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if asked.json:
            asked.json.write_text(json.dumps([row.data() for row in rows], indent=1))
    if len(rows) > 1:
        print(tables(rows))
    wrong = [row for row in rows if row.acknowledged != row.stored]
    for row in wrong:
        print(f"{row.acknowledged} acknowledged, but {row.stored} stored", file=sys.stderr)
    return bool(wrong)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    made.add_argument("--annotators", type=int, nargs="+", default=ROWS, metavar="N")
    made.add_argument("--seconds", type=float, default=20, help="measured for each row")
    made.add_argument("--think", type=float, default=0, help="seconds before each submit")
    made.add_argument("--stored", type=int, default=0, help="judgments stored before")
    made.add_argument(
        "--processes",
        type=int,
        nargs=2,
        default=(2, 2),
        metavar=("WEB", "WORKER"),
        help="processes of gunicorn and of the worker",
    )
    made.add_argument("--no-sync", action="store_true", help="Postgres does not wait for the disk")
    made.add_argument("--json", type=Path, help="file for all figures, in seconds and MB")
    return made


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
