"""Operations that version 0.1.0 could hold, of every kind in every status.

The stored database has most kinds and few statuses. These rows have the keys and arguments that
the services of that version wrote. One campaign of theirs is in German.
"""

import json
from collections.abc import Iterator
from typing import Any

Rows = dict[str, dict[str, Any]]
STATUSES = ("pending", "sent", "done", "refused", "unclear", "dropped")
UNIT, POSTING, BATCH, CAMPAIGN = 34, 1, 1, 9
GONE = 10**9  # a gap that is not a slot any more


def add(found: Rows) -> None:
    _set(found, "annotate_campaign", CAMPAIGN, "language", "de")
    table = found["annotate_operation"]
    used = {one["entry"] for one in map(_arguments(table), table["rows"]) if "entry" in one}
    unused = (row for row in dicts(found, "annotate_ledgerentry") if str(row["id"]) not in used)
    entries = iter([row["id"] for row in unused if float(row["amount"]) > 0])
    for n, status in enumerate(STATUSES, start=100):
        for kind, key, arguments in _each(found, n, str(next(entries))):
            posting = _posting(found, n) if "gaps" in arguments else POSTING
            row = {"kind": kind, "status": status, "key": key, "arguments": json.dumps(arguments)}
            _append(table, {**row, **_relations(kind, posting), "token": f"old-{key}"})


def dicts(found: Rows, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table by their columns' names."""
    for row in found[name]["rows"]:
        yield dict(zip(found[name]["columns"], row, strict=True))


def _arguments(table: dict[str, Any]) -> Any:
    place = table["columns"].index("arguments")
    return lambda row: json.loads(row[place])


def _each(found: Rows, n: int, entry: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    unit = next(row for row in dicts(found, "annotate_participation") if row["id"] == UNIT)
    who = unit["annotator_id"]
    slots = [row["id"] for row in dicts(found, "annotate_place") if row["campaign_id"] == CAMPAIGN]
    published = {"places": 2, "url": "https://plumbline.test/work/on/mturk/x/"}
    listed = {"person": f"A{who}", "group": "plumbline-x"}
    yield "publish", f"publish:{BATCH}:{n}", published
    yield "publish", f"refill:{BATCH}:{n}", {**published, "gaps": [*slots[: n % 3 + 1], GONE]}
    yield "add_places", f"extend:{BATCH}:more{n}:0", {"places": 3}
    yield "stop", f"stop:p:{n}", {}
    yield "archive", f"archive:p{n}", {}
    yield "approve", f"approve:{UNIT}:{n}", {}
    yield "reject", f"reject:{UNIT}:{n}", {"reason": "Every answer is the same." * (n % 2)}
    yield "override", f"override:{UNIT}:{n}", {}
    paid = {"listing": "L", "unit": "U", "person": "P", "amount": "0.50", "reason": "Für die Mühe."}
    yield "bonus", f"bonus:{entry}:{n}", {"entry": entry, **paid}
    yield "exclude", f"standing:{CAMPAIGN}:{who}:{n}", listed
    yield "include", f"standing:{CAMPAIGN}:{who}:{n + 100}", listed
    words = {"people": ["P"], "subject": "Zu Ihrer Arbeit in „News“", "text": "Gut.\n\nDanke."}
    yield "message", f"notice:{n}", words


def _relations(kind: str, posting: int) -> dict[str, int | None]:
    unit = kind in ("approve", "reject", "override", "bonus", "message")
    alone = kind in ("exclude", "include", "message")
    return {
        "campaign_id": CAMPAIGN,
        "batch_id": BATCH,
        "participation_id": UNIT if unit else None,
        "posting_id": None if alone else posting,
    }


def _posting(found: Rows, n: int) -> int:
    """A refill is a posting of its own."""
    changes = {"public_id": f"refill{n}", "external_id": "", "batch_id": BATCH, "status": "closed"}
    return _append(found["annotate_posting"], changes)


def _append(table: dict[str, Any], changes: dict[str, Any]) -> int:
    """Add a row like the first one, but for these columns; return its id."""
    pk: int = max(one[0] for one in table["rows"]) + 1
    row = {**dict(zip(table["columns"], table["rows"][0], strict=True)), "id": pk, **changes}
    table["rows"].append([row[column] for column in table["columns"]])
    return pk


def _set(found: Rows, name: str, pk: int, column: str, value: Any) -> None:
    table = found[name]
    (row,) = (one for one in table["rows"] if one[table["columns"].index("id")] == pk)
    row[table["columns"].index(column)] = value
