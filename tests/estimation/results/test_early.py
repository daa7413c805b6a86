"""That a campaign ended earlier than nine of ten like it: on the dashboard and in the report."""

from dataclasses import replace

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotate.models import Campaign
from annotate.models.base import CloseReason
from estimation.core.planning import TYPICAL, Prices, Study, forecast
from estimation.pages import numbers
from tests.estimation.results.test_dashboard import board, estimated, page
from tests.factories import campaign, change

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]

SAID = "an average over early and late stops"


@pytest.fixture
def made(ada: User) -> Campaign:
    """Two systems of 100 items at a width of .5, closed by the rule; no judgment is stored."""
    made = campaign(owner=ada, items=8, targets={"overall": 0.5}, metrics=())
    estimated(made, 40, width=0.45)
    change(made, status="closed", close_reason=CloseReason.TARGET, closed_at=timezone.now())
    made.refresh_from_db()
    return made


def test_pages_say_so_of_an_early_end_by_the_rule(client: Client, made: Campaign) -> None:
    assert SAID in page(client, made).content.decode()
    report = client.get(f"/campaigns/{made.public_id}/report/").content.decode()
    assert SAID in report
    change(made, close_reason=CloseReason.BUDGET)
    assert SAID not in page(client, made).content.decode()
    change(made, status="open", close_reason="")
    assert SAID not in page(client, made).content.decode()


def test_early_is_before_nine_of_ten_planned_campaigns(client: Client, made: Campaign) -> None:
    found = board(client, made)
    study = Study(TYPICAL["overall"], 100, systems=2, balance=0.16)
    plan = forecast(study, target_width=0.5, prices=Prices(0.0), replicates=numbers.DRAWN)
    low = plan.judgments.low
    assert plan.judgments.low < plan.judgments.expected
    for judged, is_said in ((np.ceil(low), False), (np.floor(low) - 1, True)):
        said = numbers.early_end_note(found.facts, found.primary, judged=int(judged))
        assert (SAID in said) == is_said
    anytime = replace(found.facts, stop_mode="anytime")
    assert numbers.early_end_note(anytime, found.primary, judged=1) == ""
