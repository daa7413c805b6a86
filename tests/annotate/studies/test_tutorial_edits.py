"""Real answers to the built-in tutorials, right and wrong, in each language, and how many are
judged so: `edits.json`, and `highlights.json` for each paragraph of each question."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.instruments import grading, registry
from annotate.instruments.grading import grade
from annotate.instruments.tutorials import (
    KINDS,
    Edit,
    Evidence,
    Family,
    Question,
    count,
    problem,
    words_in,
)

HERE = Path(__file__).parent
EDITS = json.loads((HERE / "edits.json").read_text())
HIGHLIGHTS = json.loads((HERE / "highlights.json").read_text())
NEEDED = 58 / 60
VALUES = {
    "en": {"town": "Ashby", "day": "Friday", "n": "42", "k": "500", "name": "Helena Brandt"},
    "de": {"town": "Eschbach", "day": "Freitag", "n": "42", "k": "500", "name": "Helena Brandt"},
}


def family(instrument: str, language: str, key: str) -> Family:
    tutorial = registry.get(instrument).tutorial(language)
    assert tutorial is not None
    found = tutorial.family(key)
    assert found is not None
    return found


def question(instrument: str, language: str, key: str, choice: int = 0) -> Question:
    """The question as it is drawn with `VALUES`; choice: which of the paragraphs' wordings."""
    asked = family(instrument, language, key)
    version, values = asked.versions[0], VALUES[language]

    def pick(slot: str, n: int) -> int:
        if slot.startswith("one_of"):
            return choice
        found = [value[0] for value in version.slots[slot.partition(":")[0]]]
        return 1 if ":" in slot else found.index(values.get(slot, found[0]))

    return KINDS[asked.kind].model_validate(version.filled(pick), context=asked.studied)


def edit(language: str, key: str) -> Edit:
    made = question("language_quality", language, key)
    assert isinstance(made, Edit)
    return made


def marked(text: str, quote: str) -> dict[str, Any]:
    """A highlight; several parts are divided by “ // ”."""
    parts = [text] if quote == "[all]" else quote.split(" // ")
    starts = [text.index(part) for part in parts]
    return {
        "verdict": 1,
        "spans": [
            {"start": start, "end": start + len(part), "text": part}
            for start, part in zip(starts, parts, strict=True)
        ],
    }


def judged(which: str, results: list[tuple[str, bool]], capsys: Any) -> None:
    wanted = which == "right"
    faulty = [answer for answer, correct in results if correct != wanted]
    with capsys.disabled():
        print(f"\n{which}: {len(results) - len(faulty)} of {len(results)} judged rightly")
    assert len({answer for answer, _correct in results}) == len(results) >= 60
    assert len(faulty) <= (1 - NEEDED) * len(results), faulty


@pytest.mark.parametrize("language", VALUES)
@pytest.mark.parametrize("which", ["right", "wrong"])
def test_nearly_all_edits_are_judged_rightly(which: str, language: str, capsys: Any) -> None:
    results = [
        (f"{key}: {one}", grade(edit(language, key), {"edit": one}).correct)
        for key, answers in EDITS[language][which].items()
        for one in answers
    ]
    judged(which, results, capsys)


@pytest.mark.parametrize("language", VALUES)
@pytest.mark.parametrize("which", ["right", "wrong"])
def test_nearly_all_highlights_are_judged_rightly(which: str, language: str, capsys: Any) -> None:
    results = []
    for key, paragraphs in HIGHLIGHTS[language][which].items():
        asked = question("answer_correctness", language, key)
        assert isinstance(asked, Evidence)
        for place, quotes in enumerate(paragraphs):
            for quote in quotes:
                given = [marked(one.text, one.evidence[0]) for one in asked.paragraphs]
                given[place] = marked(asked.paragraphs[place].text, quote)
                got = grade(asked, {"paragraphs": given})
                results.append((f"{key}, {place + 1}: {quote}", got.correct))
    judged(which, results, capsys)


@pytest.mark.parametrize(
    ("key", "wrong", "said"),
    [
        ("edit-choir", "looking forward to its", "Nothing has been corrected yet."),
        ("edit-choir", "looking forward for its", "one looks forward to something"),
        ("edit-bridge", "", "Nearly everything is gone."),
        ("edit-bridge", "42 metres", "The length has gone missing."),
        ("edit-bridge", "Friday,", "Friday has gone missing."),
        ("edit-bridge", "metres long. It is lovely", "This is new: “lovely”"),
        ("edit-bridge", "45", "“45” is not in the text."),
        ("edit-bridge", "was not opened", "“not” changes what the text says."),
        ("edit-bridge", "the the", "“the the”: a word stands twice."),
    ],
)
def test_a_wrong_edit_is_told_the_rule(key: str, wrong: str, said: str) -> None:
    asked = edit("en", key)
    model = asked.alternatives[0]
    made = {
        "looking forward to its": asked.text.upper(),
        "looking forward for its": model.replace("forward to", "forward for"),
        "": "A bridge.",
        "42 metres": model.replace(" that is 42 metres long", ""),
        "Friday,": model.replace("On Friday, the", "The"),
        "metres long. It is lovely": model.replace("long.", "long. It is lovely."),
        "45": model.replace("500", "500 or 45"),
        "was not opened": model.replace("opened", "has not opened"),
        "the the": model.replace("the town", "the the town"),
    }[wrong]
    got = grade(asked, {"edit": made})
    assert not got.correct
    assert any(said in one for one in got.feedback), got.feedback
    assert model in got.feedback[-1], "a good edit is shown"
    assert asked.feedback not in got.feedback


@pytest.mark.parametrize("language", VALUES)
@pytest.mark.slow
def test_every_drawing_accepts_its_own_improvements_by_rule(language: str) -> None:
    tutorial = registry.get("language_quality").tutorial(language)
    assert tutorial is not None
    for one in (one for one in tutorial.questions if one.kind == "edit"):
        for number in range(40):
            asked = one.question(number)
            assert isinstance(asked, Edit)
            assert [grading.faults_of_edit(asked, text) for text in asked.alternatives] == [
                [] for _text in asked.alternatives
            ]
            assert grading.faults_of_edit(asked, asked.text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It isn’t forty-two metres; can’t be!", "it is not 42 metres can not be"),
        ("Helena’s 1,000 guests paid £42.", "helena 1000 guests paid pounds 42"),
        ("Um 9.00 Uhr kamen zweiundvierzig Gäste", "um 9 uhr kamen 42 gäste"),
        ("a hundred and one, hundertzwanzig", "101 120"),
        ("the 42m-long bridge, it's new", "the 42 m long bridge it's new"),
    ],
)
def test_words_are_compared_whatever_their_form(text: str, found: str) -> None:
    assert words_in(text) == found.split()


@pytest.mark.parametrize(
    ("pattern", "text", "times"),
    [
        ("it (rains|is wet) today", "It is wet, today!", 1),
        ("(very|) wet", "wet, very wet", 3),
        ("a (b (c|d)|e) f", "a b e f", 0),
        ("repair*", "the repaired roof, the repairs", 2),
        ("*arbeiten", "Dacharbeiten", 1),
        ("a b", "b a", 0),
    ],
)
def test_a_pattern_is_counted(pattern: str, text: str, times: int) -> None:
    assert count(text, pattern) == times


@pytest.mark.parametrize("pattern", ["a (b", "a b)", "a | b", "((((((a))))))"])
def test_choices_that_cannot_be_read_are_told(pattern: str) -> None:
    assert problem(pattern)
