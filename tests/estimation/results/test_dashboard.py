"""The dashboard: its numbers, what it advises, its plots, and what they cost."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotate.campaigns import life
from annotate.common import audit
from annotate.instruments.language_quality.instrument import OVERALL
from annotate.models import Campaign
from annotate.models.base import CloseReason
from estimation import read
from estimation.core.planning import TYPICAL, Prices, Study, forecast
from estimation.models import Agreement, Estimate, MetricScore
from estimation.pages import numbers
from estimation.pages.charts import axis_frame, ticks
from estimation.pages.dashboard import Dashboard
from tests.estimation.reviewed import exclude
from tests.estimation.stored import estimate_row
from tests.factories import campaign, change, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def estimated(made: Campaign, n: int, width: float | None = 0.3, **changes: Any) -> list[Estimate]:
    """One recomputation: a row for each system and criterion, after n judgments each."""
    known = {"n_items": n, "n_judgments": n}
    known |= {"detail": {"at_target": bool(width and width <= 0.2 and n >= 30)}}
    rows = [
        estimate_row(made, system, width=width, criterion=criterion, **(known | changes))
        for system in made.systems.all()
        for criterion in ("overall", "fluency")
    ]
    return Estimate.objects.bulk_create(rows)


def page(client: Client, made: Campaign) -> Any:
    answer = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert answer.status_code == 200
    return answer


def board(client: Client, made: Campaign) -> Dashboard:
    found: Dashboard = page(client, made).context["board"]
    return found


def plot(made: Campaign, upto: int, *, theme: str = "light", criterion: str = "overall") -> str:
    system = made.systems.all()[0].pk
    return reverse("estimation:trend", args=[made.public_id, criterion, system, upto, theme])


def test_primary_criteria_come_first_with_the_newest_numbers(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    estimated(made, 40, 0.5)
    estimated(made, 60, 0.25)
    found = board(client, made)
    assert found.rows[0].criterion.name == "overall"
    assert [row.target for row in found.rows] == [0.2, None, None, None]
    for cell in found.primary:
        assert cell.row is not None
        assert (cell.row.n_judgments, cell.row.width) == (60, 0.25)
        assert cell.state.word == "0.050 too wide"
    assert (found.n_at_target, found.n_wide) == (0, 2)


@pytest.mark.parametrize(
    ("n", "width", "changes", "word"),
    [
        (60, 0.19, {}, "at target"),
        (60, 0.25, {}, "0.050 too wide"),
        (20, 0.19, {}, "too few items"),
        (60, 0.19, {"effective_annotators": 3.0, "detail": {}}, "too few people"),
        (60, None, {"low": None, "high": None}, "no interval yet"),
    ],
)
def test_the_state_of_a_cell_in_words(
    client: Client, ada: User, n: int, width: float | None, changes: Any, word: str
) -> None:
    made = campaign(owner=ada)
    estimated(made, n, width, **changes)
    assert {cell.state.word for cell in board(client, made).primary} == {word}


@pytest.mark.slow
def test_what_the_metric_saves(client: Client, ada: User) -> None:
    made = campaign(owner=ada, reward=Decimal("0.50"))
    assert board(client, made).saving.why == (
        "What the metric saves is not known without intervals."
    )
    for who in range(4):
        judge(person(made, f"p{who}"))
    estimated(made, 60, 0.2)  # the plain mean's interval is 1.25 times as wide
    saving = board(client, made).saving
    assert saving.share == pytest.approx(1 - 1 / 1.25**2)
    assert (saving.judgments, saving.money) == (2, Decimal("1.00"))  # 4 × (1.25² − 1), judged 4
    text = page(client, made).content.decode()
    assert "<small>36\u00a0%</small>" in text
    assert "about 2 judgments fewer than the plain mean needs, thanks to quality" in text
    assert "spared about 34 judgments ($17.00)" in text  # 60 × (1.25² − 1), in each cell
    estimated(made, 61, 0.2, mean_low=0.35, mean_high=0.45)
    assert not board(client, made).saving.helps
    text = page(client, made).content.decode()
    assert "has not helped" in text
    assert "spared" not in text


def test_money_and_judgments_are_those_of_the_ledger(client: Client, ada: User) -> None:
    made = campaign(owner=ada, fee_rate=Decimal("0.2"), budget=Decimal(30))
    judge(person(made, "p1"))
    judge(person(made, "p2"))
    leased(person(made, "p3"))
    found = board(client, made)
    assert found.progress.spent == Decimal("0.96")
    assert (found.progress.judged, found.progress.running) == (2, 1)
    assert found.progress.annotators == 3
    assert found.price == Decimal("0.48")


def test_a_panel_is_never_told_to_ask_more_people(client: Client, ada: User) -> None:
    made = campaign(owner=ada, estimand="panel", annotator_cap=None)
    judge(person(made))
    estimated(made, 60, 0.4, effective_annotators=2.0)
    assert "more people" not in board(client, made).advice.title
    assert "exactly these annotators" in page(client, made).content.decode()


@pytest.mark.slow
def test_metric_progress_is_shown_until_it_is_complete(client: Client, ada: User) -> None:
    made = campaign(owner=ada, is_open=False)
    outputs = list(made.outputs.all())
    scores = [
        MetricScore(campaign=made, output=o, metric="quality", version="1", value=0)
        for o in outputs
    ]
    MetricScore.objects.bulk_create(scores[:5])
    found = board(client, made)
    assert (found.metric_left, found.live) == (len(outputs) - 5, True)
    assert f"5 of {len(outputs)} outputs" in page(client, made).content.decode()
    MetricScore.objects.bulk_create(scores[5:])
    assert not board(client, made).live
    assert "is being computed" not in page(client, made).content.decode()


def test_the_log_says_one_of_one_and_what_is_repeated_once(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=1, systems=("alpha",))
    for detail in ({"places": 1, "cost": "1200.5"}, {"places": 1200, "cost": "0.40"}, {}):
        audit.record("launch", campaign_id=made.pk, actor_id=ada.pk, **detail)
    for people in (2, 1):
        audit.record("tutorial_bonuses_due", campaign_id=made.pk, people=people)
    audit.record("rename", campaign_id=made.pk, actor_id=ada.pk, subject="system:{name.__class__")
    for _ in range(14):
        audit.record("flag", campaign_id=made.pk)
    lines = board(client, made).lines
    assert (lines[0].text, lines[0].times) == ("stopped an annotator for a review", 14)
    assert "(14 times)" in page(client, made).content.decode()
    assert [line.text for line in lines[1:]] == [
        "rename system:{name.__class__",
        "let the promised bonuses of 1 person fall due",
        "let the promised bonuses of 2 people fall due",
        "launched a batch of  for at most ",  # an old entry that does not say it
        "launched a batch of 1,200 places for at most $0.40",
        "launched a batch of 1 place for at most $1,200.50",
        "opened it for judgments",
        "created the campaign with 1 output",
    ]


def test_final_or_provisional_and_for_whom(client: Client, ada: User) -> None:
    made = campaign(owner=ada, level=0.9)
    estimated(made, 40)
    text = page(client, made).content.decode()
    assert "Provisional" in text
    assert "90\u00a0% intervals for people in general" in text
    assert "not all together" in text
    assert "nearer to the middle of the scale than its estimate" in text
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    text = page(client, made).content.decode()
    assert "Final." in text
    assert "closed by hand" in text


@pytest.mark.parametrize("have", ['"x"', "*", "W/", '"' + "a" * 5000 + '"', "ü"])
def test_an_odd_version_gets_the_numbers(client: Client, ada: User, have: str) -> None:
    address = reverse("estimation:numbers", args=[campaign(owner=ada).public_id])
    assert client.get(address, headers={"If-None-Match": have}).status_code == 200


@pytest.mark.slow
def test_numbers_answer_only_when_something_has_changed(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    address = reverse("estimation:numbers", args=[made.public_id])
    first = client.get(address)
    have = {"If-None-Match": first["ETag"]}
    assert escape(first["ETag"].replace('"', '\\"')) in first.content.decode()
    assert client.get(address, headers=have).status_code == 304
    estimated(made, 40)
    assert client.get(address, headers=have).status_code == 200
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    MetricScore.objects.bulk_create(
        MetricScore(campaign=made, output=o, metric="quality", version="1", value=0)
        for o in made.outputs.all()
    )
    last = client.get(address, headers=have)
    assert last.status_code == 286
    assert "hx-get" not in last.content.decode().split(">")[0]


@pytest.mark.slow
def test_plots_exist_in_both_themes_and_are_drawn_once(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    for n in range(10, 60):
        estimated(made, n, 2 / n**0.5)
    last = max(Estimate.objects.values_list("pk", flat=True))
    drawn = {}
    for theme in ("light", "dark"):
        answer = client.get(plot(made, last, theme=theme))
        assert answer["Content-Type"] == "image/svg+xml"
        assert "immutable" in answer["Cache-Control"]
        assert ET.fromstring(answer.content).tag.endswith("svg")
        drawn[theme] = answer.content
    assert drawn["light"] != drawn["dark"]
    text = drawn["light"].decode()
    for label in ("target", "plain mean", "judgments"):
        assert label in text, label
    with CaptureQueriesContext(connection) as queries:
        assert client.get(plot(made, last)).content == drawn["light"]
    assert not any("estimation_estimate" in query["sql"] for query in queries)


def drawing(client: Client, address: str) -> bytes:
    """The plot without the numbers that the renderer gives to its clip paths."""
    return re.sub(rb"clip\d+", b"clip", client.get(address).content)


@pytest.mark.slow
def test_a_plot_never_changes_meaning(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    early = estimated(made, 40, 0.5)[-1].pk
    before = drawing(client, plot(made, early))
    estimated(made, 41, 0.1, estimate=-0.9, low=-0.95, high=-0.85)
    cache.clear()
    assert drawing(client, plot(made, early)) == before


def test_plots_that_do_not_exist_are_not_found(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    last = estimated(made, 40)[-1].pk
    other = campaign(owner=user("eve"))
    system = other.systems.all()[0].pk
    foreign = [made.public_id, "overall", system, last, "light"]
    assert client.get(plot(made, last, theme="sepia")).status_code == 404
    assert client.get(plot(made, last, criterion="taste")).status_code == 404
    assert client.get(plot(made, 0)).status_code == 404
    assert client.get(reverse("estimation:trend", args=foreign)).status_code == 404
    for name in ("trend-table", "trend-data"):
        address = reverse(f"estimation:{name}", args=foreign[:-1])
        assert client.get(address).status_code == 404, name


def test_the_page_points_to_plots_table_and_text(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    last = estimated(made, 40, 0.25)[-1].pk
    text = page(client, made).content.decode()
    newest = last - 1  # the last row of the criterion overall
    assert plot(made, newest, theme="dark") in text
    assert plot(made, newest) in text
    assert "alpha, Overall: after 40 judgments the estimate is 0.40" in text
    assert "<style" not in text
    assert " style=" not in text
    assert re.findall(r"<script(?![^>]*src)", text) == []


@pytest.mark.slow
def test_history_is_thinned_but_keeps_its_ends(ada: User) -> None:
    made = campaign(owner=ada, systems=("alpha",))
    for n in range(1, 301):
        estimated(made, n)
    points = read.points(made.pk, "overall")
    counts = [point.n_judgments for point in points]
    assert counts[0] == 10  # fewer items are not shown
    assert counts[-1] == 300
    assert 60 <= len(counts) <= read.MOST_POINTS
    assert len(read.points(made.pk, "overall", most=12)) <= 12
    middle = Estimate.objects.filter(n_judgments=100, criterion="overall").get().pk
    assert read.points(made.pk, "overall", upto=middle)[-1].n_judgments == 100


def test_the_data_of_a_plot_as_table_and_csv(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    for n in range(10, 50):
        last = estimated(made, n)[-1].pk
    args = [made.public_id, "overall", made.systems.all()[0].pk, last]
    table = client.get(reverse("estimation:trend-table", args=args))
    assert 2 <= len(table.context["points"]) <= 12
    fragment = client.get(
        reverse("estimation:trend-table", args=args), headers={"HX-Request": "true"}
    )
    assert b"<html" not in fragment.content
    csv = client.get(reverse("estimation:trend-data", args=args)).content.decode().splitlines()
    assert csv[0].startswith("judgments,estimate,low,high")
    assert len(csv) == 41


def test_the_list_learns_how_many_intervals_are_at_target(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    estimated(made, 60, 0.3)
    estimated(made, 61, 0.19)
    foreign = campaign(owner=user("eve"))
    named = {"campaign": [made.public_id, foreign.public_id]}
    answer = client.get(reverse("estimation:at-target"), named)
    assert [(found.n_intervals, reached) for found, reached in answer.context["lines"]] == [(2, 2)]
    assert foreign.public_id not in answer.content.decode()


def count_queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


@pytest.mark.slow
def test_pages_ask_a_constant_number_of_queries(client: Client, ada: User) -> None:
    small = campaign(owner=ada, systems=("alpha",))
    estimated(small, 40)
    judge(person(small))
    large = campaign(owner=ada, systems=tuple("abcdef"), items=20)
    for n in range(40, 60):
        estimated(large, n)
    for n in range(4):
        judge(person(large, f"p{n}"))
        life.pause(large.pk, actor_id=ada.pk)
        life.open_(large.pk, actor_id=ada.pk)
    for n in range(4):
        for criterion in ("overall", "edit"):
            Agreement.objects.create(
                campaign=large,
                criterion=criterion,
                distance="ordinal",
                level=0.95,
                alpha=0.4,
                n_outputs=3,
                n_judgments=6,
                n_annotators=3,
                digest=str(n),
            )
        exclude(person(large, f"p{n}"), ada, "too_fast", "no_variation")
    person(large, "able")  # as one of the small one is
    for name in ("dashboard", "numbers"):
        few, many = (
            count_queries(client, reverse(f"estimation:{name}", args=[made.public_id]))
            for made in (small, large)
        )
        assert few == many <= 45, name


def test_ticks_are_round_and_inside() -> None:
    assert ticks(-0.23, 0.71, 4) == [-0.2, 0.0, 0.2, 0.4, 0.6]
    assert ticks(0, 214, 2) == [0, 100, 200]
    assert ticks(0, 7, 2)[0] == 0


def test_early_wide_intervals_do_not_flatten_the_plot() -> None:
    def moment(n: int, low: float, high: float) -> Estimate:
        return Estimate(
            n_judgments=n, estimate=0.4, low=low, high=high, mean_low=low, mean_high=high
        )

    wide = moment(2, -5.0, 6.0)
    later = [moment(n, 0.3, 0.5) for n in range(20, 101)]
    found = axis_frame([wide, *later], criterion=OVERALL, target=0.2)
    assert found.low == pytest.approx(0.28, abs=0.03)
    assert found.high == pytest.approx(0.52, abs=0.03)
    assert found.x_end == 100


AN_AVERAGE = "an average over early and late stops"


@pytest.fixture
def early(ada: User) -> Campaign:
    """Two systems of 100 items at a width of .5, closed by the rule; no judgment is stored."""
    made = campaign(owner=ada, items=8, targets={"overall": 0.5}, metrics=())
    estimated(made, 40, width=0.45)
    change(made, status="closed", close_reason=CloseReason.TARGET, closed_at=timezone.now())
    made.refresh_from_db()
    return made


@pytest.mark.usefixtures("no_screens")
def test_pages_say_so_of_an_early_end_by_the_rule(client: Client, early: Campaign) -> None:
    assert AN_AVERAGE in page(client, early).content.decode()
    report = client.get(f"/campaigns/{early.public_id}/report/").content.decode()
    assert AN_AVERAGE in report
    change(early, close_reason=CloseReason.BUDGET)
    assert AN_AVERAGE not in page(client, early).content.decode()
    change(early, status="open", close_reason="")
    assert AN_AVERAGE not in page(client, early).content.decode()


@pytest.mark.usefixtures("no_screens")
def test_early_is_before_nine_of_ten_planned_campaigns(client: Client, early: Campaign) -> None:
    found = board(client, early)
    study = Study(TYPICAL["overall"], 100, systems=2, balance=0.16)
    plan = forecast(study, target_width=0.5, prices=Prices(0.0), replicates=numbers.DRAWN)
    low = plan.judgments.low
    assert plan.judgments.low < plan.judgments.expected
    for judged, is_said in ((np.ceil(low), False), (np.floor(low) - 1, True)):
        said = numbers.early_end_note(found.facts, found.primary, judged=int(judged))
        assert (AN_AVERAGE in said) == is_said
    anytime = replace(found.facts, stop_mode="anytime")
    assert numbers.early_end_note(anytime, found.primary, judged=1) == ""
