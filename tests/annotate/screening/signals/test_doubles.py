"""Two accounts of one person, and people who only share a network, a device or both."""

import numpy as np
import pytest

from annotate.screening.signals import (
    PageProfile,
    SignalThresholds,
    doubles,
    nearness,
    profile,
    told,
)
from tests.annotate.screening.signals.crowds import Speed, share, tasks, typist

USUAL = SignalThresholds()


def crowd(random, places, *, edits: float = 0.5, speeds=None):
    speeds = speeds or {}
    return {
        who: profile(tasks(random, typist, place=place, edits=edits, speed=speeds.get(who)))
        for who, place in enumerate(places)
    }


def apart(n: int) -> list[tuple[str, str]]:
    return [(f"net-{k}", f"dev-{k}") for k in range(n)]


def test_nearness_is_a_probability_that_is_right_for_different_people():
    random = np.random.default_rng(1)
    mixing = random.normal(size=(5, 5))
    draws = [
        nearness(random.normal(size=(2, 5)) @ mixing, random.normal(size=(40, 5)) @ mixing)[0, 1]
        for _ in range(2000)
    ]
    for level in (0.01, 0.1, 0.5):
        error = (level * (1 - level) / 2000) ** 0.5
        assert abs(share([one < level for one in draws]) - level) < 4 * error
    same = np.array([(1.0, 2.0), (1.0, 2.0)])
    assert nearness(same, random.normal(size=(20, 2)))[0, 1] == pytest.approx(0)
    assert nearness(same, random.normal(size=(7, 2))) is None


def test_a_place_of_very_many_says_nothing_and_takes_no_time():
    random = np.random.default_rng(3)
    people = {
        who: PageProfile(("proxy", "phone"), tuple(random.normal(size=4))) for who in range(20_000)
    }
    found = doubles(people, USUAL)
    assert len(found) == 20_000
    assert not any(one.listed for one in found.values())
    assert "20,000 accounts" in told(found[0])


def test_a_network_alone_or_a_device_alone_says_nothing():
    random = np.random.default_rng(2)
    one = Speed(random)
    places = [("uni", f"dev-{k}") for k in range(20)] + [(f"net-{k}", "dev") for k in range(20)]
    assert doubles(crowd(random, places, speeds={0: one, 1: one, 25: one}), USUAL) == {}


def test_a_device_that_is_used_by_less_than_half_of_the_work_is_not_theirs():
    random = np.random.default_rng(2)
    mixed = [one for k in range(3) for one in tasks(random, typist, n=5, place=(f"net-{k}", "dev"))]
    assert profile(mixed).place is None
    assert profile(mixed[:4]).rhythm == ()


def test_a_computer_room_of_different_people_is_rarely_listed():
    """30 people at one network and one kind of device: chance .01 a person, over 10 rooms."""
    listed = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        found = doubles(crowd(random, [*apart(30), *[("uni", "pc")] * 30]), USUAL)
        assert len(found) == 30
        listed += [one.listed for one in found.values()]
    assert share(listed) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("edits", "least"), [(0.9, 0.6), (0.5, 0.4)])
def test_two_accounts_of_one_person_are_mostly_found(edits, least):
    hits = []
    for seed in range(60):
        random = np.random.default_rng(seed)
        same = Speed(random)
        people = crowd(
            random,
            [*apart(30), ("home", "pc"), ("home", "pc")],
            edits=edits,
            speeds={30: same, 31: same},
        )
        found = doubles(people, USUAL)
        assert set(found) == {30, 31}
        hits.append(found[30].listed)
    assert share(hits) >= least


def test_the_words_name_the_other_account_and_how_likely_it_is():
    random = np.random.default_rng(4)
    same = Speed(random)
    places = [*apart(30), ("home", "pc"), ("home", "pc")]
    found = doubles(crowd(random, places, edits=0.9, speeds={30: same, 31: same}), USUAL)
    said = told(found[30], partner="abcde")
    assert said.startswith("2 accounts share this network and this kind of device.")
    assert "abcde" in said
    few = doubles(crowd(random, places[-4:]), USUAL)
    assert not few[2].listed
    assert "too little work" in told(few[2])
