"""Documents name what exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOWS = (ROOT / "docs" / "flows.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:annotate|estimation)(?:\.\w+)+)`", FLOWS)))


def test_the_flows_name_the_code() -> None:
    assert len(NAMED) > 15


@pytest.mark.parametrize("name", NAMED)
def test_what_the_flows_name_exists(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(module), attribute)
