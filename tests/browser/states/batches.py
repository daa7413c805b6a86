"""Batches on a crowd: before the first, at the launch, on their way, and what needs a person."""

from datetime import timedelta
from decimal import Decimal
from unittest import mock

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.crowds import adapters, batches, outbox, reconciling
from annotate.crowds.contract import Effect, Outcome, Terms
from annotate.crowds.reconciling import TOO_LITTLE
from annotate.models import Batch, Campaign, Operation, Participation, Posting
from tests.browser.researchers import draft
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in, study
from tests.crowds import operations
from tests.crowds.batches.launching import came
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.factories import campaign

TERMS = Terms(
    "Language quality: 5 tasks about short texts",
    "You read 5 short texts and answer a few questions about each.",
    tasks=5,
    minutes=10,
)


def crowd(visitor: Visitor, environment: str = "sandbox") -> Scripted:
    """A crowd in reach of the server for as long as the state is looked at."""
    made = Scripted(auto_approval=True)
    made.environment, made.label = environment, "Amazon Mechanical Turk"
    patches = (
        mock.patch.object(adapters, "marketplace", return_value=made),
        mock.patch.object(outbox, "permit", return_value=True),
    )
    for patch in patches:
        visitor.staying.enter_context(patch)
    return made


def on_mturk(visitor: Visitor, **changes: object) -> Campaign:
    changes = {"crowd": "mturk", "budget": Decimal(300), "annotator_cap": 25, **changes}
    return campaign(owner=logged_in(visitor), name="News in short, autumn", items=60, **changes)


def launch(made: Campaign, places: int = 20) -> Batch:
    total = batches.offer(made.pk, TERMS, places=places).total
    owner = made.memberships.get().user_id
    batch = batches.launch(
        made.pk, TERMS, places=places, actor_id=owner, confirmed=total, key=f"{made.pk}-{places}"
    )
    outbox.carry_out_due()
    return batch


def look(visitor: Visitor, made: Campaign) -> Page:
    return visitor.goto(reverse("annotate:batches", args=[made.public_id]))


def form(visitor: Visitor, made: Campaign) -> Page:
    return visitor.goto(reverse("annotate:batch-new", args=[made.public_id]))


@state("batches/link")
def _link(visitor: Visitor) -> None:
    look(visitor, study(logged_in(visitor)))


@state("batches/none")
def _none(visitor: Visitor) -> None:
    crowd(visitor)
    look(visitor, on_mturk(visitor))


@state("batches/draft")
def _draft(visitor: Visitor) -> None:
    crowd(visitor, "localhost:8123")
    look(visitor, on_mturk(visitor, is_open=False))


@state("batches/new")
def _new(visitor: Visitor) -> None:
    crowd(visitor)
    form(visitor, on_mturk(visitor))


@state("batches/new-wrong")
def _wrong(visitor: Visitor) -> None:
    crowd(visitor).funds = Decimal(1)
    page = form(visitor, on_mturk(visitor, budget=Decimal(3)))
    page.get_by_label("Countries").fill("Germany")
    page.get_by_label("Places").fill("0")
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_role("heading", name="It cannot be launched like this")).to_be_visible()


@state("batches/new-too-dear")
def _dear(visitor: Visitor) -> None:
    crowd(visitor).funds = Decimal(1)
    page = form(visitor, on_mturk(visitor, budget=Decimal(3)))
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_text("Top it up").first).to_be_visible()


@state("batches/offer")
def _offer(visitor: Visitor) -> None:
    crowd(visitor, "production")
    page = form(visitor, on_mturk(visitor, budget=None, tutorial=True))
    page.get_by_role("button", name="See it and its cost").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("This is an example.")).to_be_visible()


@state("batches/under-way")
def _under_way(visitor: Visitor) -> None:
    crowd(visitor)
    made = on_mturk(visitor)
    launch(made)
    statuses = ["active", "handed_in", "confirmed", "confirmed", "approved", "rejected", "left"]
    postings = list(Posting.objects.order_by("pk"))
    for n, status in enumerate(statuses):
        came(postings[n % len(postings)], f"W{n}", status)
    soon = timezone.now() + timedelta(days=2)
    Participation.objects.filter(status="confirmed").update(auto_approval_at=soon)
    Posting.objects.update(looked_at=timezone.now(), available=4, pending=1)
    page = look(visitor, made)
    page.locator("summary").click()


@state("batches/troubles")
def _troubles(visitor: Visitor) -> None:
    far = crowd(visitor)
    made = on_mturk(visitor)
    lost = Outcome(Effect.RETRYABLE, "throttled", "The crowd asks to be called less often.")
    far.will("publish", NO_MONEY, lost)
    batch = launch(made)
    who = came(batch.postings.first(), "W1", "approved")
    op = operations.on_unit(operations.PAID, who)
    message = "The crowd does not list this bonus. Look at its own pages, then say what happened."
    Operation.objects.filter(pk=op.pk).update(status="unclear", message=message)
    page = look(visitor, made)
    expect(page.get_by_role("button", name="It was not paid: send again")).to_be_visible()


