"""The measurement of bots over HTTP tells who passes a tutorial, and what they get."""

from decimal import Decimal
from typing import Any

import pytest

from annotate.instruments.tutorials.questions import Question
from bench.tutorials.bots import Guesser, right
from bench.tutorials.visits import Visits, make

pytestmark = pytest.mark.django_db(transaction=True)


class Knows(Guesser):
    """Gives the right answer to every question."""

    def answer(self, question: Question) -> dict[str, Any]:
        return right(question)


@pytest.mark.slow
@pytest.mark.parametrize("instrument", ["language_quality", "answer_correctness"])
def test_only_who_passes_gets_tasks_and_the_bonus(live_server: Any, instrument: str) -> None:
    study = make(instrument)
    guessers = Visits(live_server.url, study, "guesses-")
    assert not any(guessers.make(number, Guesser(number)) for number in range(3))
    assert (guessers.tasks(), guessers.promised(), guessers.earned()) == (0, 0, 0)
    knowing = Visits(live_server.url, study, "knows-")
    assert knowing.make(0, Knows(0))
    assert (knowing.tasks(), knowing.promised()) == (1, Decimal("0.75"))
    assert knowing.earned() == 0
