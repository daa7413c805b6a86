"""The end of a paid unit of a marketplace: handed in, or returned because no task was left."""

import math
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import adapters, tokens
from annotate.crowds.base import FormPost, Leaving, Redirect
from annotate.errors import Conflict
from annotate.selectors.work import corrections, task_page
from annotate.selectors.work.admission import Nothing
from annotate.selectors.work.units import Unit
from annotate.services.work import participations
from annotate.views.work import unit_words
from annotate.views.work.access import see_work, show

NOW = "hand-in"  # in the address of the work: a unit that is done waits no longer


def over(
    request: HttpRequest, token: str, visit: task_page.Visit, nothing: Nothing
) -> HttpResponse:
    """The page at the address of the work when nothing more is leased in this unit.

    For a moment after the last text, it waits there, so that this text can be corrected. Handing in
    is committed here before anything is sent to the crowd. On every later visit the same page
    offers to send it again, because it is unknown whether the crowd received it.
    """
    unit = visit.unit
    assert unit is not None, "only a marketplace's unit is handed in"
    just = False
    if unit.is_active and unit.done:
        if wait := _wait(request, visit):
            return show(request, visit.study, "work/unit.html", _waiting(token, visit, unit, wait))
        try:
            just = participations.hand_in(visit.id)
        except Conflict:
            return see_work(token)  # since it was looked for, a task has come free
        visit = task_page.visit(visit.id)
        unit = visit.unit or unit
    shown = _context(token, visit, unit, nothing) | _completion(visit, unit, first=just)
    return show(request, visit.study, "work/unit.html", shown)


def _wait(request: HttpRequest, visit: task_page.Visit) -> timedelta:
    """Return how long this unit waits before it is handed in; zero: not at all."""
    until = None if NOW in request.GET else corrections.hand_in_at(visit.id)
    return timedelta(0) if until is None else max(timedelta(0), until - timezone.now())


def _waiting(token: str, visit: task_page.Visit, unit: Unit, wait: timedelta) -> dict[str, Any]:
    """The page between the last text and the hand-in, which follows automatically."""
    nothing = Nothing("done", _("All tasks are done. Thank you!"), final=True)
    shown = _context(token, visit, unit, nothing)
    now = f"{reverse('annotate:work', args=[token])}?{NOW}"
    shown["data"]["urls"]["hand_in"] = now
    shown["data"]["wait"] = seconds = math.ceil(wait.total_seconds())
    title = _("Your work is saved, but not handed in yet.")
    return shown | {"title": title, "give_back": "", "waits": {"seconds": seconds, "now": now}}


def _context(token: str, visit: task_page.Visit, unit: Unit, nothing: Nothing) -> dict[str, Any]:
    """again: whether the page keeps looking for work, because some may come."""
    told = unit_words.title(unit)
    again = not told and not nothing.final
    me = reverse("annotate:me", args=[token])
    finished = {"reason": nothing.reason, "message": nothing.message, "final": not again}
    return {
        "visit": visit,
        "study": visit.study,
        "title": told or nothing.message,
        "done": _done(visit, unit),
        "unsure": unit_words.unsure(visit.study.crowd)
        if visit.barred and not visit.is_sure
        else "",
        "how_paid": "" if unit.is_decided else unit_words.how_paid(unit.offer),
        "give_back": "" if told or unit.is_left else unit_words.give_back(visit.study.crowd),
        "again": again,
        "me": me,
        "data": {
            "token": token,
            "assignment": None,
            "finished": finished,
            "own": own_page(visit, me),
            "urls": {"page": reverse("annotate:work", args=[token])},
        },
    }


def own_page(visit: task_page.Visit, me: str) -> dict[str, Any]:
    """Return what a browser needs to remember the annotator's own page, once one submission was
    handed in."""
    handed_in = visit.unit is not None and not (visit.unit.is_active or visit.unit.is_left)
    key = tokens.own_key(visit.study.id, visit.pseudonym)
    return {"key": key, "page": me, "keep": handed_in}


def _done(visit: task_page.Visit, unit: Unit) -> str:
    if unit.is_left:
        return unit_words.lost(visit.study.crowd)
    return unit_words.done(unit) if unit.done else ""


def _completion(visit: task_page.Visit, unit: Unit, *, first: bool) -> dict[str, Any]:
    """The form that hands it in at the crowd. It is sent automatically once, to prevent a loop."""
    if not unit.is_handed_in:
        return {}
    leaving = Leaving(visit.pseudonym, unit.name, unit.submit_to, unit.receipt, unit.code)
    completion = adapters.entry(visit.study.crowd).completion(leaving)
    return {
        "form": completion if isinstance(completion, FormPost) else None,
        "link": completion if isinstance(completion, Redirect) else None,
        "by_itself": first,
        "hand_in": _("Hand in your work"),
        "crowd": unit_words.label(visit.study.crowd),
    }
