"""Pictures of many systems: their intervals on one scale, and their differences as a matrix."""

from collections.abc import Sequence
from typing import Any

from annotate.text.figures import number
from estimation.charts.theme import FONT, THEMES, Theme
from estimation.selectors.criteria.contrasts import GridRow

WIDTH, LINE, CELL = 440, 22, 44  # pixels; of a line of a system, of a cell of the matrix
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
    return configured(alt.layer(ends, middle), width=WIDTH, height=LINE * len(values))


def matrix(grid: Sequence[GridRow], *, title: str) -> dict[str, Any]:
    """Return the specification of a matrix of differences; distinguishable pairs are bold."""
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
    return configured(alt.layer(*layers), width=CELL * size, height=LINE * size)


def configured(
    chart: Any, *, width: int, height: int, theme: Theme = THEME, background: str = "white"
) -> dict[str, Any]:
    """Return the specification of a chart in the look of all pictures."""
    text = {"labelColor": theme.ink, "titleColor": theme.quiet, "labelLimit": 320}
    found: dict[str, Any] = (
        chart.properties(width=width, height=height, background=background)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**text, gridColor=theme.line, titleFontWeight="normal", labelFontSize=12)
        .to_dict()
    )
    return found
