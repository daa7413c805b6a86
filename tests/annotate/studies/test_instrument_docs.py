"""What docs/instruments.md shows is taken as it stands."""

import json
import re
from pathlib import Path

from annotate.instruments import tutorials
from annotate.instruments.rating.instrument import Rating, read_definition

PAGE = Path(__file__).resolve().parents[3] / "docs" / "instruments.md"
DEFINITION, TUTORIAL = (
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
)


def test_the_documented_definition_is_one():
    instrument = Rating(read_definition(DEFINITION))
    assert [criterion.name for criterion in instrument.criteria] == ["works", "clear", "edit"]
    assert instrument.definition.takes_evidence


def test_the_documented_tutorial_fits_it():
    instrument = Rating(read_definition(DEFINITION))
    found = tutorials.read_tutorial(
        TUTORIAL, instrument=instrument.key, criteria=instrument.criteria
    )
    assert [question.key for question in found.questions] == ["order", "shorten"]
