"""How a campaign's estimates are made: fixed when it opens."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field


class CriterionProtocol(BaseModel):
    """The constants of one criterion: `balance` and `person_share` of `estimation.core.estimate`.

    Those of a criterion that the protocol does not name weigh nobody's work down and pull nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    balance: float = 0.0
    person_share: float = 0.0


class Protocol(BaseModel):
    """The estimator with its constants, and the rule.

    metric_transform: how the metrics enter, see `estimation.core.entering`; protocols that do not
    tell are older, and take the values themselves.
    rule: when collection stops; targets are interval widths, margins those of a ranking, both by
    primary criterion. screening: all settings of the screens. version: of this form. seed: of the
    campaign; no estimate depends on it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    estimator: str
    estimand: str
    level: float
    metrics: tuple[str, ...]
    metric_transform: str = "raw"
    seed: int
    rule: str
    targets: Mapping[str, float]
    margins: Mapping[str, float] = Field(default_factory=dict)
    planned_items: int | None = None
    criteria: Mapping[str, CriterionProtocol] = Field(default_factory=dict)
    screening: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)

    def of(self, criterion: str) -> CriterionProtocol:
        """Return the constants of a criterion."""
        return self.criteria.get(criterion, CriterionProtocol())

    @property
    def digest(self) -> str:
        """Return the SHA-256, in hex, of what is stored: fields of later versions are left out."""
        stored = self.model_dump(mode="json", exclude_unset=True)
        plain = json.dumps(stored, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(plain.encode()).hexdigest()

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON values, which `from_data` takes back."""
        return self.model_dump(mode="json")

    @classmethod
    def from_data(cls, value: Any) -> Self:
        """Read what `as_data` wrote; pydantic's `ValidationError` if it is not."""
        return cls.model_validate_json(json.dumps(value))
