"""The crowds that this installation can reach, made from its settings."""

from typing import cast

from django.conf import settings

from annotate.crowds.base import Configuration, Entry, Marketplace
from annotate.crowds.registry import CROWDS


def setting(name: str) -> str:
    """Return the value of a crowd's setting."""
    return str(getattr(settings, name))


def label(crowd: str) -> str:
    """Return the name of a crowd as people know it; of one that is gone, its key."""
    return CROWDS[crowd].label if crowd in CROWDS else crowd


def publishes(crowd: str) -> bool:
    """Whether a crowd publishes work and pays for it."""
    return crowd in CROWDS and CROWDS[crowd].publishes


def reopening() -> tuple[str, ...]:
    """Return the crowds whose full postings go on when a place of them is free again."""
    return tuple(crowd.key for crowd in CROWDS.values() if crowd.reopens)


def entry(crowd: str) -> Entry:
    """Return the way in from a crowd."""
    if crowd in CROWDS and not publishes(crowd):
        return CROWDS[crowd].make(setting)
    return marketplace(crowd)


def marketplace(crowd: str) -> Marketplace:
    """Return the adapter of a crowd in the environment of the settings.

    Raises `Configuration` for a crowd that publishes nothing or that the settings do not name.
    Nothing is called and no credential is looked for before the first use.
    """
    if not publishes(crowd):
        raise Configuration(f"{label(crowd)} does not publish work or pay annotators.")
    return cast(Marketplace, CROWDS[crowd].make(setting))
