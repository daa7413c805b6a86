"""Subjects inside layers: no circle between them, no crowded folder."""

import pytest

from tests.architecture.subjects import ORDER, arrows, backwards, folders
from tests.architecture.test_imports import ROOT, modules, name_of

MOST_MODULES = 60  # in one folder


def sources(layer: str) -> dict[str, str]:
    return {
        name_of(path): path.read_text(encoding="utf-8")
        for path in modules()
        if name_of(path).startswith(f"{layer}.")
    }


@pytest.mark.parametrize("layer", ORDER)
def test_subjects_call_each_other_in_one_direction(layer: str) -> None:
    found = sources(layer)
    assert found
    assert backwards(layer, found) == set()


@pytest.mark.parametrize(
    "layer", ["annotate.services", "annotate.selectors", "annotate.views", "estimation.core"]
)
def test_there_are_arrows_to_be_kept_in_order(layer: str) -> None:
    assert set(arrows(layer, sources(layer)))


@pytest.mark.parametrize(
    "source",
    [
        "from annotate.services.work import leasing",
        "from annotate.services.work.leasing import lease",
        "import annotate.services.work.leasing",
        "def f():\n    from annotate.services.review import rulings",
        "from ..work import leasing",
    ],
)
def test_an_arrow_back_is_found(source: str) -> None:
    assert backwards("annotate.services", {"annotate.services.pay.payouts": source})


@pytest.mark.parametrize(
    "source",
    [
        "from annotate.services import audit, locks",
        "from annotate.services.outbox import intents",
        "from annotate.services.pay import promises",
        "from annotate.selectors.work import admission",
    ],
)
def test_what_is_for_all_is_no_arrow_back(source: str) -> None:
    assert not backwards("annotate.services", {"annotate.services.pay.payouts": source})


def test_no_folder_holds_more_than_a_reader_can_keep_in_mind() -> None:
    found = folders(ROOT, ("annotate", "estimation", "config", "extras", "bench", "tests"))
    assert len(found) > 40
    assert {name: n for name, n in found.items() if n > MOST_MODULES} == {}
