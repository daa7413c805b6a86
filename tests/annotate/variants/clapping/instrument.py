"""An instrument of no use: how often one claps. Its page, script and tutorial are beside it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotate.instruments.base import Criterion, Instrument, InvalidResponse, Material
from annotate.instruments.tutorials import Tutorial, builtin

CLAPS = Criterion("claps", low=0, high=10, label="Claps", question="How often did you clap?")


class Clapping(Instrument):
    key = "clapping"
    version = scoring = "1"
    label = "Clapping"
    title = "Clap for texts"
    about = "You read texts, and clap."
    criteria = (CLAPS,)
    template = "work/clapping.html"
    folder = Path(__file__).parent
    minutes = "1"
    needs_paragraphs = False
    needs_input = False
    example = Material("A text that deserves it.")

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        if type(raw.get("claps")) is not int:
            raise InvalidResponse({"claps": "Clap a whole number of times."})
        return {"claps": raw["claps"]}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        return {"claps": float(response["claps"])}

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        return False

    def recalled(self, response: Mapping[str, Any]) -> str:
        return f"clapped {response['claps']} times"

    def page(self, material: Material) -> dict[str, Any]:
        return {}

    def strings(self) -> dict[str, Any]:
        return {}

    def tutorial(self, language: str) -> Tutorial | None:
        return builtin(self.folder, language, instrument=self.key, criteria=self.criteria)


CLAPPING = Clapping()
