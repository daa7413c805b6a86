"""The peer's annotators against a server that knows doccano's three addresses."""

import asyncio
import json

import pytest

from bench.peers.doccano import Project, Work, measure

MADE = Project(project=7, category=3, tokens=["one", "two"])


class Doccano:
    """Answers as doccano does, and notes what each annotator asked."""

    def __init__(self, status: str = "201 Created") -> None:
        self.status = status
        self.asked: dict[str, list[tuple[str, str, str]]] = {}

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as end:
            return end.partial

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await self._head(reader):
            method, path, _ = head.decode().split("\r\n", 1)[0].split(" ")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:-2])
            body = (await reader.readexactly(int(fields.get("Content-Length", 0)))).decode()
            self.asked.setdefault(fields["Authorization"], []).append((method, path, body))
            number = int(path.rpartition("=")[2]) if method == "GET" else 0
            answer = json.dumps({"results": [{"id": 100 + number}]}).encode()
            status = "200 OK" if method == "GET" else self.status
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(answer)}\r\n\r\n".encode())
            writer.write(answer)
        writer.close()


async def worked(doccano: Doccano, tasks: int) -> Work:
    server = await asyncio.start_server(doccano.serve, "127.0.0.1", 0)
    work = Work(server.sockets[0].getsockname()[1], MADE, think=0)
    people = [asyncio.create_task(work.annotate(number)) for number in range(2)]
    while work.done < tasks and not any(one.done() for one in people):
        await asyncio.sleep(0.01)
    work.stop.set()
    try:
        await asyncio.gather(*people)
    finally:
        await asyncio.sleep(0.05)  # connections end
        server.close()
    return work


def test_a_task_is_a_text_its_category_and_its_mark():
    doccano = Doccano()
    work = asyncio.run(worked(doccano, 6))
    assert sum(len(asked) for asked in doccano.asked.values()) == 3 * work.done
    assert doccano.asked["Token one"][:4] == [
        ("GET", "/v1/projects/7/examples?limit=1&offset=0", ""),
        ("POST", "/v1/projects/7/examples/100/categories", '{"label": 3}'),
        ("POST", "/v1/projects/7/examples/100/states", "{}"),
        ("GET", "/v1/projects/7/examples?limit=1&offset=1", ""),
    ]
    assert doccano.asked["Token two"][0][1].endswith("offset=10000")


def test_a_refusal_ends_the_measurement():
    with pytest.raises(ValueError, match="categories answered 403"):
        asyncio.run(worked(Doccano("403 Forbidden"), 6))


class Used:
    """Processor seconds that grow by one with each look."""

    roots = {"web": 1, "postgres": 2}

    def __init__(self) -> None:
        self.looks = 0

    def cpu(self) -> dict[str, float]:
        self.looks += 1
        return {"web": self.looks, "postgres": 2.0 * self.looks, "client": 99.0 * self.looks}


async def _measured(doccano: Doccano, monkeypatch) -> dict[str, float]:
    monkeypatch.setattr("bench.peers.doccano.WARM", 0)
    server = await asyncio.start_server(doccano.serve, "127.0.0.1", 0)
    work = Work(server.sockets[0].getsockname()[1], MADE, think=0.01)
    try:
        return await measure(work, Used(), 0.3)  # type: ignore[arg-type]
    finally:
        await asyncio.sleep(0.05)
        server.close()


def test_a_measurement_of_refused_people_ends(monkeypatch):
    with pytest.raises(ValueError, match="categories answered 403"):
        asyncio.run(asyncio.wait_for(_measured(Doccano("403 Forbidden"), monkeypatch), 20))


def test_processor_time_is_that_of_the_servers(monkeypatch):
    told = asyncio.run(_measured(Doccano(), monkeypatch))
    # 3 s in as long as was measured, which is 0.3 s or a little more; the client's 99 s count not.
    assert 3000 < told["cpu_ms"] * told["tasks_per_s"] <= 3000 / 0.3
