"""What is read of what a page sends: bounded numbers, whatever it is."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.screening.signals import COUNTED, MOST, RHYTHM, PageCounts, hashed, screen_of, sent

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
SENT = st.dictionaries(st.sampled_from([*COUNTED, "rhythm", "network", "device", "screen"]), ANY)


@pytest.mark.slow
@given(SENT | ANY)
def test_whatever_is_sent_becomes_bounded_counts_or_nothing(value):
    found = sent(value)
    if not isinstance(value, dict):
        assert found is None
        return
    numbers = [getattr(found, name) for name in COUNTED] + list(found.rhythm)
    assert all(type(one) is int and 0 <= one <= MOST for one in numbers)
    assert len(found.rhythm) == len(RHYTHM) + 1
    assert (found.network, found.device) == ("", "")  # a page does not name itself
    assert PageCounts.stored(found.as_data()) == found


def test_counts_are_clipped_and_other_things_are_left_out():
    found = sent({"typed": -3, "pasted": 1e12, "keys": 7.9, "away": "many", "resumed": 5})
    assert (found.typed, found.pasted, found.keys, found.away, found.resumed) == (0, MOST, 7, 0, 1)
    assert sent({"typed": math.nan, "keys": math.inf}).as_data() == {}
    assert sent({"rhythm": [1] * 500}).rhythm == (1,) * 10


@pytest.mark.parametrize("value", [None, "x", {"screen": 3}, {"screen": "x" * 201}, {}])
def test_what_is_no_description_of_a_device_is_none(value):
    assert screen_of(value) == ""


def test_a_hash_needs_its_key_and_says_nothing_else():
    first, other = b"k" * 32, b"o" * 32
    name = hashed(first, "network", "192.0.2.7")
    assert name == hashed(first, "network", "192.0.2.7")
    assert re.fullmatch("[0-9a-f]{16}", name)
    different = {name, hashed(other, "network", "192.0.2.7"), hashed(first, "device", "192.0.2.7")}
    assert len(different) == 3
    assert hashed(first, "network", "") == ""
    assert hashed(first, "device", "\ud800")  # no text of a browser raises


def test_the_page_and_the_server_have_the_same_classes_of_rhythm():
    script = Path("static/js/page_signals.js").read_text()
    (written,) = re.findall(r"const RHYTHM = \[([\d, ]+)\]", script)
    assert tuple(int(one) for one in written.split(",")) == RHYTHM
