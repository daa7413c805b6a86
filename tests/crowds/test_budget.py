"""What a campaign spends at a crowd never passes its budget, and is what its ledger says."""

from decimal import Decimal
from unittest.mock import patch

import pytest

from annotate import adapters
from annotate.crowds.terms import Terms
from annotate.models import Campaign, Posting
from annotate.selectors import ledger
from annotate.services import batches, outbox
from tests.crowds.clock import Clock
from tests.crowds.launching import launched
from tests.crowds.mturk_far_side import mturk_far_side
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def launch_all(made: Campaign, terms: Terms) -> int:
    """Launch what is suggested until nothing is; return how many units were published."""
    published = 0
    while places := batches.suggested_places(made.pk, terms.tasks):
        published += launched(made, places, terms, key=f"k{published}").places
    outbox.carry_out_due(within=60)
    assert sum(Posting.objects.values_list("places", flat=True)) == published
    return published


def test_the_least_fee_belongs_to_the_budget(clock: Clock, quick: None) -> None:
    """$3.00 pay for 100 units of $0.02 at MTurk, which charges a cent for each."""
    with mturk_far_side(seed=1) as far, patch.object(adapters, "marketplace") as crowd:
        crowd.return_value = far.adapter()
        made = campaign(
            crowd="mturk", reward=Decimal("0.02"), budget=Decimal("3.00"), items=200,
            systems=("alpha",), double_share=0.0,
        )  # fmt: skip
        terms = Terms("Rate news", "Read a text and rate it.", tasks=1)
        assert launch_all(made, terms) == 100
        assert ledger.committed(made.pk).spent == 0
