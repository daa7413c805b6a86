"""The plots of pages and reports, for a light and a dark page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotate.common import numbers
from annotate.common.numbers import number
from annotate.instruments.base import Criterion
from estimation import read
from estimation.core.planning import WidthCurve
from estimation.models import Estimate
from estimation.pages.criteria import GridCell

FONT = (
    "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Liberation Sans, Arial, sans-serif"
)


@dataclass(frozen=True)
class Theme:
    ink: str
    quiet: str
    line: str
    zero: str
    band: str
    band_line: str
    wide: str
    wide_line: str


THEMES = {
    "light": Theme(
        ink="#1b1f23",
        quiet="#474e55",
        line="#dcdcd5",
        zero="#83888b",
        band="#e7eef9",
        band_line="#a3bde2",
        wide="#fcf0da",
        wide_line="#dcb36b",
    ),
    "dark": Theme(
        ink="#e8eaec",
        quiet="#bac1c7",
        line="#333a41",
        zero="#7e8891",
        band="#1e2e46",
        band_line="#4a6896",
        wide="#35270f",
        wide_line="#80632c",
    ),
}


# One scale for all plots of a row, so that their intervals can be compared by eye.


SETTLED = 0.15  # the first intervals are so wide that they would flatten all later ones
MARGIN = 0.05  # of the height, beyond what is drawn: lines at an end are not cut in half


@dataclass(frozen=True)
class Frame:
    """The plotted region: judgments from 0 to `x_end`, scores from `low` to `high`.

    Ticks lie within the criterion's scale, and those of judgments are whole numbers.
    """

    x_end: float
    x_ticks: tuple[float, ...]
    low: float
    high: float
    y_ticks: tuple[float, ...]


def axis_frame(points: list[Estimate], *, criterion: Criterion, target: float | None) -> Frame:
    """Return the frame that shows all systems of a criterion once they have settled."""
    x_end = float(max(point.n_judgments for point in points))
    settled = [p for p in points if p.n_judgments >= SETTLED * x_end]
    values = np.array([value for p in settled for value in _drawn(p, criterion, target)])
    low, high = float(values.min()), float(values.max())
    if low == high:  # no interval and no target to leave room for
        room = read.span(criterion) / 10
        low, high = max(low - room, criterion.low), max(high, min(high + room, criterion.high))
    y_ticks = tuple(ticks(low, high, 4))
    margin = MARGIN * (high - low)
    x_ticks = tuple(tick for tick in ticks(0, x_end, 2) if tick == int(tick))
    return Frame(x_end, x_ticks, low - margin, high + margin, y_ticks)


def _drawn(point: Estimate, criterion: Criterion, target: float | None) -> list[float]:
    """What a plot has room for: the intervals, and one as wide as the target, on the scale."""
    room, middle = (target or 0.0) / 2, point.estimate
    assert middle is not None  # points have judgments
    ends = (
        middle,
        middle - room,
        middle + room,
        point.low,
        point.high,
        point.mean_low,
        point.mean_high,
    )
    found = (read.cut(end, criterion, point.estimate) for end in ends)
    return [value for value in found if value is not None]


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return round numbers (1, 2, 5 × 10ⁿ apart) within low..high, `about` as many as asked."""
    raw = (high - low) / max(1, about) or 1.0
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.75)
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [round(float(k * step), 10) + 0.0 for k in np.arange(first, last + 1)]  # never −0


# Pictures of many systems: their intervals on one scale, and their differences as a matrix.


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


def matrix(grid: Sequence[tuple[str, Sequence[GridCell | None]]], *, title: str) -> dict[str, Any]:
    """Return the specification of a matrix of differences; distinguishable pairs are bold."""
    import altair as alt

    rows = [f"{place} {system}" for place, (system, _cells) in enumerate(grid, 1)]
    columns = [str(place) for place in range(1, len(grid) + 1)]
    values = [
        {"row": row, "column": column, "ahead": number(cell.ahead), "told": cell.told}
        for row, (_system, cells) in zip(rows, grid, strict=True)
        for column, cell in zip(columns, cells, strict=True)
        if cell
    ]
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
    """Return the specification of a chart in the look of pictures of many systems."""
    axis: dict[str, Any] = {"labelColor": theme.ink, "titleColor": theme.quiet, "labelLimit": 320}
    axis |= {"gridColor": theme.line, "titleFontWeight": "normal"}
    return _made(chart, axis, width=width, height=height, background=background)


def _beside_numbers(chart: Any, theme: Theme, height: int) -> dict[str, Any]:
    """Return the same in the look of plans and closer looks, on the page's background."""
    axis: dict[str, Any] = {"labelColor": theme.quiet, "titleColor": theme.quiet}
    axis |= {"titleFontSize": 12, "titleFontWeight": "normal"}
    return _made(chart, axis, width=WIDTH, height=height, background="transparent")


def _made(chart: Any, axis: dict[str, Any], **properties: Any) -> dict[str, Any]:
    found: dict[str, Any] = (
        chart.properties(**properties)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**axis, labelFontSize=12)
        .to_dict()
    )
    return found


def svg(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec)).encode()


# The plot of a plan: the width of an interval against judgments, with the target.


COLUMNS = ("judgments", "width", "low", "high")
HEIGHT = 220
_TOP = 1.25  # times the width at a tenth of the way: the first ones would flatten the rest


