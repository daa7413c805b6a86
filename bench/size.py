"""The size of the house: `python -m bench.size` prints one table.

What stands in the files is counted; the modules that a flow opens are told by a profiler.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("annotate", "estimation", "config")
CARRIERS = {"dataclass", "NamedTuple", "TypedDict", "Protocol"}


def python(*folders: str) -> list[Path]:
    """Return the Python files of folders, without migrations."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if "migrations" not in path.parts]


def lines(paths: list[Path]) -> int:
    return sum(len(path.read_text().splitlines()) for path in paths)


def classes(paths: list[Path]) -> Iterator[ast.ClassDef]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                yield node


def is_carrier(one: ast.ClassDef) -> bool:
    names = {ast.unparse(part).split("(")[0] for part in (*one.decorator_list, *one.bases)}
    return bool({name.split("[")[0].rpartition(".")[2] for name in names} & CARRIERS)


def words(paths: list[Path]) -> int:
    return sum(len(path.read_text().split()) for path in paths)


def opened(act: Callable[[], Any]) -> int:
    """Return how many modules of the product an act runs code of."""
    found = set()

    def note(frame: Any, event: str, _arg: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            found.add(path.relative_to(ROOT))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return sum(path.parts[0] in PRODUCT and "models" not in path.parts for path in found)


def flows() -> Iterator[tuple[str, int]]:
    """Run the flows on the servers of the tests; yield the modules that each opens."""
    from bench.database import prepare

    prepare()
    from annotate.campaigns import creating, life, reading
    from annotate.review import reviews, rulings
    from annotate.work import leasing, submitting
    from estimation import refresh
    from tests import factories

    owner = factories.user("size")
    wide = {"systems": ("alpha",), "targets": {"overall": 1.6}, "double_share": 0}
    study = factories.campaign(items=120, owner=owner, **wide)
    cast = [factories.person(study, f"p{number}") for number in range(10)]

    def judge(turns: int) -> None:
        for turn in range(turns):
            got = leasing.lease(cast[turn % len(cast)].pk)
            submitting.submit_judgment(
                got.pk, participation_id=cast[turn % len(cast)].pk, raw=factories.GOOD
            )

    def work() -> None:
        judge(60)
        while refresh.refresh(study.pk):
            pass

    judge(20)
    yield "submit, estimate, stop", opened(work)

    def create() -> None:
        text = b'{"item": "1", "system": "a", "output": "One text."}\n'
        made = creating.create(factories.plan(metrics=()), reading.rows([text]), owner_id=owner.pk)
        life.open_(made.pk, actor_id=owner.pk)

    yield "file, open campaign", opened(create)
    other = factories.campaign(items=30, owner=owner, **(wide | {"targets": {"overall": 0.01}}))
    cast = [factories.person(other, f"q{number}") for number in range(5)]
    judge(30)
    refresh.refresh(other.pk)
    review = reviews.open_by_hand(other.pk, cast[0].annotator_id, actor_id=owner.pk)

    def rule() -> None:
        acts = [rulings.Act.EXCLUDE]
        rulings.rule(review, acts, reason="Careless.", actor_id=owner.pk)
        refresh.refresh(other.pk)

    yield "ruling, new estimate", opened(rule)


def main() -> None:
    product, tests = python(*PRODUCT), python("tests")
    made = list(classes(product))
    docs = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    path = [ROOT / "README.md", ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"]
    modules = [one for one in product if one.name != "__init__.py" or one.read_text().strip()]
    rows: list[tuple[str, object]] = [
        ("product modules (target 200)", len(modules)),
        ("product lines (60,000)", lines(product)),
        ("dataclasses and their like (160)", sum(map(is_carrier, made))),
        ("classes (600)", len(made)),
        ("test lines (65,000)", lines(tests)),
        ("bench lines (3,500)", lines(python("bench"))),
        ("extras lines (5,000)", lines(python("extras"))),
        ("words of documents (45,000)", words(docs)),
        ("words of a newcomer's path (4,000)", words(path)),
        ("decisions (12)", len(list((ROOT / "docs" / "decisions").glob("*.md")))),
        ("words of the changelog (1,500)", words([ROOT / "CHANGELOG.md"])),
    ]
    for name, value in rows:
        print(f"{name:<40} {value:>8,}")
    if "--flows" in sys.argv:
        for name, value in flows():
            print(f"{'modules opened: ' + name:<40} {value:>8,}", flush=True)


if __name__ == "__main__":
    main()
