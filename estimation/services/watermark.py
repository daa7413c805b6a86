"""From which judgment on a worker looks for new ones."""

import time
from collections import deque
from dataclasses import dataclass, field

IN_FLIGHT = 60.0  # seconds in which every transaction that has an id by then is over
MARGIN = 1000  # ids that are looked at again in any case


@dataclass
class Watermark:
    """The newest ids of earlier looks.

    Ids are given before transactions commit, so a judgment may come after one with a higher id.
    Every look begins below what had an id a minute before, and so finds it then.
    """

    _looks: deque[tuple[float, int]] = field(default_factory=deque)  # (when, newest id)

    @property
    def after(self) -> int:
        """Return the id above which judgments may be new; 0 before the first look."""
        if not self._looks:
            return 0
        while len(self._looks) > 1 and self._looks[1][0] <= time.monotonic() - IN_FLIGHT:
            self._looks.popleft()
        return max(0, min(self._looks[0][1], self._looks[-1][1] - MARGIN))

    def looked(self, newest: int) -> None:
        """Note the newest id, which was read before the look."""
        if not self._looks or newest > self._looks[-1][1]:
            self._looks.append((time.monotonic(), newest))
