"""Which postings are due for a comparison with their crowd, and what a comparison has changed."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Exists, F, Model, OuterRef, Q, QuerySet, TextChoices
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Configuration
from annotate.crowds.terms import from_json
from annotate.models import Batch, Campaign, Operation, Participation, Payout, Posting
from annotate.selectors.pay import promises

Status = Posting.Status
Unit = Participation.Status
LIVE = (Status.OPEN, Status.DRAINING)
AT_WORK = (Unit.ACTIVE, Unit.HANDED_IN)
UNDECIDED = (*AT_WORK, Unit.CONFIRMED)
QUIET = timedelta(minutes=5)  # between two looks at a posting without people at work
AT_ONCE = 200  # postings per run, the longest unseen first


def due(*, all_: bool = False) -> list[int]:
    """Return the postings that are due, the longest unseen first."""
    quiet = Q(looked_at__lte=timezone.now() - QUIET)
    live = Q(status__in=LIVE)
    busy = live & (Q(pending__gt=0) | _has(AT_WORK))
    over = Q(status=Status.CLOSED) & (_has(UNDECIDED) | _not_all_in() | may_go_on())
    rows = kept().filter(status__in=(*LIVE, Status.CLOSED))
    rows = rows if all_ else rows.filter(Q(looked_at=None) | busy | (quiet & (live | over)))
    ordered = rows.order_by(F("looked_at").asc(nulls_first=True), "pk")
    return list(ordered.values_list("pk", flat=True)[:AT_ONCE])


def campaigns() -> list[int]:
    """Return the campaigns with unarchived postings at a crowd, or with a bonus to be paid."""
    ids = kept().order_by("batch__campaign").values_list("batch__campaign", flat=True)
    return sorted({*ids.distinct(), *promises.to_be_paid()})


def at_the_crowd(campaign_id: int | None = None) -> QuerySet[Posting]:
    """Select the postings that people can enter, now or later; of one campaign, or of all."""
    rows = kept() if campaign_id is None else kept().filter(batch__campaign=campaign_id)
    found = rows.filter(Q(status__in=LIVE) | (Q(status=Status.CLOSED) & may_go_on()))
    return found.order_by("pk")


def decided(campaign: Campaign) -> list[int]:
    """Return the closed postings with nothing left to decide.

    No unit is undecided or may still be submitted, no operation is open, and no rejection can be
    reversed any more; archiving would make it final. Postings that may continue have been stopped.
    """
    limit = adapters.marketplace(campaign.crowd).can.override_refusal or timedelta(0)
    final = timezone.now() - limit
    mine = Participation.objects.filter(posting=OuterRef("pk"))
    rejected = mine.filter(status=Unit.REJECTED, submitted_at__gt=final)
    waits = Operation.objects.filter(
        Q(posting=OuterRef("pk")) | Q(participation__posting=OuterRef("pk")),
        status__in=Operation.UNDONE,
    ).exclude(kind=Operation.Kind.MESSAGE)  # it concerns a person, not a posting
    stopped = Operation.objects.filter(
        posting=OuterRef("pk"), kind=Operation.Kind.STOP, status=Operation.Status.DONE
    )
    rows = kept().filter(batch__campaign=campaign, status=Status.CLOSED)
    rows = rows.filter(~Q(batch__crowd__in=adapters.reopening()) | Exists(stopped))
    rows = rows.exclude(_has(UNDECIDED) | Exists(rejected) | Exists(waits) | _not_all_in())
    return list(rows.order_by("pk").values_list("pk", flat=True))


def kept() -> QuerySet[Posting]:
    """Return the published postings that are not archived."""
    archive = Operation.objects.filter(posting=OuterRef("pk"), kind=Operation.Kind.ARCHIVE)
    away = archive.exclude(status__in=Operation.OPEN)
    return Posting.objects.exclude(external_id="").exclude(Exists(away))


def may_go_on() -> Q:
    """Select unarchived postings on crowds whose full postings may continue."""
    return Q(batch__crowd__in=adapters.reopening(), pk__in=kept().values("pk"))


def _has(statuses: tuple[Unit, ...]) -> Exists:
    return Exists(Participation.objects.filter(posting=OuterRef("pk"), status__in=statuses))


def _not_all_in() -> Q:
    """Select postings that ended so recently that a person who never came here may still submit.

    A crowd that does not list people at work may call a posting closed while they work.
    """
    found, now = Q(pk__in=()), timezone.now()
    ended = kept().filter(status=Status.CLOSED, expires_at__lte=now)
    for batch in Batch.objects.filter(pk__in=ended.values("batch")):
        try:
            lists_all = adapters.marketplace(batch.crowd).can.verify_at_entry
        except Configuration:
            continue  # it cannot be asked or archived
        if not lists_all:
            last = now - from_json(batch.terms).duration - settings.CROWD_GRACE
            found |= Q(batch=batch, expires_at__gt=last, expires_at__lte=now)
    return found


TABLES: dict[str, tuple[type[Model], type[TextChoices]]] = {
    "postings": (Posting, Posting.Status),
    "submissions": (Participation, Participation.Status),
    "operations": (Operation, Operation.Status),
}


def counts() -> dict[str, int]:
    """Return the number of postings, units and operations by status, and of pay-outs."""
    found = {"pay-outs": Payout.objects.count()}
    for name, (model, status_of) in TABLES.items():
        rows = model._default_manager.order_by().values_list("status").annotate(Count("pk"))
        found |= {f"{name}, {str(status_of(status).label).lower()}": n for status, n in rows}
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Yield the differences, in words."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            yield f"{name}: {old} → {new}"
