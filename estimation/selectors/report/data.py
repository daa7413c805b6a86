"""The report as plain JSON values, for programs."""

from dataclasses import asdict
from typing import Any

from estimation.selectors.rankings import Ranking
from estimation.selectors.report.checklist import checklist
from estimation.selectors.report.facts import AdjustedContrast, CampaignReport
from estimation.selectors.report.methods import methods
from estimation.selectors.report.sentences import plain


def as_data(report: CampaignReport) -> dict[str, Any]:
    """Return everything on the page; unknown numbers are None."""
    board = report.board
    return {
        "campaign": report.campaign.public_id,
        "name": report.facts.name,
        "at": report.at,
        "is_interim": report.is_interim,
        "methods": [plain(one) for one in methods(report)],
        "estimates": _estimates(report),
        "differences": [_difference(one) for _table, pairs in report.pairs for one in pairs],
        "rankings": [_ranking(one) for one in board.ranking.each],
        "agreement": [
            {"criterion": one.criterion.name, "alpha": one.row.alpha}
            | {"low": one.row.low, "high": one.row.high, "n_outputs": one.row.n_outputs}
            for one in board.agreed
            if one.is_shown
        ],
        "excluded": board.sensitivity.summary,
        "pay": asdict(report.work.pay) | {"spent": board.progress.spent},
        "people": asdict(report.work.people),
        "times_at": report.work.at,
        "appeals": asdict(report.work.appeals),
        "protocol": report.protocol.as_data() if report.protocol else None,
        "protocol_sha256": report.digest,
        "amendments": [asdict(one) for one in report.amendments],
        "checklist": [asdict(one) for one in checklist(report)],
    }


def _estimates(report: CampaignReport) -> list[dict[str, Any]]:
    rows = (*report.board.primary_rows, *report.board.secondary_rows)
    return [
        {"system": cell.system.name, "criterion": row.criterion.name, "is_primary": row.is_primary}
        | {"estimate": cell.shown.estimate, "low": cell.low, "high": cell.high}
        | {"target": row.target, "n_judgments": cell.shown.n_judgments}
        for row in rows
        for cell in row.cells
        if cell.shown
    ]


def _ranking(one: Ranking) -> dict[str, Any]:
    return {
        "criterion": one.criterion.name,
        "margin": one.margin,
        "places": {placed.system: placed.place for placed in one.placed},
        "pairs": [
            {"first": pair.first, "second": pair.second, "outcome": pair.outcome}
            for pair in one.pairs
        ],
    }


def _difference(one: AdjustedContrast) -> dict[str, Any]:
    pair, ends = one.contrast, one.contrast.ends
    low, high = ends or (None, None)
    return {
        "first": pair.first,
        "second": pair.second,
        "criterion": pair.criterion.name,
        "difference": pair.row.difference,
        "low": low,
        "high": high,
        "p_holm": one.p,
    }
