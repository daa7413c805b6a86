"""Pages load nothing from elsewhere."""

import re
from pathlib import Path

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
