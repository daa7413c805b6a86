"""What the metric saves: judgments not needed, and money; never a claim where it does not help.

An interval's width falls like one over the square root of the number of judgments, so the plain
mean would need (its width / ours)² times as many for an interval as narrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from estimation.core import MIN_ITEMS

LEAST = 0.005  # less than this share is rounding
CENT = Decimal("0.01")
USELESS = ("not_helping_yet", "constant_metric", "no_metric")


class HasWidths(Protocol):
    """What is asked of an estimate: its width, and that of the plain mean on the same data."""

    @property
    def width(self) -> float | None: ...
    @property
    def mean_width(self) -> float | None: ...
    @property
    def n_items(self) -> int: ...
    @property
    def n_judgments(self) -> int: ...
    @property
    def detail(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Saving:
    """`judgments` not needed and their `money`, or None and `why` it saves nothing (yet)."""

    judgments: int | None = None
    share: float | None = None  # of the judgments that the plain mean would need
    money: Decimal | None = None
    why: str = ""

    @property
    def helps(self) -> bool:
        return self.judgments is not None


NO_METRIC = Saving(why="This campaign has no metric.")
NO_INTERVAL = Saving(why="What the metric saves can be computed as soon as there are intervals.")
TOO_FEW = Saving(why=f"What the metric saves is known after {MIN_ITEMS} judged items.")
NOT_NARROWER = Saving(why="The metric does not help yet: the plain mean is known as precisely.")


def of_estimate(row: HasWidths, *, price: Decimal) -> Saving:
    """What the metric saves on one system × criterion."""
    if obstacle := _unknown(row) or _useless(row):
        return obstacle
    return _saving(row.n_judgments, _slowest([(row, 1.0)]), price)


def of_campaign(
    samples: Sequence[Sequence[tuple[HasWidths, float]]], *, judged: int, price: Decimal
) -> Saving:
    """What the metrics save in all, judgments that serve several systems counted once.

    samples: for each system its primary estimates with their target widths. A system waits for
    the estimate that is farthest from its target; what counts is how much farther away the plain
    mean's farthest is. Systems where the metric costs something are set against the others.
    judged: judgments that the campaign has.
    """
    known = [sample for sample in samples if sample and not any(_unknown(r) for r, _ in sample)]
    if not known:
        return _first_obstacle(samples)
    sizes = [max(row.n_judgments for row, _ in sample) for sample in known]
    needed = sum(n * _slowest(sample) for n, sample in zip(sizes, known, strict=True))
    return _saving(min(judged, sum(sizes)), needed / sum(sizes), price)


def _slowest(sample: Sequence[tuple[HasWidths, float]]) -> float:
    """How many times the judgments the plain mean would need, by the worst of each."""
    plain = max((row.mean_width or 0.0) / target for row, target in sample)
    ours = max((row.width or 0.0) / target for row, target in sample)
    ratio = (plain / ours) ** 2
    # What looks like a gain where the metric is known not to help is chance; a loss is a loss.
    return min(1.0, ratio) if any(_useless(row) for row, _ in sample) else ratio


def _saving(judgments: int, ratio: float, price: Decimal) -> Saving:
    spared = round(judgments * (ratio - 1))
    if ratio - 1 < LEAST or spared < 1:
        return NOT_NARROWER
    return Saving(spared, 1 - 1 / ratio, (spared * price).quantize(CENT))


def _unknown(row: HasWidths) -> Saving | None:
    """Why nothing can be said about this estimate yet, if that is so."""
    if not row.width or not row.mean_width:
        return NO_INTERVAL
    return TOO_FEW if row.n_items < MIN_ITEMS else None


def _useless(row: HasWidths) -> Saving | None:
    """Why the metric does not help this estimate, where the estimate itself says so."""
    for notice in row.detail.get("notices", []):
        if notice["code"] in USELESS:
            return Saving(why=notice["text"])
    return None


def _first_obstacle(samples: Sequence[Sequence[tuple[HasWidths, float]]]) -> Saving:
    found = (_unknown(row) for sample in samples for row, _ in sample)
    return next(filter(None, found), NO_INTERVAL)
