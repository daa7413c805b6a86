"""Writes into these pages what stands with each variant: `make docs`.

Each kind of variant has a registry; the text of a variant lives in its folder (`about.md`) or with
its line of registration. A page holds it between two comments, which name the kind.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from annotate.crowds.registry import CROWDS
from annotate.instruments.registry import INSTRUMENTS
from estimation.core import REGISTERED
from estimation.metrics import METRICS

DOCS = Path(__file__).resolve().parent
ROOMS = DOCS.parent / "annotate"
NEEDS = {
    "nothing": "the text alone",
    "reference": "a reference",
    "paragraphs": "the input",
    "others": "the other systems",
}
BETTER = {True: "higher", False: "lower", None: "neither"}
TAKES = {"none": "none", "one": "one", "several": "one or more", "any": "none or more"}


def crowds() -> str:
    head = ["| `crowd` | who | paid by |", "|---|---|---|"]
    return "\n".join([*head, *(_about("crowds", key) for key in CROWDS)])


def instruments() -> str:
    folders = dict.fromkeys(type(one).__module__.split(".")[2] for one in INSTRUMENTS.values())
    return "\n\n".join(_about("instruments", folder) for folder in folders)


def metrics() -> str:
    rows = [
        (f"`{one.name}`", one.description, NEEDS[one.needs], BETTER[one.higher_is_better])
        for one in METRICS.values()
    ]
    return _table(("name", "what it is", "compares with", "better"), rows)


def estimators() -> str:
    rows = [(f"`{one.key}`", TAKES[one.metrics], one.about) for one in REGISTERED.values()]
    return _table(("name", "metrics", "what it is"), rows)


KINDS: dict[str, tuple[str, Callable[[], str]]] = {
    "crowds": ("crowds.md", crowds),
    "instruments": ("instruments.md", instruments),
    "metrics": ("metrics.md", metrics),
    "estimators": ("statistics.md", estimators),
}


def collected(kind: str) -> tuple[Path, str]:
    """Return the page of a kind of variants, and its text with what is registered now."""
    name, collect = KINDS[kind]
    page = DOCS / name
    between = re.compile(rf"(<!-- {kind}: make docs -->\n).*?(\n<!-- end of {kind} -->)", re.DOTALL)
    text, n = between.subn(
        lambda found: f"{found[1]}{collect()}{found[2]}", page.read_text(encoding="utf-8")
    )
    if n != 1:
        raise ValueError(f"{page} has no place for the {kind}.")
    return page, text


def _about(room: str, folder: str) -> str:
    return (ROOMS / room / folder / "about.md").read_text(encoding="utf-8").strip()


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head)]
    lines.append(["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(row) + " |" for row in [*lines, *map(list, rows)])


if __name__ == "__main__":
    for kind in KINDS:
        page, text = collected(kind)
        page.write_text(text, encoding="utf-8")
