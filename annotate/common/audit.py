"""Changes of a status along a table: one conditional UPDATE, with an audit row (data rule 2).

Each status has one module. It holds the table, and no other module calls `change` for it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from annotate.common.errors import Invalid
from annotate.common.marks import notifications_intended
from annotate.models import AuditEntry, Campaign, Notification, Subscription
from annotate.models.base import CampaignStatus

M = TypeVar("M", bound=Model)
S = TypeVar("S", bound=str)


def change(
    rows: QuerySet[M],
    table: Mapping[S, Collection[S]],
    to: S,
    *,
    sources: Collection[S],
    record: Callable[[], None],
    **fields: Any,
) -> int:
    """Move those of `rows` that are in one of `sources` to `to`; return how many moved.

    record: writes the audit row, in the same transaction and only if a row has moved.
    fields: other fields that change along with the status.
    Raises `ValueError` and changes nothing where the table does not allow the move from one of
    `sources`.
    """
    if refused := [source for source in sources if to not in table[source]]:
        name = rows.model._meta.verbose_name
        raise ValueError(f"This {name} cannot go from {', '.join(refused)} to {to}.")
    with transaction.atomic(savepoint=False):
        moved = rows.filter(status__in=list(sources)).update(status=to, **fields)
        if moved:
            record()
    return moved


def elsewhere() -> None:
    """Record nothing. The calling module states which other row is the record."""


def note(rows: QuerySet[M], **fields: Any) -> int:
    """Update fields other than the status; return the number of rows updated."""
    if "status" in fields:
        raise ValueError("A status changes by `change` only.")
    return rows.update(**fields)


# The events that people can subscribe to, and the acts behind them.


@dataclass(frozen=True)
class CampaignEvent:
    """An event. means: as a part of a sentence. acts: the words of each act, by its verb."""

    key: str
    means: str
    acts: dict[str, str]


EVENTS = {
    event.key: event
    for event in (
        CampaignEvent(
            "closed",
            "the campaign is closed",
            {"finish": "The campaign is closed."},
        ),
        CampaignEvent(
            "decision",
            "collection stops or goes on by the stopping rule, for one system or for all",
            {
                "close": "The campaign stops collecting; what is in progress is finished.",
                "resume": "The campaign collects again: some interval is too wide after all.",
                "stop_system": "Collection stops for the system {system}.",
                "resume_system": "Collection goes on for the system {system}.",
            },
        ),
        CampaignEvent(
            "flag",
            "screens flag or list an annotator",
            {"flag": "Screens found something in the work of an annotator."},
        ),
        CampaignEvent(
            "budget",
            "80 % of the budget is spent or promised",
            {"budget_low": "80 % of the budget is spent or promised."},
        ),
        CampaignEvent(
            "status",
            "the campaign is opened, paused or opened again",
            {
                "open": "The campaign is open.",
                "pause": "The campaign is paused.",
                "reopen": "The campaign is open again.",
            },
        ),
    )
}
TEST = CampaignEvent("test", "a test", {"": "This is a test. It works."})
_BY_VERB = {verb: event for event in EVENTS.values() for verb in event.acts}


def events_of(verb: str) -> CampaignEvent | None:
    """Return the event of an act with this verb; None if it is not an event."""
    return _BY_VERB.get(verb)


# Notifications to send: rows committed with the act, for its subscribers.


WEBHOOK = Subscription.Channel.WEBHOOK


def of_act(entry: AuditEntry) -> None:
    """Store a notification for each subscription that asks for this act, in the act's transaction.

    Acts that are no event, such as judgments, cost nothing here.
    """
    event = events_of(entry.verb)
    if event is None or entry.campaign_id is None:
        return
    rows = Subscription.objects.filter(campaign=entry.campaign_id, ended_at=None)
    store([one for one in rows if event.key in one.events], entry)


def store(asking: list[Subscription], entry: AuditEntry | None) -> None:
    """Store a notification for each; webhooks are called after the commit, mails a minute later."""
    now = timezone.now()
    Notification.objects.bulk_create(
        Notification(subscription=one, entry=entry, created_at=now) for one in asking
    )
    hooks = [one.pk for one in asking if one.channel == WEBHOOK]
    transaction.on_commit(lambda: _announce(hooks), robust=True)


def _announce(subscription_ids: list[int]) -> None:
    for pk in subscription_ids:
        notifications_intended.send_robust(sender=None, subscription_id=pk)


# The log of acts. Call `record` inside the transaction of the act.


def record(
    verb: str,
    *,
    campaign_id: int | None,
    actor_id: int | None = None,
    subject: str = "",
    **detail: Any,
) -> None:
    """Log that `actor_id` (None: Plumbline itself) did `verb` to `subject`, and tell who asks."""
    entry = AuditEntry.objects.create(
        campaign_id=campaign_id, actor_id=actor_id, verb=verb, subject=subject, detail=detail
    )
    of_act(entry)


def record_each(verb: str, *, campaign_id: int, subjects: Iterable[str]) -> None:
    """Log that Plumbline did `verb` to each of `subjects`."""
    AuditEntry.objects.bulk_create(
        AuditEntry(campaign_id=campaign_id, verb=verb, subject=subject) for subject in subjects
    )


# Amendments have a reason: what was fixed when a campaign opened is changed later.


LONGEST_REASON = 300


def checked(reason: str, *, status: str) -> str:
    """Return the reason on one line. Raises `Invalid` without one, once the campaign has opened."""
    reason = " ".join(reason.split())
    if status == CampaignStatus.DRAFT:
        return reason[:LONGEST_REASON]
    if not 0 < len(reason) <= LONGEST_REASON:
        raise Invalid(
            {"reason": f"Say why, in at most {LONGEST_REASON} characters: the log keeps it."}
        )
    return reason


def record_reason(
    verb: str,
    campaign: Campaign,
    reason: str,
    changes: Mapping[str, tuple[Any, Any]],
    *,
    actor_id: int | None,
) -> None:
    """Log an amendment, as `annotate.common.rows` reads it. changes: path -> (was, now)."""
    record(
        verb,
        campaign_id=campaign.pk,
        actor_id=actor_id,
        status=campaign.status,
        why=reason,
        changes=changes,
    )
