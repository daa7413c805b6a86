"""From changed evidence to new estimates and to what a stopping rule makes of them."""

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotate.selectors import evidence, places
from annotate.selectors.evidence import Brief, SystemOutputs
from annotate.services import scoring, screening
from annotate.services.evidence import clear
from estimation import data
from estimation.core import Estimate, estimate
from estimation.services import agreement, comparing, history, metrics, stopping
from estimation.services.comparing import Contrast
from estimation.services.finding import Finding
from estimation.services.rule import rule_for

ATTEMPTS = 5
GRACE = timedelta(seconds=3)  # younger marks have a message under way

logger = logging.getLogger(__name__)


class Superseded(Exception):
    """Another worker has written a result from evidence at least as new."""


def refresh(campaign_id: int) -> bool:
    """Bring the campaign's estimates up to its evidence and act on them.

    Reads marks, then facts; one transaction then removes those marks, writes the estimates and
    does what the stopping rule decides, so that a worker that dies leaves all of it to be done
    again. Returns False where there was nothing to do.
    """
    for _attempt in range(ATTEMPTS):
        marks = evidence.marks(campaign_id)
        if not marks:
            return False
        try:
            _estimate(campaign_id, marks)
        except Superseded:
            continue
        return True
    # Others keep overtaking this worker; their marks and results are newer than ours.
    return False


def catch_up() -> int:
    """Estimate the campaigns whose marks have waited; return how many.

    One campaign's failure is logged and does not keep the others waiting; all failures are
    raised at the end, so that the task fails visibly.
    """
    due = evidence.marked_campaigns(before=timezone.now() - GRACE)
    failures: list[Exception] = []
    for campaign_id in due:
        try:
            refresh(campaign_id)
        except Exception as failure:
            logger.exception("estimating campaign %s failed", campaign_id)
            failures.append(failure)
    if failures:
        raise ExceptionGroup("some campaigns could not be estimated", failures)
    return len(due)


def findings(brief: Brief, seen: data.Seen) -> tuple[list[Finding], list[Contrast]]:
    """Estimate every system × criterion, and compare, from all the evidence that counts now."""
    systems = evidence.systems(brief.campaign_id)
    unfinished = {system.system_id: _unfinished(system) for system in systems}
    whole = _with_excluded(brief, systems, seen)
    found = [
        _finding(
            brief, cell, unfinished=unfinished[cell.system.system_id], whole=whole.get(_key(cell))
        )
        for cell in data.cells(brief, systems, seen)
    ]
    return found, comparing.contrasts(brief, systems, seen)


def _with_excluded(
    brief: Brief, systems: list[SystemOutputs], seen: data.Seen
) -> dict[tuple[int, str], Estimate]:
    """The estimates with nobody left out: so that no filter moves a result unseen."""
    if not evidence.excluded(brief.campaign_id):
        return {}
    every = data.cells(brief, systems, data.see_everybody(brief, seen))
    return {_key(cell): _estimated(brief, cell) for cell in every}


def _key(cell: data.Cell) -> tuple[int, str]:
    return cell.system.system_id, cell.criterion.name


def _estimated(brief: Brief, cell: data.Cell) -> Estimate:
    estimator = data.estimator_for(cell.sample)
    return estimate(cell.sample, estimator=estimator, estimand=brief.estimand)


def _estimate(campaign_id: int, marks: list[int]) -> None:
    brief = evidence.brief(campaign_id)
    metrics.ensure(brief)
    scoring.ensure(campaign_id)
    screening.screen(campaign_id)
    seen = data.see(brief)
    found, compared = findings(brief, seen)
    agreed = agreement.measure(brief, seen.scores)
    with transaction.atomic():
        if not clear(marks):
            raise Superseded
        decided = stopping.decide(brief, found)
        final = brief.is_final or stopping.ends(decided)
        rows = history.store_estimates(brief, found, final=final)
        history.store_comparisons(brief, compared, final=final)
        history.withdraw(brief, found, compared)
        agreement.store(agreed)
        stopping.carry_out(decided, rows)


def _unfinished(system: SystemOutputs) -> int:
    return 0 if system.stop_position is None else places.unfinished_items(system.system_id)


def _finding(brief: Brief, cell: data.Cell, *, unfinished: int, whole: Estimate | None) -> Finding:
    has_metric = cell.sample.metric is not None
    main = _estimated(brief, cell)
    rule = rule_for(brief, cell.criterion, n_population=cell.sample.n_population)
    return Finding(
        system=cell.system,
        criterion=cell.criterion,
        estimate=main,
        mean=estimate(cell.sample, estimator="mean", estimand=brief.estimand)
        if has_metric
        else main,
        rule=rule,
        verdict=rule.verdict(main),
        unfinished=unfinished,
        with_excluded=whole,
    )
