"""More people, where they are what keeps an interval wide."""

from math import ceil

from annotate.text.figures import many, number, percent, width
from estimation.core.stopping.precision import (
    MIN_EFFECTIVE_ANNOTATORS,
    annotators_needed,
    width_floor,
)
from estimation.selectors.cells import Cell
from estimation.selectors.situation import Advice, Situation

LEAST_JUDGMENTS = 30  # before, the components are not known well enough to ask anybody


def short_of_people(now: Situation) -> Advice | None:
    if now.facts.estimand != "population":
        return None
    short = [found for cell in now.cells if (found := _short(cell, now.facts.level))]
    if not short:
        return None
    n, text = max(short)
    people = many(n, "more person", "more people")
    act = ("people", f"Invite {people}")
    if now.market:  # they come by what is published there
        act = ("batches", "Launch or extend a batch")
    return Advice("more_people", f"Ask {people}", text, *act)


def _short(cell: Cell, level: float) -> tuple[int, str] | None:
    """Return (how many more at least, why), if people are what this cell lacks."""
    row = cell.row
    if row is None or cell.target is None or cell.at_target or row.n_judgments < LEAST_JUDGMENTS:
        return None
    effective = row.effective_annotators
    if effective < MIN_EFFECTIVE_ANNOTATORS:
        return ceil(MIN_EFFECTIVE_ANNOTATORS - effective), (
            f"{cell.name} rests on the work of {number(effective, 1)} effective annotators, and an "
            f"interval for people in general takes {number(MIN_EFFECTIVE_ANNOTATORS, 0)}."
        )
    return _above_floor(cell, cell.target, level)


def _above_floor(cell: Cell, target: float, level: float) -> tuple[int, str] | None:
    """The same, where the differences between people alone keep it wider than its target."""
    row = cell.row
    assert row is not None
    effective = row.effective_annotators
    share = float(row.detail.get("parts", {}).get("annotator", 0.0))
    person = share * (row.std_error or 0.0) ** 2 * effective
    floor = float(width_floor(person_variance=person, effective_annotators=effective, level=level))
    if floor <= target:
        return None
    needed = annotators_needed(
        target_width=target,
        level=level,
        person_variance=person,
        evenness=min(1.0, effective / row.n_annotators),
    )
    if needed is None or needed <= row.n_annotators:
        return None
    return needed - row.n_annotators, (
        f"More judgments by the same people cannot narrow {cell.name} enough: {percent(share)} of "
        f"its squared error is difference between people, and with these {row.n_annotators} it "
        f"cannot get below {width(floor)}. At least {needed - row.n_annotators} more are needed "
        f"for {width(target)}."
    )
