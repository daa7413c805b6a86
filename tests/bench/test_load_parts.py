"""The load benchmark's own parts: what it reads from the system, and how it summarises."""

import asyncio
import json
import math
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.load import peer
from bench.load.annotators import Annotator, Load, Tally, response, work_data
from bench.load.http import Connection, Reply, reply_of
from bench.load.lag import Look, lags
from bench.load.row import SERVING, Row, Wish
from bench.load.servers import COMMANDS
from bench.load.summary import Times, percentile, times
from bench.load.table import beside, markdown, tables
from bench.load.usage import Groups, Process, family, memory_of, process_of, processes

ROOT = Path(__file__).resolve().parents[2]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.floats(0.1, 100, exclude_min=True))
def test_a_percentile_is_the_smallest_value_with_so_many_at_or_below_it(values, share):
    found = percentile(values, share)
    needed = share / 100 * len(values)
    assert found in values
    assert sum(value <= found for value in values) >= needed * (1 - 1e-12)
    assert sum(value < found for value in values) < needed * (1 + 1e-12)


def test_only_what_was_answered_in_the_time_is_summarised():
    timed = [(1.0, 9.0), (2.0, 0.1), (3.0, 0.3), (4.0, 9.0)]
    assert times(timed, 2.0, 4.0) == Times(2, 0.2, 0.1, 0.3, 0.3)
    assert times(timed, 5.0, 6.0) == Times(0, None, None, None, None)


def test_a_process_is_read_whatever_its_name():
    stat = "71 (a (b) c) S 7 71 71 0 -1 0 5 6 0 0 250 50 30 20 20 0 8 0 123 4096 77 0\n"
    ticks = os.sysconf("SC_CLK_TCK")
    assert process_of(stat) == Process(71, 7, 300 / ticks, 50 / ticks)


def test_a_family_is_a_process_with_all_its_descendants():
    all_ = {pid: Process(pid, parent, 0, 0) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 1))}
    assert family(all_, 2) == {2, 3, 4}
    assert family(all_, 9) == set()


@pytest.mark.slow
def test_the_time_of_a_group_has_that_of_children_that_ended():
    work = "import time\nwhile time.process_time() < 0.4: pass"
    shell = f"{sys.executable} -c '{work}'; read line"
    with subprocess.Popen(["sh", "-c", shell], stdin=subprocess.PIPE) as process:
        groups = Groups({"web": process.pid})
        before, until = groups.cpu(), time.monotonic() + 30
        while family(processes(), process.pid) != {process.pid} or groups.cpu()["web"] < 0.3:
            assert time.monotonic() < until
            time.sleep(0.05)
        after = groups.cpu()
        process.communicate(b"\n")
    assert 0.3 <= after["web"] - before["web"] < 2
    assert after["client"] >= before["client"]


def test_memory_tells_what_is_shared_by_intent_from_the_rest():
    status = "Name:\tx\nRssAnon:\t  2048 kB\nRssFile:\t 1024 kB\nRssShmem:\t  512 kB\n"
    assert memory_of(status) == (3072, 512)
    assert memory_of("Name:\tkernel\n") == (0, 0)


def test_a_judgment_lags_until_no_mark_is_as_old():
    looks = [Look(1.0, None), Look(2.0, 1.5), Look(3.0, 1.5), Look(4.0, 3.5), Look(5.0, None)]
    assert lags([0.5, 1.4, 1.6, 3.6], looks) == pytest.approx([0.5, 0.6, 2.4, 1.4])


def test_what_was_never_estimated_lags_for_ever():
    looks = [Look(1.5, None), Look(9.0, 1.6)]
    assert lags([1.0, 2.0], looks) == pytest.approx([0.5, math.inf])
    assert lags([1.0], []) == [math.inf]


