"""Every screen's latest verdict on one annotator, among those on all others of the campaign."""

from dataclasses import dataclass
from statistics import median

import numpy as np
from django.core.cache import cache

from annotate.models import Campaign
from annotate.screening.base import Verdict
from annotate.screening.running import screen_all
from annotate.screening.settings import Settings
from annotate.selectors.review import eligibility, screening
from estimation.core import Floats, Ints


@dataclass(frozen=True)
class Screened:
    """One screen: its verdict on this annotator, and the values of the others."""

    verdict: Verdict
    others: tuple[float, ...]


@dataclass(frozen=True)
class Times:
    """Active seconds: this annotator's judgments in order, and the others' typical value."""

    own: tuple[float, ...]
    others: float | None  # the median over the others' judgments


@dataclass(frozen=True)
class Look:
    """The screens' results for one annotator; empty if the campaign has no task page."""

    screens: tuple[Screened, ...] = ()
    times: Times | None = None


def look(campaign: Campaign, annotator_id: int) -> Look:
    """Return the screens' results on the campaign's current judgments."""
    seen = _seen(campaign, annotator_id)
    if seen is None or annotator_id not in seen.annotator:
        return Look()
    found: dict[str, list[Verdict]] = {}
    for verdict in seen.verdicts:
        found.setdefault(verdict.screen, []).append(verdict)
    return Look(
        tuple(_screened(each, annotator_id) for each in found.values() if any(v.n for v in each)),
        _times(seen, annotator_id),
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """All verdicts on all annotators, and the times of their judgments in order of arrival."""

    verdicts: list[Verdict]
    annotator: Ints
    seconds: Floats


def _seen(campaign: Campaign, annotator_id: int) -> _Seen | None:
    """Run the screens once for everyone whose work counts: reviewers look at several people."""
    if eligibility.excluded(campaign.pk, annotator_id):
        return _run(campaign, annotator_id)
    key, state = f"screens:{campaign.pk}", (screening.state(campaign.pk), campaign.screening)
    kept = cache.get(key)
    if kept is None or kept[0] != state:
        kept = (state, _run(campaign, annotator_id))
        cache.set(key, kept)
    seen: _Seen | None = kept[1]
    return seen


def _run(campaign: Campaign, annotator_id: int) -> _Seen | None:
    columns = screening.columns(campaign, with_annotator=annotator_id)
    if columns is None:
        return None
    order = np.argsort(columns.order, kind="stable")
    return _Seen(
        screen_all(columns, Settings.from_dict(campaign.screening)),
        columns.annotator[order],
        columns.seconds[order],
    )


def _screened(verdicts: list[Verdict], annotator_id: int) -> Screened:
    (own,) = (verdict for verdict in verdicts if verdict.annotator == annotator_id)
    others = (verdict for verdict in verdicts if verdict is not own)
    return Screened(own, tuple(sorted(v.value for v in others if v.value is not None)))


def _times(seen: _Seen, annotator_id: int) -> Times:
    mine = seen.annotator == annotator_id
    others = seen.seconds[~mine]
    return Times(
        own=tuple(seen.seconds[mine].tolist()),
        others=float(median(others)) if others.size else None,
    )
