"""Many campaigns under one rule, the same whatever the number of processes."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import lru_cache, partial
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.estimators.estimate import estimate
from estimation.core.estimators.fit import (
    BALANCE,
    PERSON_SHARE,
    Estimand,
    Estimator,
    IntervalMethod,
)
from estimation.core.estimators.result import Estimate
from estimation.core.estimators.rows import weight_for
from estimation.core.estimators.trajectory import trajectory
from estimation.core.intervals.interval import Interval
from estimation.core.simulation.campaign import Campaign, draw, panel_truth
from estimation.core.simulation.outcome import Outcome, Run, outcome
from estimation.core.simulation.plan import Plan, latent_shares
from estimation.core.simulation.rule import Look, Report, Rule, Stop, Weighing, find_stop, only
from estimation.core.stopping.sequence import confidence_sequence

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
    estimator: Estimator = "balanced",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    report: Report = "drained",
    weighing: Weighing = "work",
    look: Look = "precision",
    planned_items: float = 200.0,
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
    price: float = 0.0,
    processes: int = 1,
    progress: Progress | None = None,
) -> Outcome:
    """Run a stopping rule, checked after every judgment, on simulated campaigns.

    The same seed and plan draw the same campaigns, so rules can be compared on equal data. The
    number of processes changes nothing but the time.

    Parameters
    ----------
    plan : Plan
        How campaigns are drawn.
    target_width : float
        The full width asked for, in score units; positive.
    level : float, default 0.95
        The confidence level.
    replicates : int
        How many campaigns are run.
    seed : int
        The seed of the draws.
    estimator, interval, estimand, finite_population, pseudo_rows, balance, person_share
        As in `estimate`.
    report : {"drained", "at_once", "spill"}, default "drained"
        "drained": judgments in progress at the stop are finished first, and collection goes on if
        the interval is then too wide. "at_once": only finished judgments count. "spill": later
        judgments of shared outputs count as well, as if another system had gone on.
    weighing : {"work", "equal"}, default "work"
        The people of the truth that a population interval must cover: by their expected work, or
        counted equally. The truth of a panel is always by its own work.
    look : {"precision", "anytime"}, default "precision"
        Whether the rule looks at the interval or at the confidence sequence.
    planned_items : float, default 200
        For "anytime"; see `confidence_sequence`.
    price : float, default 0
        Of one judgment.
    processes : int, default 1
        How many processes share the work.
    progress : callable, optional
        Called with the number of campaigns just finished.

    Returns
    -------
    Outcome
        Counts and means over the campaigns.

    Raises
    ------
    InvalidOptionError
        An option is unknown or out of range.

    Examples
    --------
    >>> from estimation.core.simulation import TERNARY, Plan, simulate
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=600)
    >>> found = simulate(plan, target_width=0.3, replicates=20, seed=1)
    >>> found.stopped, found.coverage > 0.8
    (20, True)
    """
    rule = Rule(
        target_width,
        level,
        estimator,
        interval,
        estimand,
        finite_population,
        pseudo_rows,
        report,
        weighing,
        look,
        planned_items,
        balance,
        person_share,
    )
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
    sample = only(campaign.sample, _reported(campaign, rule, stop))
    found = _estimate(sample, rule)
    truth = truth_of(plan, rule, campaign, sample)
    ends = _interval(found, rule)
    return Run(
        covered=ends.low <= truth <= ends.high,
        error=found.estimate - truth,
        half=ends.width / 2,
        judgments=found.n_judgments,
        annotators=found.n_annotators,
        effective_annotators=found.effective_annotators,
        activity_matters=any(notice.code == "activity_matters" for notice in found.notices),
    )


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


def _reported(campaign: Campaign, rule: Rule, stop: Stop) -> NDArray[np.intp]:
    """The rows that the report uses: those of the stop, and spill from other systems."""
    if rule.report != "spill":
        return stop.rows
    later = np.arange(stop.frontier, campaign.sample.n_judgments)
    return np.concatenate([stop.rows, later[campaign.shared[campaign.sample.item[later]]]])


def _estimate(sample: Sample, rule: Rule) -> Estimate:
    return estimate(
        sample,
        estimator=rule.estimator,
        interval=rule.interval,
        estimand=rule.estimand,
        finite_population=rule.finite_population,
        pseudo_rows=rule.pseudo_rows,
        balance=rule.balance,
        person_share=rule.person_share,
    )


def _interval(found: Estimate, rule: Rule) -> Interval:
    if rule.look == "precision":
        return found.interval(rule.level)
    return confidence_sequence(found, level=rule.level, planned_items=rule.planned_items)


def truth_of(plan: Plan, rule: Rule, campaign: Campaign, sample: Sample) -> float:
    """The mean over all N outputs that the interval of a sample of the campaign must cover."""
    if rule.estimand == "panel":
        weight = weight_for(sample, rule.method, rule.estimator)
        equal = sample.incidence.weight
        return panel_truth(plan, campaign, sample, equal if weight is None else weight)
    if rule.weighing == "equal" or plan.leniency == 0:
        return campaign.truth
    balance = rule.balance if rule.estimator == "balanced" else 0.0
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