def curve_rows(curve: WidthCurve) -> Iterator[tuple[float, ...]]:
    """Yield judgments, the median width, and its 10 % and 90 % quantiles."""
    for point in zip(curve.judgments, curve.middle, curve.low, curve.high, strict=True):
        yield tuple(float(value) for value in point)


def spec(curve: WidthCurve, theme_name: str, *, target: float | None) -> dict[str, Any]:
    import altair as alt

    theme = THEMES[theme_name]
    data = alt.InlineData(
        values=[dict(zip(COLUMNS, row, strict=True)) for row in curve_rows(curve)]
    )
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
    return _beside_numbers(alt.layer(*layers), theme, HEIGHT)


# Pictures of a closer look: a metric against what people said, and distributions.


SCATTER = ("item", "name", "metric", "mean", "answers")
BARS = ("from", "to", "texts")
LOOKS_HEIGHT = 300
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
    return _beside_numbers(alt.layer(*layers), theme, LOOKS_HEIGHT)


def bars(rows: Iterable[Sequence[Any]], theme_name: str, *, title: str) -> dict[str, Any]:
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
    return _beside_numbers(alt.layer(chart), theme, BARS_HEIGHT)


def _scale(alt: Any) -> Any:
    return alt.Scale(zero=False, nice=False, padding=10)  # no point is cut at an edge


def _axis(alt: Any, theme: Theme, *, most: int | None = None) -> Any:
    steps: dict[str, Any] = {} if most is None else {"format": ",d"}
    if most is not None and most < 5:
        steps["values"] = list(range(most + 1))
    line = {"gridColor": theme.line, "domainColor": theme.zero}
    return alt.Axis(tickCount=5, ticks=False, **line, **steps)


# A picture of how intervals narrowed: a line a system, named at its end, and the target.


HIGH, NARROWING_LINE = 180, 15  # pixels; of the picture, of a name
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

    places = apart([y for _name, _x, y in ends], NARROWING_LINE, HIGH)
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


# The plot of an interval over judgments, with control variates and for the plain mean.


TREND_WIDTH, TREND_HEIGHT = 248, 130
LABEL = 10  # the height of a line of text
PADDING = {"left": 40, "right": 64, "top": 8, "bottom": 28}


def trend_chart(
    points: list[Estimate], frame: Frame, theme: Theme, *, target: float | None, with_metric: bool
) -> dict[str, Any]:
    """Return the Vega-Lite specification of one system's plot, drawn in the row's frame."""
    import altair as alt  # a second to import: only processes that draw pay for it

    names = ("estimate", "low", "high", "mean_low", "mean_high")
    values = [{"n": p.n_judgments} | {name: getattr(p, name) for name in names} for p in points]
    data = alt.InlineData(values=values)
    counts = {tick: numbers.count(int(tick)) for tick in frame.x_ticks}
    counts[frame.x_ticks[-1]] = numbers.many(int(frame.x_ticks[-1]), "judgment")
    x = alt.X(
        "n:Q",
        scale=alt.Scale(domain=[0, frame.x_end], nice=False),
        axis=alt.Axis(
            values=list(frame.x_ticks),
            title=None,
            grid=False,
            domain=False,
            ticks=False,
            labelExpr=_labels(counts),
            labelFlush=False,
        ),
    )
    y_scale = alt.Scale(domain=[frame.low, frame.high], nice=False, zero=False)
    y_axis = alt.Axis(
        values=list(frame.y_ticks),
        title=None,
        domain=False,
        ticks=False,
        labelExpr=_labels({tick: numbers.short(tick) for tick in frame.y_ticks}),
        gridColor=alt.condition("datum.value == 0", alt.value(theme.zero), alt.value(theme.line)),
    )

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    last, wide = points[-1], False
    if target is not None and last.low is not None and last.high is not None:
        wide = last.high - last.low > target
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
    axis = {"labelColor": theme.quiet, "labelPadding": 6, "gridWidth": 1}
    return _made(
        alt.layer(*layers),
        axis,
        width=TREND_WIDTH,
        height=TREND_HEIGHT,
        background="transparent",
        padding=PADDING,
        autosize="none",  # all plots of a page have one size, whatever their labels
    )


def _label(alt: Any, points: list[Estimate], frame: Frame, theme: Theme, y: Any) -> Any:
    later = [p for p in points if p.n_judgments >= 0.6 * points[-1].n_judgments]
    tops = [v for p in later for v in (p.mean_high, p.high) if v is not None]
    room = (LABEL / TREND_HEIGHT) * (frame.high - frame.low)
    top = min(max(tops), frame.high - room) if tops else None  # never outside the plot
    at = alt.Chart(alt.InlineData(values=[{"n": points[-1].n_judgments, "top": top}]))
    return at.mark_text(color=theme.quiet, align="right", dy=-8, fontSize=12).encode(
        x="n:Q", y=y("top"), text=alt.value("plain mean")
    )


def _labels(known: Mapping[float, str]) -> str:
    """A Vega expression that gives each of these values its label."""
    cases = (f"datum.value == {value!r} ? {label!r}" for value, label in known.items())
    return " : ".join([*cases, "''"])


def _end(
    alt: Any, last: Estimate, frame: Frame, theme: Theme, y: Any, target: float | None
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
    right = TREND_WIDTH + 12
    assert last.estimate is not None  # points have judgments
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
