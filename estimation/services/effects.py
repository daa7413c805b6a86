"""The effect of one annotator's exclusion on the estimates: its size, but not its systems."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief
from estimation import data, protocols
from estimation.services.rule import rule_for

Key = tuple[str, int]  # a criterion's name and a system's id


@dataclass(frozen=True)
class ExclusionEffect:
    """The effect on the estimates of one primary criterion, one estimate per system.

    It has the number of estimates that lose their last judgments, and the largest change of the
    others.
    shift: in units of the criterion.
    share: of the half-width of the estimate's interval.
    Both are None where there is nothing to compare.
    """

    criterion: str
    label: str
    estimates: int
    lost: int
    shift: float | None
    share: float | None


@dataclass(frozen=True)
class _Found:
    value: float
    half_width: float | None


def measure(campaign_id: int, annotator_id: int) -> tuple[ExclusionEffect, ...]:
    """Return the effect of this annotator's exclusion on the current judgments."""
    brief = counting.brief(campaign_id)
    seen = data.see(brief)
    without = _estimates(brief, seen)
    whole = _estimates(brief, data.see_everybody(brief, seen, of=annotator_id))
    return tuple(_effect(criterion, without, whole) for criterion in brief.primary)


def _estimates(brief: Brief, seen: data.Seen) -> dict[Key, _Found]:
    primary = {criterion.name for criterion in brief.primary}
    return {
        (cell.criterion.name, cell.system.system_id): _found(brief, cell)
        for cell in data.cells(brief, seen.systems, seen)
        if cell.criterion.name in primary
    }


def _found(brief: Brief, cell: data.Cell) -> _Found:
    made = protocols.estimated(brief, cell.criterion, cell.sample)
    rule = rule_for(brief, cell.criterion, n_units=cell.sample.incidence.n_units)
    interval = rule.interval(made)
    return _Found(made.estimate, interval.width / 2 if interval else None)


def _effect(
    criterion: Criterion, without: dict[Key, _Found], whole: dict[Key, _Found]
) -> ExclusionEffect:
    keys = [key for key in whole if key[0] == criterion.name]
    pairs = [(without[key], whole[key]) for key in keys if key in without]
    return ExclusionEffect(
        criterion.name,
        str(criterion.label),
        estimates=len(keys),
        lost=len(keys) - len(pairs),
        shift=_largest(abs(now.value - then.value) for now, then in pairs),
        share=_largest(
            abs(now.value - then.value) / now.half_width for now, then in pairs if now.half_width
        ),
    )


def _largest(values: Iterable[float]) -> float | None:
    return max(values, default=None)