def test_a_reply_is_whole_or_none_yet():
    whole = b"HTTP/1.1 422 X\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    assert reply_of(whole) == Reply(422, b"hello", closes=True)
    assert all(reply_of(whole[:n]) is None for n in range(len(whole)))
    with pytest.raises(ValueError, match="Content-Length"):
        reply_of(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")


def asked(*scripts: list[bytes]) -> list[int | str]:
    """Ask a server three times. It sends a script in each connection, and then hangs up."""
    waiting = list(scripts)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in waiting.pop(0) if waiting else []:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
        await writer.drain()
        writer.close()

    async def ask() -> list[int | str]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        connection = Connection("127.0.0.1", server.sockets[0].getsockname()[1])
        found: list[int | str] = []
        for _time in range(3):
            try:
                found.append((await connection.ask("GET", "/")).status)
            except OSError as error:
                found.append(type(error).__name__)
        connection.close()
        server.close()
        return found

    # In a thread: a browser test before may have left a loop running in this one.
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(lambda: asyncio.run(asyncio.wait_for(ask(), 20))).result()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LAST = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


def test_one_connection_carries_many_requests():
    assert asked([OK, OK, OK]) == [200, 200, 200]


@pytest.mark.parametrize("reply", [OK, LAST])
def test_a_connection_that_ended_while_idle_is_replaced(reply):
    assert asked([reply], [reply], [reply]) == [200, 200, 200]


def test_a_server_that_hangs_up_in_the_middle_is_an_error():
    assert asked([OK], [OK[:-1]], [OK]) == [200, "ConnectionResetError", 200]


PAGE = b"""<p>x</p><script id="work-data" type="application/json">%s</script><p>y</p>"""


def test_a_page_tells_its_work():
    assert work_data(PAGE % b'{"assignment": {"id": 3}}') == {"assignment": {"id": 3}}


def annotator(**hands: object) -> Annotator:
    made = Annotator("t", Load("127.0.0.1", 1, 0, asyncio.Event(), Tally()))
    made.current, made.ahead = {"id": 1}, hands.get("ahead")  # type: ignore[assignment]
    return made


def answer(assignment: int, *, then: int | None) -> dict[str, object]:
    coming = then and {"data": {"assignment": {"id": then}}}
    return {"assignment": assignment, "next": "/n", "coming": coming}


def test_the_task_after_the_next_comes_with_the_answer():
    who = annotator(ahead={"id": 2})
    who.go_on(answer(2, then=3))
    assert (who.current, who.ahead) == ({"id": 2}, {"id": 3})
    who.go_on(answer(3, then=None))
    assert (who.current, who.ahead) == ({"id": 3}, None)


def test_the_answer_may_hold_the_very_next_task():
    who = annotator()
    who.go_on(answer(2, then=2))
    assert (who.current, who.ahead) == ({"id": 2}, None)


def test_a_task_that_is_not_in_hand_needs_the_page():
    who = annotator(ahead={"id": 2})
    who.go_on(answer(4, then=3))
    assert (who.current, who.page) == (None, "/n")


def test_a_third_of_the_texts_is_improved():
    answers = [response({"id": n, "text": "It rains."}) for n in range(9)]
    assert sum(answer["edit"] is not None for answer in answers) == 3


def test_a_peer_tells_one_line():
    told = peer.read('hello\n{"tasks_per_s": 50, "cpu_ms": 35}\n')
    assert told == peer.Peer(50.0, 0.035)


@pytest.mark.parametrize("printed", ["", "x", "[]", '{"tasks_per_s": 5}', peer.SHAPE + "\nbye"])
def test_a_peer_that_tells_something_else_is_refused(printed):
    with pytest.raises(peer.PeerError, match="tasks_per_s"):
        peer.read(printed)


def test_a_peer_that_did_nothing_is_refused():
    with pytest.raises(peer.PeerError, match="no work"):
        peer.read('{"tasks_per_s": 0, "cpu_ms": 35}')


def test_a_peer_that_fails_or_is_not_there_is_refused():
    values = {"annotators": 3, "seconds": 2, "think": 0}
    with pytest.raises(peer.PeerError, match="ended with code 3"):
        peer.run(f"{sys.executable} -c 'raise SystemExit({{annotators}})'", **values)
    with pytest.raises(peer.PeerError, match="no-such-command"):
        peer.run("no-such-command", **values)


NO_TASK = dict.fromkeys((*SERVING, "client"), math.nan)


def row(**changes: object) -> Row:
    values = {
        "wish": Wish(10, 20.0, 0.0, 0),
        "unit": 0.1,
        "tasks_per_s": 25.0,
        "submit": Times(500, 0.1, 0.08, 0.2, 0.3),
        "next": Times(0, None, None, None, None),
        "cpu": dict.fromkeys(SERVING, 0.01) | {"client": 0.001},
        "lag": 1.25,
        "acknowledged": 1500,
        "stored": 1500,
        "errors": {},
        "memory": {"web": 300.4},
    }
    return Row(**(values | changes))  # type: ignore[arg-type]


def cells(table: str) -> list[dict[str, str]]:
    first = table.split("\n\n")[0].splitlines()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in first]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def test_the_tables_have_all_figures_with_their_units():
    speed, cpu, memory = (cells(table)[0] for table in tables([row()]).split("\n\n"))
    assert speed["tasks/s"] == "25.0"
    assert speed["submit p95, ms"] == "200"
    assert speed["next p95, ms"] == "–"
    assert (speed["acknowledged"], speed["stored"], speed["lag p95, s"]) == (
        "1,500",
        "1,500",
        "1.2",
    )
    assert cells(tables([row(lag=math.inf)]))[0]["lag p95, s"] == "> 60"
    assert "nan" not in tables([row(cpu=NO_TASK)])
    assert cells(tables([row(lag=None)]))[0]["lag p95, s"] == "–"
    assert cpu["web, ms (units)"] == "10.0 (0.100)"
    assert cpu["all, ms (units)"] == "60.0 (0.600)"
    assert memory["web, MB"] == "300"


def test_a_peer_stands_beside_with_the_ratios():
    with_peer = row(peer=peer.Peer(50.0, 0.03))
    assert cells(beside([with_peer, row()])) == cells(beside([with_peer]))
    assert beside([with_peer]).count("0.50 ×") == 1
    assert beside([with_peer]).count("2.00 ×") == 1


def test_a_table_is_aligned():
    lines = markdown(["a", "long"], [["123", "x"]]).splitlines()
    assert lines == ["|   a | long |", "|----:|-----:|", "| 123 |    x |"]


def test_a_row_is_whole_only_if_everything_acknowledged_is_stored():
    assert row().is_whole
    assert not row(stored=1499).is_whole
    assert not row(stored=1501).is_whole
    assert not row(acknowledged=0, stored=0).is_whole
    assert not row(submit=Times(0, None, None, None, None)).is_whole
    json.dumps(row(lag=math.inf, cpu=NO_TASK).data(), allow_nan=False)


def started(name: str) -> list[str]:
    numbers = {"port": 8000, "web": 2, "worker": 2}
    return [part.format(**numbers) for part in COMMANDS[name]]


def test_the_servers_run_as_in_the_image():
    found = re.search(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text(), re.M | re.S)
    assert found
    command = json.loads(found[1].replace("\\\n", ""))
    assert [part.replace("0.0.0.0", "127.0.0.1") for part in command] == started("web")


@pytest.mark.parametrize("name", ["worker", "background", "beat"])
def test_workers_and_beat_run_as_with_compose(name):
    text = (ROOT / "docker-compose.yml").read_text()
    commands = [json.loads(found) for found in re.findall(r"command: (\[\"celery.*\])", text)]
    assert started(name) in commands
