"""One persistent HTTP/1.1 connection, as light as Python allows: it shares the processors."""

import asyncio
from dataclasses import dataclass

END = b"\r\n\r\n"
LENGTH = b"content-length:"


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes
    closes: bool  # the server ends the connection after it


def reply_of(received: bytes) -> Reply | None:
    """Read one reply, or return None while some of it is missing.

    Raises `ValueError` for a reply that does not tell its length.
    """
    end = received.find(END)
    if end < 0:
        return None
    head = received[:end].lower()
    at = head.find(LENGTH)
    if at < 0:
        raise ValueError(f"a reply without Content-Length: {received[:end]!r}")
    length = int(head[at + len(LENGTH) :].partition(b"\r\n")[0])
    body = received[end + len(END) :]
    if len(body) < length:
        return None
    return Reply(int(head[9:12]), body, b"connection: close" in head)


class Connection:
    """Sends one request after the other, and connects again where the server has hung up."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._wire: _Wire | None = None

    async def ask(self, method: str, path: str, *, headers: str = "", body: bytes = b"") -> Reply:
        """Return the reply. A connection that ended while it was idle is replaced once.

        Raises `OSError` where the server cannot be reached or hangs up in the middle.
        """
        if body:
            headers += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{headers}\r\n"
        request = head.encode() + body
        wire = self._wire
        if wire is not None and not wire.over:
            try:
                return await self._exchange(wire, request)
            except ConnectionResetError:
                if wire.received:
                    raise
        loop = asyncio.get_running_loop()
        _transport, self._wire = await loop.create_connection(_Wire, self.host, self.port)
        return await self._exchange(self._wire, request)

    async def _exchange(self, wire: "_Wire", request: bytes) -> Reply:
        reply = await wire.exchange(request)
        if reply.closes:
            self.close()
        return reply

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None


class _Wire(asyncio.Protocol):
    """One connection while it lasts."""

    def __init__(self) -> None:
        self.received = b""
        self.over = False
        self._waiting: asyncio.Future[Reply] | None = None
        self._transport: asyncio.Transport | None = None

    def exchange(self, request: bytes) -> asyncio.Future[Reply]:
        """Send a request; return its reply to come."""
        assert self._transport is not None
        self.received = b""
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._waiting

    def close(self) -> None:
        self.over = True
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self._waiting is None or self._waiting.done():
            return
        try:
            reply = reply_of(self.received)
        except ValueError as error:
            self._waiting.set_exception(error)
            return
        if reply is not None:
            self._waiting.set_result(reply)

    def connection_lost(self, _error: Exception | None) -> None:
        self.over = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(ConnectionResetError("the server hung up"))
