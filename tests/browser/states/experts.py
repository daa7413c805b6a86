"""Named experts: their plan, their links, a release, their results, and who is turned away."""

from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Campaign
from tests.annotate.panels import NAMES, come, give, panel, release
from tests.annotate.work.pages.working import invitation, work_url
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import asked, dashboard, logged_in, step
from tests.estimation.reviewed import exclude, settle


def _judging(visitor: Visitor) -> Campaign:
    """Three experts who have come, of whom one is behind; the third took the place of another."""
    made = panel(owner=logged_in(visitor), items=40, systems=("alpha", "beta"))
    release(made, "Bob Ray", "Dora Mai")
    ann, cem, dora = come(made, ("Ann Lee", "Cem Ünal", "Dora Mai"))
    for who, n, level in ((ann, 40, 1), (cem, 32, 0), (dora, 26, 0)):
        give(who, n, overall=level, edit="The council met on Monday, it is said.")
    return settle(made)


@state("experts/plan-refused")
def _plan(visitor: Visitor) -> None:
    page = asked(visitor)
    step(page, "Next: plan")
    page.get_by_label("Names of experts").fill("Ann Lee\nann lee")
    page.locator("#id_annotator_cap").fill("40")
    step(page, "Next: people and money")
    expect(page.get_by_text("are the same name").first).to_be_visible()


@state("experts/people")
def _people(visitor: Visitor) -> None:
    made = _judging(visitor)
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("experts/release-refused")
def _release(visitor: Visitor) -> None:
    made = panel(owner=logged_in(visitor))
    page = visitor.goto(reverse("annotate:people", args=[made.public_id]))
    page.get_by_text("Release Ann Lee").first.click()
    page.get_by_label("New expert").first.fill("bob ray")
    page.get_by_label("Why").first.fill("She is ill.")
    page.get_by_role("button", name="Release Ann Lee").click()
    expect(page.get_by_text("are the same name").first).to_be_visible()


@state("experts/dashboard")
def _dashboard(visitor: Visitor) -> None:
    dashboard(visitor, _judging(visitor))


@state("experts/report")
def _report(visitor: Visitor) -> None:
    made = _judging(visitor)
    visitor.goto(reverse("estimation:report", args=[made.public_id]))


@state("experts/turned-away")
def _turned_away(visitor: Visitor) -> None:
    visitor.goto(invitation(panel(names=NAMES)))


@state("experts/released")
def _released(visitor: Visitor) -> None:
    made = panel(names=NAMES)
    ann, *_others = come(made)
    give(ann)
    release(made, "Ann Lee")
    visitor.goto(work_url(ann))


@state("experts/excluded")
def _excluded(visitor: Visitor) -> None:
    made = _judging(visitor)
    exclude(made.participations.get(annotator__external_id=NAMES[0]), made.memberships.get().user)
    visitor.goto(reverse("annotate:people", args=[made.public_id]))
    expect(visitor.page.get_by_text("A ruling has excluded their work")).to_be_visible()
