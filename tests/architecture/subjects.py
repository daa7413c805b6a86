"""The subjects inside the layers, and which of them may call which."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.architecture.rules import imports

# In each layer a subject calls only those that stand before it. What is in the layer itself, or
# in a folder that is no subject (`services/outbox`), is for all of them.
ORDER: Mapping[str, Sequence[str]] = {
    "annotate.services": (
        "accounts",
        "pay",
        "studies",
        "work",
        "marketplace",
        "campaigns",
        "review",
    ),
    "annotate.selectors": (
        "accounts",
        "studies",
        "pay",
        "campaigns",
        "marketplace",
        "review",
        "work",
    ),
    "annotate.views": ("accounts", "campaigns", "pay", "review", "work", "marketplace", "studies"),
    "annotate.api": ("campaigns", "marketplace", "pay", "review", "studies", "work"),
    "annotate.forms": ("accounts", "campaigns", "marketplace", "pay", "review", "studies", "work"),
    "estimation.core": (
        "data",
        "intervals",
        "agreement",
        "estimators",
        "stopping",
        "simulation",
        "planning",
    ),
}
Arrow = tuple[str, str, str]  # the module, its subject, and the subject that it calls


def subject(name: str, layer: str) -> str:
    """Return the subject of a module of this layer; "" where it has none."""
    first = name.removeprefix(f"{layer}.").split(".")[0]
    return first if name != layer and first in ORDER[layer] else ""


def arrows(layer: str, sources: Mapping[str, str]) -> Iterator[Arrow]:
    """Yield what each module calls in other subjects of its layer. sources: name -> source."""
    for name, source in sources.items():
        if not (mine := subject(name, layer)):
            continue
        for target, _line in imports(ast.parse(source), name, is_package=False):
            other = subject(target, layer) if target.startswith(f"{layer}.") else ""
            if other not in ("", mine):
                yield name, mine, other


def backwards(layer: str, sources: Mapping[str, str]) -> set[Arrow]:
    """Return the arrows that run against the order of the layer."""
    place = {name: n for n, name in enumerate(ORDER[layer])}
    return {arrow for arrow in arrows(layer, sources) if place[arrow[1]] < place[arrow[2]]}


def folders(root: Path, rooms: Sequence[str]) -> dict[str, int]:
    """Return how many modules each folder holds, `__init__` not counted."""
    found: dict[str, int] = defaultdict(int)
    for room in rooms:
        for path in (root / room).rglob("*.py"):
            if path.name != "__init__.py" and "migrations" not in path.parts:
                found[str(path.parent.relative_to(root))] += 1
    return dict(found)
