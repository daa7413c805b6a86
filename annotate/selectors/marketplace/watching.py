"""Which postings are to be compared with their crowd now, and what a look has changed."""

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
QUIET = timedelta(minutes=5)  # how often a posting without people at work is looked at
AT_ONCE = 200  # postings that one run looks at, those first that were not seen for longest


def due(*, all_: bool = False) -> list[int]:
    """Return the postings whose turn it is, those first that were not looked at for longest."""
    quiet = Q(looked_at__lte=timezone.now() - QUIET)
    live = Q(status__in=LIVE)
    busy = live & (Q(pending__gt=0) | _has(AT_WORK))
    over = Q(status=Status.CLOSED) & (_has(UNDECIDED) | _not_all_in() | may_go_on())
    rows = kept().filter(status__in=(*LIVE, Status.CLOSED))
    rows = rows if all_ else rows.filter(Q(looked_at=None) | busy | (quiet & (live | over)))
    ordered = rows.order_by(F("looked_at").asc(nulls_first=True), "pk")
    return list(ordered.values_list("pk", flat=True)[:AT_ONCE])


def campaigns() -> list[int]:
    """Return the campaigns that have something at a crowd which was not put away, or owe."""
    ids = kept().order_by("batch__campaign").values_list("batch__campaign", flat=True)
    return sorted({*ids.distinct(), *promises.to_be_paid()})


def at_the_crowd(campaign_id: int) -> list[int]:
    """Return the postings of a campaign that take people, or may take some again."""
    rows = kept().filter(batch__campaign=campaign_id)
    found = rows.filter(Q(status__in=LIVE) | (Q(status=Status.CLOSED) & may_go_on()))
    return list(found.order_by("pk").values_list("pk", flat=True))


def decided(campaign: Campaign) -> list[int]:
    """Return the closed postings about which all is decided, and can be decided no other way.

    No unit is undecided or may still be handed in, no operation is open, and no rejection could
    be turned round any more: putting it away would make that final. What may go on was stopped.
    """
    limit = adapters.marketplace(campaign.crowd).can.override_refusal or timedelta(0)
    final = timezone.now() - limit
    mine = Participation.objects.filter(posting=OuterRef("pk"))
    rejected = mine.filter(status=Unit.REJECTED, submitted_at__gt=final)
    waits = Operation.objects.filter(
        Q(posting=OuterRef("pk")) | Q(participation__posting=OuterRef("pk")),
        status__in=Operation.UNDONE,
    ).exclude(kind=Operation.Kind.MESSAGE)  # it is to a person, not about a posting
    stopped = Operation.objects.filter(
        posting=OuterRef("pk"), kind=Operation.Kind.STOP, status=Operation.Status.DONE
    )
    rows = kept().filter(batch__campaign=campaign, status=Status.CLOSED)
    rows = rows.filter(~Q(batch__crowd__in=adapters.reopening()) | Exists(stopped))
    rows = rows.exclude(_has(UNDECIDED) | Exists(rejected) | Exists(waits) | _not_all_in())
    return list(rows.order_by("pk").values_list("pk", flat=True))


def kept() -> QuerySet[Posting]:
    """What was published and not put away."""
    archive = Operation.objects.filter(posting=OuterRef("pk"), kind=Operation.Kind.ARCHIVE)
    away = archive.exclude(status__in=Operation.OPEN)
    return Posting.objects.exclude(external_id="").exclude(Exists(away))


def may_go_on() -> Q:
    """What was not put away on crowds where a full posting may go on."""
    return Q(batch__crowd__in=adapters.reopening(), pk__in=kept().values("pk"))


def _has(statuses: tuple[Unit, ...]) -> Exists:
    return Exists(Participation.objects.filter(posting=OuterRef("pk"), status__in=statuses))


def _not_all_in() -> Q:
    """What ended so lately that somebody may still hand in who never came here.

    A crowd that does not list people at work may call a posting closed while they work.
    """
    found, now = Q(pk__in=()), timezone.now()
    ended = kept().filter(status=Status.CLOSED, expires_at__lte=now)
    for batch in Batch.objects.filter(pk__in=ended.values("batch")):
        try:
            lists_all = adapters.marketplace(batch.crowd).can.verify_at_entry
        except Configuration:
            continue  # it cannot be asked, nor put away
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
    """Return how many postings, units and operations have each status, and the pay-outs."""
    found = {"pay-outs": Payout.objects.count()}
    for name, (model, status_of) in TABLES.items():
        rows = model._default_manager.order_by().values_list("status").annotate(Count("pk"))
        found |= {f"{name}, {str(status_of(status).label).lower()}": n for status, n in rows}
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Yield what differs, in words."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            yield f"{name}: {old} → {new}"
