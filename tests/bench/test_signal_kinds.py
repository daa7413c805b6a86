"""Signals of the page list people who paste what a model wrote, and hardly anybody honest."""

import pytest

from bench.screening import signals

PEOPLE = 120
USUAL = [kind for kind in signals.HONEST if kind not in (signals.ELSEWHERE, signals.TOOL)]


@pytest.mark.parametrize("kind", ["paste a rewritten text", "a script puts it in"])
def test_half_of_those_who_hand_in_a_models_text_are_listed(kind: str) -> None:
    n, early, late = signals.listed(kind, PEOPLE)
    assert (n, early <= late) == (PEOPLE, True)
    assert late >= 0.5 * n


@pytest.mark.parametrize("kind", USUAL)
def test_of_honest_people_two_in_a_hundred_are_listed_at_most(kind: str) -> None:
    n, _early, late = signals.listed(kind, PEOPLE)
    assert late <= 0.02 * n


def test_a_tool_that_writes_much_of_short_edits_comes_near_the_limit() -> None:
    assert signals.listed(signals.TOOL, PEOPLE)[2] <= 0.05 * PEOPLE


def test_who_types_it_off_is_not_found() -> None:
    """No signal tells this from writing: the page of the bench says so, and so does this test."""
    assert signals.listed("type it off", PEOPLE)[2] == 0
