"""Campaigns drawn like a planned collection, with their histories."""

from collections.abc import Iterator

import numpy as np

from estimation.core.data import errors
from estimation.core.data.sample import Sample
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.planning.study import Study
from estimation.core.planning.typical import check_components, distribution
from estimation.core.simulation.campaign import draw_campaign
from estimation.core.simulation.plan import Plan

MOST_SIMULATED_ITEMS = 20_000
_MOST_DRAWN = 500_000  # items over all replicates: seconds
_FEWEST = 20
_LOOKS = 400


def campaigns(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, Trajectory]]:
    """Complete campaigns of one system with their histories; fewer where items are many."""
    if replicates < 1:
        raise errors.InvalidOptionError("A plan draws at least one campaign.")
    plan = plan_of(study)
    most = max(_FEWEST, _MOST_DRAWN // plan.n_population)
    for child in np.random.SeedSequence(seed).spawn(min(replicates, most)):
        sample, _ = draw_campaign(plan, np.random.default_rng(child))
        yield (
            sample,
            trajectory(
                sample,
                estimand=study.estimand,
                balance=study.balance,
                person_share=study.person_share,
                every=_looks_every(sample),
            ),
        )


def _looks_every(sample: Sample) -> int:
    """After how many judgments a drawn campaign is looked at: so often that a forecast is no worse.

    Each judgment changes the weights of all that its annotator judged, so fewer looks are quicker.
    """
    return max(1, sample.n_judgments // _LOOKS)


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
        places=people.places if people.pool is None else people.pool,
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
