"""How a stopping rule fares on many simulated campaigns (`campaigns`), all with a known truth."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from multiprocessing import get_context
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from estimation.core.campaigns import (
    BINARY,
    HTER_LIKE,
    TERNARY,
    Campaign,
    Marginal,
    Plan,
    draw,
    latent_share,
    latent_shares,
    marginal,
    panel_truth,
)
from estimation.core.errors import InvalidOptionError
from estimation.core.estimators import checked, estimate, weight_for
from estimation.core.fit import Method, chosen, from_sums
from estimation.core.intervals import Interval, check_level
from estimation.core.results import Estimate
from estimation.core.sample import Floats, Sample
from estimation.core.sequences import check_planned_items, confidence_sequence
from estimation.core.stopping import first_anytime_stop, first_stop
from estimation.core.trajectories import Trajectory, trajectory

__all__ = [
    "BINARY",
    "HTER_LIKE",
    "LOOKS",
    "REPORTS",
    "TERNARY",
    "WEIGHINGS",
    "Campaign",
    "Marginal",
    "Outcome",
    "Plan",
    "draw",
    "latent_share",
    "marginal",
    "simulate",
]

# --- A stopping rule in a simulation: how it estimates, when it stops, what it reports.


Look = Literal["precision", "anytime"]
Report = Literal["drained", "at_once", "spill"]
Weighing = Literal["work", "equal"]
LOOKS: tuple[str, ...] = get_args(Look)
REPORTS: tuple[str, ...] = get_args(Report)
WEIGHINGS: tuple[str, ...] = get_args(Weighing)


@dataclass(frozen=True, slots=True)
class Rule:
    """A stopping rule, checked after every judgment, and the report that follows.

    target_width: full width in score units. method: how it estimates.
    look: by which width it stops, and what it reports: "precision" the interval's, "anytime" that
    of the confidence sequence, planned for `planned_items` (see `confidence_sequence`).
    report: "drained" finishes what is leased at the stop, and goes on if the interval is then
    too wide; "at_once" takes only what is finished; "spill" adds to the drained sample all
    later judgments of shared outputs, as if another system had gone on to its last output.
    weighing: the people of the truth that a population interval must cover: by the "work" that
    they are expected to do until then, counted as the estimator counts it, or "equal". A panel's
    truth always has the panel's own weights.

    Raises InvalidOptionError.
    """

    target_width: float
    level: float = 0.95
    method: Method = field(default_factory=Method)
    report: Report = "drained"
    weighing: Weighing = "work"
    look: Look = "precision"
    planned_items: float = 200.0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_planned_items(self.planned_items)
        if not self.target_width > 0:
            raise InvalidOptionError(
                f"A target width is a positive number; got {self.target_width}."
            )
        from_sums(self.method.estimator)
        checked(self.method)
        for given, known in (
            (self.report, REPORTS),
            (self.weighing, WEIGHINGS),
            (self.look, LOOKS),
        ):
            if given not in known:
                raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")


def find_stop(campaign: Campaign, rule: Rule) -> tuple[NDArray[np.intp], int] | None:
    """The first moment at which the rule stops, or None.

    (the judgments of the report in order of leasing, how many were leased).
    The rule looks at finished judgments in order of finishing. Unless it reports at once, what
    is leased by then is finished, and if the interval is then too wide the campaign goes on: it
    looks again when as many judgments have finished as were finished at the end of that drain.
    """
    order = np.argsort(campaign.finished, kind="stable")
    finished = trajectory(only(campaign.sample, order), rule.method)
    drained = finished
    if not (np.diff(order) == 1).all():
        drained = trajectory(campaign.sample, rule.method)
    leased = np.searchsorted(campaign.leased, campaign.finished[order], side="left")
    start = 0
    while (now := _first(finished, rule, start, order.size)) is not None:
        if rule.report == "at_once":
            return np.sort(order[: now + 1]), now + 1
        frontier = max(int(leased[now]), now + 1)
        if _first(drained, rule, frontier - 1, frontier) is not None:
            return np.arange(frontier), frontier
        start = max(now + 1, frontier - 1)
    return None


def _first(history: Trajectory, rule: Rule, start: int, end: int) -> int | None:
    """The first stop among the moments `start` to `end`, counted from 0."""
    moment = np.arange(history.std_error.size)
    looked_at = (moment >= start) & (moment < end)
    hidden = replace(history, std_error=np.where(looked_at, history.std_error, np.nan))
    width, level = rule.target_width, rule.level
    if rule.look == "precision":
        return first_stop(hidden, target_width=width, level=level)
    return first_anytime_stop(
        hidden, target_width=width, level=level, planned_items=rule.planned_items
    )


def only(sample: Sample, rows: NDArray[np.intp]) -> Sample:
    """The sample of these judgments, in this order."""
    return replace(
        sample, score=sample.score[rows], item=sample.item[rows], annotator=sample.annotator[rows]
    )


# --- What became of simulated campaigns, in counts and means.


QUANTILES = (0.1, 0.5, 0.9)


# One campaign that stopped: what it reported, with which interval, and the truth.
Run = tuple[Estimate, Interval, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of many simulated campaigns.

    Apart from `replicates`, all numbers count or average the campaigns that stopped; averages are
    NaN where none did.

    replicates: how many campaigns were run.
    stopped: how many of them stopped.
    covered: how many reported an interval that held the truth.
    mean_judgments: judgments until the stop.
    judgments_quantiles: the 10 %, 50 % and 90 % quantiles of judgments.
    mean_annotators, mean_effective_annotators: people, and their effective number.
    mean_cost: judgments times the price.
    mean_error, mean_half_width: estimate less truth, and half the interval's width, in score units.
    activity_notices: how many reports said that active people score differently.
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

        level: the confidence level.
        Returns: (float, float); the ends; 0 and 1 where no campaign stopped.
        Raises InvalidOptionError: the level is not between 0 and 1.
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

        Returns: the attributes, coverage and its interval; None where a number does not exist.
        """
        numbers = asdict(self) | {"coverage": self.coverage, "stop_share": self.stop_share}
        numbers["coverage_interval"] = self.coverage_interval()
        return {name: _plain(value) for name, value in numbers.items()}


