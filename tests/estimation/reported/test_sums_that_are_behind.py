"""A dashboard whose sums have not been added up yet: the page comes at once, its numbers later."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign
from annotate.selectors.campaigns import slot_counts
from annotate.services import slot_tallies
from annotate.services.pay import tallying
from tests.annotate.pay.test_slot_counts import settle
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db(transaction=True)]

COUNTING = "The judgments of this campaign are being counted…"


@pytest.fixture
def made(ada: User, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Three judgments, where two take long to count."""
    monkeypatch.setattr(slot_counts, "MANY", 2)
    monkeypatch.setattr(tallying, "SETTLED", timedelta(0))
    study = campaign(owner=ada, items=12, annotator_cap=None)
    for n in range(3):
        judge(person(study, f"p{n}"))
    return study


@pytest.fixture
def page(client: Client, ada: User, made: Campaign) -> Callable[[str], str]:
    client.force_login(ada)

    def read(query: str = "") -> str:
        answer = client.get(reverse("estimation:dashboard", args=[made.public_id]) + query)
        assert answer.status_code == 200
        return answer.content.decode()

    return read


@pytest.mark.slow
def test_the_page_asks_for_its_numbers(
    client: Client, made: Campaign, page: Callable[[str], str]
) -> None:
    text, address = page("?adjust=none&x=1"), reverse("estimation:numbers", args=[made.public_id])
    assert COUNTING in text
    assert (
        f'hx-get="{address}?adjust=none" hx-trigger="load, every 15s" hx-sync="this:drop"' in text
    )
    assert made.name in text
    later = client.get(address)
    assert later.context["board"].progress.judged == 3
    assert COUNTING not in later.content.decode()


@pytest.mark.slow
def test_without_scripts_it_is_asked_for_as_a_whole(page: Callable[[str], str]) -> None:
    assert '<noscript><a href="?whole=1">' in page("")
    assert COUNTING not in page("?whole=1")


@pytest.mark.slow
def test_once_they_are_added_up_the_page_is_whole(
    made: Campaign, page: Callable[[str], str]
) -> None:
    settle()
    assert COUNTING not in page("")
    slot_tallies.rebuild(made.pk)
    assert COUNTING in page("")


@pytest.mark.slow
def test_few_judgments_are_counted_at_once(
    page: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_counts, "MANY", 3)
    assert COUNTING not in page("")
