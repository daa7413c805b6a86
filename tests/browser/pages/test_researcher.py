"""The researcher's way in a real browser: upload, preview, create, open; and no barrier on it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport
from tests.browser.researchers import history, sign_in, through
from tests.estimation.exporting.exported import Unzipped
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ada(page: Page, live_server: Any) -> Page:
    """The list of campaigns of a researcher who has logged in."""
    sign_in(page, live_server.url, user())
    page.goto(live_server.url)
    return page


def file_of(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def good(folder: Path) -> Path:
    rows = [
        {"item": f"i{i}", "system": system, "output": f"{system} wrote {i}", "judge": i / 7}
        for i in range(60)
        for system in ("alpha", "beta")
    ]
    return file_of(folder, "good.jsonl", "\n".join(map(json.dumps, rows)))


def press(page: Page, role: Any, name: str) -> None:
    """Reach a control with the keyboard's focus and press it."""
    control = page.get_by_role(role, name=name)
    control.focus()
    expect(control).to_be_focused()
    page.keyboard.press("Enter")


def no_barriers(page: Page, where: str) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found = Axe().run(page).response["violations"]
        assert not found, (where, theme, [(v["id"], v["nodes"][0]["html"]) for v in found])


def choose(page: Page, file: Path) -> None:
    page.get_by_label("Outputs: one file or several").set_input_files(file)
    press(page, "button", "Next: questions and metrics")


