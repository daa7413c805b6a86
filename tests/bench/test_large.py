"""The large database holds together, at a size that a test can fill."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from annotate.models import Annotator, Campaign, Judgment, Review, Slot
from annotate.selectors import listings
from annotate.selectors.pay import accounts, payout_lists
from bench.large import __main__ as large
from bench.large import pages
from estimation.services import looking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

KEYS = """SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f'"""


def broken() -> list[str]:
    """Return the foreign keys that lead nowhere: the rows were written without looking."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(KEYS)
        for table, text in cursor.fetchall():
            column, target, key = re.findall(r"\((\w+)\) REFERENCES (\w+)\((\w+)\)", text)[0]
            cursor.execute(
                f"SELECT COUNT(*) FROM {table} AS a WHERE {column} IS NOT NULL AND NOT EXISTS "
                f"(SELECT 1 FROM {target} AS b WHERE b.{key} = a.{column})"
            )
            if cursor.fetchone()[0]:
                found.append(f"{table}.{column}")
    return found


def test_a_small_one_holds_together(client: Any) -> None:
    large.fill(600, 60, 3)
    made = Campaign.objects.get(name=large.LARGE)
    assert Judgment.objects.filter(campaign=made).count() == 600
    assert Annotator.objects.filter(participations__campaign=made).count() == 60
    assert broken() == []
    for campaign in Campaign.objects.filter(memberships__isnull=False).distinct():
        assert campaign.planned == Slot.objects.filter(campaign=campaign).count(), campaign.name
        assert all(one.due >= 0 for one in accounts.of_campaign(campaign.pk)), campaign.name
    wanted = listings.asked({}, sorts={}, size=1000, anchor="")
    for listed in payout_lists.summaries(made.pk, wanted)[1]:
        assert listed.amount == listed.paid
    assert Review.objects.filter(campaign=made).exists()
    looking.ask(made.pk)
    looking.measure(made.pk)
    client.force_login(User.objects.get(username=large.OWNER))
    for page in pages.addresses():
        assert client.get(page).status_code == 200, page
