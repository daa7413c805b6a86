"""Indentation, tabs and line breaks of texts, wherever people read, edit or highlight them."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns import imports
from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Campaign, Judgment, Participation
from annotate.studies import definitions, tutorials
from annotate.work import submitting
from tests import reviewed
from tests.annotate.own import helpful, marked
from tests.browser.annotators.kinds_of_text import CODE, KINDS, drawn_lines, keeps_layout
from tests.browser.annotators.tasks import choose, see_task
from tests.browser.annotators.test_own_instrument import drag
from tests.browser.annotators.test_tutorial import started
from tests.browser.answers import Desk
from tests.browser.researchers import through
from tests.browser.states import Visitor
from tests.browser.states.researcher import logged_in
from tests.browser.viewport import resize
from tests.factories import campaign, judge, leased, person, rows, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WINDOWS = CODE.replace("\n", "\r\n")


def at_work(page: Page, live_server: Any, made: Campaign, name: str = "p1") -> Participation:
    who = person(made, name)
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    return who


def rated(output: str = CODE, **changes: Any) -> Campaign:
    outputs = [Row(str(n), "alpha", output) for n in range(3)]
    return campaign(rows_=outputs, metrics=(), double_share=0, **changes)


def marked_study(text: str) -> Campaign:
    """A study with an input, an edit and highlights."""
    definitions.define(marked(), owner_id=user().pk)
    outputs = [Row(str(n), "alpha", text, input=text) for n in range(3)]
    return campaign(
        rows_=outputs, instrument="marked", targets={"helpful": 0.4}, metrics=(), double_share=0
    )


def answered(text: str) -> Campaign:
    asked = [Row(str(n), "a", text, input=text, paragraphs=(text, "Other.")) for n in range(2)]
    return campaign(
        rows_=asked,
        instrument="answer_correctness",
        metrics=(),
        double_share=0,
        targets={"any_correct": 0.2},
    )


def test_code_is_rated_and_edited_with_its_indentation(page: Page, live_server: Any) -> None:
    at_work(page, live_server, rated())
    see_task(page, 1)
    keeps_layout(page, "#text .read")
    choose(page, fluency=1, redundancy=0, overall=0)
    assert page.input_value("#edit") == CODE
    assert page.locator("#edit").evaluate("e => getComputedStyle(e).tabSize") == "4"
    changed = CODE.replace("value * weight", "weight * value")
    page.fill("#edit", changed)
    expect(page.locator("#edit-diff ins")).to_have_count(1)
    expect(page.locator("#edit-diff del")).to_have_count(1)
    drawn = drawn_lines(page, "#edit-diff")
    assert len(drawn) == CODE.count("\n")
    assert drawn[3][1] > drawn[1][1] == drawn[4][1]
    page.click("#submit")
    see_task(page, 2)
    assert Judgment.objects.get().response["edit"] == changed


def test_line_ends_of_another_system_are_no_change(page: Page, live_server: Any) -> None:
    at_work(page, live_server, rated(WINDOWS))
    see_task(page, 1)
    keeps_layout(page, "#text .read")
    choose(page, fluency=1, redundancy=0, overall=0)
    expect(page.locator("#edit-distance")).to_have_text("Nothing changed yet")
    choose(page, fluency=0)
    expect(page.locator("#no-edit")).to_contain_text("If an answer is below the best one")


@pytest.mark.parametrize("text", [CODE, WINDOWS], ids=["LF", "CRLF"])
def test_highlights_in_code_are_where_they_were_drawn(
    page: Page, live_server: Any, text: str
) -> None:
    at_work(page, live_server, marked_study(text))
    see_task(page, 1)
    keeps_layout(page, "#input .read > p")
    keeps_layout(page, "#text .read")
    page.check("input[name=helpful] >> nth=4")
    page.check("input[name=invented] >> nth=0")
    page.locator("#text").scroll_into_view_if_needed()
    drag(page, "total", "sum")
    expect(page.locator("#evidence-helpful q")).to_have_count(1)
    words = page.locator("#evidence-helpful q").text_content() or ""
    keeps_layout(page, "#text .read")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    ((start, end),) = Judgment.objects.get().response["evidence"]["helpful"]
    assert text[start:end] == words
    assert words.startswith("total")
    assert words.endswith("sum")


@pytest.mark.parametrize("text", [CODE, WINDOWS], ids=["LF", "CRLF"])
def test_a_paragraph_of_code_is_checked_with_its_indentation(
    page: Page, live_server: Any, text: str
) -> None:
    who = person(answered(text))
    desk = Desk(page, live_server.url, who)
    desk.open()
    for place in (".claim dd:not(.answer)", ".claim dd.answer", "#paragraph-1 .text"):
        keeps_layout(page, place)
    desk.plausible()
    desk.verdict(1, 1)
    desk.drag(1, "mean", "weights")
    keeps_layout(page, "#paragraph-1 .text")
    keeps_layout(page, "#paragraph-1 .sentence bdi")
    page.click("#paragraph-1 [data-act=confirm]")
    desk.verdict(2, 0)
    page.click("#submit")
    see_task(page, 2)
    ((start, end),) = Judgment.objects.get().response["verdicts"][0]["spans"]
    assert text[start:end] == "mean(values, weights"


@pytest.fixture
def visitor(page: Page, live_server: Any) -> Visitor:
    made = Visitor(page, live_server.url)
    logged_in(made)
    return made


def test_reviewers_read_code_as_it_was_judged(visitor: Visitor) -> None:
    made = rated(owner=User.objects.get())
    who = person(made)
    judge(who, overall=0, edit=CODE.replace("a comment", "a remark"))
    judge(who, overall=0, edit=CODE.replace("def mean", "def average"))
    review = reviewed.flagged(who)
    page = visitor.goto(
        reverse("annotate:review", args=[made.public_id, review.annotator.pseudonym])
    )
    keeps_layout(page, ".judged")
    for n in range(2):
        diff = page.locator(".diff p").nth(n)
        expect(diff.locator("ins")).to_have_count(1)
        assert len(drawn_lines(page, f".output:nth-of-type({n + 1}) .diff p")) == CODE.count("\n")


def test_reviewers_read_highlights_in_code_where_they_were_drawn(visitor: Visitor) -> None:
    made = marked_review(visitor)
    review = reviewed.flagged(person(made))
    page = visitor.goto(
        reverse("annotate:review", args=[made.public_id, review.annotator.pseudonym])
    )
    keeps_layout(page, ".output .diff p:has(mark)")
    shown = page.locator(".output .diff mark").first.text_content()
    assert shown == "weights is None:\n        weights"


def marked_review(visitor: Visitor) -> Campaign:
    owner = User.objects.get()
    definitions.define(marked(), owner_id=owner.pk)
    made = campaign(
        owner=owner,
        rows_=[Row("1", "alpha", CODE, input=CODE)],
        instrument="marked",
        targets={"helpful": 0.4},
        metrics=(),
        double_share=0,
    )
    start = CODE.index("weights is None")
    end = CODE.index("weights = [") + len("weights")
    span = {"start": start, "end": end, "text": CODE[start:end]}
    who = person(made)
    submitting.submit_judgment(
        leased(who).pk,
        participation_id=who.pk,
        raw={"helpful": -1, "invented": 0, "evidence": {"helpful": [span]}, "edit": None},
    )
    return made


def tutorial_of_code() -> dict[str, Any]:
    """A tutorial whose every text is code that begins with an indented line."""
    text = "    " + CODE.strip("\n")
    raw = json.loads(tutorials.tutorial_file("language_quality", "en"))
    plain: dict[str, Any] = {
        "key": "choice",
        "kind": "choice",
        "section": "Code",
        "prompt": "Read it.",
        "criterion": "fluency",
        "accepted": [1],
        "feedback": {"1": "Yes.", "0": "No.", "-1": "No."},
    }
    choice = plain | {"text": text}
    edit = {
        "key": "edit",
        "kind": "edit",
        "section": "Code",
        "prompt": "Mend it.",
        "text": text,
        "defects": [{"strings": ["values"], "feedback": "Still there."}],
        "meaning": [{"any_of": ["mean"], "feedback": "Gone."}],
        "distance": {"least": 1, "most": 90, "too_little": "Little.", "too_much": "Much."},
        "alternatives": [text.replace("values", "numbers")],
        "feedback": "Well done.",
    }
    paragraph = {
        "text": text,
        "verdict": 1,
        "evidence": ["total / sum(weights)"],
        "feedback": {"1": "Right.", "0": "No.", "-1": "No."},
        "highlight": {"none": "None.", "poor": "Poor.", "good": "Good."},
    }
    evidence = {
        "key": "evidence",
        "kind": "evidence",
        "section": "Code",
        "prompt": "What does it show?",
        "question": text,
        "answer": text,
        "paragraphs": [paragraph],
    }
    asked = {**plain, "key": "asked", "text": "", "question": text, "answer": text}
    example = {
        "key": "example",
        "kind": "example",
        "section": "Code",
        "prompt": "Read it.",
        "question": text,
        "answer": text,
        "steps": [{"title": "So:", "text": text, "quote": "total / sum(weights)"}],
    }
    raw.pop("asked")  # all of them, in this order
    return raw | {"questions": [choice, edit, evidence, asked, example]}


SHOWN = (
    [".read"],
    [".sheet .read"],
    [".pair dd >> nth=0", ".pair dd >> nth=1", ".marked"],
    [".asked .value >> nth=0", ".asked .value >> nth=1"],
    [".pair dd >> nth=0", ".pair dd >> nth=1", "blockquote"],
)


def test_a_tutorial_shows_code_with_its_indentation(visitor: Visitor) -> None:
    content = definitions.store_tutorial(
        tutorial_of_code(), reference="language_quality", owner_id=User.objects.get().pk
    )
    address = reverse("annotate:tutorial-stored-preview", args=["language_quality", content.pk])
    for number, places in enumerate(SHOWN, start=1):
        page = visitor.goto(f"{address}?question={number}")
        started(page)
        for place in places:
            keeps_layout(page, place, "    " + CODE)
            assert drawn_lines(page, place)[0][1] > drawn_lines(page, place)[-1][1] - 99
        if number == 2:
            assert page.input_value("#edit") == "    " + CODE.strip("\n")


def test_examples_of_an_instrument_are_shown_as_they_are(visitor: Visitor) -> None:
    definition = helpful(example={"text": "    " + CODE, "input": "\n    " + CODE})
    definition["instructions"][0]["examples"][0]["text"] = CODE
    made = definitions.define(definition, owner_id=User.objects.get().pk)
    page = visitor.goto(reverse("annotate:instrument-preview", args=["helpfulness", made.version]))
    expect(page.locator("[data-current]")).to_be_visible()
    for place in ("#text .read", "#input .read > p"):
        keeps_layout(page, place, "    " + CODE)
        assert drawn_lines(page, place)[0][1] > 2
    page.click("[data-opens=instructions]")
    expect(page.locator(".examples q")).to_be_visible()
    keeps_layout(page, ".examples q")


def test_the_preview_of_a_campaign_shows_outputs_as_they_will_be_judged(
    visitor: Visitor, tmp_path: Any
) -> None:
    page = visitor.goto(reverse("annotate:campaign-new"))
    file = tmp_path / "outputs.jsonl"
    short = CODE[:270]
    lines = [{"item": str(n), "system": "a", "output": short} for n in range(3)]
    file.write_text("\n".join(map(json.dumps, lines)))
    page.set_input_files("input[name=outputs]", file)
    page.get_by_label("Name", exact=True).fill("Code")
    page.get_by_role("button", name="Next: questions and metrics").click()
    expect(page.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    through(page)
    expect(page.get_by_role("heading", name="Preview: the campaign does not exist")).to_be_visible()
    keeps_layout(page, ".sample .text", short)


def test_annotators_recognise_their_own_tasks_by_their_layout(page: Page, live_server: Any) -> None:
    made = rated(owner=user())
    who = person(made)
    judge(who)
    reviewed.flagged(who)
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/me/")
    page.locator(".looked summary").click()
    first = drawn_lines(page, ".own-tasks td")
    assert first[1][1] > first[0][1]


# ---------------------------------------------------------------- prose, and narrow screens


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_text_makes_the_page_wider_than_the_screen(
    page: Page, live_server: Any, kind: str, width: int
) -> None:
    resize(page, width, 700)
    wide = KINDS[kind] + "\n" + "x" * 400 + "\t" * 60 + " " * 300 + "end"
    at_work(page, live_server, marked_study(wide))
    see_task(page, 1)
    page.check("input[name=helpful] >> nth=4")
    page.check("input[name=invented] >> nth=1")
    page.fill("#edit", wide[::-1])
    expect(page.locator("#edit-diff")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    at_work(page, live_server, answered(wide), "p2")
    expect(page.locator(".crit[data-current]")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_prose_is_set_as_before(page: Page, live_server: Any) -> None:
    """Without indentation nothing differs from white space that collapses."""
    text = "\n\n".join(row.output for row in rows())
    at_work(page, live_server, rated(text))
    see_task(page, 1)
    kept = drawn_lines(page, "#text .read")
    collapsed = page.locator("#text .read").evaluate("e => { e.style.whiteSpace = 'pre-line'; }")
    assert collapsed is None
    assert drawn_lines(page, "#text .read") == kept
