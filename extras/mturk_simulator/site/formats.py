"""Money, dates and addresses on the pages of the stand-in."""

from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from extras.mturk_simulator.site.markup import Html, tag


def address(path: str, **parameters: str) -> str:
    """Return an address; parameters without a value are left out."""
    given = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def money(amount: Decimal) -> str:
    return f"${amount:.2f}"


def text(words: object) -> Html | str:
    """Return a cell of running text, which needs room in a crowded table."""
    return tag("span", words, class_="text") if words else ""


def when(at: datetime | None) -> Html:
    if at is None:
        return Html("–")
    return tag("time", f"{at:%d %b %Y, %H:%M} UTC", datetime=at.isoformat(), class_="nowrap")


def spell(length: timedelta) -> str:
    """Return a length of time in its two largest units."""
    seconds = int(length.total_seconds())
    units = {"d": 86400, "h": 3600, "min": 60, "s": 1}
    parts = []
    for name, size in units.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"
