"""A local stand-in for Prolific's REST API: a real HTTP server, with faults on demand."""

import json
import re
import socket
import threading
from collections.abc import Callable
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.crowds.far_side import Fault
from tests.crowds.prolific.world import FILTERS, Refused, World

Call = Callable[[World, dict[str, Any], str], Any]
ID = "([0-9A-Za-z-]+)"
GROUP = f"participant-groups/{ID}/"
# Method, path, what the call is called (faults name it), its status and what it does.
ROUTES: list[tuple[str, str, str, int, Call]] = [
    ("GET", "users/me/", "account", 200, lambda w, b, i: w.account()),
    ("GET", "workspaces/", "workspaces", 200, lambda w, b, i: [{"id": w.workspace}]),
    ("GET", "filters/", "filters", 200, lambda w, b, i: FILTERS),
    ("POST", "study-cost-calculator/", "cost", 200, lambda w, b, i: w.cost(b)),
    ("GET", "studies/", "studies", 200, lambda w, b, i: w.list_studies()),
    ("POST", "studies/", "create", 201, lambda w, b, i: w.create_study(b)),
    ("GET", f"studies/{ID}/", "study", 200, lambda w, b, i: w.study(i)),
    ("PATCH", f"studies/{ID}/", "extend", 200, lambda w, b, i: w.change_study(i, b)),
    ("POST", f"studies/{ID}/transition/", "", 200, lambda w, b, i: w.move_study(i, b["action"])),
    ("GET", f"studies/{ID}/submissions/", "listing", 200, lambda w, b, i: w.of_study(i)),
    ("POST", "submissions/bonus-payments/", "prepare", 201, lambda w, b, i: w.prepare_bonus(b)),
    ("GET", f"submissions/{ID}/", "submission", 200, lambda w, b, i: w.submission(i)),
    ("POST", f"submissions/{ID}/transition/", "", 200, lambda w, b, i: w.move_submission(i, b)),
    ("POST", f"bulk-bonus-payments/{ID}/pay/", "pay", 202, lambda w, b, i: w.pay_bonus(i)),
    ("GET", "participant-groups/", "groups", 200, lambda w, b, i: list(w.groups.values())),
    ("POST", "participant-groups/", "group", 201, lambda w, b, i: w.create_group(b)),
    ("POST", f"{GROUP}participants/", "members", 200, lambda w, b, i: w.join(i, b)),
    ("DELETE", f"{GROUP}participants/", "members", 200, lambda w, b, i: w.part(i, b)),
    ("GET", "hooks/secrets/", "secrets", 200, lambda w, b, i: w.secrets),
    ("POST", "hooks/secrets/", "secret", 201, lambda w, b, i: w.create_secret(b)),
    ("GET", "hooks/subscriptions/", "hooks", 200, lambda w, b, i: list(w.hooks.values())),
    ("POST", "hooks/subscriptions/", "hook", 201, lambda w, b, i: w.create_hook(b)),
    ("POST", f"hooks/subscriptions/{ID}/", "confirm", 200, lambda w, b, i: w.confirm_hook(i, b)),
    ("DELETE", f"hooks/subscriptions/{ID}/", "unhook", 204, lambda w, b, i: w.end_hook(i)),
    ("POST", "messages/", "message", 201, lambda w, b, i: w.send(b)),
]
# The requests behind a method of the adapter. AFTER strikes the last: the effect itself.
BEHIND = {
    "publish": ("create", "PUBLISH"),
    "add_places": ("extend",),
    "stop": ("STOP",),
    "approve": ("APPROVE",),
    "reject": ("REJECT",),
    "pay_bonus": ("prepare", "pay"),
    "iter_submissions": ("listing",),
    "posting_level": ("study",),
    "archive": ("study",),
    "get_submission": ("submission",),
    "verify_claim": ("submission",),
    "find_postings": ("studies",),
    "balance": ("account",),
    "validate": ("account",),
    "estimate_cost": ("cost",),
    "bonus_cost": ("cost",),
    "set_excluded": ("members",),
    "message": ("message",),
}
PAGE = 100


