"""What annotators see around and at their work."""

from unittest.mock import patch

from django.db import OperationalError
from django.test import override_settings
from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Campaign, Participation
from annotate.studies.queries import StudyTexts
from annotate.work import participations
from annotate.work import task as work_task
from tests.browser.states import Visitor, state
from tests.browser.states.texts import rows
from tests.factories import campaign, judge, person


def study(**changes: object) -> Campaign:
    usual = {"rows_": rows(), "name": "News in short, autumn", "contact": "ada@example.org"}
    return campaign(**(usual | changes))


def at_work(who: Participation) -> str:
    return f"/work/p/{tokens.participation_token(who.pk)}/"


def landing(made: Campaign, person: str = "") -> str:
    return f"/work/join/{tokens.invitation_token(made.pk, person)}/"


def choose(page: Page, **indices: int) -> None:
    for name, index in indices.items():
        page.locator(f"input[name={name}]").nth(index).check()


def task(visitor: Visitor, **changes: object) -> Page:
    """Open a task whose script has started."""
    page = visitor.goto(at_work(person(study(**changes))))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("work/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(study()))


CONSENT = StudyTexts(
    "The university of Norholm studies how well programs write. You read short texts and say how "
    "good they are.\n\nYou may stop at any time, and what you have done is paid. We store your "
    "answers and how long they took, under a random code, for ten years.\n\nQuestions: write to "
    "the address below.",
    "Ethics board of the university of Norholm, 2026/17",
    "Judge each text as the editor of a newspaper would.",
)


@state("work/join-with-instructions")
def _join_told(visitor: Visitor) -> None:
    visitor.goto(landing(study(texts=CONSENT)))


@state("work/consent")
def _consent(visitor: Visitor) -> None:
    visitor.goto(at_work(person(study(texts=CONSENT))))


@state("work/consent-missing")
def _consent_missing(visitor: Visitor) -> None:
    page = visitor.goto(at_work(person(study(texts=CONSENT))))
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("Tick the box")


ABOUT_YOU = StudyTexts(
    background="How often do you read news? | every day | a few times a week | less often\n"
    "Is English your first language? | yes | no\n"
    "How old are you? | under 25 | 25 to 39 | 40 to 59 | 60 or more"
)


@state("work/background")
def _background(visitor: Visitor) -> None:
    visitor.goto(at_work(person(study(texts=ABOUT_YOU))))


@state("work/background-missing")
def _background_missing(visitor: Visitor) -> None:
    page = visitor.goto(at_work(person(study(texts=ABOUT_YOU))))
    page.get_by_label("every day").check()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_have_count(2)
    expect(page.get_by_label("yes")).to_be_focused()


@state("work/instructions-of-the-researcher")
def _told_beside(visitor: Visitor) -> None:
    page = visitor.goto(at_work(person(study(texts=CONSENT))))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("[data-current]")).to_be_visible()
    page.click("[data-opens=instructions]")
    expect(page.get_by_text("Judge each text as the editor")).to_be_visible()


@state("work/join-by-name")
def _named(visitor: Visitor) -> None:
    visitor.goto(landing(study(), "p-07"))


@state("work/join-name-taken")
def _taken(visitor: Visitor) -> None:
    made = study()
    participations.enter_by_name(made.pk, name="Maria")
    page = visitor.goto(landing(made))
    page.fill("input[name=name]", "Maria")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_be_visible()


@state("work/join-too-many")
def _too_many(visitor: Visitor) -> None:
    visitor.staying.enter_context(override_settings(JOINS_PER_ADDRESS=1))
    made = study()
    participations.enter_by_name(made.pk, name="Anna", address="127.0.0.1")
    page = visitor.goto(landing(made))
    page.fill("input[name=name]", "Maria")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("from your network")


