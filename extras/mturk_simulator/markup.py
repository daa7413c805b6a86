"""Responses, and pages from template files: every value is escaped unless it is markup."""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from string import Template
from urllib.parse import urlencode


@dataclass(frozen=True)
class Response:
    status: str = "200 OK"
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def redirect(location: str) -> Response:
    """Redirect the browser with a GET."""
    return Response(status="303 See Other", headers=(("Location", location),))


PAGES = Path(__file__).parent / "templates"


class Html(str):
    """Text that is already markup."""

    __slots__ = ()


def escape(value: object) -> Html:
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def render(name: str, **values: object) -> Html:
    """Return a template with its values; a missing one raises `KeyError`."""
    return Html(_template(name).substitute({key: escape(one) for key, one in values.items()}))


def join(parts: Iterable[object]) -> Html:
    return Html("".join(escape(part) for part in parts))


def tag(name: str, content: object, **attributes: object) -> Html:
    """Return an element; an underscore in an attribute's name stands for a hyphen."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
    )
    return Html(f"<{name}{written}>{escape(content)}</{name}>")


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """Return a table with its heading, or the heading and a note if there are no rows."""
    if not rows:
        return join([tag("h2", caption), tag("p", "None yet.", class_="quiet")])
    head = tag("tr", join(tag("th", one, scope="col") for one in heads))
    body = join(tag("tr", join(tag("td", cell) for cell in row)) for row in rows)
    grid = tag("table", join([tag("thead", head), tag("tbody", body)]))
    scroller = tag("div", grid, class_="scroll", role="region", tabindex="0", aria_label=caption)
    return join([tag("h2", caption), scroller])


@lru_cache(maxsize=32)
def _template(name: str) -> Template:
    return Template((PAGES / f"{name}.html").read_text(encoding="utf-8"))


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
