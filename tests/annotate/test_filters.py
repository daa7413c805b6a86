"""Numbers as people read them."""

from annotate.templatetags.plumbline import money, number


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert number(-0.001) == "0.00"
    assert number(-0.01) == "−0.01"
    assert number(1234.5, 1) == "1,234.5"
    assert number(None) == "–"


def test_money_has_its_unit():
    assert money(0.4) == "$0.40"
    assert money(-3) == "−$3.00"
