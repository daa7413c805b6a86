"""Prolific's form of a study, and the meaning of its states."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from annotate.crowds.base import Fullness, Posted, Spec, Stage, Submission, UnitState
from annotate.crowds.clocks import on_ours

APP = "https://app.prolific.com"
MARK = 12  # digits of an operation's id that note an extension
MARKS_KEPT = 8
AUTO_APPROVAL = timedelta(days=21)  # according to Prolific's help pages; no setting changes it
DRAFT = "UNPUBLISHED"
PAUSED = "PAUSED"
RUNNING = ("ACTIVE", "PUBLISHING", "SCHEDULED")
COMPLETED = "COMPLETED"
FULL = "AWAITING REVIEW"  # also of a study that was stopped
PASSING = "PROCESSING"  # not documented; others see it for moments before another status
PARAMETERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
# Right after a review, Prolific reports "PROCESSING" for a while. It does not mean the end.
UNITS = {
    "RESERVED": UnitState.ACTIVE,
    "ACTIVE": UnitState.ACTIVE,
    "AWAITING REVIEW": UnitState.SUBMITTED,
    "APPROVED": UnitState.APPROVED,
    "PARTIALLY APPROVED": UnitState.APPROVED,
    "REJECTED": UnitState.REJECTED,
    "RETURNED": UnitState.RETURNED,
    "TIMED OUT": UnitState.RETURNED,
    "SCREENED OUT": UnitState.RETURNED,
}


def draft(spec: Spec, op_id: str, filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that creates a draft; money in pence or cents, times in whole minutes."""
    joint = "&" if "?" in spec.url else "?"
    return {
        "name": spec.title,
        "internal_name": internal_name(op_id),
        "description": spec.description,
        "external_study_url": f"{spec.url}{joint}{PARAMETERS}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": spec.code,
                "code_type": "COMPLETED",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        "estimated_completion_time": whole_minutes(spec.minutes),
        "maximum_allowed_time": whole_minutes(spec.duration / timedelta(minutes=1)),
        "reward": minor(spec.reward),
        "total_available_places": spec.places,
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "peripheral_requirements": [],
        "filters": list(filters),
    }


def internal_name(op_id: str) -> str:
    """Return the name that only researchers see. It identifies the study's operation."""
    return f"plumbline {op_id}"


def is_made_by(study: Mapping[str, Any], op_id: str) -> bool:
    return f"{study.get('internal_name', '')} ".startswith(f"{internal_name(op_id)} ")


def is_ours(study: Mapping[str, Any]) -> bool:
    return str(study.get("internal_name", "")).startswith("plumbline ")


def is_extended_by(study: Mapping[str, Any], op_id: str) -> bool:
    return f"+{op_id[:MARK]}" in str(study.get("internal_name", "")).split()


def extended_name(study: Mapping[str, Any], op_id: str) -> str:
    """Return the internal name with a note of one more extension; the oldest notes are dropped."""
    words = str(study.get("internal_name", "")).split()
    name = [word for word in words if not word.startswith("+")]
    marks = [word for word in words if word.startswith("+")]
    return " ".join([*name, *marks[1 - MARKS_KEPT :], f"+{op_id[:MARK]}"])


def posted(study: Mapping[str, Any], app: str = APP) -> Posted:
    listing = str(study["id"])
    places = int(study.get("total_available_places") or 0)
    return Posted(listing, places, url=f"{app}/studies/{listing}")


def status(thing: Mapping[str, Any]) -> str:
    """Return a study's or a submission's status in one spelling: AWAITING_REVIEW, TIMED-OUT …"""
    return re.sub(r"[_\-\s]+", " ", str(thing.get("status", ""))).strip().upper()


def level(study: Mapping[str, Any], submissions: Iterable[Submission]) -> Fullness:
    """Return how full a study is.

    Studies do not expire. A full one awaits review like a stopped one, and may continue when a
    place is free again. A paused study takes no new people until it is started.
    """
    states = [submission.state for submission in submissions]
    pending = states.count(UnitState.ACTIVE)
    holding = (UnitState.ACTIVE, UnitState.SUBMITTED, UnitState.APPROVED)  # a rejected one is free
    taken = sum(states.count(state) for state in holding)
    places = int(study.get("total_available_places") or 0)
    free, now = max(0, places - taken), status(study)
    if now in RUNNING:
        return Fullness(Stage.OPEN, places, free, pending)
    stage = Stage.DRAINING if pending else Stage.CLOSED
    return Fullness(stage, places, 0, pending, paused=now == PAUSED and free > 0)


def submission(
    row: Mapping[str, Any], listing: str = "", *, ahead: timedelta | None = None
) -> Submission:
    """Return a submission; `receipt` stays empty, because Prolific passes on no value of ours.

    ahead: how far Prolific's clock is ahead of ours.
    """
    submitted_at = on_ours(when(row.get("completed_at")), ahead)
    state = UNITS.get(status(row), UnitState.ACTIVE)
    return Submission(
        listing=str(row.get("study_id") or row.get("study") or listing),
        unit=str(row["id"]),
        person=str(row.get("participant_id") or row.get("participant") or ""),
        state=state,
        accepted_at=on_ours(when(row.get("started_at")), ahead),
        submitted_at=submitted_at,
        auto_approval_at=submitted_at + AUTO_APPROVAL if submitted_at else None,
    )


def when(stamp: Any) -> datetime | None:
    """Return a time with its zone; Prolific writes UTC."""
    if not stamp or not isinstance(stamp, str):
        return None
    text = stamp.replace("Z", "+00:00")
    return datetime.fromisoformat(text if re.search(r"[+-]\d\d:?\d\d$", text) else f"{text}+00:00")


def whole_minutes(minutes: float) -> int:
    return max(1, math.ceil(minutes))


def minor(amount: Decimal) -> int:
    """Return pence or cents."""
    return int((amount * 100).to_integral_exact())


def major(minor_units: Any) -> Decimal:
    """Return pounds or dollars from Prolific's pence or cents."""
    return (Decimal(str(minor_units)) / 100).quantize(Decimal("0.01"))
