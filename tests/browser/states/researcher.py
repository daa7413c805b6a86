"""What researchers see: their campaigns, a new one, its numbers, its people."""

import json
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Campaign, PendingScore
from annotate.services import campaigns, feedback
from tests.browser.researchers import PASSWORD, history
from tests.browser.states import Visitor, state
from tests.browser.states.texts import rows
from tests.factories import campaign, judge, person, user


def logged_in(visitor: Visitor) -> User:
    owner = user()
    page = visitor.goto("/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    return owner


def study(owner: User, **changes: object) -> Campaign:
    return campaign(owner=owner, rows_=rows(), name="News in short, autumn", **changes)


def judged(owner: User, **changes: object) -> Campaign:
    """A campaign on its way: a few judgments and a history of estimates."""
    made = study(owner, **changes)
    for name in ("p1", "p2", "p3"):
        judge(person(made, name))
    history(made)
    return made


def dashboard(visitor: Visitor, made: Campaign) -> Page:
    return visitor.goto(reverse("estimation:dashboard", args=[made.public_id]))


def form(visitor: Visitor, **fields: str) -> Page:
    logged_in(visitor)
    page = visitor.goto(reverse("annotate:campaign-new"))
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    return page


def upload(page: Page, *lines: Mapping[str, str]) -> None:
    content = "\n".join(map(json.dumps, lines)).encode()
    page.get_by_label("Outputs (JSON lines)").set_input_files(
        {"name": "outputs.jsonl", "mimeType": "application/jsonl", "buffer": content}
    )
    page.get_by_role("button", name="Preview").click()


@state("researcher/login")
def _login(visitor: Visitor) -> None:
    visitor.goto("/login/")


@state("researcher/login-refused")
def _login_refused(visitor: Visitor) -> None:
    page = visitor.goto("/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").first).to_be_visible()


@state("researcher/campaigns-none")
def _none(visitor: Visitor) -> None:
    logged_in(visitor)


@state("researcher/campaigns")
def _campaigns(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    judged(owner)
    study(owner, is_open=False)
    visitor.goto("/")


@state("researcher/new")
def _new(visitor: Visitor) -> None:
    form(visitor)


@state("researcher/new-errors")
def _errors(visitor: Visitor) -> None:
    page = form(visitor, Name="News in short, autumn")
    upload(page, {"item": "a", "system": "s", "output": "x"}, {"item": "a", "sistem": "s"})
    expect(page.get_by_text("Line 2")).to_be_visible()


@state("researcher/new-preview")
def _preview(visitor: Visitor) -> None:
    page = form(visitor, Name="News in short, autumn")
    upload(page, *({"item": r.item, "system": r.system, "output": r.output} for r in rows()))
    expect(page.get_by_role("heading", name="Preview: nothing is stored yet")).to_be_visible()


@state("researcher/dashboard-draft")
def _draft(visitor: Visitor) -> None:
    dashboard(visitor, study(logged_in(visitor), is_open=False))


@state("researcher/dashboard-open-empty")
def _open_empty(visitor: Visitor) -> None:
    dashboard(visitor, study(logged_in(visitor)))


@state("researcher/dashboard-scores-awaited")
def _scores_awaited(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    for judgment in made.judgments.all()[:2]:
        PendingScore.objects.create(judgment=judgment, campaign=made, due_at=judgment.submitted_at)
    page = dashboard(visitor, made)
    expect(page.get_by_text("2 judgments wait for a score.")).to_be_visible()


@state("researcher/dashboard-open")
def _open(visitor: Visitor) -> None:
    dashboard(visitor, judged(logged_in(visitor)))


@state("researcher/dashboard-closing")
def _closing(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    campaigns.close(made.pk, Campaign.Reason.TARGET)
    dashboard(visitor, made)


@state("researcher/dashboard-closed")
def _closed(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    campaigns.close(made.pk, Campaign.Reason.TARGET)
    campaigns.finish(made.pk)
    dashboard(visitor, made)


@state("researcher/people-feedback")
def _people_feedback(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    first, second = made.participations.order_by("pk")[:2]
    feedback.give(first.pk, clarity=5, enjoyment=3, pay=2, comment="Good texts. The pay is low.")
    feedback.give(second.pk, clarity=4, comment="What about names?\nI was not sure.")
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("researcher/people")
def _people(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("researcher/confirm-close")
def _confirm(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    visitor.goto(reverse("annotate:act", args=[made.public_id, "close"]))


@state("researcher/not-found")
def _not_found(visitor: Visitor) -> None:
    visitor.goto("/campaigns/nowhere/people/")
