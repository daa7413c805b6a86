"""Another server beside Plumbline: a command of its own measures it, in the same run."""

import json
import shlex
import subprocess
from dataclasses import dataclass

SHAPE = '{"tasks_per_s": 50.0, "cpu_ms": 35.0}'


class PeerError(Exception):
    """The command failed, or its last line is not what was agreed."""


@dataclass(frozen=True)
class Peer:
    """What the command measured: tasks a second, and seconds of processor time a task."""

    tasks_per_s: float
    cpu: float


def run(command: str, *, annotators: int, seconds: float, think: float) -> Peer:
    """Run the command; {annotators}, {seconds} and {think} in it stand for the row's values.

    Raises `PeerError`. What the command writes to standard error is shown.
    """
    values = {"annotators": annotators, "seconds": f"{seconds:g}", "think": f"{think:g}"}
    for name, value in values.items():
        command = command.replace(f"{{{name}}}", str(value))
    try:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise PeerError(f"{command}: {error}") from None
    if done.returncode:
        raise PeerError(f"{command} ended with code {done.returncode}")
    return read(done.stdout)


def read(printed: str) -> Peer:
    """Read the last line that the command printed; raises `PeerError`."""
    line = (printed.strip().splitlines() or [""])[-1]
    try:
        told = json.loads(line)
        peer = Peer(float(told["tasks_per_s"]), float(told["cpu_ms"]) / 1000)
    except (ValueError, KeyError, TypeError):
        raise PeerError(f"the last line must be like {SHAPE}, not {line[:80]!r}") from None
    if not (peer.tasks_per_s > 0 and peer.cpu > 0):
        raise PeerError(f"the peer did no work: {line[:80]}")
    return peer
