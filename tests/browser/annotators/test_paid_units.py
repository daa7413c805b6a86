"""The whole way of somebody from MTurk, in the sandboxed frame that a crowd shows."""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from annotate.models import Assignment, Judgment, Participation, Posting
from annotate.studies.queries import StudyTexts
from annotate.work import leasing
from tests.annotate.market import arrive, entry, posting, study
from tests.annotate.passing import pass_tutorial
from tests.browser.annotators.tasks import answer_all, see_framed
from tests.browser.viewport import resize
from tests.factories import judge, leased

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FRAMES = ["", " allow-same-origin"]


@dataclass
class Site:
    """A crowd's own site: a page with a frame, and the address where work is handed in."""

    port: int
    shows: str = ""
    answers: int = 200  # to what is handed in
    got: list[dict[str, list[str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> str:
        return f"127.0.0.1:{self.port}"

    def frame(self, page: Page, address: str, extra: str = "") -> FrameLocator:
        sandbox = f"allow-scripts allow-forms{extra}"
        self.shows = f'<iframe sandbox="{sandbox}" src="{address}" width="1000" height="700">'
        page.goto(self.url)
        return page.frame_locator("iframe")


@pytest.fixture
def site(settings) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(200, made.shows)

        def do_POST(self) -> None:
            assert self.path == "/mturk/externalSubmit"
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if made.answers == 200:
                made.got.append(parse_qs(sent))
            self._say(made.answers, f"<h1>Answered {made.answers}</h1>")

        def _say(self, status: int, body: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>A crowd</title>{body}".encode())

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Site(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.MTURK_ENDPOINT_URL = made.url
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def there(site) -> Posting:
    return posting(study(items=4, tutorial=True), tasks=2, environment=site.environment)


def accepted(live_server, to: Posting, site: Site, unit: str = "U1") -> str:
    return live_server.url + entry(to, unit, site=site.url)


def task(frame: FrameLocator, number: int) -> None:
    see_framed(frame, number)
    expect(frame.locator("#place")).to_have_text(f"Task {number} of 2")
    answer_all(frame)
    frame.locator("#submit").click()


def hand_in(frame: FrameLocator) -> None:
    """Do the second of two tasks, and wait no longer."""
    task(frame, 2)
    frame.locator("#hand-in-now").click()


@pytest.mark.parametrize("extra", FRAMES)
def test_from_the_preview_to_the_hand_in(page, live_server, there, site, extra):
    frame = site.frame(page, live_server.url + entry(there), extra)
    expect(frame.locator("#example")).to_contain_text("Accept this work at Amazon Mechanical Turk")
    frame.locator("#submit").click()
    expect(frame.locator("#missing")).to_contain_text("it is not sent and earns nothing")

    frame = site.frame(page, accepted(live_server, there, site), extra)
    expect(frame.locator("#check")).to_be_visible()  # the tutorial
    frame.locator(".first-time summary").click()
    expect(frame.locator(".first-time")).to_contain_text("We store your id")
    who = Participation.objects.get()
    pass_tutorial(who, but=1)
    frame = site.frame(page, accepted(live_server, there, site), extra)
    expect(frame.locator("#check")).to_be_visible()
    pass_tutorial(who)

    frame = site.frame(page, accepted(live_server, there, site), extra)
    task(frame, 1)
    task(frame, 2)
    expect(frame.locator("#hand-in-now")).to_be_focused()
    expect(frame.locator("#seconds")).to_have_text(re.compile(r"^1\d$"))  # it counts down
    frame.locator("#hand-in-now").press("Enter")
    expect(frame.locator("h1")).to_have_text("Answered 200")
    who.refresh_from_db()
    assert who.status == Participation.Status.HANDED_IN
    assert Judgment.objects.filter(assignment__participation=who).count() == 2
    (sent,) = site.got
    assert sent["assignmentId"] == ["U1"]
    assert [who.receipt] in sent.values()
    assert page.context.cookies() == []


@pytest.mark.parametrize("extra", FRAMES)
def test_the_last_text_is_corrected_before_the_work_is_handed_in(
    page, live_server, there, site, settings, extra
):
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    frame = site.frame(page, accepted(live_server, there, site), extra)
    task(frame, 2)
    expect(frame.locator("#hand-in-now")).to_be_visible()
    first = frame.locator("#seconds").inner_text()
    expect(frame.locator("#seconds")).not_to_have_text(first)  # now it counts and hears keys
    settings.HAND_IN_WAIT = timedelta(seconds=5)  # as if the rest of it had passed meanwhile
    frame.locator("body").press("z")
    expect(frame.locator("#correcting")).to_contain_text("Your work is handed in after that")
    frame.locator("input[name=fluency]").nth(1).check()
    frame.locator("#edit").fill("The council met on Monday, as somebody tells it.")
    page.wait_for_timeout(5_000)
    assert site.got == [], "nothing is handed in while it is corrected"
    frame.locator("#submit").click()
    expect(frame.locator("h1")).to_have_text("Answered 200")
    assert len(site.got) == 1
    later = Judgment.objects.filter(assignment__participation=who).latest("pk")
    assert later.supersedes_id is not None
    who.refresh_from_db()
    assert who.status == Participation.Status.HANDED_IN


def test_without_an_act_it_is_handed_in_when_the_wait_is_over(
    page, live_server, there, site, settings
):
    settings.HAND_IN_WAIT = timedelta(seconds=3)
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    frame = site.frame(page, accepted(live_server, there, site))
    task(frame, 2)
    expect(frame.locator("#finished-message")).to_contain_text("not handed in yet")
    expect(frame.locator("h1")).to_have_text("Answered 200")
    assert len(site.got) == 1


@pytest.mark.parametrize("extra", FRAMES)
def test_consent_is_given_inside_the_frame(page, live_server, site, extra):
    texts = StudyTexts(consent="You may stop at any time.")
    made = posting(study(items=4, tutorial=False, texts=texts), environment=site.environment)
    frame = site.frame(page, accepted(live_server, made, site), extra)
    expect(frame.locator("h1")).to_have_text("Before you begin")
    expect(frame.locator("body")).to_contain_text("return this work at Amazon Mechanical Turk")
    frame.get_by_label("I have read this").check()
    frame.get_by_role("button", name="Go on").click()
    see_framed(frame, 1)
    assert Participation.objects.get().consented_at is not None
    frame = site.frame(page, accepted(live_server, made, site), extra)
    see_framed(frame, 1)


@pytest.mark.parametrize("extra", FRAMES)
def test_what_was_lost_on_the_way_is_handed_in_again(page, live_server, there, site, extra):
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    site.answers = 500
    frame = site.frame(page, accepted(live_server, there, site), extra)
    hand_in(frame)
    expect(frame.locator("h1")).to_have_text("Answered 500")
    assert site.got == []

    site.answers = 200
    frame = site.frame(page, accepted(live_server, there, site), extra)
    button = frame.get_by_role("button", name="Hand in your work")
    expect(button).to_be_visible()
    expect(frame.locator("#finished-message")).to_be_focused()
    page.wait_for_timeout(500)
    assert site.got == []  # by itself it goes once only
    button.click()
    expect(frame.locator("h1")).to_have_text("Answered 200")
    who.refresh_from_db()
    assert [who.receipt] in site.got[0].values()


def test_without_scripts_the_work_can_still_be_handed_in(browser, live_server, there, site):
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    judge(who)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    frame = site.frame(page, accepted(live_server, there, site))
    frame.get_by_role("link", name="Hand in now").click()
    frame.get_by_role("button", name="Hand in your work").click()
    expect(frame.locator("h1")).to_have_text("Answered 200")
    context.close()


def test_two_tabs_of_one_unit_hand_in_once_each_without_harm(context, live_server, there, site):
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    one, two = context.new_page(), context.new_page()
    first = site.frame(one, accepted(live_server, there, site))
    see_framed(first, 2)
    second = site.frame(two, accepted(live_server, there, site))
    hand_in(second)
    expect(second.locator("h1")).to_have_text("Answered 200")
    one.bring_to_front()
    task(first, 2)
    expect(first.get_by_role("button", name="Hand in your work")).to_be_visible()
    assert Judgment.objects.filter(assignment__participation=who).count() == 2
    assert len(site.got) == 1


def test_another_site_may_not_frame_the_work(page, live_server, there, site, foreign_site):
    address = accepted(live_server, there, site)
    page.goto(foreign_site(f'<iframe src="{address}" width="900" height="600"></iframe>'))
    page.wait_for_timeout(1000)
    assert page.frames[1].url.startswith("chrome-error:")


def test_who_finds_nothing_gets_a_task_that_comes_free(page, live_server, site):
    made = study(items=1, systems=("alpha",))
    to = posting(made, tasks=1, environment=site.environment)
    other = arrive(to, "AW2", "U2", submit_to=site.url)
    held = leased(other)
    page.clock.install()
    frame = site.frame(page, accepted(live_server, to, site))
    expect(frame.locator("#retry")).to_be_visible()
    leasing.give_back(held.pk, participation_id=other.pk)
    page.clock.run_for(16_000)
    expect(frame.locator("#place")).to_have_text("Task 1 of 1")
    assert Assignment.objects.filter(participation__external_key="U1").count() == 1


@pytest.mark.parametrize("width", [390, 320])
def test_the_hand_in_fits_a_phone_in_the_dark(page, live_server, there, site, width):
    who = arrive(there, submit_to=site.url)
    pass_tutorial(who)
    judge(who)
    judge(who)
    site.answers = 500
    resize(page, width, 700)
    page.emulate_media(color_scheme="dark")
    page.goto(accepted(live_server, there, site))
    now = page.get_by_role("link", name="Hand in now")
    expect(now).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    now.click()
    expect(page.locator("h1")).to_have_text("Answered 500")
    page.goto(accepted(live_server, there, site))
    button = page.get_by_role("button", name="Hand in your work")
    expect(button).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
