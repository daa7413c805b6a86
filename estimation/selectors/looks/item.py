"""The metrics of one item's texts, with people's judgments and the metrics' predictions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.selectors.campaigns import listing
from annotate.selectors.review.items import dots, figures, named
from annotate.selectors.review.items.dots import AnswerDots
from annotate.selectors.review.items.named import ItemText
from annotate.selectors.studies import instruments
from estimation.models import CloserLook, MetricScore

Lines = dict[tuple[str, str], Mapping[str, object]]
UPLOADED, COMPUTED = "uploaded", "computed"


@dataclass(frozen=True)
class MetricValue:
    """`source`: "uploaded" or "computed"; `used`: whether estimates use it."""

    name: str
    value: float
    source: str
    used: bool


@dataclass(frozen=True)
class MetricsBeside:
    """One system's text on one criterion. mean: of n counting answers; None without any.

    predicted: by the line from the campaign's metrics to the means of this system's texts.
    scale: (low, high) of the criterion.
    """

    system: str
    criterion: str
    mean: float | None
    n: int
    predicted: float | None
    scale: tuple[float, float]

    @property
    def dots(self) -> AnswerDots | None:
        """Return the mean and the prediction on the scale."""
        if self.mean is None:
            return None
        low, high = self.scale
        return dots.beside(self.mean, self.predicted, low=low, high=high)

    @property
    def residual(self) -> float | None:
        if self.mean is None or self.predicted is None:
            return None
        return self.mean - self.predicted


@dataclass(frozen=True)
class TextMetrics:
    """One text: its systems, its metrics, and the figures of each system × criterion."""

    systems: tuple[str, ...]
    values: tuple[MetricValue, ...]
    rows: tuple[MetricsBeside, ...]


@dataclass(frozen=True)
class ItemMetrics:
    """at: when the lines of the prediction were made; None without any."""

    number: int
    texts: tuple[TextMetrics, ...]
    at: datetime | None


def of_item(campaign: Any, number: int) -> ItemMetrics:
    """Return an item's metrics in a constant number of queries; `NotFound` where there is none."""
    texts = named.item_texts(campaign.pk, number)
    facts = listing.facts(campaign)
    shown = facts.primary or facts.criteria[:1]
    criteria = [one.name for one in shown]
    scales = {one.name: (one.low, one.high) for one in shown}
    outputs = [one.output_id for one in texts]
    version = instruments.of(campaign).scoring
    means = figures.means(outputs, criteria, version=version)
    looks = CloserLook.objects.filter(campaign=campaign.pk).order_by("pk")
    lines, at = {}, None
    for system, name, line, made in looks.values_list(
        "system__name", "criterion", "content__line", "at"
    ):
        lines[system, name], at = line or {}, made
    stored: dict[int, dict[str, tuple[float, str]]] = {}
    scores = MetricScore.objects.filter(output__in=outputs).order_by("metric")
    for output, name, value, made_by in scores.values_list("output", "metric", "value", "version"):
        stored.setdefault(output, {})[name] = (value, made_by)
    found = (
        _text(one, stored.get(one.output_id, {}), campaign.metrics, scales, means, lines)
        for one in texts
    )
    return ItemMetrics(number, tuple(found), at)


def _text(
    one: ItemText,
    stored: Mapping[str, tuple[float, str]],
    used: list[str],
    scales: Mapping[str, tuple[float, float]],
    means: Mapping[tuple[int, str], tuple[float, int]],
    lines: Lines,
) -> TextMetrics:
    known = {name: MetricValue(name, v, UPLOADED, name in used) for name, v in one.given.items()}
    for name, (value, version) in stored.items():
        source = UPLOADED if version == "given" else COMPUTED
        known[name] = MetricValue(name, value, source, name in used)
    values = {name: each.value for name, each in known.items()}
    rows = (
        MetricsBeside(
            system,
            criterion,
            mean,
            n,
            _predicted(lines.get((system, criterion), {}), values),
            scale,
        )
        for system in one.systems
        for criterion, scale in scales.items()
        for mean, n in [means.get((one.output_id, criterion), (None, 0))]
    )
    return TextMetrics(one.systems, tuple(known[name] for name in sorted(known)), tuple(rows))


def _predicted(line: Mapping[str, object], values: Mapping[str, float]) -> float | None:
    """Return what a stored line predicts; None without one or where a metric is not known."""
    slopes = line.get("slopes")
    if not isinstance(slopes, dict) or not values.keys() >= slopes.keys():
        return None
    intercept = line["intercept"]
    assert isinstance(intercept, float)
    return intercept + float(sum(slope * values[name] for name, slope in slopes.items()))
