"""What was submitted becomes a fact: a judgment of an output, or an answer to a gold item."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.instruments import expected
from annotate.instruments.base import Instrument
from annotate.models import Assignment, GoldAnswer, Judgment
from annotate.selectors.work.in_hand import InHand
from annotate.services.work.page_signals import PageSent


@dataclass(frozen=True)
class CheckedResponse:
    """A checked response to a task.

    instrument: the one that the page asked with. signals: what the page counted, if it counts.
    page: what the page sent beside the response.
    """

    task: InHand
    instrument: Instrument
    response: dict[str, Any]
    active_seconds: float | None
    at: datetime
    signals: dict[str, Any] | None = None
    page: PageSent | None = None

    @property
    def assignment(self) -> Assignment:
        return self.task.assignment


def add(work: CheckedResponse) -> int | None:
    """Store a submission; return the id of the judgment, None where it answers a gold item."""
    assignment, campaign = work.assignment, work.assignment.campaign
    alike: dict[str, Any] = {
        "assignment": assignment,
        "campaign": campaign,
        "annotator_id": assignment.annotator_id,
        "instrument_version": work.instrument.version,
        "response": work.response,
        "submitted_at": work.at,
        "elapsed_seconds": (work.at - work.task.began).total_seconds(),
        "active_seconds": work.active_seconds,
    }
    if work.task.expected is None:
        alike |= {"output_id": assignment.output_id, "instrument": campaign.instrument}
        return int(Judgment.objects.create(**alike).pk)
    alike["item_id"] = assignment.gold_id
    right = expected.is_right(work.instrument, work.task.expected, work.response)
    GoldAnswer.objects.create(**alike, right=right)
    return None
