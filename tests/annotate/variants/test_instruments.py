"""An instrument that is registered with one line is asked with, reviewed, estimated and shown."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as product
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.instruments.registry import INSTRUMENTS
from annotate.models import Campaign, Participation
from annotate.review import reviews
from annotate.work import access, scoring, submitting
from estimation.models import Estimate
from tests.annotate.passing import pass_tutorial
from tests.annotate.researcher import created, owner_of, step_page
from tests.annotate.variants.clapping.instrument import CLAPPING
from tests.estimation.reviewed import settle
from tests.factories import campaign, leased, person
from tests.reviewed import fired

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

OWN = Path(__file__).parent / "clapping"


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """The line of registration; the settings find the pages of each folder of an instrument."""
    monkeypatch.setitem(INSTRUMENTS, CLAPPING.key, CLAPPING)
    engine = settings.TEMPLATES[0]
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], OWN / "templates"]}]
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, OWN / "static"]
    finders.get_finder.cache_clear()


@pytest.fixture
def made(ada: Client) -> Campaign:
    return campaign(
        owner=owner_of(ada), instrument="clapping", targets={"claps": 0.5}, tutorial=True, items=8
    )


def work(who: Participation, n: int) -> None:
    for _ in range(n):
        submitting.submit_judgment(
            leased(who).pk, participation_id=who.pk, raw={"claps": 3}, active_seconds=9.0
        )


def worked(made: Campaign) -> list[Participation]:
    found = [person(made, name) for name in "abc"]
    for who in found:
        pass_tutorial(who)
        work(who, 6)
    return found


def page(client: Client, name: str, *args: Any) -> str:
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200, name
    return answer.content.decode()


@pytest.mark.slow
def test_researchers_choose_and_preview_it(ada: Client) -> None:
    assert "Clapping" in step_page(ada, "questions")
    assert "Claps" in step_page(ada, "plan", instrument="clapping")
    assert "Clapping" in page(ada, "annotate:instruments")
    assert "How often do you clap?" in page(ada, "annotate:instrument-preview", "clapping", "1")
    assert "Clapping" in page(ada, "annotate:tutorials", "clapping")
    shown = page(ada, "annotate:tutorial-builtin-preview", "clapping", "en")
    assert "Is this applause?" in shown
    made = created(ada, instrument="clapping", width_claps="0.5", width_overall="")
    assert (made.instrument, made.targets.get().criterion) == ("clapping", "claps")


def test_people_are_asked_with_it(ada: Client, made: Campaign) -> None:
    client = Client()
    joining = page(client, "annotate:join", tokens.invitation_token(made.pk, "zoe"))
    assert "You clap once for each text that you like." in joining
    who = person(made, "a")
    token = tokens.participation_token(who.pk)
    assert "Is this applause?" in page(client, "annotate:work", token)
    pass_tutorial(who)
    judging = page(client, "annotate:work", token)
    assert "How often do you clap?" in judging
    assert "js/clapping.js" in judging
    assert "js/shell.js" in judging  # what its script imports is asked for at once
    assert "Clap with both hands." in page(client, "annotate:beside", token)
    work(who, 2)
    assert page(client, "annotate:me", token)


@pytest.mark.slow
def test_reviewers_and_annotators_read_what_was_answered(ada: Client, made: Campaign) -> None:
    first, *_others = worked(made)
    reviews.screen(made.pk)
    reviews.flag(made.pk, first.annotator_id, [fired("no_variation")])
    who = (made.public_id, first.annotator.pseudonym)
    assert "No variation" in page(ada, "annotate:review", *who)
    assert page(ada, "annotate:reviews")
    assert page(ada, "annotate:review-everywhere", first.annotator.pseudonym)
    own = page(Client(), "annotate:me", tokens.participation_token(first.pk))
    assert "clapped 3 times" in own
    assert ada.get(f"/api/v1/campaigns/{who[0]}/reviews/{who[1]}/").status_code == 200


@pytest.mark.slow
def test_estimates_of_it_are_shown(ada: Client, made: Campaign) -> None:
    worked(made)
    scoring.ensure(made.pk)
    settle(made)
    assert set(Estimate.objects.values_list("criterion", flat=True)) == {"claps"}
    for name in ("dashboard", "numbers"):
        assert "claps" in page(ada, f"estimation:{name}", made.public_id)
    for name in ("estimation:export", "annotate:export", "annotate:people"):
        assert ada.get(reverse(name, args=[made.public_id])).status_code == 200
    assert ada.get(f"/api/v1/campaigns/{made.public_id}/").json()["instrument"] == "clapping"


def test_the_settings_find_the_pages_and_scripts_of_every_instrument() -> None:
    for instrument in INSTRUMENTS.values():
        if instrument.template and instrument is not CLAPPING:
            name = Path(instrument.template).stem
            assert any((Path(at) / instrument.template).is_file() for at in folders("templates"))
            assert finders.find(f"js/{name}.js")
            assert access.imported(f"js/{name}.js")


def folders(name: str) -> list[Path]:
    dirs = product.TEMPLATES[0]["DIRS"]
    return [Path(at) for at in dirs if Path(at).parent.parent.name == "instruments"]
