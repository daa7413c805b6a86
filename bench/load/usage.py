"""Processor time and memory of groups of processes, from /proc."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """What `/proc/<pid>/stat` tells of one process; times in seconds."""

    pid: int
    parent: int
    own: float
    ended: float  # of children that have ended


def process_of(stat: str) -> Process:
    """Read the line of a `stat` file; the command's name may hold spaces and parentheses."""
    pid = int(stat.split(" ", 1)[0])
    fields = stat.rpartition(")")[2].split()
    user, system, ended_user, ended_system = (int(one) for one in fields[11:15])
    return Process(
        pid, int(fields[1]), (user + system) / TICKS, (ended_user + ended_system) / TICKS
    )


def processes() -> dict[int, Process]:
    """Return all processes of this machine by their id."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = process_of((folder / "stat").read_text())
            except OSError:  # it has ended
                continue
    return found


def family(all_: Mapping[int, Process], root: int) -> set[int]:
    """Return the ids of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for one in all_.values():
        children.setdefault(one.parent, []).append(one.pid)
    found, todo = set(), [root] if root in all_ else []
    while todo:
        pid = todo.pop()
        found.add(pid)
        todo += children.get(pid, [])
    return found


class Groups:
    """Groups of processes by name, each a process with its descendants; `client` is this one."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self.roots = dict(roots)
        self.peak: dict[str, float] = {}

    def cpu(self) -> dict[str, float]:
        """Return the processor seconds that each group has used so far."""
        all_ = processes()
        used = {
            name: sum(all_[pid].own + all_[pid].ended for pid in family(all_, root))
            for name, root in self.roots.items()
        }
        return used | {"client": all_[os.getpid()].own}

    def forget(self) -> None:
        """Note the most memory anew."""
        self.peak = {}

    def look(self) -> None:
        """Note the memory of each group, where it is more than ever before."""
        all_ = processes()
        members = {name: family(all_, root) for name, root in self.roots.items()}
        for name, pids in (members | {"client": {os.getpid()}}).items():
            self.peak[name] = max(self.peak.get(name, 0.0), memory(pids))


def memory(pids: Iterable[int]) -> float:
    """Return the MB that processes hold; what all of them share by intent counts once."""
    private, shared = 0, 0
    for pid in pids:
        try:
            own, common = memory_of(Path(f"/proc/{pid}/status").read_text())
        except OSError:
            continue
        private += own
        shared = max(shared, common)
    return (private + shared) / 1024


def memory_of(status: str) -> tuple[int, int]:
    """Return (private and files, shared memory) in kB from a `status` file."""
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    kb = {
        name: int(fields.get(name, "0").split()[0]) for name in ("RssAnon", "RssFile", "RssShmem")
    }
    return kb["RssAnon"] + kb["RssFile"], kb["RssShmem"]
