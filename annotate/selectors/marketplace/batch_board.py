"""The contents of the page of a campaign's batches, as one value."""

from dataclasses import dataclass
from hashlib import sha256

from annotate.selectors.campaigns import slots
from annotate.selectors.marketplace import batches, operations
from annotate.selectors.marketplace.batch_rows import BatchRow
from annotate.selectors.marketplace.environments import CrowdEnvironment, world
from annotate.selectors.marketplace.operations import Operations
from annotate.selectors.pay import open_units
from annotate.selectors.pay.open_units import Deadline, DisputedUnit


@dataclass(frozen=True)
class Board:
    """The contents of the page.

    world: where the next batch would be launched, by the current settings.
    missing: free slots while nothing is offered; 0 while something is.
    """

    world: CrowdEnvironment
    batches: tuple[BatchRow, ...]
    operations: Operations
    doubtful: tuple[DisputedUnit, ...]
    missing: int
    near: Deadline | None

    @property
    def can_look(self) -> bool:
        """Return whether there is something at the crowd to compare with."""
        return any(row.at_the_crowd for batch in self.batches for row in batch.postings)

    @property
    def live(self) -> bool:
        """Return whether something may change without an act of the researcher."""
        return self.operations.moving or any(batch.moves for batch in self.batches)

    @property
    def fingerprint(self) -> str:
        """Return a digest of this content. A page with the same digest is up to date."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def board(campaign_id: int, crowd: str) -> Board:
    """Return the contents; always the same number of queries."""
    rows = tuple(batches.of_campaign(campaign_id))
    return Board(
        world(crowd),
        rows,
        operations.of_campaign(campaign_id),
        open_units.disputed(campaign_id),
        0 if batches.offered(campaign_id) else slots.free(campaign_id).count(),
        open_units.next_deadline(campaign_id),
    )
