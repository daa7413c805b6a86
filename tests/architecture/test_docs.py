"""Documents name what exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from annotate.crowds.registry import CROWDS
from annotate.instruments.registry import INSTRUMENTS
from annotate.screening.screens import SCREENS
from docs.collect import KINDS, collected
from estimation.core import REGISTERED
from estimation.metrics import METRICS

ROOT = Path(__file__).resolve().parents[2]
FLOWS = (ROOT / "docs" / "flows.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:annotate|estimation)(?:\.\w+)+)`", FLOWS)))


def test_the_flows_name_the_code() -> None:
    assert len(NAMED) > 15


@pytest.mark.parametrize("name", NAMED)
def test_what_the_flows_name_exists(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(module), attribute)


REGISTRIES: dict[str, dict[str, object]] = {
    "crowds": {**CROWDS},
    "instruments": {**INSTRUMENTS},
    "metrics": {**METRICS},
    "estimators": {**REGISTERED},
}


def test_every_kind_of_variant_has_its_page() -> None:
    assert set(KINDS) == set(REGISTRIES)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_pages_tell_of_the_variants_that_are_registered(kind: str) -> None:
    """`make docs` writes them anew."""
    page, text = collected(kind)
    assert page.read_text(encoding="utf-8") == text
    for key in REGISTRIES[kind]:
        assert f"`{key}`" in text or f"**{key}.**" in text


def test_the_page_about_screens_tells_of_each() -> None:
    text = (ROOT / "docs" / "screening.md").read_text(encoding="utf-8")
    for key in SCREENS:
        assert f"**{key}.**" in text
