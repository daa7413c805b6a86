"""An import whose systems are compared: by a worker, in pieces, with the facts of its pairs."""

import json

import pytest

from annotate.campaigns import creating, imports
from annotate.campaigns.imports import facts_of, plan_of
from annotate.campaigns.wizard import CampaignPreview
from annotate.models import CampaignImport
from tests.annotate.campaigns.test_import_running import create, ready
from tests.annotate.comparing import PLAN

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

ITEMS, SYSTEMS = 30, "ABC"
SAME = 4  # items on which B and C wrote the same
ALONE = 2  # items on which all three did


def text(item: int, system: str) -> str:
    if item < ALONE:
        return f"All wrote {item}."
    return f"{'B' if item < ALONE + SAME and system == 'C' else system} wrote {item}."


def compared() -> CampaignImport:
    rows = (
        {"item": f"i{n}", "system": s, "output": text(n, s)} for n in range(ITEMS) for s in SYSTEMS
    )
    content = "\n".join(map(json.dumps, rows)).encode()
    return ready(content, plan={**PLAN, "instrument": "preference"})


def made(of: CampaignImport) -> CampaignImport:
    create(of)
    imports.run(of.pk)
    of.refresh_from_db()
    return of


def test_the_preview_counts_what_is_created():
    of = compared()
    found = CampaignPreview(creating.check(plan_of(of), facts_of(of)))
    assert found.compares
    items = ITEMS - ALONE
    assert (found.facts.n_systems, found.facts.n_items) == (3, items)
    assert found.facts.n_rows == 3 * items - SAME
    assert found.facts.n_outputs == 3 * items - 2 * SAME
    assert any("10 pairs have the same text twice" in one for one in found.notices)
    campaign = made(of).campaign
    assert campaign.planned == found.planned
    assert campaign.outputs.count() == found.facts.n_outputs
    assert campaign.items.count() == items
