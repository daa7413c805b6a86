"""Tables that are laid out by tabs, and texts that only have some."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.common.text import STOPS, tab_stops
from annotate.templatetags.plumbline import tabs
from tests.browser.annotators.kinds_of_text import CODE, LONG, TABLE

CELLS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=20)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("", None),
        ("a b", None),
        (CODE, None),
        (LONG, None),
        ("\ta\tb", None),
        ("a\t", None),
        ("a\tb", 4),
        ("a\tb\nc\td", 4),
        ("Norholm\t18,400", 6),
        (TABLE, 12),
        ("語" * 8 + "\tb", 9),
        ("a\tb\r\nc\td", 4),
        (f"{'x' * 40}\ty", None),
        ("a\tb\tc\td\te\tf\tg", 4),
        ("\t".join("abcdefghij"), None),
        (f"a\t{'x' * 60}", 4),
        (f"a\t{'x' * 61}", None),
        ("\t", None),
        ("a\n\n", None),
    ],
)
def test_what_a_table_is_and_how_wide_its_columns_are(text: str, stops: int | None) -> None:
    assert tab_stops(text) == stops
    assert tabs(text) == (f" tabs-{stops}" if stops else "")


@given(ROWS)
def test_no_cell_of_a_table_reaches_the_next_column(rows: list[list[str]]) -> None:
    text = "\n".join("\t".join(row) for row in rows)
    stops = tab_stops(text)
    assert stops is None or stops in STOPS
    if stops:
        assert all(len(cell) * 0.5 < stops for row in rows for cell in row[:-1])
