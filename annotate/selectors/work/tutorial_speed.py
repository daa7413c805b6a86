"""Detects tutorials answered faster than anyone reads, by the server's clock."""

from collections.abc import Iterator
from statistics import median

from annotate.instruments.tutorials import drawing
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.questions import Question
from annotate.instruments.tutorials.words import WORD
from annotate.models import Campaign, TutorialRound
from annotate.selectors.studies import tutorial_contents

# Faster than anyone works, as for the screen of work that is too fast.
WORDS_PER_MINUTE = 500  # that are read
SCANNING = 2500  # words of paragraphs per minute, which people search
LEAST = 1.2  # seconds to see a question, decide and answer


def too_fast(campaign_id: int, annotator_id: int) -> bool:
    """Return whether half of the answers in an ended round took less than reading does.

    The time of an answer is that since the one before it.
    """
    tutorial = tutorial_contents.of_campaign(Campaign.objects.get(pk=campaign_id))
    assert tutorial is not None, "a round belongs to a tutorial"
    rounds = TutorialRound.objects.filter(
        campaign=campaign_id, annotator=annotator_id, ended_at__isnull=False
    )
    paces = (list(_paces(round_, tutorial)) for round_ in rounds)
    return any(median(found) < 1 for found in paces if found)


def _paces(round_: TutorialRound, tutorial: Tutorial) -> Iterator[float]:
    """Yield each answer's time as a share of the time that reading its question takes."""
    questions = {one.key: one for one in drawing.questions(tutorial, round_.drawn)}
    before = round_.begun_at
    for answer in round_.answers.order_by("at", "pk"):
        if question := questions.get(answer.question):
            yield (answer.at - before).total_seconds() / _reading(question)
        before = answer.at


def _reading(question: Question) -> float:
    """Return the seconds that the fastest readers need for a question's texts."""
    read = [getattr(question, name, "") for name in ("text", "second", "question", "answer")]
    read += [step.title + step.text for step in getattr(question, "steps", ())]
    searched = [one.text for one in getattr(question, "paragraphs", ())]
    n, m = (sum(len(WORD.findall(text)) for text in texts) for texts in (read, searched))
    return max(LEAST, 60 * (n / WORDS_PER_MINUTE + m / SCANNING))
