"""Bots that take tutorials: they guess, or they remember what was right for earlier accounts.

Memory is what the server itself knows to be right, not only what its feedback tells, by the text
that is shown, word for word.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from annotate.instruments import tutorials
from annotate.instruments.grading import expected_spans, grade
from annotate.instruments.tutorials import Choice, Edit, Evidence, Paragraph, Question, Tutorial

Answer = dict[str, Any]


class Guesser:
    """Chooses at random, takes away a random sentence or word, and marks random words."""

    name = "guesses"

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def answer(self, question: Question) -> Answer:
        if isinstance(question, Choice):
            return {"value": self.rng.choice([option.value for option in question.options])}
        if isinstance(question, Edit):
            return {"edit": self._edited(question.text)}
        if isinstance(question, Evidence):
            return {"paragraphs": [self._marked(one.text) for one in question.paragraphs]}
        return {}

    def _edited(self, text: str) -> str:
        sentences = text.split(". ")
        words = text.split()
        if len(sentences) > 1 and self.rng.random() < 0.5:
            del sentences[self.rng.randrange(len(sentences))]
            return ". ".join(sentences)
        del words[self.rng.randrange(len(words))]
        return " ".join(words)

    def _marked(self, text: str) -> Answer:
        verdict = self.rng.choice([1, 0, -1])
        if not verdict:
            return {"verdict": 0, "spans": []}
        starts = [0, *(n + 1 for n, letter in enumerate(text) if letter == " "), len(text) + 1]
        first = self.rng.randrange(len(starts) - 1)
        last = min(len(starts) - 1, first + self.rng.randint(2, 7))
        return {"verdict": verdict, "spans": [_span(text, starts[first], starts[last] - 1)]}


class Stubborn(Guesser):
    """Gives the same level and verdict to everything, and marks the whole paragraph."""

    name = "answers all the same"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.asked = 0

    def answer(self, question: Question) -> Answer:
        self.asked += 1
        place = self.asked // 40 % 3  # another one for other accounts
        if isinstance(question, Choice):
            return {"value": question.options[place % len(question.options)].value}
        if isinstance(question, Evidence):
            return {"paragraphs": [self._same(one.text, place - 1) for one in question.paragraphs]}
        return super().answer(question)

    def _same(self, text: str, verdict: int) -> Answer:
        return {"verdict": verdict, "spans": [_span(text, 0, len(text))] if verdict else []}


Memory = dict[str, dict[str, Question]]  # by the key of the question and by its text


def remembered(tutorial: Tutorial, *, seed: int, accounts: int) -> Memory:
    """Return the questions of so many accounts' first rounds."""
    known: Memory = {}
    for account in range(accounts):
        drawn = tutorials.draw(tutorial, f"{seed}:{account}")
        for question in tutorials.questions(tutorial, drawn):
            known.setdefault(question.key, {})[_shown(question)] = question
    return known


class Rememberer(Guesser):
    """Answers what was right for the same text before; guesses where it knows none."""

    name = "remembers texts"

    def __init__(self, seed: int, known: Memory) -> None:
        super().__init__(seed)
        self.known = known

    def answer(self, question: Question) -> Answer:
        same = self.known.get(question.key, {}).get(_shown(question))
        return super().answer(question) if same is None else right(same)


def _shown(question: Question) -> str:
    """Return all that a page shows of a question apart from its possible answers."""
    parts = [getattr(question, name, "") for name in ("text", "second", "question", "answer")]
    return "\n".join([*parts, *(one.text for one in getattr(question, "paragraphs", ()))])


def right(question: Question) -> Answer:
    """Return a right answer to a question."""
    if isinstance(question, Choice):
        return {"value": question.accepted[0]}
    if isinstance(question, Edit):
        return {"edit": question.alternatives[0]}
    if isinstance(question, Evidence):
        return {"paragraphs": [_as_expected(one) for one in question.paragraphs]}
    return {}


def _as_expected(paragraph: Paragraph) -> Answer:
    spans = [_span(paragraph.text, start, end) for start, end in expected_spans(paragraph)]
    return {"verdict": paragraph.verdict, "spans": spans}


def _span(text: str, start: int, end: int) -> Answer:
    end = min(end, len(text))
    start = max(0, min(start, end - 1))
    return {"start": start, "end": end, "text": text[start:end]}


def passes(tutorial: Tutorial, bot: Guesser, seed: str) -> bool:
    """Return whether a bot passes one of two rounds; as the server decides it, without a server."""
    seen: set[str] = set()
    for number in range(2):
        drawn = tutorials.draw(tutorial, f"{seed}:{number}", seen=seen)
        seen = {str(key) for key, _number in drawn}
        asked = [one for one in tutorials.questions(tutorial, drawn) if one.kind != "example"]
        right = sum(grade(question, bot.answer(question)).correct for question in asked)
        if right >= tutorials.mark(len(asked)):
            return True
    return False


def all_of(tutorial: Tutorial, *, seed: int, accounts: int) -> Sequence[Guesser]:
    """Return a bot of each kind."""
    known = remembered(tutorial, seed=seed, accounts=accounts)
    return [Guesser(seed), Stubborn(seed), Rememberer(seed, known)]
