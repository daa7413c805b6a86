"""What a module writes of states, the fields that say how a row stands, found in its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# `assignment` is a state where it is updated: it is the holder of a slot.
STATES = {
    "answered_at",
    "pay_refused",
    "restored_at",
    "status",
    "stop_position",
    "stopped_at",
    "superseded_at",
}
HOLDER = "assignment"
SAVES = {"save", "asave"}
UPDATES = {"update", "aupdate", "bulk_update", "abulk_update", *SAVES}
CREATES = {
    "acreate",
    "aget_or_create",
    "aupdate_or_create",
    "create",
    "get_or_create",
    "update_or_create",
}
ANY = "*"  # names that only exist when it runs


@dataclass(frozen=True, order=True)
class Write:
    module: str
    kind: str
    field: str


def writes(module: str, source: str, *, models: set[str]) -> Iterator[Write]:
    """Yield what `source` writes of states: by queries, by attributes, by new rows of `models`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for kind, field in _of_call(node, models):
                yield Write(module, kind, field)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            for field in _of_assignment(node):
                yield Write(module, "attribute", field)


def changes(source: str) -> list[str]:
    """Return the table of each call of `transitions.change`, as it is written."""
    called = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        ast.unparse(call.args[1])
        for call in called
        if _name(call) == "change" and "record" in _named(call)
    ]


def _of_call(call: ast.Call, models: set[str]) -> Iterator[tuple[str, str]]:
    name = _name(call)
    on_object = isinstance(call.func, ast.Attribute)
    if name in UPDATES and on_object:
        unknown = set() if name in SAVES else {ANY}
        yield from (("update", field) for field in _named(call) & (STATES | {HOLDER} | unknown))
        yield from (("update", field) for field in _texts(call) & STATES)
    elif name in CREATES and on_object:
        yield from (("create", field) for field in (_named(call) | _texts(call)) & STATES)
    elif name in models:
        yield from (("create", field) for field in _named(call) & STATES)
    elif name == "setattr":
        name_given = call.args[1]
        known = isinstance(name_given, ast.Constant)
        field = str(name_given.value) if known else ANY
        if field in STATES | {ANY}:
            yield "attribute", field


def _of_assignment(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        for one in ast.walk(target):
            is_field = isinstance(one, ast.Attribute) and one.attr in STATES
            if is_field and not (isinstance(one.value, ast.Name) and one.value.id == "self"):
                yield one.attr


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _named(call: ast.Call) -> set[str]:
    return {keyword.arg or ANY for keyword in call.keywords}


def _texts(call: ast.Call) -> set[str]:
    """Return the texts in its arguments: update_fields=["status"], defaults={"status": …}."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return {
        str(node.value)
        for one in given
        for node in ast.walk(one)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def sources() -> dict[str, str]:
    """Return the source of each module of the product and of extras, by its name."""
    found = {}
    for room in ("annotate", "estimation", "config", "extras"):
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "migrations" not in parts and "mturk_simulator" not in parts:
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[name] = path.read_text(encoding="utf-8")
    return found


WRITES = {"create", "delete", "select_for_update", "get_or_create", *SAVES, *UPDATES, *CREATES}
WRITES |= {"bulk_create", "abulk_create", "adelete"}
QUERIES = {"all", "exclude", "filter", "objects", "order_by", "get"}


def written(source: str) -> Iterator[str]:
    """Yield calls that write to the database: `.save()`, and verbs at the end of a query."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            way = {one.attr for one in ast.walk(node.func.value) if isinstance(one, ast.Attribute)}
            name = node.func.attr
            if name in SAVES or (name in WRITES and not QUERIES.isdisjoint(way)):
                yield f"{node.lineno}: .{name}"
