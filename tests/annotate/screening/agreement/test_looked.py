"""Who is quick and agrees with the others has looked; speed alone accuses them less."""

from dataclasses import replace

import numpy as np
import pytest

from annotate.screening import Settings
from annotate.screening.agreement.finding import unseen
from annotate.screening.joining import added, last, taken
from annotate.screening.running import findings
from annotate.screening.timing.finding import Timing, find
from tests.annotate.screening.columns import SMALL, crowd, rescored

TASKS = 40
TIMING, CROWD = Timing(), SMALL.crowd


def quick(found, who, since=0):
    """Person `who` needs two seconds a task from a task on."""
    mine = np.flatnonzero(found.annotator == who)
    late = mine[np.argsort(found.order[mine])][since:]
    seconds = found.seconds.copy()
    seconds[late] = 2.0
    return replace(found, seconds=seconds)


def blind(found, who):
    """Person `who` gives their answers to other texts."""
    own = found.answers[found.annotator == who]
    return rescored(found, who, np.random.default_rng(0).permutation(own))


def too_fast(found, who, settings=SMALL):
    (one,) = (one for one in findings(found, settings) if one.screen == "too_fast")
    return float(one.evidence[found.people == who][0])


def test_a_quick_person_who_agrees_is_excused_and_one_who_does_not_is_not():
    found = quick(crowd(3, people=20, each=TASKS), 4)
    alone = float(find(found, TIMING, CROWD).evidence[found.people == 4][0])
    assert too_fast(found, 4) < alone - 4
    assert too_fast(blind(found, 4), 4) > alone - 1


def test_without_agreement_speed_speaks_alone():
    found = quick(crowd(3, people=20, each=TASKS), 4)
    off = Settings.from_dict({**SMALL.to_dict(), "flags": {"off": ["low_agreement"]}})
    assert too_fast(found, 4, off) > 10


@pytest.mark.parametrize("since", [0.0, 1.0])
def test_neither_careful_tasks_before_nor_careless_ones_since_change_what_speed_says(since):
    found = quick(crowd(5, people=20, each=TASKS), 4, since=TASKS // 2)
    said = np.where(found.seconds > 2, -5.0, since)
    (alone,), (told,) = (
        find(columns, TIMING, CROWD).evidence[found.people == 4]
        for columns in (found, replace(found, unseen=said))
    )
    assert alone > 4
    assert told == pytest.approx(alone)


def test_what_agreement_tells_is_subtracted_in_powers_of_ten():
    found = quick(crowd(3, people=20, each=TASKS), 4)
    plain = find(found, TIMING, CROWD).evidence
    said = np.where(found.annotator == 4, -2 * np.log(10) / TASKS, np.log(10))
    told = find(replace(found, unseen=said), TIMING, CROWD).evidence
    at = found.people == 4
    assert told[at] == pytest.approx(plain[at] - 2)
    assert told[~at] == pytest.approx(plain[~at])  # who does not look is no quicker for it


def test_what_is_added_to_columns_keeps_what_was_computed_from_them():
    found = crowd(3)
    people, before = found.people, last(found, 5)
    looked = unseen(found, CROWD)
    more = added(found, unseen=looked)
    assert more.people is people
    assert unseen(more, CROWD) == pytest.approx(looked)
    assert len(vars(more)["_once"]) == len(vars(found)["_once"]) - 1  # all but the last judgments
    assert before.unseen is None
    assert last(more, 5).unseen is not None
    assert more.unseen is looked
    assert found.unseen is None
    some = taken(more, np.arange(5, 20))
    assert some.unseen.tolist() == looked[5:20].tolist()
    assert some.people is not people
