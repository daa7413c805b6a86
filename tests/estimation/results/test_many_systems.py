"""The table of all systems and criteria: its order, its shades, its scale, and raw answers."""

import re
from itertools import combinations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotate.models import Campaign, Judgment, Score
from estimation import refresh
from estimation.models import Estimate
from estimation.pages.criteria import FEW, CriterionRow
from tests.annotate.comparing import BAD, compared, prefer, rows
from tests.browser.researchers import estimated as spread
from tests.estimation.collecting import collect
from tests.estimation.ranked import RANKING, pair
from tests.factories import campaign, change, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def eight(ada: User) -> Campaign:
    """Eight systems on two criteria; lower is better on the second."""
    names = tuple(f"s{k}" for k in range(8))
    targets = {"overall": 0.5, "edit": 0.3}
    made = campaign(owner=ada, items=2, systems=names, targets=targets, metrics=())
    spread(made, "overall", "edit")
    return made


def opened(client: Client, made: Campaign, query: str = "") -> Any:
    answer = client.get(reverse("estimation:dashboard", args=[made.public_id]) + query)
    assert answer.status_code == 200
    return answer


def table_rows(client: Client, made: Campaign) -> dict[str, CriterionRow]:
    return {row.criterion.name: row for row in opened(client, made).context["board"].rows}


def order(client: Client, made: Campaign, query: str = "") -> list[str]:
    """The systems of the table from top to bottom."""
    page = opened(client, made, query).content.decode()
    (table,) = re.findall(r'<table class="heat">.*?</table>', page, re.S)
    return re.findall(r'<th scope="row">(.*?)</th>', table)


def said(answer: Any) -> str:
    return " ".join(strip_tags(answer.content.decode()).split())


def values(made: Campaign, criterion: str) -> dict[str, float]:
    found = Estimate.objects.filter(campaign=made, criterion=criterion)
    return dict(found.values_list("system__name", "estimate"))


# --- the order of systems


def test_the_best_on_the_first_criterion_come_first(client: Client, eight: Campaign) -> None:
    of = values(eight, "overall")
    best = sorted(of, key=lambda name: -of[name])
    assert order(client, eight) == best
    assert order(client, eight, "?sort=-overall") == best[::-1]


def test_the_least_are_best_where_lower_is_better(client: Client, eight: Campaign) -> None:
    of = values(eight, "edit")
    assert order(client, eight, "?sort=edit") == sorted(of, key=lambda name: of[name])
    page = opened(client, eight, "?sort=edit").content.decode()
    assert page.count("aria-sort") == 1
    assert re.search(r'<th scope="col" aria-sort="ascending"><a[^>]*>Edit', page)
    assert 'aria-sort="descending"><a' in opened(client, eight).content.decode()


def test_systems_by_name_and_an_unknown_order(client: Client, eight: Campaign) -> None:
    names = [f"s{k}" for k in range(8)]
    assert order(client, eight, "?sort=system:") == names
    assert order(client, eight, "?sort=-system:") == names[::-1]
    assert order(client, eight, "?sort=other") == order(client, eight)


def test_a_system_without_an_estimate_comes_last(client: Client, eight: Campaign) -> None:
    best, *others = order(client, eight)
    Estimate.objects.filter(system__name=best).delete()
    assert order(client, eight) == [*others, best]
    assert order(client, eight, "?sort=-overall") == [*others[::-1], best]
    assert "no estimate yet" in opened(client, eight).content.decode()


@pytest.mark.slow
def test_order_and_adjustment_are_kept_together(client: Client, eight: Campaign) -> None:
    page = opened(client, eight, "?sort=edit&adjust=none").content.decode()
    numbers = reverse("estimation:numbers", args=[eight.public_id])
    assert f"{numbers}?adjust=none&amp;sort=edit" in page
    assert 'href="?adjust=none&amp;sort=-edit#estimates-h"' in page
    collect(eight, 60, every=60)  # pairs on two items are too few to be shown otherwise
    page = opened(client, eight, "?sort=edit").content.decode()
    assert 'href="?adjust=none&amp;sort=edit#comparisons-h"' in page


# --- what stands in it


def test_a_cell_has_the_estimate_its_interval_and_its_state(
    client: Client, eight: Campaign
) -> None:
    page = said(opened(client, eight))
    assert "Overall" in page
    assert "3 of 8 at target 0.500" in page
    assert "0.10 [0.00, 0.20]at target, width 0.200" in page


