"""Fill the foreign keys from keys and arguments, the last time that anything reads them."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from django.db import migrations
from django.db.models import BigIntegerField, Exists, OuterRef, Value
from django.db.models.functions import Cast, StrIndex, Substr

STEP = 1000
NAMED = 20  # of the rows that are wrong
PEOPLE = ("exclude", "include")
Strays = list[str]


def fill(apps: Any, _schema: Any) -> None:
    model = {
        name: apps.get_model("annotate", name).objects
        for name in ("Operation", "LedgerEntry", "Payout", "Posting", "Slot", "Annotator", "Ruling")
    }
    strays = [
        *_rulings(model["LedgerEntry"], model["Ruling"]),
        *_paid_bonuses(model["Payout"], model["LedgerEntry"]),
        *_bonuses(model["Operation"], model["LedgerEntry"]),
        *_exclusions(model["Operation"], model["Annotator"]),
    ]
    if strays:
        raise ValueError(
            "These rows name others that are not there. Nothing was changed. Find out what "
            f"became of them before you upgrade: {'; '.join(strays[:NAMED])}"
        )
    _refills(model["Operation"], model["Posting"], model["Slot"])


def _rulings(ledger: Any, rulings: Any) -> Strays:
    """`ruling:RULING:PARTICIPATION`; one UPDATE."""
    mine = ledger.filter(key__startswith="ruling:")
    rest = Substr("key", 8)
    ruling = Cast(Substr(rest, 1, StrIndex(rest, Value(":")) - 1), BigIntegerField())
    lost = mine.annotate(told=ruling).exclude(Exists(rulings.filter(pk=OuterRef("told"))))
    if strays := [f"ledger {key}" for key in lost.values_list("key", flat=True)]:
        return strays
    mine.update(ruling=ruling)
    return []


def _paid_bonuses(payouts: Any, ledger: Any) -> Strays:
    """`bonus:ENTRY`; one UPDATE."""
    mine = payouts.filter(key__startswith="bonus:")
    entry = Cast(Substr("key", 7), BigIntegerField())
    lost = mine.annotate(told=entry).exclude(Exists(ledger.filter(pk=OuterRef("told"))))
    if strays := [f"pay-out {key}" for key in lost.values_list("key", flat=True)]:
        return strays
    mine.update(entry=entry)
    return []


def _bonuses(operations: Any, ledger: Any) -> Strays:
    def point(op: Any) -> None:
        op.entry_id = int(op.payload.pop("entry"))

    return _point(operations.filter(kind="bonus"), point, "entry", ledger)


def _exclusions(operations: Any, annotators: Any) -> Strays:
    def point(op: Any) -> None:
        _standing, _campaign, annotator, _number = op.key.split(":")
        op.annotator_id = int(annotator)

    return _point(operations.filter(kind__in=PEOPLE), point, "annotator", annotators)


def _point(mine: Any, point: Callable[[Any], None], field: str, others: Any) -> Strays:
    """Let each operation point at what it names, and leave it out of the payload."""
    strays: Strays = []
    for some in _steps(mine):
        for op in some:
            try:
                point(op)
            except (KeyError, ValueError, TypeError):
                strays.append(f"operation {op.key}")
        ids = {getattr(op, f"{field}_id") for op in some}
        known = set(others.filter(pk__in=ids - {None}).values_list("pk", flat=True))
        strays += [f"operation {op.key}" for op in some if (getattr(op, f"{field}_id") or 0) not in known]
        if not strays:
            mine.bulk_update(some, [field, "payload"])
    return sorted(set(strays))


def _refills(operations: Any, postings: Any, slots: Any) -> None:
    """What a refill offers again: slots that are still there."""
    offers = postings.model.gaps.through
    for some in _steps(operations.filter(kind="publish", payload__has_key="gaps")):
        told = {op.posting_id: op.payload.pop("gaps") for op in some}
        wanted = {gap for gaps in told.values() for gap in gaps}
        known = set(slots.filter(pk__in=wanted).values_list("pk", flat=True))
        rows = defaultdict(set)
        for posting, gaps in told.items():
            rows[posting] |= known.intersection(gaps)
        offers.objects.bulk_create(
            [
                offers(posting_id=posting, slot_id=gap)
                for posting, gaps in rows.items()
                for gap in sorted(gaps)
            ],
            batch_size=STEP,
        )
        operations.bulk_update(some, ["payload"])


def _steps(rows: Any) -> Iterator[list[Any]]:
    """Yield the rows in steps by their ids, which were read before anything changes."""
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), STEP):
        some = ids[start : start + STEP]
        yield list(rows.model.objects.filter(pk__in=some).order_by("pk"))


class Migration(migrations.Migration):
    dependencies = [("annotate", "0014_money_relations")]
    operations = [migrations.RunPython(fill)]
