"""The evidence from which people are listed and paused, by screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cutoffs:
    """Cut-offs by screen: (listed, paused). Screens without an entry have the nominal ones."""

    of: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    nominal: tuple[float, float] = (3.0, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"of": {name: list(two) for name, two in self.of.items()}, "rest": self.nominal}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Cutoffs:
        """Read the output of `to_dict`."""
        return cls({name: (a, b) for name, (a, b) in given["of"].items()}, tuple(given["rest"]))

    def listed(self, screen: str) -> float:
        """Return the evidence from which a screen lists people."""
        return self.of.get(screen, self.nominal)[0]

    def paused(self, screen: str) -> float:
        """Return the evidence from which a screen pauses people who are past its threshold."""
        return self.of.get(screen, self.nominal)[1]


# What evidence adds up to among honest people is not known without calibration.
_SUMS = {"several_signs": (99.0, 99.0)}
# Evidence alone lists, and the screens' own thresholds pause.
NOMINAL = Cutoffs(_SUMS)
# Until a campaign is calibrated; about the highest cut-offs that campaigns have. Real people's
# answers are uniform in more ways than their level explains.
UNCALIBRATED = Cutoffs(_SUMS | {"no_variation": (4.0, 4.0)}, (3.2, 4.0))
