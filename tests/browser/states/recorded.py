"""Judgments that were made elsewhere: their form, and what they become."""

import tempfile
from pathlib import Path

from django.contrib.auth.models import User
from playwright.sync_api import Page

from annotate.models import Campaign
from estimation import deferred, recorded, refresh
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.estimation.test_recorded import SCALES, rows, write

FORM = "/campaigns/judgments/new/"


def imported(owner: User, **more: object) -> Campaign:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "theirs.csv", rows())
        given = {"name": "Their study", "chosen": "The editors picked them.", "scales": SCALES}
        made = recorded.import_judgments(path, owner_id=owner.pk, **(given | more))
    refresh.refresh(made.pk)
    for work in deferred.DEFERRED:
        work.carry_out(made.pk)
    return made


@state("recorded/form")
def _form(visitor: Visitor) -> None:
    logged_in(visitor)
    visitor.goto(FORM)


@state("recorded/refused")
def refused(visitor: Visitor) -> Page:
    logged_in(visitor)
    page = visitor.goto(FORM)
    page.get_by_label("How were the judged outputs chosen?").select_option("random")
    page.get_by_role("button", name="Import the judgments").click()
    page.get_by_role("alert").wait_for()
    return page


@state("recorded/dashboard")
def _dashboard(visitor: Visitor) -> None:
    dashboard(visitor, imported(logged_in(visitor)))


@state("recorded/report")
def _report(visitor: Visitor) -> None:
    made = imported(logged_in(visitor), outputs=300, chosen="Drawn by lot.")
    visitor.goto(f"/campaigns/{made.public_id}/report/")
