"""Keys say why, as a whole: the product never parses one, nor looks into a payload by hand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("annotate", "estimation", "config")
MOVED = "migrations"  # they read rows as earlier versions wrote them
PARTS = re.compile(
    r"""
    \bkey__(i?startswith|i?endswith|i?contains|i?regex|in|gte?|lte?)\b  # matched
    | \b\w*key\.(r?split|r?partition|removeprefix|startswith|index|find)\(  # parsed
    | \bkey=\w*(OuterRef|Concat|Cast|F)\(  # joined on
    | \bpayload(\[|\.get\(|__)  # a payload is read by its form
    | \barguments(\[|\.get\(|__)
    """,
    re.VERBOSE,
)
FOUND = (
    'rows.filter(key__startswith=f"bonus:{pk}:")',
    "Payout.objects.filter(key__in=keys)",
    'int(key.split(":")[2])',
    'op.key.removeprefix("bonus:")',
    'filter(key=Concat(Value("bonus:"), "pk"))',
    'op.payload["entry"]',
    'op.payload.get("amount")',
    "filter(payload__person=person)",
    'op.arguments["entry"]',
    "filter(arguments__entry__in=ids)",
)
FINE = ('intend(payload, key=f"bonus:{pk}:0")', "filter(external_key__in=units)", "**arguments")


def problems(source: str) -> list[str]:
    return [line.strip() for line in source.splitlines() if PARTS.search(line)]


@pytest.mark.parametrize("line", FOUND)
def test_a_key_that_is_parsed_is_found(line: str) -> None:
    assert problems(line) == [line]


@pytest.mark.parametrize("line", FINE)
def test_a_key_as_a_whole_is_fine(line: str) -> None:
    assert problems(line) == []


def test_the_product_parses_no_key_and_opens_no_payload_by_hand() -> None:
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    read = [path for path in sources if MOVED not in path.parts]
    assert len(read) > 300
    found = {
        str(path.relative_to(ROOT)): lines
        for path in read
        if (lines := problems(path.read_text(encoding="utf-8")))
    }
    assert found == {}
