"""What people see who come from a marketplace, in the frame that it shows."""

from dataclasses import replace
from unittest.mock import patch

from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.crowds.contract import Transient
from annotate.crowds.mturk.marketplace import MTurk
from annotate.models import Campaign, Participation, Posting
from annotate.work import participations
from annotate.work.participations import move
from tests.annotate.market import arrive, entry, posting
from tests.annotate.passing import pass_tutorial
from tests.browser.states import Visitor, state
from tests.browser.states.german import NEWS
from tests.browser.states.texts import rows
from tests.browser.states.work import CONSENT, at_work
from tests.browser.states.work import study as by_link
from tests.factories import judge, leased
from tests.reviewed import flagged

Status = Participation.Status


def there(*, tasks: int = 5, **changes: object) -> Posting:
    usual = {"crowd": "mturk", "double_share": 0.0}
    return posting(by_link(**(usual | changes)), tasks=tasks)


def handed_in(visitor: Visitor, who: Participation) -> Page:
    """Come again to what was handed in before: nothing is sent by itself then."""
    participations.hand_in(who.pk)
    page = visitor.goto(at_work(who))
    expect(page.get_by_role("button", name="Hand in your work")).to_be_visible()
    return page


@state("market/preview")
def _preview(visitor: Visitor) -> None:
    page = visitor.goto(entry(there(tutorial=True)))
    expect(page.locator("[data-current]")).to_be_visible()
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("market/preview-consent")
def _preview_consent(visitor: Visitor) -> None:
    """Both texts stand where people decide whether to accept the work."""
    asked = replace(CONSENT, background="Do you read news? | yes | no")
    page = visitor.goto(entry(there(texts=asked)))
    page.get_by_text("you are asked to accept this text").click()
    expect(page.get_by_text("You may stop at any time")).to_be_visible()
    expect(page.get_by_text("a few questions about yourself")).to_be_visible()


@state("market/tutorial")
def _tutorial(visitor: Visitor) -> None:
    page = visitor.goto(entry(there(tutorial=True), "U1"))
    expect(page.locator("html[data-ready]")).to_be_attached()


@state("market/first-task")
def _first(visitor: Visitor) -> None:
    page = visitor.goto(entry(there(), "U1"))
    expect(page.locator("[data-current]")).to_be_visible()
    page.locator(".first-time summary").click()


@state("market/third-task")
def _third(visitor: Visitor) -> None:
    to = there(tutorial=True)
    who = arrive(to)
    pass_tutorial(who)
    judge(who)
    judge(who)
    page = visitor.goto(entry(to, "U1"))
    expect(page.locator("[data-current]")).to_be_visible()


@state("market/instructions")
def _instructions(visitor: Visitor) -> None:
    _third(visitor)
    visitor.page.click("[data-opens=instructions]")
    expect(visitor.page.locator("#instructions")).to_be_visible()


@state("market/hand-in")
def _hand_in(visitor: Visitor) -> None:
    who = arrive(there(tasks=2))
    judge(who)
    judge(who)
    handed_in(visitor, who)


@state("market/before-hand-in")
def _before_hand_in(visitor: Visitor) -> None:
    who = arrive(there(tasks=2))
    judge(who)
    judge(who)
    page = visitor.goto(at_work(who))
    expect(page.locator("#hand-in-now")).to_be_focused()


@state("market/correcting-the-last")
def _correcting(visitor: Visitor) -> None:
    who = arrive(there(tasks=2))
    judge(who)
    judge(who)
    page = visitor.goto(at_work(who))
    page.click("#correct")
    expect(page.locator("#correcting")).to_contain_text("in 5 minutes at the latest")


@state("market/hand-in-early")
def _early(visitor: Visitor) -> None:
    to = there(tasks=5)
    who = arrive(to)
    judge(who)
    judge(who)
    life.close(to.batch.campaign_id, Campaign.Reason.TARGET)
    life.finish(to.batch.campaign_id)
    handed_in(visitor, who)


@state("market/arrived")
def _arrived(visitor: Visitor) -> None:
    who = arrive(there(tasks=1))
    judge(who)
    participations.hand_in(who.pk)
    move(who.pk, Status.CONFIRMED, sources=[Status.HANDED_IN])
    visitor.goto(at_work(who))


@state("market/left")
def _left(visitor: Visitor) -> None:
    who = arrive(there(tasks=1))
    judge(who)
    move(who.pk, Status.LEFT, sources=[Status.ACTIVE])
    visitor.goto(at_work(who))


@state("market/nothing-free")
def _nothing(visitor: Visitor) -> None:
    to = there(tasks=5, rows_=rows()[:1])
    leased(arrive(to))
    page = visitor.goto(entry(to, "U2", "AW2"))
    expect(page.locator("#retry")).to_be_visible()


@state("market/refused")
def _refused(visitor: Visitor) -> None:
    to = there()
    Posting.objects.filter(pk=to.pk).update(status=Posting.Status.CLOSED)
    visitor.goto(entry(to, "U1"))


@state("market/wait")
def _wait(visitor: Visitor) -> None:
    to = there()
    with patch.object(MTurk, "verify_claim", side_effect=Transient("no answer")):
        visitor.goto(entry(to, "U1"))


@state("market/me")
def _me(visitor: Visitor) -> None:
    to = there(tasks=2, tutorial=True)
    one, two = arrive(to), arrive(to, unit="U2")
    pass_tutorial(one)
    judge(one)
    judge(one)
    judge(two)
    participations.hand_in(one.pk)
    move(one.pk, Status.CONFIRMED, sources=[Status.HANDED_IN])
    visitor.goto(at_work(two) + "me/")


def _flagged(to: Posting) -> Participation:
    """Somebody whose confirmed unit a screen has noticed, and a unit claimed under their name."""
    sure = arrive(to, verified=True)
    judge(sure)
    flagged(sure)
    return arrive(to, unit="U2")


@state("market/unsure")
def _unsure(visitor: Visitor) -> None:
    visitor.goto(at_work(_flagged(there(tasks=2))))


@state("market/unsure-me")
def _unsure_me(visitor: Visitor) -> None:
    visitor.goto(at_work(_flagged(there(tasks=2))) + "me/")


@state("market/unsure-me-german")
def _unsure_german(visitor: Visitor) -> None:
    visitor.goto(at_work(_flagged(there(tasks=2, **NEWS))) + "me/")


@state("market/hand-in-german")
def _german(visitor: Visitor) -> None:
    to = there(tasks=3, **NEWS)
    who = arrive(to)
    judge(who)
    life.close(to.batch.campaign_id, Campaign.Reason.TARGET)
    life.finish(to.batch.campaign_id)
    participations.hand_in(who.pk)
    page = visitor.goto(at_work(who))
    expect(page.get_by_role("button", name="Arbeit abgeben")).to_be_visible()


@state("market/before-hand-in-german")
def _before_german(visitor: Visitor) -> None:
    who = arrive(there(tasks=1, **NEWS))
    judge(who)
    page = visitor.goto(at_work(who))
    expect(page.locator("#hand-in-now")).to_have_text("Jetzt abgeben")


@state("market/preview-german")
def _preview_german(visitor: Visitor) -> None:
    page = visitor.goto(entry(there(tutorial=True, **NEWS)))
    expect(page.locator("[data-current]")).to_be_visible()


@state("market/tutorial-german")
def _tutorial_german(visitor: Visitor) -> None:
    page = visitor.goto(entry(there(tutorial=True, **NEWS), "U1"))
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator(".first-time summary").click()
