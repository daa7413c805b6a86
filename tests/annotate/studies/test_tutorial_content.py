"""The built-in tutorials: the designed questions, each answerable, each mistake explained."""

from collections import Counter
from pathlib import Path

import pytest
from django.utils import translation

import annotate.instruments
from annotate.instruments import registry
from annotate.instruments.language_quality.criteria import ASKED
from annotate.instruments.tutorials.grading import expected_spans, grade
from annotate.instruments.tutorials.reading import builtin

FOLDER = Path(annotate.instruments.__file__).parent
LANGUAGES = ("en", "de")
SECTIONS = {
    "en": ("Fluency", "Redundancy", "Overall", "Improving"),
    "de": ("Sprachfluss", "Wiederholung", "Gesamteindruck", "Verbessern"),
}
LANGUAGE_QUALITY = {
    language: builtin(
        FOLDER / "language_quality", language, instrument="language_quality", criteria=ASKED
    )
    for language in LANGUAGES
}
ANSWER_CORRECTNESS = {
    language: builtin(FOLDER / "answer_correctness", language, instrument="answer_correctness")
    for language in LANGUAGES
}
QUESTIONS = {
    (language, question.key): question
    for built_in in (LANGUAGE_QUALITY, ANSWER_CORRECTNESS)
    for language in LANGUAGES
    for question in built_in[language].questions
}
GERMAN = ("Der ", "Die ", "Diese ", "Am ")
in_each_language = pytest.mark.parametrize("language", LANGUAGES)


def of_kind(kind):
    found = {name: question for name, question in QUESTIONS.items() if question.kind == kind}
    return pytest.mark.parametrize("question", found.values(), ids=["-".join(n) for n in found])


def marked(paragraph, verdict=None, spans=None):
    spans = expected_spans(paragraph) if spans is None else spans
    return {
        "verdict": paragraph.verdict if verdict is None else verdict,
        "spans": [{"start": a, "end": b, "text": paragraph.text[a:b]} for a, b in spans],
    }


@in_each_language
def test_the_designed_numbers(language):
    sections = Counter(question.section for question in LANGUAGE_QUALITY[language].questions)
    assert sections == dict(zip(SECTIONS[language], (3, 3, 2, 2), strict=True))
    kinds = Counter(question.kind for question in ANSWER_CORRECTNESS[language].questions)
    assert kinds == {"choice": 5, "evidence": 3, "example": 1}


@in_each_language
def test_no_level_is_the_answer_too_often(language):
    for section in SECTIONS[language][:2]:
        answers = [
            question.accepted
            for question in LANGUAGE_QUALITY[language].questions
            if question.section == section
        ]
        assert sorted(answers) == [(-1,), (0,), (1,)]
    verdicts = Counter(
        paragraph.verdict
        for question in ANSWER_CORRECTNESS[language].questions
        if question.kind == "evidence"
        for paragraph in question.paragraphs
    )
    assert set(verdicts) == {-1, 0, 1}


def test_both_languages_ask_the_same_and_expect_the_same():
    for built_in in (LANGUAGE_QUALITY, ANSWER_CORRECTNESS):
        one, other = ([_asked(q) for q in built_in[code].questions] for code in LANGUAGES)
        assert one == other


def _asked(question):
    options = [option.value for option in getattr(question, "options", ())]
    paragraphs = [(one.verdict, len(one.evidence)) for one in getattr(question, "paragraphs", ())]
    rules = [len(getattr(question, name, ())) for name in ("defects", "meaning", "steps")]
    accepted = getattr(question, "accepted", None)
    return question.key, question.kind, options, accepted, paragraphs, rules


@pytest.mark.parametrize("key", ["language_quality", "answer_correctness"])
@pytest.mark.parametrize(
    ("wanted", "got"), [("de", "de"), ("de-AT", "de"), ("DE-ch", "de"), ("en", "en"), ("sw", "en")]
)
def test_an_instrument_has_its_tutorial_in_the_nearest_language(key, wanted, got):
    assert registry.get(key).tutorial(wanted).language == got


def test_the_levels_are_in_the_language_of_the_pages():
    question = QUESTIONS["de", "fluency-fine"]
    with translation.override("de"):
        assert [str(option.label) for option in question.options] == [
            "Flüssig",
            "Teils flüssig",
            "Nicht flüssig",
        ]


@of_kind("choice")
def test_accepted_choices_are_right_and_the_others_are_explained(question):
    said = [grade(question, {"value": option.value}).feedback[0] for option in question.options]
    right = [grade(question, {"value": option.value}).correct for option in question.options]
    assert len(question.accepted) == sum(right) == 1
    assert len(set(said)) == len(said)
    assert all(len(line) > 60 for line in said), "feedback says why"


