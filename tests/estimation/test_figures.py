"""The dashboard of many systems: its contents, the choice of an adjustment, and what is saved."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign
from estimation import refresh
from estimation.pages import numbers
from tests.estimation.collecting import collect
from tests.factories import campaign, change, user
from tests.remembered import again

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
SYSTEMS = ("Linden", "Alder", "Rowan", "Beech", "Larch")


@pytest.fixture
def study() -> Campaign:
    return again(judged, user())


def judged(owner: User) -> Campaign:
    made = campaign(owner=owner, items=24, systems=SYSTEMS, targets={"overall": 0.3}, metrics=())
    collect(made, 120, every=120)
    return made


@pytest.fixture
def owner(study: Campaign, client: Client) -> Client:
    client.force_login(User.objects.get(username="ada"))
    return client


def figure(client: Client, study: Campaign, name: str, kind: str, query: str = ""):
    return client.get(
        reverse("estimation:figure", args=[study.public_id, name, "overall", kind]) + query
    )


def dashboard(client: Client, study: Campaign, query: str = "") -> str:
    at = reverse("estimation:dashboard", args=[study.public_id])
    return " ".join(client.get(at + query).content.decode().split())


def rows(answer) -> list[dict[str, str]]:
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_contents_name_the_sections_that_are_there(study, owner):
    page = dashboard(owner, study)
    for key in ("next-h", "estimates-h", "comparisons-h", "activity-h"):
        assert f'href="#{key}"' in page
        assert f'id="{key}"' in page
    assert 'href="#ranking-h"' not in page


def test_the_data_of_the_estimates_are_those_of_the_page(study, owner):
    found = rows(figure(owner, study, "estimates", "csv"))
    assert {one["system"] for one in found} == set(SYSTEMS)
    values = [float(one["estimate"]) for one in found]
    assert values == sorted(values, reverse=True)
    for one in found:
        assert float(one["low"]) <= float(one["estimate"]) <= float(one["high"])
        assert one["place"]
        assert one["target"] == "0.3"
    assert f"<b>{values[0]:.2f}</b>" in dashboard(owner, study)


def test_each_adjustment_says_what_it_does_and_widens_or_not(study, owner):
    alone = rows(figure(owner, study, "differences", "csv", "?adjust=none"))
    together = rows(figure(owner, study, "differences", "csv", "?adjust=simultaneous"))
    assert len(alone) == len(together) == 10
    for one, other in zip(alone, together, strict=True):
        assert one["difference"] == other["difference"]
        assert float(other["low"]) < float(one["low"])
        assert float(other["high"]) > float(one["high"])
        assert other["adjustment"] == "simultaneous"
    assert "Bonferroni" in dashboard(owner, study, "?adjust=simultaneous")
    assert "by chance" in dashboard(owner, study, "?adjust=none")
    assert "after Holm" in dashboard(owner, study)


def test_the_page_goes_on_with_the_adjustment_that_was_chosen(study, owner):
    page = dashboard(owner, study, "?adjust=simultaneous")
    assert f"{reverse('estimation:numbers', args=[study.public_id])}?adjust=simultaneous" in page
    assert "overall/csv".replace("/", ".") + "?adjust=simultaneous" in page
    assert 'href="?adjust=simultaneous#comparisons-h" aria-current="true"' in page
    assert "?adjust=" not in dashboard(owner, study).replace('href="?adjust=', "")


def test_an_unknown_adjustment_is_the_usual_one(study, owner):
    assert 'href="?adjust=holm#comparisons-h" aria-current="true"' in dashboard(
        owner, study, "?adjust=tukey"
    )


def test_a_confidence_sequence_is_not_made_simultaneous(study, owner):
    change(study, stop_mode="anytime")
    assert "adjust=simultaneous" not in dashboard(owner, study)
    one = rows(figure(owner, study, "differences", "csv", "?adjust=simultaneous"))[0]
    assert one["adjustment"] == numbers.USUAL


@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<svg"), ("png", b"\x89PNG")])
@pytest.mark.parametrize("name", ["estimates", "differences"])
def test_pictures_to_save(study, owner, name, kind, starts):
    answer = figure(owner, study, name, kind)
    assert answer.content.startswith(starts)
    assert answer["Content-Disposition"].endswith(f'-{name}-overall.{kind}"')
    if kind == "svg":
        drawn = answer.content.decode()
        assert all(system in drawn for system in SYSTEMS)


@pytest.mark.parametrize(
    ("name", "kind"), [("others", "csv"), ("estimates", "gif"), ("estimates", "")]
)
def test_other_pictures_are_not_there(study, owner, name, kind):
    at = f"/campaigns/{study.public_id}/figures/{name}/overall.{kind}"
    assert owner.get(at).status_code == 404


@pytest.mark.slow
def test_two_systems_have_no_matrix_and_none_has_estimates_before_a_judgment(client):
    owner = user()
    made = campaign(
        owner=owner, items=12, systems=("Linden", "Alder"), targets={"overall": 0.3}, metrics=()
    )
    client.force_login(owner)
    assert figure(client, made, "estimates", "csv").status_code == 404
    collect(made, 60, every=60)
    refresh.refresh(made.pk)
    assert len(rows(figure(client, made, "estimates", "csv"))) == 2
    assert figure(client, made, "differences", "csv").status_code == 404
