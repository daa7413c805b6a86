"""Language quality: three Likert questions, and a post-edit if an answer is below the best."""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Material
from annotate.instruments.language_quality.definition import DEFINITION
from annotate.instruments.rating.instrument import Rating
from estimation.metrics import HTER_VERSION


class LanguageQuality(Rating):
    title = _("Rate short texts")
    folder: ClassVar = Path(__file__).parent

    def __init__(self, version: str = DEFINITION.version, hter_version: str = HTER_VERSION) -> None:
        super().__init__(replace(DEFINITION, version=version), hter_version)

    @property
    def example(self) -> Material:
        """Return an example in the active language, with errors of that language."""
        return Material(translation.gettext(self.definition.example.text))
