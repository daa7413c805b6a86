"""The amendments that an export holds, in words, and whether the screens' settings fit them.

Exports of 0.1.0 have no such file, and nothing is said of their settings.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from estimation.exporting.tables import AMENDMENTS, PLAN
from estimation.verifying.bundle import Bundle, reading

LONGEST = 300  # characters of a text that somebody sent


@dataclass(frozen=True)
class AmendmentInBundle:
    """changes: path -> (was, now)."""

    at: datetime
    why: str
    changes: Mapping[str, tuple[Any, Any]]


def sentences(bundle: Bundle) -> Iterator[str]:
    """Yield each change with its reason, the oldest first."""
    for what, amended in (
        ("settings of the screens", _read(bundle)),
        ("how metrics enter", _of_protocol(bundle)),
    ):
        for one in amended:
            changes = ", ".join(
                f"{_shown(path)} from {_value(was)} to {_value(now)}"
                for path, (was, now) in sorted(one.changes.items())
            )
            reason = f" Reason: “{_shown(one.why)}”." if one.why else ""
            yield f"{one.at:%Y-%m-%d %H:%M} UTC, {what} changed: {changes}.{reason}"


def differences(bundle: Bundle) -> Iterator[str]:
    """Yield where the changes do not lead from the settings at the opening to those in use."""
    if AMENDMENTS.name not in bundle.names:
        return
    values, in_use = _planned(bundle)
    for one in _read(bundle):
        yield from _changed(values, one)
    for path in sorted(values.keys() & in_use.keys()):
        if values[path] != in_use[path]:
            stands, follows = _value(in_use[path]), _value(values[path])
            yield f"{PLAN}: {_shown(path)} is {stands}; the changes lead to {follows}."


def _planned(bundle: Bundle) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings by path: at the opening, and in use."""
    with reading(PLAN):
        plan = bundle.value(PLAN)
        kept = (plan["protocol"] or {}).get("screening") or {}
        return _by_path(kept), _by_path(plan["screening"])


def _changed(values: dict[str, Any], one: AmendmentInBundle) -> Iterator[str]:
    """Change the values; yield which of them are said to have been others."""
    for path, (was, now) in one.changes.items():
        if (before := values.get(path, was)) != was:
            yield (
                f"{AMENDMENTS.name}: {_shown(path)} is said to have been {_value(was)}; it was "
                f"{_value(before)}."
            )
        values[path] = now


def _read(bundle: Bundle) -> Iterator[AmendmentInBundle]:
    if AMENDMENTS.name not in bundle.names:
        return
    for row in bundle.objects(AMENDMENTS.name):
        with reading(AMENDMENTS.name):
            found = _amendment(row)
        yield found


def _of_protocol(bundle: Bundle) -> Iterator[AmendmentInBundle]:
    """Yield the changes of the protocol; which protocols they lead to, decisions say."""
    with reading(PLAN):
        found = [_amendment(row) for row in bundle.value(PLAN).get("protocol_amendments", ())]
    for one in reversed(found):
        # A protocol that told nothing took the values themselves.
        changes = {name: (was or "raw", now) for name, (was, now) in one.changes.items()}
        yield AmendmentInBundle(one.at, one.why, changes)


def _amendment(row: Mapping[str, Any]) -> AmendmentInBundle:
    changes = {str(path): (was, now) for path, (was, now) in row["changes"].items()}
    return AmendmentInBundle(_moment(row["at"]), str(row["why"]), changes)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _by_path(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {f"{group}.{name}": v for group, rest in settings.items() for name, v in rest.items()}


def _value(value: Any) -> str:
    return _shown(json.dumps(value, ensure_ascii=False))


def _shown(text: str) -> str:
    """Return a text of the export as a terminal may show it: one line, without control codes."""
    line = " ".join(text.split())[:LONGEST]
    return "".join(one for one in line if one.isprintable())