@state("work/broken")
def _broken(visitor: Visitor) -> None:
    path = at_work(person(study()))
    failing = patch.object(work_task, "visit", side_effect=OperationalError("connection refused"))
    visitor.staying.enter_context(failing)
    visitor.goto(path)


@state("work/link-refused")
def _forged(visitor: Visitor) -> None:
    visitor.goto("/work/join/not-a-token/")


@state("work/example")
def _example(visitor: Visitor) -> None:
    page = visitor.goto(f"/work/preview/{tokens.invitation_token(study().pk)}/")
    expect(page.locator("[data-current]")).to_be_visible()
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("work/me-before")
def _me_before(visitor: Visitor) -> None:
    visitor.goto(at_work(person(study())) + "me/")


@state("work/me")
def _me(visitor: Visitor) -> None:
    who = person(study())
    for _ in range(3):
        judge(who)
    page = visitor.goto(at_work(who) + "me/")
    page.click("#feedback-send")
    expect(page.locator("#feedback-problem")).not_to_be_empty()


@state("work/me-told")
def _told(visitor: Visitor) -> None:
    who = person(study())
    judge(who)
    page = visitor.goto(at_work(who) + "me/")
    page.get_by_label("Very clear").check()
    page.click("#feedback-send")
    expect(page.locator("#feedback-thanks")).to_be_visible()


@state("work/rating")
def _rating(visitor: Visitor) -> None:
    task(visitor)


@state("work/rating-edit")
def _edit(visitor: Visitor) -> None:
    page = task(visitor)
    choose(page, fluency=1, redundancy=2, overall=1)
    words = page.input_value("#edit").split(" ")
    page.fill("#edit", " ".join([*words[:3], "again", *words[5:-2], "soon."]))
    expect(page.locator("#edit-diff del").first).to_be_visible()
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")


@state("work/rating-missing")
def _missing(visitor: Visitor) -> None:
    page = task(visitor)
    choose(page, redundancy=2)
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("work/rating-offline")
def _offline(visitor: Visitor) -> None:
    page = task(visitor)
    choose(page, fluency=0, redundancy=0, overall=0)
    page.context.set_offline(True)
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("work/instructions")
def _instructions(visitor: Visitor) -> None:
    page = task(visitor)
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()


@state("work/keys")
def _keys(visitor: Visitor) -> None:
    page = task(visitor)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


@state("work/give-back")
def _give_back(visitor: Visitor) -> None:
    page = task(visitor)
    page.click("[data-opens=give-back]")
    expect(page.locator("#give-back")).to_be_visible()


@state("work/waiting")
def _waiting(visitor: Visitor) -> None:
    made = study(rows_=rows()[:1], double_share=0.0)
    who = person(made, "p2")
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("[data-current]")).to_be_visible()
    page = visitor.goto(at_work(who))
    expect(page.locator("#finished")).to_be_visible()


@state("work/finished")
def _finished(visitor: Visitor) -> None:
    made = study()
    who = person(made)
    for _ in range(3):
        judge(who)
    life.close(made.pk, Campaign.Reason.TARGET)
    life.finish(made.pk)
    page = visitor.goto(at_work(who))
    expect(page.locator("#finished")).to_be_visible()


@state("work/correcting")
def _correcting(visitor: Visitor) -> None:
    who = person(study())
    judge(who, fluency=0, edit="The council met on Monday, as somebody tells it.")
    page = visitor.goto(at_work(who) + "correct/")
    expect(page.locator("[data-current]")).to_be_visible()
    expect(page.locator("#correcting")).to_be_visible()


@state("work/not-correctable")
def _not_correctable(visitor: Visitor) -> None:
    who = person(study())
    judge(who)
    life.pause(who.campaign_id)
    visitor.goto(at_work(who) + "correct/")


@state("work/correct-the-last")
def _correct_the_last(visitor: Visitor) -> None:
    who = person(study())
    judge(who)
    page = visitor.goto(at_work(who))
    expect(page.locator("#correct")).to_be_visible()
