"""A closer look at one system × criterion × metric, as pages and pictures show it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from annotate.errors import NotFound
from annotate.selectors.campaigns import listing
from annotate.selectors.campaigns.listing import CampaignFacts, ListedSystem
from annotate.selectors.review.items import named
from annotate.selectors.review.items.named import ItemName
from estimation.models import CloserLook

Kind = TypeVar("Kind")

QUADRANTS = {
    ("high", "high"): "Both high",
    ("high", "low"): "Metric high, people low",
    ("low", "high"): "Metric low, people high",
    ("low", "low"): "Both low",
}


@dataclass(frozen=True)
class Quadrant:
    """One of four: `n` of the texts, `share` of them, and a few clear examples."""

    title: str
    n: int
    share: float
    examples: tuple[ItemName, ...]


@dataclass(frozen=True)
class SystemLook:
    """What is chosen, what can be, and what was found; `content` as in `estimation.looks`.

    at: when it was made, from how many judgments; None if it was not made yet.
    """

    facts: CampaignFacts
    criteria: tuple[str, ...]
    system: ListedSystem
    criterion: str
    metric: str
    content: Mapping[str, Any]
    at: datetime | None = None
    judgments: int = 0

    @property
    def metrics(self) -> list[str]:
        return [one["name"] for one in self.content.get("metrics", ())]

    @property
    def beside(self) -> Mapping[str, Any] | None:
        """The chosen metric's part of the content; None without one."""
        return next((m for m in self.content.get("metrics", ()) if m["name"] == self.metric), None)

    @property
    def drawn(self) -> int:
        return len(self.beside["points"]) if self.beside else 0

    @property
    def quadrants(self) -> list[Quadrant]:
        if not self.beside or not self.beside["n"]:
            return []
        parts = self.beside["parts"]
        places = [place for part in parts for place in part["examples"]]
        names = named.item_names(self.facts.campaign_id, places)
        return [
            Quadrant(
                QUADRANTS[part["metric"], part["people"]],
                part["n"],
                part["n"] / self.beside["n"],
                tuple(names[place] for place in part["examples"] if place in names),
            )
            for part in parts
        ]

    @property
    def query(self) -> dict[str, str]:
        asked = {"criterion": self.criterion, "metric": self.metric}
        return {"system": str(self.system.system_id)} | {k: v for k, v in asked.items() if v}


def look(campaign: Any, query: Mapping[str, str]) -> SystemLook:
    """Return what is asked for in an address; the first system, criterion or metric otherwise."""
    facts = listing.facts(campaign)
    criteria = tuple(one.name for one in facts.primary or facts.criteria[:1])
    system = _chosen(query.get("system"), {str(s.system_id): s for s in facts.systems})
    criterion = _chosen(query.get("criterion"), {name: name for name in criteria})
    made = CloserLook.objects.filter(campaign=campaign.pk, system=system.system_id)
    found = made.filter(criterion=criterion).order_by("-pk").first()
    if found is None:
        return SystemLook(facts, criteria, system, criterion, "", {})
    names = {one["name"]: one["name"] for one in found.content["metrics"]}
    metric = _chosen(query.get("metric"), names) if names else ""
    return SystemLook(
        facts, criteria, system, criterion, metric, found.content, found.at, found.judgments
    )


def _chosen(asked: str | None, known: Mapping[str, Kind]) -> Kind:
    if not known:
        raise NotFound("This campaign has no systems.")
    return known.get(asked or "", next(iter(known.values())))


def point_rows(found: SystemLook) -> Iterator[tuple[Any, ...]]:
    """Yield the drawn texts: the item's number and name, the metric, the mean, how many answers."""
    points = found.beside["points"] if found.beside else []
    names = named.item_names(found.facts.campaign_id, [int(place) for place, *_ in points])
    for place, value, mean, n in points:
        name = names.get(int(place))
        yield int(place) + 1, name.key if name else "", value, mean, int(n)


def bins(distribution: Mapping[str, Any] | None) -> Iterator[tuple[float, float, int]]:
    """Yield from, to and how many texts for each bar."""
    if distribution:
        edges = distribution["edges"]
        yield from zip(edges[:-1], edges[1:], distribution["counts"], strict=True)
