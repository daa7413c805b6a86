"""Texts for annotators that were changed later: their page, and what annotators see of it."""

from django.urls import reverse
from playwright.sync_api import expect

from annotate.campaigns import amendments
from annotate.common import tokens
from annotate.models import Campaign, Participation
from annotate.studies.queries import StudyTexts
from annotate.work import participations
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in, study
from tests.factories import judge, person, user

TEXTS = StudyTexts("You may stop.\n\nWe keep no names.", "ERB 2026/17", "Judge as an editor.")
NEW = {
    "consent": "You may stop at any time, and are paid for what you did.\n\nWe keep no names.",
    "instructions": "Judge as a reader who knows nothing about the matter.",
}


def amended(*people: Participation, of: Campaign, **given: str) -> None:
    """Change the texts of a campaign in which these people have accepted and judged."""
    for who in people:
        participations.consent(who.pk, version=1)
        judge(who)
    amendments.change_texts(of.pk, given, actor_id=None, reason="The ethics board asked for it.")


@state("researcher/texts-amended")
def _texts(visitor: Visitor) -> None:
    made = study(logged_in(visitor), texts=TEXTS)
    amended(person(made), of=made, **NEW)
    page = visitor.goto(reverse("annotate:texts", args=[made.public_id]))
    page.get_by_label("Title for annotators").fill("News")
    page.get_by_role("button", name="Amend").click()
    expect(page.get_by_text("Say why, in at most")).to_be_visible()
    page.locator("summary", has_text="Consent text").click()


@state("researcher/report-amended")
def _report(visitor: Visitor) -> None:
    made = study(logged_in(visitor), texts=TEXTS)
    amended(person(made), of=made, **NEW)
    visitor.goto(reverse("estimation:report", args=[made.public_id]))


def at_work(visitor: Visitor, **given: str) -> None:
    made = study(user(), texts=TEXTS, tutorial=False)
    amended(who := person(made), of=made, **given)
    visitor.goto(reverse("annotate:work", args=[tokens.participation_token(who.pk)]))


@state("work/consent-amended")
def _consent(visitor: Visitor) -> None:
    at_work(visitor, **NEW)


@state("work/instructions-amended")
def _instructions(visitor: Visitor) -> None:
    at_work(visitor, instructions=NEW["instructions"])
    visitor.page.get_by_text("Read the new instructions").click()
