"""Processes that end with the one that started them, and that are known again by their start."""

import ctypes
import os
import pwd
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

ON_LINUX = sys.platform == "linux"
SET_PDEATHSIG = 1  # of prctl(2)
# Found now: between fork and exec nothing is to be loaded.
_prctl = ctypes.CDLL(None).prctl if ON_LINUX else None

Process = subprocess.Popen[bytes]
Known = list[Any]  # [pid, when it started], as JSON keeps it


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    at_our_end: signal.Signals | None,
    user: pwd.struct_passwd | None = None,
    said: bytes = b"",
    log: IO[bytes] | None = None,
    cwd: Path | str = "/",
    keep: Sequence[int] = (),
) -> Process:
    """Start a process in a session of its own, which Ctrl+C does not reach. Raises OSError.

    at_our_end: what Linux sends it when this process ends, in whatever way.
    user: whose rights it gets, where that is somebody else. said: its standard input.
    log: for what it writes; by default its errors go to ours, and the rest nowhere.
    keep: descriptors that it inherits.
    """
    us = os.getpid()

    def prepare() -> None:
        if _prctl is not None and at_our_end is not None:
            _prctl(SET_PDEATHSIG, int(at_our_end))
            if os.getppid() != us:
                os._exit(1)

    outcome: queue.SimpleQueue[Process | OSError] = queue.SimpleQueue()

    def begin() -> None:
        """Linux signals at the end of the thread that started it, so this one stays."""
        try:
            process = subprocess.Popen(  # noqa: S603
                command,
                env=env,
                cwd=cwd,
                stdin=subprocess.PIPE if said else subprocess.DEVNULL,
                stdout=log or subprocess.DEVNULL,
                stderr=log or sys.__stderr__,
                start_new_session=True,
                preexec_fn=prepare,
                pass_fds=keep,
                **rights(user),
            )
        except OSError as error:
            outcome.put(error)
            return
        outcome.put(process)
        process.wait()

    threading.Thread(target=begin, name=f"waits for {command[0]}", daemon=True).start()
    process = outcome.get()
    if isinstance(process, OSError):
        raise process
    if process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.write(said)
            process.stdin.close()
    return process


def rights(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return what `subprocess` takes to give a process the rights of a user; {} for our own."""
    if user is None or user.pw_uid == os.geteuid():
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def stop(process: Process, how: signal.Signals | None, *, patience: float) -> None:
    """End a process, by force after `patience` seconds. how: None if it was asked already."""
    if how is not None:
        process.send_signal(how)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()


def known(pid: int) -> Known:
    """Return by what the process is known again later."""
    return [pid, _started(pid)]


def runs(one: Known) -> bool:
    """Return whether exactly this process runs: its number may be another one's by now."""
    started = _started(one[0])
    return started is not None and started == one[1]


def end(one: Known, how: signal.Signals, *, patience: float) -> None:
    """End a process that an earlier one of ours has left behind; nothing if it is not that one."""
    if not runs(one):
        return
    with suppress(ProcessLookupError):
        os.kill(one[0], how)
    until = time.monotonic() + patience
    while runs(one):
        if time.monotonic() > until:
            _signal_group(one[0], signal.SIGKILL)
        time.sleep(0.05)


def _signal_group(pid: int, how: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, how)


def _started(pid: int) -> str | None:
    """Return when a process started, in words that only equal those of the same process."""
    if ON_LINUX:
        try:
            told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        return None if told[0] == "Z" else f"{boot} {told[19]}"  # ticks since the boot
    asked = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
    found = subprocess.run(asked, capture_output=True, text=True, env={"LC_ALL": "C"})  # noqa: S603
    return found.stdout.strip() or None
