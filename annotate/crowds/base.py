"""What a crowd is to us at the door: plain values in and out, no models, no requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol


@dataclass(frozen=True)
class Claim:
    """Who somebody says they are; without a `person`, the landing page asks for a name."""

    campaign_id: int
    person: str = ""


@dataclass(frozen=True)
class Invalid:
    """Nobody can come in this way, and why; `status` is the HTTP status that says so."""

    message: str
    status: int


@dataclass(frozen=True)
class Done:
    """Nothing more to do at the crowd's end; the code is what the annotator may quote."""

    code: str


@dataclass(frozen=True)
class FramePolicy:
    """Where the crowd shows our pages, and where it lets their forms go."""

    frame_ancestors: tuple[str, ...]
    form_action: tuple[str, ...]

    @property
    def directives(self) -> dict[str, list[str]]:
        return {
            "frame-ancestors": list(self.frame_ancestors),
            "form-action": list(self.form_action),
        }


class Entry(Protocol):
    """How people come in from a crowd, and how they leave (crowds that publish nothing too)."""

    @property
    def key(self) -> str: ...

    @property
    def refusal_limit(self) -> timedelta:
        """How long after the work is submitted its pay can still be refused."""

    def parse_entry(self, params: Mapping[str, str]) -> Claim | Invalid:
        """Read what the crowd put into the address."""

    def completion(self, *, pseudonym: str) -> Done:
        """Return what the annotator does at the crowd's end once the work is over."""

    def frame_policy(self) -> FramePolicy: ...
