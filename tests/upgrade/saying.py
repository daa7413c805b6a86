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
from django.core.management import call_command

# What people did and were paid; tables that only sum up or remember are not among them.
FACTS = (
    "annotator", "appeal", "assignment", "auditentry", "authorship", "batch", "campaign",
    "exclusion", "flag", "goldanswer", "golditem", "item", "judgment", "ledgerentry", "operation",
    "output", "participation", "payout", "payoutlist", "posting", "review", "ruling", "slot",
    "system",
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


def says() -> dict[str, Any]:
    found: dict[str, Any] = {"counts": counts(), "money": {}, "verify": {}}
    for campaign in rows("campaign"):
        found["money"][campaign.name] = money(campaign.public_id)
        if campaign.status != "draft":
            found["verify"][campaign.name] = verified(campaign.public_id)
    return found


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    print(json.dumps(says()))
