"""Any study in which people rate a text: displayed, checked and scored from its definition."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from django.utils.translation import gettext_lazy as _

from annotate.instruments import pairs
from annotate.instruments.base import Criterion, InvalidResponse, Material
from annotate.instruments.rating import checking, comparing, strings
from annotate.instruments.rating.answers import OfRatings
from annotate.instruments.rating.definition import EDIT, Definition, Question
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.reading import builtin
from estimation.metrics import HTER_VERSION, hter, levenshtein, normalise, takes_long

if TYPE_CHECKING:
    from annotate.instruments.wording import Words


@dataclass(frozen=True)
class Rating(OfRatings):
    """hter_version: the rule by which edits are scored."""

    definition: Definition
    hter_version: str = HTER_VERSION

    title = _("Rate texts")
    template = "work/rating.html"
    needs_paragraphs = False
    folder: ClassVar[Path | None] = None

    @property
    def key(self) -> str:
        return self.definition.key

    @property
    def version(self) -> str:
        return self.definition.version

    @property
    def scoring(self) -> str:
        return self.hter_version if self.definition.asks_for_edits else "1"

    @property
    def label(self) -> str:
        return self.definition.label

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        return self.definition.scored

    @property
    def about(self) -> "Words":
        return self.definition.about

    @property
    def minutes(self) -> str:
        return self.definition.minutes

    @property
    def needs_input(self) -> bool:
        return bool(self.definition.input_label)

    @property
    def compares(self) -> bool:
        return self.definition.compares

    @property
    def shows_others(self) -> bool:
        return self.definition.shows_others

    @property
    def example(self) -> Material:
        return self.definition.example

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        levels, errors = checking.levels(raw, self.definition.criteria)
        if errors:
            raise InvalidResponse(errors)
        if self.definition.compares:
            return comparing.in_own_order(levels, turned=material.turned)
        return {
            **levels,
            **self._evidence(raw.get("evidence"), levels, material),
            **self._edit(raw.get("edit"), levels, material),
        }

    def _evidence(self, raw: Any, levels: dict[str, int], material: Material) -> dict[str, Any]:
        if not self.definition.takes_evidence:
            return {}
        found, errors = checking.evidence(
            raw, text=material.text, chosen=levels, criteria=self.definition.criteria
        )
        if errors:
            raise InvalidResponse(errors)
        return {"evidence": found}

    def _edit(self, raw: Any, levels: dict[str, int], material: Material) -> dict[str, Any]:
        if not self.definition.asks_for_edits:
            return {}
        if EDIT not in checking.required(levels, self.definition.criteria):
            return {"edit": None, "distance": 0}
        needed = str(self.definition.edit.needed)
        edit = checking.edit(raw, text=material.text, needed=needed)
        return {"edit": edit, "distance": levenshtein(normalise(material.text), edit)}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return the levels, and as `edit` the HTER: 0 without a required edit, unbounded above.

        Of a comparison: `comparing.scores`.
        """
        if self.definition.compares:
            return comparing.scores(response, self.definition.criteria)
        scores = {c.name: float(response[c.name]) for c in self.definition.criteria}
        if self.definition.asks_for_edits:
            edit = response["edit"]
            scores[EDIT] = 0.0
            if edit is not None:
                text = normalise(material.text)
                scores[EDIT] = hter(text, edit, version=self.hter_version)
        return scores

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        edit = response.get(EDIT)
        return edit is not None and takes_long(material.text, edit)

    def shown(self, material: Material) -> str:
        return pairs.joined(*material.pair) if self.definition.compares else material.text

    def page(self, material: Material) -> dict[str, Any]:
        return {"criteria": [_shown(criterion) for criterion in self.definition.criteria]}

    def strings(self) -> dict[str, Any]:
        return strings.rating(self.definition)

    def tutorial(self, language: str) -> Tutorial | None:
        if self.folder is None:
            return None
        return builtin(self.folder, language, instrument=self.key, criteria=self.criteria)


def _shown(criterion: Question) -> dict[str, Any]:
    return {
        "name": criterion.name,
        "label": str(criterion.label),
        "question": str(criterion.question),
        "levels": [
            {
                "value": level.value,
                "label": str(level.label),
                "cue": str(level.cue),
                "requires": level.requires,
            }
            for level in criterion.levels
        ],
    }
