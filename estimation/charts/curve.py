"""The plot of a plan: the width of an interval against judgments, with the target."""

from collections.abc import Iterator
from typing import Any

from estimation.charts.theme import FONT, THEMES
from estimation.core.planning import WidthCurve

COLUMNS = ("judgments", "width", "low", "high")
WIDTH, HEIGHT = 440, 220
_TOP = 1.25  # times the width at a tenth of the way: the first ones would flatten the rest


def rows(curve: WidthCurve) -> Iterator[tuple[float, ...]]:
    """Yield judgments, the median width, and its 10 % and 90 % quantiles."""
    for point in zip(curve.judgments, curve.middle, curve.low, curve.high, strict=True):
        yield tuple(float(value) for value in point)


def spec(curve: WidthCurve, theme_name: str, *, target: float | None) -> dict[str, Any]:
    """Return the Vega-Lite specification."""
    import altair as alt

    theme = THEMES[theme_name]
    data = alt.InlineData(values=[dict(zip(COLUMNS, row, strict=True)) for row in rows(curve)])
    settled = curve.middle[curve.judgments >= 0.1 * curve.judgments[-1]]
    top = max(float(settled[0]) * _TOP, 1.2 * (target or 0.0))
    x = alt.X(
        "judgments:Q",
        title="judgments, all systems together",
        scale=alt.Scale(domain=[0, float(curve.judgments[-1])], nice=False),
        axis=alt.Axis(grid=False, tickCount=5, format=",d"),
    )

    def y(field: str) -> Any:
        return alt.Y(
            f"{field}:Q",
            title="width of the interval",
            scale=alt.Scale(domain=[0, top], nice=False),
            axis=alt.Axis(tickCount=5, gridColor=theme.line, domain=False, ticks=False),
        )

    base = alt.Chart(data).encode(x=x)
    layers = [
        base.mark_area(clip=True, color=theme.band, opacity=1).encode(
            y=y("low"), y2=alt.Y2("high")
        ),
        base.mark_line(clip=True, color=theme.ink, strokeWidth=1.5).encode(y=y("width")),
    ]
    if target is not None:
        at = alt.Chart(alt.InlineData(values=[{"width": target}])).encode(y=y("width"))
        layers += [
            at.mark_rule(color=theme.ink, strokeDash=[3, 3]),
            at.mark_text(
                color=theme.ink, align="right", dx=-4, dy=-7, text=f"target {target:g}", fontSize=12
            ).encode(x=alt.value(WIDTH)),
        ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, background="transparent")
    text = {"labelColor": theme.quiet, "titleColor": theme.quiet, "labelFontSize": 12}
    found: dict[str, Any] = (
        chart.configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**text, titleFontSize=12, titleFontWeight="normal")
        .to_dict()
    )
    return found
