"""The contents of the page of a campaign's batches, as one value."""

from dataclasses import dataclass
from hashlib import sha256

from annotate.selectors.campaigns import slots
from annotate.selectors.listings import Listing
from annotate.selectors.marketplace import batches, operations, watching
from annotate.selectors.marketplace.batch_rows import BatchRow
from annotate.selectors.marketplace.environments import CrowdEnvironment, world
from annotate.selectors.marketplace.operations import Operations
from annotate.selectors.pay import open_units
from annotate.selectors.pay.open_units import Deadline, DisputedUnit

MOST_DISPUTED = 20  # units that are listed at a time
MOST_MISSING = 10_000  # free slots are counted up to here


@dataclass(frozen=True)
class Board:
    """The contents of the page.

    world: where the next batch would be launched, by the current settings.
    batches: those of this page of the list; `launched`: whether there are any at all.
    doubtful: the first of `n_doubtful`.
    missing: free slots while nothing is offered, at most `MOST_MISSING` + 1; 0 while something is.
    can_look: there is something at the crowd to compare with.
    live: something may change without an act of the researcher.
    """

    world: CrowdEnvironment
    listing: Listing
    batches: tuple[BatchRow, ...]
    launched: bool
    operations: Operations
    doubtful: tuple[DisputedUnit, ...]
    n_doubtful: int
    missing: int
    near: Deadline | None
    can_look: bool
    live: bool

    @property
    def many_missing(self) -> bool:
        return self.missing > MOST_MISSING

    @property
    def fingerprint(self) -> str:
        """Return a digest of this content. A page with the same digest is up to date."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def board(campaign_id: int, crowd: str, listing: Listing) -> Board:
    """Return the contents; always the same number of queries."""
    listing, rows = batches.page(campaign_id, listing)
    open_ = operations.of_campaign(campaign_id)
    return Board(
        world(crowd),
        listing,
        tuple(rows),
        bool(rows) or batches.launched(campaign_id),
        open_,
        open_units.disputed(campaign_id, most=MOST_DISPUTED),
        open_units.count_disputed(campaign_id),
        0 if batches.offered(campaign_id) else _missing(campaign_id),
        open_units.next_deadline(campaign_id),
        watching.at_the_crowd(campaign_id).exists(),
        open_.moving or batches.moving(campaign_id),
    )


def _missing(campaign_id: int) -> int:
    return slots.free(campaign_id).order_by()[: MOST_MISSING + 1].count()
