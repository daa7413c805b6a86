"""The manifest of an export: the checksum of each file, and what made it."""

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import Any

from config.version import VERSION

NAME = "manifest.json"
FORMAT = 1
LIBRARIES = ("numpy", "scipy")  # they make the numbers

ABOUT = """The SHA-256 and the size of each file, the versions of what made them, and whether the
newest estimates rest on everything in here (`current`; false while some wait to be made).
`manage.py verify FILE.zip` checks this, and makes the estimates and decisions again."""

Files = Iterator[tuple[str, Iterable[bytes]]]


def versions() -> dict[str, str]:
    """Return the versions of Plumbline, Python and the libraries that make the numbers."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"plumbline": VERSION, "python": platform.python_version(), **libraries}


class Checksums:
    """Adds up what files hold while they pass, and hands on a manifest after them.

    is_current: asked when all files have passed.
    """

    def __init__(self, is_current: Callable[[], bool]) -> None:
        self._is_current = is_current
        self._files: dict[str, dict[str, Any]] = {}

    def over(self, files: Files) -> Files:
        for name, parts in files:
            yield name, self._passing(name, parts)
        told = {
            "format": FORMAT,
            "made_with": versions(),
            "current": self._is_current(),
            "files": self._files,
        }
        yield NAME, [json.dumps(told, indent=2).encode() + b"\n"]

    def _passing(self, name: str, parts: Iterable[bytes]) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        for part in parts:
            digest.update(part)
            size += len(part)
            yield part
        self._files[name] = {"sha256": digest.hexdigest(), "bytes": size}
