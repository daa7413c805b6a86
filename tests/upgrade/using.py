"""`python -m tests.upgrade.using`: use an upgraded database as its people do; prints JSON."""

import json
import os
from collections.abc import Iterator
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotate.common import marks  # noqa: E402
from annotate.models import (  # noqa: E402
    Campaign,
    Judgment,
    LedgerEntry,
    Operation,
    Payout,
)
from annotate.models.crowds import FORMS  # noqa: E402
from annotate.work import scoring, submitting  # noqa: E402
from estimation import refresh  # noqa: E402
from estimation.models import Estimate  # noqa: E402
from tests.factories import judge, person  # noqa: E402
from tests.upgrade.numbers import NUMBERS  # noqa: E402

PAGES = ("dashboard", "people", "pay", "batches", "payments", "export")


def counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        found = {}
        for name in names:
            cursor.execute(f'SELECT count(*) FROM "{name}"')
            found[name] = cursor.fetchone()[0]
    return found


def money() -> dict[int, str]:
    """{campaign: what its ledger adds up to, fees included, in cents}."""
    sums: dict[int, int] = {}
    for campaign, amount, fee in LedgerEntry.objects.values_list("campaign", "amount", "fee"):
        sums[campaign] = sums.get(campaign, 0) + round((amount + fee) * 100)
    return {campaign: str(cents) for campaign, cents in sums.items()}


def pages() -> Iterator[tuple[str, int]]:
    """Every owner's pages of every campaign, and everybody's own."""
    client = Client()
    for campaign in Campaign.objects.all():
        client.force_login(campaign.memberships.get(role="owner").user)
        for name in PAGES:
            app = "estimation" if name == "dashboard" else "annotate"
            address = reverse(f"{app}:{name}", args=[campaign.public_id])
            yield address, client.get(address, headers={"host": "localhost"}).status_code
    for user in User.objects.filter(membership__isnull=False).distinct():
        client.force_login(user)
        for name in ("reviews", "campaigns", "instruments"):
            address = reverse(f"annotate:{name}")
            answer = client.get(address, headers={"host": "localhost"})
            yield f"{user.username}: {address}", answer.status_code


def public() -> dict[str, list[str]]:
    """What only researchers read of each campaign, and what annotators read: [name, title]."""
    rows = Campaign.objects.values_list("pk", "name", "public_title")
    return {str(pk): [name, title] for pk, name, title in rows}


def subjects() -> list[list[str]]:
    """Of messages that may still be sent: [campaign, name of their campaign, subject]."""
    waiting = Operation.objects.filter(kind="message").exclude(status__in=("done", "dropped"))
    told = ((one, FORMS["message"].of(one).model_dump()["subject"]) for one in waiting)
    return [[str(one.campaign_id), one.campaign.name, subject] for one, subject in told]


def operations() -> dict[str, dict[str, Any]]:
    """By their keys: what they point at, and what they tell the crowd, read by their forms."""
    return {
        one.key: {
            "entry": one.entry_id,
            "annotator": one.annotator_id,
            "payload": FORMS[one.kind].of(one).model_dump(mode="json"),
        }
        for one in Operation.objects.all()
    }


def gaps() -> dict[str, list[int]]:
    """{key of a publication: the slots that it offers again}."""
    rows = Operation.objects.filter(kind="publish", posting__gaps__isnull=False)
    found: dict[str, list[int]] = {}
    for key, gap in rows.order_by("posting__gaps").values_list("key", "posting__gaps"):
        found.setdefault(key, []).append(gap)
    return found


def relations() -> dict[str, int]:
    """{key of a pay-out or of a row of the ledger: the row or the ruling that it points at}."""
    paid = Payout.objects.exclude(entry=None).values_list("key", "entry")
    ruled = LedgerEntry.objects.exclude(ruling=None).values_list("key", "ruling")
    return dict([*paid, *ruled])


def estimates() -> dict[str, list[Any]]:
    """The newest estimate of each cell, taken again: {system and criterion: numbers}."""
    for campaign in Campaign.objects.filter(status__in=("open", "paused", "closing", "closed")):
        marks.mark(campaign.pk, "upgrade")
        refresh.refresh(campaign.pk)
    rows = Estimate.objects.order_by("pk").values_list("system", "criterion", *NUMBERS)
    return {f"{system} {criterion}": numbers for system, criterion, *numbers in rows}


def work() -> int:
    """Somebody new judges in each open study that people join by link; how many did."""
    done = 0
    asked = {"instrument": "language_quality", "tutorial_required": False, "crowd": "link"}
    for campaign in Campaign.objects.filter(status="open", **asked):
        judge(person(campaign, "somebody new"))
        done += 1
    return done


def corrected() -> dict[str, int]:
    """Correct an old judgment; {how many its assignment has: kept, and counted}."""
    free = Judgment.objects.exclude(exclusions__restored_at=None, exclusions__isnull=False)
    old = free.earliest("pk")
    submitting.supersede(old.pk, response=old.response)
    mine = {"assignment": old.assignment_id}
    return {
        "kept": Judgment.every.filter(**mine).count(),
        "counted": Judgment.objects.filter(**mine).count(),
    }


def main() -> None:
    said: dict[str, Any] = {"counts": counts(), "money": money()}
    said["public"], said["subjects"] = public(), subjects()
    said["operations"], said["gaps"] = operations(), gaps()
    said["relations"] = relations()
    said["pages"] = dict(pages())
    said["estimates"] = estimates()
    said["scores"] = [d for c in Campaign.objects.all() for d in scoring.differences(c.pk)]
    said["work"] = work()
    said["corrected"] = corrected()
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    print(json.dumps(said))


if __name__ == "__main__":
    main()
