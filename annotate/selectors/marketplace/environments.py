"""The environment of a crowd in the settings: production, a sandbox, or a private server."""

from dataclasses import dataclass

from annotate import adapters
from annotate.crowds.base import Configuration

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


def world(crowd: str, environment: str = "") -> CrowdEnvironment:
    """Return the environment of this crowd's settings, or the one named by `environment`."""
    label = adapters.label(crowd)
    if environment:
        return CrowdEnvironment(crowd, label, environment)
    try:
        return CrowdEnvironment(crowd, label, adapters.marketplace(crowd).environment)
    except Configuration as error:
        return CrowdEnvironment(crowd, label, "", error.message)
