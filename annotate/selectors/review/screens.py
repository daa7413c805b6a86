"""Every screen's verdict on one annotator, among those on all others of the campaign.

A worker keeps the verdicts (`services.review.verdicts`); here they are read.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from annotate.models import Campaign, ScreenedAnnotator, Screening
from annotate.screening.base import Verdict
from annotate.selectors.review import screening
from annotate.selectors.studies import instruments


@dataclass(frozen=True)
class Screened:
    """One screen: its verdict on this annotator, and the values of the others, ascending."""

    verdict: Verdict
    others: tuple[float, ...]


@dataclass(frozen=True)
class Times:
    """Active seconds: this annotator's judgments in order, and the others' typical value."""

    own: tuple[float, ...]
    others: float | None  # the median over the others' judgments


@dataclass(frozen=True)
class Look:
    """The screens' results for one annotator; empty if the campaign has no task page.

    at: when the screens looked at this work; None: not yet.
    awaited: the screens have not looked at all judgments, and will.
    """

    screens: tuple[Screened, ...] = ()
    times: Times | None = None
    at: datetime | None = None
    awaited: bool = False


def look(campaign: Campaign, annotator_id: int) -> Look:
    """Return what the screens found on one annotator; four queries at most."""
    own = _own_times(campaign.pk, annotator_id)
    if not own or not instruments.of(campaign).template:
        return Look()
    mine = ScreenedAnnotator.objects.filter(campaign=campaign, annotator=annotator_id).first()
    run = Screening.objects.filter(campaign=campaign).first()
    if mine is None or run is None:
        return Look(times=Times(own, None), awaited=True)
    others = _others(run)
    inside = mine.state == run.state
    return Look(
        tuple(_screened(said, others, inside=inside) for said in mine.verdicts),
        Times(own, mine.others_seconds),
        mine.at,
        awaited=inside and campaign.screened != run.state,
    )


def _own_times(campaign_id: int, annotator_id: int) -> tuple[float, ...]:
    rows = screening.known().filter(campaign=campaign_id, annotator=annotator_id).order_by("pk")
    times = rows.values_list("active_seconds", "elapsed_seconds")
    return tuple(screening.seconds(active, elapsed) for active, elapsed in times)


def _others(run: Screening) -> dict[str, list[float]]:
    with np.load(io.BytesIO(run.values), allow_pickle=False) as kept:
        return {name: kept[name].tolist() for name in kept.files}


def _screened(
    said: Mapping[str, object], values: Mapping[str, Sequence[float]], *, inside: bool
) -> Screened:
    """Return one screen. inside: the values of all people include this person's."""
    verdict = Verdict(**said)  # type: ignore[arg-type]
    others = list(values.get(verdict.screen, ()))
    if inside and verdict.value is not None:
        others.remove(verdict.value)
    return Screened(verdict, tuple(others))
