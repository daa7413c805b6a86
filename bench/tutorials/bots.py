"""Bots that take tutorials: they guess, or they remember what was right for earlier accounts.

Memory is what the server itself knows to be right, not only what its feedback tells. It is kept by
the text that is shown, word for word, or found by the text with the most words in common.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from annotate.instruments.tutorials import drawing
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.grading import expected_spans, grade
from annotate.instruments.tutorials.questions import Choice, Edit, Evidence, Paragraph, Question

Answer = dict[str, Any]
Words = Counter[str]
T = TypeVar("T")


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


class Rememberer(Guesser):
    """Answers what was right for the same text before; guesses where it knows none."""

    name = "remembers texts"

    def __init__(self, seed: int, tutorial: Tutorial, accounts: int) -> None:
        super().__init__(seed)
        self.known: dict[str, dict[str, Question]] = {}
        for account in range(accounts):
            for question in drawing.questions(
                tutorial, drawing.draw(tutorial, f"{seed}:{account}")
            ):
                self.known.setdefault(question.key, {})[_shown(question)] = question

    def answer(self, question: Question) -> Answer:
        same = self.known.get(question.key, {}).get(_shown(question))
        return super().answer(question) if same is None else right(same)


class Matcher(Rememberer):
    """Answers what was right for the text with the most words in common."""

    name = "remembers similar texts"

    def __init__(self, seed: int, tutorial: Tutorial, accounts: int) -> None:
        super().__init__(seed, tutorial, accounts)
        self.words = {
            key: [(Counter(text.split()), one) for text, one in found.items()]
            for key, found in self.known.items()
        }
        self.paragraphs = {
            key: [
                (Counter(paragraph.text.split()), paragraph)
                for one in found.values()
                for paragraph in getattr(one, "paragraphs", ())
            ]
            for key, found in self.known.items()
        }

    def answer(self, question: Question) -> Answer:
        if question.key not in self.words or not isinstance(question, Choice | Edit | Evidence):
            return super().answer(question)
        if not isinstance(question, Evidence):
            return right(_nearest(_shown(question), self.words[question.key]))
        known = self.paragraphs[question.key]
        return {"paragraphs": [_like(one.text, known) for one in question.paragraphs]}


def _like(text: str, known: Sequence[tuple[Words, Paragraph]]) -> Answer:
    like = _nearest(text, known)
    return {"verdict": like.verdict, "spans": _moved(like, text) if like.verdict else []}


def _nearest(text: str, known: Sequence[tuple[Words, T]]) -> T:
    words = Counter(text.split())
    return max(known, key=lambda one: _alike(words, one[0]))[1]


def _moved(like: Paragraph, text: str) -> list[Answer]:
    """Return the highlight of one paragraph at the same words, by number, of another."""
    (start, end) = expected_spans(like)[0]
    first, n = len(like.text[:start].split()), len(like.text[start:end].split())
    words = text.split()
    before = len(" ".join(words[:first])) + (first > 0)
    return [_span(text, before, before + len(" ".join(words[first : first + n])))]


def _alike(one: Words, other: Words) -> float:
    shared = sum(min(n, other[word]) for word, n in one.items() if word in other)
    return shared / (one.total() + other.total() - shared)


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
        drawn = drawing.draw(tutorial, f"{seed}:{number}", seen=seen)
        seen = {str(key) for key, _number in drawn}
        asked = [one for one in drawing.questions(tutorial, drawn) if one.kind != "example"]
        right = sum(grade(question, bot.answer(question)).correct for question in asked)
        if right >= drawing.mark(len(asked)):
            return True
    return False


def all_of(tutorial: Tutorial, *, seed: int, accounts: int) -> Sequence[Guesser]:
    return [
        Guesser(seed),
        Rememberer(seed, tutorial, accounts),
        Matcher(seed, tutorial, accounts),
    ]