def test_from_file_to_open_campaign_by_keyboard(ada: Page, tmp_path: Path) -> None:
    no_barriers(ada, "empty list")
    press(ada, "link", "New campaign")
    no_barriers(ada, "form")
    bad = file_of(tmp_path, "bad.jsonl", '{"item": "a", "system": "s", "output": "x"}\nnope\n')
    ada.get_by_label("Outputs: one file or several").set_input_files(bad)
    expect(ada.get_by_label("Name", exact=True)).to_have_value("bad")  # the file's own name
    ada.get_by_label("Name", exact=True).fill("")
    press(ada, "button", "Next: questions and metrics")
    expect(ada.get_by_text("Give the campaign a name.").first).to_be_visible()
    expect(ada.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(ada.locator("#outcome")).to_be_focused()
    no_barriers(ada, "errors")
    ada.get_by_label("Name", exact=True).focus()
    ada.keyboard.type("News")
    press(ada, "button", "Next: questions and metrics")  # the browser still has the file

    expect(ada.get_by_role("heading", name="Reading the file")).to_be_visible()
    no_barriers(ada, "reading")
    imports.run_due()
    expect(ada.get_by_text("Line 2:")).to_be_visible()
    expect(ada.locator("#import-said")).to_have_text("The file cannot be imported as it is")
    no_barriers(ada, "refused")

    press(ada, "link", "Choose another file")
    expect(ada.get_by_label("Name", exact=True)).to_have_value("News")
    choose(ada, good(tmp_path))
    expect(ada.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    expect(ada.get_by_role("heading", name="What are people asked?")).to_be_visible()
    no_barriers(ada, "questions")
    expect(ada.get_by_label("judge", exact=True)).to_be_checked()  # the file's own number
    press(ada, "button", "Next: plan")
    expect(ada.get_by_role("heading", name="How precise should the results be?")).to_be_visible()
    ada.get_by_role("spinbutton", name="Overall", exact=True).fill("0.05")
    press(ada, "button", "Use 0.")
    expect(ada.get_by_text(re.compile(r"reached in (9\d|100)")).first).to_be_visible()
    no_barriers(ada, "plan")
    press(ada, "button", "Next: people and money")
    ada.get_by_label("Reward for one judgment").fill("0.50")
    no_barriers(ada, "people")
    ada.keyboard.press("Enter")  # in a field: the next step, not the one before
    expect(ada.get_by_role("heading", name="Preview: the campaign does not exist")).to_be_visible()
    assert not Campaign.objects.exists()
    expect(ada.get_by_text("1 metric: judge")).to_be_visible()
    expect(ada.get_by_text("$0.50 a judgment")).to_be_visible()
    no_barriers(ada, "preview")

    press(ada, "button", "Create the campaign")
    expect(ada.get_by_role("heading", name="Creating the campaign")).to_be_visible()
    imports.run_due()
    expect(ada.get_by_role("heading", name="Open the campaign")).to_be_visible()
    press(ada, "button", "Open for judgments")
    expect(ada.get_by_role("heading", name="Invite people")).to_be_visible()
    made = Campaign.objects.get()
    assert (made.status, made.metrics) == (Campaign.Status.OPEN, ["judge"])


DROP = """([name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name));
  const area = document.querySelector("[data-drop]");
  const how = {dataTransfer: carried, bubbles: true, cancelable: true};
  area.dispatchEvent(new DragEvent("drop", how));
}"""


def test_a_file_can_be_dropped_and_its_columns_named(ada: Page) -> None:
    press(ada, "link", "New campaign")
    expect(ada.get_by_role("heading", name="What did the systems write?")).to_be_visible()
    ada.wait_for_load_state()  # its scripts take the file
    ada.evaluate(DROP, ["autumn_news.json", '[{"no": 1, "who": "a, b", "says": "{x}"}]'])
    expect(ada.get_by_label("Name", exact=True)).to_have_value("autumn news")
    expect(ada.get_by_text("The file has the columns no, who, says.")).to_be_visible()
    for ours, theirs in (("item", "no"), ("system", "who"), ("output", "says")):
        ada.get_by_label(ours, exact=True).fill(theirs)
    press(ada, "button", "Next: questions and metrics")
    expect(ada.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    expect(ada.get_by_text("1 system, 1 item, 1 different output")).to_be_visible()


def test_the_list_leads_back_to_an_import_and_cancelling_ends_it(ada: Page, tmp_path: Path) -> None:
    press(ada, "link", "New campaign")
    ada.get_by_label("Name", exact=True).fill("News")
    choose(ada, good(tmp_path))
    expect(ada.get_by_role("heading", name="Reading the file")).to_be_visible()
    ada.get_by_role("link", name="Campaigns", exact=True).click()
    ada.get_by_text("Not created yet").click()
    press(ada, "link", "News")
    asks = ada.locator("summary", has_text="Discard this draft")
    asks.focus()
    ada.keyboard.press("Enter")
    CampaignImport.objects.update(done=50, total=100)
    expect(ada.get_by_role("progressbar")).to_have_attribute("value", "50")
    expect(asks).to_be_focused()  # while the page refreshed itself beside it
    press(ada, "button", "Discard this draft and its file")
    expect(ada.get_by_text("The draft was discarded.")).to_be_visible()
    expect(ada.get_by_text("Not created yet")).to_have_count(0)


def test_complaints_go_with_what_they_complain_about(ada: Page, tmp_path: Path) -> None:
    press(ada, "link", "New campaign")
    press(ada, "button", "Next: questions and metrics")
    complaints = ada.get_by_role("alert").filter(has_text="Some fields need correcting")
    expect(complaints.get_by_role("listitem")).to_have_count(2)
    ada.get_by_label("Name", exact=True).fill("News")
    expect(complaints.get_by_role("listitem")).to_have_count(1)
    ada.get_by_label("Outputs: one file or several").set_input_files(good(tmp_path))
    expect(complaints).to_have_count(0)
    press(ada, "button", "Next: questions and metrics")
    expect(ada.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    press(ada, "button", "Next: plan")
    for label, typed in (("Overall", "-1"), ("Confidence level, in %", "300")):
        ada.get_by_role("spinbutton", name=label, exact=True).fill(typed)
    press(ada, "button", "Next: people and money")
    expect(complaints.get_by_role("listitem")).to_have_count(2)
    ada.get_by_role("spinbutton", name="Overall", exact=True).fill("0.5")
    expect(complaints.get_by_role("listitem")).to_have_count(1)
    expect(ada.locator("[aria-invalid=true]")).to_have_count(1)
    ada.get_by_role("spinbutton", name="Confidence level, in %").fill("95")
    expect(complaints).to_have_count(0)


def test_without_scripts_the_form_and_the_page_lead_there_too(
    browser: Browser, live_server: Any, tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, live_server.url, user())
    page.goto(live_server.url + reverse("annotate:campaign-new"))
    page.get_by_label("Name", exact=True).fill("News")
    page.get_by_label("Outputs: one file or several").set_input_files(good(tmp_path))
    page.get_by_role("button", name="Next: questions and metrics").click()
    expect(page.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    page.reload()
    through(page)
    expect(page.get_by_role("heading", name="Preview: the campaign does not")).to_be_visible()
    page.get_by_role("button", name="Create the campaign").click()
    imports.run_due()
    expect(page.get_by_role("heading", name="Open the campaign")).to_be_visible()
    context.close()


def test_no_barrier_on_list_dashboard_and_people(ada: Page, live_server: Any) -> None:
    from django.contrib.auth.models import User

    made = campaign(owner=User.objects.get())
    judge(person(made))
    history(made)
    ada.goto(f"{live_server.url}/")
    expect(ada.locator(f"#at-{made.public_id}")).to_have_text("0 of 2")
    no_barriers(ada, "list")
    ada.goto(live_server.url + reverse("estimation:dashboard", args=[made.public_id]))
    no_barriers(ada, "dashboard")
    ada.goto(live_server.url + reverse("annotate:people", args=[made.public_id]))
    no_barriers(ada, "people")
    ada.goto(live_server.url + reverse("annotate:act", args=[made.public_id, "close"]))
    no_barriers(ada, "confirm")


def test_numbers_refresh_and_disturb_nobody(ada: Page, live_server: Any) -> None:
    made = campaign(owner=User.objects.get())
    history(made)
    ada.goto(live_server.url + reverse("estimation:dashboard", args=[made.public_id]))
    data = ada.locator("details").first
    data.locator("summary").click()
    expect(data.get_by_role("table")).to_be_visible()
    ada.get_by_role("link", name="People", exact=True).focus()
    ada.evaluate("scrollTo(0, 250)")
    with ada.expect_response(lambda answer: answer.status == 304):
        pass  # nothing has changed, and nothing is sent
    expect(ada.locator("details").first.get_by_role("table")).to_be_visible()
    judge(person(made))
    expect(ada.get_by_text("1 of 12 outputs")).to_be_visible()
    expect(ada.get_by_role("link", name="People", exact=True)).to_be_focused()
    expect(ada.locator("details").first.get_by_role("table")).to_be_visible()
    assert ada.evaluate("scrollY") == 250
    assert ada.evaluate("[...document.images].every(image => image.complete && image.naturalWidth)")


def test_everything_is_taken_out_by_one_button(ada: Page, live_server: Any, tmp_path: Path) -> None:
    made = campaign(owner=User.objects.get())
    judge(person(made, "worker-A1B2"), overall=0, edit="The council met in the district on Monday.")
    ada.goto(live_server.url + reverse("estimation:dashboard", args=[made.public_id]))
    with ada.expect_download() as coming:
        press(ada, "link", "Export")
    assert coming.value.suggested_filename == f"plumbline-{made.public_id}.zip"
    expect(ada.locator("#export-standing")).to_contain_text("The export is complete")
    target = tmp_path / "all.zip"
    coming.value.save_as(target)
    found = Unzipped(target.read_bytes())
    (judgment,) = found.objects("judgments.jsonl")
    assert judgment["response"]["edit"] == "The council met in the district on Monday."


def test_methods_and_citation_are_copied_as_text(ada: Page, live_server: Any) -> None:
    """Paragraphs stay apart, and nothing of the page's marks comes along."""
    made = campaign(owner=User.objects.get())
    ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ada.goto(live_server.url + reverse("estimation:report", args=[made.public_id]))
    for name, part in (("the methods paragraph", "#methods"), ("the BibTeX entry", "#bib")):
        press(ada, "button", f"Copy {name}")
        expect(ada.locator(f"{part}-said")).to_have_text("Copied.")
        copied = ada.evaluate("navigator.clipboard.readText()")
        assert "<" not in copied
        assert copied.split() == ada.locator(part).inner_text().split()
    assert copied.startswith("@")
