"""The dashboard from the first judgment to the three hundredth, and what it advises."""

import os
from collections.abc import Callable
from decimal import Decimal
from itertools import combinations
from typing import get_args
from unittest.mock import patch

from django.urls import reverse
from playwright.sync_api import expect

from annotate.common import audit
from annotate.models import Campaign
from estimation import deferred as deferred_module
from estimation import export
from estimation.export import DownloadProgress, State
from estimation.models import Estimate
from tests.browser.researchers import estimated
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.crowds.clock import Clock
from tests.crowds.scripted import Scripted
from tests.estimation.advised import SITUATIONS, World
from tests.estimation.collecting import collect
from tests.estimation.ranked import RANKING, pair
from tests.estimation.verifying.worlds import closed
from tests.factories import campaign

GOALS = {"overall": 0.3, "edit": 0.2}
PICTURES = os.environ.get("PICTURES", "")


def after(n: int) -> Callable[[Visitor], None]:
    def reach(visitor: Visitor) -> None:
        made = campaign(
            owner=logged_in(visitor),
            items=130,
            targets=GOALS,
            budget=Decimal(200),
            name="News in short, autumn",
        )
        collect(made, n, every=5)
        dashboard(visitor, made)

    return reach


def advised(name: str) -> Callable[[Visitor], None]:
    def reach(visitor: Visitor) -> None:
        owner = logged_in(visitor)
        world = visitor.staying.enter_context(World(owner, Clock(), Scripted(auto_approval=True)))
        world.crowd.label = "Amazon Mechanical Turk"
        dashboard(visitor, SITUATIONS[name](world))

    return reach


# A page with no interval yet and one with all of them show each part; the rest are pictures.
for n in (0, 1, 5, 12, 60, 300) if PICTURES else (1, 40):
    state(f"numbers/after-{n:03}")(after(n))
# Their page is one page: without pictures to be made, one of them is enough.
for name in SITUATIONS if PICTURES else ("all_reviewed", "silence"):
    state(f"advice/{name}")(advised(name))


@state("numbers/forecast")
def _forecast(visitor: Visitor) -> None:
    made = campaign(
        owner=logged_in(visitor),
        items=400,
        targets={"overall": 0.25, "edit": 0.1},
        budget=Decimal(900),
        name="News in short, autumn",
    )
    collect(made, 150, every=150)
    deferred_module.FORECASTING.ask(made.pk)
    deferred_module.FORECASTING.carry_out(made.pk)
    dashboard(visitor, made).locator("#narrows").wait_for()


@state("numbers/many-systems")
def _many_systems(visitor: Visitor) -> None:
    systems = ("Linden", "Alder", "Rowan", "Beech", "Larch", "Lead sentences")
    made = campaign(
        owner=logged_in(visitor), items=4, systems=systems, targets={"overall": 0.2}, metrics=()
    )
    estimated(made, "overall")
    for place, (first, second) in enumerate(combinations(systems, 2)):
        pair(made, first, second, 0.1 * (place % 4))
    dashboard(visitor, made).locator(".pairs-grid").wait_for()


def planned(query: str) -> Callable[[Visitor], None]:
    def reach(visitor: Visitor) -> None:
        logged_in(visitor)
        usual = "criterion=overall&systems=2&level=0.95&rho=0.5&cap=25&double_share=0.25"
        rest = "estimand=population&reward=0.4&crowd=link"
        visitor.goto(f"{reverse('estimation:plan')}?{usual}&{rest}&{query}")

    return reach


state("plan/answer")(planned("items=200&target=0.3&minutes=1.5"))
state("plan/refused")(planned("items=30&target=0.2"))


@state("activity/all")
def _activity(visitor: Visitor) -> None:
    made = campaign(owner=logged_in(visitor), name="News in short, autumn")
    collect(made, 6, every=3)
    for n in range(60):
        audit.record("flag" if n % 3 else f"thing_{n}", campaign_id=made.pk)
    visitor.goto(reverse("estimation:activity", args=[made.public_id]))


