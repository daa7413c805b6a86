"""The crowds that this installation can reach, made from its settings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from django.conf import settings

from annotate.crowds.contract import Configuration, Entry, Marketplace
from annotate.crowds.registry import CROWDS


def setting(name: str) -> str:
    """Return the value of a crowd's setting."""
    return str(getattr(settings, name))


def crowd_label(crowd: str) -> str:
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
        return _adapter(CROWDS[crowd].make)
    return marketplace(crowd)


def marketplace(crowd: str) -> Marketplace:
    """Return the adapter of a crowd in the environment of the settings.

    Raises `Configuration` for a crowd that publishes nothing or that the settings do not name.
    Nothing is called and no credential is looked for before the first use.
    """
    if not publishes(crowd):
        raise Configuration(f"{crowd_label(crowd)} does not publish work or pay annotators.")
    made = _adapter(CROWDS[crowd].make, *map(setting, CROWDS[crowd].settings))
    return cast(Marketplace, made)


@lru_cache(maxsize=16)
def _adapter(make: Callable[..., Entry], *settings: str) -> Entry:
    return make(*settings)


# The environment of a crowd in the settings: production, a sandbox, or a private server.


REAL = ("production", "live")


@dataclass(frozen=True)
class CrowdEnvironment:
    """Where batches are launched now. `problem`: why that is unknown, and what to do."""

    crowd: str
    label: str
    environment: str
    problem: str = ""

    @property
    def is_real(self) -> bool:
        """Return whether real people work there for real money."""
        return self.environment in REAL

    @property
    def is_local(self) -> bool:
        """Return whether it is a private server and not the crowd's."""
        return bool(self.environment) and not self.is_real and self.environment != "sandbox"

    @property
    def place(self) -> str:
        """Return words that follow “Launch”."""
        if self.environment == "sandbox":
            return "in the sandbox"
        return f"on {self.environment}" if self.environment != "live" else f"on {self.label}"


def world_of_posting(crowd: str, environment: str = "") -> CrowdEnvironment:
    """Return the environment of this crowd's settings, or the one named by `environment`."""
    label = crowd_label(crowd)
    if environment:
        return CrowdEnvironment(crowd, label, environment)
    try:
        return CrowdEnvironment(crowd, label, marketplace(crowd).environment)
    except Configuration as error:
        return CrowdEnvironment(crowd, label, "", error.message)
