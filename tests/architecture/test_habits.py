"""Habits of writing that a formatter or a type checker cannot see."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("annotate", "estimation", "config", "extras", "client", "bench", "tests")
MOST_UNFORMATTED = 30
MARK = "# fmt: " + "skip"


def test_the_formatter_may_format_nearly_everything():
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    marks = sum(path.read_text(encoding="utf-8").count(MARK) for path in sources)
    assert len(sources) > 500
    assert marks < MOST_UNFORMATTED
