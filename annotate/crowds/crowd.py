"""The registration of a crowd: what Plumbline knows before any call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotate.crowds.base import Entry, Marketplace
from annotate.crowds.prices import Tariff

Setting = Callable[[str], str]  # the value of a setting, by its name


@dataclass(frozen=True)
class Crowd:
    """One crowd, complete. Adding one: CONTRIBUTING.md.

    key: its name in campaigns, addresses and the API.
    label: its name as people know it.
    offer: how people come from it and are paid; follows the label in the form of a new campaign.
    tariff: its usual charges. A campaign may have another share, because shares differ by account.
    make: makes its adapter from the settings, once for the same values. It loads what the adapter
        needs. Nothing is called and no credentials are read before the first use.
    settings: the names of its settings, with defaults; each is read from the environment.
    publishes: whether it publishes and pays for work, so that its adapter is a `Marketplace`.
    reopens: whether a full posting continues when one of its places is free again, unless it was
        stopped.
    not_asked: the terms of a batch that it does not have.
    """

    key: str
    label: str
    offer: str
    tariff: Tariff
    make: "Callable[[Setting], Entry] | Callable[[Setting], Marketplace]"
    settings: Mapping[str, str] = field(default_factory=dict)
    publishes: bool = True
    reopens: bool = False
    not_asked: tuple[str, ...] = ()
