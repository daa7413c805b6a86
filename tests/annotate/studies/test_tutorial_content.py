"""The built-in tutorials: every drawing can be answered, and each mistake is explained."""

from collections import Counter
from pathlib import Path

import pytest

import annotate.instruments
from annotate.instruments import registry, tutorials
from annotate.instruments.grading import expected_spans, grade
from annotate.instruments.language_quality.instrument import ASKED
from annotate.instruments.tutorials import SLOT, builtin

FOLDER = Path(annotate.instruments.__file__).parent
LANGUAGES = ("en", "de")
DRAWINGS = range(24)  # of each family; numbers draw versions in turn
TUTORIALS = {
    (key, language): builtin(FOLDER / key, language, instrument=key, criteria=criteria)
    for key, criteria in (("language_quality", ASKED), ("answer_correctness", ()))
    for language in LANGUAGES
}
FAMILIES = {
    f"{language}-{family.key}": family
    for (_key, language), tutorial in TUTORIALS.items()
    for family in tutorial.questions
}
ASKED_OF = {
    "language_quality": {"fluency": 3, "redundancy": 3, "overall": 2, "edit": 3},
    "answer_correctness": {"plausible": 5, "evidence": 4},
}


def of_kind(kind):
    found = {name: family for name, family in FAMILIES.items() if family.kind == kind}
    return pytest.mark.parametrize("family", found.values(), ids=list(found))


def drawn(family):
    return [family.question(number) for number in DRAWINGS]


def marked(paragraph, verdict=None, spans=None):
    spans = expected_spans(paragraph) if spans is None else spans
    return {
        "verdict": paragraph.verdict if verdict is None else verdict,
        "spans": [{"start": a, "end": b, "text": paragraph.text[a:b]} for a, b in spans],
    }


@pytest.mark.parametrize("name", TUTORIALS, ids="-".join)
def test_two_rounds_ask_different_questions_of_the_same_kinds(name):
    tutorial = TUTORIALS[name]
    assert tutorials.lacking(tutorial) == {}
    first = tutorials.draw(tutorial, "seed")
    second = tutorials.draw(tutorial, "another", seen={key for key, _number in first})
    for round_ in (first, second):
        kinds = Counter(key.split("-")[0] for key, _number in round_ if tutorial.is_graded(key))
        assert kinds == ASKED_OF[name[0]]
    assert not {key for key, _number in first} & {key for key, _number in second}


@pytest.mark.parametrize("key", ASKED_OF)
def test_both_languages_ask_the_same_and_expect_the_same(key):
    one, other = (
        [_asked(question) for question in TUTORIALS[key, language].samples]
        for language in LANGUAGES
    )
    assert one == other


def _asked(question):
    options = [option.value for option in getattr(question, "options", ())]
    paragraphs = [(one.verdict, len(one.evidence)) for one in getattr(question, "paragraphs", ())]
    accepted = getattr(question, "accepted", None)
    return question.key, question.kind, options, accepted, paragraphs


@pytest.mark.parametrize("key", ["language_quality", "answer_correctness"])
@pytest.mark.parametrize(
    ("wanted", "got"), [("de", "de"), ("de-AT", "de"), ("DE-ch", "de"), ("en", "en"), ("sw", "en")]
)
def test_an_instrument_has_its_tutorial_in_the_nearest_language(key, wanted, got):
    assert registry.get(key).tutorial(wanted).language == got


@of_kind("choice")
def test_each_level_is_the_answer_equally_often(family):
    accepted = [version.accepted for version in family.samples]
    options = {(option.value,) for option in family.samples[0].options}
    assert len(accepted) == len(options)
    assert set(accepted) == options


@of_kind("choice")
def test_accepted_choices_are_right_and_the_others_are_explained(family):
    for question in drawn(family)[:6]:
        said = [grade(question, {"value": option.value}).feedback[0] for option in question.options]
        assert len(set(said)) == len(said)
        assert all(len(line) > 40 for line in said), "feedback says why"


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_a_drawing_is_whole_and_leaves_no_slot_open(family):
    for question in drawn(family):
        assert not SLOT.search(str(question))


@of_kind("edit")
def test_the_good_edit_is_right_and_the_text_itself_is_not(family):
    for question in drawn(family):
        assert grade(question, {"edit": question.alternatives[0]}).correct
        assert not grade(question, {"edit": question.text}).correct
        assert len(grade(question, {"edit": question.text}).feedback) > 2, "says what is wrong"


@of_kind("evidence")
def test_verdicts_vary_and_expected_highlights_are_right(family):
    verdicts = Counter()
    for question in drawn(family):
        right = [marked(paragraph) for paragraph in question.paragraphs]
        assert grade(question, {"paragraphs": right}).correct
        verdicts.update(paragraph.verdict for paragraph in question.paragraphs)
    assert set(verdicts) == {-1, 0, 1}
    assert min(verdicts.values()) > sum(verdicts.values()) / 5


@of_kind("evidence")
def test_other_highlights_and_verdicts_are_explained(family):
    for question in drawn(family)[:3]:
        right = [marked(paragraph) for paragraph in question.paragraphs]
        for number, paragraph in enumerate(question.paragraphs):
            whole = [(0, len(paragraph.text))]
            wrong = [marked(paragraph, one, whole) for one in {1, 0, -1} - {paragraph.verdict}]
            wrong += [marked(paragraph, spans=[])] if paragraph.verdict else []
            for one in wrong:
                got = grade(question, {"paragraphs": [*right[:number], one, *right[number + 1 :]]})
                assert not got.correct, (number, one)
                assert got.detail["paragraphs"][number]["feedback"]
