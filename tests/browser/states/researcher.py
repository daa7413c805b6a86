"""What researchers see: their campaigns, a new one, its numbers, its people."""

import json
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotate.campaigns import imports, life
from annotate.models import Campaign, CampaignImport, PendingScore
from annotate.work import submitting
from tests.browser.researchers import PASSWORD, history, step, through
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


def upload(page: Page, content: bytes, name: str = "outputs.jsonl") -> None:
    send(page, content, name)
    expect(page.get_by_role("heading", name="Reading the file")).to_be_visible()


def send(page: Page, content: bytes, name: str = "outputs.jsonl") -> None:
    page.get_by_label("Outputs: one file or several").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    page.get_by_role("button", name="Next: questions and metrics").click()


def as_lines(*lines: Mapping[str, object]) -> bytes:
    return "\n".join(map(json.dumps, lines)).encode()


def texts() -> bytes:
    """The texts with references and two numbers that the plan does not use."""
    return as_lines(
        *(
            {
                "id": r.item,
                "model": r.system,
                "output": r.output,
                "reference": r.reference,
                "comet": i / 10,
                "length_in_words": 40 + 7 * i % 31,
                "year": 2026,
                "nr": i,
                "url": "https://example.org",
            }
            for i, r in enumerate(rows())
        )
    )


def sent(visitor: Visitor, content: bytes, **fields: str) -> Page:
    """The page of an import that no worker has seen yet."""
    page = form(visitor, Name="News in short, autumn", **fields)
    upload(page, content)
    return page


def read(visitor: Visitor, content: bytes, **fields: str) -> Page:
    page = sent(visitor, content, **fields)
    imports.run_due()
    return page


def asked(visitor: Visitor) -> Page:
    """The second step, once the file was read."""
    page = read(visitor, texts())
    expect(page.get_by_role("heading", name="What are people asked?")).to_be_visible()
    return page


def previewed(visitor: Visitor) -> Page:
    page = asked(visitor)
    through(page)
    expect(page.get_by_role("button", name="Create the campaign")).to_be_visible()
    return page


@state("researcher/login")
def _login(visitor: Visitor) -> None:
    visitor.goto("/login/")


@state("researcher/api-reference")
def _reference(visitor: Visitor) -> None:
    page = visitor.goto("/api/v1/reference/")
    page.get_by_text("Import a campaign as a draft").click()
    expect(page.get_by_role("table", name="Body")).to_be_visible()


@state("researcher/login-refused")
def _login_refused(visitor: Visitor) -> None:
    page = visitor.goto("/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").first).to_be_visible()


@state("researcher/login-locked")
def _login_locked(visitor: Visitor) -> None:
    visitor.staying.enter_context(override_settings(LOGIN_TRIES=0))
    _login_refused(visitor)
    expect(visitor.page.get_by_role("alert")).to_contain_text("Too many attempts. Wait 15 minutes")


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
    page = form(visitor)
    page.get_by_label("Language of the texts").fill("Deutsch!")
    page.get_by_role("button", name="Next: questions and metrics").click()
    expect(page.get_by_text("Some fields need correcting")).to_be_visible()


@state("researcher/new-columns")
def _columns(visitor: Visitor) -> None:
    page = form(visitor)
    page.get_by_label("Outputs: one file or several").set_input_files(
        {"name": "news_autumn.csv", "mimeType": "text/csv", "buffer": b"text_no;who;says\n1;a;x\n"}
    )
    expect(page.get_by_text("The file has the columns text_no, who, says.")).to_be_visible()


@state("researcher/new-questions")
def _questions(visitor: Visitor) -> None:
    page = asked(visitor)
    page.get_by_label("comet", exact=True).check()


@state("researcher/new-questions-consent")
def _own_texts(visitor: Visitor) -> None:
    page = asked(visitor)
    page.get_by_text("Own instructions, consent, ethics approval, questions about people").click()
    page.get_by_label("Consent text").fill("You may stop at any time.")
    page.get_by_label("Ethics approval").fill("ERB 2026/17")
    page.get_by_label("Questions about the annotators").fill("Do you read news? | yes | no")


@state("researcher/new-plan")
def _plan(visitor: Visitor) -> None:
    page = asked(visitor)
    step(page, "Next: plan")
    page.locator("#id_width_edit").fill("0.3")
    expect(page.get_by_role("button", name="No target").first).to_be_visible()


@state("researcher/new-plan-changed-elsewhere")
def _changed_elsewhere(visitor: Visitor) -> None:
    page = asked(visitor)
    step(page, "Next: plan")
    CampaignImport.objects.update(revision=99)
    step(page, "Next: people and money")
    expect(page.get_by_role("alert")).to_contain_text("changed in another window")


