"""One campaign with a known truth."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample
from estimation.core.simulation.people import once_each, part_repeats, stream, work_through
from estimation.core.simulation.plan import Plan, latent_shares, metric_loading


@dataclass(frozen=True, slots=True, eq=False)
class Campaign:
    """A complete campaign in order of leasing: T judgments of N items by A annotators.

    Attributes
    ----------
    sample : Sample
        The judgments and the metric.
    quality : (N,) array of float
        The standard normal item effects.
    effect : (A,) array of float
        The standard normal person effects.
    truth : float
        The mean over the N outputs of the expected score over people counted equally, exact.
    leased, finished : (T,) array of float
        Times in medians of the time per judgment; both are the number of the judgment where
        judgments take no time.
    shared : (N,) array of bool
        Whether another system has the same output.
    """

    sample: Sample
    quality: Floats
    effect: Floats
    truth: float
    leased: Floats
    finished: Floats
    shared: NDArray[np.bool_]


def draw_campaign(plan: Plan, rng: Generator) -> tuple[Sample, float]:
    """One complete campaign in order of leasing, and the true mean over all N outputs.

    The truth counts people equally; it is computed exactly.
    """
    drawn = draw(plan, rng)
    return drawn.sample, drawn.truth


def draw(plan: Plan, rng: Generator) -> Campaign:
    """Draw one complete campaign.

    Every output is judged, or as many as the people who exist can judge.

    Parameters
    ----------
    plan : Plan
        How campaigns are drawn.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Campaign
        With its truth.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> campaign = draw(plan, np.random.default_rng(1))
    >>> campaign.quality.size
    300
    >>> bool(campaign.sample.incidence.count.min() >= 1)
    True
    """
    quality = rng.standard_normal(plan.n_population)
    loading = metric_loading(plan)
    metric = loading * quality + np.sqrt(1 - loading**2) * rng.standard_normal(quality.size)
    shared = _shared(plan, quality, rng)
    item = _rows(plan, rng)
    if plan.time_correlation is None:
        people = stream(plan, item.size, rng)
        item = item[: people.who.size]
        who, effect = part_repeats(item, people.who, rng), people.effect
        # A second judge is somebody else: where nobody is there, the second judgment is left out.
        there = once_each(item, who)
        item, who = item[there], who[there]
        score = plan.marginal.scores(_latent(plan, quality[item], effect[who], rng))
        leased = finished = np.arange(item.size, dtype=np.float64)
    else:
        work = work_through(plan, quality, item, rng)
        item, who, effect, score = work.item, work.who, work.effect, work.score
        leased, finished = work.leased, work.finished
    sample = Sample(score, item, who, plan.n_population, plan.marginal.scale, metric)
    truth = float(plan.marginal.conditional_mean(quality, latent_shares(plan)[0]).mean())
    return Campaign(sample, quality, effect, truth, leased, finished, shared)


def panel_truth(plan: Plan, campaign: Campaign, sample: Sample, weight: Floats) -> float:
    """The mean over all N outputs of what `sample`'s annotators would say, by their shares.

    weight: (T,) that of each judgment in the estimate.
    """
    weight = np.asarray(np.bincount(sample.annotator, weight), dtype=np.float64)
    people = np.flatnonzero(weight)
    item, person = np.sqrt(latent_shares(plan))
    effect = item * campaign.quality[:, None] + person * campaign.effect[people]
    # The expected score is a smooth function of one number: tabulated, then interpolated.
    grid = np.linspace(effect.min(), effect.max(), 1001)
    noise = float(np.sqrt(1 - item**2 - person**2))
    expected = np.interp(effect, grid, plan.marginal.expected(grid, noise=noise))
    return float(expected.mean(axis=0) @ weight[people] / weight.sum())


def _latent(plan: Plan, quality: Floats, effect: Floats, rng: Generator) -> Floats:
    item, person = latent_shares(plan)
    noise = np.sqrt(1 - item - person) * rng.standard_normal(quality.size)
    return np.asarray(np.sqrt(item) * quality + np.sqrt(person) * effect + noise)


def _rows(plan: Plan, rng: Generator) -> Ints:
    """(T,) the items in order of leasing: the second judgment follows the first."""
    twice = rng.random(plan.n_population) < plan.double_share
    return np.repeat(np.arange(plan.n_population), np.where(twice, 2, 1))


def _shared(plan: Plan, quality: Floats, rng: Generator) -> NDArray[np.bool_]:
    """(N,) whether an output is shared: the highest ones by a number correlated with quality."""
    own = np.sqrt(1 - plan.shared_quality**2) * rng.standard_normal(quality.size)
    return np.asarray(
        np.argsort(np.argsort(-(plan.shared_quality * quality + own)))
        < plan.shared * plan.n_population
    )