def test_the_best_has_the_strongest_colour(client: Client, eight: Campaign) -> None:
    rows_ = table_rows(client, eight)
    for name in ("overall", "edit"):
        shades = [cell.shade for cell in rows_[name].ranked]
        assert shades == sorted(shades, reverse=True)
        assert (shades[0], shades[-1]) == (5, 1)


def test_one_system_and_equal_ones_have_no_colour(client: Client, ada: User) -> None:
    one = campaign(owner=ada, systems=("s0",), targets={"overall": 0.5}, metrics=(), items=2)
    spread(one, "overall", "edit", "fluency")
    page = opened(client, one).content.decode()
    assert order(client, one) == ["s0"]
    assert page.count('class="shade-0"') == 3
    assert "The stronger the colour" not in page


def test_one_estimate_is_a_picture_and_no_table(client: Client, ada: User) -> None:
    one = campaign(owner=ada, systems=("s0",), targets={"overall": 0.5}, metrics=(), items=2)
    spread(one, "overall")
    page = opened(client, one).content.decode()
    assert 'class="heat"' not in page
    assert page.count('class="plot"') == 1


def test_few_estimates_are_pictures_alone(client: Client, ada: User) -> None:
    names = tuple(f"s{k}" for k in range(FEW))
    made = campaign(owner=ada, systems=names, targets={"overall": 0.5}, metrics=(), items=2)
    spread(made, "overall")
    page = opened(client, made).content.decode()
    assert 'class="heat"' not in page
    assert 'loading="lazy"' not in page
    assert page.count('class="plot"') == FEW


def test_pictures_of_many_estimates_are_folded_and_wait(client: Client, eight: Campaign) -> None:
    page = opened(client, eight).content.decode()
    assert page.count('class="heat"') == 1
    assert page.count('loading="lazy"') == page.count('class="plot"') == 16
    assert page.count("how each interval came about</summary>") == 2


def test_criteria_with_one_scale_have_one_axis(client: Client, ada: User) -> None:
    targets = {"overall": 0.5, "fluency": 0.5, "edit": 0.3}
    made = campaign(owner=ada, systems=("a", "b"), targets=targets, metrics=(), items=2)
    spread(made, "overall", "edit", "fluency")
    Estimate.objects.filter(criterion="fluency").update(low=-0.9)
    found = table_rows(client, made)
    assert found["overall"].axis == found["fluency"].axis != found["edit"].axis
    assert found["overall"].axis is not None
    assert found["overall"].axis.low < -0.9


def test_the_scale_holds_every_interval_and_keeps_their_order(
    client: Client, eight: Campaign
) -> None:
    overall = table_rows(client, eight)["overall"]
    for line in overall.ranked:
        assert line.axis is not None
        low, middle, high = (
            float(line.axis.x(at)) for at in (line.low, line.estimate, line.high) if at is not None
        )
        assert 8 <= low < middle < high <= 132
    assert overall.axis is not None
    assert [float(x) for x, _text in overall.axis.labels] == [8, 70, 132]


def test_estimates_that_are_all_the_same_are_drawn_too(client: Client, eight: Campaign) -> None:
    Estimate.objects.update(estimate=0.5, low=None, high=None, width=None)
    cells = table_rows(client, eight)["overall"].ranked
    assert {(cell.axis.x(0.5), cell.low) for cell in cells if cell.axis} == {("70.0", None)}
    assert {cell.shade for cell in cells} == {0}


# --- what people answered


@pytest.mark.slow
def test_raw_answers_are_those_of_the_judgments_that_count(client: Client, ada: User) -> None:
    made = campaign(owner=ada, systems=("a", "b"), items=12, metrics=(), targets={"overall": 0.4})
    collect(made, 30, every=30)
    for row in opened(client, made).context["board"].rows:
        for cell in row.cells:
            scores = Score.of(made.pk).filter(
                criterion=row.criterion.name,
                judgment__output__authorships__system=cell.system.system_id,
            )
            given = sorted(scores.values_list("value", flat=True))
            levels = sorted(level.value for level in row.criterion.levels)
            assert [one["n"] for one in cell.answers] == [given.count(level) for level in levels]
    page = said(opened(client, made))
    assert "Poor · Fair · Good" in page


def test_estimates_from_before_answers_were_kept_show_none(client: Client, eight: Campaign) -> None:
    assert "What people answered" not in opened(client, eight).content.decode()


# --- comparisons of two texts


@pytest.fixture
def pairs(ada: User) -> Campaign:
    made = compared(rows(6, "ABCD"), owner=ada, annotator_cap=None, double_share=0)
    crowd = [person(made, f"p{n}") for n in range(4)]
    for turn in range(36):
        prefer(crowd[turn % 4], (2, 1, BAD, -1, 0)[turn % 5])
    refresh.refresh(made.pk)
    return made