@state("numbers/twenty-systems")
def _twenty_systems(visitor: Visitor) -> None:
    """Twenty systems on four criteria: one table, and no plot before it is asked for."""
    made = campaign(
        owner=logged_in(visitor),
        items=4,
        systems=tuple(f"system-{n:02}" for n in range(1, 21)),
        targets={"overall": 0.5, "fluency": 0.5, "redundancy": 0.6, "edit": 0.4},
        metrics=(),
    )
    estimated(made, "overall", "fluency", "redundancy", "edit")
    dashboard(visitor, made).locator(".heat").wait_for()


@state("numbers/report")
def _report(visitor: Visitor) -> None:
    made = closed(logged_in(visitor))
    page = visitor.goto(reverse("estimation:report", args=[made.public_id]))
    expect(page.get_by_role("heading", name="Checklist")).to_be_visible()


@state("numbers/report-tutorial")
def _tutorial(visitor: Visitor) -> None:
    made = campaign(owner=logged_in(visitor), name="News in short, autumn", tutorial=True)
    page = visitor.goto(reverse("estimation:report", args=[made.public_id]))
    page.get_by_text("with every version of each").click()
    expect(page.get_by_text("Right").first).to_be_visible()


def exporting(kind: State) -> Callable[[Visitor], None]:
    def reach(visitor: Visitor) -> None:
        """The page has asked for an export that has come so far."""
        owner = logged_in(visitor)
        made = campaign(owner=owner, name="News in short, autumn")
        dashboard(visitor, made)
        visitor.page.evaluate("() => { crypto.getRandomValues = (some) => some.fill(7); }")
        visitor.page.evaluate("() => addEventListener('click', (e) => e.preventDefault())")
        name = export.name_of(made.pk, owner.pk, "07" * 16)
        found = DownloadProgress(kind, 412_000, 1_220_000, size=98_000_000)
        told = patch.object(export, "find_progress", lambda asked: found if asked == name else None)
        visitor.staying.enter_context(told)
        visitor.page.locator("#act-export").click()
        visitor.page.locator("#export-standing .note").wait_for()

    return reach


for kind in get_args(State):
    state(f"export/{kind}")(exporting(kind))


def told(made: Campaign, answers: dict[str, list[list[float]]]) -> None:
    """Let the estimates of these criteria say what people answered."""
    for one in Estimate.objects.filter(campaign=made, criterion__in=answers):
        one.detail["answers"] = answers[one.criterion]
        one.save(update_fields=["detail"])


@state("numbers/four-systems")
def _four_systems(visitor: Visitor) -> None:
    made = campaign(
        owner=logged_in(visitor),
        items=4,
        systems=("Linden", "Alder", "Rowan", "Lead sentences"),
        targets={"overall": 0.5, "fluency": 0.5, "redundancy": 0.6, "edit": 0.4},
        metrics=(),
    )
    estimated(made, "overall", "fluency", "redundancy", "edit")
    given = [[-1.0, 8], [0.0, 12], [1.0, 20]]
    told(made, {"overall": given, "fluency": given, "redundancy": given[1:]})
    dashboard(visitor, made).locator("#answers summary").click()
    expect(visitor.page.get_by_role("region", name="What people answered")).to_be_visible()


@state("numbers/ranking-of-six")
def _ranking_of_six(visitor: Visitor) -> None:
    systems = ("Linden", "Alder", "Rowan", "Beech", "Larch", "Lead sentences")
    made = campaign(owner=logged_in(visitor), items=40, systems=systems, **RANKING)
    estimated(made, "overall", "fluency")
    for place, (first, second) in enumerate(combinations(systems, 2)):
        pair(made, first, second, 0.1 * (place % 4), outcome=("first", "close")[place % 2])
    made.systems.filter(name="Larch").update(stop_position=30)
    dashboard(visitor, made).locator("#ranked-overall").wait_for()


@state("numbers/one-system")
def _one_system(visitor: Visitor) -> None:
    made = campaign(
        owner=logged_in(visitor), items=60, systems=("Linden",), targets={"edit": 0.5}, metrics=()
    )
    collect(made, 40, every=10)
    dashboard(visitor, made).locator(".plot").first.wait_for()