@of_kind("edit")
def test_alternatives_pass_by_the_rules_too_and_the_text_itself_does_not(question):
    by_rule = question.model_copy(update={"alternatives": ()})
    for alternative in question.alternatives:
        assert grade(by_rule, {"edit": alternative}).feedback == (question.feedback,)
    assert not grade(question, {"edit": question.text}).correct


@pytest.mark.parametrize(
    ("key", "edit", "said"),
    [
        (
            "edit-preposition",
            "Der Chor freut sich über sein erstes Konzert im neuen Saal am Sonntag.",
            "nach „freut sich“",
        ),
        ("edit-preposition", "Der Chor freut sich auf Sonntag.", "erstes Konzert"),
        (
            "edit-preposition",
            "Der Chor freut sich auf sein erstes Konzert im neuen Saal am "
            "Sonntag, auf das die ganze Stadt seit dem Frühjahr wartet.",
            "weit mehr",
        ),
        (
            "edit-repetition",
            "Die Bücherei ist geschlossen. Ihr Dach wird repariert.",
            "Diese Woche",
        ),
        (
            "edit-repetition",
            "Die Bücherei ist diese Woche geschlossen, weil ihr Dach repariert "
            "wird. Die Bücherei ist geschlossen.",
            "zweimal",
        ),
        ("edit-repetition", "Die Bücherei ist diese Woche geschlossen.", "Grund"),
        (
            "edit-preposition",
            "The choir is looking forward in its first concert in the new hall on Sunday.",
            "after “looking forward”",
        ),
        ("edit-preposition", "The choir looks forward to Sunday.", "first concert"),
        (
            "edit-preposition",
            "The choir is looking forward to its first concert in the new hall "
            "on Sunday, which everybody in town has waited for since the spring.",
            "far more",
        ),
        ("edit-repetition", "The library is closed. Its roof is being repaired.", "This week"),
        (
            "edit-repetition",
            "The library is closed this week because its roof is being repaired. "
            "The library is closed.",
            "twice",
        ),
        ("edit-repetition", "The library is closed this week.", "reason"),
    ],
)
def test_what_an_edit_lacks_is_named(key, edit, said):
    question = QUESTIONS["de" if edit.startswith(GERMAN) else "en", key]
    got = grade(question, {"edit": edit})
    assert not got.correct
    assert said.casefold() in " ".join(got.feedback).casefold()


@pytest.mark.parametrize(
    ("key", "edit"),
    [
        (
            "edit-preposition",
            "Der Chor freut sich auf sein erstes Konzert am Sonntag im neuen Saal.",
        ),
        ("edit-preposition", "Am Sonntag singt der Chor sein erstes Konzert im neuen Saal."),
        ("edit-repetition", "Die Bibliothek ist diese Woche wegen Dacharbeiten zu."),
        ("edit-repetition", "Diese Woche ist die Bücherei geschlossen, um das Dach zu reparieren."),
        (
            "edit-repetition",
            "Diese Woche bleibt die Bücherei geschlossen: Ihr Dach wird repariert.",
        ),
        (
            "edit-preposition",
            "The choir looks forward to its first concert in the new hall on Sunday.",
        ),
        (
            "edit-preposition",
            "The choir is excited about its first concert in the new hall on Sunday.",
        ),
        ("edit-repetition", "The library is closed this week because of repairs to the roof."),
        ("edit-repetition", "The library is shut this week for roof repairs."),
        ("edit-repetition", "This week the library is closed because its roof is being fixed."),
    ],
)
def test_sensible_edits_pass(key, edit):
    question = QUESTIONS["de" if edit.startswith(GERMAN) else "en", key]
    assert grade(question, {"edit": edit}).feedback == (question.feedback,)


@of_kind("evidence")
def test_expected_highlights_are_right_and_others_are_explained(question):
    right = [marked(paragraph) for paragraph in question.paragraphs]
    assert grade(question, {"paragraphs": right}).correct
    for number, paragraph in enumerate(question.paragraphs):
        whole = [(0, len(paragraph.text))]
        wrong = [marked(paragraph, verdict, whole) for verdict in (1, 0, -1)]
        wrong += [marked(paragraph, spans=[])] if paragraph.verdict else []
        for one in wrong:
            if one["verdict"] == 0 == paragraph.verdict:
                continue
            got = grade(question, {"paragraphs": [*right[:number], one, *right[number + 1 :]]})
            assert not got.correct, (number, one)
            assert got.detail["paragraphs"][number]["feedback"]
