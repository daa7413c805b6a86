"""The queue of reviews page by page: searched, narrowed and sorted by the database."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Lag, Lead, RowNumber

from annotate.crowds.registry import CROWDS
from annotate.models import Appeal, Flag, Review, Ruling, SignalFinding
from annotate.screening.base import LISTED, PAUSED
from annotate.screening.gold import FOR_REVIEWERS as GOLD_WORDS
from annotate.screening.gold import GOLD
from annotate.screening.screens import SCREENS
from annotate.selectors import keysets, listings
from annotate.selectors.listings import Filter, Listing
from annotate.selectors.review import reviews, turns
from annotate.selectors.review.reviews import Waiting

ROWS, MANY = 25, 100  # on a page
TURN = "turn"  # the order in which reviews are ruled on
SORTS = {TURN: "Most urgent", "new": "Newest", "old": "Oldest", "name": "Annotator"}
# Each order ends with the id, so that all pages together show each review once.
ORDERS: dict[str, list[str]] = {
    "new": ["-opened_at", "-pk"],
    "old": ["opened_at", "pk"],
    "name": ["annotator__pseudonym", "pk"],
}
WAITING, APPEALED, RULED = "waiting", "appeals", "ruled"
PARTS = {WAITING: "Waiting", APPEALED: "Appeals", RULED: "Ruled"}
BY_HAND = "none"  # neither a flag nor a signal
SIGNALS = "signals"  # signals of the page list them
TIERS = {"": "Any", PAUSED: "Paused", LISTED: "Only listed"}
MINE, OTHERS = "me", "others"
RULERS = {"": "Anybody, or not yet", MINE: "Me", OTHERS: "Others"}


@dataclass(frozen=True)
class QueueListing(Listing):
    """What is asked of the queue; `campaign`: of one campaign alone, "" for all.

    chosen: the filters by their names in the address; "" leaves everything in.
    """

    campaign: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def narrowed(self) -> bool:
        rest = {name: value for name, value in self.chosen.items() if name != "rows"}
        return super().narrowed or any(rest.values())

    @property
    def all(self) -> str:
        return replace(self, chosen={"rows": self.chosen.get("rows", "")}, search="")._address(
            number=1, choice=WAITING
        )

    @property
    def selects(self) -> list[Filter]:
        """Return the filters that the list offers."""
        return [
            Filter(name, label, tuple(options.items()), self.chosen.get(name, ""))
            for name, (label, options) in _filters().items()
        ]

    @property
    def kept(self) -> str:
        """Return what names this list, whatever its page, in the address of a case."""
        return self._address(number=1).removeprefix("?").partition("#")[0]

    def _address(self, **changes: Any) -> str:
        found = super()._address(**changes).removeprefix("?")
        also = {"campaign": self.campaign, **self.chosen}
        ours = urlencode({name: value for name, value in also.items() if value})
        return f"?{ours}&{found}" if ours and not found.startswith("#") else f"?{ours}{found}"


def _filters() -> dict[str, tuple[str, dict[str, str]]]:
    """Return the filters: their labels, and the names of their options by value."""
    screens = {key: screen.reviewers.title for key, screen in SCREENS.items()}
    crowds = {key: crowd.label for key, crowd in CROWDS.items()}
    others = {
        GOLD: GOLD_WORDS.title,
        SIGNALS: "Signals of the page",
        BY_HAND: "Put here by hand",
    }
    return {
        "screen": ("Reason", {"": "Any", **screens, **others}),
        "tier": ("Flags", TIERS),
        "crowd": ("Crowd", {"": "Any", **crowds}),
        "by": ("Ruled by", RULERS),
        "rows": ("Rows", {"": str(ROWS), str(MANY): str(MANY)}),
    }


def narrowing() -> dict[str, tuple[str, list[str]]]:
    """Return the filters by their names in an address: the label, and the values."""
    return {
        name: (label, [value for value in options if value])
        for name, (label, options) in _filters().items()
        if name != "rows"
    }


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


def asked(query: Mapping[str, str], *, campaign: str = "", size: int = 0) -> QueueListing:
    """Read what an address asks for; an unknown filter leaves everything in.

    size: cases on a page; 0: as many as the address asks for.
    """
    chosen = {
        name: value if (value := query.get(name, "")) in options else ""
        for name, (_label, options) in _filters().items()
    }
    rows = size or int(chosen["rows"] or ROWS)
    said = listings.asked(query, sorts=SORTS, choices=PARTS, size=rows, anchor="queue-h")
    return QueueListing(**vars(said), campaign=campaign, chosen=chosen)


def page(
    user_id: int, wanted: QueueListing, left: Collection[int]
) -> tuple[QueueListing, list[Waiting]]:
    """Return one page, and its place in the list; always the same number of queries.

    left: the reviews that wait for another person's answer (`appeal_rights.left_to_others`).
    """
    rows, order = _ordering(_matching(user_id, wanted), left, wanted)
    names = [name.removeprefix("-") for name in order]
    found, shown = keysets.page(rows.values_list(*names, named=True), order, wanted)
    ids = [row.pk for row in shown]
    lines = {
        one.review_id: one for one in reviews.lines(Review.objects.filter(pk__in=ids), left=left)
    }
    return found, [lines[pk] for pk in ids]


def neighbours(
    user_id: int, review_id: int | None, left: Collection[int], wanted: QueueListing
) -> Neighbours:
    """Return what stands beside a review in this list, among all that this person may rule on.

    left: the reviews that wait for another person's answer.
    """
    mine = _matching(user_id, wanted).exclude(pk__in=left)
    n = mine.count()
    rows, order = _ordering(mine, (), wanted)
    queue = rows.order_by(*order)
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
    if crowd := wanted.chosen.get("crowd"):
        rows = rows.filter(campaign__crowd=crowd)
    return _by_ruler(_by_flags(rows, wanted.chosen), wanted.chosen.get("by", ""), user_id)


def _by_flags(rows: QuerySet[Review], chosen: Mapping[str, str]) -> QuerySet[Review]:
    """Narrow to a reason, and to a tier."""
    screen, tier = chosen.get("screen", ""), chosen.get("tier", "")
    flags = Flag.objects.filter(review=OuterRef("pk"))
    signals = Exists(
        SignalFinding.objects.filter(
            campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), listed=True
        )
    )
    if screen == SIGNALS:
        rows = rows.filter(signals)
    elif screen == BY_HAND:
        rows = rows.filter(~Exists(flags), ~signals)
    elif screen:
        rows = rows.filter(Exists(flags.filter(screen=screen)))
    paused = Exists(flags.filter(tier=PAUSED))
    if tier == LISTED:
        return rows.filter(~paused, Exists(flags) | signals)
    return rows.filter(paused) if tier else rows


def _by_ruler(rows: QuerySet[Review], by: str, user_id: int) -> QuerySet[Review]:
    """Narrow to the reviews whose last ruling is of this person, or of another one."""
    if not by:
        return rows
    last = Ruling.objects.filter(review=OuterRef("pk")).order_by("-pk").values("actor")[:1]
    ruled = rows.annotate(ruler=Subquery(last)).filter(ruler__isnull=False)
    return ruled.filter(ruler=user_id) if by == MINE else ruled.exclude(ruler=user_id)


def _ordering(
    rows: QuerySet[Review], left: Collection[int], wanted: QueueListing
) -> tuple[QuerySet[Review], list[str]]:
    """Return the rows with all that sorts them, and the names that make the order asked for."""
    if order := ORDERS.get(wanted.sort):
        names = order
    elif wanted.choice == RULED:
        names = ["-ruled_at", "-pk"]
    else:
        rows, names = turns.with_turn(rows, left)
    if wanted.backwards:
        names = keysets.turned(names)
    return rows, names
