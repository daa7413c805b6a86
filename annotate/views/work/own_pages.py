"""The annotator's own pages: work, pay, appeals and feedback."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotate.crowds.base import Leaving
from annotate.crowds.link.entry import LINK
from annotate.errors import Invalid
from annotate.selectors.pay import accounts, earnings, promises
from annotate.selectors.review import own_reviews
from annotate.selectors.work import admission, units
from annotate.selectors.work import feedback as given_feedback
from annotate.selectors.work import task_page as work
from annotate.services.review import appeals
from annotate.services.work import feedback
from annotate.views.work import review_words, unit_words
from annotate.views.work.access import show, speak, visiting, worker_endpoint, worker_page
from annotate.views.work.data import words
from annotate.views.work.script_words import feedback_questions, feedback_strings, kind_of_pay
from annotate.views.work.units import own_page


@worker_page
@require_GET
def me(request: HttpRequest, token: str) -> HttpResponse:
    """Show the annotator's work, earnings and pay."""
    visit = visiting(token)
    back, own = (reverse(f"annotate:{page}", args=[token]) for page in ("work", "me"))
    asked = opinion(visit)
    urls = {
        "page": back,
        "feedback": reverse("annotate:feedback"),
        "appeal": reverse("annotate:appeal"),
    }
    context = {
        "visit": visit,
        "study": visit.study,
        "words": words(visit.study, visit.figures, number=visit.judged + 1),
        "earnings": [(kind_of_pay(each.kind, each.reason), each) for each in earnings.of(visit.id)],
        "account": accounts.of(visit.id),
        **_promised(visit),
        "payouts": own_reviews.payouts(visit.id),
        **_how_paid(visit),
        "back": back,
        "has_work": admission.goes_back_to_work(visit.id),
        "data": {"token": token, "urls": urls, "own": own_page(visit, own)},
        **asked,
        **_looked(visit),
        "strings": asked["strings"] | review_words.appeal_strings(),
    }
    return show(request, visit.study, "work/me.html", context)


def _promised(visit: work.Visit) -> dict[str, Any]:
    """A bonus that is promised, and when it is due."""
    found = promises.told(visit.id)
    if found is None:
        return {"promised": None}
    when = unit_words.waits(found.after, found.counting)
    return {"promised": found.amount, "promised_when": when}


def _how_paid(visit: work.Visit) -> dict[str, Any]:
    """How pay arrives: from the crowd for each submission; by link, by hand and for a code."""
    if visit.unit is None:
        return {"completion": LINK.completion(Leaving(visit.pseudonym))}
    stages = units.stages(visit.id) if visit.is_sure else []
    return {
        "unsure": "" if visit.is_sure else unit_words.unsure(visit.study.crowd),
        "how_paid": unit_words.how_paid(visit.unit.offer),
        "stages": [(unit_words.stage(each.status, each.n), each) for each in stages],
    }


def _looked(visit: work.Visit) -> dict[str, Any]:
    """What was noticed in their work, what was decided, and how they can respond."""
    found = own_reviews.standing_of(visit.id)
    shown = {
        "looked": found.looked,
        "blocked": found.blocked,
        "appeal_form": found.form,
        "appeal_limit": appeals.LONGEST,
        "answer_days": appeals.TO_ANSWER.days,
    }
    return shown | (_review(visit, found.looked) if found.looked else {})


def _review(visit: work.Visit, looked: own_reviews.Looked) -> dict[str, Any]:
    instrument = visit.study.instrument
    tasks = own_reviews.tasks(visit.id) if looked.notices else []
    return {
        "standing": review_words.status(looked),
        "notices": [
            {
                "at": notice.at,
                "told": review_words.notice(notice, looked.settings, instrument),
                "evidence": review_words.evidence(notice, tasks, instrument),
            }
            for notice in looked.notices
        ],
        "rulings": review_words.decided(looked.rulings),
    }


def opinion(visit: work.Visit) -> dict[str, Any]:
    """Return what a page needs to ask for feedback; no questions where it was given today."""
    asks = not given_feedback.given_today(visit.id)
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
    levels = {name: _level(body.get(name), name) for name in given_feedback.QUESTIONS}
    feedback.give(participation_id, comment=comment, **levels)
    return {"message": _("Thank you. The researcher reads this, without your name.")}


@worker_endpoint("POST")
def appeal(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    speak(work.study_at(participation_id))
    text = body.get("text", "")
    if not isinstance(text, str):
        raise Invalid({"text": _("An appeal is a text.")})
    made = appeals.make_from(participation_id, text=text)
    said = _("Your appeal has been received. You will find the answer here by %(day)s.")
    return {"message": said % {"day": date_format(localtime(made.due_at))}}


def _level(value: Any, name: str) -> int | None:
    if value is None or type(value) is int:
        return value
    raise Invalid({name: _("Choose one of the five answers, or none.")})
