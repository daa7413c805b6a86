"""One name for one thing: public classes of one name in two modules."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.architecture.test_imports import modules, name_of

MOST_SHARED = 16
COMMANDS = {"Command"}  # Django's own name for each of them


def public_classes(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def shared(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the names of public classes that several modules define, with these modules."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, source in sources.items():
        for name in public_classes(source):
            found[name].add(module)
    return {name: where for name, where in found.items() if len(where) > 1 and name not in COMMANDS}


def test_classes_have_names_of_their_own() -> None:
    sources = {
        name_of(path): path.read_text(encoding="utf-8")
        for path in modules()
        if not name_of(path).startswith("bench.")
    }
    assert len(sources) > 300
    found = shared(sources)
    assert len(found) < MOST_SHARED, found


def test_a_shared_name_is_found() -> None:
    row, private, command = "class Row: ...", "class _Row: ...", "class Command: ..."
    assert shared({"a": row, "b": row, "c": private}) == {"Row": {"a", "b"}}
    assert not shared({"a": row, "b": private, "c": private})
    assert not shared({"a": command, "b": command})
