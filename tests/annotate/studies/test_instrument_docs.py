"""What docs/instruments.md shows is taken as it stands."""

import json
import re
from pathlib import Path

from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.reading import read
from annotate.instruments.tutorials import reading

PAGE = Path(__file__).resolve().parents[3] / "docs" / "instruments.md"
DEFINITION, TUTORIAL = (
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
)


def test_the_documented_definition_is_one():
    instrument = Rating(read(DEFINITION))
    assert [criterion.name for criterion in instrument.criteria] == ["works", "clear", "edit"]
    assert instrument.definition.takes_evidence


def test_the_documented_tutorial_fits_it():
    instrument = Rating(read(DEFINITION))
    found = reading.read(TUTORIAL, instrument=instrument.key, criteria=instrument.criteria)
    assert [question.key for question in found.questions] == ["order", "shorten"]
