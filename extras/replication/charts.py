"""Equivalents of the paper's figures 2, 3, 5 and 6, as SVG on a light page."""

from typing import Any

import numpy as np

from estimation.core import Floats
from estimation.pages.charts import FONT, THEMES
from extras.replication.reproducing import (
    HUMAN,
    NOISELESS,
    PERFECT,
    SIZES,
    Curve,
    MetricLink,
    label,
    number,
)

INK = THEMES["light"]
PAGE = "#ffffff"
BINS = 40
SAVED = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)  # contours of the inverse data efficiency
MOST_GAMMA = 4.5
# By role, dark enough on white; lines also differ by dash.
LINES = [INK.ink, "#2f6fb7", "#b3541e", "#5b7f2b", "#7a5195"]
DASHES = [[1, 0], [6, 2], [1, 0], [2, 2], [8, 2, 2, 2]]


def figure_2(human: Floats, corrected: Floats, *, title: str) -> str:
    """Draw item means, and the same minus the metric's part: same mean, less variance."""
    import altair as alt

    names = ("human score f", "less the metric's share, f − αg")
    edges = np.histogram_bin_edges(np.r_[human, corrected], BINS)
    rows = [
        {"of": name, "low": low, "high": high, "count": int(count)}
        for name, values in zip(names, (human, corrected), strict=True)
        for low, high, count in zip(edges, edges[1:], np.histogram(values, edges)[0], strict=False)
    ]
    marks = [
        {"of": name, "mean": float(v.mean()), "says": f"variance {v.var(ddof=1):.3f}"}
        for name, v in zip(names, (human, corrected), strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows + marks)).encode(color=_lines(alt, list(names)))
    x = alt.X("low:Q", title=title, bin="binned")
    bars = (
        base.transform_filter("isValid(datum.low)")
        .mark_bar(opacity=0.8)
        .encode(x=x, x2="high:Q", y=alt.Y("count:Q", title="outputs", stack=None))
    )
    marked = base.transform_filter("isValid(datum.says)")
    rule = marked.mark_rule(color=INK.ink, strokeDash=[4, 3]).encode(x="mean:Q")
    says = marked.mark_text(align="right", dx=-4, color=INK.ink, fontSize=12).encode(
        x=alt.value(500), y=alt.value(12), text="says:N", color=alt.value(INK.ink)
    )
    layers = alt.layer(bars, rule, says).properties(width=500, height=90)
    return _svg(layers.facet(row=alt.Row("of:N", sort=list(names), title=None, header=_above(alt))))


def figure_3(links: list[MetricLink]) -> str:
    """Draw contours of the inverse data efficiency over |rho| and gamma, with the data's points."""
    import altair as alt

    lines = [
        {"saved": f"{share:.1f}", "rho": float(np.sqrt((1 - share) * (1 + g))), "gamma": float(g)}
        for share in SAVED
        for g in np.linspace(0, min(MOST_GAMMA, 1 / (1 - share) - 1), 60)
    ]
    points: list[dict[str, Any]] = [
        {"rho": abs(each.rho), "gamma": each.gamma, "metric": label(each.metric)}
        for each in links
        if each.rho is not None and each.gamma is not None and each.gamma <= MOST_GAMMA
    ]
    x = alt.X("rho:Q", title="|ρ|", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("gamma:Q", title="γ", scale=alt.Scale(domain=[0, MOST_GAMMA], nice=False))
    base = alt.Chart(alt.InlineData(values=lines)).encode(x=x, y=y)
    contour = base.mark_line(color=INK.zero, strokeWidth=1).encode(detail="saved:N")
    ends = list({row["saved"]: row for row in lines}.values())
    names = alt.Chart(alt.InlineData(values=ends)).mark_text(
        color=INK.quiet, fontSize=12, align="left", dx=5, dy=-3
    )
    shown = list(dict.fromkeys(row["metric"] for row in points))
    dots = alt.Chart(alt.InlineData(values=points)).mark_point(filled=True, size=60, opacity=0.9)
    shape = alt.Shape("metric:N", sort=shown, legend=_legend(alt), scale=alt.Scale(domain=shown))
    chart = alt.layer(
        contour,
        names.encode(x=x, y=y, text="saved:N"),
        dots.encode(x=x, y=y, shape=shape, color=_lines(alt, shown, start=1)),
    )
    return _svg(chart.properties(width=500, height=340))


def figure_5(links: list[MetricLink]) -> str:
    """Draw correlations of metrics with item means, a square for each system and metric."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"system": each.system, "metric": label(each.metric), "r": each.r, "says": number(each.r)}
        for each in links
    ]
    metrics, systems = (
        list(dict.fromkeys(row[key] for row in rows)) for key in ("metric", "system")
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("system:N", sort=systems, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("metric:N", sort=metrics, title=None),
    )
    # The numbers are dark on every square: both ends of the range are light.
    colour = alt.Color(
        "r:Q",
        legend=None,
        scale=alt.Scale(domain=[-1, 0, 1], range=["#e39a5f", "#ffffff", "#6fa3dc"]),
    )
    squares = base.mark_rect(stroke=INK.line).encode(color=colour)
    says = base.mark_text(color=INK.ink, fontSize=12).encode(text="says:N")
    return _svg(
        alt.layer(squares, says).properties(width=110 * len(systems), height=24 * len(metrics))
    )


def figure_6(panels: list[tuple[str, tuple[Curve, ...]]]) -> str:
    """Draw the width of the 80 % bootstrap interval against the number of judgments."""
    import altair as alt

    curves = panels[0][1]
    metrics = [c.label for c in curves if c.label not in (HUMAN, NOISELESS, PERFECT)]
    order = [HUMAN, *(label(name) for name in metrics), NOISELESS, PERFECT]
    charts = []
    for title, found in panels:
        rows = [
            {"n": n, "width": width, "of": label(curve.label)}
            for curve in found
            for n, width in zip(SIZES, curve.widths, strict=True)
        ]
        chart = alt.Chart(alt.InlineData(values=rows), title=title).mark_line(strokeWidth=2)
        charts.append(
            chart.encode(
                x=alt.X("n:Q", title="judgments", scale=alt.Scale(domain=[0, SIZES[-1]])),
                y=alt.Y("width:Q", title="width of the interval", scale=alt.Scale(domainMin=0)),
                color=_lines(alt, order),
                strokeDash=alt.StrokeDash(
                    "of:N",
                    sort=order,
                    legend=_legend(alt),
                    scale=alt.Scale(domain=order, range=DASHES[: len(order)]),
                ),
            ).properties(width=240, height=220)
        )
    return _svg(alt.hconcat(*charts))


def _lines(alt: Any, names: list[str], *, start: int = 0) -> Any:
    colours = LINES[start : start + len(names)]
    field = "metric:N" if start else "of:N"
    return alt.Color(
        field, sort=names, legend=_legend(alt), scale=alt.Scale(domain=names, range=colours)
    )


def _legend(alt: Any) -> Any:
    return alt.Legend(title=None, orient="bottom", labelLimit=300)


def _above(alt: Any) -> Any:
    return alt.Header(labels=False)


def _svg(chart: Any) -> str:
    import vl_convert

    spec = (
        chart.properties(background=PAGE, padding=10)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK.quiet,
            titleColor=INK.quiet,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor=INK.line,
            domain=False,
            ticks=False,
        )
        .configure_legend(labelColor=INK.quiet, labelFontSize=12)
        .configure_title(color=INK.ink, fontSize=13, fontWeight="normal", anchor="start")
    )
    drawn: str = vl_convert.vegalite_to_svg(spec.to_dict())
    return drawn + "\n"
