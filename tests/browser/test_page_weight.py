"""What the first page of an annotator costs to load, and from where."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from annotate import tokens
from annotate.models import Participation
from annotate.views.modules import imported
from tests.browser.answers import participant

# As many and as long as those of the data that people have judged before.
LONG = (("Some say that Ada Marsh drew the tower. " * 11)[:434],) * 10

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def weigh(page: Page, live_server, who: Participation) -> dict[str, int]:
    """Return the bytes of all that the work page loads, by path."""
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    expect(page.locator(".crit[data-current]")).to_be_visible()  # the script has started
    page.wait_for_load_state("networkidle")
    assert {urlsplit(answer.url).netloc for answer in answers} == {urlsplit(live_server.url).netloc}
    return {urlsplit(answer.url).path: len(answer.body()) for answer in answers}


def test_the_page_of_ratings_is_light_and_all_our_own(page, live_server, who):
    sizes = weigh(page, live_server, who)
    assert 40_000 < sum(sizes.values()) < 100_000
    assert not [path for path in sizes if "evidence" in path or "feedback" in path]


def test_the_page_of_answers_is_as_light_with_ten_paragraphs(page, live_server):
    sizes = weigh(page, live_server, participant(LONG))
    assert page.locator(".paragraph").count() == 10
    assert 40_000 < sum(sizes.values()) < 100_000


def test_a_paragraph_more_adds_little_but_its_text(page, live_server):
    """The questions around the paragraphs are sent once."""
    nine, ten = (weigh(page, live_server, participant(LONG[:n])) for n in (9, 10))
    assert 0 < max(ten.values()) - max(nine.values()) - len(LONG[0]) < 400


@pytest.mark.parametrize("name", ["rating", "answer_correctness"])
def test_every_module_is_asked_for_at_once(page, live_server, who, name):
    someone = who if name == "rating" else participant()
    scripts = {path for path in weigh(page, live_server, someone) if path.endswith(".js")}
    named = {f"/static/{module}" for module in imported(f"js/{name}.js")}
    assert scripts == named | {f"/static/js/{name}.js"}


def test_a_script_that_is_not_there_imports_nothing():
    assert imported("js/none.js") == ()
