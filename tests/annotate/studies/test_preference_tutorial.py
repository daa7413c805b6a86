"""The built-in tutorial of comparisons: sides in balance, mistakes explained, no use to bots."""

from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.instruments import registry, tutorials
from annotate.instruments.grading import grade
from annotate.instruments.tutorials import SLOT, Family, Question
from tests.annotate.comparing import compared
from tests.annotate.passing import ask
from tests.factories import person

LANGUAGES = ("en", "de")
TUTORIALS = {language: registry.get("preference").tutorial(language) for language in LANGUAGES}
FAMILIES = {
    f"{language}-{one.key}": one for language in LANGUAGES for one in TUTORIALS[language].graded
}
each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
SIDES = {(1, 2), (-1, -2), (0,)}


def side(question: Question) -> tuple[int, ...]:
    return tuple(sorted(question.accepted, key=abs))  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_holds_two_rounds_of_other_questions(language: str) -> None:
    tutorial = TUTORIALS[language]
    assert len(tutorial.graded) == 2 * tutorial.n_asked == 24
    assert tutorials.lacking(tutorial) == {}
    first = tutorials.draw(tutorial, "seed")
    second = tutorials.draw(tutorial, "another", seen={str(key) for key, _number in first})
    assert not {key for key, _number in first} & {key for key, _number in second}


def test_both_languages_ask_the_same_and_expect_the_same() -> None:
    one, other = (
        [
            (sample.key, side(sample))
            for sample in TUTORIALS[language].samples
            if sample.kind != "example"
        ]
        for language in LANGUAGES
    )
    assert one == other


@each_family
def test_each_question_comes_with_either_side_better_and_with_a_tie(family: Family) -> None:
    assert Counter(map(side, family.samples)) == dict.fromkeys(SIDES, 1)
    first, second, tie = family.samples
    assert (first.text, first.second) == (second.second, second.text)
    assert tie.text != tie.second
    # Who remembers words cannot tell which side of the two is better.
    assert tie.text in (first.text, first.second)


@each_family
def test_every_answer_is_explained_and_no_slot_is_left_open(family: Family) -> None:
    for number in range(12):
        question = family.question(number)
        assert not SLOT.search(str(question))
        assert question.text != question.second
        said = [grade(question, {"value": value}).feedback[0] for value in (2, 1, 0, -1, -2)]
        assert len(set(said)) == 5
        assert all(len(line) > 40 for line in said), "feedback says why"


@pytest.mark.orm
@pytest.mark.django_db
def test_a_campaign_takes_it_and_shows_the_question_above_both_texts(client: Client) -> None:
    made = compared(tutorial=True)
    assert made.tutorial_required
    who = person(made)
    (question,) = ask(who, ("question-route", 4))
    page = client.get(reverse("annotate:work", args=[tokens.participation_token(who.pk)]))
    shown = page.content.decode()
    parts = question.question, f">{question.text}</p>", f">{question.second}</p>"
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
