"""The queue of reviews page by page: searched, narrowed and sorted by the database."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, QuerySet, Window
from django.db.models.functions import Lag, Lead, RowNumber

from annotate.models import Appeal, Review
from annotate.selectors import listings
from annotate.selectors.listings import Listing
from annotate.selectors.review import reviews, turns
from annotate.selectors.review.reviews import Waiting

ROWS = 25  # on a page
TURN = "turn"  # the order in which reviews are ruled on
SORTS = {TURN: "Most urgent", "new": "Newest", "old": "Oldest", "name": "Annotator"}
# Each order ends with the id, so that all pages together show each review once.
ORDERS = {"new": ("-opened_at", "-pk"), "old": ("opened_at", "pk")}
ORDERS["name"] = ("annotator__pseudonym", "pk")
WAITING, APPEALED, RULED = "waiting", "appeals", "ruled"
PARTS = {WAITING: "Waiting", APPEALED: "Appeals", RULED: "Ruled"}


@dataclass(frozen=True)
class QueueListing(Listing):
    """What is asked of the queue; `campaign`: of one campaign alone, "" for all."""

    campaign: str = ""

    def _address(self, **changes: Any) -> str:
        found = super()._address(**changes)
        return found.replace("?", f"?campaign={self.campaign}&", 1) if self.campaign else found


class CaseKey(NamedTuple):
    """What names a case in an address."""

    campaign: str
    pseudonym: str


@dataclass(frozen=True)
class Neighbours:
    """Where a review stands in one person's queue, and the keys of the cases beside it.

    place: from 1; None if it is not in the queue. `following` is then the first of the queue.
    """

    n_waiting: int
    place: int | None = None
    previous: CaseKey | None = None
    following: CaseKey | None = None


def asked(query: Mapping[str, str], *, campaign: str = "") -> QueueListing:
    """Read what an address asks for."""
    said = listings.asked(query, sorts=SORTS, choices=PARTS, size=ROWS, anchor="queue-h")
    return QueueListing(**vars(said), campaign=campaign)


def page(
    user_id: int, wanted: QueueListing, left: Collection[int]
) -> tuple[QueueListing, list[Waiting]]:
    """Return one page, and its place in the list; always the same number of queries.

    left: the reviews that wait for another person's answer (`appeal_rights.left_to_others`).
    """
    rows = _matching(user_id, wanted)
    found = wanted.found(rows.count())
    assert isinstance(found, QueueListing)
    ids = list(_sorted(rows, left, found).values_list("pk", flat=True)[found.rows])
    lines = {
        one.review_id: one for one in reviews.lines(Review.objects.filter(pk__in=ids), left=left)
    }
    return found, [lines[pk] for pk in ids]


def neighbours(
    user_id: int, review_id: int | None, left: Collection[int], *, campaign: str = ""
) -> Neighbours:
    """Return what stands beside a review among all that this person may rule on; `left`: others."""
    mine = reviews.of_user(user_id, campaign).filter(reviews.waits()).exclude(pk__in=left)
    n = mine.count()
    queue = turns.in_turn(mine, ())
    order = [str(one) for one in queue.query.order_by]
    own = (
        queue.annotate(
            place=Window(RowNumber(), order_by=order),
            before=Window(Lag("pk"), order_by=order),
            after=Window(Lead("pk"), order_by=order),
            # A condition on the review itself would leave nothing beside it.
            itself=Window(Max("pk"), partition_by=[F("pk")]),
        )
        .filter(itself=review_id)
        .values_list("place", "before", "after")
        .first()
    )
    named = ("pk", "campaign__public_id", "annotator__pseudonym")
    if own is None:
        first = queue.values_list(*named).first()
        return Neighbours(n, following=first and CaseKey(*first[1:]))
    # No id is 0, and a query that names none would not be sent: always as many queries.
    beside = Review.objects.filter(pk__in=[pk or 0 for pk in own[1:]]).values_list(*named)
    keys = {pk: CaseKey(public_id, name) for pk, public_id, name in beside}
    return Neighbours(n, own[0], keys.get(own[1]), keys.get(own[2]))


def _matching(user_id: int, wanted: QueueListing) -> QuerySet[Review]:
    rows = reviews.of_user(user_id, wanted.campaign)
    if wanted.choice == RULED:
        rows = rows.exclude(reviews.waits()).filter(ruled_at__isnull=False)
    elif wanted.choice == APPEALED:
        rows = rows.filter(pk__in=Appeal.objects.filter(answered_at=None).values("review"))
    else:
        rows = rows.filter(reviews.waits())
    if wanted.search:
        named = Q(annotator__pseudonym__icontains=wanted.search)
        rows = rows.filter(named | Q(campaign__name__icontains=wanted.search))
    return rows


def _sorted(
    rows: QuerySet[Review], left: Collection[int], wanted: QueueListing
) -> QuerySet[Review]:
    if order := ORDERS.get(wanted.sort):
        rows = rows.order_by(*order)
    elif wanted.choice == RULED:
        rows = rows.order_by("-ruled_at", "-pk")
    else:
        rows = turns.in_turn(rows, left)
    return rows.reverse() if wanted.backwards else rows
