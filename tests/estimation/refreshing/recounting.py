"""The estimates as a recount of all facts stores them, to compare with those that are stored."""

import json

from django.db import transaction
from django.db.models import QuerySet

from annotate.campaigns import facts
from annotate.models import Campaign
from estimation import facts as facts_module
from estimation import history, refresh
from estimation.models import Estimate

# Without what belongs to the row: its number, its time, and whether it ends the campaign.
OWN = ("id", "at", "provisional")
Row = dict[str, object]


def recounted(study: Campaign) -> list[Row]:
    """Return the rows that all facts give now; none of them stays."""
    brief = facts.brief(study.pk)
    with transaction.atomic():
        found, _compared = refresh.findings(brief, facts_module.evidence(brief))
        made = history.store_estimates(brief, found, final=False)
        rows = told(Estimate.objects.filter(pk__in=[one.pk for one in made]))
        transaction.set_rollback(True)
    return rows


def told(rows: QuerySet[Estimate]) -> list[Row]:
    """Return all columns of these estimates but `OWN`, systems and criteria in one order."""
    columns = [field.attname for field in Estimate._meta.concrete_fields if field.name not in OWN]
    return list(rows.order_by("system", "criterion").values(*columns))


def as_bytes(rows: list[Row]) -> bytes:
    """Return the rows with every digit."""
    return json.dumps(rows, sort_keys=True).encode()
