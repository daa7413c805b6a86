"""What the client takes: paths as text, and no keyword that it does not know."""

from typing import Any

import pytest
from plumbline_client import Plumbline, Refused, keywords

from annotate.campaigns.api import PlanSerializer
from annotate.crowds.api import TermsSerializer
from annotate.models import Campaign
from annotate.review import queries as review_queries
from tests.client.test_client import PLAN, ROWS

pytestmark = [pytest.mark.orm, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_misspelled_budget_is_a_type_error_and_no_campaign(ada: Plumbline) -> None:
    with pytest.raises(TypeError, match=r"create\(\) takes no keyword 'budgett'.*'budget'"):
        ada.create("News", ROWS, **PLAN, budgett="5")
    with pytest.raises(TypeError, match=r"There are public_title"):
        ada.create("News", ROWS, **PLAN, zzz=1)
    assert not Campaign.objects.exists()


def test_terms_and_filters_have_names_too(ada: Plumbline) -> None:
    batches = ada.batches("any")
    for ask in (lambda: batches.offer(4, tasks=2, titel="x"), lambda: ada.reviews(campain="x")):
        with pytest.raises(TypeError, match="Did you mean"):
            ask()


def test_a_raw_request_is_refused_as_well(ada: Plumbline) -> None:
    with pytest.raises(Refused) as refused:
        ada.post("campaigns/", {"name": "News", "outputs": ROWS, **PLAN, "budgett": "5"})
    assert "Did you mean “budget”?" in refused.value.errors["budgett"]
    with pytest.raises(Refused) as refused:
        ada.get("reviews/", campain="x")
    assert "Did you mean “campaign”?" in refused.value.errors["campain"]


def test_the_names_are_those_of_the_api() -> None:
    of_plan: Any = set(PlanSerializer().fields) - {"name", "key"}
    assert set(keywords.PLAN) == of_plan | {"columns"}, "which is about the file"
    assert set(keywords.TERMS) == set(TermsSerializer().fields)
    assert {"campaign", *review_queries.narrowing()} <= set(keywords.REVIEWS)
