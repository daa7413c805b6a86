"""Judging texts that are drawn from Markdown and chats: what is seen, marked and stored."""

import json
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.common import content, tokens
from annotate.models import Campaign, Judgment
from annotate.studies import definitions
from tests.annotate.own import marked
from tests.browser.annotators.tasks import answer_all, choose, saved, see_task
from tests.browser.annotators.test_own_instrument import drag
from tests.factories import campaign, person, rows, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GALLERY = {
    "words": "A **bold** _claim_ with `code`, ~~gone~~ and [a link](https://e.org/x).",
    "blocks": "# Title\n\nText\n\n> quoted\n\n---\n\n1. one\n2. two\n   - inner\n\nend",
    "code": "Try this:\n\n```python\ndef f(x):\n    return x < 2  # é한\n```\n\n    indented",
    "table": "| left | right |\n|---|---:|\n| 1 | 2 |\n| **3** | 4 |",
    "formulas": "So $E = mc^2$, and\n\n$$\\frac{a}{b} \\sqrt{x}$$\n\n\\[\nx_1\n\\]",
    "hostile": "<script>alert(1)</script> <b>x</b> &amp; ![i](http://e.org/i.png)",
    "right to left": "שלום **עולם**\n\n- مرحبا\n- two",
    "wide characters": "**很好**的😀文本。\n\n第二段",
    "breaks": "one\r\ntwo  \nthree\\\nfour",
    "chat": json.dumps([
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "What **is** it?"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]},
        {"role": "assistant", "content": "A mill:\n\n- old\n- red"},
    ]),
}  # fmt: skip


def open_task(page: Page, live_server: Any, text: str, form: str, **more: Any) -> Campaign:
    owner = user()
    definitions.define(marked(), owner_id=owner.pk)
    written = [replace(row, output=text, input="Say **how**.") for row in rows(systems=("alpha",))]
    made = campaign(
        owner=owner,
        instrument="marked",
        targets={"helpful": 0.4},
        metrics=(),
        rows_=written,
        output_form=form,
        **more,
    )
    token = tokens.participation_token(person(made).pk)
    page.goto(f"{live_server.url}/work/p/{token}/")
    see_task(page, 1)
    return made


@pytest.mark.parametrize("name", GALLERY)
def test_the_page_has_the_visible_text_to_the_last_character(
    name: str, page: Page, live_server: Any
) -> None:
    text = GALLERY[name]
    forms = ("chat", "last_turn") if name == "chat" else ("markdown",)
    open_task(page, live_server, text, forms[0])
    for form in forms:
        if form != forms[0]:
            Campaign.objects.update(output_form=form)
            page.reload()
        shown = page.locator("#text .read:not(.before)")
        assert shown.evaluate("node => node.textContent") == content.visible(text, form)
        assert page.locator("#text a, #text img, #text script").count() == 0
    choose(page, helpful=4)  # drawn again, with what may be highlighted
    assert shown.evaluate("node => node.textContent") == content.visible(text, forms[-1])


def test_highlights_lie_on_the_words_that_are_seen(page: Page, live_server: Any) -> None:
    text = "A **bold** claim.\n\n- first `point`\n- second one\n"
    open_task(page, live_server, text, "markdown")
    expect(page.locator("#text strong")).to_have_text("bold")
    choose(page, helpful=4)
    drag(page, "bold", "claim")
    drag(page, "point", "second")
    expect(page.locator("#evidence-helpful q").first).to_have_text("bold claim")
    expect(page.locator("#text strong mark")).to_have_text("bold")
    expect(page.locator("#text li")).to_have_count(2)
    saved(page)
    page.reload()
    expect(page.locator("#text strong mark")).to_have_text("bold")
    choose(page, invented=0)
    page.click("#submit")
    see_task(page, 2)
    seen = content.visible(text, "markdown")
    stored = Judgment.objects.get().response["evidence"]["helpful"]
    assert [seen[start:end].split() for start, end in stored] == [
        ["bold", "claim"],
        ["point", "second"],
    ]


def test_highlights_by_keys_and_one_that_is_removed(page: Page, live_server: Any) -> None:
    open_task(page, live_server, "One **two**\n\nthree", "markdown")
    choose(page, helpful=4)
    page.keyboard.press("h")
    expect(page.locator("#text .read")).to_have_attribute("data-highlighting", "on")
    for key in ("ArrowRight", "Space", "ArrowRight", "Space", "Escape"):
        page.keyboard.press(key)
    expect(page.locator("#evidence-helpful q")).to_contain_text("two")
    expect(page.locator("#evidence-helpful q")).to_contain_text("three")
    page.locator("#text strong mark").click()
    expect(page.locator("#evidence-helpful q")).to_have_count(0)
    expect(page.locator("#text strong")).to_have_text("two")


def test_an_edit_is_of_the_source(page: Page, live_server: Any) -> None:
    open_task(page, live_server, "A **bold** claim.", "markdown")
    choose(page, helpful=0, invented=1)
    expect(page.locator("#edit")).to_have_value("A **bold** claim.")


def test_a_key_shows_the_source(page: Page, live_server: Any) -> None:
    open_task(page, live_server, "A **bold** claim.", "markdown", input_form="markdown")
    source = page.locator("#text .as-written pre")
    expect(source).to_be_hidden()
    page.keyboard.press("s")
    expect(source).to_have_text("A **bold** claim.")
    expect(page.locator("#input .as-written pre")).to_be_visible()
    page.keyboard.press("s")
    expect(source).to_be_hidden()
    page.locator("#text .as-written summary").click()
    expect(source).to_be_visible()


def test_a_text_that_cannot_be_drawn_is_shown_with_a_word(page: Page, live_server: Any) -> None:
    open_task(page, live_server, "> " * 40 + "deep", "markdown")
    expect(page.locator("#text .read")).to_contain_text("> > >")
    expect(page.locator("#text")).to_contain_text("cannot be formatted")


def test_the_sentence_to_confirm_has_the_words_that_are_seen(page: Page, live_server: Any) -> None:
    asked, answer = "**Who** drew the tower", "[Ada Marsh](https://e.org/ada)"
    made = campaign(
        rows_=[Row("1", "alpha", answer, input=asked, paragraphs=("Ada Marsh drew it.",))],
        instrument="answer_correctness", metrics=(), targets={"any_correct": 0.2}, double_share=0,
        output_form="markdown", input_form="markdown",
    )  # fmt: skip
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    see_task(page, 1)
    page.check("input[name=plausible][value=yes]")
    page.check("input[name=paragraph-1][value='1']")
    said = page.locator("#paragraph-1 .sentence bdi")
    expect(said).to_have_text(["Ada Marsh (https://e.org/ada)", "Who drew the tower"])


def test_a_reference_is_read_folded_and_left_alone(page: Page, live_server: Any) -> None:
    """It stands between the input and the text; highlights and the answer are of the text."""
    written = [replace(row, input="Say how.", reference="Like **this**.") for row in rows()]
    made = campaign(rows_=written, shows_input=True, shows_reference=True, input_form="markdown")
    who = person(made)
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    see_task(page, 1)
    reference = page.get_by_role("group", name="Reference", exact=True)
    expect(reference.locator("strong")).to_have_text("this")
    order = page.locator(".judged > *").evaluate_all("found => found.map((one) => one.id)")
    assert order[:3] == ["input", "reference", "text"]
    page.locator("#reference > summary").press("Enter")
    expect(reference).to_be_hidden()
    page.locator("#reference > summary").press("Enter")
    expect(reference).to_be_visible()
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    expect(reference.locator("strong")).to_have_text("this")
    assert "reference" not in Judgment.objects.get().response
