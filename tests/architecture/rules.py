"""The dependency rule of the architecture, as a function of a module's name and source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

PURE = ("estimation.core", "estimation.metrics")
PRODUCT = ("annotate", "estimation", "config")
OPEN_TO_ESTIMATION = (
    "annotate.api.base",
    "annotate.api.listed",
    "annotate.errors",
    "annotate.text.figures",
    "annotate.instruments.base",
    "annotate.instruments.registry",
    "annotate.permissions",
    "annotate.selectors",
    "annotate.services",
    "annotate.signals",
    "annotate.states",
    "annotate.tables",
    "annotate.tokens",
)
OPTIONAL = ("extras", "bench")
PLAIN = ("annotate.crowds", "annotate.instruments", "annotate.screening")
SIMULATOR = "extras.mturk_simulator"  # a server of its own
# Instruments translate what they ask; beyond that they know nothing of Django.
PLAIN_DJANGO = ("django.utils",)
REQUESTS = ("django.http", "django.views", "django.shortcuts", "rest_framework")
BOUNDED = ("annotate", "estimation", "extras")
BOUNDARIES = ("views", "api", "tasks", "management", "admin")
# Pages and endpoints that only read (types, serializers, querysets); this list may only shrink.
READS_MODELS = {
    "annotate.api.campaigns.views",
    "annotate.api.campaigns.queries",
    "annotate.api.campaigns.content_serializers",
    "annotate.api.campaigns.serializers",
    "annotate.management.commands.create_campaign",
    "annotate.views.campaigns.listing",
    "annotate.views.campaigns.people",
    "estimation.api.serializers",
    "estimation.api.views",
}
WRITES = {
    "abulk_create",
    "acreate",
    "adelete",
    "asave",
    "aupdate",
    "bulk_create",
    "bulk_update",
    "create",
    "delete",
    "get_or_create",
    "select_for_update",
    "update",
    "update_or_create",
}
QUERIES = {"all", "exclude", "filter", "objects", "order_by", "get"}


@dataclass(frozen=True)
class Breach:
    module: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.message}"


def breaches(module: str, source: str, *, is_package: bool = False) -> list[Breach]:
    """Return where `source`, which is `module`, breaks the rule."""
    tree = ast.parse(source)
    found = [
        Breach(module, line, f"imports {target}: {problem}")
        for target, line in imports(tree, module, is_package=is_package)
        for problem in import_problems(module, target)
    ]
    if is_boundary(module):
        found += [
            Breach(module, line, f"writes to the database (.{name}): that is for services")
            for name, line in writes(tree)
        ]
    return found


def imports(tree: ast.AST, module: str, *, is_package: bool) -> Iterator[tuple[str, int]]:
    """Yield each imported name in full, inside functions and `TYPE_CHECKING` too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module, is_package=is_package)
            for alias in node.names:
                yield f"{base}.{alias.name}", node.lineno
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            argument = node.args[0] if node.args else None
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value, node.lineno


def _absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def within(name: str, *rooms: str) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


def is_boundary(module: str) -> bool:
    parts = module.split(".")
    return parts[0] in ("annotate", "estimation", "extras") and any(
        part in BOUNDARIES for part in parts[1:]
    )


def import_problems(module: str, target: str) -> Iterator[str]:
    if within(module, *PRODUCT) and within(target, *OPTIONAL):
        yield "the product works without extras and bench"
    if within(module, SIMULATOR) and within(target, *PRODUCT, "django"):
        yield "the simulator is another site: it knows nothing of the product"
    if within(module, *PURE):
        yield from _of_pure(module, target)
    elif within(module, "annotate"):
        if within(target, "estimation") and not within(target, *PURE):
            yield "annotate takes only the pure library from estimation"
    elif (
        within(module, "estimation")
        and within(target, "annotate")
        and not within(target, *OPEN_TO_ESTIMATION)
    ):
        yield "this room of annotate is closed to estimation"
    if within(module, *PLAIN):
        yield from _of_plain(target)
    if within(target, "boto3", "botocore") and not _of_amazon(module, target):
        yield "boto3 belongs in annotate.crowds.mturk alone"
    if is_boundary(module) and module not in READS_MODELS and _is_models(target):
        yield "pages, endpoints, tasks and commands go through services and selectors"


def _of_amazon(module: str, target: str) -> bool:
    """The simulator reads botocore's model of the service; only the adapter calls it."""
    simulator = within(module, SIMULATOR) and within(target, "botocore")
    adapter = within(module, "annotate.crowds.mturk")
    return simulator or adapter


def _of_pure(module: str, target: str) -> Iterator[str]:
    if within(target, "django", "rest_framework", "celery"):
        yield "the library is pure: no Django"
    if within(target, *PRODUCT) and not within(target, *PURE):
        yield "the library knows nothing of the product"


def _of_plain(target: str) -> Iterator[str]:
    if _is_models(target) or within(target, "django.db"):
        yield "instruments, screening and crowds know no ORM"
    elif within(target, *REQUESTS):
        yield "instruments, screening and crowds know no request"
    elif within(target, "django") and not within(target, *PLAIN_DJANGO):
        yield "instruments, screening and crowds take plain values"


def _is_models(target: str) -> bool:
    return within(target, "annotate.models", "estimation.models")


def writes(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield calls that write: `.save()`, and writing verbs at the end of a query."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if name in ("save", "asave") or (
            name in WRITES and not QUERIES.isdisjoint(_chain(node.func.value))
        ):
            yield name, node.lineno


def _chain(node: ast.AST) -> Iterator[str]:
    """Yield the attributes on the way to `node`: Campaign.objects.filter(…) → filter, objects."""
    while True:
        if isinstance(node, ast.Attribute):
            yield node.attr
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return
