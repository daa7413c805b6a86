"""Short edits: Clopper–Pearson by hand, what is required, what repeats itself."""

import numpy as np
import pytest

from annotate.screening import Settings
from annotate.screening.edits import SHORT_EDITS
from tests.annotate.screening.columns import columns, verdict


def campaign(distance, **more):
    """Person 1 with these distances, and person 0 with one honest edit."""
    who = np.r_[0, np.ones(len(distance), int)]
    return columns(who, edit_distance=np.r_[60.0, distance], **more)


def of_one(found, settings=None):
    return verdict(SHORT_EDITS, found, 1, settings or Settings())


@pytest.mark.parametrize(("n", "fires"), [(4, False), (6, False), (7, True), (12, True)])
def test_only_short_edits(n, fires):
    found = of_one(campaign([4.0] * n))
    assert found.flagged is fires  # 6: .01 ** (1/6) = .464; 7: .01 ** (1/7) = .518 > .5
    assert found.low == pytest.approx(0.01 ** (1 / n))
    assert found.enough is (n >= 5)


def test_five_characters_are_not_short():
    assert of_one(campaign([5.0] * 12)).value == 0


def test_edits_that_were_not_required_do_not_count():
    found = of_one(campaign([np.nan] * 20 + [1.0] * 6))
    assert (found.n, found.flagged) == (6, False)


def test_one_text_for_every_item_is_no_edit():
    found = of_one(campaign([200.0] * 7, edit_text=np.r_[1, np.full(7, 2)]))
    assert found.flagged
    assert found.numbers == {"short": 0, "repeated": 7}


def test_one_text_for_two_outputs_of_an_item_is_honest_work():
    items = np.array([0, 1, 1, 2, 2, 3, 3, 4])
    text = np.array([9, 1, 1, 2, 2, 3, 3, 4])
    found = of_one(campaign([200.0] * 7, edit_text=text, item=items))
    assert (found.value, found.numbers["repeated"]) == (0, 0)


def test_a_text_is_repeated_where_the_same_person_handed_it_in_for_another_item():
    rng = np.random.default_rng(3)
    who, item, text = rng.integers(0, 3, 60), rng.integers(0, 9, 60), rng.integers(-1, 6, 60)
    found = columns(who, edit_distance=np.full(60, 30.0), edit_text=text, item=item * 10**9)
    rows = list(zip(who, text, item, strict=True))
    expected = [
        sum(
            edit >= 0 and any((w, t) == (judge, edit) and i != of for w, t, i in rows)
            for judge, edit, of in rows
            if judge == person
        )
        for person in range(3)
    ]
    assert sum(expected) > 10
    counted = [verdict(SHORT_EDITS, found, person).numbers["repeated"] for person in range(3)]
    assert counted == expected
