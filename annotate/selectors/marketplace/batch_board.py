"""All that the page of a campaign's batches shows, as one value."""

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
    """world: where the next batch would be launched, by the settings of now. missing: judgments
    that nobody gives now, where nothing is offered; 0 where something is."""

    world: CrowdEnvironment
    batches: tuple[BatchRow, ...]
    operations: Operations
    doubtful: tuple[DisputedUnit, ...]
    missing: int
    near: Deadline | None

    @property
    def can_look(self) -> bool:
        """Whether there is anything at the crowd to look at."""
        return any(row.at_the_crowd for batch in self.batches for row in batch.postings)

    @property
    def live(self) -> bool:
        """Whether something may change without an act of the researcher."""
        return self.operations.moving or any(batch.moves for batch in self.batches)

    @property
    def fingerprint(self) -> str:
        """A short name of this content: a page that has it needs no new one."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def board(campaign_id: int, crowd: str) -> Board:
    """Return it all; always the same number of queries."""
    rows = tuple(batches.of_campaign(campaign_id))
    return Board(
        world(crowd),
        rows,
        operations.of_campaign(campaign_id),
        open_units.disputed(campaign_id),
        0 if batches.offered(campaign_id) else slots.free(campaign_id).count(),
        open_units.next_deadline(campaign_id),
    )
