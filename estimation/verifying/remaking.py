"""Estimates, differences and decisions, made again from facts: the product's own code, no query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.selectors.campaigns.counting import Brief
from annotate.states import CloseReason
from estimation import data
from estimation.models import Comparison, Decision, Estimate
from estimation.services import history, rankings, standing
from estimation.services.findings import Contrast, Finding, contrasts, finding
from estimation.verifying.facts import BundleFacts

Verb = Decision.Verb
OURS = (CloseReason.TARGET, CloseReason.RANKED)  # closings that the findings themselves cause


@dataclass(frozen=True)
class Remade:
    """Everything that follows from some of the judgments at one moment."""

    brief: Brief
    seen: data.Seen
    found: list[Finding]
    compared: list[Contrast]

    @cached_property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        """Return rows that are not stored, by system and criterion."""
        rows = ((one, history.estimate_row(self.brief, one, final=False)) for one in self.found)
        return {(one.system.name, one.criterion.name): row for one, row in rows}

    @cached_property
    def comparisons(self) -> dict[tuple[str, str, str], Comparison]:
        """Return rows that are not stored, by both systems and criterion."""
        rows = (
            (one, history.comparison_row(self.brief, one, final=False)) for one in self.compared
        )
        return {(one.first.name, one.second.name, one.criterion.name): row for one, row in rows}

    def objection(self, verb: str, reason: str, name: str) -> str:
        """Return why the rule would not have done this; "" if it would."""
        is_open = self.brief.status == "open"
        if is_open != (verb in (Verb.STOP_SYSTEM, Verb.RESUME_SYSTEM, Verb.CLOSE)):
            return f"the campaign was {self.brief.status} then"
        match verb:
            case Verb.STOP_SYSTEM | Verb.RESUME_SYSTEM:
                return self._about_system(name, stops=verb == Verb.STOP_SYSTEM)
            case Verb.CLOSE if reason in OURS and (short := self._going_on()):
                return f"{', '.join(short)} had not reached the goal"
            case Verb.RESUME if not self._short():
                return "every system had reached the goal"
        return ""

    def _about_system(self, name: str, *, stops: bool) -> str:
        (system,) = (one for one in self.seen.systems if one.name == name)
        if (system.stop_position is None) != stops:
            return f"{name} had {'stopped already' if stops else 'not stopped'}"
        if (name in self._short()) == stops:
            return f"{name} had {'not reached' if stops else 'reached'} the goal"
        return ""

    def _short(self) -> list[str]:
        """Return the systems of which not enough is known."""
        arguments = (self.seen.systems, self.found, self.compared)
        return [
            one.name
            for one in self.seen.systems
            if not standing.is_enough(self.brief, one, *arguments)
        ]

    def _going_on(self) -> list[str]:
        stopped = {one.name for one in self.seen.systems if one.stop_position is not None}
        return [name for name in self._short() if name not in stopped]


def remade(
    facts: BundleFacts, chosen: NDArray[np.bool_], *, stops: Mapping[str, Any], status: str
) -> Remade:
    """Estimate and compare from these judgments (T,), with samples that end at `stops`."""
    brief, seen = replace(facts.brief, status=status), facts.seen(chosen, stops)
    found = [finding(brief, cell) for cell in data.cells(brief, seen.systems, seen)]
    compared = contrasts(brief, seen.systems, seen)
    return Remade(brief, seen, found, rankings.judged(brief, seen.systems, compared))
