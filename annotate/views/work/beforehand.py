"""The pages before somebody's first task: the consent text, and background questions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.selectors.studies import background as asked
from annotate.selectors.studies.background import BackgroundQuestion
from annotate.selectors.work import task_page
from annotate.services.work import beforehand
from annotate.text.numerals import number
from annotate.views.work import unit_words
from annotate.views.work.access import see_work, show, visiting, worker_page

PAGES = {"consent": "work/consent.html", "background": "work/background.html"}
SILENT = "-"  # sent for “I would rather not say”


@dataclass(frozen=True)
class QuestionField:
    """A question on the page. name: of its field. chosen: what was sent; "": nothing."""

    name: str
    question: BackgroundQuestion
    chosen: str

    @property
    def offered(self) -> list[tuple[str, str]]:
        """Return what is sent and shown for each answer."""
        return [(str(n), one) for n, one in enumerate(self.question.answers)]

    @property
    def is_missing(self) -> bool:
        return self.chosen != SILENT and self.chosen not in dict(self.offered)

    @property
    def answer(self) -> str:
        return dict(self.offered).get(self.chosen, asked.RATHER_NOT)


def page(request: HttpRequest, token: str, visit: task_page.Visit, owed: str) -> HttpResponse:
    """Show the next page before this person's first task: one of `PAGES`."""
    shown = _shown(token, visit, owed)
    if owed == "background":
        shown |= {"fields": list(_fields(visit, {})), "silent": SILENT}
    return show(request, visit.study, PAGES[owed], shown)


@worker_page
@require_POST
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """Accept the study's consent text, and go on to the work."""
    visit = visiting(token)
    if not visit.study.texts.consent:
        return see_work(token)
    if request.POST.get("accept") != "yes":
        return _ask_again(request, token, visit, status=400, missing=True)
    version = number(request.POST.get("version", "1"))  # pages of before had the first one
    if version is None or not beforehand.consent(visit.id, version=version):
        return _ask_again(request, token, visit, status=409, changed=True)
    return see_work(token)


def _ask_again(
    request: HttpRequest, token: str, visit: task_page.Visit, *, status: int, **why: bool
) -> HttpResponse:
    shown = _shown(token, visit, "consent") | why
    return show(request, visit.study, PAGES["consent"], shown, status=status)


@worker_page
@require_POST
def background(request: HttpRequest, token: str) -> HttpResponse:
    """Answer the background questions, and go on to the work."""
    visit = visiting(token)
    fields = list(_fields(visit, request.POST))
    if any(one.is_missing for one in fields):
        first = next(one.name for one in fields if one.is_missing)
        shown = _shown(token, visit, "background")
        shown |= {"fields": fields, "silent": SILENT, "missing": True, "first_missing": first}
        return show(request, visit.study, PAGES["background"], shown, status=400)
    if fields:
        beforehand.tell_background(visit.id, [one.answer for one in fields])
    return see_work(token)


def _fields(visit: task_page.Visit, sent: Mapping[str, str]) -> Iterator[QuestionField]:
    for n, one in enumerate(asked.parse(visit.study.texts.background)):
        name = f"answer{n}"
        yield QuestionField(name, one, sent.get(name, ""))


def _shown(token: str, visit: task_page.Visit, owed: str) -> dict[str, Any]:
    at = reverse(f"annotate:{owed}", args=[token])
    study = visit.study
    return {"study": study, "visit": visit, "at": at, "crowd": unit_words.label(study.crowd)}
