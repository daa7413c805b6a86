"""Imports recorded judgments through the same services that a browser uses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from django.db import transaction

from annotate.models import Assignment, Output
from annotate.selectors.work.admission import Nothing
from annotate.services.campaigns import life
from annotate.services.campaigns.importing.problems import Row
from annotate.services.campaigns.plans import Planned
from annotate.services.work import judgments, leasing, participations
from annotate.states import CloseReason
from extras.replication.released import Recorded, Release


@dataclass(frozen=True)
class Due:
    """The next recorded judgment, and its output."""

    output_id: int
    recorded: Recorded


def as_recorded(release: Release) -> Planned:
    """Plan as many judgments of each output as were recorded."""

    def planned(row: Row, _position: int) -> int:
        return len(release.judgments_of(row.item, row.output))

    return planned


def in_order(campaign_id: int, release: Release) -> Iterator[Due]:
    """Yield the recorded judgments in the order in which the campaign leases its slots."""
    outputs = (
        Output.objects.filter(campaign=campaign_id)
        .order_by("item__position", "pk")
        .values_list("pk", "item__key", "text")
    )
    for pk, item, text in list(outputs):
        for recorded in release.judgments_of(item, text):
            yield Due(pk, recorded)


class Recorder:
    """Leases and submits for each recorded annotator, with one participation each."""

    def __init__(self, campaign_id: int) -> None:
        self.campaign_id = campaign_id
        self._participation = cache(self._enter)

    def record(self, due: Due) -> Nothing | None:
        """Lease and submit one judgment; return the refusal if there is no lease.

        Raises RuntimeError if the lease is for another output, which means that the records are not
        in the order of the slots.
        """
        participation_id = self._participation(due.recorded.annotator)
        got = leasing.lease(participation_id)
        if isinstance(got, Nothing):
            return got
        if got.output_id != due.output_id:
            raise RuntimeError(f"leased output {got.output_id}, recorded was {due.output_id}")
        self._submit(got, due.recorded)
        return None

    def _submit(self, assignment: Assignment, recorded: Recorded) -> None:
        judgments.submit(
            assignment.pk,
            participation_id=assignment.participation_id,
            raw={"scores": recorded.scores},
            active_seconds=recorded.seconds,
        )

    def _enter(self, annotator: str) -> int:
        return participations.enter(self.campaign_id, external_id=annotator).pk


def record_all(
    campaign_id: int, release: Release, *, actor_id: int | None, progress: Callable[[], object]
) -> int:
    """Open the campaign, store every judgment, and close it, in one transaction.

    No stopping rule can act in between. Returns the number of judgments stored.
    """
    taken = 0
    with transaction.atomic():
        life.open_(campaign_id, actor_id=actor_id)
        recorder = Recorder(campaign_id)
        for due in in_order(campaign_id, release):
            refusal = recorder.record(due)
            if refusal is not None:
                raise RuntimeError(f"a recorded judgment was refused: {refusal.message}")
            taken += 1
            progress()
        life.close(campaign_id, CloseReason.HAND, actor_id=actor_id, recorded=taken)
        life.finish(campaign_id, actor_id=actor_id)
    return taken


def instrument_for(release: Release, *, with_judgments: bool) -> str:
    """Return the instrument of a campaign made from a release."""
    return f"recorded_{release.instrument}" if with_judgments else release.instrument
