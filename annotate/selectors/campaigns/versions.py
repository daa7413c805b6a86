"""A short text that changes with everything that the numbers of a campaign may show.

It reads the ends of indexes, and a few rows of what is open now. Facts are only added, and each
change of a status adds an audit row (data rules 1 and 2), so the newest ids stand for most of it.
What changes without either is counted.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.db.models import (
    Count,
    DateTimeField,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from annotate.models import (
    Assignment,
    AuditEntry,
    Block,
    Campaign,
    ChangeMark,
    Judgment,
    LedgerEntry,
    Membership,
    Operation,
    Participation,
    PendingScore,
    Posting,
)
from annotate.selectors.campaigns import progress

Expressions = Mapping[str, Any]


def version(campaign: Campaign, *said: Any, besides: Expressions | None = None) -> str:
    """Return the version of a campaign, and of `said`; two queries.

    besides: further expressions about a campaign, by name, such as the newest ids of other tables.
    """
    row = [getattr(campaign, field.attname) for field in Campaign._meta.concrete_fields]
    found = Campaign.objects.filter(pk=campaign.pk).order_by()
    parts = found.annotate(**_newest(), **_open(), **(besides or {}))
    names = [*_newest(), *_open(), *(besides or {})]
    state = (row, parts.values_list(*names).get(), progress.in_use(campaign), said)
    return sha256(repr(state).encode()).hexdigest()[:20]


def last(rows: QuerySet[Any], campaign: str = "campaign") -> Subquery:
    """Return the newest id of these rows in a campaign, for `version`."""
    return Subquery(rows.filter(**{campaign: OuterRef("pk")}).order_by("-pk").values("pk")[:1])


def _newest() -> Expressions:
    every = {
        "audit": AuditEntry.objects,
        "judged": Judgment.objects,
        "due": LedgerEntry.objects,
        "came": Participation.objects,
        "marked": ChangeMark.objects,
    }
    return {f"newest_{name}": last(rows.all()) for name, rows in every.items()}


def _open() -> Expressions:
    """Return what is open: leases, waiting scores, units at work, postings, operations, blocks.

    Ids of leases only grow, so the number and the sum of the open ones stand for which they are.
    """
    leased = Assignment.objects.filter(status=Assignment.Status.LEASED)
    at_work = Participation.objects.filter(status=Participation.Status.ACTIVE)
    undone = Operation.objects.filter(status__in=(*Operation.UNDONE, Operation.Status.REFUSED))
    owners = Membership.objects.filter(
        campaign=OuterRef(OuterRef("pk")), role=Membership.Role.OWNER
    )
    blocked = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    by_posting = "posting__batch__campaign"
    return {
        "leases": _of(leased, Count("pk")),
        "which": _of(leased, Sum("pk")),
        "unscored": _of(PendingScore.objects.all(), Count("pk")),
        "units": _of(at_work, Count("pk"), campaign=by_posting),
        "units_until": _of(at_work, Max("deadline_at"), DateTimeField(), campaign=by_posting),
        "places": _of(Posting.objects.all(), Sum("places"), campaign="batch__campaign"),
        "posted_until": _of(
            Posting.objects.all(), Max("expires_at"), DateTimeField(), campaign="batch__campaign"
        ),
        "undone": _of(undone, Sum(F("attempts") + 1)),
        "told": _of(undone, Count("pk", filter=~Q(message=""))),
        "members": _of(Membership.objects.all(), Count("pk")),
        "blocked": Subquery(
            blocked.order_by().values("ended_at").annotate(n=Count("pk")).values("n"),
            output_field=IntegerField(),
        ),
    }


def _of(
    rows: QuerySet[Any], total: Any, kind: Any = None, *, campaign: str = "campaign"
) -> Subquery:
    mine = rows.filter(**{campaign: OuterRef("pk")}).order_by()
    counted = mine.values(campaign).annotate(total=total).values("total")
    return Subquery(counted, output_field=kind or IntegerField())
