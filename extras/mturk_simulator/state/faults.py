"""Deliberate faults, for tests of clients."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    BEFORE = "before"  # a server error; nothing happened
    AFTER = "after"  # the effect happened, then the connection broke
    THROTTLE = "throttle"  # refused for too many requests; nothing happened
    TIMEOUT = "timeout"  # nothing happens and nothing is answered


@dataclass
class Fault:
    """`left`: how many more requests meet it; None: all requests of one client call."""

    operations: frozenset[str]
    how: FaultKind
    left: int | None
    call: str = ""  # the client call that met it first


class Faults:
    """Faults that wait for requests. A client repeats requests under the name of one call."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []
        self._released = threading.Event()
        self.patience = 60.0  # seconds that a client waits at TIMEOUT

    def add(self, operations: Iterable[str], how: FaultKind, *, requests: int | None = 1) -> None:
        """Let the next requests of these operations fail; None: one call with its repeats."""
        self._released.clear()
        self._waiting.append(Fault(frozenset(operations), how, requests))

    def clear(self) -> None:
        self._waiting.clear()
        self._released.set()

    def of(self, operation: str, call: str) -> FaultKind | None:
        """Return the fault of a request, and count it."""
        for fault in self._waiting:
            if operation in fault.operations and fault.call in ("", call):
                return self._meet(fault, call)
        return None

    def wait(self) -> None:
        """Keep the client waiting."""
        self._released.wait(self.patience)

    def _meet(self, fault: Fault, call: str) -> FaultKind:
        if fault.left is None and call:
            fault.call = call
        elif fault.left in (None, 1):
            self._waiting.remove(fault)
        else:
            fault.left -= 1
        return fault.how
