"""Pictures of many systems: their intervals on one scale, and their differences as a matrix."""

from collections.abc import Sequence
from typing import Any

from annotate.text.figures import number
from estimation.charts.theme import FONT, THEMES, Theme
from estimation.selectors.criteria.contrasts import GridRow

WIDTH, LINE, CELL = 440, 22, 44  # pixels; of a line of a system, of a cell of the matrix
HIGH, NAMED = 180, 6  # of the history; of more systems, the lines have no names
THEME = THEMES["light"]  # these pictures are for paper


def forest(rows: Sequence[Sequence[Any]], *, title: str) -> dict[str, Any]:
    """Return the specification of estimates with intervals; rows begin as `ESTIMATES` do."""
    import altair as alt

    values = [
        {"system": system, "estimate": estimate, "low": low, "high": high}
        for system, _place, estimate, low, high, *_rest in rows
    ]
    order = [one["system"] for one in values]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y("system:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    x: Any = {"title": title, "scale": alt.Scale(zero=False), "axis": alt.Axis(tickCount=5)}
    ends = base.mark_rule(color=THEME.ink, strokeWidth=2).encode(x=alt.X("low:Q", **x), x2="high:Q")
    middle = base.mark_circle(color=THEME.ink, size=60, opacity=1).encode(
        x=alt.X("estimate:Q", **x)
    )
    return _configured(alt.layer(ends, middle), width=WIDTH, height=LINE * len(values))


def narrowing(
    rows: Sequence[Sequence[Any]], *, title: str, target: float | None, theme: Theme | None = None
) -> dict[str, Any]:
    """Return the specification of widths over judgments, a line a system; rows as `HISTORY`.

    theme: of the page that shows it; None: it is for paper.
    """
    import altair as alt

    ink = theme or THEME
    values = [{"system": name, "n": n, "width": width} for name, n, width in rows]
    last = {one["system"]: one for one in values}
    x = alt.X("n:Q", title="judgments", axis=alt.Axis(tickCount=5, grid=False))
    y = alt.Y("width:Q", title=f"width, {title}", scale=alt.Scale(zero=True))
    base = alt.Chart(alt.InlineData(values=values)).encode(x=x, y=y)
    layers = [base.mark_line(color=ink.band_line, strokeWidth=1.5).encode(detail="system:N")]
    ends = alt.Chart(alt.InlineData(values=list(last.values()))).encode(x=x, y=y)
    layers.append(ends.mark_circle(color=ink.ink, size=36, opacity=1))
    if len(last) <= NAMED:
        name: dict[str, Any] = {"color": ink.ink, "align": "left", "dx": 7, "fontSize": 12}
        layers.append(ends.mark_text(**name).encode(text="system:N"))
    if target is not None:
        at = alt.Chart(alt.InlineData(values=[{"width": target}])).encode(y=y)
        layers.append(at.mark_rule(color=ink.ink, strokeDash=[4, 3]))
        said: dict[str, Any] = {"color": ink.quiet, "align": "left", "dx": 7, "fontSize": 12}
        layers.append(at.mark_text(**said).encode(x=alt.value(WIDTH), text=alt.value("target")))
    chart = alt.layer(*layers)
    return _configured(
        chart, width=WIDTH, height=HIGH, theme=ink, background="transparent" if theme else "white"
    )


def matrix(grid: Sequence[GridRow], *, title: str) -> dict[str, Any]:
    """Return the specification of a matrix of differences; what is told apart is dark and bold."""
    import altair as alt

    values = [
        {
            "row": f"{row.place} {row.system}",
            "column": str(column.place),
            "ahead": number(cell.ahead),
            "told": cell.told,
        }
        for row in grid
        for column, cell in zip(grid, row.cells, strict=True)
        if cell
    ]
    rows, columns = [f"{row.place} {row.system}" for row in grid], [str(r.place) for r in grid]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=columns,
            title=f"{title}: how far the row is ahead of the column",
            scale=alt.Scale(domain=columns),
            axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False),
        ),
        y=alt.Y(
            "row:N",
            sort=rows,
            title=None,
            scale=alt.Scale(domain=rows),
            axis=alt.Axis(ticks=False, domain=False),
        ),
    )
    fill = alt.condition("datum.told", alt.value(THEME.band), alt.value("#f4f4f0"))
    told = base.transform_filter("datum.told").mark_text(color=THEME.ink, fontWeight="bold")
    others = base.transform_filter("!datum.told").mark_text(color=THEME.quiet)
    layers = [base.mark_rect().encode(color=fill)]
    layers += [one.encode(text="ahead:N") for one in (told, others)]
    size = len(grid)
    return _configured(alt.layer(*layers), width=CELL * size, height=LINE * size)


def _configured(
    chart: Any, *, width: int, height: int, theme: Theme = THEME, background: str = "white"
) -> dict[str, Any]:
    text = {"labelColor": theme.ink, "titleColor": theme.quiet, "labelLimit": 320}
    found: dict[str, Any] = (
        chart.properties(width=width, height=height, background=background)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**text, gridColor=theme.line, titleFontWeight="normal", labelFontSize=12)
        .to_dict()
    )
    return found
