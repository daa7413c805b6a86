"""Numbers, money, dates and plurals as people read them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.template import Context, Template
from django.utils import translation

from annotate.common.numbers import (
    count,
    lasting,
    many,
    measured,
    moment,
    money_at_a_glance,
    money_text,
    number,
    percent,
    price,
    short,
    signed,
    width,
)

# Pages whose dates are still written in the page.


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert number(-0.001) == "0.00"
    assert number(-0.01) == "−0.01"
    assert number(1234.5, 1) == "1,234.5"
    assert number(None) == "–"
    assert number(float("nan")) == number(float("inf")) == "–"


def test_a_difference_has_its_sign():
    assert [signed(v) for v in (0.32, -0.08, 0.0, 0.001, -0.001)] == [
        "+0.32",
        "−0.08",
        "0.00",
        "0.00",
        "0.00",
    ]
    assert signed(None) == "–"


def test_a_tick_has_no_needless_digits():
    assert [short(v) for v in (-1, -0.5, 0, 0.5, 1, 20, 0.25, 1e3)] == [
        "−1",
        "−0.5",
        "0",
        "0.5",
        "1",
        "20",
        "0.25",
        "1,000",
    ]


def test_money_has_its_unit_and_its_currency():
    assert money_text(0.4) == "$0.40"
    assert money_text(-3) == "−$3.00"
    assert money_text(Decimal("-0.001")) == "$0.00"
    assert money_text(Decimal("1234.5"), "GBP") == "£1,234.50"
    assert money_text(Decimal(3), "SEK") == "3.00\u00a0SEK"
    assert money_text(None) == ""


def test_a_price_shows_a_fraction_of_a_cent_only_where_there_is_one():
    assert price(Decimal("0.48")) == "$0.48"
    assert price(Decimal("0.480")) == "$0.48"
    assert price(Decimal("0.024"), "GBP") == "£0.024"


def test_cents_are_left_out_where_they_do_not_matter():
    amounts = (0.4, 99.99, 100, 494.4, -250.5)
    assert [money_at_a_glance(a) for a in amounts] == ["$0.40", "$99.99", "$100", "$494", "−$250"]


def test_plurals():
    assert [many(n, "judgment") for n in (0, 1, 2, 1200)] == [
        "0 judgments",
        "1 judgment",
        "2 judgments",
        "1,200 judgments",
    ]
    assert [many(n, "person", "people") for n in (1, 2)] == ["1 person", "2 people"]
    told = Template('{{ n|many:"person,people" }}, {{ n|many:"item" }}')
    assert told.render(Context({"n": 1})) == "1 person, 1 item"
    assert told.render(Context({"n": 2})) == "2 people, 2 items"


def test_shares_counts_and_widths():
    assert percent(0.256) == "26\u00a0%"
    assert percent(-0.001) == "0\u00a0%"
    assert (count(1234), count(None), width(0.2)) == ("1,234", "–", "0.200")


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "less than a minute"),
        (1, "1 minute"),
        (15, "15 minutes"),
        (60, "1 hour"),
        (179, "2 hours"),
        (1440, "1 day"),
        (4000, "2 days"),
    ],
)
def test_lengths_of_time(minutes: int, words: str):
    assert lasting(timedelta(minutes=minutes)) == words


def test_moments():
    at = datetime(2026, 3, 5, 14, 2, tzinfo=UTC)
    assert moment(at) == "5 Mar, 14:02"
    assert moment(at, "long year") == "5 March 2026, 14:02"
    assert moment(at.date(), "day") == "5 Mar"
    assert moment(None) == "–"
    assert Template('{{ at|moment:"year" }}').render(Context({"at": at})) == "5 Mar 2026, 14:02"


def test_all_of_it_follows_the_language_that_is_active():
    with translation.override("de"):
        assert number(-1234.5, 1) == "−1.234,5"
        assert count(1234) == "1.234"
        assert percent(0.123, 1) == "12,3\u00a0%"
        assert money_text(1234.5, "GBP") == "£1.234,50"
        assert short(0.25) == "0,25"
        assert moment(datetime(2026, 3, 5, 14, 2, tzinfo=UTC)) == "5 Mär, 14:02"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.7124, "0.712"),
        (-2, "−2.000"),
        (0, "0.000"),
        (None, "–"),
        (0.001, "0.001"),
        (9_999_999, "9,999,999.000"),
        (1e7, "1.00\u00a0×\u00a010⁷"),
        (-3.2e30, "−3.20\u00a0×\u00a010³⁰"),
        (0.00042, "4.20\u00a0×\u00a010⁻⁴"),
        (1.7e308, "1.70\u00a0×\u00a010³⁰⁸"),
        (5e-324, "4.94\u00a0×\u00a010⁻³²⁴"),
    ],
)
def test_a_metric_of_any_size_is_short(value: float | None, told: str):
    assert measured(value) == told
