"""Documents name what exists, and their links lead somewhere."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from annotate.crowds.adapters import CROWDS
from annotate.instruments.registry import INSTRUMENTS
from annotate.screening.screens import SCREENS
from estimation.core import REGISTERED
from estimation.metrics import METRICS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "client/README.md")),
    *sorted(DOCS.rglob("*.md")),
]
IDS = [path.relative_to(ROOT).as_posix() for path in PAGES]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
PATH = re.compile(r"`((?:annotate|bench|client|config|docs|estimation|extras|tests)/[\w./-]+)`")
NAME = re.compile(r"`((?:annotate|estimation)(?:\.\w+)+)`")
REGISTRIES: dict[str, dict[str, object]] = {
    "screening.md": {**SCREENS},
    "crowds.md": {**CROWDS},
    "instruments.md": {**INSTRUMENTS},
    "metrics.md": {**METRICS},
    "statistics.md": {**REGISTERED},
}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        target, _, anchor = link.partition("#")
        if not target.startswith(("http://", "https://", "mailto:")):
            path = (page.parent / target).resolve() if target else page
            assert path.exists(), link
            assert not anchor or anchor in anchors(path), link


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_what_documents_name_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [path for path in PATH.findall(text) if not (ROOT / path).exists()] == []
    for name in NAME.findall(text):
        try:
            import_module(name)
        except ModuleNotFoundError:
            module, _, attribute = name.rpartition(".")
            assert hasattr(import_module(module), attribute), name


@pytest.mark.parametrize("name", REGISTRIES)
def test_each_kind_of_variant_has_a_page_that_names_them_all(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    missing = [
        key for key in REGISTRIES[name] if f"`{key}`" not in text and f"**{key}.**" not in text
    ]
    assert missing == []
