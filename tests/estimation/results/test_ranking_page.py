"""The dashboard of a ranking: places with ties, pairs in words, and what to do next."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.campaigns import lists as campaigns_lists
from annotate.models import Campaign
from annotate.models.base import CloseReason
from estimation.models import Comparison
from estimation.pages import dashboard, numbers
from estimation.pages.dashboard import Dashboard
from tests.estimation.ranked import RANKING, pair
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
FOUR = ("a", "b", "c", "d")


def ranked(**changes: Any) -> Campaign:
    return campaign(owner=user(), items=40, systems=FOUR, **(RANKING | changes))


def known(made: Campaign, **of_b_and_c: Any) -> None:
    """a before b and c before d; b and c as said."""
    for first, second in (("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")):
        pair(made, first, second, 0.6)
    pair(made, "b", "c", 0.1, **of_b_and_c)


def board(made: Campaign) -> Dashboard:
    made.refresh_from_db()
    return dashboard.of_campaign(made)


def shown(client: Client, made: Campaign) -> str:
    client.force_login(made.memberships.get().user)
    answer = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    return " ".join(answer.content.decode().split())


def test_places_pairs_and_the_rest_are_on_the_page(client: Client) -> None:
    made = ranked()
    known(made, outcome="open", needs="items", items_needed=130)
    page = shown(client, made)
    for place, system in (("1", "a"), ("2–3", "b"), ("2–3", "c"), ("4", "d")):
        assert f'<b class="place">{place}</b> <span class="who">{system}</span>' in page
    assert '<dd class="n">5 <small>of 6</small></dd>' in page
    assert "Stays open because 1 of 6 pairs is not decided yet." in page
    assert "a is better" in page
    assert "open: about 70 more items of each" in page
    assert (
        "The pair furthest from a decision is b and c: about 70 more items of each decide it"
        in page
    )
    assert "Collection stops on the precision of each system" not in page


def test_a_draft_shows_no_ranking(client: Client) -> None:
    made = ranked(is_open=False)
    page = shown(client, made)
    assert 'id="ranking-h"' not in page
    assert "Collection stops automatically when every pair of systems is decided." in page


def test_pairs_without_a_comparison_are_open() -> None:
    made = ranked()
    found = numbers.rankings_of(campaigns_lists.facts(made))
    assert (found.n_pairs, found.n_decided) == (6, 0)
    assert {one.place for one in found.each[0].placed} == {"1–4"}
    assert {one.state.word for one in found.each[0].pairs} == {"open: too few items"}
    assert found.settles == "The first pairs can be decided after 30 items of each system."


def test_the_pair_that_takes_most_items_is_named() -> None:
    made = ranked()
    pair(made, "a", "b", 0.1, outcome="open", needs="items", items_needed=90)
    pair(made, "c", "d", 0.2, outcome="open", needs="items", items_needed=75)
    for first, second in (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")):
        pair(made, first, second, 0.6)
    found = numbers.rankings_of(campaigns_lists.facts(made))
    assert found.settles.startswith("The pair furthest from a decision is a and b: about 30 more")


def test_another_mode_has_no_ranking() -> None:
    made = campaign(owner=user())
    assert numbers.rankings_of(campaigns_lists.facts(made)) == numbers.Rankings()
    assert "place" not in {cell.state.word for cell in board(made).primary}


@pytest.mark.slow
def test_it_advises_more_people_where_they_are_missing(client: Client) -> None:
    made = ranked(annotator_cap=None)
    for name in ("p", "q", "r"):
        for _n in range(11):
            judge(person(made, name))
    known(made, outcome="open", needs="people")
    advice = board(made).advice
    assert (advice.key, advice.title, advice.act) == ("more_people", "Ask more people", "people")
    Comparison.objects.all().delete()
    known(made, outcome="open", needs="items", items_needed=130)
    assert board(made).advice.key == "wait"
    assert "The pair furthest from a decision is b and c" in board(made).advice.text


@pytest.mark.parametrize(
    ("of_b_and_c", "closed", "key", "said"),
    [
        ({"outcome": "close"}, None, "targets", "Every pair of systems is decided. The campaign "),
        (
            {"outcome": "open", "needs": "neither"},
            CloseReason.EXHAUSTED,
            "results",
            "By overall: 1 a, 2–3 b, 2–3 c, 4 d. 1 pair stays open.",
        ),
        (
            {"outcome": "open"},
            CloseReason.RANKED,
            "missed",
            "1 pair is open, first b and c, though the campaign closed",
        ),
    ],
)
def test_the_end_is_advised_by_what_is_decided(
    of_b_and_c: dict[str, str], closed: CloseReason | None, key: str, said: str
) -> None:
    made = ranked()
    known(made, **of_b_and_c)
    if closed:
        life.close(made.pk, closed)
        life.finish(made.pk)
    advice = board(made).advice
    assert advice.key == key
    assert said in advice.text


def test_the_list_counts_decided_pairs(client: Client) -> None:
    made = ranked()
    known(made, outcome="open")
    client.force_login(made.memberships.get().user)
    page = client.get(
        reverse("estimation:at-target"), {"campaign": made.public_id}
    ).content.decode()
    assert "5 <span" in page
    assert "of 6 pairs decided" in page
