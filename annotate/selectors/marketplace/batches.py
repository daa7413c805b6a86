"""Batches as researchers see them: places, progress and pay."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, Sum

from annotate import adapters
from annotate.crowds.terms import Terms, from_json
from annotate.errors import NotFound
from annotate.models import LAUNCHES, AuditEntry, Batch, LedgerEntry, Participation, Payout, Posting
from annotate.selectors import keysets
from annotate.selectors.listings import Listing
from annotate.selectors.marketplace import watching
from annotate.selectors.marketplace.batch_rows import BatchRow, Money, PostingRow, Units
from annotate.selectors.pay.open_units import TO_COME

ZERO = Decimal("0.00")
Unit = Participation.Status
OVER = (Posting.Status.CLOSED, Posting.Status.FAILED)
RUNNING = "running"  # the choice of batches that are not over


def of_campaign(campaign_id: int) -> list[BatchRow]:
    """Return a campaign's batches, the newest first; always the same number of queries."""
    return _rows(_named(campaign_id))


def page(campaign_id: int, listing: Listing) -> tuple[Listing, list[BatchRow]]:
    """Return a page of a campaign's batches, the newest first; always the same number of queries.

    `listing` searches in titles; its choice "running" leaves out batches that are over.
    """
    found = _named(campaign_id)
    if listing.search:
        found = found.filter(terms__title__icontains=listing.search)
    if listing.choice == RUNNING:
        open_ = Posting.objects.filter(batch=OuterRef("pk")).exclude(status__in=OVER)
        found = found.filter(Exists(open_))
    listing, shown = keysets.page(found, ("-pk",), listing)
    return listing, _rows(shown)


def one(campaign_id: int, public_id: str) -> BatchRow:
    """Return one batch of this campaign; raises `NotFound` for any other."""
    for row in _rows(_named(campaign_id).filter(public_id=public_id)):
        return row
    raise NotFound("There is no such batch in this campaign.")


def _named(campaign_id: int) -> QuerySet[Batch]:
    rows = Batch.objects.filter(campaign=campaign_id)
    return rows.select_related("campaign", "created_by")


def _rows(found: Iterable[Batch]) -> list[BatchRow]:
    rows = list(found)
    ids = [batch.pk for batch in rows]
    postings, money, deadlines = _postings(ids), _money(rows), _deadlines(ids)
    return [
        _row(batch, tuple(postings.get(batch.pk, ())), money[batch.pk], deadlines.get(batch.pk))
        for batch in rows
    ]


def moving(campaign_id: int) -> bool:
    """Return whether any batch of a campaign may change without an act of the researcher."""
    postings = Posting.objects.filter(batch__campaign=campaign_id).exclude(status__in=OVER)
    units = Participation.objects.filter(
        posting__batch__campaign=campaign_id, status__in=watching.UNDECIDED
    )
    # People who are at work in a posting that has closed will not hand in any more.
    ended = Q(status=Unit.ACTIVE, posting__status=Posting.Status.CLOSED)
    return postings.exists() or units.exclude(ended).exists()


def offered(campaign_id: int) -> bool:
    """Return whether its crowd offers work in this campaign, or is about to.

    Batches that are being stopped, as after a pause, are not counted: they never continue.
    """
    rows = Posting.objects.filter(batch__campaign=campaign_id, status__in=TO_COME)
    return rows.filter(batch__stopped_at=None).exists()


def last_terms(campaign_id: int) -> Terms | None:
    """Return the terms of the latest batch; None without one."""
    last = Batch.objects.filter(campaign=campaign_id).order_by("pk").last()
    return from_json(last.terms) if last else None


def more_units(campaign_id: int, *, than: int) -> bool:
    """Return whether the campaign has more than so many units, without counting them all."""
    units = Participation.objects.filter(campaign=campaign_id).order_by()
    return units[than : than + 1].exists()


def launched(campaign_id: int) -> bool:
    """Return whether a batch was ever launched in the campaign."""
    return Batch.objects.filter(campaign=campaign_id).exists()


def batch_id_of(public_id: str) -> int | None:
    return Batch.objects.filter(public_id=public_id).values_list("pk", flat=True).first()


