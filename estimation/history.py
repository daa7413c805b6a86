"""Writes the history of estimates and comparisons: rows are only added here."""

from typing import Any, TypeVar

from annotate.campaigns.facts import CampaignDesign
from config.version import VERSION
from estimation import facts, read
from estimation.core import Difference, Interval
from estimation.core import Estimate as Estimated
from estimation.facts import Evidence
from estimation.findings import Contrast, Finding
from estimation.models import Comparison, DecisionEvidence, Estimate, Inference
from estimation.rule import PairDecision

Row = TypeVar("Row", bound=Inference)


def keep(design: CampaignDesign, seen: Evidence) -> DecisionEvidence:
    return DecisionEvidence.objects.create(
        campaign_id=design.campaign_id,
        campaign_status=design.status,
        judgments=facts.packed(seen.scores.judgment),
        stops={
            str(one.system_id): one.stop_position
            for one in seen.systems
            if one.stop_position is not None
        },
        protocol=design.protocol.digest,
    )


def withdraw(design: CampaignDesign, found: list[Finding], compared: list[Contrast]) -> None:
    """Add a row without judgments for each estimate that has lost all its judgments."""
    cells = {(one.system.system_id, one.criterion.name) for one in found}
    pairs = {(c.first.system_id, c.second.system_id, c.criterion.name) for c in compared}
    Estimate.objects.bulk_create(
        _emptied(row, estimate=None, mean_estimate=None, mean_low=None, mean_high=None)
        for row in read.newest([design.campaign_id], [one.name for one in design.criteria])
        if (row.system_id, row.criterion) not in cells
    )
    Comparison.objects.bulk_create(
        _emptied(row, difference=None)
        for row in read.newest_comparisons(
            [design.campaign_id], [one.name for one in design.primary]
        )
        if (row.first_id, row.second_id, row.criterion) not in pairs
    )


def _emptied(row: Row, **nothing: None) -> Row:
    """Return a new row with the method of `row`, without judgments and hence without numbers."""
    row.pk, row.detail, row.provisional = None, {}, True
    row.version = VERSION
    row.n_items = row.n_judgments = row.n_annotators = 0
    row.effective_annotators = 0.0
    for name in ("low", "high", "width", "df", "std_error", *nothing):
        setattr(row, name, None)
    return row


def estimate_row(design: CampaignDesign, finding: Finding, *, final: bool) -> Estimate:
    result, plain = finding.estimate, finding.mean_interval
    row = _row(Estimate, design, finding, result, final=final)
    row.system_id = finding.system.system_id
    row.estimate = result.estimate
    row.mean_estimate = finding.mean.estimate
    row.mean_low = plain.low if plain else None
    row.mean_high = plain.high if plain else None
    row.n_judgments = result.n_judgments
    row.n_unfinished = finding.unfinished
    row.detail |= _detail(finding)
    if finding.ranked is not None:
        row.detail |= _of_ranking(finding.ranked)
    return row


def comparison_row(design: CampaignDesign, contrast: Contrast, *, final: bool) -> Comparison:
    result = contrast.difference
    row = _row(Comparison, design, contrast, result, final=final)
    row.first_id = contrast.first.system_id
    row.second_id = contrast.second.system_id
    row.difference = result.estimate
    row.n_judgments = sum(result.n_judgments)
    if contrast.ranked is not None:
        row.detail |= _of_ranking(contrast.ranked)
    return row


def _of_ranking(ranked: PairDecision) -> dict[str, Any]:
    return {
        "outcome": ranked.outcome,
        "margin": ranked.margin,
        "pairs": ranked.pairs,
        "needs": ranked.needs,
        "items_needed": ranked.items,
    }


def _row(
    model: type[Row],
    design: CampaignDesign,
    found: Finding | Contrast,
    result: Estimated | Difference,
    *,
    final: bool,
) -> Row:
    """Fill the columns that every inference has, except its number of judgments.

    detail: with groups of items, how many were judged, of how many.
    """
    has_groups = result.n_units_population != result.n_population
    return model(
        campaign_id=design.campaign_id,
        criterion=found.criterion.name,
        version=VERSION,
        provisional=not final,
        interval=found.rule.name,
        metrics=list(design.metrics),
        level=design.level,
        detail={
            "notices": [{"code": one.code, "text": one.text} for one in result.notices],
            "metric_transform": design.protocol.metric_transform if design.metrics else None,
            **({"groups": [result.n_units, result.n_units_population]} if has_groups else {}),
        },
        **_ends(found.interval),
        estimator=result.method.estimator,
        estimand=result.method.estimand,
        df=result.df,
        std_error=result.std_error,
        n_items=result.n_items,
        n_population=result.n_population,
        n_annotators=result.n_annotators,
        effective_annotators=result.effective_annotators,
    )


def _ends(interval: Interval | None) -> dict[str, float | None]:
    if interval is None:
        return {"low": None, "high": None, "width": None}
    return {"low": interval.low, "high": interval.high, "width": interval.width}


def _detail(finding: Finding) -> dict[str, Any]:
    """Return the details; with_excluded: the same estimate including excluded work, if any."""
    result, verdict, whole = finding.estimate, finding.verdict, finding.with_excluded
    return {
        "parts": _shares(finding),
        "slope": result.slope,
        "correlation": result.correlation,
        "equal_annotator_mean": result.equal_annotator_mean,
        "work_weighted_mean": result.work_weighted_mean,
        "balance": result.method.balance if result.method.estimator == "balanced" else None,
        "person_share": result.method.person_share,
        "s3_factor": result.variance.s3_factor,
        "pulled": result.variance.pulled,
        "leniency_correlation": result.leniency_correlation,
        "at_target": finding.at_target,
        "verdict": verdict.reason if verdict else "",
        "answers": [list(one) for one in finding.answers],
        "with_excluded": whole
        and {
            "estimate": whole.estimate,
            **_ends(finding.rule.interval(whole)),
            "n_judgments": whole.n_judgments,
        },
    }


def _shares(finding: Finding) -> dict[str, float]:
    variance = finding.estimate.variance
    parts = {
        "item": variance.item or 0.0,
        "annotator": variance.annotator or 0.0,
        "rest": variance.rest,
    }
    total = sum(parts.values())
    return {name: part / total for name, part in parts.items()} if total > 0 else {}
