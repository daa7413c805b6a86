"""An annotator ranks the texts of an item: by mouse, by keyboard alone, and by touch."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Judgment, Output
from tests.annotate.ranked_texts.studies import ranking, rows, study
from tests.browser.annotators.tasks import saved, see_task
from tests.factories import person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def address(live_server: Any, *, best_only: bool = False, texts: list[Row] | None = None) -> str:
    made = study(texts=texts or rows(11), definition=ranking(best_only=best_only))
    return f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/"


def shown(page: Page) -> list[str]:
    """Return who wrote the texts of the page, in their order."""
    return [text.strip()[0] for text in page.locator(".sheets .read").all_inner_texts()]


def ranked(judgment: Judgment) -> str:
    """Return who wrote the texts of a ranking, the best first."""
    outputs = Output.objects.filter(item=judgment.output.item_id).order_by("pk")
    texts = outputs.values_list("text", flat=True)
    places = zip(judgment.response["rank"], texts, strict=True)
    return "".join(text[0] for _place, text in sorted(places))


def test_a_half_given_ranking_is_kept_and_not_sent(page: Page, live_server: Any) -> None:
    page.goto(address(live_server))
    see_task(page, 1)
    expect(page.locator(".ranked:visible")).to_have_count(3)
    expect(page.locator(".ranked label:visible")).to_have_count(9)
    page.locator("#question-rank-2 ~ label").nth(0).click()
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("“Place” has no answer")
    saved(page)
    page.reload()
    expect(page.locator("input[name=rank-2][value='1']")).to_be_checked()
    page.locator("#question-rank-1 ~ label").nth(1).click()
    page.locator("#question-rank-3 ~ label").nth(1).click()
    page.click("#submit")
    see_task(page, 2)
    expect(page.locator(".ranked :checked")).to_have_count(0)
    assert sorted(Judgment.objects.get().response["rank"]) == [1, 2, 2]


def test_a_correction_begins_with_the_places_that_were_given(page: Page, live_server: Any) -> None:
    page.goto(address(live_server))
    see_task(page, 1)
    for key in "312":
        page.keyboard.press(key)
    page.click("#submit")
    see_task(page, 2)
    page.get_by_role("link", name="Correct the last text").click()
    for text, place in ((1, 3), (2, 1), (3, 2)):
        expect(page.locator(f"input[name=rank-{text}][value='{place}']")).to_be_checked()


def test_only_the_texts_of_the_item_have_places(page: Page, live_server: Any) -> None:
    """The next item may have fewer texts: two systems wrote the same."""
    same = [Row("i8", name, text) for name, text in zip("ABC", ("A.", "B.", "A."), strict=True)]
    page.goto(address(live_server, texts=[*rows(2), *same]))
    for number in (1, 2, 3):
        see_task(page, number)
        n = page.locator(".sheets .sheet").count()
        expect(page.locator(".ranked:visible")).to_have_count(n)
        expect(page.locator(".ranked label:visible")).to_have_count(n * n)
        for place in range(1, n + 1):
            page.keyboard.press(str(place))
        page.click("#submit")
    expect(page.get_by_role("heading", name="How was it?")).to_be_visible()
    assert sorted(len(one.response["rank"]) for one in Judgment.objects.all()) == [2, 3, 3]


def test_the_best_text_is_chosen(page: Page, live_server: Any) -> None:
    page.goto(address(live_server, best_only=True))
    see_task(page, 1)
    expect(page.locator(".level:visible")).to_have_count(3)
    best = shown(page)[1]
    page.locator(".level").nth(1).click()
    saved(page)
    page.reload()
    expect(page.locator("input[name=rank][value='2']")).to_be_checked()
    page.click("#submit")
    see_task(page, 2)
    expect(page.locator(".level :checked")).to_have_count(0)
    assert ranked(Judgment.objects.get())[0] == best


@pytest.mark.slow
def test_ten_rankings_by_keyboard_alone(page: Page, live_server: Any) -> None:
    page.goto(address(live_server))
    for number in range(1, 11):
        see_task(page, number)
        for name in shown(page):
            page.keyboard.press(str(1 + "ABC".index(name)))
        page.keyboard.press("Control+Enter")
    see_task(page, 11)
    assert [ranked(one) for one in Judgment.objects.all()] == ["ABC"] * 10


@pytest.mark.slow
def test_ten_rankings_by_touch_on_a_phone(phone: Page, live_server: Any) -> None:
    phone.goto(address(live_server))
    for number in range(1, 11):
        see_task(phone, number)
        for text, name in enumerate(shown(phone), start=1):
            labels = phone.locator(f"#question-rank-{text} ~ label")
            labels.nth("CBA".index(name)).tap()
        phone.locator("#submit").tap()
    see_task(phone, 11)
    assert [ranked(one) for one in Judgment.objects.all()] == ["CBA"] * 10
