"""Campaigns that rank by pairs judged side by side: who leaves, when they close, what is told."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.campaigns import facts, life
from annotate.campaigns import lists as campaigns_lists
from annotate.models import Campaign, Slot, System, Target
from annotate.models.base import CloseReason
from estimation import read
from estimation.core import Estimate as Estimated
from estimation.core import Sample, Scale, estimate, sequence_half_widths
from estimation.models import Comparison, Decision, Estimate
from estimation.pages import numbers
from estimation.rule import PairRule
from tests.annotate.comparing import decide, prefer_in_turn, ranked
from tests.annotate.researcher import created
from tests.estimation.ranked import crowd
from tests.estimation.reviewed import settle
from tests.estimation.verifying.worlds import changed, files_of, written
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]
FLIPPED = {"first": "second", "second": "first", "close": "close", "open": "open"}


def decisions(made: Campaign) -> dict[str, str]:
    rows = read.newest([made.pk]).filter(criterion="preference")
    return {row.system.name: row.detail["outcome"] for row in rows.select_related("system")}


def stops(made: Campaign) -> dict[str, int | None]:
    return dict(System.objects.filter(campaign=made).values_list("name", "stop_position"))


@pytest.mark.slow
def test_a_decided_pair_leaves_and_the_campaign_closes_with_the_last() -> None:
    made = ranked()
    people = crowd(made)
    while stops(made)["A vs. B"] is None:
        assert prefer_in_turn(made, people, 15, every=15, seed=Slot.objects.count())
    left = stops(made)["A vs. B"]
    assert left is not None
    prefer_in_turn(made, people, 3000, every=15, seed=7)
    made.refresh_from_db()
    assert (made.status, made.close_reason) == ("closed", CloseReason.RANKED)
    assert decisions(made) == {"A vs. B": "first", "A vs. C": "first", "B vs. C": "close"}
    held = Slot.objects.filter(
        assignment__isnull=False, output__authorships__system__name="A vs. B"
    )
    assert max(held.values_list("position", flat=True)) < left
    assert not Comparison.objects.filter(campaign=made).exists()
    told = list(Decision.objects.filter(campaign=made).order_by("pk"))
    assert [one.verb for one in told][-2:] == ["close", "finish"]
    assert [one.verb for one in told].count("stop_system") == 3
    assert {one.reason for one in told} == {"ranked"}
    assert told[0].text == "A vs. B is decided on every primary criterion: it leaves the ranking."
    assert [one.estimates.count() for one in told] == [1, 1, 1, 3, 3]
    rows = Estimate.objects.filter(decisions=told[-1])
    assert {row.detail["pairs"] for row in rows} == {3}
    assert {(row.interval, row.provisional) for row in rows} == {("sequence", False)}


@pytest.mark.slow
def test_stored_intervals_share_alpha_among_pairs_and_criteria() -> None:
    margins = {"preference": 0.2, "preference_wins": 0.1}
    made = ranked(items=40, margins=margins, double_share=0)
    prefer_in_turn(made, crowd(made), 110)
    design = facts.design(made.pk)
    rows = read.newest([made.pk], margins).select_related("system")
    assert rows.count() == 6
    for row in rows:
        assert (row.detail["pairs"], row.detail["margin"]) == (6, margins[row.criterion])
        half = sequence_half_widths(
            row.std_error, row.n_items, alpha=0.05 / 6, planned_items=design.planned_items
        )
        assert row.high - row.low == pytest.approx(2 * float(half))


@pytest.mark.slow
def test_a_pair_that_is_open_again_goes_on() -> None:
    made = ranked(double_share=0)
    prefer_in_turn(made, crowd(made), 50)
    life.stop_system(System.objects.get(campaign=made, name="B vs. C").pk, reason="ranked")
    prefer_in_turn(made, crowd(made), 3)
    assert set(stops(made).values()) == {None}
    told = Decision.objects.get(campaign=made, verb="resume_system")
    assert told.text == "With its last items finished, B vs. C is open again."
    assert life.close(made.pk, CloseReason.RANKED)
    settle(made)
    assert (made.status, made.close_reason) == ("open", "")
    told = Decision.objects.get(campaign=made, verb="resume")
    assert told.text == (
        "With all items finished, these pairs are open again: A vs. B, A vs. C, B vs. C."
    )


# --- from the form to the close, and what then is told of it

SENT = {
    "instrument": "preference",
    "tutorial": "none",
    "metric_choice": "none",
    "stop_mode": "ranking",
    "margin_preference": "0.5",
    "double_share": "10",
    "raters": "2",
}


def lines(items: int = 120) -> bytes:
    rows = [
        {"item": f"i{n}", "system": name, "output": f"{name} wrote {n}."}
        for n in range(items)
        for name in "ABC"
    ]
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.mark.slow
def test_from_the_form_to_the_close(client: Client, tmp_path: Path) -> None:
    client.force_login(user())
    made = created(client, lines(), **SENT)
    target = Target.objects.get(campaign=made)
    assert (made.stop_mode, target.criterion, target.margin) == ("ranking", "preference", 0.5)
    life.open_(made.pk)
    people = crowd(made)
    prefer_in_turn(made, people, 40, every=20)
    page = shown(client, "estimation:dashboard", made)
    assert "The first pairs can be decided after 30 items of each pair." in page
    assert "Stays open because 3 of 3 pairs are not decided yet." in page
    prefer_in_turn(made, people, 3000, every=20, seed=2)
    settle(made)
    assert (made.status, made.close_reason) == ("closed", "ranked")
    page = shown(client, "estimation:dashboard", made)
    assert "A is better" in page
    assert "they differ by less than 0.5" in page
    assert '<b class="place">1</b> <span class="who">A</span>' in page
    assert page.count('<b class="place">2–3</b>') == 2
    assert "By preference: 1 A, 2–3 B, 2–3 C." in page
    report = shown(client, "estimation:report", made)
    assert "preferences nearer than <b>0.5 on preference</b> to a tie not mattering" in report
    assert "A vs. B</th><td>A is better" in report
    tex = client.get(reverse("estimation:report-tex", args=[made.public_id])).content.decode()
    assert "B vs. C & {}they differ by less than 0.5" in tex
    list_ = client.get(reverse("estimation:at-target"), {"campaign": made.public_id})
    assert "of 3 pairs decided" in list_.content.decode()
    verified_and_found_out(made, tmp_path)


def verified_and_found_out(made: Campaign, folder: Path) -> None:
    """The export can be made again, and a changed decision is found."""
    files = files_of(made)
    out = io.StringIO()
    call_command("verify", str(written(files, folder / "whole.zip")), stdout=out)
    assert "Everything agrees." in out.getvalue()
    assert f"{Decision.objects.filter(campaign=made).count()} decisions" in out.getvalue()

    def other(text: str) -> str:
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {row["outcome"] for row in rows if row["newest"] == "1"} == {"first", "close", ""}
        for row in rows:
            row["outcome"] = FLIPPED.get(row["outcome"], "")
        told = io.StringIO()
        writer = csv.DictWriter(told, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        return told.getvalue()

    path = written(changed(files, "estimates.csv", other), folder / "other.zip")
    with pytest.raises(CommandError, match="outcome is 'second'; 'first' follows"):
        call_command("verify", str(path), stdout=out, stderr=io.StringIO())


def shown(client: Client, page: str, made: Campaign) -> str:
    answer = client.get(reverse(page, args=[made.public_id]))
    return " ".join(answer.content.decode().split())


# --- how it is read


def test_systems_of_a_circle_share_their_places(client: Client) -> None:
    owner = user()
    made = ranked(items=6, owner=owner)
    decide(made, {"A vs. B": "first", "A vs. C": "second", "B vs. C": "first"})
    (one,) = numbers.rankings_of(campaigns_lists.facts(made)).each
    assert {placed.system: placed.place for placed in one.placed} == dict.fromkeys("ABC", "1–3")
    assert one.circles == (("A", "B", "C"),)
    client.force_login(owner)
    page = shown(client, "estimation:dashboard", made)
    assert "A, B, C share their places because they form a circle" in page


def test_wins_are_counted_from_a_half(client: Client) -> None:
    owner = user()
    made = ranked(items=6, systems="AB", owner=owner, margins={"preference_wins": 0.1})
    decide(made, {"A vs. B": "first"})
    Estimate.objects.update(criterion="preference_wins", estimate=0.8, low=0.6, high=0.95)
    (one,) = numbers.rankings_of(campaigns_lists.facts(made)).each
    assert one.pairs[0].row.low == pytest.approx(0.1)
    client.force_login(owner)
    assert "Counted from a tie, which is 0.5." in shown(client, "estimation:dashboard", made)


def rule(**changes: Any) -> PairRule:
    said = {"tie": 0.0, "margin": 0.3, "pairs": 3, "least": 30}
    return PairRule(0.95, None, 100.0, **{**said, **changes})


def found(score: Any, *, people: int = 21, low: float = -1.0) -> Estimated:
    """The estimate of one judgment of each item, by people in turn."""
    n = len(score)
    return estimate(
        Sample(np.array(score, float), np.arange(n), np.arange(n) % people, 400, Scale(low, 1.0))
    )


# --- the rule


def test_what_is_better_is_known_where_the_interval_leaves_a_tie_out() -> None:
    better = found([1, 1, 0.5, 1, 0, 1, 1, 0.5] * 20)
    assert rule().decided(better).outcome == "first"
    assert rule().interval(better).low > 0
    wins = found([1, 1, 0.5, 1, 0.5, 1, 1, 1] * 20, low=0.0)
    assert rule(tie=0.5, margin=0.1).decided(wins).outcome == "first"
    assert rule(tie=0.5, margin=0.1).interval(wins).low > 0.5
    halves = found([1, 0, 0.5, 0.5] * 100, low=0.0)
    assert rule(tie=0.5, margin=0.2).decided(halves).outcome == "close"


@pytest.mark.parametrize(
    ("n", "people", "needs"), [(29, 21, "items"), (80, 4, "people"), (80, 21, "items")]
)
def test_an_open_pair_says_what_it_needs(n: int, people: int, needs: str) -> None:
    said = rule(margin=0.1).ranked(found(([0.5, -0.5, 0, 0.5, 0] * 20)[:n], people=people))
    assert (said.outcome, said.needs) == ("open", needs)
    assert (said.interval is None) == (n < 30)


answers = st.lists(st.sampled_from([-1, -0.5, 0, 0.5, 1]), min_size=30, max_size=120)


@given(score=answers, people=st.integers(3, 30), margin=st.sampled_from([0.1, 0.3, 0.6]))
@settings(max_examples=150)
@pytest.mark.slow
def test_changing_the_two_sides_flips_what_is_decided(
    score: list[float], people: int, margin: float
) -> None:
    one, other = found(score, people=people), found([-value for value in score], people=people)
    said, turned = (rule(margin=margin).ranked(each) for each in (one, other))
    assert turned.outcome == FLIPPED[said.outcome]
    assert (turned.needs, turned.items) == (said.needs, said.items)
    if said.interval and turned.interval:
        ends = -said.interval.high, -said.interval.low
        assert (turned.interval.low, turned.interval.high) == pytest.approx(ends)
    wins = [(1 + (value > 0) - (value < 0)) / 2 for value in score]
    of_wins = rule(tie=0.5, margin=margin / 2)
    one, other = (found(each, people=people, low=0.0) for each in (wins, [1 - w for w in wins]))
    assert of_wins.decided(other).outcome == FLIPPED[of_wins.decided(one).outcome]
