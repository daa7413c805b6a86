"""What a tutorial shows to somebody who gives its own ideal answers: no word against them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.instruments import registry
from annotate.instruments.tutorials import Choice, Edit, Evidence, Question, Tutorial
from annotate.models import Campaign
from annotate.studies import definitions, tutorials
from tests.annotate.passing import ask
from tests.browser.annotators.test_text_layout import at_work
from tests.browser.annotators.test_tutorial import highlight, started
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BUILT_IN = [
    (key, language)
    for key in ("language_quality", "answer_correctness")
    for language in tutorials.languages(key)
]
# Everything that a screen reader is told, from the start of the page on.
LISTEN = """() => {
  window.said = [];
  addEventListener("DOMContentLoaded", () => {
    const look = (list) => list.forEach(({ target }) => {
      const element = target.closest ? target : target.parentElement;
      const live = element.closest("[role=status], [role=alert]");
      if (live?.textContent.trim()) window.said.push(live.textContent.trim());
    });
    const all = { childList: true, characterData: true, subtree: true };
    new MutationObserver(look).observe(document.body, all);
  });
}"""
# What blames in the language of the page, whatever the question.
BLAME = (
    "Very little",
    "Sehr wenig",
    "Not yet",
    "Noch nicht",
    "Still missing",
    "Es fehlt noch",
    "Almost",
    "Fast",
)


@dataclass(frozen=True)
class Ideal:
    """One of the answers to a question that its tutorial calls right."""

    question: Question
    answer: Any

    @property
    def sentences(self) -> tuple[set[str], set[str]]:
        """Return (what may be said to it, what may not)."""
        one = self.question
        if isinstance(one, Choice):
            fine = {one.feedback[str(self.answer)]}
            return fine, set(one.feedback.values()) - fine
        if isinstance(one, Edit):
            wrong = {part.feedback for part in (*one.defects, *one.slips, *one.meaning)}
            return {one.feedback}, wrong
        assert isinstance(one, Evidence)
        fine, wrong = set(), set()
        for paragraph in one.paragraphs:
            fine.add(paragraph.feedback[str(paragraph.verdict)])
            wrong |= set(paragraph.feedback.values()) - fine
            if paragraph.highlight:
                fine.add(paragraph.highlight.good)
                wrong |= {paragraph.highlight.none, paragraph.highlight.poor}
        return fine, wrong


def ideal(question: Question) -> Iterator[Ideal]:
    if isinstance(question, Choice):
        yield from (Ideal(question, value) for value in question.accepted)
    elif isinstance(question, Edit):
        yield from (Ideal(question, text) for text in question.alternatives)
    elif isinstance(question, Evidence):
        yield Ideal(question, None)


def give(page: Page, one: Ideal) -> None:
    if isinstance(one.question, Choice):
        page.check(f'input[name=choice][value="{one.answer}"]')
    elif isinstance(one.question, Edit):
        page.fill("#edit", one.answer)
        expect(page.locator("#edit-diff :is(ins, del)").first).to_be_visible()
    else:
        assert isinstance(one.question, Evidence)
        for number, paragraph in enumerate(one.question.paragraphs, start=1):
            page.check(f'input[name=paragraph-{number}][value="{paragraph.verdict}"]')
            for quote in paragraph.evidence:
                page.locator(f"#paragraph-{number}").scroll_into_view_if_needed()
                highlight(page, number, quote)


def words(page: Page) -> str:
    """All that is seen and all that has been read out, but the text that is asked about."""
    seen = page.locator("body").inner_text()
    return "\n".join([seen, *page.evaluate("window.said")])


def without_content(page: Page, question: Question) -> str:
    """The words of the page around its question: neither its prompt nor its text."""
    found = words(page)
    for text in (*told_by(page), question.prompt, question.section):
        found = found.replace(text, "")
    return found


def told_by(page: Page) -> list[str]:
    return page.locator(".lead, .opening, #text, .sheet").all_inner_texts()


def study(key: str, language: str) -> tuple[Campaign, Tutorial]:
    changes: dict[str, Any] = {}
    if key == "answer_correctness":
        rows = [Row("1", "a", "x", input="y", paragraphs=("z",))]
        changes = {"rows_": rows, "metrics": (), "targets": {"any_correct": 0.2}, "instrument": key}
    made = campaign(tutorial=True, language=language, **changes)
    tutorial = registry.get(key).tutorial(language)
    assert tutorial is not None
    return made, tutorial


@pytest.mark.parametrize(("key", "language"), BUILT_IN)
def test_no_word_is_said_against_an_ideal_answer(
    page: Page, live_server: Any, key: str, language: str
) -> None:
    made, tutorial = study(key, language)
    page.add_init_script(f"({LISTEN})()")
    asked = 0
    for place, family in enumerate(tutorial.questions):
        question = family.question(place)
        for number, one in enumerate(ideal(question)):
            name = f"{place}-{number}"
            ask(person(made, name), (family.key, place))
            at_work(page, live_server, made, name)
            started(page)
            expect(page.locator("#prompt")).to_have_text(question.prompt)
            assert page.locator(".warn:visible").count() == 0, one
            give(page, one)
            page.wait_for_timeout(200)  # what follows typing has been said
            fine, wrong = one.sentences
            blame = wrong | set(BLAME)
            assert [said for said in blame if said in words(page)] == [], one
            assert page.locator(".warn:visible").count() == 0, one
            page.click("#check")
            expect(page.locator("#next")).to_be_focused()
            shown = words(page)
            assert [said for said in fine if said not in shown] == [], one
            assert [said for said in blame if said in shown] == [], one
            assert page.locator(".warn:visible").count() == 0, one
            asked += 1
    graded = [family for family in tutorial.questions if family.is_graded]
    assert asked >= len(graded)


PARTS = {  # a word that names a part of the page: what must be on it, then
    "en": {
        "question": ".level",
        "answers": ".level",
        "paragraph": ".paragraph",
        "level": ".level",
        "highlight": ".marked",
        "text box": "#edit",
        "notes": ".said:visible",
    },
    "de": {
        "Frage": ".level",
        "Antworten": ".level",
        "Absatz": ".paragraph",
        "Absätze": ".paragraph",
        "Stufe": ".level",
        "Markier": ".marked",
        "Textfeld": "#edit",
    },
}


@pytest.mark.parametrize(("key", "language"), BUILT_IN)
def test_a_tutorial_speaks_only_of_what_its_page_shows(
    page: Page, live_server: Any, key: str, language: str
) -> None:
    made, tutorial = study(key, language)
    page.add_init_script(f"({LISTEN})()")
    for place, family in enumerate(tutorial.questions):
        question = family.question(place)
        ask(person(made, str(place)), (family.key, place))
        at_work(page, live_server, made, str(place))
        started(page)
        if question.kind == "example":
            continue
        page.click("#check")  # with nothing answered: it says what is missing
        expect(page.locator("#missing")).not_to_be_empty()
        found = without_content(page, question)
        for word, selector in PARTS[language].items():
            if word in found:
                assert page.locator(selector).count(), (question.key, word, found)


def test_a_question_of_many_levels_shows_the_keys_that_answer_it(
    page: Page, live_server: Any
) -> None:
    raw = json.loads(tutorials.tutorial_file("language_quality", "en"))
    levels = [{"value": n, "label": f"Level {n}"} for n in range(11)]
    first = {
        "key": "levels",
        "kind": "choice",
        "section": "Levels",
        "prompt": "Read it.",
        "text": "A text.",
        "options": levels,
        "ask": "How good?",
        "accepted": [3],
        "feedback": {str(n): f"Said to {n}." for n in range(11)},
    }
    raw.pop("asked")
    raw["questions"] = [first]
    content = definitions.store_tutorial(raw, reference="language_quality", owner_id=user().pk)
    at_work(page, live_server, campaign(tutorial=True, tutorial_id=content.pk))
    started(page)
    expect(page.locator("#keys-line kbd")).to_have_text([*"123456789", "Ctrl", "Enter"])
    expect(page.locator(".level kbd")).to_have_text([*"123456789"])
    page.keyboard.press("9")
    expect(page.locator("input[name=choice]").nth(8)).to_be_checked()
