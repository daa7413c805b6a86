"""What a refresh only notes, because it takes longer: a task of its own does it afterwards.

The note is a committed row, so a lost message only delays the task by seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Min
from django.dispatch import Signal
from django.utils import timezone

from annotate.services import locks
from estimation.models import AgreementDue, CloserLookDue, EndForecastDue
from estimation.services import catching_up

LEASE = timedelta(minutes=5)  # the longest duration of a task
GRACE = timedelta(seconds=5)  # younger marks still have a message on its way

Store = Callable[[], Any]


@dataclass(frozen=True)
class DeferredWork:
    """One kind of such work. name: of its lease. marks: its notes. asked: sent when it is due."""

    name: str
    marks: type[AgreementDue] | type[EndForecastDue] | type[CloserLookDue]
    asked: Signal

    def ask(self, campaign_id: int) -> None:
        """Have a task do it after the transaction that found it due."""
        self.marks.objects.create(campaign_id=campaign_id)
        transaction.on_commit(
            lambda: self.asked.send_robust(sender=None, campaign_id=campaign_id), robust=True
        )

    def carry_out(self, campaign_id: int, make: Callable[[], Store]) -> bool:
        """Do it if it is due; False if it is not, or if another task is doing it.

        make: returns what stores the result, in the transaction that removes the marks.
        """
        mine = self.marks.objects.filter(campaign=campaign_id)
        if not mine.exists():
            return False
        with locks.hold(f"{self.name}:{campaign_id}", LEASE) as lease:
            if lease is None:
                return False
            marks = list(mine.values_list("pk", flat=True))
            store = make()
            with transaction.atomic():
                removed, _ = self.marks.objects.filter(pk__in=marks).delete()
                if not removed:
                    return False  # this outlasted the lease, and another task has stored it
                store()
        return True

    def catch_up(self, do: Callable[[int], Any], *, doing: str) -> int:
        """Do what has been due for a while, the longest first; return in how many campaigns."""
        old = self.marks.objects.filter(at__lt=timezone.now() - GRACE).order_by()
        waiting = old.values("campaign").annotate(first=Min("at")).order_by("first", "campaign")
        return catching_up.each(list(waiting.values_list("campaign", flat=True)), do, doing=doing)