def outcome(runs: Sequence[Run | None], *, price: float) -> Outcome:
    """Count and average; None is a campaign that did not stop. price: per judgment."""
    ended = [run for run in runs if run is not None]
    judgments = np.array([found.n_judgments for found, _ends, _truth in ended], dtype=np.float64)
    low, middle, high = np.quantile(judgments, QUANTILES) if ended else (np.nan,) * 3
    mean_judgments = _mean(judgments.tolist())
    codes = [{notice.code for notice in found.notices} for found, _ends, _truth in ended]
    return Outcome(
        replicates=len(runs),
        stopped=len(ended),
        covered=sum(ends.low <= truth <= ends.high for _found, ends, truth in ended),
        mean_judgments=mean_judgments,
        judgments_quantiles=(float(low), float(middle), float(high)),
        mean_annotators=_mean([found.n_annotators for found, _ends, _truth in ended]),
        mean_effective_annotators=_mean([found.effective_annotators for found, *_ in ended]),
        mean_cost=mean_judgments * price,
        mean_error=_mean([found.estimate - truth for found, _ends, truth in ended]),
        mean_half_width=_mean([ends.width / 2 for _found, ends, _truth in ended]),
        activity_notices=sum("activity_matters" in said for said in codes),
    )


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


# --- Many campaigns under one rule, the same whatever the number of processes.


Progress = Callable[[int], object]
Job = Callable[[int], list[Run | None]]

_CHUNK = 20
_REFERENCES = 200


def simulate(
    plan: Plan,
    *,
    target_width: float,
    level: float = 0.95,
    replicates: int,
    seed: int,
    report: Report = "drained",
    weighing: Weighing = "work",
    look: Look = "precision",
    planned_items: float = 200.0,
    price: float = 0.0,
    processes: int = 1,
    progress: Progress | None = None,
    method: Method | None = None,
    **options: Any,
) -> Outcome:
    """Run a stopping rule, checked after every judgment, on simulated campaigns.

    The same seed and plan draw the same campaigns, so rules can be compared on equal data. The
    number of processes changes nothing but the time.

    plan: how campaigns are drawn.
    target_width: the full width asked for, in score units; positive.
    level: the confidence level.
    replicates: how many campaigns are run.
    seed: the seed of the draws.
    report: "drained": judgments in progress at the stop are finished first, and collection goes on
        if the interval is then too wide. "at_once": only finished judgments count. "spill": later
        judgments of shared outputs count as well, as if another system had gone on.
    weighing: the people of the truth that a population interval must cover: by their expected work,
        or counted equally. The truth of a panel is always by its own work.
    look: whether the rule looks at the interval or at the confidence sequence.
    planned_items: for "anytime"; see `confidence_sequence`.
    price: of one judgment.
    processes: how many processes share the work.
    progress: called with the number of campaigns just finished.
    method, options: as in `trajectory`.
    Returns: counts and means over the campaigns.
    Raises InvalidOptionError: an option is unknown or out of range.
    """
    method = chosen(method, options)
    rule = Rule(target_width, level, method, report, weighing, look, planned_items)
    _check(replicates=replicates, seed=seed, price=price, processes=processes)
    starts = range(0, replicates, _CHUNK)
    job = partial(_chunk, plan, rule, seed, replicates)
    found: dict[int, list[Run | None]] = {}
    for start, runs in _each(job, starts, processes):
        found[start] = runs
        if progress is not None:
            progress(len(runs))
    return outcome([run for start in starts for run in found[start]], price=price)


