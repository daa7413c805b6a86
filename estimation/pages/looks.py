"""A closer look at one system × criterion: what its texts scored, and what its metrics said.

The content that is stored, in plain values:

- n: judged texts. mean: of their means; None without any. scores: their distribution.
- line: the least-squares line from the metrics to the means; None without one.
- metrics: one for each metric of the campaign: name; r, low, high and level of the correlation of
  its values with the means, r None where there is none; cut: [metric, mean], the averages that part
  high from low; parts: the four quadrants; points: up to 1,000 of [position, metric, mean, n];
  values: the distribution of the metric.

A distribution has `edges` (k + 1) and `counts` (k). A part has `metric` and `people` ("high" or
"low"), how many texts (`n`), and the positions of a few clear examples.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.facts import SystemStanding
from annotate.campaigns.lists import CampaignFacts
from annotate.common.errors import NotFound
from annotate.instruments.base import Criterion
from annotate.review import items
from annotate.review.items import ItemText
from annotate.studies import queries as studies_queries
from estimation import read
from estimation.core import Predictor, TextScores, correlation
from estimation.models import CloserLook, MetricScore
from estimation.pages import numbers
from estimation.pages.criteria import Adjustment, ContrastTable, criterion_rows

MOST_POINTS = 1000
EXAMPLES = 5
BINS = 16

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = dict[str, Any]


def content(
    position: Ints,
    scores: TextScores,
    *,
    criterion: Criterion,
    metrics: Floats | None,
    names: Sequence[str],
    line: Predictor | None,
    level: float,
) -> Row:
    """Return the content for texts at these positions (N,), with metrics (N, p) or None."""
    known = np.flatnonzero(scores.n > 0)
    mean = scores.mean[known]
    ends = (criterion.low, criterion.high) if criterion.bounded else None
    columns = () if metrics is None else zip(names, metrics.T, strict=True)
    return {
        "n": int(known.size),
        "mean": float(mean.mean()) if known.size else None,
        "scores": _distribution(mean, ends),
        "line": line
        and {
            "intercept": line.intercept,
            "slopes": dict(zip(names, line.slopes.tolist(), strict=True)),
        },
        "metrics": [
            {"name": name, **_beside(position[known], value[known], mean, scores.n[known], level)}
            for name, value in columns
        ],
    }


def _distribution(values: Floats, ends: tuple[float, float] | None = None) -> Row:
    """Return how many values lie in each part of the scale, or of their own range."""
    if not values.size:
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(values, bins=BINS, range=ends)
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _beside(position: Ints, value: Floats, mean: Floats, n: Ints, level: float) -> Row:
    """Return one metric beside the means of the judged texts, all (n,)."""
    known = np.isfinite(value)
    position, value, mean, n = position[known], value[known], mean[known], n[known]
    found = correlation(value, mean, level=level)
    return {
        "r": found and found.r,
        "low": found and found.low,
        "high": found and found.high,
        "level": level,
        "n": int(value.size),
        "cut": [float(value.mean()), float(mean.mean())] if value.size else None,
        "parts": list(_parts(position, value, mean)),
        "points": _points(position, value, mean, n),
        "values": _distribution(value),
    }


def _points(position: Ints, value: Floats, mean: Floats, n: Ints) -> list[list[float]]:
    """Return evenly spaced texts in the order of collecting, which is random."""
    order = np.argsort(position, kind="stable")
    if order.size > MOST_POINTS:
        order = order[np.linspace(0, order.size - 1, MOST_POINTS).astype(int)]
    columns = (position[order].tolist(), value[order], mean[order], n[order].tolist())
    return [[at, float(g), float(y), many] for at, g, y, many in zip(*columns, strict=True)]


def _parts(position: Ints, value: Floats, mean: Floats) -> Iterator[Row]:
    """Yield the quadrants about the averages, each with its clearest examples.

    A text is clear where the nearer of its two distances is large, in standard deviations.
    """
    if not value.size:
        return
    across, up = _standard(value), _standard(mean)
    clear = np.minimum(np.abs(across), np.abs(up))
    for metric in ("high", "low"):
        for people in ("high", "low"):
            here = ((across >= 0) == (metric == "high")) & ((up >= 0) == (people == "high"))
            mine = np.flatnonzero(here)
            first = mine[np.argsort(-clear[mine], kind="stable")][:EXAMPLES]
            examples = position[first].tolist()
            yield {"metric": metric, "people": people, "n": int(mine.size), "examples": examples}


def _standard(values: Floats) -> Floats:
    spread = float(values.std())
    return np.asarray((values - values.mean()) / (spread or 1.0))


# The rows behind the dashboard's pictures of many systems: estimates, and differences of pairs.


ESTIMATES = (
    *("system", "place", "estimate", "low", "high", "width", "target"),
    *("items", "judgments", "people"),
)
HISTORY = ("system", "judgments", "width")
DIFFERENCES = ("first", "second", "difference", "low", "high", "items", "told_apart", "adjustment")


def estimates(
    facts: CampaignFacts, criterion: str, adjustment: Adjustment
) -> list[tuple[object, ...]]:
    """Return one row as `ESTIMATES` for each system with an estimate, the best first."""
    newest = list(read.newest([facts.campaign_id], facts.criterion_names))
    ranked = numbers.rankings(facts, tables := numbers.tables(facts, adjustment), newest)
    known = criterion_rows(facts, newest, price=Decimal(0), places=ranked.places, compared=tables)
    return [
        (
            *(cell.system.name, cell.rank, cell.estimate, cell.low, cell.high, cell.width_shown),
            *(cell.target, cell.row.n_items, cell.row.n_judgments, cell.row.n_annotators),
        )
        for row in known
        if row.criterion.name == criterion
        for cell in row.ranked
        if cell.row
    ]


def widths(facts: CampaignFacts, criterion: str) -> list[tuple[object, ...]]:
    names = {system.system_id: system.name for system in facts.systems}
    found = [
        (names[one.system_id], one.n_judgments, one.high - one.low)
        for one in read.points(facts.campaign_id, criterion)
        if one.low is not None and one.high is not None and one.system_id in names
    ]
    return sorted(found, key=lambda row: (row[0], row[1]))


def differences(
    facts: CampaignFacts, criterion: str, adjustment: Adjustment
) -> tuple[ContrastTable | None, list[tuple[object, ...]]]:
    """Return the table of a criterion, and one row as `DIFFERENCES` for each of its pairs."""
    tables = numbers.tables(facts, adjustment)
    table = next((one for one in tables if one.criterion.name == criterion), None)
    if table is None:
        return None, []
    return table, [
        (
            *(*one.pair, one.difference, *(one.ends or (None, None)), one.row.n_items),
            *(one.pair in table.told_apart, adjustment),
        )
        for one in table.shown
    ]


# The metrics of one item's texts, with people's judgments and the metrics' predictions.


Lines = dict[tuple[str, str], Mapping[str, Any]]  # by system and criterion


def of_item(campaign: Any, number: int) -> tuple[list[Row], datetime | None]:
    """Return an item's metrics in a constant number of queries; `NotFound` where there is none.

    One row for each system's text and criterion: system, criterion; mean of n counting answers;
    predicted, by the line from the campaign's metrics to the means of this system's texts;
    residual, and dots of both on the scale; values, of the text's metrics. Also when the lines of
    the prediction were made; None without any.
    """
    texts = items.item_texts(campaign.pk, number)
    facts = campaigns_lists.facts(campaign)
    shown = facts.primary or facts.criteria[:1]
    outputs = [one.output_id for one in texts]
    asked = studies_queries.instrument_of(campaign)
    means = items.means(outputs, [one.name for one in shown], asked=asked)
    looks = CloserLook.objects.filter(campaign=campaign.pk).order_by("pk")
    lines: Lines = {}
    at = None
    for system, name, line, made in looks.values_list(
        "system__name", "criterion", "content__line", "at"
    ):
        lines[system, name], at = line or {}, made
    stored: dict[int, dict[str, tuple[float, str]]] = {}
    scores = MetricScore.objects.filter(output__in=outputs).order_by("metric")
    for output, name, value, made_by in scores.values_list("output", "metric", "value", "version"):
        stored.setdefault(output, {})[name] = (value, made_by)
    found = []
    for text in texts:
        values = _values(text, stored.get(text.output_id, {}), campaign.metrics)
        by_name = {one["name"]: one["value"] for one in values}
        for system in text.systems:
            for one in shown:
                mean, n = means.get((text.output_id, one.name), (None, 0))
                predicted = _predicted(lines.get((system, one.name), {}), by_name)
                row: Row = {"system": system, "criterion": one.name, "values": values}
                row |= {"mean": mean, "n": n, "predicted": predicted}
                row |= {"dots": None, "residual": None}
                if mean is not None:
                    row["dots"] = items.beside(mean, predicted, low=one.low, high=one.high)
                    row["residual"] = None if predicted is None else mean - predicted
                found.append(row)
    return found, at


def _values(one: ItemText, stored: Mapping[str, tuple[float, str]], used: list[str]) -> list[Row]:
    """Return the text's metrics in the order of their names, and whether estimates use them."""
    known = {name: (value, "uploaded") for name, value in one.given.items()}
    for name, (value, version) in stored.items():
        known[name] = value, "uploaded" if version == "given" else "computed"
    return [
        {"name": name, "value": value, "source": source, "used": name in used}
        for name, (value, source) in sorted(known.items())
    ]


