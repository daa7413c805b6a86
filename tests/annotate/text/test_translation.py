"""The second language is complete: every sentence for annotators, with all its blanks."""

import gettext
import re
from pathlib import Path

import polib
import pytest

from tests.annotate import messages

FOLDER = messages.ROOT / "annotate" / "locale" / "de" / "LC_MESSAGES"
BLANK = re.compile(r"%\(\w+\)[sd]|%[sd]")


@pytest.fixture(scope="module")
def catalogue() -> polib.POFile:
    return polib.pofile(str(FOLDER / "django.po"), wrapwidth=0)


@pytest.mark.slow
def test_every_sentence_in_the_sources_is_in_the_catalogue(catalogue: polib.POFile) -> None:
    known = {entry.msgid for entry in catalogue if not entry.obsolete}
    sources = messages.in_sources()
    assert len(sources) > 150
    assert sources - known == set(), "run `make messages`, then translate what is new"
    assert known - sources == set(), "run `make messages`: these are no longer used"


def test_every_sentence_is_translated(catalogue: polib.POFile) -> None:
    assert [entry.msgid for entry in catalogue.untranslated_entries()] == []
    assert [entry.msgid for entry in catalogue.fuzzy_entries()] == []


def test_every_translation_has_the_blanks_of_its_sentence(catalogue: polib.POFile) -> None:
    for entry in catalogue:
        own = [entry.msgid, entry.msgid_plural]  # German has as many forms as English
        for number, text in (entry.msgstr_plural or {0: entry.msgstr}).items():
            assert sorted(BLANK.findall(text)) == sorted(BLANK.findall(own[number])), entry.msgid


def test_what_the_server_reads_is_what_was_translated(catalogue: polib.POFile) -> None:
    with Path(FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for entry in catalogue:
        if entry.msgid_plural:
            for n, number in ((1, 0), (2, 1)):
                said = compiled.ngettext(entry.msgid, entry.msgid_plural, n)
                assert said == entry.msgstr_plural[number]
        elif entry.msgctxt:
            assert compiled.pgettext(entry.msgctxt, entry.msgid) == entry.msgstr
        else:
            assert compiled.gettext(entry.msgid) == entry.msgstr