class Server(ThreadingHTTPServer):
    """`faults`: what goes wrong with the next of which calls."""

    daemon_threads = True

    def __init__(self, world: World, token: str):
        super().__init__(("127.0.0.1", 0), Handler)
        self.world, self.token = world, token
        self.faults: list[tuple[tuple[str, ...], Fault]] = []
        self.links = True  # of lists, to their next pages
        self.calls: list[str] = []
        self.meanwhile: dict[str, Callable[[], Any]] = {}  # what somebody else does just before
        self.open: set[socket.socket] = set()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def break_calls(self, operation: str, how: Fault) -> None:
        """`operation`: a method of the adapter, or one call by its own name."""
        calls = BEHIND.get(operation, (operation,))
        self.faults.append((calls[-1:] if how == Fault.AFTER else calls, how))

    def next_fault(self, call: str) -> Fault | None:
        """Return what goes wrong with this call; each fault strikes once."""
        with self.world.lock:
            for fault in self.faults:
                if call in fault[0]:
                    self.faults.remove(fault)
                    return fault[1]
        return None

    def heal(self) -> None:
        self.faults.clear()

    def close(self) -> None:
        self.heal()
        self.shutdown()
        self.server_close()
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        super().finish()

    def log_message(self, *_args: Any) -> None:
        """Tests are quiet."""

    def handle_any(self) -> None:
        body = self._body()
        parts = urlsplit(self.path)
        if parts.path == "/submissions/complete":
            return self._complete(parse_qs(parts.query))
        found = self._route(parts.path)
        if self.headers.get("Authorization") != f"Token {self.server.token}":
            return self._answer(401, _error(401, "Authentication credentials were not provided."))
        if found is None:
            return self._answer(404, _error(404, "Not found."))
        (name, status, call), about = found
        name = name or str(body.get("action"))
        self.server.calls.append(name)
        self.server.meanwhile.pop(name, lambda: None)()
        fault = self.server.next_fault(name)
        if fault is not None and fault != Fault.AFTER:
            return self._fail(fault)
        status, data = self._do(call, body, about, status)
        if fault == Fault.AFTER:
            return self._drop()
        if isinstance(data, list):
            data = _page(data, parts.query, links=self.server.links)
        return self._answer(status, data)

    def _complete(self, asked: dict[str, list[str]]) -> None:
        """Where participants arrive with the completion code, in their own browser."""
        world = self.server.world
        with world.lock:
            known = world.complete(asked.get("cc", [""])[0])
        said = "Submission received" if known else "This completion code is not known"
        raw = f"<!doctype html><title>Prolific</title><h1>{said}</h1>".encode()
        head = f"HTTP/1.1 200 -\r\nContent-Type: text/html\r\nContent-Length: {len(raw)}\r\n\r\n"
        self.wfile.write(head.encode() + raw)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def _do(self, call: Call, body: dict[str, Any], about: str, status: int) -> tuple[int, Any]:
        world = self.server.world
        try:
            with world.lock:
                return status, call(world, body, about)
        except Refused as refused:
            return refused.status, _error(refused.status, refused.detail, refused.code)

    def _fail(self, fault: Fault) -> None:
        if fault == Fault.BEFORE:
            return self._answer(500, _error(500, "Server error."))
        if fault == Fault.THROTTLE:
            return self._answer(429, _error(429, "Too many requests."))
        return self._drop()  # at once: nothing in a test hangs on how long a client waits

    def _drop(self) -> None:
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def _answer(self, status: int, data: Any) -> None:
        more = data.pop("_headers", {}) if isinstance(data, dict) else {}
        raw = b"" if data is None else json.dumps(data, default=_plain).encode()
        said = {
            "Content-Type": "application/json",
            "Content-Length": len(raw),
            **more,
            "Date": format_datetime(self.server.world.now(), usegmt=True),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        head = f"HTTP/1.1 {status} -\r\n{lines}\r\n"
        try:
            self.wfile.write(head.encode() + raw)
        except OSError:
            self.close_connection = True

    def _body(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return json.loads(raw) if raw else {}

    def _route(self, path: str) -> tuple[tuple[str, int, Call], str] | None:
        for method, pattern, *what in ROUTES:
            match = re.fullmatch(f"/api/v1/{pattern}", path)
            if match and self.command == method:
                return tuple(what), match[1] if match.groups() else ""
        return None


def _page(rows: list[Any], query: str, *, links: bool) -> dict[str, Any]:
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    offset = int(asked.get("offset", 0))
    limit = min(int(asked.get("limit", PAGE)), PAGE)
    following = offset + limit
    more = links and following < len(rows)
    href = f"https://elsewhere.invalid/api?limit={limit}&offset={following}" if more else None
    return {
        "results": rows[offset:following],
        "_links": {"next": {"href": href}},
        "meta": {"count": len(rows)},
    }


def _error(status: int, detail: Any, code: int = 140100) -> dict[str, Any]:
    return {"error": {"status": status, "error_code": code, "title": "Error", "detail": detail}}


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else str(value)
