"""What several models share."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any, NoReturn, Self

from django.db import models
from django.db.models import TextChoices
from pydantic import BaseModel, ConfigDict, Field

MOST_RATERS = 10  # people who judge one output
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no look-alike characters: people read these aloud


def new_public_id() -> str:
    """Return a random name for addresses (50 bits). It does not reveal how many there are."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


class ImmutableError(TypeError):
    """Raised on an attempt to change or delete a fact."""


class FactQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are facts: never changed.")

    def delete(self) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are facts: never deleted.")


def newest_of_campaign(name: str) -> models.Index:
    """Return the index that finds a campaign's newest rows; its foreign key needs no other."""
    return models.Index(fields=["campaign", "id"], name=name)


class Fact(models.Model):
    """A row that is written once: judgments, scores, ledger and audit entries."""

    objects = FactQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableError(f"{type(self).__name__} rows are facts: they are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{type(self).__name__} rows are facts: they are never deleted.")


# How a campaign's estimates are made: fixed when it opens.


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
    campaign; no estimate depends on it. visible_text: the version of the rule that makes the text
    that people see from its source (annotate/common/content.py); None where all texts are plain.
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
    visible_text: str | None = None

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
        return self.model_dump(mode="json", exclude=None if self.visible_text else {"visible_text"})

    @classmethod
    def from_data(cls, value: Any) -> Self:
        """Read what `as_data` wrote; pydantic's `ValidationError` if it is not."""
        return cls.model_validate_json(json.dumps(value))


# The states of a campaign and the reasons for them: words that models and rules share.


class CampaignStatus(TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSING = "closing"
    CLOSED = "closed"
    ARCHIVED = "archived"


class CloseReason(TextChoices):
    """Why a campaign left `open`."""

    TARGET = "target", "every interval reached its target width"
    RANKED = "ranked", "every pair of systems was decided"
    EXHAUSTED = "exhausted", "every planned judgment was collected"
    MAX_JUDGMENTS = "max_judgments", "the maximum number of judgments was reached"
    BUDGET = "budget", "the budget does not pay for another judgment"
    DEADLINE = "deadline", "the deadline passed"
    HAND = "hand", "closed by hand"


class ImportStatus(TextChoices):
    """Where an uploaded file stands on its way to a campaign."""

    READING = "reading", "waits for a worker, or is read by one"
    REFUSED = "refused", "cannot be imported as it is"
    READY = "ready", "was read and waits for its owner"
    CREATING = "creating", "becomes a campaign"
    DONE = "done", "is a campaign"
    CANCELLED = "cancelled", "was given up"
    FAILED = "failed", "was stopped by an error of ours"


class MemberRole(TextChoices):
    """What a member is in a campaign (docs/roles.md)."""

    OWNER = "owner"
    COLLABORATOR = "collaborator"
    REVIEWER = "reviewer"
    VIEWER = "viewer"


class MetricChoice(TextChoices):
    """What was asked for; `Campaign.metrics` holds the names that it came to."""

    NONE = "none"
    NAMED = "named"
    AUTO = "auto"


class NotificationChannel(TextChoices):
    """How somebody is told of what happens in a campaign."""

    MAIL = "mail"
    WEBHOOK = "webhook"


class StopMode(TextChoices):
    """How an interval is made that a campaign may stop on (docs/statistics.md, stopping)."""

    PRECISION = "precision", "automatically, at the target width"
    ANYTIME = "anytime", "automatically or by hand, on intervals valid at every look"
    RANKING = "ranking", "automatically, when every pair of systems is decided"


class Estimand(TextChoices):
    """For whom an estimate speaks."""

    POPULATION = "population", "people in general"
    PANEL = "panel", "exactly these annotators"


class ItemMeasure(TextChoices):
    """A figure by which items are ordered (`ItemOrder`)."""

    JUDGED = "judged", "how many judgments count, by place"
    DISAGREEMENT = "disagreement", "the largest standard deviation of the answers to one text"
    WORST = "worst", "the mean of the text with the worst mean"
    EDITED = "edited", "the largest mean edit"
    RESIDUAL = "residual", "the largest difference of a mean and what the metrics predict"
