"""A picture of how intervals narrowed: a line a system, named at its end, and the target."""

from collections.abc import Sequence
from typing import Any

from estimation.charts.compared import THEME, WIDTH, configured
from estimation.charts.theme import Theme

HIGH, LINE = 180, 15  # pixels; of the picture, of a name
NAMED = 8  # of more systems, the lines have no names
BESIDE, ROOM = 28, 40  # pixels from the lines to the names; after these, for wider fonts
LONGEST = 240  # pixels of a name
End = tuple[str, float, float]  # what it is, and where it ends, in pixels


def narrowing(
    rows: Sequence[Sequence[Any]], *, title: str, target: float | None, theme: Theme | None = None
) -> dict[str, Any]:
    """Return the specification of widths over judgments; rows as `HISTORY`.

    theme: of the page that shows it; None: it is for paper.
    """
    import altair as alt

    ink = theme or THEME
    values = [{"system": name, "n": n, "width": width} for name, n, width in rows]
    last = list({one["system"]: one for one in values}.values())
    most = max(one["n"] for one in values)
    top = 1.05 * max(*(one["width"] for one in values), target or 0.0) or 1.0
    x = alt.X("n:Q", title="judgments", axis=alt.Axis(tickCount=5, grid=False))
    y = alt.Y("width:Q", title=f"width, {title}").scale(domain=[0, top], nice=False)
    where: dict[str, Any] = {"x": x.scale(domain=[0, most], nice=False), "y": y}
    base = alt.Chart(alt.InlineData(values=values)).encode(**where)
    layers = [base.mark_line(color=ink.band_line, strokeWidth=1.5).encode(detail="system:N")]
    if target is not None:
        at = alt.Chart(alt.InlineData(values=[{"width": target}])).encode(y=y)
        layers.append(at.mark_rule(color=ink.ink, strokeDash=[4, 3]))
    layers += _names(_ends(last, target, most, top), ink)
    dots = alt.Chart(alt.InlineData(values=last)).encode(**where)
    layers.append(dots.mark_circle(color=ink.ink, size=36, opacity=1))
    chart = alt.layer(*layers).properties(padding={"right": ROOM, "left": 5, "top": 5, "bottom": 5})
    background = "transparent" if theme else "white"
    return configured(chart, width=WIDTH, height=HIGH, theme=ink, background=background)


def _ends(
    last: Sequence[dict[str, Any]], target: float | None, most: float, top: float
) -> list[End]:
    """Return the ends of lines that are named. most, top: at the right and upper edge."""

    def high(width: float) -> float:
        return HIGH * (1 - width / top)

    named = last if len(last) <= NAMED else ()
    found = [(one["system"], WIDTH * one["n"] / most, high(one["width"])) for one in named]
    return found if target is None else [*found, ("target", WIDTH, high(target))]


def _names(ends: Sequence[End], ink: Theme) -> list[Any]:
    """Return the layers that name ends of lines, one name below the other, led to by a line."""
    import altair as alt

    places = apart([y for _name, _x, y in ends], LINE, HIGH)
    rows = [
        {"name": name, "x": x, "y": y, "to": WIDTH + BESIDE - 4, "at": place}
        for (name, x, y), place in zip(ends, places, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    pixels: dict[str, Any] = {
        name: alt.value(alt.ExprRef(f"datum.{name}")) for name in ("x", "y", "to", "at")
    }
    lead = base.mark_rule(color=ink.zero, strokeWidth=0.75).encode(
        x=pixels["x"], y=pixels["y"], x2=pixels["to"], y2=pixels["at"]
    )
    text = base.mark_text(
        color=ink.ink, align="left", baseline="middle", fontSize=12, limit=LONGEST
    )
    return [lead, text.encode(x=alt.value(WIDTH + BESIDE), y=pixels["at"], text="name:N")]


def apart(wanted: Sequence[float], least: float, room: float) -> list[float]:
    """Return places in the order of the wanted ones, `least` apart, and none beyond `room`."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    found, low, high = list(wanted), -float("inf"), room
    for i in order:
        low = found[i] = max(found[i], low + least)
    for i in reversed(order):
        found[i] = min(found[i], high)
        high = found[i] - least
    return found