@state("researcher/new-people")
def _new_people(visitor: Visitor) -> None:
    page = asked(visitor)
    for button in ("Next: plan", "Next: people and money"):
        step(page, button)
    page.get_by_label("Reward for one judgment").fill("-1")
    step(page, "Preview")
    expect(page.get_by_text("Some fields need correcting")).to_be_visible()


@state("researcher/new-first-item")
def _first_item(visitor: Visitor) -> None:
    asked(visitor)
    of = CampaignImport.objects.get()
    visitor.goto(reverse("annotate:import-item", args=[of.public_id, 2]))


@state("researcher/new-kept")
def _kept(visitor: Visitor) -> None:
    page = asked(visitor)
    page.get_by_role("link", name="File").click()
    expect(page.get_by_text("is here already")).to_be_visible()


@state("researcher/import-reading")
def _reading(visitor: Visitor) -> None:
    page = sent(visitor, texts())
    CampaignImport.objects.update(
        done=31_000_000,
        total=48_000_000,
        outputs_size=48_000_000,
        claimed_until=timezone.now() + timedelta(minutes=5),
    )
    expect(page.get_by_text("29.6")).to_be_visible()


@state("researcher/import-no-worker")
def _no_worker(visitor: Visitor) -> None:
    page = sent(visitor, texts())
    CampaignImport.objects.update(changed_at=timezone.now() - timedelta(minutes=1))
    expect(page.get_by_text("No worker has begun yet")).to_be_visible()


@state("researcher/import-refused")
def _refused(visitor: Visitor) -> None:
    faulty: list[dict[str, object]] = [{"item": "a", "system": "s", "output": "x"}] * 9
    faulty += [{"item": f"b{i}", "sytem": "s", "output": "x"} for i in range(1206)]
    faulty += [{"item": "c", "system": "s", "output": "x", "metrics": {"comet": "high"}}]
    page = read(visitor, as_lines(*faulty) + b'\n{"item": "d", "system": "s", "output": "x')
    expect(page.get_by_text("1,203 more")).to_be_visible()


ODD = b"""no,who,says,source text,remarks
1,pointer-generator,The town library is open again.,The town library opened.,short
1,seq2seq,The library.,The town library opened.,
2,pointer-generator,Rain on Monday.,It rained on Monday.,
"""


@state("researcher/import-no-columns")
def _no_columns(visitor: Visitor) -> None:
    page = read(visitor, ODD)
    expect(page.get_by_role("link", name="Say which column is which")).to_be_visible()


@state("researcher/new-columns-menus")
def _menus(visitor: Visitor) -> None:
    _no_columns(visitor)
    visitor.page.get_by_role("link", name="Say which column is which").click()
    visitor.page.get_by_role("combobox", name="who").select_option("system (its name)")
    visitor.page.get_by_role("button", name="Next: questions and metrics").click()
    expect(visitor.page.get_by_text("Choose either a column for each system")).to_be_visible()


@state("researcher/import-names-alike")
def _names_alike(visitor: Visitor) -> None:
    rows = (
        {"item": f"i{i:02}", "system": name, "output": f"{name} on district {i}."}
        for i in range(60)
        for name in ("pointer", "Seq2seq" if i < 3 else "seq2seq")
    )
    page = read(visitor, as_lines(*rows))
    through(page)
    expect(page.get_by_role("button", name="Join names that look alike")).to_be_visible()


