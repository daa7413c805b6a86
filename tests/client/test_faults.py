"""Servers that are away, send on, or are no Plumbline: told, never repeated where it could harm."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from plumbline_client import (
    Plumbline,
    PlumblineError,
    ServerFailed,
    TooManyRequests,
    UnexpectedAnswer,
    Unreachable,
)

Answer = tuple[int, dict[str, str], bytes]


class FarSide:
    """A server that gives the answers it was told to, the last one again and again."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str, str]] = []  # method, path, token
        self.keys: list[str | None] = []
        self.hangs_up = False

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append((handler.command, handler.path, handler.headers.get("Authorization", "")))
        self.keys.append(handler.headers.get("Idempotency-Key"))
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if self.hangs_up:
            handler.connection.close()
            return
        status, headers, body = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def far() -> Iterator[FarSide]:
    side = FarSide()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            side.answer(self)

        def do_POST(self) -> None:
            side.answer(self)

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    side.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield side
    server.shutdown()
    server.server_close()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def plumbline(far: Any, pauses: list[float]) -> Iterator[Plumbline]:
    with Plumbline(far.url, token="secret-token", sleep=pauses.append) as client:
        yield client


GOOD = b'{"next": null, "results": [{"id": 1}]}'


def ok(body: bytes = GOOD) -> Answer:
    return 200, {}, body


def test_reading_is_repeated_while_the_server_is_away(
    far: FarSide, plumbline: Plumbline, pauses: list[float]
) -> None:
    far.answers = [(503, {}, b""), (502, {}, b"<html>"), (504, {}, b""), ok()]
    assert list(plumbline.reviews()) == [{"id": 1}]
    assert pauses == [0.25, 1.0, 3.0]
    far.answers = [(503, {}, b"")]
    with pytest.raises(ServerFailed):
        plumbline.get("instruments/")
    assert len(far.asked) == 8, "four tries each"


def test_an_error_of_the_server_is_not_repeated(far: FarSide, plumbline: Plumbline) -> None:
    far.answers = [(500, {}, b"{}")]
    with pytest.raises(ServerFailed):
        plumbline.get("instruments/")
    assert len(far.asked) == 1


@pytest.mark.parametrize(("status", "times"), [(500, 1), (502, 4), (503, 4)])
def test_what_changes_something_is_repeated_with_one_key(
    far: FarSide, plumbline: Plumbline, status: int, times: int
) -> None:
    far.answers = [(status, {}, b"")]
    for n in (1, 2):
        with pytest.raises(ServerFailed):
            plumbline.open("abc")
        asked = ("POST", "/api/v1/campaigns/abc/open/", "Token secret-token")
        assert far.asked == [asked] * times * n
    assert None not in far.keys
    assert len(set(far.keys)) == 2, "each act has a key of its own"


def test_a_file_and_a_password_are_sent_once(far: FarSide, plumbline: Plumbline, tmp_path: Path):
    far.answers = [(503, {}, b"")]
    file = tmp_path / "outputs.jsonl"
    file.write_text("{}")
    with pytest.raises(ServerFailed):
        plumbline.create("News", file)
    with pytest.raises(ServerFailed):
        Plumbline.log_in(far.url, "ada", "secret")  # type: ignore[attr-defined]
    assert len(far.asked) == 2


def test_a_connection_that_breaks_is_told(far: FarSide, plumbline: Plumbline) -> None:
    far.hangs_up = True
    with pytest.raises(Unreachable) as broken:
        plumbline.open("abc")
    assert len(far.asked) == 4
    assert "secret-token" not in str(broken.value) + repr(broken.value) + repr(plumbline)
    with pytest.raises(Unreachable):
        plumbline.campaign("abc")
    assert len(far.asked) == 8


def test_the_token_is_not_sent_on(far: FarSide, plumbline: Plumbline) -> None:
    far.answers = [(302, {"Location": "http://127.0.0.2:1/api/v1/campaigns/"}, b"")]
    with pytest.raises(UnexpectedAnswer, match="another address"):
        list(plumbline.campaigns())
    assert len(far.asked) == 1


def test_the_next_page_is_on_this_server_whatever_it_says(
    far: FarSide, plumbline: Plumbline
) -> None:
    away = b'{"next": "http://evil.example/api/v1/reviews/?cursor=2", "results": [{"id": 1}]}'
    far.answers = [ok(away), ok()]
    assert len(list(plumbline.reviews())) == 2
    assert [path for _method, path, _token in far.asked][1] == "/api/v1/reviews/?cursor=2"
    far.answers = [ok(b'{"next": "http://evil.example/elsewhere", "results": []}')]
    with pytest.raises(UnexpectedAnswer):
        list(plumbline.reviews())


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"", b"[1]", b'{"results": 3}', b"[" * 100_000, b"\xff\xfe", b'"a"', b"null"],
)
def test_what_is_no_list_of_plumblines_is_told(
    far: FarSide, plumbline: Plumbline, body: bytes
) -> None:
    far.answers = [ok(body)]
    with pytest.raises(UnexpectedAnswer):
        list(plumbline.reviews())


def test_a_wait_is_told(far: FarSide, plumbline: Plumbline) -> None:
    far.answers = [(429, {"Retry-After": "900"}, b'{"message": "Too many attempts."}')]
    with pytest.raises(TooManyRequests, match="Too many attempts") as refused:
        plumbline.campaign("abc")
    assert refused.value.wait == 900
    far.answers = [(429, {"Retry-After": "soon"}, b"")]
    with pytest.raises(TooManyRequests) as unclear:
        plumbline.campaign("abc")
    assert unclear.value.wait is None


def test_a_file_that_breaks_off_leaves_nothing(
    far: FarSide, plumbline: Plumbline, tmp_path: Path
) -> None:
    far.answers = [(200, {"Content-Length": "100"}, b"PK half of it")]
    with pytest.raises(Unreachable):
        plumbline.export("abc", tmp_path / "all.zip")
    far.answers = [(404, {}, b'{"message": "There is no such campaign."}')]
    with pytest.raises(PlumblineError, match="no such campaign"):
        plumbline.export("abc", tmp_path / "all.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "PLUMBLINE_URL"),
        ("plumbline.example.org", "looks like https"),
        ("ftp://plumbline.example.org", "looks like https"),
        ("http://plumbline.example.org", "Use https"),
        ("https://ada:secret@plumbline.example.org", "no user name"),
        ("file:///etc/passwd", "looks like https"),
    ],
)
def test_addresses_that_are_not_taken(monkeypatch: pytest.MonkeyPatch, url: str, says: str) -> None:
    monkeypatch.delenv("PLUMBLINE_URL", raising=False)
    with pytest.raises(PlumblineError, match=says):
        Plumbline(url, token="t")


def test_a_path_before_the_api_is_kept(far: Any, pauses: list[float]) -> None:
    far.answers = [ok()]
    with Plumbline(f"{far.url}/plumbline/", token="t") as plumbline:
        list(plumbline.reviews())
    assert far.asked[0][1] == "/plumbline/api/v1/reviews/"


def test_it_does_not_know_the_product() -> None:
    """The package stands alone: it imports the standard library, httpx, and itself."""
    import ast
    import sys

    found: set[str] = set()
    for path in (Path(__file__).parents[2] / "client").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.split(".")[0] for name in node.names}
            if isinstance(node, ast.ImportFrom):
                found.add((node.module or "").split(".")[0])
    assert found - set(sys.stdlib_module_names) == {"httpx", "plumbline_client"}
