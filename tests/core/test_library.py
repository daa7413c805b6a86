"""The library as its users meet it: exported names are documented, and examples are true."""

import ast
import builtins
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from concurrent.futures import process
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import estimation.core
import estimation.core.planning
import estimation.core.simulation
import estimation.metrics

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    estimation.core,
    estimation.core.planning,
    estimation.core.simulation,
    estimation.metrics,
)
ADDRESSES = {package.__name__ for package in PACKAGES}
BY_LAST = {name.rpartition(".")[2]: [name] for name in ADDRESSES}
GUIDES = ("library.md", "statistics.md")
EXPORTED = [(package, name) for package in PACKAGES for name in package.__all__]
FUNCTIONS = [pair for pair in EXPORTED if inspect.isfunction(getattr(*pair))]
CLASSES = [pair for pair in EXPORTED if inspect.isclass(getattr(*pair))]
ROOMS = (estimation.core, estimation.metrics, estimation.core.planning, builtins, process)
OWN = ("core", "metrics")
USERS = ("annotate", "estimation", "extras", "bench")
PURE = ("estimation.core", "estimation.metrics")


LIBRARY = [
    found.name
    for package in (estimation.core, estimation.metrics)
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", LIBRARY)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.slow
def test_the_guide_runs() -> None:
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    plain = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)  # a fence would count as output
    guide = doctest.DocTestParser().get_doctest(plain, {}, "library.md", "library.md", 0)
    assert len(guide.examples) > 50
    assert doctest.DocTestRunner().run(guide).failed == 0


def described(owner: object, what: str = "") -> set[str]:
    """The names that a docstring describes, in lines such as "name, name: ..."."""
    heads = re.findall(rf"^{what}([\w, ]+): ", inspect.getdoc(owner) or "", flags=re.MULTILINE)
    return {name.strip() for head in heads for name in head.split(",")}


@pytest.mark.parametrize(("package", "name"), FUNCTIONS, ids=[name for _, name in FUNCTIONS])
def test_a_function_tells_its_arguments_and_errors(package: ModuleType, name: str) -> None:
    function = getattr(package, name)
    assert set(inspect.signature(function).parameters) <= described(function)
    for error in described(function, "Raises "):
        raised = next(getattr(room, error) for room in ROOMS if hasattr(room, error))
        assert issubclass(raised, Exception)


@pytest.mark.parametrize(("package", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_a_class_describes_its_fields_and_methods(package: ModuleType, name: str) -> None:
    cls = getattr(package, name)
    if dataclasses.is_dataclass(cls):
        told = set().union(*map(described, cls.__mro__))
        assert {field.name for field in dataclasses.fields(cls)} <= told
    for method, value in vars(cls).items():
        if not method.startswith("_") and callable(getattr(value, "__func__", value)):
            assert inspect.getdoc(getattr(cls, method)), method


@pytest.mark.parametrize(("package", "name"), EXPORTED, ids=[name for _, name in EXPORTED])
def test_citations_and_references_belong_together(package: ModuleType, name: str) -> None:
    text = inspect.getdoc(getattr(package, name)) or ""
    references = set(re.findall(r"^\.\. \[(\d+)\]", text, flags=re.MULTILINE))
    assert set(re.findall(r"\[(\d+)\]_", text)) <= references


@pytest.mark.slow
def test_nothing_is_exported_that_is_neither_used_nor_documented() -> None:
    used = {name for path in sources(*USERS) for _, name in library_imports(path)}
    guides = "".join((ROOT / "docs" / guide).read_text(encoding="utf-8") for guide in GUIDES)
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", guides))))
    assert {name for _, name in EXPORTED} - used - told == set()


@pytest.mark.slow
def test_a_name_has_one_address() -> None:
    names = [name for _, name in EXPORTED]
    assert len(names) == len(set(names))
    exported = {name: package.__name__ for package, name in EXPORTED}
    elsewhere = {
        f"{path.relative_to(ROOT)}: {name} from {module}"
        for path in sources(*USERS, "tests")
        for module, name in library_imports(path)
        if name in exported and module != exported[name]
    }
    assert elsewhere == set()


@pytest.mark.slow
def test_users_of_the_library_know_none_of_its_modules() -> None:
    deep = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources(*USERS)
        for module, _ in library_imports(path)
        if module not in ADDRESSES
    }
    assert deep == set()


def sources(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            own_room = any(path.is_relative_to(ROOT / "estimation" / own) for own in OWN)
            if not own_room:
                yield path


@cache
def library_imports(path: Path) -> tuple[tuple[str, str], ...]:
    """(module, name) of what a file imports from the library, however it does so."""
    text = path.read_text(encoding="utf-8")
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found += [f"{one}.{node.attr}" for one in BY_LAST.get(node.value.id, ())]
    library = (name for name in found if f"{name}.".startswith(tuple(f"{one}." for one in PURE)))
    parts = (name.rpartition(".") for name in library)
    return tuple((module, name) for module, _, name in parts if f"{module}.{name}" not in ADDRESSES)
