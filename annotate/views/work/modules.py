"""Which scripts a script imports, so that a page can ask for all of them at once.

Without it a browser learns of a module only from the one that imports it, round by round.
"""

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"\./([\w.-]+\.js)";', re.MULTILINE)


@cache
def imported(script: str) -> tuple[str, ...]:
    """Return the modules that `script`, a static file, imports at its start, and theirs."""
    folder, _slash, first = script.rpartition("/")
    seen: dict[str, None] = {}
    todo = [first]
    while todo:
        name = todo.pop(0)
        if name not in seen:
            seen[name] = None
            todo += IMPORT.findall(_source(f"{folder}/{name}"))
    return tuple(f"{folder}/{name}" for name in seen if name != first)


def _source(name: str) -> str:
    path = finders.find(name)
    return Path(path).read_text() if path else ""
