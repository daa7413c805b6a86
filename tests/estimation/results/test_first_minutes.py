"""What researchers see from the first judgment on: no numbers that cannot be, and good English."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.instruments.base import Criterion
from annotate.instruments.language_quality.instrument import OVERALL
from annotate.instruments.rating.instrument import HTER
from annotate.models import Campaign, Judgment
from estimation import read
from estimation.models import Estimate
from estimation.pages import charts as pages_charts
from estimation.pages.criteria import ShownCell
from estimation.pages.dashboard import Dashboard
from estimation.read import Awaited
from tests.estimation import reviewed
from tests.estimation.collecting import collect
from tests.estimation.stored import estimate_row
from tests.factories import campaign, person, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

FOUR = {"fluency": 0.3, "redundancy": 0.3, "overall": 0.3, "edit": 0.3}
# What no page may say, whatever the numbers: half words, floats as counts, wrong plurals.
WRONG = re.compile(
    r"\b1 (?!of\b)[a-z]*(?:people|judgments|items|outputs|places|slots|annotators|systems)\b"
    r"|\b\d+\.0 (?:judgments?|items?|people)|\be[+-]\d|\bnan\b|\binf\b|\bNone\b(?! so far)"
    r"|\b(?:[02-9]|\d{2,}) (?:person|judgment|item|output|place|slot|annotator)\b",
)


def shows(client: Client, made: Campaign) -> tuple[Dashboard, str]:
    """The dashboard, and its text as people read it: alternatives of pictures too."""
    answer = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert answer.status_code == 200
    page = answer.content.decode()
    said = " ".join(re.findall(r'alt="([^"]*)"', page))
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    return answer.context["board"], f"{text} {said}"


def labels(client: Client, made: Campaign, cell: ShownCell, newest: int) -> list[str]:
    """The words and numbers in a plot."""
    args = [made.public_id, cell.criterion.name, cell.system.system_id, newest, "light"]
    drawn = client.get(reverse("estimation:trend", args=args))
    assert drawn.status_code == 200
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn.content.decode())


@pytest.mark.slow
def test_before_ten_items_it_says_what_is_awaited(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, systems=("alpha",), double_share=0.0)
    collect(made, 4)
    board, text = shows(client, made)
    assert "Estimates appear after 10 judged items: 4 so far." in text
    assert "Width" not in text
    assert (
        "<img"
        not in client.get(reverse("estimation:numbers", args=[made.public_id])).content.decode()
    )
    assert board.secondary_rows == ()
    assert not board.is_shown
    collect(made, 6)
    board, text = shows(client, made)
    assert board.is_shown
    assert "Estimates appear after" not in text
    assert "10 judgments of 10 items by" in text


def both(made: Campaign) -> int:
    """Return how many items are judged for both systems."""
    judged = Judgment.objects.filter(campaign=made).values_list("output__item", flat=True)
    return sum(n > 1 for n in Counter(judged).values())


@pytest.mark.slow
def test_differences_wait_for_ten_too(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, double_share=0.0)
    collect(made, 19, crowd=6, every=5)
    board, text = shows(client, made)
    assert board.is_shown
    assert "Differences appear after 10 items judged for both systems: 9 so far." in text
    assert "Estimates appear after 10 judged items: 9 so far." in text
    while both(made) < 10:  # a person gets an item again only after others
        collect(made, 1, crowd=6)
    board, text = shows(client, made)
    assert "Differences appear" not in text
    (table,) = board.comparisons
    ((low, high),) = (contrast.ends for contrast in table.shown)
    assert -2 <= low <= high <= 2


@pytest.mark.slow
def test_agreement_waits_for_ten_too(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=60, double_share=0.25)
    collect(made, 30, every=10)
    board, text = shows(client, made)
    awaits = r"Agreement figures appear after 10 outputs judged by several people: [1-9] so far\."
    assert re.search(awaits, text)
    assert not any(one.is_shown for one in board.agreed)
    assert "chance" not in text.partition("0 is what chance")[2]
    collect(made, 60, every=30)
    _, text = shows(client, made)
    assert "Agreement figures appear" not in text
    assert "1 is perfect agreement" in text


def test_a_campaign_that_closed_too_early_says_so(client: Client, ada: User) -> None:
    assert str(Awaited("Estimates", ("judged item", "judged items"), 4, 10, final=True)) == (
        "There are 4 judged items. Estimates are shown from 10 on."
    )


@pytest.mark.slow
@pytest.mark.parametrize("systems", [("alpha",), tuple("abcdefghijkl")], ids=["one", "twelve"])
def test_no_page_says_what_cannot_be(client: Client, ada: User, systems: tuple[str, ...]) -> None:
    made, judged = campaign(owner=ada, items=40, systems=systems, targets=FOUR), 0
    for n in (0, 1, 2, 5, 9, 10, 30):
        judged += collect(made, n - judged, every=30, seed=n)
        board, text = shows(client, made)
        assert not WRONG.findall(text), n
        for row in board.rows:
            for cell in row.cells:
                _is_on_the_scale(cell)
                if cell.shown and cell.row.width is not None:
                    _is_a_sensible_plot(labels(client, made, cell, row.newest_id), row.criterion)
    assert judged == 30


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1])
def test_one_is_one_on_all_pages_of_researchers(client: Client, ada: User, n: int) -> None:
    made = campaign(owner=ada, items=1, systems=("alpha",), targets=FOUR, double_share=0.0)
    collect(made, n, crowd=1)
    if n:
        reviewed.flag(person(made, "person 00"))
    addresses = [reverse("annotate:campaigns"), reverse("annotate:reviews")]
    names = ["people", "pay", "batches"]
    addresses += [reverse(f"annotate:{name}", args=[made.public_id]) for name in names]
    verbs = ["close", "finish", "reopen", "archive"]
    addresses += [reverse("annotate:act", args=[made.public_id, verb]) for verb in verbs]
    if n:
        who = made.participations.get().annotator.pseudonym
        addresses.append(reverse("annotate:review", args=[made.public_id, who]))
        newest = Estimate.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        cell = [made.public_id, "overall", made.systems.get().pk, newest]
        addresses.append(reverse("estimation:trend-table", args=cell))
    for address in addresses:
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))
        wrong = [text[max(0, one.start() - 40) : one.end() + 30] for one in WRONG.finditer(text)]
        assert not wrong, address


def _is_on_the_scale(cell: ShownCell) -> None:
    if cell.shown is None or cell.low is None or cell.high is None:
        return
    top = cell.criterion.high if cell.criterion.bounded else max(2.0, cell.row.high)
    assert cell.criterion.low <= cell.low <= cell.high <= top
    assert 0 <= cell.width_shown <= top - cell.criterion.low
    assert cell.width <= cell.criterion.high - cell.criterion.low


def _is_a_sensible_plot(texts: list[str], criterion: Criterion) -> None:
    assert not [text for text in texts if WRONG.search(text)]
    numbers = [float(text.replace("−", "-")) for text in texts if re.fullmatch(r"−?[\d.]+", text)]
    assert all(len(text) <= 5 for text in texts if re.fullmatch(r"−?[\d.]+", text))
    below = [number for number in numbers if number < 0]
    assert all(number >= criterion.low for number in below)
    assert any(re.fullmatch(r"\d+ judgments?", text) for text in texts)


@pytest.mark.slow
def test_an_edit_rate_above_its_working_range_keeps_its_interval(client: Client, ada: User) -> None:
    wordy = [
        replace(row, output=f"It is {row.item} so it is as it is to be. " * 3) for row in rows(20)
    ]
    made = campaign(owner=ada, rows_=wordy, targets={"edit": 0.3})
    rewritten = "Antidisestablishmentarianism internationalizes."
    collect(made, 30, every=5, fluency=-1, redundancy=-1, overall=-1, edit=rewritten)
    board, _ = shows(client, made)
    cell = board.primary[0]
    assert cell.row.estimate > 2
    assert cell.high == cell.row.high
    _is_a_sensible_plot(labels(client, made, cell, board.rows[0].newest_id), HTER)


@pytest.mark.slow
def test_what_is_cut_is_said_and_the_decision_looks_at_the_whole(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, systems=("alpha",))
    row = _estimate(made, estimate=0.9, low=0.75, high=1.05)
    board, text = shows(client, made)
    (cell,) = board.primary
    assert (cell.low, cell.high) == (0.75, 1.0)
    assert cell.width_shown == pytest.approx(0.25)
    assert cell.state.word == "0.100 too wide"  # 0.3 against 0.2, as the rule sees it
    assert "The interval is cut to the scale. Collection stops by its whole width, 0.300." in text
    assert row.width == pytest.approx(0.3)
    _estimate(made, estimate=0.4, low=-4.0, high=7.0)
    _, text = shows(client, made)
    assert "Width 2.000 target 0.200" in text
    assert "The interval is cut to the scale." in text
    assert "whole width" not in text
    assert "11.0" not in text
    assert "1.800 too wide" in text


def _estimate(made: Campaign, *, estimate: float, low: float, high: float) -> Estimate:
    ends = {"low": low, "high": high, "mean_low": low, "mean_high": high, "n_population": 40}
    row = estimate_row(made, made.systems.get(), estimate, high - low, **ends)
    row.save()
    return row


def test_the_table_of_a_plot_is_cut_and_its_csv_is_whole(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, systems=("alpha",))
    _estimate(made, estimate=0.4, low=-4.0, high=7.0)
    args = [made.public_id, "overall", made.systems.get().pk, Estimate.objects.get().pk]
    table = client.get(reverse("estimation:trend-table", args=args)).content.decode()
    assert "−1.000 to 1.000" in table
    assert "7.000" not in table
    assert "-4.0,7.0" in client.get(reverse("estimation:trend-data", args=args)).content.decode()


# ---- the same, over all numbers ----------------------------------------------------------------

VALUES = st.floats(-20, 20)


@st.composite
def intervals(draw: Any, criterion: Criterion) -> Estimate:
    top = criterion.high if criterion.bounded else 4.0
    at = draw(st.floats(criterion.low, top))
    low, high = at - draw(st.floats(0, 20)), at + draw(st.floats(0, 20))
    n = draw(st.integers(1, 5000))
    means = {"mean_estimate": at, "mean_low": low - 0.1, "mean_high": high + 0.1}
    return Estimate(n_judgments=n, estimate=at, low=low, high=high, **means)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [OVERALL, HTER], ids=["overall", "edit"])
@given(data=st.data())
def test_a_plot_shows_the_scale_and_nothing_else(criterion: Criterion, data: Any) -> None:
    points = data.draw(st.lists(intervals(criterion), min_size=1, max_size=8))
    target = data.draw(st.none() | st.floats(0.01, criterion.high - criterion.low))
    found = pages_charts.axis_frame(points, criterion=criterion, target=target)
    top = max([criterion.high, *(p.high for p in points if p.estimate > criterion.high)])
    free = (target or 0) / 2 + 0.3 if top > criterion.high else 0  # nothing ends a working range
    room = 0.06 * (max(top, *(p.high for p in points)) + free - criterion.low)
    assert criterion.low - room <= found.low < found.high <= top + room + free
    assert all(criterion.low <= tick <= top + free for tick in found.y_ticks)
    assert all(tick == int(tick) for tick in found.x_ticks)
    assert found.x_ticks


@pytest.mark.parametrize("criterion", [OVERALL, HTER], ids=["overall", "edit"])
@given(data=st.data())
def test_a_shown_interval_holds_its_estimate_and_stays_on_the_scale(
    criterion: Criterion, data: Any
) -> None:
    point = data.draw(intervals(criterion))
    low, high = (read.cut(end, criterion, point.estimate) for end in (point.low, point.high))
    assert criterion.low <= low <= point.estimate <= high
    assert high <= max(criterion.high, point.high if point.estimate > criterion.high else 0)


@pytest.mark.slow
def test_a_system_with_enough_items_and_no_estimate_is_not_said_to_have_few(
    client: Client, ada: User
) -> None:
    """Its items are counted up to what is enough."""
    made = campaign(owner=ada, items=40, systems=("alpha",), double_share=0.0)
    people = [person(made, f"p{n}") for n in range(12)]
    reviewed.take_turns(people, 12)
    board, text = shows(client, made)
    assert not board.is_shown
    assert "Estimates are not made yet: there are enough judged items." in text
    assert "10 so far" not in text
