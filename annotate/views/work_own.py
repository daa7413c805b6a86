"""What is about the annotator rather than the task: their work and pay, and their opinion."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotate import tokens
from annotate.crowds.link import LINK
from annotate.errors import Invalid
from annotate.selectors import feedback as told
from annotate.selectors import work
from annotate.services import feedback
from annotate.views.work_access import speak, worker_endpoint, worker_page
from annotate.views.work_data import words
from annotate.views.work_words import feedback_questions, feedback_strings, kind_of_pay


@worker_page
@require_GET
def me(request: HttpRequest, token: str) -> HttpResponse:
    """How much was done, what it has earned, and how it is paid."""
    visit = work.visit(tokens.read_participation(token))
    speak(visit.study)
    back = reverse("annotate:work", args=[token])
    context = {
        "visit": visit,
        "study": visit.study,
        "words": words(visit, number=visit.judged + 1),
        "earnings": [(kind_of_pay(each.kind), each) for each in work.earnings(visit.id)],
        "completion": LINK.completion(pseudonym=visit.pseudonym),
        "back": back,
        "data": {"token": token, "urls": {"page": back, "feedback": reverse("annotate:feedback")}},
        **opinion(visit),
    }
    return render(request, "work/me.html", context)


def opinion(visit: work.Visit) -> dict[str, Any]:
    """Return what a page needs to ask for feedback; no questions where it was given today."""
    asks = not told.given_today(visit.id)
    return {
        "feedback": feedback_questions() if asks else [],
        "strings": feedback_strings(),
        "comment_limit": feedback.LONGEST,
    }


@worker_endpoint("POST")
def give_feedback(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    comment = body.get("comment", "")
    if not isinstance(comment, str):
        raise Invalid({"comment": _("A comment is a text.")})
    levels = {name: _level(body.get(name), name) for name in told.QUESTIONS}
    feedback.give(participation_id, comment=comment, **levels)
    return {"message": _("Thank you. The researcher reads this, without your name.")}


def _level(value: Any, name: str) -> int | None:
    if value is None or type(value) is int:
        return value
    raise Invalid({name: _("Choose one of the five answers, or none.")})
