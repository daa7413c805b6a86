"""One row of each kind that has a status, in whichever status a test asks for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Model
from django.utils import timezone

from annotate.campaigns.imports import as_json
from annotate.models import (
    Assignment,
    AuditEntry,
    Campaign,
    CampaignImport,
    Operation,
    Participation,
    Posting,
    Review,
    Slot,
)
from annotate.review import reviews
from annotate.work import submitting
from tests.annotate.market import arrive, posting, study
from tests.crowds import operations
from tests.factories import GOOD, campaign, judge, leased, person, plan, user
from tests.reviewed import fired


def put(row: Any, status: str, **fields: Any) -> Any:
    """Set the status as no service does."""
    type(row).objects.filter(pk=row.pk).update(status=status, **fields)
    row.refresh_from_db()
    return row


def a_campaign(status: str) -> Campaign:
    return put(campaign(is_open=False), status)


def an_import(status: str) -> CampaignImport:
    made = CampaignImport.objects.create(
        owner=user(), key="k", digest="d", plan=as_json(plan()), outputs_name="outputs.jsonl"
    )
    return put(made, status)


def a_participation(status: str) -> Participation:
    """A unit of one task on a marketplace, judged."""
    there = posting(study(items=12), tasks=1)
    who = arrive(there)
    task = leased(who)
    submitting.submit_judgment(task.pk, participation_id=who.pk, raw=GOOD)
    if status == Participation.Status.LEFT:
        Slot.objects.filter(assignment=task).update(assignment=None)
        put(task, Assignment.Status.RETURNED)
    elif status in Participation.LISTED:
        put(task, Assignment.Status.VERIFIED)
    return put(who, status)


def an_assignment(status: str) -> Assignment:
    """Of somebody by link; judged where that is what the status says, and then in a slot."""
    task = leased(person(campaign()))
    if status in Assignment.JUDGED:
        submitting.submit_judgment(task.pk, participation_id=task.participation_id, raw=GOOD)
    elif status != Assignment.Status.LEASED:
        Slot.objects.filter(assignment=task).update(assignment=None)
    past = timezone.now() - timedelta(seconds=1)
    return put(task, status, expires_at=past)


def a_posting(status: str) -> Posting:
    return put(posting(study(items=12), tasks=1), status)


def an_operation(status: str, there: Posting | None = None, *, kind: str = "publish") -> Operation:
    there = there or posting(study(items=12), tasks=1, listing="", status="planned")
    payload = next(one for one in operations.ON_POSTINGS if one.kind == kind)
    made = operations.on_posting(payload, there)
    tried = {} if status == Operation.Status.PENDING else {"sent_at": timezone.now()}
    return put(made, status, **tried)


def a_review(status: str) -> Review:
    """Of somebody whose one judgment is due to be paid."""
    made = campaign(owner=user(), items=12)
    who = person(made)
    judge(who)
    reviews.flag(made.pk, who.annotator_id, [fired()])
    return put(Review.objects.get(), status)


ROWS: dict[type[Model], Callable[[str], Any]] = {
    Assignment: an_assignment,
    Campaign: a_campaign,
    CampaignImport: an_import,
    Operation: an_operation,
    Participation: a_participation,
    Posting: a_posting,
    Review: a_review,
}


def subject(row: Any) -> dict[str, Any]:
    """The audit rows of a row, as a condition."""
    if isinstance(row, Campaign):
        return {"campaign": row}
    if isinstance(row, Review):
        return {"subject": f"annotator:{row.annotator_id}"}
    name = {CampaignImport: "import"}.get(type(row), type(row).__name__.lower())
    key = row.public_id if isinstance(row, CampaignImport | Posting) else row.pk
    return {"subject": f"{name}:{key}"}


def acts(row: Any) -> list[str]:
    found = AuditEntry.objects.filter(**subject(row)).order_by("pk")
    return list(found.values_list("verb", flat=True))
