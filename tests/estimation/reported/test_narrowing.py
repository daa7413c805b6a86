"""The picture of how intervals narrowed names every line, wherever the lines end."""

from itertools import accumulate, pairwise

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from estimation.pages.charts import HIGH, NAMED, NARROWING_LINE, THEMES, apart, narrowing


@given(st.lists(st.floats(0, HIGH), max_size=NAMED + 1))
def test_names_keep_their_order_and_distance_in_the_picture(wanted):
    found = apart(wanted, NARROWING_LINE, HIGH)
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [found[i] for i in order]
    assert all(b - a >= NARROWING_LINE - 1e-9 for a, b in pairwise(placed))
    assert all(0 <= place <= HIGH for place in placed)


@given(st.lists(st.floats(NARROWING_LINE, 40), min_size=1, max_size=4))
def test_names_that_are_apart_stay_where_they_are(gaps):
    wanted = list(accumulate(gaps))
    assert apart(wanted, NARROWING_LINE, HIGH) == pytest.approx(wanted)
    assert apart(wanted[::-1], NARROWING_LINE, HIGH) == pytest.approx(wanted[::-1])


@pytest.mark.parametrize("theme", [None, *THEMES.values()], ids=["paper", *THEMES])
def test_every_line_and_the_target_are_named(theme):
    rows = [(f"s-{s}", n, 2 / n**0.5) for s in range(NAMED) for n in (10, 50 + s)]
    drawn = vl_convert.vegalite_to_svg(narrowing(rows, title="overall", target=0.3, theme=theme))
    for name in ("target", *(f"s-{s}" for s in range(NAMED))):
        assert f">{name}</text>" in drawn
    more = [*rows, ("one more", 50, 0.3)]
    drawn = vl_convert.vegalite_to_svg(narrowing(more, title="overall", target=None, theme=theme))
    assert ">s-1</text>" not in drawn
    assert ">target</text>" not in drawn


def test_a_system_may_be_called_target_and_be_alone():
    drawn = vl_convert.vegalite_to_svg(narrowing([("target", 3, 0.5)], title="x", target=0.3))
    assert drawn.count(">target</text>") == 2


def test_intervals_without_width_are_drawn():
    flat = narrowing([("a", 1, 0.0), ("a", 2, 0.0)], title="x", target=None)
    assert ">a</text>" in vl_convert.vegalite_to_svg(flat)
