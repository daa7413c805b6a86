"""Responses, and how the site's templates write money, times and submitted answers."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from extras.mturk_simulator.hits import ANSWERS


@dataclass(frozen=True)
class Response:
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True
)


def money(amount: Decimal) -> str:
    return f"${amount:.2f}"


def text(words: str) -> str:
    """Return a cell of running text, which needs room in a crowded table."""
    return Markup('<span class="text">{}</span>').format(words) if words else ""


def when(at: datetime | None) -> str:
    if at is None:
        return "–"
    said, stamp = f"{at:%d %b %Y, %H:%M} UTC", at.isoformat()
    return Markup('<time datetime="{}" class="nowrap">{}</time>').format(stamp, said)


def spell(length: timedelta) -> str:
    """Return a length of time in its two largest units."""
    seconds = int(length.total_seconds())
    parts = []
    for name, size in {"d": 86400, "h": 3600, "min": 60, "s": 1}.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


def answers(document: str) -> str:
    if not document:
        return ""
    found = ET.fromstring(document).findall(f"{{{ANSWERS}}}Answer")  # noqa: S314 we wrote it
    return ", ".join(": ".join(part.text or "" for part in one) for one in found)


TEMPLATES.filters |= {one.__name__: one for one in (money, text, when, spell, answers)}
