"""Preference: two texts of an item side by side, and one question about them."""

from pathlib import Path
from typing import ClassVar

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Material
from annotate.instruments.pairs import joined
from annotate.instruments.preference.definition import DEFINITION, FIRST, SECOND
from annotate.instruments.rating.instrument import Rating


class Preference(Rating):
    title = _("Compare two texts")
    folder: ClassVar = Path(__file__).parent

    def __init__(self) -> None:
        super().__init__(DEFINITION)

    @property
    def example(self) -> Material:
        """Return an example in the active language."""
        return Material(joined(translation.gettext(FIRST), translation.gettext(SECOND)))
