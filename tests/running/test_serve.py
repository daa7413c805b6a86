"""`serve` and its servers, as whole processes: what runs, who sees it, and how it ends."""

import itertools
import json
import os
import pwd
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
import urllib3

from config.local import folder, processes, servers
from config.local.programs import NotStarted
from tests.processes import ROOT, wait_for
from tests.servers import start_redis
from tests.upgrade.databases import postgres

pytestmark = pytest.mark.slow

MANAGE = [sys.executable, "manage.py"]
OWN = {"Postgres", "Valkey", "web", "worker", "background", "beat"}
ADA = {"DJANGO_SUPERUSER_PASSWORD": "long enough to be fine"}
CREATE = ("createsuperuser", "--noinput", "--username=ada", "--email=ada@example.org")


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A folder that the servers' user can reach, for the data of one installation."""
    with servers.scratch_folder() as made:
        (made / "var").mkdir()
        (made / "var").chmod(0o755)
        yield made


@pytest.fixture
def empty() -> Iterator[Path]:
    with servers.scratch_folder() as made:
        yield made


def environment(place: Path, **more: str) -> dict[str, str]:
    """Return the environment of an installation of its own, without any settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"PLUMBLINE_VAR": str(place / "var"), "PYTHONUNBUFFERED": "1"} | more


def manage(place: Path, *command: str, **more: str) -> "subprocess.CompletedProcess[str]":
    env = environment(place, **more)
    return subprocess.run(
        [*MANAGE, *command], cwd=ROOT, env=env, capture_output=True, text=True, timeout=200
    )


@contextmanager
def serving(
    place: Path, *options: str, **more: str
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Run `serve` on a port that the system chooses; yield its address and its process."""
    log = place / "serve.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*MANAGE, "serve", "--port", "0", *options],
            cwd=ROOT,
            env=environment(place, **more),
            stdout=out,
            stderr=out,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    try:
        wait_for(lambda: "runs at" in log.read_text() or process.poll() is not None, seconds=200)
        found = re.search(r"runs at (http://\S+);", log.read_text())
        assert found, log.read_text()
        yield found.group(1), process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def children(place: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads((place / "var" / "running.json").read_text())
    return found["children"]


def status(address: str) -> int:
    return urllib3.request("GET", f"{address}/login/", retries=False, timeout=30).status


def create(place: Path, **more: str) -> dict[str, str]:
    file = place / "outputs.jsonl"
    file.write_text(json.dumps({"item": "1", "system": "a", "output": "x"}))
    plan = ("--name", "News", "--target", "overall=0.2", "--json")
    done = manage(place, "create_campaign", str(file), *plan, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_everything_runs_once_and_all_speak_of_one_address(room: Path) -> None:
    with serving(room) as (address, process):
        assert status(address) == 200
        assert set(children(room)) == OWN
        again = manage(room, "serve", "--port", "0")
        assert (again.returncode, address in again.stdout) == (0, True), again.stderr
        assert manage(room, *CREATE, **ADA).returncode == 0
        assert manage(room, "reset_link", "ada").stdout.startswith(f"{address}/new-password/")
        made = create(room)
        assert made["dashboard"] == f"{address}/campaigns/{made['id']}/"
        assert made["annotators"].startswith(f"{address}/work/join/")
        chosen = create(room, PUBLIC_URL="https://plumb.example/")
        assert chosen["dashboard"].startswith("https://plumb.example/campaigns/")
        left = children(room)
        gone = _ended_in_order(left, process)
    assert gone["web"] <= min(gone[one] for one in ("worker", "background", "beat"))
    assert max(gone[one] for one in ("worker", "background", "beat")) <= gone["Valkey"]
    assert gone["Valkey"] <= gone["Postgres"]
    assert process.returncode == 0
    assert "shut down" in (room / "var" / "postgres.log").read_text()


def _ended_in_order(
    left: dict[str, list[Any]], process: "subprocess.Popen[bytes]"
) -> dict[str, int]:
    """Press Ctrl+C; return the number of the look that each child was first not seen in."""
    process.send_signal(signal.SIGINT)
    gone: dict[str, int] = {}
    looks = itertools.count()

    def look() -> bool:
        number = next(looks)
        gone.update({one: number for one in left if not processes.runs(left[one])} | gone)
        return len(gone) == len(left)

    wait_for(look)
    process.wait(20)
    return gone


def test_who_is_killed_leaves_nothing_behind_and_nothing_is_lost(room: Path) -> None:
    manage(room, "migrate", "-v0")
    manage(room, *CREATE, **ADA)
    with serving(room) as (_address, process):
        left = children(room)
        os.kill(left["worker"][0], signal.SIGKILL)
        wait_for(lambda: children(room)["worker"][0] != left["worker"][0])
        assert "worker ended (-9) and is started again" in (room / "serve.log").read_text()
        left = children(room)
        process.kill()
        wait_for(lambda: not any(map(processes.runs, left.values())), seconds=10)
    with serving(room) as (address, _process):
        assert status(address) == 200
        assert manage(room, "reset_link", "ada").stdout.startswith(address)


def test_what_a_killed_one_left_is_ended_by_the_next_and_nobody_else(empty: Path) -> None:
    (empty / "var").mkdir(mode=0o711)
    sleeps = [subprocess.Popen(["sleep", "300"], start_new_session=True) for _ in range(2)]
    try:
        own, other = ([*processes.known(one.pid), signal.SIGTERM] for one in sleeps)
        other[1] = "another boot 1"  # the number is another process's by now
        told = {"owner": own, "children": {"a": own, "b": other}}
        (empty / "var" / "running.json").write_text(json.dumps(told))
        with folder.owned(empty / "var"):
            assert sleeps[0].wait(5) == -signal.SIGTERM
        assert sleeps[1].poll() is None
    finally:
        for one in sleeps:
            one.kill()
            one.wait()


def test_commands_beside_which_nothing_runs_share_a_postgres_that_ends_with_them(
    room: Path,
) -> None:
    assert manage(room, "migrate", "-v0").returncode == 0
    ask = ["shell", "-c", "import time; from annotate.models import Campaign as C; "]
    ask[-1] += "print(C.objects.count()); time.sleep(3); print(C.objects.count())"
    quiet = {"stdout": subprocess.DEVNULL, "env": environment(room)}
    both = [subprocess.Popen([*MANAGE, *ask], cwd=ROOT, **quiet) for _ in range(2)]
    assert [one.wait(200) for one in both] == [0, 0]
    assert not (room / "var" / "running.json").exists()
    assert not (room / "var" / "postgres" / "postmaster.pid").exists()


def test_what_needs_no_database_starts_none(empty: Path) -> None:
    rows = [{"item": str(i), "system": "a", "score": i % 3, "repetition": 0.1} for i in range(40)]
    (empty / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for command in (["help"], ["check"], ["plan", "--help"], ["estimate", "--help"]):
        assert manage(empty, *command).returncode == 0, command
    assert not (empty / "var" / "postgres").exists()


@pytest.mark.parametrize("given", ["DATABASE_URL", "REDIS_URL"])
def test_what_an_address_names_is_not_started(given: str, room: Path) -> None:
    with postgres() as database:
        broker, server = start_redis()
        address = {"DATABASE_URL": database, "REDIS_URL": broker}[given]
        with serving(room, **{given: address}) as (url, _process):
            assert status(url) == 200
            missing = {"DATABASE_URL": "Postgres", "REDIS_URL": "Valkey"}[given]
            assert set(children(room)) == OWN - {missing}
        server.kill()
        server.wait()


def test_the_servers_let_in_nobody_else(room: Path) -> None:
    with serving(room):
        var, left = room / "var", children(room)
        assert stat.S_IMODE(var.stat().st_mode) == 0o755, "as it was"
        assert stat.S_IMODE((var / "postgres").stat().st_mode) == 0o700
        for name in ("passwords.json", "secret-key", "running.json", "postgres.log", "valkey.log"):
            assert stat.S_IMODE((var / name).stat().st_mode) == 0o600, name
        mine = pwd.getpwuid(os.geteuid()).pw_name
        wanted = "nobody" if mine == "root" else mine
        for name in ("Postgres", "Valkey"):
            assert Path(f"/proc/{left[name][0]}").owner() == wanted
        rules = (var / "postgres" / "pg_hba.conf").read_text().splitlines()
        kinds = {line.split()[-1] for line in rules if line and not line.startswith("#")}
        assert kinds == {"scram-sha-256"}
        told = json.loads((var / "running.json").read_text())
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(re.sub("//:[^@]*@", "//", told["redis"])).ping()


def test_data_of_another_major_version_are_refused_with_the_way_out(empty: Path) -> None:
    made = servers.Postgres(empty, servers.passwords())
    made.data.mkdir(mode=0o700)
    (made.data / "PG_VERSION").write_text("15\n")
    with pytest.raises(NotStarted, match=r"of Postgres 15, .* has Postgres 16(?s:.*)pg_restore"):
        made.start()


def test_an_old_file_is_told_and_never_stands_beside_an_empty_database(empty: Path) -> None:
    (empty / "var").mkdir(mode=0o711)
    old = empty / "var" / "plumbline.sqlite3"
    old.write_bytes(b"SQLite format 3\0")
    for command in (("serve", "--port", "0"), ("migrate", "-v0")):
        done = manage(empty, *command)
        assert done.returncode != 0
        assert f"{old} holds the data of a version before 0.2.0" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (empty / "var" / "postgres").exists()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("https://example.org/plumbline", "under a path"),
        ("https://example.org/?a=b", "under a path"),
        ("plumbline.example.org", "not an address"),
    ],
)
def test_an_address_with_more_than_a_host_is_refused_with_its_reason(
    given: str, why: str, tmp_path: Path
) -> None:
    done = manage(tmp_path, "check", PUBLIC_URL=given)
    assert done.returncode != 0
    assert f"PUBLIC_URL is '{given}'" in done.stderr
    assert why in done.stderr
