"""A refresh that reads only what is new since the last one.

It makes no decision: where the stopping rule would act, all facts are read and estimated again.
"""

from collections.abc import Callable
from dataclasses import replace

from django.db import transaction

from annotate.selectors import scoring as scored
from annotate.selectors.campaigns.counting import Brief, Scores, SystemOutputs
from annotate.services import change_marks
from annotate.services.review import reviews
from annotate.services.work import scoring
from estimation.services import history, rankings, stopping
from estimation.services.findings import Contrast, Finding, contrasts, findings, unfinished_of
from estimation.services.memory import Memory, Remembered

Progress = Callable[[], object]


class Superseded(Exception):
    """Another worker has written a result from facts at least as new."""


class FactsNeeded(Exception):
    """All facts are to be read: the stopping rule would act, or something was overlooked."""


def score_new(campaign_id: int, remembered: Memory, *, progress: Progress) -> int:
    """Score the judgments since the last look of this process; return the id before them."""
    newest, after = scored.newest_judgment(), remembered.scored.after
    scoring.ensure(campaign_id, after=after, progress=progress)
    remembered.scored.looked(newest)
    return after


def is_followed(campaign_id: int, scores: Scores, *, after: int) -> bool:
    """Return whether only what came just now lacks scores, besides what waits for them.

    after: the id after which judgments were scored before these were read. Others are outdated, or
        a slow transaction hid them from earlier looks.
    """
    waiting = scored.waiting(campaign_id) if scores.waiting else 0
    return scores.waiting <= waiting and not (scores.unscored <= after).any()


def estimate(
    brief: Brief, changes: dict[int, str], remembered: Memory, *, progress: Progress
) -> None:
    """Estimate the systems with new judgments, and store that.

    Raises FactsNeeded where it stored nothing, and Superseded.
    """
    facts = remembered.facts
    assert facts is not None
    if remembered.moved():
        raise FactsNeeded
    after = score_new(brief.campaign_id, remembered, progress=progress)
    reviews.screen_new_work(brief.campaign_id)
    progress()
    systems = remembered.follow()
    scores = facts.seen.scores
    if not is_followed(brief.campaign_id, scores, after=after):
        raise FactsNeeded
    new = findings(brief, systems, facts.seen)
    for system in systems:
        facts.findings[system.system_id] = [one for one in new if one.system is system]
    compared = _compared(brief, facts, systems) if brief.is_ranking else []
    with transaction.atomic():
        if not change_marks.clear(changes):
            raise Superseded
        if not scores.waiting and stopping.decide(brief, _all(facts), compared):
            raise FactsNeeded
        history.store_estimates(brief, new, final=False)
        history.store_comparisons(brief, compared, final=False)
        change_marks.put_off(brief.campaign_id)


def _compared(brief: Brief, facts: Remembered, new: list[SystemOutputs]) -> list[Contrast]:
    """All pairs, of which those with new judgments are compared again."""
    ids, systems = {system.system_id for system in new}, facts.seen.systems
    others = [one for one in facts.compared if not one.system_ids & ids]
    order = {system.system_id: place for place, system in enumerate(systems)}
    facts.compared = sorted(
        [*others, *contrasts(brief, systems, facts.seen, of=ids)],
        key=lambda one: (order[one.first.system_id], order[one.second.system_id]),
    )
    return rankings.judged(brief, systems, facts.compared)


def _all(facts: Remembered) -> list[Finding]:
    """The findings of all systems; what is unfinished changes without judgments, too."""
    return [
        finding if system.stop_position is None else replace(finding, unfinished=left)
        for system in facts.seen.systems
        for left in [unfinished_of(system)]
        for finding in facts.findings.get(system.system_id, [])
    ]
