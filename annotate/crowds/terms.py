"""The terms of a batch: what its postings offer and ask, as a researcher chose them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from annotate.crowds.base import Audience, Spec

SECONDS = ("duration", "lifetime", "auto_approval", "approve_after")


@dataclass(frozen=True)
class Terms:
    """`tasks` is what one paid unit holds; `approve_after`: how long reviewers have before
    work that nobody doubts is approved and paid."""

    title: str
    description: str
    keywords: tuple[str, ...] = ()
    tasks: int = 1
    minutes: float = 5.0
    duration: timedelta = timedelta(hours=1)
    lifetime: timedelta = timedelta(days=3)
    auto_approval: timedelta = timedelta(days=7)
    approve_after: timedelta = timedelta(days=1)
    audience: Audience = field(default_factory=Audience)

    def spec(self, *, reward: Decimal, places: int, url: str, code: str = "") -> Spec:
        """Return what one posting of these terms is; `reward` is for one unit."""
        return Spec(
            title=self.title, description=self.description, keywords=self.keywords, reward=reward,
            places=places, url=url, minutes=self.minutes, duration=self.duration,
            lifetime=self.lifetime, auto_approval=self.auto_approval, audience=self.audience,
            code=code,
        )  # fmt: skip


def to_json(terms: Terms) -> dict[str, Any]:
    """Return plain JSON, durations in seconds."""
    seconds = {name: int(getattr(terms, name).total_seconds()) for name in SECONDS}
    return asdict(terms) | seconds | {"keywords": list(terms.keywords)}


def from_json(stored: Mapping[str, Any]) -> Terms:
    audience = dict(stored["audience"])
    lists = {name: tuple(audience[name]) for name in ("countries", "languages")}
    times = {name: timedelta(seconds=stored[name]) for name in SECONDS}
    changed: dict[str, Any] = {
        **times, "keywords": tuple(stored["keywords"]), "audience": Audience(**audience | lists)
    }  # fmt: skip
    return Terms(**{**stored, **changed})
