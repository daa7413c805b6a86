"""Campaigns that show all texts of an item, and what a person does in them."""

from collections.abc import Sequence
from typing import Any

from annotate.campaigns.problems import Row
from annotate.instruments.base import TextBeside
from annotate.models import Assignment, Campaign, Participation
from annotate.studies import definitions
from annotate.work import leasing, submitting, task
from tests.annotate.own import side_by_side
from tests.factories import campaign

ANSWER = {"helpful": 1, "invented": 0}
SAID = "Your answer: Help: Helps much, Invention: Nothing"


def rows(items: int = 4, systems: Sequence[str] = "ABC") -> list[Row]:
    return [Row(f"i{n}", name, f"{name} wrote {n}.") for n in range(items) for name in systems]


def study(
    items: int = 4,
    systems: Sequence[str] = "ABC",
    *,
    texts: list[Row] | None = None,
    **changes: Any,
) -> Campaign:
    made = definitions.define(side_by_side(), owner_id=None)
    plan: dict[str, Any] = {"targets": {"helpful": 0.4}, "metrics": (), "double_share": 0}
    return campaign(rows_=texts or rows(items, systems), instrument=made.key, **{**plan, **changes})


def submit(who: Participation, assignment: int, **answer: int) -> submitting.AfterSubmit:
    """Submit as the page does."""
    given = submitting.PageResponse({**ANSWER, **answer}, active_seconds=1.0, version="1")
    return submitting.submit(assignment, participation_id=who.pk, given=given)[1]


def work(who: Participation, *, turns: int = 10**6) -> list[Assignment]:
    """Work as a page does, with one task in hand; return what was submitted, in order."""
    got, done = leasing.lease(who.pk), []
    now = got.pk if isinstance(got, Assignment) else None
    while now is not None and len(done) < turns:
        following = submit(who, now).next
        done.append(Assignment.objects.select_related("output__item").get(pk=now))
        now = following
    return done


def items(done: Sequence[Assignment]) -> list[int]:
    """Return where the item of each task stands in the order of the items."""
    return [one.output.item.position for one in done if one.output is not None]


def seen(assignment: Assignment) -> tuple[TextBeside, ...]:
    """Return the texts on the page of a task."""
    found = task.current(assignment, task.study(assignment.campaign_id))
    return found.material.side_by_side
