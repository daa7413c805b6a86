"""What annotators and crowds read of a campaign, whose name is for researchers alone."""

from django.utils.translation import override

from annotate.instruments.base import Instrument
from annotate.text.languages import interface_language
from annotate.text.visible import is_visible


def title(given: str, instrument: Instrument, language: str) -> str:
    """Return the title that was given, or a neutral one in the annotators' language."""
    return " ".join(given.split()) if is_visible(given) else _said(instrument.title, language)


def about(given: str, instrument: Instrument, language: str) -> str:
    """Return the sentence that was given, or what the instrument says of itself."""
    return own_about(given) or _said(instrument.about, language)


def own_about(given: str) -> str:
    """Return a researcher's own sentence; "" where nothing can be read in it."""
    return given.strip() if is_visible(given) else ""


def _said(words: object, language: str) -> str:
    with override(interface_language(language)):
        return str(words)
