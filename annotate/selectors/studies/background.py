"""Background questions about annotators, and their answers."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import BackgroundAnswers, Campaign, Judgment
from annotate.selectors.studies import texts
from annotate.text.visible import is_visible

PART = "|"
MOST_QUESTIONS, MOST_ANSWERS = 8, 12
LONGEST_QUESTION, LONGEST_ANSWER = 300, 100  # characters
RATHER_NOT = ""  # stored where somebody would rather not say


@dataclass(frozen=True)
class BackgroundQuestion:
    """One question, and the answers of which people choose one, or none."""

    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class ToldBackground:
    """The answers to one question: how many gave each, and how many gave none."""

    question: BackgroundQuestion
    counts: tuple[tuple[str, int], ...]
    silent: int


def parse(text: str) -> tuple[BackgroundQuestion, ...]:
    """Return the questions of a text: one a line, its answers after it, parted by `|`."""
    parts = ([one.strip() for one in line.split(PART)] for line in text.splitlines())
    return tuple(
        BackgroundQuestion(first, tuple(others)) for first, *others in parts if first or others
    )


def problem(text: str) -> str:
    """Return what is wrong with such a text; "" if nothing is."""
    questions = parse(text)
    if len(questions) > MOST_QUESTIONS:
        return f"There are at most {MOST_QUESTIONS} background questions, one a line."
    for n, one in enumerate(questions, 1):
        if wrong := _wrong(one):
            return f"Background question {n}: {wrong}"
    if len({one.text for one in questions}) < len(questions):
        return "Two background questions are the same."
    return ""


def _wrong(one: BackgroundQuestion) -> str:
    if not is_visible(one.text):
        return "the line must begin with the question."
    if not 2 <= len(one.answers) <= MOST_ANSWERS:
        return (
            f"2 to {MOST_ANSWERS} answers must follow, parted by {PART}. “I would rather not say” "
            "is always offered, too."
        )
    if not all(map(is_visible, one.answers)):
        return "an answer is empty."
    if len(set(one.answers)) < len(one.answers):
        return "two answers are the same."
    if len(one.text) > LONGEST_QUESTION or max(map(len, one.answers)) > LONGEST_ANSWER:
        return f"a question has at most {LONGEST_QUESTION} characters, an answer {LONGEST_ANSWER}."
    return ""


def sure(campaign_id: int) -> QuerySet[BackgroundAnswers]:
    """Return the answers of people whose identity is confirmed, in order of arrival.

    Somebody whose identity is not confirmed may have come under the name of another.
    """
    found = BackgroundAnswers.objects.filter(
        participation__campaign=campaign_id, participation__verified_at__isnull=False
    )
    return found.order_by("answered_at", "pk")


def of_people(campaign_id: int) -> dict[int, tuple[str, list[str]]]:
    """Return pseudonym and answers of each person who has judged, by annotator; one query.

    Who told it twice, in two paid units, is taken at their first word.
    """
    person = "participation__annotator"
    judged = Judgment.objects.filter(campaign=campaign_id, annotator=OuterRef(person))
    rows = sure(campaign_id).filter(Exists(judged))
    found: dict[int, tuple[str, list[str]]] = {}
    for who, *told in rows.values_list(person, f"{person}__pseudonym", "answers"):
        pseudonym, answers = told
        found.setdefault(who, (pseudonym, answers))
    return found


def summary(campaign: Campaign) -> list[ToldBackground]:
    """Return the number of judging people for each answer, by question; [] if nothing was asked."""
    questions = parse(texts.of(campaign).background)
    found = of_people(campaign.pk) if questions else {}
    told = [answers for _pseudonym, answers in found.values()]
    return [_told(one, [each[n] for each in told]) for n, one in enumerate(questions)]


def _told(question: BackgroundQuestion, given: list[str]) -> ToldBackground:
    n = Counter(given)
    return ToldBackground(question, tuple((one, n[one]) for one in question.answers), n[RATHER_NOT])


def rows(campaign: Campaign) -> Iterator[dict[str, str]]:
    """Yield one row for each person and question, for exports."""
    questions = parse(texts.of(campaign).background)
    told = of_people(campaign.pk) if questions else {}
    for pseudonym, answers in told.values():
        for question, answer in zip(questions, answers, strict=True):
            yield {"annotator": pseudonym, "question": question.text, "answer": answer}
