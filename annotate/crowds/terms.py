"""The terms of a batch: what its postings offer and require, as a researcher chose them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from annotate.crowds.base import Audience, Spec

USUAL_AUTO_APPROVAL = timedelta(days=7)
USUAL_TASKS = 5  # per unit
SECONDS = ("duration", "lifetime", "auto_approval", "approve_after")


@dataclass(frozen=True)
class Terms:
    """What one posting offers and requires.

    tasks: per paid unit.
    approve_after: the reviewers' time before undisputed work is approved and paid.
    auto_approval: the time after which the crowd approves; None where it cannot be set.
    """

    title: str
    description: str
    keywords: tuple[str, ...] = ()
    tasks: int = 1
    minutes: float = 5.0
    duration: timedelta = timedelta(hours=1)
    lifetime: timedelta = timedelta(days=3)
    auto_approval: timedelta | None = None
    approve_after: timedelta = timedelta(days=1)
    audience: Audience = field(default_factory=Audience)

    def spec(self, *, reward: Decimal, places: int, url: str, code: str = "") -> Spec:
        """Return one posting with these terms; `reward` is for one unit."""
        approval = USUAL_AUTO_APPROVAL if self.auto_approval is None else self.auto_approval
        return Spec(
            title=self.title,
            description=self.description,
            keywords=self.keywords,
            reward=reward,
            places=places,
            url=url,
            minutes=self.minutes,
            duration=self.duration,
            lifetime=self.lifetime,
            auto_approval=approval,
            audience=self.audience,
            code=code,
        )


def usual_tasks(cap: int | None) -> int:
    """Return the suggested number of tasks per unit; `cap` is the most that one person may do."""
    return min(USUAL_TASKS, cap or USUAL_TASKS)


def to_json(terms: Terms) -> dict[str, Any]:
    """Return plain JSON, durations in seconds."""
    given = {name: getattr(terms, name) for name in SECONDS}
    seconds = {name: int(time.total_seconds()) for name, time in given.items() if time is not None}
    return asdict(terms) | seconds | {"keywords": list(terms.keywords)}


def from_json(stored: Mapping[str, Any]) -> Terms:
    audience = dict(stored["audience"])
    lists = {name: tuple(audience[name]) for name in ("countries", "languages")}
    given = {name: stored[name] for name in SECONDS if stored[name] is not None}
    times = {name: timedelta(seconds=seconds) for name, seconds in given.items()}
    changed: dict[str, Any] = {
        **times,
        "keywords": tuple(stored["keywords"]),
        "audience": Audience(**audience | lists),
    }
    return Terms(**{**stored, **changed})
