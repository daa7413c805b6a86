"""Variants are known by their registries: nothing outside their own folders spells their names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.crowds.registry import CROWDS
from annotate.instruments.registry import INSTRUMENTS
from annotate.screening.screens import SCREENS
from estimation.metrics import METRICS

ROOT = Path(__file__).resolve().parents[2]
OWN = {
    "annotate/crowds": {key for key in CROWDS if key != "link"},
    "annotate/screening": set(SCREENS),
    "annotate/instruments": set(INSTRUMENTS),
    "estimation/metrics": {name for name in METRICS if name not in ("length", "ter")},
}
# What a new campaign starts from, and what belongs to one variant alone.
ALLOWED = {
    "annotate/services/campaigns/plans.py": {"language_quality"},
    "annotate/services/marketplace/events.py": {"prolific"},
    "annotate/management/commands/prolific_events.py": {"prolific"},
}


def sources() -> Iterator[Path]:
    for room in ("annotate", "config", "estimation"):
        yield from sorted((ROOT / room).rglob("*.py"))
    yield from sorted((ROOT / "templates").rglob("*.html"))


def spelled(path: Path, names: set[str]) -> set[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return {name for name in names if f'"{name}"' in text or f"'{name}'" in text}
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return names & {value for value in constants if isinstance(value, str)}


@pytest.mark.parametrize("room", OWN)
def test_no_other_room_spells_the_name_of_a_variant(room: str) -> None:
    found = {}
    for path in sources():
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(f"{room}/") and "/migrations/" not in where:
            found[where] = spelled(path, OWN[room]) - ALLOWED.get(where, set())
    assert {where: names for where, names in found.items() if names} == {}


def test_no_other_room_looks_into_the_folder_of_a_variant() -> None:
    folders = {
        f"annotate.{room}.{path.name}"
        for room in ("crowds", "instruments", "screening")
        for path in (ROOT / "annotate" / room).iterdir()
        if (path / "about.md").is_file()
    } - {"annotate.crowds.link"}
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if path.suffix == ".py" and not set(imported(path)).isdisjoint(folders)
    }
    outside = {where for where in found if not where.startswith(tuple(OWN))}
    assert outside <= set(ALLOWED)


def imported(path: Path) -> Iterator[str]:
    """The packages that a module imports from, three names of each."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                yield ".".join(f"{node.module}.{name.name}".split(".")[:3])
