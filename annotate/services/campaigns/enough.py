"""When collection suffices: a width or a margin for each primary criterion, by stopping mode."""

from collections.abc import Mapping, Sequence

from annotate.instruments.base import Criterion
from annotate.states import StopMode
from estimation.core import Crossed, Scale
from estimation.core.planning import (
    TYPICAL,
    Expectation,
    RankingForecast,
    Study,
    forecast_ranking,
)

# What is assumed of scores on a criterion of one's own, as shares of the squared scale: their sd is
# three tenths of it.
ITEM, PERSON, REST = 0.03, 0.015, 0.045


def problems(
    mode: str,
    targets: Mapping[str, float],
    margins: Mapping[str, float],
    planned_items: int | None,
    criteria: Sequence[Criterion],
) -> dict[str, str]:
    """Return what is wrong with what suffices, by the field of a plan."""
    if mode == StopMode.RANKING:
        return _of_ranking(targets, margins, criteria)
    found: dict[str, str] = {}
    if margins:
        found["margins"] = "Only a ranking has margins."
    if planned_items is not None:
        found["planned_items"] = "Only a ranking has planned items."
    return found | _of_widths(targets, criteria)


def _of_widths(targets: Mapping[str, float], criteria: Sequence[Criterion]) -> dict[str, str]:
    if not targets:
        return {"targets": "Name at least one criterion and the width it should reach."}
    known = {criterion.name: criterion for criterion in criteria}
    for name, width in targets.items():
        if name not in known:
            return {"targets": _unknown(name, known)}
        if not 0 < width < max(10, known[name].high - known[name].low):
            return {"targets": f"The target width of {name} must be a positive number."}
    return {}


def _of_ranking(
    targets: Mapping[str, float], margins: Mapping[str, float], criteria: Sequence[Criterion]
) -> dict[str, str]:
    if targets:
        return {"targets": "A ranking has margins in place of target widths."}
    if not margins:
        return {"margins": "Name at least one criterion and the difference that does not matter."}
    known = {criterion.name: criterion for criterion in criteria}
    for name, margin in margins.items():
        if name not in known:
            return {"margins": _unknown(name, known)}
        reach = known[name].most_apart
        if not 0 < margin < reach:
            return {"margins": f"The margin of {name} lies between 0 and {reach:g}."}
    return {}


def _unknown(name: str, known: Mapping[str, Criterion]) -> str:
    return f"“{name}” is not a criterion; there are {', '.join(known)}."


def outlook(
    margins: Mapping[str, float],
    criteria: Sequence[Criterion],
    *,
    systems: int,
    items: int,
    level: float,
    double_share: float,
    compares: bool,
) -> RankingForecast:
    """Return how many items a ranking takes on the criterion that takes most.

    By typical scores, without metrics; alpha is shared by all criteria.
    compares: the systems are pairs, whose texts are judged side by side.
    """
    shared = 1 - (1 - level) / len(margins)
    found = [
        forecast_ranking(
            Study(
                typical(criterion),
                max(2, items),
                systems=systems,
                level=shared,
                double_share=double_share,
            ),
            margin=margins[criterion.name],
            side_by_side=compares,
        )
        for criterion in criteria
        if criterion.name in margins
    ]
    return max(found, key=lambda one: one.planned_items)


def typical(criterion: Criterion) -> Expectation:
    """Return what is assumed of this criterion before any judgment."""
    reach = criterion.high - criterion.low
    usual = TYPICAL.get(criterion.name)
    if usual is not None and (usual.scale.low, usual.scale.high) == (criterion.low, criterion.high):
        return usual
    return Expectation(
        Crossed(ITEM * reach**2, PERSON * reach**2, REST * reach**2),
        Scale(criterion.low, criterion.high, criterion.bounded),
        mean=(criterion.low + criterion.high) / 2,
    )