def _predicted(line: Mapping[str, Any], values: Mapping[str, float]) -> float | None:
    """Return what a stored line predicts; None without one or where a metric is not known."""
    slopes: dict[str, float] | None = line.get("slopes")
    if slopes is None or not values.keys() >= slopes.keys():
        return None
    return float(line["intercept"] + sum(slope * values[name] for name, slope in slopes.items()))


Kind = TypeVar("Kind")

QUADRANTS = {
    ("high", "high"): "Both high",
    ("high", "low"): "Metric high, people low",
    ("low", "high"): "Metric low, people high",
    ("low", "low"): "Both low",
}


@dataclass(frozen=True)
class SystemLook:
    """What is chosen, what can be, and what was found; `content` as in `estimation.pages.looks`.

    at: when it was made, from how many judgments; None if it was not made yet.
    """

    facts: CampaignFacts
    criteria: tuple[str, ...]
    system: SystemStanding
    criterion: str
    metric: str
    content: Mapping[str, Any]
    at: datetime | None = None
    judgments: int = 0

    @property
    def metrics(self) -> list[str]:
        return [one["name"] for one in self.content.get("metrics", ())]

    @property
    def beside(self) -> Mapping[str, Any] | None:
        """The chosen metric's part of the content; None without one."""
        return next((m for m in self.content.get("metrics", ()) if m["name"] == self.metric), None)

    @property
    def drawn(self) -> int:
        return len(self.beside["points"]) if self.beside else 0

    @property
    def quadrants(self) -> list[tuple[str, int, float, list[Any]]]:
        """Return (title, texts, their share, a few clear examples) of the four."""
        if not self.beside or not self.beside["n"]:
            return []
        parts = self.beside["parts"]
        places = [place for part in parts for place in part["examples"]]
        names = items.item_names(self.facts.campaign_id, places)
        return [
            (
                QUADRANTS[part["metric"], part["people"]],
                part["n"],
                part["n"] / self.beside["n"],
                [(names[at], items.beginning(names[at])) for at in part["examples"] if at in names],
            )
            for part in parts
        ]

    @property
    def query(self) -> dict[str, str]:
        asked = {"criterion": self.criterion, "metric": self.metric}
        return {"system": str(self.system.system_id)} | {k: v for k, v in asked.items() if v}


