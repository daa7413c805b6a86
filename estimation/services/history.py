"""Writing the append-only history of estimates."""

from typing import Any

from annotate.selectors.evidence import Brief
from estimation.models import Estimate
from estimation.services.finding import Finding


def store(brief: Brief, found: list[Finding], *, final: bool) -> list[Estimate]:
    """Add one row per finding; return the rows in the same order."""
    return Estimate.objects.bulk_create(_row(brief, finding, final=final) for finding in found)


def _row(brief: Brief, finding: Finding, *, final: bool) -> Estimate:
    result, interval, plain = finding.estimate, finding.interval, finding.mean_interval
    return Estimate(
        campaign_id=brief.campaign_id,
        system_id=finding.system.system_id,
        criterion=finding.criterion.name,
        provisional=not final,
        estimator=result.method.estimator,
        interval=finding.rule.name,
        estimand=result.method.estimand,
        metrics=list(brief.metrics),
        level=brief.level,
        estimate=result.estimate,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        width=interval.width if interval else None,
        df=result.df,
        std_error=result.std_error,
        mean_estimate=finding.mean.estimate,
        mean_low=plain.low if plain else None,
        mean_high=plain.high if plain else None,
        n_items=result.n_items,
        n_population=result.n_population,
        n_judgments=result.n_judgments,
        n_annotators=result.n_annotators,
        effective_annotators=result.effective_annotators,
        n_unfinished=finding.unfinished,
        detail=_detail(finding),
    )


def _detail(finding: Finding) -> dict[str, Any]:
    result, verdict = finding.estimate, finding.verdict
    return {
        "notices": [{"code": notice.code, "text": notice.text} for notice in result.notices],
        "parts": _shares(finding),
        "slope": result.slope,
        "correlation": result.correlation,
        "equal_annotator_mean": result.equal_annotator_mean,
        "leniency_correlation": result.leniency_correlation,
        "at_target": finding.at_target,
        "verdict": verdict.reason if verdict else "",
    }


def _shares(finding: Finding) -> dict[str, float]:
    """The shares of the squared error that come from items, annotators and the rest."""
    variance = finding.estimate.variance
    parts = {
        "item": variance.item or 0.0,
        "annotator": variance.annotator or 0.0,
        "rest": variance.rest,
    }
    total = sum(parts.values())
    return {name: part / total for name, part in parts.items()} if total > 0 else {}
