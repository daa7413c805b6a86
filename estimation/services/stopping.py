"""The acts that follow from the estimates: stop a system, close, resume, finish.

`decide` returns them, `carry_out` performs them; both run in the transaction that writes the
estimates.
"""

from dataclasses import dataclass, field

from annotate.selectors.campaigns import counting, slots
from annotate.selectors.campaigns.counting import Brief, SystemStanding
from annotate.services.campaigns import life
from annotate.states import CampaignStatus, CloseReason
from estimation.models import Decision, Estimate
from estimation.services.findings import Finding

Verb = Decision.Verb


@dataclass(frozen=True)
class StoppingAct:
    """An act, its reason, and the indices of the findings that caused it."""

    verb: Verb
    campaign_id: int
    reason: str
    text: str
    because: tuple[int, ...] = ()
    system_id: int | None = None
    system_ids: tuple[int, ...] = field(default=())


@dataclass(frozen=True)
class _Sample:
    """One system's primary findings, and the state of its sample."""

    system_id: int
    name: str
    stopped: bool
    unfinished: int
    at_target: bool
    because: tuple[int, ...]


def decide(brief: Brief, found: list[Finding]) -> list[StoppingAct]:
    """Return the acts that follow from these findings; usually none."""
    samples = _samples(brief, found)
    if brief.status == CampaignStatus.OPEN:
        return _while_open(brief, samples)
    if brief.status == CampaignStatus.CLOSING:
        return _while_closing(brief, samples)
    return []


def ends(acts: list[StoppingAct]) -> bool:
    """Return whether these acts make the estimates final."""
    return any(act.verb == Verb.FINISH for act in acts)


def carry_out(acts: list[StoppingAct], rows: list[Estimate]) -> None:
    """Perform each act through its service, and store it with the estimates that caused it.

    An act that has become impossible meanwhile leaves no decision.
    """
    for act in acts:
        if _do(act):
            decision = Decision.objects.create(
                campaign_id=act.campaign_id,
                system_id=act.system_id,
                verb=act.verb,
                reason=act.reason,
                text=act.text,
            )
            decision.estimates.set([rows[index] for index in act.because])


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


def _samples(brief: Brief, found: list[Finding]) -> list[_Sample]:
    """Group the primary findings by system; systems without enough judgments have no findings."""
    by_system: dict[int, list[int]] = {}
    for index, finding in enumerate(found):
        if finding.verdict is not None:
            by_system.setdefault(finding.system.system_id, []).append(index)
    return [
        _Sample(
            system_id=system.system_id,
            name=system.name,
            stopped=system.stop_position is not None,
            unfinished=found[because[0]].unfinished if because else _unfinished(system),
            at_target=len(because) == len(brief.targets)
            and all(found[index].at_target for index in because),
            because=tuple(because),
        )
        for system in counting.standings(brief.campaign_id)
        for because in [by_system.get(system.system_id, [])]
    ]


def _unfinished(system: SystemStanding) -> int:
    """Return the unfinished items of a stopped system whose judgments were all excluded."""
    return 0 if system.stop_position is None else slots.unfinished_items(system.system_id)


def _while_open(brief: Brief, samples: list[_Sample]) -> list[StoppingAct]:
    acts = [act for sample in samples if (act := _about_system(brief, sample))]
    resumed = any(act.verb == Verb.RESUME_SYSTEM for act in acts)
    if not resumed and all(sample.stopped or sample.at_target for sample in samples):
        return [*acts, _close(brief, samples, CloseReason.TARGET)]
    if reason := life.limit_reached(brief.campaign_id):
        return [*acts, _close(brief, samples, reason)]
    return acts


def _about_system(brief: Brief, sample: _Sample) -> StoppingAct | None:
    if sample.at_target and not sample.stopped:
        text = f"{sample.name} reached its target width on every primary criterion."
        verb = Verb.STOP_SYSTEM
    elif sample.stopped and not sample.at_target and not sample.unfinished:
        text = f"With its last items finished, {sample.name} is wider than its target again."
        verb = Verb.RESUME_SYSTEM
    else:
        return None
    return StoppingAct(
        verb,
        brief.campaign_id,
        reason=CloseReason.TARGET,
        text=text,
        because=sample.because,
        system_id=sample.system_id,
    )


def _close(brief: Brief, samples: list[_Sample], reason: CloseReason) -> StoppingAct:
    text = f"Collection ends: {reason.label}. Items already begun are finished first."
    because = tuple(index for sample in samples for index in sample.because)
    return StoppingAct(Verb.CLOSE, brief.campaign_id, reason=reason, text=text, because=because)


def _while_closing(brief: Brief, samples: list[_Sample]) -> list[StoppingAct]:
    # A mark newer than ours means that these findings lack the last judgments of the drain.
    if not life.drained(brief.campaign_id) or counting.marks(brief.campaign_id):
        return []
    wide = [sample for sample in samples if not sample.at_target]
    because = tuple(index for sample in samples for index in sample.because)
    if brief.close_reason == CloseReason.TARGET and wide:
        names = ", ".join(sample.name for sample in wide)
        return [
            StoppingAct(
                Verb.RESUME,
                brief.campaign_id,
                reason="wider_after_drain",
                because=because,
                text=f"With all items finished, the target is missed again for {names}.",
                system_ids=tuple(sample.system_id for sample in wide),
            )
        ]
    text = "Everything that was begun is finished; these estimates are final."
    return [
        StoppingAct(
            Verb.FINISH, brief.campaign_id, reason=brief.close_reason, text=text, because=because
        )
    ]
