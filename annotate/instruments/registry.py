"""The instruments that exist. A new one is a folder and a line here."""

from annotate.instruments.answer_correctness.instrument import AnswerCorrectness
from annotate.instruments.base import Instrument
from annotate.instruments.language_quality.instrument import LanguageQuality
from annotate.instruments.preference.instrument import FIRST_VERSION, Preference
from annotate.instruments.recorded.instrument import RECORDED

INSTRUMENTS: dict[str, Instrument] = {
    instrument.key: instrument
    for instrument in (LanguageQuality(), AnswerCorrectness(), Preference(), *RECORDED)
}
# Campaigns keep their version. Version 1 of language quality scores edits in words between blanks.
EARLIER: dict[tuple[str, str], Instrument] = {
    ("language_quality", "1"): LanguageQuality("1", hter_version="2"),
    ("preference", "1"): Preference(FIRST_VERSION),
}


def get(key: str, version: str = "") -> Instrument:
    """Return the instrument called `key`, the newest version unless an earlier one is named.

    KeyError names the existing ones.
    """
    try:
        return EARLIER.get((key, version)) or INSTRUMENTS[key]
    except KeyError:
        raise KeyError(f"No instrument {key!r}; there are {', '.join(INSTRUMENTS)}.") from None


def asked() -> list[Instrument]:
    """Return the instruments with a page for people, for choosing one."""
    return [instrument for instrument in INSTRUMENTS.values() if instrument.template]
