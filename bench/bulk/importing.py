"""How much time and memory an import takes: through web and worker, and by the command.

Two kinds of files: usual rows (a reference, an output of 50 words, a metric) and, for the first
size, the shortest that make sense, which are eight times as many. Peak: the most memory (VmHWM) of each process.
Unit: what a loop of pure Python takes on the same machine at the same time, so that runs on
other or busier machines can be compared.

Run from the checkout: python -m bench.bulk.importing [megabytes …]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.database import prepare

SIZES = (50, 500)
WORDS = (
    "the",
    "council",
    "met",
    "on",
    "Monday",
    "in",
    "district",
    "library",
    "opens",
    "a",
    "ferry",
)
SYSTEMS = ("alpha", "beta", "gamma", "delta")
TARGETS = '{"overall": 0.2}'


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    os.environ["UPLOAD_LIMIT_MB"] = str(max(sizes) + 10)
    prepare()
    print(f"The unit takes {unit():.2f} s; idle: {memory_at_rest():.0f} MB")
    print(f"{'file':<20} {'rows':>10} {'way':<10} {'s':>7} {'units':>7} {'rows/s':>8}  peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            for kind in ("usual", "short") if size == sizes[0] else ("usual",):
                path = Path(folder) / f"{kind}.jsonl"
                rows = write(path, size, kind)
                for way in (by_command, by_processes):
                    report(f"{size} MB, {kind} rows", rows, way, path, Path(folder))


def report(name: str, rows: int, way: Callable[..., Any], path: Path, folder: Path) -> None:
    before, started = unit(), time.perf_counter()
    peaks = way(path, folder)
    taken = time.perf_counter() - started
    units = 2 * taken / (before + unit())
    told = ", ".join(f"{who} {peak:.0f}" for who, peak in peaks.items())
    print(
        f"{name:<20} {rows:>10,} {way.__name__[3:]:<10} {taken:>7.1f} {units:>7.0f} "
        f"{rows / taken:>8,.0f}  {told}",
        flush=True,
    )


def unit() -> float:
    """Return the time of a fixed loop of pure Python, in seconds."""
    started = time.perf_counter()
    total = 0
    for i in range(3_000_000):
        total += i * i % 7
    return time.perf_counter() - started


def write(path: Path, megabytes: int, kind: str) -> int:
    """Write a file of so many megabytes; return the number of its rows."""
    draw, rows, size = random.Random(1), 0, 0
    with path.open("wb") as file:
        for row in drawn(draw, kind):
            size += file.write(json.dumps(row).encode() + b"\n")
            rows += 1
            if size >= megabytes * 1024**2:
                return rows
    return rows


def drawn(draw: random.Random, kind: str) -> Iterator[dict[str, Any]]:
    item = 0
    while True:
        item += 1
        reference = " ".join(draw.choices(WORDS, k=30))
        for system in SYSTEMS:
            words = " ".join(draw.choices(WORDS, k=50 if kind == "usual" else 2))
            row = {"item": f"i{item}", "system": system, "output": f"{words} {item}"}
            more = {"reference": reference, "metrics": {"comet": draw.random()}}
            yield row | (more if kind == "usual" else {})


def by_command(path: Path, folder: Path) -> dict[str, float]:
    command = [
        sys.executable,
        "-m",
        "bench.bulk.importing_command",
        str(path),
        "--name",
        "Bench",
        "--target",
        "overall=0.2",
        "--metric",
        "repetition",
    ]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"command": float(told.stdout.splitlines()[-1])}


def by_processes(path: Path, folder: Path) -> dict[str, float]:
    """Send the file to a web process over HTTP, and wait until a worker has made the campaign."""
    import urllib3

    from annotate.models import CampaignImport
    from tests.processes import stack, wait_for
    from tests.servers import free_port, start_redis

    redis, server = start_redis()
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with stack(folder, redis_url=redis, port=port) as processes:
        processes.start("web", "worker")
        wait_for(lambda: answers(f"{base}/healthz"))
        with path.open("rb") as file:
            fields = {"name": "Bench", "targets": TARGETS, "metrics": "repetition"}
            boundary = "plumbline-bench"
            sent = urllib3.request(
                "POST",
                f"{base}/api/v1/campaigns/",
                body=body(fields, file, boundary),
                headers={
                    "Authorization": f"Token {token()}",
                    "Content-Type": f"multipart/form-data; boundary={boundary}",
                    "Content-Length": str(length(fields, path, boundary)),
                },
                retries=False,
                timeout=600,
            )
        assert sent.status == 202, sent.data
        of = CampaignImport.objects.get(public_id=sent.json()["id"])
        wait_for(lambda: over(of), seconds=7200)
        assert of.status == "done", of.problems
        peaks = {
            name: max(map(peak, [process.pid, *children(process.pid)]))
            for name, process in processes.running.items()
        }
    server.kill()
    return peaks


def over(of: Any) -> bool:
    of.refresh_from_db()
    return of.status not in ("reading", "creating")


def body(fields: dict[str, str], file: Any, boundary: str) -> Iterator[bytes]:
    yield head(fields, boundary)
    while block := file.read(1024**2):
        yield block
    yield tail(boundary)


def head(fields: dict[str, str], boundary: str) -> bytes:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    disposition = 'form-data; name="file"; filename="outputs.jsonl"'
    kind = f"Content-Disposition: {disposition}\r\nContent-Type: application/jsonl"
    return f"{''.join(parts)}--{boundary}\r\n{kind}\r\n\r\n".encode()


def tail(boundary: str) -> bytes:
    return f"\r\n--{boundary}--\r\n".encode()


def length(fields: dict[str, str], path: Path, boundary: str) -> int:
    return len(head(fields, boundary)) + path.stat().st_size + len(tail(boundary))


def token() -> str:
    from django.contrib.auth.models import User

    from annotate.services.accounts import api_tokens

    owner, _new = User.objects.get_or_create(username="bench")
    return api_tokens.make_by_password(owner.pk)


def answers(url: str) -> bool:
    import urllib3

    try:
        return urllib3.request("GET", url, retries=False, timeout=5).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


def peak(pid: int) -> float:
    """Return the most memory that a process has had, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def memory_at_rest() -> float:
    """What a process with Django and its libraries takes before it does anything."""
    return peak(os.getpid())


if __name__ == "__main__":
    main()
