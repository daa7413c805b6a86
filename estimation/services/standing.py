"""The state of each system's sample by the campaign's stopping rule: enough is known, or not."""

from collections.abc import Collection
from dataclasses import dataclass

from annotate.selectors.campaigns import counting, slots
from annotate.selectors.campaigns.counting import Brief, SystemStanding
from annotate.states import CloseReason
from estimation.services.findings import Contrast, Finding


@dataclass(frozen=True)
class Standing:
    """One system's primary findings, and the state of its sample.

    enough: whether its sample may end.
    because, pairs: indices of its primary findings and, in a ranking, of its comparisons.
    """

    system_id: int
    name: str
    stopped: bool
    unfinished: int
    enough: bool
    because: tuple[int, ...]
    pairs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Words:
    """The sentences of a stopping rule's acts. {name}, {names}: of systems."""

    reason: CloseReason
    stop: str
    resume: str
    after_drain: str
    drained_reason: str


WIDTHS = Words(
    CloseReason.TARGET,
    stop="{name} reached its target width on every primary criterion.",
    resume="With its last items finished, {name} is wider than its target again.",
    after_drain="With all items finished, the target is missed again for {names}.",
    drained_reason="wider_after_drain",
)
PAIRS = Words(
    CloseReason.RANKED,
    stop="Every pair with {name} is decided: it leaves the ranking.",
    resume="With its last items finished, a pair with {name} is open again.",
    after_drain="With all items finished, pairs are open again between {names}.",
    drained_reason="open_after_drain",
)
# Where texts are compared, each system is such a pair.
COMPARED = Words(
    CloseReason.RANKED,
    stop="{name} is decided on every primary criterion: it leaves the ranking.",
    resume="With its last items finished, {name} is open again.",
    after_drain="With all items finished, these pairs are open again: {names}.",
    drained_reason="open_after_drain",
)


def words(brief: Brief) -> Words:
    if not brief.is_ranking:
        return WIDTHS
    return COMPARED if brief.compares else PAIRS


def of_campaign(brief: Brief, found: list[Finding], compared: list[Contrast]) -> list[Standing]:
    """Return the state of every system; systems without enough judgments have no findings."""
    systems = counting.standings(brief.campaign_id)
    return [_standing(brief, system, systems, found, compared) for system in systems]


def _standing(
    brief: Brief,
    system: SystemStanding,
    systems: Collection[SystemStanding],
    found: list[Finding],
    compared: list[Contrast],
) -> Standing:
    because = tuple(_primary(brief, system, found))
    pairs = tuple(_pairs_of(system, compared)) if brief.is_ranking else ()
    return Standing(
        system_id=system.system_id,
        name=system.name,
        stopped=system.stop_position is not None,
        unfinished=found[because[0]].unfinished if because else _unfinished(system),
        enough=is_enough(brief, system, systems, found, compared),
        because=because,
        pairs=pairs,
    )


def is_enough(
    brief: Brief,
    system: SystemStanding,
    systems: Collection[SystemStanding],
    found: list[Finding],
    compared: list[Contrast],
) -> bool:
    """Return whether a system's sample may end by these findings; no query.

    What lies off the scale is wrong, and ends nothing.
    """
    because = _primary(brief, system, found)
    if any(found[index].estimate.off_scale for index in because):
        return False
    if brief.is_ranking and not brief.compares:
        ranked = [compared[index].ranked for index in _pairs_of(system, compared)]
        all_pairs = (len(systems) - 1) * len(brief.primary)
        return len(ranked) == all_pairs and all(one and one.is_decided for one in ranked)
    return len(because) == len(brief.primary) and all(found[index].is_enough for index in because)


def _primary(brief: Brief, system: SystemStanding, found: list[Finding]) -> list[int]:
    """Return the indices of the system's findings on primary criteria."""
    primary = {criterion.name for criterion in brief.primary}
    return [
        index
        for index, one in enumerate(found)
        if one.system.system_id == system.system_id and one.criterion.name in primary
    ]


def _pairs_of(system: SystemStanding, compared: list[Contrast]) -> list[int]:
    return [
        index
        for index, one in enumerate(compared)
        if system.system_id in (one.first.system_id, one.second.system_id)
    ]


def _unfinished(system: SystemStanding) -> int:
    """Return the unfinished items of a stopped system whose judgments were all excluded."""
    return 0 if system.stop_position is None else slots.unfinished_items(system.system_id)
