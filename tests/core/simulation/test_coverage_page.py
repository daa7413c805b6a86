"""docs/coverage.md is what docs/coverage.json says."""

from bench.coverage.__main__ import SEED
from bench.coverage.cells import CENSUS, STOPPING
from bench.coverage.results import read, rows_of
from bench.coverage.tables import PAGE, page


def test_the_page_is_written_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read())


def test_the_results_are_of_these_cells() -> None:
    results = read()
    assert (results["seed"], results["campaigns"]) == (SEED, 4000)
    assert [row.cell for row in rows_of(results["stopping"])] == list(STOPPING)
    assert [row.cell for row in rows_of(results["census"])] == list(CENSUS)