@state("researcher/new-several")
def _several(visitor: Visitor) -> None:
    page = form(visitor, Name="News")
    page.get_by_label("Outputs: one file or several").set_input_files(
        [
            {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": b"One\nTwo\n"}
            for name in ("pointer", "seq2seq", "source")
        ]
    )
    expect(page.get_by_text("3 files: one for each system")).to_be_visible()


@state("researcher/import-no-table")
def _no_table(visitor: Visitor) -> None:
    page = read(visitor, b"Our systems wrote these texts:\n\nThe library is open.\n")
    expect(page.get_by_text("neither JSON nor a table")).to_be_visible()


@state("researcher/new-no-room")
def _new_no_room(visitor: Visitor) -> None:
    nowhere = override_settings(FILE_UPLOAD_TEMP_DIR="/nowhere", FILE_UPLOAD_MAX_MEMORY_SIZE=1)
    visitor.staying.enter_context(nowhere)
    page = form(visitor, Name="News")
    send(page, as_lines({"item": "cnn-17", "system": "lead-3", "output": "The town library."}))
    expect(page.get_by_text("The server has no room for a file of this size")).to_be_visible()


@state("researcher/new-preview")
def _preview(visitor: Visitor) -> None:
    page = asked(visitor)
    page.get_by_label("comet", exact=True).uncheck()
    through(page)
    expect(page.get_by_role("button", name="Use comet")).to_be_visible()


def with_forty_items(visitor: Visitor) -> Page:
    """The plan of a campaign of two systems and forty items."""
    rows = (
        {"item": f"i{i:02}", "system": system, "output": f"{system} on district {i}."}
        for i in range(40)
        for system in ("pointer", "seq2seq")
    )
    page = form(visitor, Name="News in short, autumn")
    upload(page, as_lines(*rows))
    imports.run_due()
    step(page, "Next: plan")
    return page


@state("researcher/new-out-of-reach")
def _out_of_reach(visitor: Visitor) -> None:
    page = with_forty_items(visitor)
    page.locator("#id_width_fluency").fill("0.2")
    page.locator("#id_people").fill("60")
    step(page, "Next: people and money")
    step(page, "Preview")
    expect(page.get_by_role("heading", name="What it will take")).to_be_visible()
    expect(page.get_by_text("cannot be reached with these items")).to_be_visible()
    expect(page.get_by_role("button", name="Create the campaign all the same")).to_be_visible()


@state("researcher/new-plan-asks")
def _plan_asks(visitor: Visitor) -> None:
    page = with_forty_items(visitor)
    page.locator("#id_width_overall").fill("0.2")
    page.get_by_role("button", name="Next: people and money").click()
    expect(page.get_by_role("button", name="Go on without changing it")).to_be_visible()


@state("researcher/budget")
def _budget(visitor: Visitor) -> None:
    made = study(logged_in(visitor), crowd="mturk", budget=Decimal("0.40"))
    visitor.goto(reverse("annotate:budget", args=[made.public_id]))


@state("researcher/new-lacks-people")
def _lacks_people(visitor: Visitor) -> None:
    page = with_forty_items(visitor)
    page.locator("#id_width_overall").fill("0.65")
    expect(page.get_by_text("With more people than the plan assumes").first).to_be_visible()


@state("researcher/step-misfit")
def _misfit(visitor: Visitor) -> None:
    page = asked(visitor)
    page.get_by_text("Other metrics").click()
    page.get_by_label("support_1").check()
    step(page, "Next: plan")
    expect(page.get_by_text("Some fields need correcting")).to_be_visible()


@state("researcher/import-creating")
def _creating(visitor: Visitor) -> None:
    page = previewed(visitor)
    page.get_by_role("button", name="Create the campaign").click()
    until = timezone.now() + timedelta(minutes=5)
    CampaignImport.objects.update(done=12_400, total=25_000, claimed_until=until)
    expect(page.get_by_text("12,400 of 25,000 items")).to_be_visible()


@state("researcher/import-failed")
def _failed(visitor: Visitor) -> None:
    page = sent(visitor, texts())
    imports.move(CampaignImport.objects.get(), CampaignImport.Status.FAILED)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


@state("researcher/campaigns-underway")
def _underway(visitor: Visitor) -> None:
    page = read(visitor, texts())
    study(User.objects.get(), is_open=False)
    page.get_by_role("link", name="Campaigns", exact=True).click()
    page.get_by_text("Not created yet").click()
    expect(page.get_by_text("1 of 4 steps done")).to_be_visible()


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
    life.close(made.pk, Campaign.Reason.TARGET)
    dashboard(visitor, made)


@state("researcher/dashboard-closed")
def _closed(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    life.close(made.pk, Campaign.Reason.TARGET)
    life.finish(made.pk)
    dashboard(visitor, made)


@state("researcher/people-feedback")
def _people_feedback(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    first, second = made.participations.order_by("pk")[:2]
    submitting.give(first.pk, clarity=5, enjoyment=3, pay=2, comment="Good texts. The pay is low.")
    submitting.give(second.pk, clarity=4, comment="What about names?\nI was not sure.")
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("researcher/people")
def _people(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("researcher/confirm-close")
def _confirm(visitor: Visitor) -> None:
    made = judged(logged_in(visitor))
    visitor.goto(reverse("annotate:act", args=[made.public_id, "close"]))


@state("researcher/draft-delete")
def _draft_delete(visitor: Visitor) -> None:
    made = study(logged_in(visitor), is_open=False)
    page = visitor.goto(reverse("annotate:campaign-delete", args=[made.public_id]))
    expect(page.get_by_role("button", name="Delete the draft")).to_be_visible()
    expect(page.get_by_role("link", name="archive it instead")).to_be_visible()


@state("researcher/not-found")
def _not_found(visitor: Visitor) -> None:
    visitor.goto("/campaigns/nowhere/people/")
