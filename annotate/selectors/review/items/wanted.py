"""The request of a list of items: its order, its filters, and who may use which."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from annotate.instruments.base import Criterion
from annotate.models import Campaign, System
from annotate.selectors.campaigns import counting
from annotate.selectors.listings import Filter, Listing, asked
from annotate.selectors.studies import instruments
from annotate.states import ItemMeasure

ROWS = 50
EXCLUDED, SUPERSEDED, JUDGED, UNJUDGED = "excluded", "superseded", "judged", "unjudged"
PARTS = {
    "all": "All",
    JUDGED: "With judgments",
    UNJUDGED: "Without judgments",
    EXCLUDED: "With excluded work",
    SUPERSEDED: "With corrected answers",
}
PLAIN = {"order": "As collected", "longest": "Longest input", "name": "Name"}
# Orders by a figure that a worker finds beforehand.
RANKED = {
    ItemMeasure.DISAGREEMENT.value: "Disagreement",
    ItemMeasure.WORST.value: "Worst judged",
    ItemMeasure.EDITED.value: "Most edited",
    ItemMeasure.RESIDUAL.value: "Metric residual",
}
EDIT = "edit"  # the criterion of instruments with corrections


@dataclass(frozen=True)
class ItemListing(Listing):
    """What is asked of the items; `system`: the id of one that wrote for them, "" for all.

    systems: (id, name) of those that may be chosen; none for people who do not see systems.
    criterion: which scores the figures are of. criteria: those that may be chosen.
    """

    system: str = ""
    systems: tuple[tuple[str, str], ...] = ()
    criterion: str = ""
    criteria: tuple[Criterion, ...] = ()

    @property
    def narrowed(self) -> bool:
        return super().narrowed or bool(self.system)

    @property
    def all(self) -> str:
        return replace(self, system="", search="")._address(number=1, choice="all")

    @property
    def system_id(self) -> int | None:
        return int(self.system) if self.system else None

    @property
    def asked_criterion(self) -> Criterion:
        return next(one for one in self.criteria if one.name == self.criterion)

    @property
    def selects(self) -> list[Filter]:
        found = []
        if self.systems:
            found.append(Filter("system", "System", (("", "All"), *self.systems), self.system))
        if len(self.criteria) > 1:
            names = tuple((one.name, one.name) for one in self.criteria)
            found.append(Filter("criterion", "Criterion", names, self.criterion))
        return found

    def _address(self, **changes: Any) -> str:
        address = super()._address(**changes).removeprefix("?")
        usual = self.criteria[0].name if self.criteria else ""
        chosen = {
            "system": changes.get("system", self.system),
            "criterion": "" if self.criterion == usual else self.criterion,
        }
        ours = urlencode({name: value for name, value in chosen.items() if value})
        return f"?{ours}{'&' if ours and not address.startswith('#') else ''}{address}"


def wanted(
    campaign: Campaign, query: Mapping[str, str], *, systems: bool, size: int = ROWS
) -> ItemListing:
    """Read what is asked from an address; `systems`: whether one sees systems and metrics."""
    every = instruments.of(campaign).criteria
    sorts = orders(campaign, every, systems=systems)
    found = asked(query, sorts=sorts, choices=PARTS, size=size, anchor="items")
    criteria = looked_at(campaign, every)
    names = [one.name for one in criteria]
    known = _systems(campaign.pk) if systems else ()
    criterion = query.get("criterion", "")
    return ItemListing(
        **{name: getattr(found, name) for name in Listing.__dataclass_fields__},
        system=_named(query.get("system", ""), known),
        systems=known,
        criterion=criterion if criterion in names else names[0],
        criteria=criteria,
    )


def orders(campaign: Campaign, every: tuple[Criterion, ...], *, systems: bool) -> dict[str, str]:
    """Return the orders that exist here. Nobody who sees no metrics can sort by a residual."""
    has = {
        ItemMeasure.EDITED.value: any(one.name == EDIT for one in every),
        ItemMeasure.RESIDUAL.value: systems and bool(campaign.metrics),
    }
    ranked = {name: label for name, label in RANKED.items() if has.get(name, True)}
    return PLAIN | ranked


def looked_at(campaign: Campaign, every: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    """Return the criteria with orders: the primary ones, or the first one."""
    names = {name for found in counting.asked(campaign.pk).values() for name in found}
    return tuple(one for one in every if one.name in names) or every[:1]


def _named(asked: str, known: tuple[tuple[str, str], ...]) -> str:
    """Return the id of the system with this id or, for the API, this name; "" without one."""
    by_name = {name: pk for pk, name in known}
    return asked if asked in dict(known) else by_name.get(asked, "")


def _systems(campaign_id: int) -> tuple[tuple[str, str], ...]:
    rows = System.objects.filter(campaign=campaign_id).values_list("pk", "name")
    return tuple((str(pk), name) for pk, name in rows)
