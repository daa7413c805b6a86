"""Campaigns of one cell, each stopped by every way of estimating."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from scipy.special import ndtri

from bench.coverage.batch import Sums, pack
from bench.coverage.cells import Cell
from bench.coverage.intervals import WAYS, Found, Way, look
from estimation.core import MIN_EFFECTIVE_ANNOTATORS, Floats, Ints, Sample
from estimation.core.simulation import Campaign, draw

STEP = 5  # judgments between two looks
SIDE_BY_SIDE = 500


@dataclass(frozen=True, slots=True, eq=False)
class Endings:
    """What a way of estimating reported at the end of each campaign; every array is (C,).

    judgments: until the stop, 0 where there was none. low, high: the interval. error: the
    estimate less the truth. contains: whether the interval contains its estimate.
    """

    judgments: Ints
    low: Floats
    high: Floats
    estimate: Floats
    truth: Floats

    @property
    def stopped(self) -> NDArray[np.bool_]:
        """Which campaigns stopped."""
        return self.judgments > 0

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which intervals hold the truth."""
        return (self.low <= self.truth) & (self.truth <= self.high)


# What stands in place of a campaign's metric, (N,).
Metric = Callable[[Campaign, np.random.Generator], Floats]


def drawn(
    cell: Cell, numbers: range, seed: int, stream: int, metric: Metric | None = None
) -> tuple[list[Sample], Floats]:
    """Draw campaigns and their true means, each from a random stream of its own."""
    samples, truth = [], np.empty(len(numbers))
    for row, number in enumerate(numbers):
        rng = default_rng(SeedSequence(seed, spawn_key=(stream, number)))
        campaign = draw(cell.plan, rng)
        sample = campaign.sample
        if metric is not None:
            sample = replace(sample, metric=metric(campaign, rng))
        samples.append(_part(sample, cell.judged))
        truth[row] = campaign.truth
    return samples, truth


def _part(sample: Sample, judged: float) -> Sample:
    """The judgments of the first `judged` share of the outputs."""
    items = round(judged * sample.n_population)
    if judged == 1:
        return sample
    rows = np.flatnonzero(sample.item < items)
    kept = {name: getattr(sample, name)[rows] for name in ("score", "item", "annotator")}
    return replace(sample, **kept)


def run(
    cell: Cell,
    campaigns: int,
    seed: int,
    stream: int = 0,
    ways: Sequence[Way] = WAYS,
    *,
    metric: Metric | None = None,
) -> dict[str, Endings]:
    """Collect the campaigns of one cell, some hundreds side by side."""
    found: list[dict[str, Endings]] = []
    for start in range(0, campaigns, SIDE_BY_SIDE):
        numbers = range(start, min(start + SIDE_BY_SIDE, campaigns))
        samples, truth = drawn(cell, numbers, seed, stream, metric)
        found.append(Campaigns(cell, samples, truth, ways).collect())
    return {way.name: _joined([endings[way.name] for endings in found]) for way in ways}


def _joined(endings: Sequence[Endings]) -> Endings:
    names = ("judgments", "low", "high", "estimate", "truth")
    return Endings(*(np.concatenate([getattr(one, name) for one in endings]) for name in names))


class Campaigns:
    """Campaigns side by side, from their first judgment to the stop of the last."""

    def __init__(
        self, cell: Cell, samples: Sequence[Sample], truth: Floats, ways: Sequence[Way]
    ) -> None:
        self.cell = cell
        self.sums = Sums(pack(samples))
        self.number = np.arange(len(samples))  # of the campaigns that are still collecting
        nothing = np.full(len(samples), np.nan)
        self.endings = {
            way: Endings(
                np.zeros_like(self.number), nothing.copy(), nothing.copy(), nothing.copy(), truth
            )
            for way in ways
        }

    def collect(self) -> dict[str, Endings]:
        """Look after every fifth judgment and after a campaign's last one."""
        most = int(self.sums.batch.size.max())
        while self.sums.rows < most and self.number.size:
            self.sums.add()
            if self._time_to_look(most):
                for way in self.endings:
                    self._look(way)
                self._leave_out_what_is_over()
        return {way.name: endings for way, endings in self.endings.items()}

    def _time_to_look(self, most: int) -> bool:
        rows = self.sums.rows
        if self.cell.width == 0:
            return rows == most
        return rows >= self.cell.least_items and (rows % STEP == 0 or rows == most)

    def _look(self, way: Way) -> None:
        endings = self.endings[way]
        if endings.stopped[self.number].all():
            return
        found = look(self.sums, way, self.cell.criterion.protocol)
        here = np.flatnonzero(self._may_stop(found) & ~endings.stopped[self.number])
        low, high = found.only(here).ends(way, self.cell.level)
        if self.cell.width:
            enough = high - low <= self.cell.width
            here, low, high = here[enough], low[enough], high[enough]
        rows = self.number[here]
        endings.judgments[rows] = self.sums.count[here]
        endings.low[rows], endings.high[rows] = low, high
        endings.estimate[rows] = found.estimate[here]

    def _may_stop(self, found: Found) -> NDArray[np.bool_]:
        """Enough items and people, and narrow enough if the t quantile were the normal one."""
        if not self.cell.width:
            return np.ones_like(self.number, dtype=np.bool_)
        normal = 2 * float(ndtri(0.5 + self.cell.level / 2)) * found.std_error
        return np.asarray(
            (found.n_items > self.cell.least_items - 0.5)
            & (found.effective >= MIN_EFFECTIVE_ANNOTATORS)
            & (normal <= self.cell.width)
        )

    def _leave_out_what_is_over(self) -> None:
        open_ = np.zeros(self.number.size, dtype=np.bool_)
        for endings in self.endings.values():
            open_ |= ~endings.stopped[self.number]
        open_ &= self.sums.rows < self.sums.batch.size
        if open_.mean() < 0.6:
            self.number = self.number[open_]
            self.sums.only(np.flatnonzero(open_))