def _row(
    batch: Batch, postings: tuple[PostingRow, ...], money: Money, deadline: datetime | None
) -> BatchRow:
    return BatchRow(
        batch_id=batch.pk,
        public_id=batch.public_id,
        crowd=batch.crowd,
        label=adapters.label(batch.crowd),
        environment=batch.environment,
        terms=from_json(batch.terms),
        reward=batch.reward,
        tasks=batch.tasks,
        places=batch.places,
        created_at=batch.created_at,
        created_by=batch.created_by.get_username() if batch.created_by else "",
        stopped_at=batch.stopped_at,
        units=sum((posting.units for posting in postings), Units()),
        postings=postings,
        money=money,
        next_auto_approval=deadline,
    )


def _postings(batches: list[int]) -> dict[int, list[PostingRow]]:
    counts: dict[int, Counter[str]] = {}
    units = Participation.objects.filter(posting__batch__in=batches).order_by()
    for posting, status, n in units.values_list("posting", "status").annotate(n=Count("pk")):
        counts.setdefault(posting, Counter())[status] = n
    found: dict[int, list[PostingRow]] = {}
    there = set(watching.at_the_crowd().filter(batch__in=batches).values_list("pk", flat=True))
    for posting in Posting.objects.filter(batch__in=batches).select_related("batch"):
        row = _posting(posting, counts.get(posting.pk, Counter()), posting.pk in there)
        found.setdefault(posting.batch_id, []).append(row)
    return found


def _posting(posting: Posting, counts: Counter[str], at_the_crowd: bool) -> PostingRow:
    left, at_work = counts[Unit.LEFT], counts[Unit.ACTIVE]
    if posting.status == Posting.Status.CLOSED:  # it has ended there, so no one works on it
        left, at_work = left + at_work, 0
    return PostingRow(
        public_id=posting.public_id,
        status=posting.status,
        status_label=str(posting.get_status_display()),
        listing=posting.external_id,
        url=posting.url,
        units=Units(
            posting.places,
            _available(posting, counts),
            at_work,
            counts[Unit.HANDED_IN],
            counts[Unit.CONFIRMED],
            counts[Unit.APPROVED],
            counts[Unit.REJECTED],
            left,
            counts[Unit.REJECTED] if posting.batch.crowd in adapters.reopening() else 0,
        ),
        expires_at=posting.expires_at,
        looked_at=posting.looked_at,
        problem=posting.problem,
        at_the_crowd=at_the_crowd,
    )


def _available(posting: Posting, counts: Counter[str]) -> int:
    """Return the crowd's count; before the first comparison, the places that are free here."""
    if posting.status != Posting.Status.OPEN:
        return 0
    if posting.available is not None:
        return posting.available
    return max(0, posting.places - counts.total() + counts[Unit.LEFT])


def _money(batches: list[Batch]) -> dict[int, Money]:
    confirmed = _confirmed(batches)
    theirs = {"participation__posting__batch__in": [batch.pk for batch in batches]}
    earned = _sums(LedgerEntry.objects.filter(**theirs))
    paid = _sums(Payout.objects.filter(**theirs))
    return {
        batch.pk: Money(
            confirmed=confirmed.get(batch.public_id, ZERO),
            paid=paid.get(batch.pk, ZERO),
            due=earned.get(batch.pk, ZERO) - paid.get(batch.pk, ZERO),
        )
        for batch in batches
    }


def _sums(rows: QuerySet[Any]) -> dict[int, Decimal]:
    summed = rows.order_by().values_list("participation__posting__batch").annotate(Sum("amount"))
    return {batch: total.quantize(ZERO) for batch, total in summed}


def _confirmed(batches: list[Batch]) -> dict[str, Decimal]:
    """Return the confirmed cost of all launches and extensions, by the batch's public id."""
    costs: dict[str, Decimal] = {}
    subjects = [f"batch:{batch.public_id}" for batch in batches]
    acts = AuditEntry.objects.filter(verb__in=LAUNCHES, subject__in=subjects)
    for subject, detail in acts.values_list("subject", "detail"):
        name = subject.removeprefix("batch:")
        costs[name] = costs.get(name, ZERO) + Decimal(detail["cost"])
    return costs


def _deadlines(batches: list[int]) -> dict[int, datetime]:
    """Return when the crowd next approves undecided work automatically, by batch."""
    waiting = Participation.objects.filter(
        posting__batch__in=batches, status=Unit.CONFIRMED, auto_approval_at__isnull=False
    )
    return dict(waiting.order_by().values_list("posting__batch").annotate(Min("auto_approval_at")))
