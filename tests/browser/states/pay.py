"""What is said of a review of one's own work, and how people are paid by hand."""

from dataclasses import replace
from decimal import Decimal

from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Campaign, Participation, Review
from annotate.pay import payouts
from annotate.review import appeals, reviews, rulings
from annotate.screening.base import Verdict
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in
from tests.browser.states.researcher import study as owned_study
from tests.browser.states.work import at_work, study
from tests.factories import judge, person, user

Act = rulings.Act
FAST = Verdict(
    "too_fast", 0, True, 0.08, 0.01, 0.2, 1.0, 4, True, {"seconds": 2.6, "others_seconds": 31.0}
)
UNIFORM = replace(FAST, screen="no_variation", numbers={"modal_share": 0.96, "longest_run": 11.0})


def flagged(*acts: Act, **changes: object) -> tuple[Participation, Review]:
    """Somebody whose work two screens have noticed, and perhaps a reviewer has ruled on."""
    owner = User.objects.filter(username="ada").first() or user()
    who = person(study(owner=owner, **changes))
    for _ in range(4):
        judge(who)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST, UNIFORM])
    review = Review.objects.get(annotator=who.annotator_id)
    if acts:
        reason = "Half of the tasks took less than three seconds, with the same answers in each."
        rulings.rule(review.pk, acts, actor_id=owner.pk, reason=reason)
    return who, review


def own_page(visitor: Visitor, who: Participation) -> Page:
    page = visitor.goto(at_work(who) + "me/")
    expect(page.locator("#looked-h")).to_be_visible()
    return page


@state("work/told-of-a-review")
def _told(visitor: Visitor) -> None:
    page = visitor.goto(at_work(flagged()[0]))
    expect(page.get_by_role("link", name="See what was noticed")).to_be_visible()


@state("work/me-under-review")
def _under_review(visitor: Visitor) -> None:
    page = own_page(visitor, flagged()[0])
    page.locator("summary").first.click()
    page.click("#appeal-send")
    expect(page.locator("#appeal-problem")).not_to_be_empty()


@state("work/me-appealed")
def _appealed(visitor: Visitor) -> None:
    page = own_page(visitor, flagged(Act.EXCLUDE)[0])
    page.fill("#appeal-text", "The texts were short, and I read the first of them twice.")
    page.click("#appeal-send")
    expect(page.locator("#appeal-received")).to_be_visible()


@state("work/me-refused")
def _refused(visitor: Visitor) -> None:
    who, review = flagged(Act.EXCLUDE, Act.REFUSE)
    appeals.make(who.campaign_id, who.annotator_id, text="I read fast: it is my profession.")
    answer = "We looked again, and the times of the long texts cannot be read in."
    appeals.dismiss(review.pk, actor_id=User.objects.get().pk, answer=answer)
    own_page(visitor, who)


@state("work/me-cleared")
def _cleared(visitor: Visitor) -> None:
    own_page(visitor, flagged(Act.CLEAR)[0])


@state("work/me-blocked")
def _blocked(visitor: Visitor) -> None:
    """The work counts again, and the block stays: it can be appealed against."""
    who, review = flagged(Act.EXCLUDE, Act.BLOCK)
    owner, last = User.objects.get(), review.rulings.order_by("-pk")[0].pk
    rulings.rule(review.pk, [Act.RESTORE], actor_id=owner.pk, reason="We looked again.", seen=last)
    own_page(visitor, who)


@state("work/me-excluded-and-blocked")
def _excluded_and_blocked(visitor: Visitor) -> None:
    own_page(visitor, flagged(Act.EXCLUDE, Act.BLOCK)[0])


@state("work/me-blocked-elsewhere")
def _blocked_elsewhere(visitor: Visitor) -> None:
    flagged(Act.EXCLUDE, Act.BLOCK)
    there = person(study(owner=User.objects.get()))
    page = visitor.goto(at_work(there) + "me/")
    expect(page.locator("#blocked-h")).to_be_visible()


@state("work/blocked")
def _blocked_at_work(visitor: Visitor) -> None:
    flagged(Act.EXCLUDE, Act.BLOCK)
    visitor.goto(at_work(person(study(owner=User.objects.get()))))


@state("work/me-answered-by-the-same")
def _answered_by_the_same(visitor: Visitor) -> None:
    who, review = flagged(Act.EXCLUDE)
    appeals.make(who.campaign_id, who.annotator_id, text="I read fast: it is my profession.")
    answer = "We looked again at the times of the long texts."
    appeals.dismiss(review.pk, actor_id=User.objects.get().pk, answer=answer)
    own_page(visitor, who)


def earned(visitor: Visitor, **changes: object) -> Campaign:
    """A campaign in which three people have earned something, one of them a bonus."""
    made = owned_study(logged_in(visitor), **changes)
    for number, name in enumerate(("Ann Lee", "bob@example.org", "p-03"), start=1):
        for _ in range(number):
            judge(person(made, name))
    return made


def give(made: Campaign, amount: str, *, key: str = "k") -> None:
    who = person(made, "Ann Lee").annotator.pseudonym
    gift = payouts.Gift(payouts.Kind.BONUS, who, Decimal(amount), "Careful remarks.", key)
    payouts.give(made.pk, gift, actor_id=User.objects.get().pk, beyond_budget=True)


@state("researcher/pay")
def _pay(visitor: Visitor) -> None:
    made = earned(visitor)
    ada = User.objects.get().pk
    first = payouts.prepare(made.pk, actor_id=ada)
    payouts.mark_paid(first.pk, actor_id=ada)
    name = person(made, "p-03").annotator.pseudonym
    payouts.undo(first.pk, [name], actor_id=ada, reason="The transfer bounced.")
    give(made, "1.25")
    payouts.prepare(made.pk, actor_id=ada)
    visitor.goto(reverse("annotate:pay", args=[made.public_id]))


@state("researcher/pay-nobody")
def _pay_nobody(visitor: Visitor) -> None:
    made = owned_study(logged_in(visitor))
    visitor.goto(reverse("annotate:pay", args=[made.public_id]))


@state("researcher/pay-beyond-budget")
def _beyond(visitor: Visitor) -> None:
    made = earned(visitor, budget=Decimal("3.00"))
    give(made, "1.00")
    page = visitor.goto(reverse("annotate:pay", args=[made.public_id]))
    page.get_by_role("link", name="Give extra pay").first.click()
    page.get_by_label("Amount, in $").fill("0.50")
    page.get_by_label("What for").fill("It broke twice.")
    page.get_by_role("button", name="Give").click()
    expect(page.get_by_label("Give it nevertheless")).to_be_visible()


@state("researcher/pay-wrong")
def _wrong(visitor: Visitor) -> None:
    page = visitor.goto(reverse("annotate:pay", args=[earned(visitor).public_id]))
    page.get_by_role("button", name="Give").click()
    expect(page.get_by_text("This is missing").first).to_be_visible()


def at_list(visitor: Visitor, made: Campaign) -> Page:
    page = visitor.goto(reverse("annotate:pay", args=[made.public_id]))
    page.get_by_role("button", name="Make a list").click()
    expect(page.get_by_role("heading", name="Pay-out list")).to_be_visible()
    return page


@state("researcher/payout-list")
def _list(visitor: Visitor) -> None:
    at_list(visitor, earned(visitor))


@state("researcher/payout-paid")
def _paid(visitor: Visitor) -> None:
    page = at_list(visitor, earned(visitor))
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.get_by_text("recorded as paid")).to_be_visible()
