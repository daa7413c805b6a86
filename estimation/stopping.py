"""The acts that follow from the estimates: stop a system, close, resume, finish.

`decide` returns them, `carry_out` performs them; both run in the transaction that writes the
estimates.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache

from annotate.campaigns import facts, life
from annotate.campaigns.facts import CampaignDesign, SystemStanding
from annotate.instruments.base import Criterion
from annotate.models.base import CampaignStatus, CloseReason
from estimation import facts as facts_module
from estimation import findings
from estimation.findings import Contrast, Finding
from estimation.models import Comparison, Decision, DecisionEvidence, Estimate
from estimation.rule import rule_for

Verb = Decision.Verb


@dataclass(frozen=True)
class StoppingAct:
    """A decision that is not stored yet, with the indices of its findings and contrasts.

    goes_on: the systems that collect again where a closing campaign resumes.
    """

    decision: Decision
    because: list[int]
    pairs: list[int]
    goes_on: tuple[int, ...] = ()


def decide(
    design: CampaignDesign, found: list[Finding], compared: list[Contrast], known: Collection[int]
) -> list[StoppingAct]:
    """Return the acts that follow from these findings; usually none.

    known: the change marks that were read before the facts.
    """
    systems = facts.standings(design.campaign_id)
    short = [
        one for one in systems if not findings.is_enough(design, one, systems, found, compared)
    ]
    words = findings.sentences_of(design)

    def act(
        verb: Decision.Verb,
        text: str,
        system: SystemStanding | None = None,
        *,
        reason: str = words.reason,
        goes_on: tuple[int, ...] = (),
    ) -> StoppingAct:
        """About a system, or about the whole campaign because of all that was found."""
        of = systems if system is None else [system]
        because = [index for one in of for index in findings.primary(design, one, found)]
        pairs = {index for one in of for index in findings.pairs_of(one, compared)}
        decision = Decision(
            campaign_id=design.campaign_id,
            system_id=None if system is None else system.system_id,
            verb=verb,
            reason=reason,
            text=text,
        )
        return StoppingAct(decision, because, sorted(pairs) if design.is_ranking else [], goes_on)

    if design.status == CampaignStatus.OPEN:
        acts = []
        for one in systems:
            if one.stop_position is None:
                if one not in short:
                    acts.append(act(Verb.STOP_SYSTEM, words.stop.format(name=one.name), one))
            elif one in short and not _unfinished(design, one, found):
                acts.append(act(Verb.RESUME_SYSTEM, words.resume.format(name=one.name), one))
        resumed = any(one.decision.verb == Verb.RESUME_SYSTEM for one in acts)
        reason: CloseReason | None = words.reason
        if resumed or any(one.stop_position is None for one in short):
            reason = life.limit_reached(design.campaign_id)
        if reason:
            text = f"Collection ends: {reason.label}. Items already begun are finished first."
            acts.append(act(Verb.CLOSE, text, reason=reason))
        return acts
    # A mark newer than ours means that these findings lack the last judgments of the drain.
    if (
        design.status != CampaignStatus.CLOSING
        or not life.drained(design.campaign_id)
        or set(facts.changes(design.campaign_id)).difference(known)
    ):
        return []
    if design.close_reason == words.reason and short:
        text = words.after_drain.format(names=", ".join(one.name for one in short))
        ids = tuple(one.system_id for one in short)
        return [act(Verb.RESUME, text, reason=words.drained_reason, goes_on=ids)]
    text = "Everything that was begun is finished; these estimates are final."
    return [act(Verb.FINISH, text, reason=design.close_reason)]


def _unfinished(design: CampaignDesign, system: SystemStanding, found: list[Finding]) -> int:
    known = [one.unfinished for one in found if one.system.system_id == system.system_id]
    return known[0] if known else findings.unfinished_of(design, system)


def ends(acts: list[StoppingAct]) -> bool:
    return any(act.decision.verb == Verb.FINISH for act in acts)


def carry_out(
    acts: list[StoppingAct],
    rows: list[Estimate],
    compared: list[Comparison],
    *,
    evidence: Callable[[], DecisionEvidence],
) -> None:
    """Perform each act through its service, and store it with the rows that caused it.

    An act that has become impossible meanwhile leaves no decision.
    evidence: stores what all of these acts rest on; called once, at the first decision.
    """
    kept = cache(evidence)
    for act in acts:
        if _do(act.decision, act.goes_on):
            act.decision.evidence = kept()
            act.decision.save(force_insert=True)
            act.decision.estimates.set([rows[index] for index in act.because])
            act.decision.comparisons.set([compared[index] for index in act.pairs])


def _do(act: Decision, goes_on: tuple[int, ...]) -> bool:
    match act.verb:
        case Verb.STOP_SYSTEM:
            assert act.system_id is not None
            return life.stop_system(act.system_id, reason=act.reason)
        case Verb.RESUME_SYSTEM:
            assert act.system_id is not None
            return life.resume_system(act.system_id, reason=act.reason)
        case Verb.CLOSE:
            return life.close(act.campaign_id, CloseReason(act.reason))
        case Verb.RESUME:
            return life.resume(act.campaign_id, list(goes_on), reason=act.reason)
        case Verb.FINISH:
            return life.finish(act.campaign_id, reason=act.reason)
    raise ValueError(f"there is no act {act.verb}")


# The effect of one annotator's exclusion on the estimates: its size, but not its systems.


Key = tuple[str, int]  # a criterion's name and a system's id


@dataclass(frozen=True)
class ExclusionEffect:
    """The effect on the estimates of one primary criterion, one estimate per system.

    It has the number of estimates that lose their last judgments, and the largest change of the
    others.
    shift: in units of the criterion.
    share: of the half-width of the estimate's interval.
    Both are None where there is nothing to compare.
    """

    criterion: str
    label: str
    estimates: int
    lost: int
    shift: float | None
    share: float | None


def measure(campaign_id: int, annotator_id: int) -> tuple[ExclusionEffect, ...]:
    """Return the effect of this annotator's exclusion on the current judgments."""
    design = facts.design(campaign_id)
    seen = facts_module.evidence(design)
    without = _estimates(design, seen)
    scores = facts.scores(campaign_id, with_excluded=True, of=annotator_id)
    whole = _estimates(design, replace(seen, scores=scores))
    return tuple(_effect(criterion, without, whole) for criterion in design.primary)


