"""Many systems on one criterion are one picture: sorted, on one scale that holds every interval."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign
from estimation.models import Estimate
from estimation.pages.criteria import FEW, CriterionRow
from estimation.pages.dashboard import Dashboard
from tests.browser.researchers import estimated
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def made(owner: User, n: int = 7) -> Campaign:
    names = tuple(f"s{k}" for k in range(n))
    targets = {"overall": 0.5, "edit": 0.3}
    study = campaign(owner=owner, items=2, systems=names, targets=targets, metrics=())
    estimated(study, "overall", "edit")
    return study


def shown(client: Client, study: Campaign) -> tuple[dict[str, CriterionRow], str]:
    answer = client.get(reverse("estimation:dashboard", args=[study.public_id]))
    board: Dashboard = answer.context["board"]
    return {row.criterion.name: row for row in board.rows}, answer.content.decode()


@pytest.fixture
def ada(client: Client) -> User:
    found = user()
    client.force_login(found)
    return found


def test_the_best_comes_first_whichever_way_is_better(client: Client, ada: User) -> None:
    rows, _page = shown(client, made(ada))
    for name, is_high_good in (("overall", True), ("edit", False)):
        scores = [cell.estimate or 0.0 for cell in rows[name].ranked]
        assert scores == sorted(scores, reverse=is_high_good)
        assert len(scores) == 7


def test_the_scale_holds_every_interval_and_keeps_their_order(client: Client, ada: User) -> None:
    rows, _page = shown(client, made(ada))
    for line in rows["overall"].ranked:
        assert line.x
        assert line.x_low is not None
        assert line.x_high is not None
        assert 8 <= float(line.x_low) < float(line.x) < float(line.x_high) <= 132
    assert rows["overall"].axis is not None
    ends = [float(x) for x, _text in rows["overall"].axis.labels]
    assert ends == [8, 70, 132]


def test_few_systems_are_cells_alone(client: Client, ada: User) -> None:
    rows, page = shown(client, made(ada, FEW))
    assert not rows["overall"].is_forest
    assert 'class="forest"' not in page
    assert 'loading="lazy"' not in page


def test_many_are_one_picture_and_their_plots_wait(client: Client, ada: User) -> None:
    _rows, page = shown(client, made(ada))
    assert page.count('class="forest"') == 2
    assert page.count('loading="lazy"') == 14
    assert page.count('class="plot"') == 14


def test_a_system_without_an_estimate_is_named_below(client: Client, ada: User) -> None:
    rows, _page = shown(client, made(ada))
    first, *others = rows["overall"].cells
    found = replace(rows["overall"], cells=(replace(first, row=None), *others))
    assert found.is_forest
    assert [cell.system.name for cell in found.awaited] == [first.system.name]
    assert len(found.ranked) == 6


def test_estimates_that_are_all_the_same_are_drawn_too(client: Client, ada: User) -> None:
    study = made(ada)
    Estimate.objects.update(estimate=0.5, low=None, high=None, width=None)
    rows, _page = shown(client, study)
    assert {(cell.x, cell.x_low) for cell in rows["overall"].ranked} == {("70.0", None)}
