"""Pages load nothing from elsewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADS = re.compile(
    r"""(?:\b(?:src|srcset|poster)\s*=\s*["']?|<link\b[^>]*\bhref\s*=\s*["']?|url\(\s*["']?|"""
    r"""@import\s+["']|\bfrom\s+["']|\bimport\s*\(?\s*["']|\bfetch\(\s*["'`])(?:https?:)?//""",
    re.IGNORECASE,
)


def test_pages_load_nothing_from_elsewhere():
    assets = [
        path
        for room in ("templates", "static", "annotate", "estimation", "extras")
        for path in sorted((ROOT / room).rglob("*"))
        if path.suffix in (".html", ".css", ".js", ".svg")
    ]
    assert assets
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in assets
        for match in LOADS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', True),
        ("@font-face { src: url(https://fonts.example/x.woff2) }", True),
        ('@import "https://fonts.example/css";', True),
        ('import { x } from "https://esm.example/x";', True),
        ('<svg xmlns="http://www.w3.org/2000/svg">', False),
        ('<a href="https://github.com/plumbline">source</a>', False),
        ('<script type="module" src="{% static \'js/shell.js\' %}"></script>', False),
        ('import { x } from "./x.js";', False),
    ],
)
def test_a_foreign_asset_is_told_from_a_link_for_people(text, is_foreign):
    assert bool(LOADS.search(text)) == is_foreign
