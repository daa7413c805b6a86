"""People who nearly always give the usual answer: whom `no_variation` looks for."""

import numpy as np
from numpy.random import Generator

from annotate.screening.base import Columns
from annotate.screening.calibration.honest import Honest, answered
from annotate.screening.registry import SCREENS
from annotate.screening.running import measured
from annotate.screening.settings import Settings
from estimation.core import Floats

BUT = 6  # one in so many of their answers is like other people's
SOME = 0.1  # of the people of a simulated campaign
PEOPLE, MOST_CAMPAIGNS = 60, 10  # simulated at least, unless that takes more than


def uniform(model: Honest, plan: Columns, settings: Settings, rng: Generator) -> Floats:
    """Return (N,) the evidence of `no_variation` on such people, beside honest ones."""
    found: list[Floats] = []
    while sum(map(len, found)) < PEOPLE and len(found) < MOST_CAMPAIGNS:
        campaign = model.campaign(plan, np.ones(plan.people.size), rng)
        mine = np.zeros(plan.people.size, dtype=bool)
        mine[rng.permutation(mine.size)[: max(1, round(SOME * mine.size))]] = True
        usual = mine[campaign.who] & (rng.random(len(campaign.who)) >= 1 / BUT)
        answers = np.where(usual[:, None], _usual(campaign), campaign.answers)
        made = measured(SCREENS["no_variation"], answered(campaign, answers, rng), settings)
        found.append(made.evidence[mine])
    return np.concatenate(found)


def _usual(columns: Columns) -> Floats:
    """Return (C,) the most frequent answers: to all questions with names together, and verdicts.

    Who gives these is hardest to tell from others, who give them often.
    """
    paragraphs = 0 if columns.verdicts is None else columns.verdicts.shape[1]
    named = columns.answers[:, : columns.answers.shape[1] - paragraphs]
    rows, n = np.unique(named, axis=0, return_counts=True)
    verdicts = columns.answers[:, named.shape[1] :]
    levels, times = np.unique(verdicts[np.isfinite(verdicts)], return_counts=True)
    verdict = levels[times.argmax()] if times.size else np.nan
    return np.concatenate([rows[n.argmax()], np.full(paragraphs, verdict)])
