"""What the first page of an annotator costs to load, and from where."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Participation
from annotate.work.access import imported
from tests.annotate.market import entry, posting
from tests.browser.answers import participant, rows
from tests.factories import campaign, person

# As many and as long as those of the data that people have judged before.
LONG = (("Some say that Ada Marsh drew the tower. " * 11)[:434],) * 10

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


LIMIT = 99_000  # bytes


def weigh(page: Page, live_server, who: Participation) -> dict[str, int]:
    """Return the bytes of all that the work page loads, by path."""
    return weigh_at(page, live_server, f"/work/p/{tokens.participation_token(who.pk)}/")


def weigh_at(page: Page, live_server, path: str) -> dict[str, int]:
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{live_server.url}{path}")
    expect(page.locator(".crit[data-current]")).to_be_visible()  # the script has started
    page.wait_for_load_state("networkidle")
    assert {urlsplit(answer.url).netloc for answer in answers} == {urlsplit(live_server.url).netloc}
    bodies = [answer for answer in answers if answer.ok]  # a redirect has none
    return {urlsplit(answer.url).path: len(answer.body()) for answer in bodies}


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_ratings_is_light_and_all_our_own(page, live_server, language):
    sizes = weigh(page, live_server, person(campaign(language=language)))
    assert 40_000 < sum(sizes.values()) < LIMIT
    assert not [path for path in sizes if "evidence" in path or "feedback" in path]


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_answers_is_as_light_with_ten_paragraphs(page, live_server, language):
    sizes = weigh(page, live_server, participant(LONG, language=language))
    assert page.locator(".paragraph").count() == 10
    assert 40_000 < sum(sizes.values()) < LIMIT


@pytest.mark.parametrize("unit", ["", "U1"], ids=["example", "first task"])
def test_so_are_those_of_people_from_a_marketplace(page, live_server, unit):
    """The longest: in German, with the instructions, or with what somebody new is told."""
    made = campaign(
        rows_=rows(LONG),
        instrument="answer_correctness",
        metrics=(),
        double_share=0,
        targets={"any_correct": 0.2},
        crowd="mturk",
        language="de",
        contact="ada@example.org",
    )
    sizes = weigh_at(page, live_server, entry(posting(made), unit))
    expect(page.locator(".first-time")).to_have_count(1 if unit else 0)
    assert 40_000 < sum(sizes.values()) < LIMIT


def test_a_paragraph_more_adds_little_but_its_text(page, live_server):
    """The questions around the paragraphs are sent once."""
    nine, ten = (weigh(page, live_server, participant(LONG[:n])) for n in (9, 10))
    assert 0 < max(ten.values()) - max(nine.values()) - len(LONG[0]) < 400


@pytest.mark.parametrize("name", ["rating", "answer_correctness"])
def test_every_module_is_asked_for_at_once(page, live_server, who, name):
    someone = who if name == "rating" else participant()
    scripts = {path for path in weigh(page, live_server, someone) if path.endswith(".js")}
    named = {f"/static/{module}" for module in imported(f"js/{name}.js")}
    assert scripts == named | {f"/static/js/{name}.js", "/static/js/early.js"}


def test_a_script_that_is_not_there_imports_nothing():
    assert imported("js/none.js") == ()
