"""How many careless people a campaign seems to have, whatever was expected before it."""

import numpy as np
import pytest

from annotate.screening import Settings
from annotate.screening.agreement.finding import belief
from annotate.screening.calibration import calibrating, shares
from annotate.screening.calibration.honest import Honest
from annotate.screening.joining import taken
from bench.screening import table

SETTINGS = Settings()


def found(columns, rng):
    believed = belief(columns, SETTINGS.crowd)
    model = Honest.fitted(columns, calibrating._usable(columns, SETTINGS), believed)
    return shares.shares(columns, model, columns, SETTINGS.crowd, rng)


def mean(kind, *, study="rating 4×5", part=1.0, campaigns=6):
    """Of (careful, not looking, upside down), in campaigns of 120 people."""
    each = []
    for seed in range(campaigns):
        rng = np.random.default_rng([31, seed])
        columns, _mine = table.campaign(study, kind, 120, rng)
        columns = taken(columns, np.arange(round(len(columns.who) * part)))
        each.append(found(columns, rng))
    return np.mean(each, axis=0)


@pytest.mark.parametrize("part", [0.2, 0.6, 1.0])
def test_where_all_are_careful_hardly_anybody_is_thought_careless(part):
    """The prior says a fifth, and little work leaves it nearly so."""
    assert mean("usual", part=part)[0] > 0.95


@pytest.mark.parametrize(("kind", "place"), [("random (usual answers)", 1), ("mirrored scale", 2)])
def test_where_a_fifth_are_careless_about_as_many_are_thought_so(kind, place):
    learned = mean(kind)
    assert 0.12 < 1 - learned[0] < 0.3
    assert learned[place] == max(learned[1:])


def test_little_work_shows_fewer_careless_people_than_there_are():
    early, half, whole = (1 - mean("mirrored scale", part=part)[0] for part in (0.2, 0.5, 1.0))
    assert early < min(half, whole) - 0.05


@pytest.mark.parametrize(
    ("careful", "beside", "expected"),
    [
        ([0.06, 0.04], [0.12, 0.08], [0.80, 0.12, 0.08]),  # simulated as it is
        ([0.06, 0.04], [0.10, 1 / 15], [0.70, 0.18, 0.12]),  # a third of those appear
        ([0.06, 0.04], [0.07, 0.05], [2 / 3, 0.20, 0.04 / 0.3]),  # hardly any appear: times 1 / .3
        ([0.06, 0.04], [0.30, 0.20], [0.90, 0.06, 0.04]),  # more appear than are there: as learned
        ([0.12, 0.08], [0.14, 0.09], [1.00, 0.00, 0.00]),  # no more than where all are careful
        ([0.13, 0.07], [0.20, 0.12], [0.984, 0.00, 0.016]),
        ([0.00, 0.00], [0.00, 0.00], [0.50, 0.30, 0.20]),  # nothing is known: at most half
    ],
)
def test_a_line_through_two_simulations(monkeypatch, careful, beside, expected):
    """What is learned is .12 and .08; `careful` and `beside` are learned of simulations."""
    learned = {1.0: careful, 0.8: beside}
    monkeypatch.setattr(
        shares, "_learned", lambda there, *_given: np.array([0.0, *learned[there[0]]])
    )
    monkeypatch.setattr(shares, "kinds_of_people", lambda *_given: np.array([0.8, 0.12, 0.08]))
    found = shares.shares(*[None] * 5)
    assert found[1:] == pytest.approx(expected[1:])
    assert found.sum() == pytest.approx(1)


def test_the_same_campaign_and_seed_give_the_same():
    columns, _mine = table.campaign("rating 1×5", "usual", 60, np.random.default_rng(1))
    twice = [found(columns, np.random.default_rng(5)) for _ in range(2)]
    assert np.array_equal(*twice)
