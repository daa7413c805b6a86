"""The acts that follow from the estimates: stop a system, close, resume, finish.

`decide` returns them, `carry_out` performs them; both run in the transaction that writes the
estimates.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cache

from annotate.campaigns import facts, life
from annotate.campaigns.facts import Brief
from annotate.instruments.base import Criterion
from annotate.models.base import CampaignStatus, CloseReason
from estimation import facts as facts_module
from estimation import findings
from estimation.findings import Contrast, Finding, SampleState
from estimation.models import Comparison, Decision, DecisionEvidence, Estimate
from estimation.rule import rule_for

Verb = Decision.Verb


@dataclass(frozen=True)
class StoppingAct:
    """An act, its reason, and the indices of the findings and contrasts that caused it."""

    verb: Verb
    campaign_id: int
    reason: str
    text: str
    because: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()
    system_id: int | None = None
    system_ids: tuple[int, ...] = field(default=())


def decide(
    brief: Brief, found: list[Finding], compared: list[Contrast], known: Collection[int]
) -> list[StoppingAct]:
    """Return the acts that follow from these findings; usually none.

    known: the change marks that were read before the facts.
    """
    samples = findings.sample_states(brief, found, compared)
    if brief.status == CampaignStatus.OPEN:
        return _while_open(brief, samples)
    if brief.status == CampaignStatus.CLOSING:
        return _while_closing(brief, samples, known)
    return []


def ends(acts: list[StoppingAct]) -> bool:
    return any(act.verb == Verb.FINISH for act in acts)


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
        if _do(act):
            decision = Decision.objects.create(
                campaign_id=act.campaign_id,
                system_id=act.system_id,
                verb=act.verb,
                reason=act.reason,
                text=act.text,
                evidence=kept(),
            )
            decision.estimates.set([rows[index] for index in act.because])
            decision.comparisons.set([compared[index] for index in act.pairs])


def _do(act: StoppingAct) -> bool:
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
            return life.resume(act.campaign_id, list(act.system_ids), reason=act.reason)
        case Verb.FINISH:
            return life.finish(act.campaign_id, reason=act.reason)
    raise ValueError(f"there is no act {act.verb}")


def _while_open(brief: Brief, samples: list[SampleState]) -> list[StoppingAct]:
    acts = [act for sample in samples if (act := _about_system(brief, sample))]
    resumed = any(act.verb == Verb.RESUME_SYSTEM for act in acts)
    if not resumed and all(sample.stopped or sample.enough for sample in samples):
        return [*acts, _close(brief, samples, findings.sentences_of(brief).reason)]
    if reason := life.limit_reached(brief.campaign_id):
        return [*acts, _close(brief, samples, reason)]
    return acts


def _about_system(brief: Brief, sample: SampleState) -> StoppingAct | None:
    words = findings.sentences_of(brief)
    if sample.enough and not sample.stopped:
        verb, text = Verb.STOP_SYSTEM, words.stop
    elif sample.stopped and not sample.enough and not sample.unfinished:
        verb, text = Verb.RESUME_SYSTEM, words.resume
    else:
        return None
    return StoppingAct(
        verb,
        brief.campaign_id,
        reason=words.reason,
        text=text.format(name=sample.name),
        because=sample.because,
        pairs=sample.pairs,
        system_id=sample.system_id,
    )


def _close(brief: Brief, samples: list[SampleState], reason: CloseReason) -> StoppingAct:
    text = f"Collection ends: {reason.label}. Items already begun are finished first."
    return _of_all(Verb.CLOSE, brief, samples, reason=reason, text=text)


def _while_closing(
    brief: Brief, samples: list[SampleState], known: Collection[int]
) -> list[StoppingAct]:
    # A mark newer than ours means that these findings lack the last judgments of the drain.
    if not life.drained(brief.campaign_id) or set(facts.marks(brief.campaign_id)).difference(known):
        return []
    words, short = (
        findings.sentences_of(brief),
        [sample for sample in samples if not sample.enough],
    )
    if brief.close_reason == words.reason and short:
        text = words.after_drain.format(names=", ".join(sample.name for sample in short))
        ids = tuple(sample.system_id for sample in short)
        reason = words.drained_reason
        return [_of_all(Verb.RESUME, brief, samples, reason=reason, text=text, system_ids=ids)]
    text = "Everything that was begun is finished; these estimates are final."
    return [_of_all(Verb.FINISH, brief, samples, reason=brief.close_reason, text=text)]


def _of_all(
    verb: Decision.Verb,
    brief: Brief,
    samples: list[SampleState],
    *,
    reason: str,
    text: str,
    system_ids: tuple[int, ...] = (),
) -> StoppingAct:
    return StoppingAct(
        verb,
        brief.campaign_id,
        reason=reason,
        text=text,
        because=tuple(index for sample in samples for index in sample.because),
        pairs=tuple(sorted({index for sample in samples for index in sample.pairs})),
        system_ids=system_ids,
    )


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
    brief = facts.brief(campaign_id)
    seen = facts_module.evidence(brief)
    without = _estimates(brief, seen)
    whole = _estimates(brief, facts_module.evidence_with(brief, seen, of=annotator_id))
    return tuple(_effect(criterion, without, whole) for criterion in brief.primary)


def _estimates(brief: Brief, seen: facts_module.Evidence) -> dict[Key, tuple[float, float | None]]:
    """Return each primary estimate with its interval's half-width."""
    primary, found = {criterion.name for criterion in brief.primary}, {}
    for cell in facts_module.cells(brief, seen):
        if cell.criterion.name in primary:
            made = facts_module.estimated(brief, cell.criterion, cell.sample)
            rule = rule_for(brief, cell.criterion, n_units=cell.sample.incidence.n_units)
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
