"""What annotators of a German study see: longer words in the same places."""

from decimal import Decimal

from playwright.sync_api import expect

from tests.annotate.passing import ask, pass_tutorial
from tests.browser.answers import Desk, participant
from tests.browser.states import Visitor, state
from tests.browser.states.texts import german_rows
from tests.browser.states.tutorial import answer
from tests.browser.states.work import at_work, choose, landing, study, task
from tests.factories import judge, person

QUESTION = "wer hat den uhrturm in brandel entworfen"
PARAGRAPHS = (
    "Das Café am Platz und der Uhrturm wurden 1913 von Ada Marsh entworfen.",
    "Markt ist montags.",
    "Andere sagen, ihr Bruder habe den Turm entworfen und sie zweiunddreißig weitere.",
)
NEWS = {"rows_": german_rows(), "name": "Kurznachrichten, Herbst", "language": "de", "metrics": ()}


def desk(visitor: Visitor) -> Desk:
    who = participant(PARAGRAPHS, question=QUESTION, language="de", contact="ada@example.org")
    made = Desk(visitor.page, visitor.base, who)
    made.open()
    return made


@state("german/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(study(**NEWS, tutorial=True, tutorial_bonus=Decimal("1.50"))))


@state("german/rating-missing")
def _rating(visitor: Visitor) -> None:
    page = task(visitor, **NEWS)
    choose(page, fluency=1, redundancy=2)
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("german/instructions")
def _instructions(visitor: Visitor) -> None:
    page = task(visitor, **NEWS)
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()


@state("german/keys")
def _keys(visitor: Visitor) -> None:
    page = desk(visitor).page
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


@state("german/answer-confirm")
def _confirm(visitor: Visitor) -> None:
    made = desk(visitor)
    made.plausible()
    made.verdict(1, 1)
    made.drag(1, "1913", "entworfen")
    made.saved()
    made.state(1, "confirm")
    made.page.click("#submit")
    expect(made.page.locator("#missing")).not_to_be_empty()


@state("german/tutorial-wrong")
def _tutorial(visitor: Visitor) -> None:
    who = person(study(**NEWS, tutorial=True))
    ask(who, ("redundancy-chef", 1), ("edit-choir", 0))
    page = visitor.goto(at_work(who))
    expect(page.locator("html[data-ready]")).to_be_attached()
    answer(page, 1)


@state("german/tutorial-evidence")
def _evidence(visitor: Visitor) -> None:
    who = participant(PARAGRAPHS, question=QUESTION, language="de", tutorial=True)
    pass_tutorial(who, but=1)
    page = visitor.goto(at_work(who))
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.click("#check")
    expect(page.locator("#missing")).not_to_be_empty()


@state("german/own")
def _own(visitor: Visitor) -> None:
    who = person(study(**NEWS))
    judge(who)
    visitor.goto(f"{at_work(who)}me/")


@state("german/example")
def _example(visitor: Visitor) -> None:
    page = visitor.goto(landing(study(**NEWS)))
    page.get_by_role("link", name="Beispielaufgabe").click()
    expect(page.locator("[data-current]")).to_be_visible()
