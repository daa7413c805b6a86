"""What a page counts while somebody works on a task: numbers only, never what was written."""

import hashlib
import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

# Upper ends, in milliseconds, of the classes of the time between two keys. The page's script has
# the same; a last class holds what is longer.
RHYTHM = (80, 110, 150, 200, 270, 370, 550, 850, 1400)
MOST = 1_000_000  # of any count
LONGEST_SCREEN = 200  # characters of the page's description of its device
HASH = 16  # hexadecimal digits
COUNTED = (
    *("pastes", "pasted", "moved", "typed", "replaced", "placed"),
    *("keys", "erased", "away", "away_seconds", "resumed"),
)
HASHED = ("network", "device")


@dataclass(frozen=True)
class PageCounts:
    """The counts of one task. Lengths are in characters of the text box.

    pastes: how often something was pasted or dropped. pasted: characters, without those that the
        given text has too, which are `moved`.
    typed: by keys, on-screen keyboards and dictation. replaced: by corrections that the browser or
        the system offers. placed: by scripts.
    keys: pressed in the text box. erased: those of them that delete.
    away: how often the page lost the focus. away_seconds: for how long in total.
    resumed: 1 if the page was loaded again meanwhile, so the counts are not all.
    rhythm: how many times between two keys fall into each class of `RHYTHM`.
    network, device: keyed hashes; "" if unknown.
    """

    pastes: int = 0
    pasted: int = 0
    moved: int = 0
    typed: int = 0
    replaced: int = 0
    placed: int = 0
    keys: int = 0
    erased: int = 0
    away: int = 0
    away_seconds: int = 0
    resumed: int = 0
    rhythm: tuple[int, ...] = (0,) * (len(RHYTHM) + 1)
    network: str = ""
    device: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON without what is 0 or unknown, which `stored` takes back."""
        said: dict[str, Any] = {name: getattr(self, name) for name in (*COUNTED, *HASHED)}
        found = {name: value for name, value in said.items() if value}
        return {**found, "rhythm": list(self.rhythm)} if any(self.rhythm) else found

    def plus(self, more: Self) -> Self:
        """Return both together, of one task that was opened again; hashes that are known stay."""
        sums: dict[str, Any] = {
            name: min(getattr(self, name) + getattr(more, name), MOST) for name in COUNTED
        }
        sums["resumed"] = min(sums["resumed"], 1)
        names = {name: getattr(self, name) or getattr(more, name) for name in HASHED}
        rhythm = (min(a + b, MOST) for a, b in zip(self.rhythm, more.rhythm, strict=True))
        return type(self)(**sums, **names, rhythm=tuple(rhythm))

    @classmethod
    def stored(cls, value: Mapping[str, Any]) -> Self:
        """Read the output of `as_data`."""
        return cls(**{**value, "rhythm": _rhythm(value.get("rhythm"))})


def sent(value: Any) -> PageCounts | None:
    """Read what a page sent, whatever it is: a count is clipped, and what is no count is left out.

    None if it is no object: then nothing is known of the task. The hashes are not the page's.
    """
    if not isinstance(value, Mapping):
        return None
    counts: dict[str, Any] = {name: _count(value.get(name)) for name in COUNTED}
    counts["resumed"] = min(counts["resumed"], 1)
    return PageCounts(**counts, rhythm=_rhythm(value.get("rhythm")))


def screen_of(value: Any) -> str:
    """Return what the page says about its device; "" if it is no text or a very long one."""
    said = value.get("screen") if isinstance(value, Mapping) else None
    return said if isinstance(said, str) and len(said) <= LONGEST_SCREEN else ""


def hashed(key: bytes, kind: str, value: str) -> str:
    """Return a short name for a value that only the key can connect with it; "" stays ""."""
    if not value:
        return ""
    text = f"{kind}:{value}".encode(errors="replace")
    return hmac.new(key, text, hashlib.sha256).hexdigest()[:HASH]


def _count(value: Any) -> int:
    """Return a number as a count from 0 to `MOST`; 0 for anything else."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return max(0, min(value, MOST))
    if isinstance(value, float) and math.isfinite(value):
        return int(max(0.0, min(value, float(MOST))))
    return 0


def _rhythm(value: Any) -> tuple[int, ...]:
    classes = len(RHYTHM) + 1
    given = value[:classes] if isinstance(value, list) else []
    return tuple(_count(one) for one in given) + (0,) * (classes - len(given))
