"""What a crowd is to the rest of Plumbline, before anything is asked of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotate.crowds.base import Entry, Marketplace
from annotate.crowds.prices import Tariff

Setting = Callable[[str], str]  # the value of a setting, by its name


@dataclass(frozen=True)
class Crowd:
    """One crowd, complete. Adding one: docs/variants.md.

    key: its name in campaigns, addresses and the API. label: its name as people know it.
    offer: how people come from it and are paid, after the label in the form of a new campaign.
    tariff: what it usually charges. A campaign may have another share: it can differ by account.
    make: makes its adapter from the settings, once for the same values. It loads what the adapter
    needs; nothing is called and no credential is looked for before the first use.
    settings: the names of its settings, and their defaults; each is read from the environment.
    publishes: whether it publishes work and pays for it, and its adapter is a `Marketplace`.
    reopens: whether a full posting goes on when a place of it is free again, unless it was stopped.
    not_asked: terms of a batch for which it has no word.
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