@pytest.mark.slow
def test_a_pair_shows_how_often_each_won(client: Client, pairs: Campaign) -> None:
    page = opened(client, pairs)
    (preference, _wins, _both_bad) = page.context["board"].rows
    all_bad = 0
    for cell in preference.cells:
        mine = Score.of(pairs.pk).filter(
            criterion="preference", judgment__output__authorships__system=cell.system.system_id
        )
        signs = [(value > 0) - (value < 0) for value in mine.values_list("value", flat=True)]
        first, same, second = (signs.count(sign) for sign in (1, 0, -1))
        marks = Judgment.objects.filter(
            response__both_bad=["preference"], output__authorships__system=cell.system.system_id
        )
        bad = marks.count()
        all_bad += bad
        assert [(one["label"], one["n"]) for one in cell.answers] == [
            (cell.system.first, first),
            ("no difference", same - bad),
            ("both bad", bad),
            (cell.system.second, second),
        ]
        assert cell.shade == 0
    assert all_bad == 7
    said = page.content.decode()
    assert "first better · no difference · both bad · second better" in said
    assert "Preference (both bad)" in said


@pytest.mark.slow
def test_the_map_of_wins_has_both_sides_of_each_pair(client: Client, pairs: Campaign) -> None:
    page = opened(client, pairs)
    (found,) = page.context["strengths"]
    names = [name for name, _cells in found["wins"]]
    assert sorted(names) == ["A", "B", "C", "D"]
    assert names == [one["system"] for one in found["systems"]]
    share = {
        (name, other): cell and cell["share"]
        for name, cells in found["wins"]
        for other, cell in zip(names, cells, strict=True)
    }
    of = values(pairs, "preference_wins")
    for name, value in of.items():
        first, second = name.split(" vs. ")
        assert share[first, second] == pytest.approx(value)
        assert share[second, first] == pytest.approx(1 - value)
    assert share["A", "A"] is None
    assert "<b>Preference</b> share of comparisons that the row wins" in page.content.decode()


@pytest.mark.slow
def test_the_map_is_there_where_pairs_connect_no_systems(client: Client, pairs: Campaign) -> None:
    Estimate.objects.filter(criterion="preference_wins").exclude(system__name="A vs. B").delete()
    (found,) = opened(client, pairs).context["strengths"]
    assert found["systems"] == []
    assert [name for name, _cells in found["wins"]] == ["A", "B", "C", "D"]


# --- rankings


def test_places_of_many_ranked_systems_stand_in_the_table(client: Client, ada: User) -> None:
    names = tuple("abcde")
    made = campaign(owner=ada, items=40, systems=names, **RANKING)
    spread(made, "overall")
    for first, second in combinations(names, 2):
        outcome = "second" if (first, second) == ("a", "b") else "first"
        pair(made, first, second, 0.6, outcome=outcome)
    made.systems.filter(name="e").update(stop_position=30)
    page = " ".join(opened(client, made).content.decode().split())
    place = dict(re.findall(r'<th scope="row">(\w).*?</span>([\d–]+)</span>', page))
    assert place == {"a": "2", "b": "1", "c": "3", "d": "4", "e": "5"}
    assert 'class="places"' not in page
    assert "10 of 10 pairs decided" in page
    assert "place 2" not in page.partition('class="key"')[2].partition("</p>")[0]
    assert page.count("left the ranking") == 1
    assert page.index('id="estimates-h"') < page.index('id="ranking-h"')
    assert page.index('href="#estimates-h"') < page.index('href="#ranking-h"')


def test_places_of_few_ranked_systems_stand_open(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, systems=tuple("abcd"), **RANKING)
    spread(made, "overall")
    page = opened(client, made).content.decode()
    assert page.count('<b class="place">') == 4
    assert page.index('id="ranking-h"') < page.index('id="estimates-h"')
    assert 'id="ranked-overall"' not in page


# --- who may see it


def test_a_blind_reviewer_sees_no_table_before_the_end(client: Client, eight: Campaign) -> None:
    reviewer = User.objects.create_user("eve", password="x")
    eight.memberships.create(user=reviewer, role="reviewer")
    client.force_login(reviewer)
    page = opened(client, eight, "?sort=edit").content.decode()
    assert 'class="heat"' not in page
    assert "s0" not in page
    change(eight, status="closed", closed_at=timezone.now())
    assert 'class="heat"' in opened(client, eight).content.decode()
