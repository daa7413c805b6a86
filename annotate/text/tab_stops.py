"""The tab width of a text whose columns are separated by tabs."""

from unicodedata import east_asian_width

STOPS = (4, 6, 9, 12)  # in em: `.tabs-4` and so on in static/css/base.css
LETTER = 0.5  # em, about the width of a letter
GAP = 1.0  # em, between a cell and the next
LINE = 34  # em, what fits beside the questions


def tab_stops(text: str) -> int | None:
    """Return how many em apart the tabs of a table are; None for a text that is no table.

    In a table tabs stand between cells, none at the start of a line as in code; cells are short,
    and their lines fit beside the questions.
    """
    lines = text.splitlines()
    if "\t" not in text or any(line.startswith("\t") for line in lines):
        return None
    rows = [line.rstrip().split("\t") for line in lines]
    widest = max((_width(cell) for row in rows for cell in row[:-1]), default=0)
    stops = [stop for stop in STOPS if widest and widest * LETTER + GAP <= stop]
    lines_fit = stops and all(_reach(row, stops[0]) <= LINE for row in rows)
    return stops[0] if lines_fit else None


def _reach(row: list[str], stop: int) -> float:
    """Return how wide a line is, in em."""
    return (len(row) - 1) * stop + _width(row[-1]) * LETTER


def _width(cell: str) -> int:
    """The letters of a cell; those of East Asian scripts are twice as wide."""
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in cell)
