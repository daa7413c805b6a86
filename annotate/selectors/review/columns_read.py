"""The screens' columns that this process has read, so that only new responses are read again.

Judgments are facts, so their columns do not change. Which of them are screened is asked each time.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns
from annotate.selectors import bulk

Ints = NDArray[np.int64]

ROWS = 2_000_000  # judgments of all campaigns together; about 100 bytes each
HIGHLIGHT = 8  # rows that one highlight takes as much memory as


@dataclass(frozen=True)
class Read:
    """What was read of a campaign. version: of its instrument. columns: with ascending `order`."""

    version: tuple[str, str]
    columns: Columns

    @property
    def rows(self) -> int:
        marked = self.columns.highlights
        return len(self.columns.order) + HIGHLIGHT * (0 if marked is None else len(marked.tokens))

    def places(self, ids: Ints, annotator: Ints, output: Ints) -> Ints:
        """Return (T,) the rows of these judgments, -1 for what was not read.

        Ids of judgments by others, or of other outputs, are those of another database: nothing of
        it was read then.
        """
        place = bulk.places(self.columns.order.astype(np.int64), wanted=ids)
        there = place >= 0
        mine = place[there]
        same = self.columns.annotator[mine] == annotator[there]
        same &= self.columns.output[mine] == output[there]
        return place if same.all() else np.full(ids.size, -1)


_lock = threading.Lock()
_read: OrderedDict[int, Read] = OrderedDict()


def of(campaign_id: int, version: tuple[str, str]) -> Read | None:
    """Return what was read of the campaign with this version of its instrument."""
    with _lock:
        found = _read.get(campaign_id)
    return found if found is not None and found.version == version else None


def keep(campaign_id: int, read: Read) -> None:
    """Keep it, and forget what was read longest ago until the rest fits."""
    with _lock:
        _read[campaign_id] = read
        _read.move_to_end(campaign_id)
        while sum(one.rows for one in _read.values()) > ROWS:
            _read.popitem(last=False)


def forget() -> None:
    """Throw everything away."""
    with _lock:
        _read.clear()
