"""Every screen's newest word on one annotator, among those on all others of the campaign."""

from dataclasses import dataclass
from statistics import median

import numpy as np

from annotate.models import Campaign
from annotate.screening.base import Columns, Verdict
from annotate.screening.running import screen_all
from annotate.screening.settings import Settings
from annotate.selectors import screening


@dataclass(frozen=True)
class Screened:
    """One screen: its verdict on this annotator, and the values of the others."""

    verdict: Verdict
    others: tuple[float, ...]


@dataclass(frozen=True)
class Times:
    """Active seconds: this annotator's judgments in their order, and the others' usual ones."""

    own: tuple[float, ...]
    others: float | None  # the median over the others' judgments


@dataclass(frozen=True)
class Look:
    """What the screens see of one annotator; empty where nobody is asked through a page."""

    screens: tuple[Screened, ...] = ()
    times: Times | None = None


def look(campaign: Campaign, annotator_id: int) -> Look:
    """Run the screens over the campaign's judgments as they are now."""
    columns = screening.columns(campaign, with_annotator=annotator_id)
    if columns is None or annotator_id not in columns.people:
        return Look()
    found: dict[str, list[Verdict]] = {}
    for verdict in screen_all(columns, Settings.from_dict(campaign.screening)):
        found.setdefault(verdict.screen, []).append(verdict)
    return Look(
        tuple(_screened(each, annotator_id) for each in found.values() if any(v.n for v in each)),
        _times(columns, annotator_id),
    )


def _screened(verdicts: list[Verdict], annotator_id: int) -> Screened:
    (own,) = (verdict for verdict in verdicts if verdict.annotator == annotator_id)
    others = (verdict for verdict in verdicts if verdict is not own)
    return Screened(own, tuple(sorted(v.value for v in others if v.value is not None)))


def _times(columns: Columns, annotator_id: int) -> Times:
    mine = columns.annotator == annotator_id
    order = np.argsort(columns.order[mine], kind="stable")
    others = columns.seconds[~mine]
    return Times(
        own=tuple(columns.seconds[mine][order].tolist()),
        others=float(median(others)) if others.size else None,
    )