def _estimates(
    design: CampaignDesign, seen: facts_module.Evidence
) -> dict[Key, tuple[float, float | None]]:
    """Return each primary estimate with its interval's half-width."""
    primary, found = {criterion.name for criterion in design.primary}, {}
    for cell in facts_module.cells(design, seen):
        if cell.criterion.name in primary:
            made = facts_module.estimated(design, cell.criterion, cell.sample)
            rule = rule_for(design, cell.criterion, n_units=cell.sample.incidence.n_units)
            interval = rule.interval(made)
            key = cell.criterion.name, cell.system.system_id
            found[key] = made.estimate, interval.width / 2 if interval else None
    return found


def _effect(
    criterion: Criterion,
    without: dict[Key, tuple[float, float | None]],
    whole: dict[Key, tuple[float, float | None]],
) -> ExclusionEffect:
    keys = [key for key in whole if key[0] == criterion.name]
    shifts = [
        (abs(without[key][0] - whole[key][0]), without[key][1]) for key in keys if key in without
    ]
    return ExclusionEffect(
        criterion.name,
        str(criterion.label),
        estimates=len(keys),
        lost=len(keys) - len(shifts),
        shift=_largest(shift for shift, _half in shifts),
        share=_largest(shift / half for shift, half in shifts if half),
    )


def _largest(values: Iterable[float]) -> float | None:
    return max(values, default=None)
