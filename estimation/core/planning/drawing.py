"""Campaigns drawn like a planned collection, with their histories."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from estimation.core.data import errors
from estimation.core.data.sample import Sample
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.planning.study import Study
from estimation.core.planning.typical import check_components, distribution
from estimation.core.simulation.campaign import draw_campaign
from estimation.core.simulation.plan import Plan

MOST_SIMULATED_ITEMS = 20_000
DRAWN = 100  # campaigns for a plan
MOST_DRAWN = 500_000  # items over all replicates: seconds
_FEWEST = 20
_STEP = 1.02  # of one look over the one before


def campaigns(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, Trajectory]]:
    """Complete campaigns of one system with their histories; fewer where items are many."""
    for sample in samples(study, replicates, seed):
        history = trajectory(
            sample,
            estimand=study.estimand,
            balance=study.balance,
            person_share=study.person_share,
            looks=looks_of(sample.n_judgments),
        )
        yield sample, history


@lru_cache(maxsize=32)
def histories(study: Study, replicates: int, seed: int) -> tuple[tuple[Trajectory, int], ...]:
    """The histories of `campaigns`, each with how many people judged.

    They are kept, because a plan asks several questions of the same campaigns.
    """
    found = campaigns(study, replicates, seed)
    return tuple((history, np.unique(sample.annotator).size) for sample, history in found)


def samples(study: Study, replicates: int, seed: int) -> Iterator[Sample]:
    """The same campaigns without their histories."""
    for sample, _truth in samples_with_truth(study, replicates, seed):
        yield sample


def samples_with_truth(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, float]]:
    """The same campaigns, each with its true mean over all outputs."""
    if replicates < 1:
        raise errors.InvalidOptionError("A plan draws at least one campaign.")
    plan = plan_of(study)
    most = max(_FEWEST, MOST_DRAWN // plan.n_population)
    for child in np.random.SeedSequence(seed).spawn(min(replicates, most)):
        yield draw_campaign(plan, np.random.default_rng(child))


@lru_cache(maxsize=64)
def looks_of(n_judgments: int) -> tuple[int, ...]:
    """After how many judgments a drawn campaign is looked at: at least each further 2 percent.

    Each judgment changes the weights of all that its annotator judged. Where looks grow apart, the
    work is proportional to the judgments, however many one person gives.
    """
    looks, now = [], 1
    while now < n_judgments:
        looks.append(now)
        now = max(now + 1, int(now * _STEP))
    return tuple(looks)


def plan_of(study: Study) -> Plan:
    """What one system's judgments look like."""
    part, people = study.expected.components, study.participation
    total = check_components(part)
    return Plan(
        distribution(study.expected),
        item=part.item / total,
        person=part.person / total,
        rho=study.rho,
        n_population=simulated_items(study),
        cap=_cap_of_one_system(study),
        double_share=study.double_share,
        places=study.places,
        unevenness=people.unevenness,
        replaced=people.pool is None,
    )


def _cap_of_one_system(study: Study) -> int | None:
    """A fixed number with the same A_eff as the binomial number that falls to one system.

    E[c²] / E[c] of a binomial count with mean cap / K is cap / K + 1 - 1 / K.
    """
    if study.cap is None:
        return None
    return max(1, round((study.cap - 1) / study.systems + 1))


def simulated_items(study: Study) -> int:
    """N, at most 20,000: no collection judges more."""
    return min(study.n_items, MOST_SIMULATED_ITEMS)