def replicate(plan: Plan, rule: Rule, rng: np.random.Generator) -> Run | None:
    """One campaign, drawn and run; None if it did not stop before its last judgment."""
    campaign = draw(plan, rng)
    stop = find_stop(campaign, rule)
    if stop is None:
        return None
    rows, frontier = stop
    if rule.report == "spill":
        later = np.arange(frontier, campaign.sample.n_judgments)
        rows = np.concatenate([rows, later[campaign.shared[campaign.sample.item[later]]]])
    sample = only(campaign.sample, rows)
    found = estimate(sample, rule.method)
    if rule.look == "precision":
        ends = found.interval(rule.level)
    else:
        ends = confidence_sequence(found, level=rule.level, planned_items=rule.planned_items)
    return found, ends, truth_of(plan, rule, campaign, sample)


def _each(job: Job, starts: range, processes: int) -> Iterator[tuple[int, list[Run | None]]]:
    if processes == 1 or len(starts) == 1:
        for start in starts:
            yield start, job(start)
        return
    # Spawned, not forked: the caller may have threads and database connections.
    with ProcessPoolExecutor(min(processes, len(starts)), mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(job, start): start for start in starts}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _chunk(plan: Plan, rule: Rule, seed: int, replicates: int, start: int) -> list[Run | None]:
    """Replicates `start` to `start` + 20, each with a random stream of its own."""
    children = np.random.SeedSequence(seed).spawn(replicates)[start : start + _CHUNK]
    return [replicate(plan, rule, np.random.default_rng(child)) for child in children]


def truth_of(plan: Plan, rule: Rule, campaign: Campaign, sample: Sample) -> float:
    """The mean over all N outputs that the interval of a sample of the campaign must cover."""
    method = rule.method
    if method.estimand == "panel":
        weight = weight_for(sample, method, from_sums(method.estimator))
        equal = sample.incidence.weight
        return panel_truth(plan, campaign, sample, equal if weight is None else weight)
    if rule.weighing == "equal" or plan.leniency == 0:
        return campaign.truth
    balance = method.balance if method.estimator == "balanced" else 0.0
    return campaign.truth + float(work_shift(plan, balance)[sample.n_judgments - 1])


@lru_cache(maxsize=8)
def work_shift(plan: Plan, balance: float = 0.0) -> Floats:
    """(2N,) how far the mean by expected work lies from the mean by people, after t judgments.

    balance: lambda of the balanced weights by which work counts. An average over 200 campaigns
    with a separate seed, in score units.
    """
    total = np.zeros(2 * plan.n_population)
    for child in np.random.SeedSequence(0).spawn(_REFERENCES):
        drawn = draw(plan, np.random.default_rng(child))
        says = plan.marginal.conditional_mean(drawn.effect, latent_shares(plan)[1])
        said = Sample.on(
            drawn.sample.incidence,
            score=says[drawn.sample.annotator],
            scale=replace(plan.marginal.scale, bounded=False),
        )
        path = trajectory(said, balance=balance).estimate
        total += np.pad(path, (0, total.size - path.size), mode="edge")
    return np.asarray(total / _REFERENCES - plan.marginal.mean())


def _check(*, replicates: int, seed: int, price: float, processes: int) -> None:
    if replicates < 1:
        raise InvalidOptionError(f"At least one campaign is simulated, not {replicates}.")
    if processes < 1:
        raise InvalidOptionError(f"At least one process does the work, not {processes}.")
    if seed < 0:
        raise InvalidOptionError(f"A seed is a whole number from 0; got {seed}.")
    if not (np.isfinite(price) and price >= 0):
        raise InvalidOptionError(f"A price is not negative; got {price}.")
