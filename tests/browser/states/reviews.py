"""What reviewers see: the queue, one annotator with the evidence, the step before refusing pay."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.models import Campaign, Judgment, Membership, Review, Ruling, ScreenedAnnotator
from annotate.review import appeals, rulings
from annotate.work import submitting
from estimation import refresh
from tests import reviewed
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.factories import user

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


@state("reviews/items")
def _items(visitor: Visitor) -> None:
    visitor.goto(reverse("annotate:items", args=[case(visitor).campaign.public_id]))


@state("reviews/item")
def _item(visitor: Visitor) -> None:
    """An item with edits, and one judgment that is excluded."""
    review = case(visitor)
    owner = review.campaign.memberships.get().user_id
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    edited = Judgment.objects.filter(annotator=review.annotator_id).latest("pk")
    number = edited.output.item.position + 1
    visitor.goto(reverse("annotate:item", args=[review.campaign.public_id, number]))


@state("reviews/queue-pages")
def _pages(visitor: Visitor) -> None:
    reviewed.queue(case(visitor).campaign, 130)
    visitor.goto(reverse("annotate:reviews") + "?page=2&sort=new")


@state("reviews/queue-not-found")
def _not_found(visitor: Visitor) -> None:
    case(visitor)
    visitor.goto(reverse("annotate:reviews") + "?q=somebody+else&show=appeals")


@state("reviews/case-corrected")
def _corrected(visitor: Visitor) -> None:
    """Answers that this person and another one corrected, beside the later ones."""
    review = case(visitor)
    mine = Judgment.objects.filter(campaign=review.campaign_id, annotator=review.annotator_id)
    both = Judgment.objects.filter(output__in=mine.values("output"))
    for one in both:
        now = {"fluency": 0, "redundancy": 1, "overall": 0, "edit": reviewed.EDIT}
        submitting.supersede(one.pk, response=now)
    show(visitor, review)


@state("reviews/case-not-screened")
def _not_screened(visitor: Visitor) -> None:
    review = case(visitor)
    ScreenedAnnotator.objects.all().delete()
    show(visitor, review)


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
    page.get_by_label("Rule also where I have not opened the case").check()
    page.get_by_role("button", name="Rule in the ticked campaigns").click()
    expect(page.get_by_role("heading", name="What became of it")).to_be_visible()


def for_reviewer(visitor: Visitor) -> Review:
    """The case of a campaign of Bob's; whoever is logged in reviews its annotators."""
    review = reviewed.case(user("bob"), name="News in short, autumn")
    join(review, logged_in(visitor))
    return review


def join(review: Review, member: User) -> None:
    Membership.objects.create(campaign=review.campaign, user=member, role=Membership.Role.REVIEWER)


def rule(review: Review, actor: User, *acts: rulings.Act) -> None:
    last = review.rulings.order_by("-pk").first()
    reason = "Every answer took three seconds."
    rulings.rule(review.pk, acts, actor_id=actor.pk, reason=reason, seen=last.pk if last else 0)


def over(made: Campaign) -> None:
    refresh.refresh(made.pk)
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    refresh.refresh(made.pk)


@state("reviews/campaign-hidden")
def _hidden(visitor: Visitor) -> None:
    page = dashboard(visitor, for_reviewer(visitor).campaign)
    expect(page.locator("#hidden")).to_be_visible()


@state("reviews/campaign-hidden-list")
def _hidden_list(visitor: Visitor) -> None:
    for_reviewer(visitor)
    visitor.goto("/")


@state("reviews/campaign-hidden-file")
def _hidden_file(visitor: Visitor) -> None:
    made = for_reviewer(visitor).campaign
    visitor.goto(reverse("annotate:export", args=[made.public_id]))


@state("reviews/case-blind")
def _blind(visitor: Visitor) -> None:
    page = show(visitor, for_reviewer(visitor))
    page.get_by_role("radio", name="Exclude the work").check()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="What the exclusion does")).to_be_visible()


@state("reviews/case-left-to-others")
def _others(visitor: Visitor) -> None:
    review = for_reviewer(visitor)
    rule(review, User.objects.get(username="ada"), rulings.Act.EXCLUDE)
    appeals.make(review.campaign_id, review.annotator_id, text=APPEAL)
    expect(show(visitor, review).locator("#left-to-others")).to_be_visible()


@state("reviews/queue-left-to-others")
def _queue_others(visitor: Visitor) -> None:
    review = for_reviewer(visitor)
    rule(review, User.objects.get(username="ada"), rulings.Act.EXCLUDE)
    appeals.make(review.campaign_id, review.annotator_id, text=APPEAL)
    reviewed.flagged(reviewed.spammer(review.campaign, "second"), "short_edits")
    visitor.goto(reverse("annotate:reviews"))


@state("reviews/case-own-ruling")
def _own(visitor: Visitor) -> None:
    review = case(visitor)
    rule(review, User.objects.get(), rulings.Act.EXCLUDE, rulings.Act.BLOCK)
    appeals.make(review.campaign_id, review.annotator_id, text=APPEAL)
    page = show(visitor, review)
    expect(page.locator("#own-ruling")).to_be_visible()
    page.get_by_role("radio", name="and lift the block").check()


@state("reviews/case-own-answered")
def _own_answered(visitor: Visitor) -> None:
    review = case(visitor)
    rule(review, User.objects.get(), rulings.Act.EXCLUDE)
    appeals.make(review.campaign_id, review.annotator_id, text=APPEAL)
    answer = "We looked at all six tasks again."
    appeals.dismiss(review.pk, actor_id=User.objects.get().pk, answer=answer)
    show(visitor, review)


@state("reviews/case-effect")
def _effect(visitor: Visitor) -> None:
    """Final, while the campaign goes on."""
    review = for_reviewer(visitor)
    long_ago = timezone.now() - timedelta(days=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: long_ago)
        rule(review, User.objects.get(username="ada"), rulings.Act.EXCLUDE)
    Review.objects.update(opened_at=long_ago)
    expect(show(visitor, review).locator("#effect")).to_contain_text("move")


@state("reviews/case-effect-closed")
def _effect_closed(visitor: Visitor) -> None:
    review = case(visitor)
    rule(review, User.objects.get(), rulings.Act.EXCLUDE)
    over(review.campaign)
    page = show(visitor, review)
    expect(page.locator("#effect")).to_contain_text("move")


@state("reviews/effect-page")
def _effect_page(visitor: Visitor) -> None:
    review = case(visitor)
    rule(review, User.objects.get(), rulings.Act.EXCLUDE)
    over(review.campaign)
    names = [review.campaign.public_id, review.annotator.pseudonym]
    visitor.goto(reverse("estimation:effect", args=names))


@state("reviews/report")
def _report(visitor: Visitor) -> None:
    """Excluded, looked at, brought back, excluded again: all of it is counted."""
    review = case(visitor)
    ada = User.objects.get()
    refresh.refresh(review.campaign_id)
    for act in (rulings.Act.EXCLUDE, rulings.Act.RESTORE, rulings.Act.EXCLUDE):
        rule(review, ada, act)
        refresh.refresh(review.campaign_id)
        page = dashboard(visitor, review.campaign)
    expect(page.locator("#conduct")).to_be_visible()


@state("reviews/ruled")
def _ruled(visitor: Visitor) -> None:
    review = case(visitor)
    owner = review.campaign.memberships.get().user_id
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    visitor.goto(reverse("annotate:reviews") + "?show=ruled")
