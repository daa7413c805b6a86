"""Postgres stopped under a running server: what somebody at work sees, in the crowd's frame."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import urllib3
from playwright.sync_api import Browser, FrameLocator, Page, expect

from annotate.common import tokens
from config.local import processes, servers
from tests.browser.annotators.tasks import answer_all
from tests.browser.viewport import resize
from tests.processes import ROOT, wait_for
from tests.servers import free_port

pytestmark = [pytest.mark.slow, pytest.mark.browser]

MAKE = """
from tests.factories import campaign, person
who = person(campaign(language="de", name="Nachrichten"))
print("made", who.pk)
"""
WIDTHS = (390, 1280)


class Place:
    """A server of the product with a Postgres of its own, which can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.until_the_end = ExitStack()
        place = self.until_the_end.enter_context(servers.scratch_folder())
        self.postgres = servers.Postgres(place, servers.passwords(), fsync="off")
        self.running = self.postgres.start()
        self.port, self.log = free_port(), folder / "web.log"
        self.env = {
            **os.environ,
            "DATABASE_URL": self.postgres.url(),
            "REDIS_URL": "redis://localhost:1/0",
        }
        self._manage("migrate", "--no-input")
        made = self._manage("shell", "-c", MAKE)
        self.who = int(made.split("made")[1])
        with self.log.open("wb") as out:
            self.web = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "gunicorn",
                    "config.wsgi",
                    "--bind",
                    f"127.0.0.1:{self.port}",
                    "--threads",
                    "4",
                ],
                cwd=ROOT,
                env=self.env,
                stdout=out,
                stderr=out,
            )
        wait_for(lambda: self.status("/healthz") == 200)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/work/p/{tokens.participation_token(self.who)}/"

    def status(self, path: str) -> int:
        try:
            address = f"http://127.0.0.1:{self.port}{path}"
            return urllib3.request("GET", address, retries=False, timeout=20).status
        except urllib3.exceptions.HTTPError:
            return 0

    def stop(self) -> None:
        self._stop()
        page = f"/work/p/{tokens.participation_token(self.who)}/"
        wait_for(lambda: self.status(page) == 503)
        assert self.status("/healthz") == 200  # the process lives

    def start(self) -> None:
        self.running = self.postgres.start()
        page = f"/work/p/{tokens.participation_token(self.who)}/"
        wait_for(lambda: self.status(page) == 200)

    def end(self) -> None:
        self.web.kill()
        self.web.wait()
        self._stop()
        self.until_the_end.close()

    def _stop(self) -> None:
        processes.stop(self.running, self.postgres.at_our_end, patience=20)

    def _manage(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("place"))
    yield made
    made.end()


@pytest.fixture(params=["", 'sandbox="allow-scripts allow-forms"'], ids=["framed", "sandboxed"])
def framed(
    request: pytest.FixtureRequest,
    place: Place,
    browser: Browser,
    foreign_site: Callable[[str], str],
) -> Iterator[tuple[Page, FrameLocator]]:
    """The page of somebody's work in a frame of another site, as a German browser shows it."""
    context = browser.new_context(locale="de-DE", viewport={"width": 390, "height": 800})
    page = context.new_page()
    frame = f'<iframe src="{place.url}" {request.param} width="100%" height="760"></iframe>'
    page.goto(foreign_site(frame))
    yield page, page.frame_locator("iframe")
    context.close()


def test_the_frame_says_what_is_wrong_and_comes_back(
    place: Place, framed: tuple[Page, FrameLocator]
) -> None:
    page, frame = framed
    expect(frame.locator("[data-current]")).to_be_visible()
    place.stop()
    try:
        page.reload()
        heading = frame.get_by_role("heading", level=1)
        expect(heading).to_have_text("Diese Seite kann gerade nicht gezeigt werden")
        expect(
            frame.get_by_text("alles, was Sie abgeschickt haben, ist gespeichert")
        ).to_be_visible()
        expect(frame.get_by_text("versucht es alle 15 Sekunden noch einmal")).to_be_visible()
        expect(frame.get_by_role("link", name="Jetzt noch einmal versuchen")).to_be_visible()
        expect(frame.get_by_text("campaigns")).to_have_count(0)
        _pictures(page)
    finally:
        place.start()
    expect(frame.locator("[data-current]")).to_be_visible(timeout=40_000)


def test_who_presses_gets_back_at_once(place: Place, framed: tuple[Page, FrameLocator]) -> None:
    page, frame = framed
    place.stop()
    page.reload()
    again = frame.get_by_role("link", name="Jetzt noch einmal versuchen")
    expect(again).to_be_visible()
    place.start()
    again.focus()
    page.keyboard.press("Enter")
    expect(frame.locator("[data-current]")).to_be_visible(timeout=10_000)


def test_a_task_that_is_sent_meanwhile_is_sent_again(
    place: Place, framed: tuple[Page, FrameLocator]
) -> None:
    _page, frame = framed
    expect(frame.locator("[data-current]")).to_be_visible()
    place_name = frame.locator("#place").inner_text()
    place.stop()
    try:
        answer_all(frame)
        frame.locator("#submit").click()
        expect(frame.locator("#missing")).to_contain_text("Der Server antwortet nicht")
    finally:
        place.start()
    expect(frame.locator("#place")).not_to_have_text(place_name, timeout=60_000)


def test_its_log_holds_the_failure_and_no_link(place: Place) -> None:
    place.stop()
    place.status(f"/work/p/{tokens.participation_token(place.who)}/")
    place.start()
    log = place.log.read_text()
    assert "Service Unavailable: /work/p/[" in log
    assert "OperationalError" in log
    assert tokens.participation_token(place.who).rpartition(":")[2] not in log
    assert "Traceback" in log


def _pictures(page: Page) -> None:
    folder = os.environ.get("PICTURES")
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            resize(page, width, 800)
            page.emulate_media(color_scheme=scheme)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width
            if folder:
                page.screenshot(path=f"{folder}/database-away-{scheme}-{width}.png")
