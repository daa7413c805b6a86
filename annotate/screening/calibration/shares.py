"""How many people of a campaign look careless: the shares of the kinds of people, without a prior.

What is learned of a campaign leans on usual shares, the more the less its work shows. How far it
leans is learned of simulated campaigns: of careful people alone, and with as many careless ones as
seem to be there. The straight line through both says for which shares simulated campaigns would
look like this one (indirect inference, Gouriéroux, Monfort and Renault 1993).
"""

import numpy as np
from numpy.random import Generator

from annotate.screening.agreement.finding import kinds_of_people
from annotate.screening.base import Columns
from annotate.screening.calibration.honest import Honest
from annotate.screening.thresholds import CrowdThresholds
from estimation.core import Floats

LOOKING = (1.0, 0.0, -1.0)  # at the output; -1 is upside down
DRAWS = 4  # simulated campaigns on each of both sides
LEAST_SLOPE = 0.3  # of that line; where work shows little, it would be nearly level
MOST = 0.5  # of people, who may be careless


def shares(
    columns: Columns, model: Honest, plan: Columns, limits: CrowdThresholds, rng: Generator
) -> Floats:
    """Return (3,) the shares of people who are careful, do not look, and answer upside down.

    model: of the campaign's honest people. plan: its tasks, or those of some of its people.
    """
    learned = kinds_of_people(columns, limits)
    careful = _learned(np.array([1.0, 0.0, 0.0]), model, plan, limits, rng)
    beside = _learned(learned, model, plan, limits, rng)
    slope = np.clip((beside - careful) / learned, LEAST_SLOPE, 1.0)
    careless = np.maximum((learned - careful) / slope, 0.0)[1:]
    careless *= min(1.0, MOST / max(float(careless.sum()), MOST))
    return np.asarray(np.r_[1 - careless.sum(), careless])


def _learned(
    there: Floats, model: Honest, plan: Columns, limits: CrowdThresholds, rng: Generator
) -> Floats:
    """Return the mean of what is learned of simulated campaigns in which these shares are."""
    found = np.zeros(len(there))
    for _ in range(DRAWS):
        looking = rng.choice(LOOKING, plan.people.size, p=there)
        found += kinds_of_people(model.campaign(plan, looking, rng), limits)
    return found / DRAWS