@state("batches/doubt")
def _doubt(visitor: Visitor) -> None:
    crowd(visitor)
    made = on_mturk(visitor)
    posting = launch(made).postings.first()
    for name, tasks in (("W1", 4), ("W2", 1)):
        unit = came(posting, name, "confirmed")
        Participation.objects.filter(pk=unit.pk).update(
            problem=TOO_LITTLE.format(n=tasks, tasks=5),
            submitted_at=timezone.now(),
            auto_approval_at=timezone.now() + timedelta(days=1),
        )
    page = look(visitor, made)
    expect(page.get_by_role("heading", name="2 submissions wait for your decision")).to_be_visible()


@state("batches/again")
def _again(visitor: Visitor) -> None:
    """Resumed after a pause: what was published stays stopped."""
    crowd(visitor)
    made = on_mturk(visitor)
    launch(made)
    life.pause(made.pk)
    life.open_(made.pk)
    outbox.carry_out_due()
    page = look(visitor, made)
    expect(page.get_by_text("No work is offered at the moment")).to_be_visible()


@state("batches/paused")
def _paused(visitor: Visitor) -> None:
    crowd(visitor)
    made = on_mturk(visitor)
    launch(made)
    life.pause(made.pk)
    look(visitor, made)


@state("batches/full")
def _full(visitor: Visitor) -> None:
    """Its places are all taken, and one of them may be free again."""
    look(visitor, full(visitor))


@state("batches/full-and-paused")
def _full_and_paused(visitor: Visitor) -> None:
    made = full(visitor)
    Posting.objects.update(problem=reconciling.PAUSED.format(crowd="Prolific"))
    look(visitor, made)


@state("batches/stop-full")
def _stop_full(visitor: Visitor) -> None:
    made = full(visitor)
    batch = Batch.objects.get()
    visitor.goto(reverse("annotate:batch-stop", args=[made.public_id, batch.public_id]))


def full(visitor: Visitor) -> Campaign:
    """Return a campaign on Prolific whose one study was taken by everybody it has places for."""
    crowd(visitor, "live").key = "prolific"
    made = on_mturk(visitor, crowd="prolific")
    posting = launch(made, places=4).postings.get()
    for n, status in enumerate(["confirmed", "approved", "approved", "rejected"]):
        came(posting, f"W{n}", status)
    Posting.objects.update(status="closed", looked_at=timezone.now(), available=0, pending=0)
    return made


@state("batches/too-many")
def _too_many(visitor: Visitor) -> None:
    crowd(visitor)
    page = form(visitor, on_mturk(visitor))
    page.get_by_label("Places", exact=True).fill("500")
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_text("find no task").first).to_be_visible()


@state("batches/dashboard-waits")
def _dashboard_waits(visitor: Visitor) -> None:
    far = crowd(visitor)
    made = on_mturk(visitor)
    far.will("publish", NO_MONEY)
    unit = came(launch(made).postings.first(), "W1", "confirmed")
    Participation.objects.filter(pk=unit.pk).update(problem="x", submitted_at=timezone.now())
    page = dashboard(visitor, made)
    expect(page.get_by_role("link", name="Decide on the page of batches")).to_be_visible()


@state("batches/stop")
def _stop(visitor: Visitor) -> None:
    crowd(visitor)
    made = on_mturk(visitor)
    batch = launch(made)
    visitor.goto(reverse("annotate:batch-stop", args=[made.public_id, batch.public_id]))


@state("batches/extend")
def _extend(visitor: Visitor) -> None:
    crowd(visitor, "production")
    made = on_mturk(visitor)
    batch = launch(made)
    page = visitor.goto(reverse("annotate:batch-extend", args=[made.public_id, batch.public_id]))
    page.get_by_role("button", name="See what it costs").click()
    expect(page.get_by_role("button", name="Extend on production")).to_be_visible()


@state("batches/advised")
def _advised(visitor: Visitor) -> None:
    crowd(visitor)
    dashboard(visitor, on_mturk(visitor))


@state("batches/people")
def _people(visitor: Visitor) -> None:
    crowd(visitor)
    visitor.goto(reverse("annotate:people", args=[on_mturk(visitor).public_id]))


@state("batches/new-campaign")
def _new_campaign(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    page = visitor.goto(reverse("annotate:import-step", args=[draft(owner).public_id, "people"]))
    page.get_by_label("Amazon Mechanical Turk").check()
    expect(page.get_by_label("The crowd’s fee, in %")).to_be_visible()
