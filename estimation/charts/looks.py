"""Pictures of a closer look: a metric against what people said, and distributions."""

from collections.abc import Iterable, Sequence
from typing import Any

from estimation.charts.theme import FONT, THEMES, Theme

SCATTER = ("item", "name", "metric", "mean", "answers")
BARS = ("from", "to", "texts")
WIDTH, HEIGHT = 440, 300
BARS_HEIGHT = 120


def scatter(
    rows: Iterable[Sequence[Any]],
    theme_name: str,
    *,
    metric: str,
    criterion: str,
    cut: Sequence[float],
) -> dict[str, Any]:
    """Return the Vega-Lite specification; rows as SCATTER, cut: the averages of both."""
    import altair as alt

    theme = THEMES[theme_name]
    values = [{"x": metric_value, "y": mean} for _n, _name, metric_value, mean, _many in rows]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("x:Q", title=metric, scale=_scale(alt), axis=_axis(alt, theme)),
        y=alt.Y(
            "y:Q",
            title=f"mean answer, {criterion}",
            scale=_scale(alt),
            axis=_axis(alt, theme),
        ),
    )
    points = base.mark_circle(color=theme.ink, opacity=0.35, size=34)
    at = alt.Chart(alt.InlineData(values=[{"x": cut[0], "y": cut[1]}]))
    dashed: dict[str, Any] = {"color": theme.quiet, "strokeDash": [4, 3]}
    layers = [
        points,
        at.mark_rule(**dashed).encode(x="x:Q"),
        at.mark_rule(**dashed).encode(y="y:Q"),
    ]
    return _configured(alt.layer(*layers), theme, HEIGHT)


def bars(rows: Iterable[Sequence[Any]], theme_name: str, *, title: str) -> dict[str, Any]:
    """Return the specification of a distribution; rows as BARS."""
    import altair as alt

    theme = THEMES[theme_name]
    values = [dict(zip(BARS, row, strict=True)) for row in rows]
    chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(color=theme.band_line, binSpacing=1)
        .encode(
            x=alt.X("from:Q", bin="binned", title=title, axis=_axis(alt, theme)),
            x2=alt.X2("to"),
            y=alt.Y(
                "texts:Q",
                title="texts",
                axis=_axis(alt, theme, most=max((row["texts"] for row in values), default=0)),
            ),
        )
    )
    return _configured(alt.layer(chart), theme, BARS_HEIGHT)


def _scale(alt: Any) -> Any:
    return alt.Scale(zero=False, nice=False, padding=10)  # no point is cut at an edge


def _axis(alt: Any, theme: Theme, *, most: int | None = None) -> Any:
    """Return an axis; most: the largest of whole numbers, which have no ticks between them."""
    steps: dict[str, Any] = {} if most is None else {"format": ",d"}
    if most is not None and most < 5:
        steps["values"] = list(range(most + 1))
    line = {"gridColor": theme.line, "domainColor": theme.zero}
    return alt.Axis(tickCount=5, ticks=False, **line, **steps)


def _configured(chart: Any, theme: Theme, height: int) -> dict[str, Any]:
    text = {"labelColor": theme.quiet, "titleColor": theme.quiet, "labelFontSize": 12}
    found: dict[str, Any] = (
        chart.properties(width=WIDTH, height=height, background="transparent")
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**text, titleFontSize=12, titleFontWeight="normal")
        .to_dict()
    )
    return found
