"""What a target takes: arithmetic by hand, and what holds for every target."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import sizing
from bench.sizing import BUSY, FEWEST, a_day, at_once, main, needs

rates = st.floats(0.001, 1e5)
units = st.floats(0.01, 1)


def test_two_thousand_people_by_hand() -> None:
    """33.3 tasks a second × (0.060, 0.008, 0.055) units × 97 ms, and a refresh a second."""
    found = needs(at_once(2000, 60), 0.097)
    busy = (found.web_processors, found.worker_processors, found.postgres_processors)
    assert busy == pytest.approx((0.194, 0.1326, 0.1778), abs=1e-3)
    assert (found.web, found.worker, found.processors) == (2, 2, 1)
    assert found.connections == 2 * 4 + 2 + 16


def test_a_day_by_hand() -> None:
    """100,000 judgments in ten hours are 2.8 a second, three times as many at the busiest time."""
    assert a_day(100_000) == pytest.approx(8.333, abs=1e-3)


def test_each_campaign_has_its_refreshes_but_no_more_than_judgments() -> None:
    one, ten = needs(5.0, 0.1), needs(5.0, 0.1, campaigns=10)
    assert one.worker_processors == pytest.approx(5 * 0.0008 + 1 * 0.11)
    assert ten.worker_processors == pytest.approx(5 * 0.0008 + 5 * 0.11)


@given(rates, units)
def test_no_process_is_busier_than_it_should_be(rate: float, unit: float) -> None:
    found = needs(rate, unit)
    for n, busy in ((found.web, found.web_processors), (found.worker, found.worker_processors)):
        assert busy / n <= BUSY * (1 + 1e-9)
        assert n == FEWEST or busy / (n - 1) > BUSY * (1 - 1e-9)
    used = found.web_processors + found.worker_processors + found.postgres_processors
    assert found.processors == ceil(used / BUSY)


@pytest.mark.slow
@given(rates, units, st.integers(2, 20))
def test_more_work_takes_in_proportion_more(rate: float, unit: float, times: int) -> None:
    once, more = needs(rate, unit), needs(rate * times, unit)
    assert more.postgres_processors == pytest.approx(times * once.postgres_processors)
    assert times * once.web >= more.web >= once.web
    assert more.connections >= once.connections
    assert more.memory >= once.memory
    assert once.pool <= once.connections


def test_it_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--people", "2000", "--unit", "97"])
    said = capsys.readouterr().out
    assert said.startswith("33.3 tasks a second at the busiest time; bench.unit takes 97 ms\n")
    assert "26 connections, or a pool of" in said
    main(["--judgments", "100000", "--unit", "97"])
    assert f"disk       {100_000 * sizing.BYTES / 1e9:.2f} GB more a day" in capsys.readouterr().out


@pytest.mark.parametrize("given", [["--people", "0"], ["--people", "nan"], ["--people", "-1"], []])
def test_no_target_is_refused(given: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(given)
