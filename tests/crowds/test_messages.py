"""What the crowds pass on to people: that they were flagged, what was ruled, and their page."""

import re

import pytest
from django.test import Client

from annotate.crowds import outbox, people
from annotate.review import reviews
from annotate.screening.base import Verdict
from tests.crowds.market import Market, Unit
from tests.crowds.walk import REASON

pytestmark = pytest.mark.orm

FAST = Verdict("too_fast", 0, True, 0.1, 0.0, 0.2, 1.0, 4, True, {"seconds": 2.0})


def confirmed(market: Market) -> Unit:
    unit = market.done()
    market.sync()
    return unit


def flagged(market: Market, unit: Unit) -> None:
    who = market.of(unit)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST])
    outbox.carry_out_due()


def own_page(client: Client, text: str) -> str:
    found = re.search(r"/work/p/\S+/me/", text)
    assert found, text
    return client.get(found[0]).content.decode()


@pytest.mark.slow
def test_mturk_passes_on_the_address_once_something_of_theirs_is_approved(
    mturk: Market, client: Client
) -> None:
    """It knows no other people as ours: a message before that would reach nobody."""
    unit = confirmed(mturk)
    flagged(mturk, unit)
    assert mturk.far.world.notices == []
    who = mturk.of(unit)
    assert people.reaches(who.campaign, who.annotator_id) == "later"
    mturk.ruled(unit, "exclude")
    mturk.later(hours=3)
    outbox.carry_out_due()  # the approval let it go
    (told,) = mturk.far.world.notices
    assert REASON in told.text, "what was ruled, and no longer that somebody is looking"
    page = own_page(client, told.text)
    assert "Your tasks took little time" in page
    assert 'id="appeal"' in page
    mturk.ruled(unit, "restore")
    assert len(mturk.far.world.notices) == 2, "they are known now"
    assert people.reaches(who.campaign, who.annotator_id) == "now"


@pytest.mark.slow
def test_prolific_passes_it_on_too(prolific: Market, client: Client) -> None:
    unit = confirmed(prolific)
    flagged(prolific, unit)
    (told,) = prolific.far.world.messages
    who = prolific.of(unit)
    assert people.reaches(who.campaign, who.annotator_id) == "now"
    assert told["recipient_id"] == unit.person
    assert 'id="appeal"' in own_page(client, told["body"])
