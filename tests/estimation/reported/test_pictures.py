"""The report's pictures and its tutorial: on the page, to be saved, and in the export."""

import csv
import io
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.instruments.registry import INSTRUMENTS
from annotate.models import Campaign
from estimation.models import Estimate
from estimation.pages import report as pages_report
from tests.estimation.verifying.worlds import closed, files_of
from tests.factories import campaign
from tests.remembered import again

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


@pytest.fixture(autouse=True)
def _logged_in(client: Client, ada: User) -> None:
    client.force_login(ada)


@pytest.fixture
def made(ada: User) -> Campaign:
    return again(closed, ada)


def page(client: Client, made: Campaign) -> str:
    answer = client.get(reverse("estimation:report", args=[made.public_id]))
    assert answer.status_code == 200
    return answer.content.decode()


def figure(client: Client, made: Campaign, of: str, kind: str, query: str = "") -> bytes:
    address = reverse("estimation:figure", args=[made.public_id, of, "overall", kind])
    answer = client.get(address + query)
    assert answer.status_code == 200
    return answer.content


def test_intervals_stand_beside_their_numbers(client: Client, made: Campaign) -> None:
    shown = page(client, made)
    report = pages_report.build(made)
    cells = [
        cell
        for row in (*report.board.primary_rows, *report.board.secondary_rows)
        for cell in row.cells
        if cell.shown
    ]
    assert shown.count('<circle class="dot"') == len(cells)
    drawn = re.findall(r'<path class="ci" d="M([\d.]+) 11H([\d.]+)"/>', shown)
    assert len(drawn) == sum(cell.low is not None for cell in cells)
    assert all(0 <= float(low) < float(high) <= 140 for low, high in drawn)


def test_how_intervals_narrowed_is_a_picture_and_its_data(client: Client, made: Campaign) -> None:
    address = reverse("estimation:figure", args=[made.public_id, "history", "overall", "svg"])
    assert f"{address}?theme=dark" in page(client, made)
    assert figure(client, made, "history", "svg").startswith(b"<svg")
    assert figure(client, made, "history", "png").startswith(b"\x89PNG")
    rows = list(csv.reader(io.StringIO(figure(client, made, "history", "csv").decode())))
    assert rows[0] == ["system", "judgments", "width"]
    for system in made.systems.all():
        last = Estimate.objects.filter(campaign=made, system=system, criterion="overall").last()
        assert last is not None
        told = [row for row in rows if row[0] == system.name][-1]
        assert int(told[1]) == last.n_judgments
        assert float(told[2]) == pytest.approx(last.width)


def test_before_an_interval_there_is_none(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    address = reverse("estimation:figure", args=[made.public_id, "history", "overall", "svg"])
    assert client.get(address).status_code == 404
    assert "How the intervals narrowed" not in page(client, made)


def test_the_export_holds_the_pictures_with_their_checksums(made: Campaign) -> None:
    files = {name.partition("/")[2]: data for name, data in files_of(made).items()}
    for name in ("pictures/estimates-overall.svg", "pictures/history-overall.svg"):
        assert files[name].startswith(b"<svg")
        assert name in files["manifest.json"].decode()
    assert "`history-NAME.svg`" in files["README.md"].decode()


@pytest.mark.parametrize("key", sorted(INSTRUMENTS))
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_question_of_every_tutorial_is_told(key: str, language: str) -> None:
    found = INSTRUMENTS[key].tutorial(language)
    told = pages_report.questions(found)
    assert len(told) == (0 if found is None else len(found.samples))
    for one in told:
        assert one.parts
        assert all(label and text for label, text in one.parts), one.prompt
    graded = [one for one in told if one.right]
    assert found is None or len(graded) >= found.n_asked


def test_the_page_holds_the_tutorial_folded(client: Client, ada: User) -> None:
    made = campaign(owner=ada, tutorial=True)
    shown = page(client, made)
    told = pages_report.build(made).tutorial
    assert len(told) > 5
    assert '<details class="tutorial"><summary>The tutorial:' in shown
    assert shown.count('<dt lang="en">Right</dt>') == sum(bool(one.right) for one in told)
    without = campaign(owner=ada)
    assert '<details class="tutorial">' not in page(client, without)
