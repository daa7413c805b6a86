"""Right and wrong answers to tutorials, for tests that take them."""

from dataclasses import dataclass

from annotate.instruments.tutorials import Question, mark
from annotate.models import Participation, TutorialRound
from annotate.work import tutorial, tutorial_queries
from extras.demo.schooling import right, wrong

__all__ = ["after_guide", "answer_all", "ask", "pass_tutorial", "right", "tutorial_of", "wrong"]


@dataclass(frozen=True)
class Taken:
    """The questions that a person is asked in the round, begun by this if need be."""

    version: str
    language: str
    questions: tuple[Question, ...]


def tutorial_of(who: Participation) -> Taken:
    status = tutorial_queries.status(who.pk)
    if status is None or not status.questions:
        tutorial.begin(who.pk)
        status = tutorial_queries.status(who.pk)
    assert status is not None
    return Taken(status.tutorial.version, status.tutorial.language, status.questions)


def after_guide(who: Participation) -> Taken:
    """Read the examples before the first graded question; return the round from there on."""
    taken = tutorial_of(who)
    first = next(n for n, one in enumerate(taken.questions) if one.kind != "example")
    answer_all(who, but=len(taken.questions) - first)
    return Taken(taken.version, taken.language, taken.questions[first:])


def ask(who: Participation, *drawn: tuple[str, int]) -> tuple[Question, ...]:
    """Let the round of a person ask these drawings, and nothing else; return the questions."""
    tutorial.begin(who.pk)
    graded = sum(not key.endswith(("example", "guide")) for key, _number in drawn)
    TutorialRound.objects.filter(annotator=who.annotator_id, ended_at=None).update(
        drawn=[list(one) for one in drawn], asked=graded, mark=mark(graded)
    )
    return tutorial_of(who).questions


def pass_tutorial(who: Participation, *, but: int = 0) -> tutorial.Graded | None:
    """Answer everything right, but for the last `but` questions; return the last result."""
    return answer_all(who, but=but)


def answer_all(who: Participation, *, wrongly: int = 0, but: int = 0) -> tutorial.Graded | None:
    """Answer the round: the first `wrongly` levels or edits wrong, the rest right."""
    if tutorial.begin(who.pk).passed_at:
        return None
    taken = tutorial_of(who)
    status = tutorial_queries.status(who.pk)
    assert status is not None
    open_ = [one for one in taken.questions if one.key not in status.answered]
    graded = None
    for question in open_[: max(0, len(open_) - but)]:
        is_wrong = wrongly > 0 and question.kind in ("choice", "edit")
        wrongly -= is_wrong
        graded = tutorial.answer(
            who.pk,
            version=taken.version,
            key=question.key,
            raw=wrong(question) if is_wrong else right(question),
            active_seconds=6.0,
        )
        if graded.failed:
            break
    return graded
