"""What became of simulated campaigns, in counts and means."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import betaincinv

from estimation.core.intervals.interval import check_level

QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Run:
    """One campaign that stopped.

    covered: whether the truth lay inside the reported interval. error: estimate less truth, and
    half: the interval's half-width, in score units. activity_matters: whether that notice came.
    """

    covered: bool
    error: float
    half: float
    judgments: int
    annotators: int
    effective_annotators: float
    activity_matters: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of many simulated campaigns.

    Apart from `replicates`, all numbers count or average the campaigns that stopped; averages are
    NaN where none did.

    Attributes
    ----------
    replicates : int
        How many campaigns were run.
    stopped : int
        How many of them stopped.
    covered : int
        How many reported an interval that held the truth.
    mean_judgments : float
        Judgments until the stop.
    judgments_quantiles : (float, float, float)
        The 10 %, 50 % and 90 % quantiles of judgments.
    mean_annotators, mean_effective_annotators : float
        People, and their effective number.
    mean_cost : float
        Judgments times the price.
    mean_error, mean_half_width : float
        Estimate less truth, and half the interval's width, in score units.
    activity_notices : int
        How many reports said that active people score differently.
    """

    replicates: int
    stopped: int
    covered: int
    mean_judgments: float
    judgments_quantiles: tuple[float, float, float]
    mean_annotators: float
    mean_effective_annotators: float
    mean_cost: float
    mean_error: float
    mean_half_width: float
    activity_notices: int

    @property
    def coverage(self) -> float:
        """The share of stopped campaigns whose interval held the truth; NaN if none stopped."""
        return self.covered / self.stopped if self.stopped else float("nan")

    @property
    def stop_share(self) -> float:
        """The share of campaigns that stopped before they ran out of outputs or people."""
        return self.stopped / self.replicates

    def coverage_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the exact binomial interval of the coverage (Clopper and Pearson 1934).

        Parameters
        ----------
        level : float, default 0.95
            The confidence level.

        Returns
        -------
        (float, float)
            The ends; 0 and 1 where no campaign stopped.

        Raises
        ------
        InvalidOptionError
            The level is not between 0 and 1.
        """
        check_level(level)
        if not self.stopped:
            return 0.0, 1.0
        missed, tail = self.stopped - self.covered, (1 - level) / 2
        low = betaincinv(self.covered, missed + 1, tail) if self.covered else 0.0
        high = betaincinv(self.covered + 1, missed, 1 - tail) if missed else 1.0
        return float(low), float(high)

    def as_data(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict
            The attributes, coverage and its interval; None where a number does not exist.
        """
        numbers = asdict(self) | {"coverage": self.coverage, "stop_share": self.stop_share}
        numbers["coverage_interval"] = self.coverage_interval()
        return {name: _plain(value) for name, value in numbers.items()}


def outcome(runs: Sequence[Run | None], *, price: float) -> Outcome:
    """Count and average; None is a campaign that did not stop. price: per judgment."""
    ended = [run for run in runs if run is not None]
    judgments = np.array([run.judgments for run in ended], dtype=np.float64)
    low, middle, high = np.quantile(judgments, QUANTILES) if ended else (np.nan,) * 3
    mean_judgments = _mean([run.judgments for run in ended])
    return Outcome(
        replicates=len(runs),
        stopped=len(ended),
        covered=sum(run.covered for run in ended),
        mean_judgments=mean_judgments,
        judgments_quantiles=(float(low), float(middle), float(high)),
        mean_annotators=_mean([run.annotators for run in ended]),
        mean_effective_annotators=_mean([run.effective_annotators for run in ended]),
        mean_cost=mean_judgments * price,
        mean_error=_mean([run.error for run in ended]),
        mean_half_width=_mean([run.half for run in ended]),
        activity_notices=sum(run.activity_matters for run in ended),
    )


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
