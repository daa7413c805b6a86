"""The tutorial before the work: one question a page, answered to the server."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.crowds.tariffs import ZERO
from annotate.errors import Conflict, Invalid
from annotate.instruments import highlighting
from annotate.instruments.rating import strings as rating
from annotate.instruments.tutorials.grading import Grade
from annotate.instruments.tutorials.questions import Question
from annotate.selectors.work import task_page
from annotate.selectors.work import tutorial_runs as tutorial_status
from annotate.selectors.work.task_page import Visit
from annotate.selectors.work.tutorial_runs import Status
from annotate.services.work import tutorial_runs
from annotate.services.work.tutorial_runs import Graded
from annotate.views.work import tutorial_words, unit_words
from annotate.views.work.access import RequestError, see_work, show, speak, worker_endpoint
from annotate.views.work.acts import seconds
from annotate.views.work.data import first_time, help_template

MOST_KEYS = 9  # a digit answers with the level of that number


def page(request: HttpRequest, token: str, visit: Visit) -> HttpResponse:
    """Show the current question at the address of the work."""
    try:
        tutorial_runs.begin(visit.id)
    except Conflict:
        return see_work(token)  # since it was offered, somebody else took the last of the budget
    status = tutorial_status.status(visit.id)
    question = status.current if status else None
    if status is None or question is None:
        return see_work(token)
    context = question_context(status, question) | {
        "visit": visit,
        "study": visit.study,
        "help": help_template(visit.study.instrument),
        "crowd": unit_words.label(visit.study.crowd),
        "first_time": first_time(visit),
        "earns": unit_words.earns(status.bonus, after=visit.study.bonus_after),
        "rules": tutorial_words.rules(status, visit),
        "data": _data(token, status, question),
    }
    return show(request, visit.study, "work/tutorial.html", context)


def question_context(status: Status, question: Question) -> dict[str, Any]:
    """Return the context of a question's page, for annotators and researchers alike."""
    graded = [one.key for one in status.questions if one.kind != "example"]
    return {
        "status": status,
        "question": question,
        "number": graded.index(question.key) + 1 if question.key in graded else None,
        "first": not status.done,
        "keys": range(1, 1 + min(MOST_KEYS, len(getattr(question, "options", ())))),
        "strings": _strings(),
    }


@worker_endpoint("POST")
def answer(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    study = task_page.study_at(participation_id)
    speak(study)
    response, version, key = body.get("response"), body.get("version"), body.get("question")
    if not isinstance(version, str) or not isinstance(key, str):
        message = _("An answer names the tutorial’s version and the question.")
        raise RequestError(message, status=400, code="not_an_answer")
    if not isinstance(response, dict):
        raise Invalid({"response": _("There is no answer to store.")})
    graded = tutorial_runs.answer(
        participation_id,
        version=version,
        key=key,
        raw=response,
        round_number=body.get("round") if type(body.get("round")) is int else None,
        active_seconds=seconds(body.get("active_seconds")),
    )
    promised, due = unit_words.promised(graded.promised, after=study.bonus_after)
    return {
        **as_data(graded.grade),
        "passed": graded.passed,
        "promised": promised,
        "due": due,
        "ended": _ended(participation_id, graded),
    }


def _ended(participation_id: int, graded: Graded) -> str:
    if graded.failed is None:
        return ""
    status = tutorial_status.status(participation_id)
    offered = status.for_failing if status else ZERO
    return tutorial_words.ended(graded.failed, graded.tried, offered)


def as_data(grade: Grade) -> dict[str, Any]:
    return {
        "correct": grade.correct,
        "feedback": list(grade.feedback),
        "paragraphs": grade.detail.get("paragraphs", []),
    }


def _data(token: str, status: Status, question: Question) -> dict[str, Any]:
    """What the script is told: never the answers."""
    return {
        "token": token,
        "assignment": None,
        "finished": {"reason": "tutorial", "message": "", "final": False},
        "urls": {
            "page": reverse("annotate:work", args=[token]),
            "answer": reverse("annotate:tutorial-answer"),
        },
        "tutorial": question_data(question)
        | {"version": status.tutorial.version, "round": status.number},
    }


def question_data(question: Question) -> dict[str, Any]:
    """Return a question's data for the script: never the answers."""
    return {
        "question": question.key,
        "kind": question.kind,
        "text": getattr(question, "text", ""),
        "paragraphs": [one.text for one in getattr(question, "paragraphs", ())],
    }


def _strings() -> dict[str, Any]:
    return {
        **rating.editing(),
        "highlighting": highlighting.strings(),
        "missing": _("Still missing:"),
        "choose": _("an answer"),
        "no_edit": _("the improved text"),
        "edit_hint": _("Correct what is wrong, keep what it says, and add nothing."),
        "paragraph_verdict": _("paragraph %(n)s: what it shows"),
        "paragraph_highlight": _("paragraph %(n)s: the words that show it"),
        "right": _("Right"),
        "not_yet": _("Not quite"),
        "see_paragraphs": _("The notes at the paragraphs say why."),
        "checking": _("Checking…"),
        "no_connection": _("No connection. Your answer is kept here: try again in a moment."),
        "reload": _("Reload this page"),
        "remove": _("Remove “%(words)s”"),
        "finished": _("finished"),
    }
