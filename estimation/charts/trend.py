"""The plot of an interval over judgments, with control variates and for the plain mean."""

from collections.abc import Mapping
from typing import Any

from annotate.text import figures
from estimation.charts.scale import Frame
from estimation.charts.theme import FONT, Theme
from estimation.selectors.history import Point

WIDTH, HEIGHT = 248, 130
LABEL = 10  # the height of a line of text
PADDING = {"left": 40, "right": 64, "top": 8, "bottom": 28}


def spec(
    points: list[Point], frame: Frame, theme: Theme, *, target: float | None, with_metric: bool
) -> dict[str, Any]:
    """Return the Vega-Lite specification of one system's plot, drawn in the row's frame."""
    import altair as alt  # a second to import: only processes that draw pay for it

    data = alt.InlineData(values=[_record(p) for p in points])
    x = alt.X(
        "n:Q",
        scale=alt.Scale(domain=[0, frame.x_end], nice=False),
        axis=alt.Axis(
            values=list(frame.x_ticks),
            title=None,
            grid=False,
            domain=False,
            ticks=False,
            labelExpr=_labels(_judgments(frame)),
            labelFlush=False,
        ),
    )
    y_scale = alt.Scale(domain=[frame.low, frame.high], nice=False, zero=False)
    y_axis = alt.Axis(
        values=list(frame.y_ticks),
        title=None,
        domain=False,
        ticks=False,
        labelExpr=_labels({tick: figures.short(tick) for tick in frame.y_ticks}),
        gridColor=alt.condition("datum.value == 0", alt.value(theme.zero), alt.value(theme.line)),
    )

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    wide = _is_wide(points[-1], target)
    fill, stroke = (theme.wide, theme.wide_line) if wide else (theme.band, theme.band_line)
    base = alt.Chart(data).encode(x=x)
    layers = [
        base.mark_area(clip=True, color=fill, opacity=1, line=False).encode(
            y=y("low"), y2=alt.Y2("high")
        ),
        base.mark_line(clip=True, color=stroke, strokeWidth=1).encode(y=y("low")),
        base.mark_line(clip=True, color=stroke, strokeWidth=1).encode(y=y("high")),
    ]
    if with_metric:
        dashed: dict[str, Any] = {
            "clip": True,
            "color": theme.quiet,
            "strokeWidth": 1,
            "strokeDash": [2, 3],
        }
        layers += [
            base.mark_line(**dashed).encode(y=y("mean_low")),
            base.mark_line(**dashed).encode(y=y("mean_high")),
        ]
    if with_metric and len(points) > 1:  # of a single point there is no line to name
        layers.append(_label(alt, points, frame, theme, y))
    layers += [
        base.mark_line(clip=True, color=theme.ink, strokeWidth=1.5).encode(y=y("estimate")),
        *_end(alt, points[-1], frame, theme, y, target),
    ]
    spec: dict[str, Any] = _configured(alt, alt.layer(*layers), theme).to_dict()
    return spec


def _record(point: Point) -> dict[str, float | None]:
    return {
        "n": point.n_judgments,
        "estimate": point.estimate,
        "low": point.low,
        "high": point.high,
        "mean_low": point.mean_low,
        "mean_high": point.mean_high,
    }


def _label(alt: Any, points: list[Point], frame: Frame, theme: Theme, y: Any) -> Any:
    """“plain mean”, above its interval and the other's, in the second half of the plot."""
    later = [p for p in points if p.n_judgments >= 0.6 * points[-1].n_judgments]
    tops = [v for p in later for v in (p.mean_high, p.high) if v is not None]
    room = (LABEL / HEIGHT) * (frame.high - frame.low)
    top = min(max(tops), frame.high - room) if tops else None  # never outside the plot
    at = alt.Chart(alt.InlineData(values=[{"n": points[-1].n_judgments, "top": top}]))
    return at.mark_text(color=theme.quiet, align="right", dy=-8, fontSize=12).encode(
        x="n:Q", y=y("top"), text=alt.value("plain mean")
    )


def _is_wide(last: Point, target: float | None) -> bool:
    if target is None or last.low is None or last.high is None:
        return False
    return last.high - last.low > target


def _judgments(frame: Frame) -> dict[float, str]:
    """Each tick with its number, the last one with the unit."""
    *others, last = frame.x_ticks
    unit = {last: figures.many(int(last), "judgment")}
    return {tick: figures.count(int(tick)) for tick in others} | unit


def _labels(known: Mapping[float, str]) -> str:
    """A Vega expression that gives each of these values its label."""
    cases = (f"datum.value == {value!r} ? {label!r}" for value, label in known.items())
    return " : ".join([*cases, "''"])


def _end(
    alt: Any, last: Point, frame: Frame, theme: Theme, y: Any, target: float | None
) -> list[Any]:
    """The newest estimate with its interval and, outside the frame, the target as a bracket."""
    newest = {"n": last.n_judgments, "at": last.estimate, "from": last.low, "to": last.high}
    now = alt.Chart(alt.InlineData(values=[newest])).encode(x="n:Q")
    marks = [
        now.mark_rule(clip=True, color=theme.ink, strokeWidth=1).encode(
            y=y("from"), y2=alt.Y2("to")
        ),
        now.mark_circle(color=theme.ink, size=42, opacity=1).encode(y=y("at")),
    ]
    if target is None:
        return marks
    right = WIDTH + 12
    ends = {
        "a": max(last.estimate - target / 2, frame.low),
        "b": min(last.estimate + target / 2, frame.high),
        "at": last.estimate,
    }
    bracket = alt.Chart(alt.InlineData(values=[ends]))
    ink = {"color": theme.ink, "strokeWidth": 1.5}
    return [
        *marks,
        bracket.mark_rule(**ink).encode(x=alt.value(right), y=y("a"), y2=alt.Y2("b")),
        *(
            bracket.mark_tick(**ink, orient="horizontal", size=7, thickness=1.5).encode(
                x=alt.value(right), y=y(end)
            )
            for end in ("a", "b")
        ),
        bracket.mark_text(color=theme.quiet, align="left", dx=7, fontSize=12).encode(
            x=alt.value(right), y=y("at"), text=alt.value("target")
        ),
    ]


def _configured(alt: Any, chart: Any, theme: Theme) -> Any:
    """No frame, labels in the page's type and ink, and no background: the page's shows."""
    return (
        chart.properties(
            width=WIDTH,
            height=HEIGHT,
            background="transparent",
            padding=PADDING,
            autosize="none",  # all plots of a page have one size, whatever their labels
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(labelColor=theme.quiet, labelFontSize=12, labelPadding=6, gridWidth=1)
    )
