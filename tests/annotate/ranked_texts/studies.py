"""Campaigns in which people rank all texts of an item, and what people do in them."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from annotate.campaigns.problems import Row
from annotate.instruments.base import TextBeside
from annotate.models import Assignment, Campaign, Judgment, Participation
from annotate.studies import definitions
from annotate.work import leasing, submitting, task
from tests.annotate.side_by_side.studies import rows
from tests.factories import campaign

RANKING: dict[str, Any] = {
    "key": "ranking",
    "label": "Ranking",
    "task": "Read all texts. Which is better than which?",
    "about": "You put texts in order.",
    "criteria": [
        {"name": "rank", "kind": "rank", "label": "Place", "question": "Which is better?"},
    ],
    "example": {"text": "Hold the button for ten seconds.", "second": "Pull the plug."},
}


def ranking(*more: dict[str, Any], best_only: bool = False, **changes: Any) -> dict[str, Any]:
    """Return the definition with further questions, and some fields changed."""
    whole = copy.deepcopy(RANKING) | changes
    whole["criteria"][0] |= {"best_only": True} if best_only else {}
    whole["criteria"] += more
    return whole


def study(
    items: int = 4,
    systems: Sequence[str] = "ABC",
    *,
    texts: list[Row] | None = None,
    definition: dict[str, Any] | None = None,
    **changes: Any,
) -> Campaign:
    made = definitions.define(definition or ranking(), owner_id=None)
    plan: dict[str, Any] = {"targets": {"rank": 0.4}, "metrics": (), "double_share": 0}
    return campaign(rows_=texts or rows(items, systems), instrument=made.key, **{**plan, **changes})


def seen(assignment: int) -> tuple[TextBeside, ...]:
    """Return the texts on the page of a task."""
    found = Assignment.objects.select_related("output__item", "participation").get(pk=assignment)
    return task.current(found, task.study(found.campaign_id)).material.side_by_side


def submit(
    who: Participation, assignment: int, places: list[Any], **more: Any
) -> submitting.AfterSubmit:
    """Submit as the page does. places: of the texts in the order of the page."""
    given = submitting.PageResponse({"rank": places, **more}, active_seconds=1.0, version="1")
    return submitting.submit(assignment, participation_id=who.pk, given=given)[1]


def by_name(text: str) -> str:
    """Return what ranks texts by the system that wrote them: A is the best."""
    return text[0]


def work(
    who: Participation, *, turns: int = 10**6, worth: Callable[[str], Any] = by_name, **more: Any
) -> list[Judgment]:
    """Work as a page does: rank the texts by what each is worth, the lowest first."""
    got, done = leasing.lease(who.pk), []
    now = got.pk if isinstance(got, Assignment) else None
    while now is not None and len(done) < turns:
        values = [worth(one.text) for one in seen(now)]
        places = [1 + sorted(set(values)).index(one) for one in values]
        done.append(now)
        now = submit(who, now, places, **more).next
    return list(Judgment.objects.filter(assignment__in=done).order_by("pk"))
