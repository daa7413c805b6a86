"""A real Chromium against a real server; without a Chromium these tests fail, never skip."""

import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from annotate.common import tokens
from annotate.models import Participation
from tests import chromium
from tests.browser.gate import Gate
from tests.factories import campaign, person

# Playwright's sync API runs an event loop in this thread; the database is used outside of it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
expect.set_options(timeout=chromium.PATIENCE)


@pytest.fixture(scope="session")
def gate() -> Gate:
    return Gate()


@pytest.fixture(scope="session")
def live_server(
    gate: Gate, django_db_setup: None, django_db_modify_db_settings: None
) -> Iterator[object]:
    """pytest-django's, but static files come through the middleware, as in production.

    Django's test handlers, for static files and for media (whose root would be this folder),
    answer without `Access-Control-Allow-Origin`, and modules in a sandboxed frame need it.
    """
    from django.contrib.staticfiles import handlers
    from pytest_django.live_server_helper import LiveServer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handlers, "StaticFilesHandler", lambda media: gate.around(media.application))
        server = LiveServer("localhost", start=False)
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _nobody_inside(request: pytest.FixtureRequest, gate: Gate) -> Iterator[None]:
    """Requests that a closed page left behind end before the test's rows are removed."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    gate.open()
    yield
    gate.shut()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.executable()
    assert path, "No Chromium: run `python -m tests.chromium`, or name one in CHROMIUM"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=chromium.flags())
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(chromium.PATIENCE)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose script must not fail."""
    yield from _without_errors(context)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a phone that is touched; its script must not fail."""
    size: ViewportSize = {"width": 390, "height": 844}
    made = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    made.set_default_timeout(chromium.PATIENCE)
    yield from _without_errors(made)
    made.close()


def _without_errors(context: BrowserContext) -> Iterator[Page]:
    made = context.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    yield made
    assert not errors, errors


class _Page(BaseHTTPRequestHandler):
    html = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.html.encode())

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def foreign_site() -> Iterator[Callable[[str], str]]:
    """Serves a page from another host name and port than ours; returns its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Framing", (_Page,), {}))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def serve(body: str) -> str:
        server.RequestHandlerClass.html = f"<!doctype html><title>A crowd</title>{body}"
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    server.shutdown()
    server.server_close()


@pytest.fixture
def who() -> Participation:
    return person(campaign(contact="ada@example.org"))


@pytest.fixture
def url(live_server, who) -> str:
    return f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/"
