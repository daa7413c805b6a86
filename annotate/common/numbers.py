"""Numbers, money, dates and plurals as people read them: the one place that knows how.

All of it follows the language that is active (`django.utils.translation`), so that a reader's
locale is chosen in one place. Dashes, minus signs and spaces that do not break are typographic.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isfinite

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

NONE = "–"
PLAIN = (0.001, 1e7)  # values of this size are written without a power of ten
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DOLLARS = "USD"
_currency = ContextVar("currency", default=DOLLARS)
_language = ContextVar("language", default="")  # of numbers and dates; "": the active one
_SIGNS = {"GBP": "£", "EUR": "€"}
WHOLE_FROM = 100  # money: from here on, cents do not matter in a figure at a glance

# How a moment is written: in lists and notes, with the year where it may be old, in sentences.
MOMENTS = {
    "": "j M, H:i",
    "year": "j M Y, H:i",
    "long": "j F, H:i",
    "long year": "j F Y, H:i",
    "seconds": "j M, H:i:s",
    "time": "H:i:s",
    "zone": "j M, H:i T",
    "day": "j M",
    "day year": "j M Y",
}


def number(value: float | Decimal | None, digits: int = 2) -> str:
    """`1,234.50` with `digits` decimals and a true minus sign; a dash for None."""
    if value is None or not isfinite(value):
        return NONE
    figure = f"{value:z.{digits}f}"
    sign = "−" if figure.startswith("-") else ""
    with _in_chosen_language():
        return sign + number_format(figure.removeprefix("-"), digits, force_grouping=True)


def measured(value: float | None) -> str:
    """`0.712`, and `3.20 × 10³⁰` where three decimals say too little or too much.

    For the values of metrics, which may be of any size.
    """
    if value is None or not isfinite(value) or value == 0 or PLAIN[0] <= abs(value) < PLAIN[1]:
        return number(value, 3)
    figure, power = f"{value:.2e}".split("e")
    return f"{number(float(figure))}\u00a0×\u00a010{str(int(power)).translate(RAISED)}"


def signed(value: float | None, digits: int = 2) -> str:
    """`+0.32`, `−0.08`, `0.00`: a difference."""
    figure = number(value, digits)
    return f"+{figure}" if value is not None and float(f"{value:.{digits}f}") > 0 else figure


def short(value: float, most: int = 6) -> str:
    """`−0.5`, `0`, `1`: no more decimals than it needs, such as at a tick of an axis."""
    return number(value, len(f"{value:.{most}f}".rstrip("0").partition(".")[2]))


def width(value: float | None) -> str:
    """The width of an interval: three decimals, as targets are typed."""
    return number(value, 3)


def count(value: int | None) -> str:
    """`1,234`; a dash for None."""
    return NONE if value is None else number(value, 0)


def many(n: int, one: str, others: str = "") -> str:
    """`1 judgment`, `2,345 judgments`; `others` where the plural does not just add an s."""
    return f"{count(n)} {one if n == 1 else others or one + 's'}"


def series(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`. Raises ValueError for none."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def percent(share: float | None, digits: int = 0) -> str:
    """`25 %` for 0.25; a dash for None."""
    return NONE if share is None else f"{number(100 * share, digits)}\u00a0%"


def count_in(currency: str) -> None:
    """Write money in this currency from now on, until the surrounding `counting_in` ends."""
    _currency.set(currency)


@contextmanager
def counting_in(currency: str) -> Iterator[None]:
    """Write money in this currency, where none is named. currency: an ISO 4217 code."""
    before = _currency.set(currency)
    try:
        yield
    finally:
        _currency.reset(before)


@contextmanager
def written_in(language: str) -> Iterator[None]:
    """Write numbers and dates as in this language, whatever the sentences around them are in.

    language: its code; "": the active one.
    """
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def _in_chosen_language() -> AbstractContextManager[None]:
    language = _language.get()
    return translation.override(language) if language else nullcontext()


def money_text(amount: Decimal | float | None, currency: str = "") -> str:
    """`$0.40`, `£1,200.00`; nothing for None. currency: an ISO 4217 code; "": the active one."""
    return _money(amount, currency, 2)


def money_at_a_glance(amount: Decimal | float | None) -> str:
    """`$494`: a figure where cents do not matter; with cents below $100."""
    large = amount is not None and not -WHOLE_FROM < amount < WHOLE_FROM
    return _money(amount, "", 0 if large else 2)


def price(amount: Decimal, currency: str = "") -> str:
    """`$0.48`, and `$0.024` where a fee on several tasks makes a fraction of a cent of it."""
    return _money(amount, currency, 2 if amount == round(amount, 2) else 3)


def unit_of_money(currency: str = "") -> str:
    """`$`, `£`, `CHF`: the unit of an amount, for labels. currency: as for `money`."""
    currency = currency or _currency.get()
    return "$" if currency == DOLLARS else _SIGNS.get(currency, currency)


def _money(amount: Decimal | float | None, currency: str, digits: int) -> str:
    if amount is None:
        return ""
    written = number(amount, digits)
    sign, figure = written[: written.startswith("−")], written.removeprefix("−")
    currency = currency or _currency.get()
    if currency == DOLLARS:
        return sign + _("$%(amount)s") % {"amount": figure}
    known = _SIGNS.get(currency)
    return f"{sign}{known}{figure}" if known else f"{sign}{figure}\u00a0{currency}"


def moment(at: datetime | date | None, style: str = "") -> str:
    """`5 Mar, 14:02` in the time zone that is active; a dash for None. style: of `MOMENTS`."""
    if at is None:
        return NONE
    if isinstance(at, datetime) and timezone.is_aware(at):
        at = timezone.localtime(at)
    with _in_chosen_language():
        return date_format(at, MOMENTS[style])


_LENGTHS: tuple[tuple[timedelta, Callable[[int], str]], ...] = (
    (timedelta(days=1), lambda n: many(n, "day")),
    (timedelta(hours=1), lambda n: many(n, "hour")),
    (timedelta(minutes=1), lambda n: many(n, "minute")),
)


def seconds(value: float | None) -> str:
    """`13 s`, `4 min`; a dash for None."""
    if value is None:
        return NONE
    if value < 9.95:
        return f"{value:.1f}\u00a0s"
    return f"{value:.0f}\u00a0s" if value < 180 else f"{value / 60:.0f}\u00a0min"


def days_between(low: float, high: float) -> str:
    """`2 to 5 days`, `3 to 4 hours`: of a number of days; hours where it is less than two days."""
    unit, size = ("day", 1) if high >= 2 else ("hour", 24)
    first, last = (max(1, round(days * size)) for days in (low, high))
    if high * 24 < 1:
        return "less than an hour"
    return f"about {many(last, unit)}" if first == last else f"{count(first)} to {many(last, unit)}"


def lasting(span: timedelta) -> str:
    """`15 minutes`, `1 hour`, `2 days`: in the largest unit that it fills, rounded down."""
    for unit, words in _LENGTHS:
        if span >= unit:
            return words(span // unit)
    return "less than a minute"


# Values in an address or a form that are not text.


LONGEST = 18  # digits: whatever has no more fits into 64 bits


def number_from(text: str, *, digits: int = LONGEST) -> int | None:
    """Return the whole number from 0 that the text is, or None."""
    fine = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fine else None


# The currency of the pages of one request.


Respond = Callable[[HttpRequest], HttpResponseBase]


def dollars_at_first(get_response: Respond) -> Respond:
    """Use dollars until the campaign of a request is known, whatever the thread used before."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        with counting_in(DOLLARS):
            return get_response(request)

    return respond
