"""What reviewers see: the queue, one annotator with the evidence, the step before refusing pay."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Campaign, Review
from annotate.services import appeals, rulings
from tests import reviewed
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in

APPEAL = (
    "I read quickly, and I have done this kind of work for years. I corrected every text that had "
    "a mistake in it. Please look at my edits, and not only at the seconds."
)


def case(visitor: Visitor) -> Review:
    return reviewed.case(logged_in(visitor))


def show(visitor: Visitor, review: Review) -> Page:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    return visitor.goto(reverse("annotate:review", args=names))


@state("reviews/queue-none")
def _none(visitor: Visitor) -> None:
    logged_in(visitor)
    visitor.goto(reverse("annotate:reviews"))


@state("reviews/queue")
def _queue(visitor: Visitor) -> None:
    review = case(visitor)
    second = reviewed.flagged(
        reviewed.spammer(review.campaign, "second"), "short_edits", "no_variation"
    )
    appeals.make(second.campaign_id, second.annotator_id, text=APPEAL)
    visitor.goto(reverse("annotate:reviews"))


@state("reviews/case")
def _case(visitor: Visitor) -> None:
    review = case(visitor)
    appeals.make(review.campaign_id, review.annotator_id, text=APPEAL)
    page = show(visitor, review)
    page.get_by_text("Answer without changing the ruling").click()
    page.get_by_role("radio", name="Exclude the work").check()


@state("reviews/case-refused")
def _refused(visitor: Visitor) -> None:
    review = case(visitor)
    acts = rulings.Act.EXCLUDE, rulings.Act.REFUSE, rulings.Act.BLOCK
    actor = review.campaign.memberships.get().user_id
    rulings.rule(review.pk, acts, actor_id=actor, reason="Every answer took three seconds.")
    show(visitor, review)


@state("reviews/case-conflict")
def _conflict(visitor: Visitor) -> None:
    review = case(visitor)
    page = show(visitor, review)
    page.get_by_role("radio", name="Exclude the work").check()
    actor = review.campaign.memberships.get().user_id
    rulings.rule(review.pk, [rulings.Act.CLEAR], actor_id=actor, reason="")
    page.get_by_role("button", name="Exclude 6 judgments").click()
    expect(page.get_by_role("alert")).to_be_visible()


@state("reviews/refuse")
def _refuse(visitor: Visitor) -> None:
    page = show(visitor, case(visitor))
    page.get_by_role("radio", name="and refuse pay").check()
    page.get_by_role("button", name="and refuse pay").click()
    expect(page.get_by_role("heading", name="Refuse $2.40")).to_be_visible()


@state("reviews/refuse-short")
def _short(visitor: Visitor) -> None:
    """Prolific takes no shorter reason."""
    review = case(visitor)
    Campaign.objects.update(crowd="prolific")
    page = show(visitor, review)
    page.get_by_role("radio", name="and refuse pay").check()
    page.get_by_role("button", name="and refuse pay").click()
    page.get_by_label("Reason, for the annotator").evaluate("area => { area.value = 'Too fast.' }")
    page.get_by_role("button", name="Refuse $2.40").click()
    expect(page.get_by_text("this one has 9")).to_be_visible()


@state("reviews/everywhere")
def _everywhere(visitor: Visitor) -> None:
    review = case(visitor)
    page = visitor.goto(reverse("annotate:review-everywhere", args=[review.annotator.pseudonym]))
    page.get_by_role("radio", name="Exclude the work").check()
    page.get_by_label("Answer to the annotator").fill("Every answer took three seconds.")
    page.get_by_role("button", name="Rule in the ticked campaigns").click()
    expect(page.get_by_role("heading", name="What became of it")).to_be_visible()
