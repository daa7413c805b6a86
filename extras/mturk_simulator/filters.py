"""How the site's templates write money, times, lengths of time and submitted answers."""

from datetime import datetime, timedelta
from decimal import Decimal
from xml.etree import ElementTree as ET

from django.template import Library
from django.utils.html import format_html

from extras.mturk_simulator.hits import ANSWERS

register = Library()


@register.filter
def money(amount: Decimal) -> str:
    return f"${amount:.2f}"


@register.filter
def text(words: str) -> str:
    """Return a cell of running text, which needs room in a crowded table."""
    return format_html('<span class="text">{}</span>', words) if words else ""


@register.filter
def when(at: datetime | None) -> str:
    if at is None:
        return "–"
    said, stamp = f"{at:%d %b %Y, %H:%M} UTC", at.isoformat()
    return format_html('<time datetime="{}" class="nowrap">{}</time>', stamp, said)


@register.filter
def spell(length: timedelta) -> str:
    """Return a length of time in its two largest units."""
    seconds = int(length.total_seconds())
    parts = []
    for name, size in {"d": 86400, "h": 3600, "min": 60, "s": 1}.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


@register.filter
def answers(document: str) -> str:
    if not document:
        return ""
    found = ET.fromstring(document).findall(f"{{{ANSWERS}}}Answer")  # noqa: S314 we wrote it
    return ", ".join(": ".join(part.text or "" for part in one) for one in found)
