"""Simulated annotators: have a task, submit it, have the next one, as the page's script does.

Each has one persistent HTTP/1.1 connection.
"""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes


class Connection:
    """Sends one request after the other, and connects again where the server has hung up."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._wire: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, *, headers: str = "", body: bytes = b"") -> Reply:
        """Return the reply. A connection that ended while it was idle is replaced once.

        Raises `OSError` where the server cannot be reached or hangs up in the middle.
        """
        if body:
            headers += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{headers}\r\n"
        request = head.encode() + body
        if self._wire is not None:
            reply = await self._exchange(self._wire, request)
            if reply is not None:
                return reply
            self.close()
        self._wire = await asyncio.open_connection(self.host, self.port)
        reply = await self._exchange(self._wire, request)
        if reply is None:
            raise ConnectionResetError("the server hung up")
        return reply

    async def _exchange(
        self, wire: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: bytes
    ) -> Reply | None:
        """Return the reply; None where the server hung up before its first byte."""
        reader, writer = wire
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            reply = Reply(int(head[9:12]), await reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            self.close()
            if getattr(error, "partial", b""):
                raise ConnectionResetError("the server hung up in the middle") from error
            return None
        if b"connection: close" in head:
            self.close()
        return reply

    def close(self) -> None:
        if self._wire is not None:
            self._wire[1].close()
            self._wire = None


MARK, END = b'<script id="work-data" type="application/json">', b"</script>"
GOOD = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}
PAUSE = 0.2  # seconds after an error
Timed = tuple[float, float]  # (when the answer came, seconds that it took)


@dataclass
class Tally:
    """What happened to all annotators; times are of `time.time()`."""

    submits: list[Timed] = field(default_factory=list)
    pages: list[Timed] = field(default_factory=list)
    acknowledged: set[int] = field(default_factory=set)  # ids of assignments
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Load:
    """Where the annotators work, and how."""

    host: str
    port: int
    think: float  # seconds, on average
    stop: asyncio.Event
    tally: Tally


def work_data(page: bytes) -> dict[str, Any]:
    """Return what a page tells its script."""
    start = page.index(MARK) + len(MARK)
    data: dict[str, Any] = json.loads(page[start : page.index(END, start)])
    return data


def response(task: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a task: two of three texts are good, and the others are improved."""
    if task["id"] % 3:
        return GOOD
    return {"fluency": 0, "redundancy": 1, "overall": 0, "edit": f"{task['text']} All agreed."}


def coming(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the task that an answer holds, if any."""
    found: dict[str, Any] | None = answer["coming"] and answer["coming"]["data"]["assignment"]
    return found


class Annotator:
    """One annotator with one connection.

    The answer to a submit holds the task after the next one. The first of them is asked for while
    the annotator works, as are those that did not come.
    """

    def __init__(self, token: str, load: Load) -> None:
        self.load = load
        self.page = f"/work/p/{token}/"
        self.bearer = f"Authorization: Bearer {token}\r\n"
        self.connection = Connection(load.host, load.port)
        self.current: dict[str, Any] | None = None
        self.ahead: dict[str, Any] | None = None

    async def run(self) -> None:
        """Work until the load stops, or until there is no task."""
        await asyncio.sleep(random.uniform(0, self.load.think))
        while not self.load.stop.is_set():
            try:
                if self.current is None and not await self.arrive():
                    return
                await self.do_one()
            except (OSError, ValueError, KeyError, TypeError) as error:
                await self.fail(f"{type(error).__name__}: {error}"[:120])
        self.connection.close()

    async def arrive(self) -> bool:
        """Load the page; return whether there is a task."""
        data = await self.open(self.page)
        if data is None:
            return True
        self.current = data["assignment"]
        if self.current is None:
            self.load.tally.errors[f"no task: {data['finished']['reason']}"] += 1
        return self.current is not None

    async def do_one(self) -> None:
        task = self.current
        if task is None:
            return
        if self.ahead is None:
            self.ahead = await self.reserve(task)
        if self.load.think:
            await asyncio.sleep(self.load.think * random.uniform(0.5, 1.5))
        answer = await self.submit(task)
        if answer is not None:
            self.go_on(answer)

    async def submit(self, task: Mapping[str, Any]) -> dict[str, Any] | None:
        sent = {"response": response(task), "active_seconds": 20, "version": task["version"]}
        body = json.dumps(sent).encode()
        path = f"/work/a/{task['id']}/submit"
        began = time.time()
        reply = await self.connection.ask("POST", path, headers=self.bearer, body=body)
        now = time.time()
        if reply.status != 200:
            await self.refused("submit", reply)
            return None
        self.load.tally.acknowledged.add(task["id"])
        self.load.tally.submits.append((now, now - began))
        answer: dict[str, Any] = json.loads(reply.body)
        return answer

    def go_on(self, answer: Mapping[str, Any]) -> None:
        """Put the next task in place; where it is not in hand, the page is loaded."""
        waiting, self.ahead = self.ahead, coming(answer)
        self.current = None
        for task in (waiting, self.ahead):
            if task is not None and task["id"] == answer["assignment"]:
                self.current = task
        if self.ahead is self.current:
            self.ahead = None
        self.page = answer["next"]

    async def reserve(self, task: Mapping[str, Any]) -> dict[str, Any] | None:
        """Ask for the task after this one."""
        began = time.time()
        path = f"/work/a/{task['id']}/ahead"
        reply = await self.connection.ask("POST", path, headers=self.bearer, body=b"{}")
        now = time.time()
        if reply.status != 200:
            await self.refused("ahead", reply)
            return None
        self.load.tally.pages.append((now, now - began))
        return coming(json.loads(reply.body))

    async def open(self, path: str) -> dict[str, Any] | None:
        began = time.time()
        reply = await self.connection.ask("GET", path)
        now = time.time()
        if reply.status != 200:
            await self.refused("page", reply)
            return None
        self.load.tally.pages.append((now, now - began))
        return work_data(reply.body)

    async def refused(self, what: str, reply: Reply) -> None:
        await self.fail(f"{what} answered {reply.status}: {reply.body[:80]!r}")

    async def fail(self, why: str) -> None:
        """Count an error, and begin again with the page."""
        self.load.tally.errors[why] += 1
        self.current = self.ahead = None
        await asyncio.sleep(PAUSE)
