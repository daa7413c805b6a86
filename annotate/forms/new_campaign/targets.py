"""Target widths and margins that a new campaign starts from."""

from typing import Any

from annotate.instruments.base import Criterion, Instrument
from annotate.states import StopMode

DEFAULT_SHARE = 0.1  # of the scale: the first target width, and the first margin


def main_criterion(instrument: Instrument) -> Criterion:
    """Return the criterion whose target has a default: `overall`, or the first."""
    named = [criterion for criterion in instrument.criteria if criterion.name == "overall"]
    return (named or list(instrument.criteria))[0]


def usual(criterion: Criterion) -> float:
    """Return the first target width or margin of a criterion, in score units."""
    return round((criterion.high - criterion.low) * DEFAULT_SHARE, 2)


def usual_targets(instrument: Instrument, mode: str) -> dict[str, Any]:
    """Return what suffices, as parts of a plan: one target width or, in a ranking, one margin."""
    main = main_criterion(instrument)
    first = {main.name: usual(main)}
    if mode == StopMode.RANKING:
        return {"targets": {}, "margins": first, "planned_items": None}
    return {"targets": first, "margins": {}, "planned_items": None}
