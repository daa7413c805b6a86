"""Which names are one name."""

import unicodedata

import pytest
from confusable_homoglyphs.confusables import confusables_data
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.common.text import are_one, can_be_seen, keys, tidy

NAMES = st.text(st.characters(categories=["L", "N"], max_codepoint=0x2FFF), min_size=1, max_size=40)
LATIN = st.text(st.sampled_from("abcdefghjkmnopqrstuvwxyzABCDEFGHJKMNOPQRSTUVWXYZ"), min_size=2)
BETWEEN = st.text(st.sampled_from(" .,-_'’·\u00a0\u2003\u200b\u200d\u2060\ufe0f\u00ad"), max_size=3)
CASES = ("lower", "upper", "title", "swapcase", "capitalize", "casefold")
FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def alike(letter: str) -> list[str]:
    """Return single letters that Unicode calls alike, and no compatible form of another letter."""
    found = [other["c"] for other in confusables_data[letter]]
    return [c for c in found if len(c) == 1 and unicodedata.normalize("NFKC", c) in (c, letter)]


ALIKE = {
    letter: alike(letter)
    for letter in "abcdefghjkmnopqrstuvwxyzABCDEFGHJKMNOPQRSTUVWXYZ"
    if letter in confusables_data
}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Grace Hopper", "grace.hopper"),
        ("Grace Hopper", "GRACE  HOPPER"),
        ("Grace Hopper", "Grасе Hоpper"),  # four Cyrillic letters
        ("grace", "ɡrace"),
        ("grace", "g.r.a.c.e"),
        ("grace", "gra\u200bce\u202e"),
        ("grace", "ｇｒａｃｅ"),
        ("grace", "𝒈𝒓𝒂𝒄𝒆"),
        ("TOM", "ТОМ"),  # in capitals alone
        ("Tom", "Тоm"),
        ("tom", "ТОМ"),
        ("vina", "νina"),  # in small letters alone
        ("Ian", "lan"),
        ("Ian", "1an"),
        ("O'Neil", "0NeiI"),
        ("P10", "PIO"),
        ("Mary", "rnary"),
        ("Straße", "STRASSE"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("finn", "ﬁnn"),
        ("José", "Jose\u0301"),
        ("İpek", "İPEK"),
        ("...", "…"),
        ("王伟", "王 伟"),
    ],
)
def test_these_are_one(one: str, other: str) -> None:
    assert are_one(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana", "Ava"),
        ("Nina", "Nida"),
        ("Jan", "Jana"),
        ("José", "Jose"),
        ("Anna", "Anni"),
        ("Max", "Mix"),
        ("Tim", "Tom"),
        ("Ann Lee", "Ann Leo"),
        ("person 2", "person 3"),
        ("P1", "P2"),
        ("★", "★★"),
        ("...", "."),
        ("王伟", "王芳"),
        ("Anna", "Анны"),
        ("Uwe", "Ywe"),
        ("Bea", "ssea"),
    ],
)
def test_these_are_two(one: str, other: str) -> None:
    assert not are_one(one, other)


@settings(deadline=None)
@given(NAMES, st.sampled_from(CASES))
@example("ŉ", "upper")
@example("ΐ", "upper")
@example("ß", "upper")
@example("ῼ", "swapcase")
def test_case_makes_no_other_name(name: str, case: str) -> None:
    assert are_one(name, getattr(name, case)())


@settings(deadline=None)
@given(NAMES, st.sampled_from(FORMS))
def test_how_it_is_coded_makes_no_other_name(name: str, form: str) -> None:
    assert are_one(name, unicodedata.normalize(form, name))


@settings(deadline=None)
@given(NAMES, st.data())
def test_what_stands_between_letters_makes_no_other_name(name: str, data: st.DataObject) -> None:
    spread = "".join(letter + data.draw(BETWEEN) for letter in unicodedata.normalize("NFC", name))
    assert are_one(name, spread)


@settings(deadline=None)
@given(LATIN, st.data())
def test_no_letter_that_looks_alike_makes_another_name(name: str, data: st.DataObject) -> None:
    disguised = "".join(data.draw(st.sampled_from([c, *ALIKE.get(c, [])])) for c in name)
    assert are_one(name, disguised)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_every_name_has_keys_of_one_length(name: str) -> None:
    found = keys(name)
    assert len(found.small) == len(found.large) == 32
    assert found == keys(tidy(name))


@pytest.mark.parametrize(
    ("name", "seen"), [("a", True), ("...", True), ("\u200b", False), (" \u3164\x1b", False)]
)
def test_a_name_has_something_to_see(name: str, seen: bool) -> None:
    assert can_be_seen(name) is seen


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("  Grace  H ", "Grace H"), ("Grace\tH\n", "Grace H"), ("a\0b", "a b"), ("e\u0301", "é")],
)
def test_a_name_is_kept_as_it_was_typed(typed: str, kept: str) -> None:
    assert tidy(typed) == kept
