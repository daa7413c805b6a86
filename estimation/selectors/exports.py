"""The numbers of a campaign for its export, row by row: plain values, the oldest first."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Model

from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.exports import CHUNK, Moment
from estimation.models import (
    Agreement,
    Comparison,
    Decision,
    DecisionEvidence,
    Estimate,
    MetricScore,
)
from estimation.packing import runs, unpacked
from estimation.selectors import agreement, comparisons, history

METHOD = (
    "criterion",
    "at",
    "version",
    "provisional",
    "estimator",
    "interval",
    "estimand",
    "metrics",
    "level",
)
INTERVAL = ("low", "high", "width", "df", "std_error")
EVIDENCE = ("n_items", "n_population", "n_judgments", "n_annotators", "effective_annotators")
MEAN = ("mean_estimate", "mean_low", "mean_high")
WITH_EXCLUDED = ("estimate", "low", "high", "n_judgments")
NUMBERS = ("estimate", "low", "high")
OF_RANKING = ("outcome", "margin", "needs", "items_needed")
OF_DETAIL = ("metric_transform", *OF_RANKING)
ALPHA = (
    "criterion",
    "at",
    "distance",
    "level",
    "alpha",
    "low",
    "high",
    "n_outputs",
    "n_judgments",
    "n_annotators",
    "excluded",
)

Row = dict[str, Any]


def newest_estimate(campaign_id: int) -> int:
    """Return the highest id of the campaign's estimates; 0 if there is none."""
    rows = Estimate.objects.filter(campaign=campaign_id).order_by("-pk")
    return rows.values_list("pk", flat=True).first() or 0


def metrics(now: Moment) -> Iterator[Row]:
    """Yield the value of each metric for each output, once for each system that wrote it."""
    rows = MetricScore.objects.filter(campaign=now.campaign).order_by("output", "metric")
    chosen = rows.values_list(
        "output", "output__item__key", "output__item__group", "metric", "version", "value"
    )
    for output, item, group, metric, version, value in chosen.iterator(chunk_size=CHUNK):
        for system in now.authors(output):
            yield {
                "system": system.name,
                "item": item,
                "output": output,
                "group": group,
                "metric": metric,
                "version": version,
                "value": value,
            }


def estimates(now: Moment) -> Iterator[Row]:
    """Yield every estimate that is kept; `newest` marks the last of each kind."""
    newest = set(history.newest([now.campaign.pk]).values_list("pk", flat=True))
    rows = Estimate.objects.filter(campaign=now.campaign).order_by("pk")
    names = (
        "pk",
        "system__name",
        *METHOD,
        "estimate",
        *INTERVAL,
        *MEAN,
        *EVIDENCE,
        "n_unfinished",
        "detail",
    )
    for row in rows.values_list(*names).iterator(chunk_size=CHUNK):
        *values, detail = row
        found = _named(names, values)
        told = detail.get("with_excluded") or {}
        extra = {f"with_excluded_{name}": told.get(name) for name in WITH_EXCLUDED}
        extra |= {name: detail.get(name) for name in OF_DETAIL}
        yield {**found, "newest": found["id"] in newest, **extra, "notices": _notices(detail)}


def comparisons_(now: Moment) -> Iterator[Row]:
    """Yield every paired difference that is kept, `first` minus `second`."""
    newest = set(comparisons.newest(now.campaign.pk).values_list("pk", flat=True))
    rows = Comparison.objects.filter(campaign=now.campaign).order_by("pk")
    names = (
        "pk",
        "first__name",
        "second__name",
        *METHOD,
        "difference",
        *INTERVAL,
        *EVIDENCE,
        "detail",
    )
    for row in rows.values_list(*names).iterator(chunk_size=CHUNK):
        *values, detail = row
        found = _named(names, values)
        told = {name: detail.get(name) for name in OF_DETAIL}
        yield {**found, **told, "newest": found["id"] in newest, "notices": _notices(detail)}


def agreement_(now: Moment) -> Iterator[Row]:
    """Yield every computed agreement of each criterion."""
    newest = set(agreement.newest(now.campaign.pk).values_list("pk", flat=True))
    rows = Agreement.objects.filter(campaign=now.campaign).order_by("pk")
    for *row, detail in rows.values_list("pk", *ALPHA, "detail").iterator(chunk_size=CHUNK):
        found = _named(("pk", *ALPHA), row)
        others = {
            name: detail.get(name) for name in ("observed", "by_chance", "icc", "fleiss_kappa")
        }
        yield {**found, **others, "newest": found["id"] in newest}


def decisions(now: Moment) -> Iterator[Row]:
    """Yield the acts of stopping rules, with the ids of the rows that caused them."""
    estimates = _causes(Decision.estimates.through, "estimate", now)
    comparisons = _causes(Decision.comparisons.through, "comparison", now)
    names = ("pk", "at", "verb", "reason", "system__name", "text", "evidence")
    rows = Decision.objects.filter(campaign=now.campaign).order_by("pk")
    for row in rows.values_list(*names):
        found = _named(names, row)
        pk = found["id"]
        yield {**found, "estimates": estimates[pk], "comparisons": comparisons[pk]}


def evidence(now: Moment) -> Iterator[Row]:
    """Yield what the decisions rest on."""
    names = {one.system_id: one.name for one in counting.standings(now.campaign.pk)}
    rows = DecisionEvidence.objects.filter(campaign=now.campaign).order_by("pk")
    for one in rows.iterator(chunk_size=1):
        judgments = unpacked(one.judgments)
        yield {
            "evidence": one.pk,
            "at": one.at,
            "status": one.campaign_status,
            "stops": {names[int(system)]: stop for system, stop in one.stops.items()},
            "judgments": runs(judgments, now.judgment),
            "n_judgments": judgments.size,
            "protocol": one.protocol,
        }


def _causes(through: type[Model], name: str, now: Moment) -> dict[int, list[int]]:
    """The ids of the rows that caused each decision."""
    caused: dict[int, list[int]] = defaultdict(list)
    rows = through._default_manager.filter(decision__campaign=now.campaign)
    for decision, cause in rows.order_by(name).values_list("decision", name):
        caused[decision].append(cause)
    return caused


def _named(names: tuple[str, ...], values: Any) -> Row:
    """Return the values under their names in files and the API."""
    short = ("id" if name == "pk" else name.removesuffix("__name") for name in names)
    return dict(zip(short, values, strict=False))


def _notices(detail: Mapping[str, Any]) -> list[str]:
    return [notice["code"] for notice in detail.get("notices", ())]
