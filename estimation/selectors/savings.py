"""The judgments and money that the metric saves; none is claimed if it does not help.

An interval's width is proportional to one over the square root of the number of judgments, so the
plain mean would need (its width / ours)² times as many for an equally narrow interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from estimation.core import MIN_ITEMS

LEAST = 0.005  # a smaller share is rounding
CENT = Decimal("0.01")
USELESS = ("not_helping_yet", "constant_metric", "no_metric")


class HasWidths(Protocol):
    """The needed fields of an estimate: its width, and the plain mean's on the same data."""

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
    """The saved `judgments` and their `money`, or None and `why` nothing is saved (yet)."""

    judgments: int | None = None
    share: float | None = None  # of the judgments that the plain mean would need
    money: Decimal | None = None
    why: str = ""

    @property
    def helps(self) -> bool:
        return self.judgments is not None


NO_METRIC = Saving(why="This campaign has no metric.")
NO_INTERVAL = Saving(why="What the metric saves is not known without intervals.")
OF_RANKING = Saving(why="It is not computed for rankings: what counts there are differences.")
TOO_FEW = Saving(why=f"What the metric saves is known after {MIN_ITEMS} judged items.")
NOT_NARROWER = Saving(why="The metric has not helped: the plain mean is known as precisely.")


def of_estimate(row: HasWidths, *, price: Decimal) -> Saving:
    """Return what the metric saves on one system × criterion."""
    if obstacle := _unknown(row) or _useless(row):
        return obstacle
    return _saving(row.n_judgments, _slowest([(row, 1.0)]), price)


def of_campaign(
    samples: Sequence[Sequence[tuple[HasWidths, float]]], *, judged: int, price: Decimal
) -> Saving:
    """Return what the metrics save in all; judgments that serve several systems count once.

    samples: the primary estimates of each system, with their target widths. A system waits for the
        estimate that is farthest from its target, so this estimate is compared with the plain
        mean's farthest one. Systems where the metric costs judgments are set against the others.
    judged: the number of judgments in the campaign.
    """
    known = [sample for sample in samples if sample and not any(_unknown(r) for r, _ in sample)]
    if not known:
        return _first_obstacle(samples)
    sizes = [max(row.n_judgments for row, _ in sample) for sample in known]
    needed = sum(n * _slowest(sample) for n, sample in zip(sizes, known, strict=True))
    return _saving(min(judged, sum(sizes)), needed / sum(sizes), price)


def _slowest(sample: Sequence[tuple[HasWidths, float]]) -> float:
    """Return how many times the judgments the plain mean would need, by the worst of each."""
    plain = max((row.mean_width or 0.0) / target for row, target in sample)
    ours = max((row.width or 0.0) / target for row, target in sample)
    ratio = (plain / ours) ** 2
    # Where the metric is known not to help, a gain is chance, but a loss counts.
    return min(1.0, ratio) if any(_useless(row) for row, _ in sample) else ratio


def _saving(judgments: int, ratio: float, price: Decimal) -> Saving:
    spared = round(judgments * (ratio - 1))
    if ratio - 1 < LEAST or spared < 1:
        return NOT_NARROWER
    return Saving(spared, 1 - 1 / ratio, (spared * price).quantize(CENT))


def _unknown(row: HasWidths) -> Saving | None:
    """Return why nothing is known about this estimate yet; None if something is."""
    if not row.width or not row.mean_width:
        return NO_INTERVAL
    return TOO_FEW if row.n_items < MIN_ITEMS else None


def _useless(row: HasWidths) -> Saving | None:
    """Return why the metric does not help this estimate, if the estimate says so."""
    for notice in row.detail.get("notices", []):
        if notice["code"] in USELESS:
            return Saving(why=notice["text"])
    return None


def _first_obstacle(samples: Sequence[Sequence[tuple[HasWidths, float]]]) -> Saving:
    found = (_unknown(row) for sample in samples for row, _ in sample)
    return next(filter(None, found), NO_INTERVAL)
