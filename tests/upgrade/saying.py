"""`python -m tests.upgrade.saying`: what a filled database says, as JSON; see `test_filled.py`."""

import json
import os
import tempfile
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import django
from django.apps import apps

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if not apps.ready:
    django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign, Judgment
from annotate.work import scoring, submitting
from tests.factories import judge, person

# What people did and were paid; tables that only sum up or remember are not among them.
FACTS = (
    "annotator", "appeal", "assignment", "auditentry", "authorship", "batch", "campaign",
    "exclusion", "flag", "goldanswer", "golditem", "item", "judgment", "ledgerentry", "operation",
    "output", "participation", "payout", "payoutlist", "posting", "review", "ruling", "slot",
    "system",
)  # fmt: skip
PAGES = (
    "estimation:dashboard", "annotate:people", "annotate:pay", "annotate:batches",
    "annotate:payments", "annotate:export",
)  # fmt: skip


def rows(name: str) -> Any:
    """Return all rows of a table, those that managers leave out too."""
    return apps.get_model("annotate", name)._base_manager.order_by("pk")


def counts() -> dict[str, int]:
    return {name: rows(name).count() for name in FACTS if name in apps.all_models["annotate"]}


def money(campaign: str) -> dict[str, str]:
    """Return the sums of a campaign's ledger by kind, fees apart."""
    sums: dict[str, Decimal] = {}
    for row in rows("ledgerentry").filter(campaign__public_id=campaign):
        for name, amount in ((row.kind, row.amount), (f"{row.kind} fee", row.fee)):
            sums[name] = sums.get(name, Decimal(0)) + amount
    return {name: f"{amount:.2f}" for name, amount in sorted(sums.items())}


def verified(campaign: str) -> list[str]:
    """Return what `verify` says of the campaign's export; it fails where a number differs."""
    said = StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.zip")
        call_command("export", campaign, to=path, stdout=StringIO())
        call_command("verify", str(path), stdout=said, stderr=StringIO())
    return said.getvalue().splitlines()


def pages() -> dict[str, int]:
    """Return the status of the owner's pages of each campaign, and of everybody's own."""
    client, found = Client(headers={"host": "localhost"}), {}
    for campaign in Campaign.objects.exclude(status="draft"):
        client.force_login(campaign.memberships.get(role="owner").user)
        for name in PAGES:
            address = reverse(name, args=[campaign.public_id])
            found[address] = client.get(address).status_code
    for user in User.objects.filter(membership__isnull=False).distinct():
        client.force_login(user)
        for name in ("reviews", "campaigns", "instruments"):
            address = reverse(f"annotate:{name}")
            found[f"{user.username}: {address}"] = client.get(address).status_code
    return found


def work() -> int:
    """Let somebody new judge in each open study that people join by link; return how many did."""
    asked = {"instrument": "language_quality", "tutorial_required": False, "crowd": "link"}
    found = Campaign.objects.filter(status="open", **asked)
    for campaign in found:
        judge(person(campaign, "somebody new"))
    return len(found)


def corrected() -> dict[str, int]:
    """Correct an old judgment; return how many its assignment has: kept, and counted."""
    free = Judgment.objects.exclude(exclusions__restored_at=None, exclusions__isnull=False)
    old = free.earliest("pk")
    submitting.supersede(old.pk, response=old.response)
    mine = {"assignment": old.assignment_id}
    return {
        "kept": Judgment.every.filter(**mine).count(),
        "counted": Judgment.objects.filter(**mine).count(),
    }


def says() -> dict[str, Any]:
    found: dict[str, Any] = {"counts": counts(), "money": {}, "verify": {}}
    for campaign in rows("campaign"):
        found["money"][campaign.name] = money(campaign.public_id)
        if campaign.status != "draft":
            found["verify"][campaign.name] = verified(campaign.public_id)
    return found


def used() -> dict[str, Any]:
    """Use the database as its people do; return what came of it."""
    wrong = [one for campaign in Campaign.objects.all() for one in scoring.differences(campaign.pk)]
    return {"pages": pages(), "scores": wrong, "corrected": corrected(), "work": work()}


if __name__ == "__main__":
    print(json.dumps(says() | used()))