def look(campaign: Any, query: Mapping[str, str]) -> SystemLook:
    """Return what is asked for in an address; the first system, criterion or metric otherwise."""
    facts = campaigns_lists.facts(campaign)
    criteria = tuple(one.name for one in facts.primary or facts.criteria[:1])
    system = _chosen(query.get("system"), {str(s.system_id): s for s in facts.systems})
    criterion = _chosen(query.get("criterion"), {name: name for name in criteria})
    made = CloserLook.objects.filter(campaign=campaign.pk, system=system.system_id)
    found = made.filter(criterion=criterion).order_by("-pk").first()
    if found is None:
        return SystemLook(facts, criteria, system, criterion, "", {})
    names = {one["name"]: one["name"] for one in found.content["metrics"]}
    metric = _chosen(query.get("metric"), names) if names else ""
    return SystemLook(
        facts, criteria, system, criterion, metric, found.content, found.at, found.judgments
    )


def _chosen(asked: str | None, known: Mapping[str, Kind]) -> Kind:
    if not known:
        raise NotFound("This campaign has no systems.")
    return known.get(asked or "", next(iter(known.values())))


def point_rows(found: SystemLook) -> Iterator[tuple[Any, ...]]:
    """Yield the drawn texts: the item's number and name, the metric, the mean, how many answers."""
    points = found.beside["points"] if found.beside else []
    names = items.item_names(found.facts.campaign_id, [int(place) for place, *_ in points])
    for place, value, mean, n in points:
        name = names.get(int(place))
        yield int(place) + 1, name.key if name else "", value, mean, int(n)


def bins(distribution: Mapping[str, Any] | None) -> Iterator[tuple[float, float, int]]:
    if distribution:
        edges = distribution["edges"]
        yield from zip(edges[:-1], edges[1:], distribution["counts"], strict=True)
