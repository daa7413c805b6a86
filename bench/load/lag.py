"""How long an estimate lags behind a judgment: the age of change marks, seen now and then."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

EVERY = 0.1  # seconds between two looks
OLDEST = "SELECT extract(epoch FROM min(at)) FROM annotate_changemark WHERE campaign_id = %s"


@dataclass(frozen=True)
class Look:
    at: float
    oldest: float | None  # when the oldest waiting mark was made; None: no mark waits


def lags(judged: Sequence[float], looks: Sequence[Look]) -> list[float]:
    """Return for each judgment the seconds until the first look that saw no mark as old as it.

    judged: times of the acknowledgements, ascending; looks: in their order. So each lag is too
    large by up to one interval between looks. Infinity for what no look saw estimated.
    """
    found: list[float] = []
    for look in looks:
        seen = look.at if look.oldest is None else min(look.oldest, look.at)
        while len(found) < len(judged) and judged[len(found)] < seen:
            found.append(look.at - judged[len(found)])
    return found + [math.inf] * (len(judged) - len(found))


class Watch(threading.Thread):
    """Looks at the marks of a campaign through a connection of its own."""

    def __init__(self, campaign_id: int) -> None:
        super().__init__(daemon=True)
        self.campaign_id = campaign_id
        self.looks: list[Look] = []
        self.over = threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        from django.db import Error, connection

        try:
            while not self.over.wait(EVERY):
                with connection.cursor() as cursor:
                    cursor.execute(OLDEST, [self.campaign_id])
                    oldest = cursor.fetchone()[0]
                self.looks.append(Look(time.time(), None if oldest is None else float(oldest)))
        except Error as error:
            self.error = error
        finally:
            connection.close()

    def end(self, *, patience: float) -> None:
        """Stop looking when no mark waits any more, or when patience is over."""
        now = time.time()
        while time.time() < now + patience and self.is_alive():
            if self.looks and self.looks[-1].at > now and self.looks[-1].oldest is None:
                break
            time.sleep(EVERY)
        self.over.set()
        self.join()
        if self.error is not None:
            raise self.error
