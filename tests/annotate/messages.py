"""Every sentence in the sources that is marked for translation, as its msgid."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[2]
SINGULAR = {"gettext", "gettext_lazy", "gettext_noop", "_"}
PLURAL = {"ngettext", "ngettext_lazy"}
STRING = r"""(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(rf"\b(?:_|gettext)\({STRING}\)|\bngettext\({STRING}, ?{STRING}")


def in_sources() -> set[str]:
    """Return the msgids of all templates and modules of the product."""
    found: set[str] = set()
    for room in ("templates", "annotate"):
        for path in (ROOT / room).rglob("*.html"):
            found |= set(_in_template(path))
    for room in ("annotate", "config", "estimation"):
        for path in (ROOT / room).rglob("*.py"):
            found |= set(_in_module(path))
    return found


def _in_template(path: Path) -> Iterator[str]:
    for match in IN_TEMPLATE.finditer(templatize(path.read_text(encoding="utf-8"))):
        yield ast.literal_eval(next(filter(None, match.groups())))


def _in_module(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {"gettext": "gettext", "ngettext": "ngettext"} | dict(_aliases(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if names.get(node.func.id) in SINGULAR | PLURAL and node.args:
            assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}: not a literal"
            yield node.args[0].value


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
