"""The annotator's pages: way in, consent, tutorial, task, own page, end of a paid unit."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.common import tokens
from annotate.common.errors import Conflict, Gone, Invalid, NotFound, ServiceError, TooMany
from annotate.common.limits import client_address
from annotate.common.numbers import number_from
from annotate.crowds import adapters
from annotate.crowds.adapters import LINK
from annotate.crowds.contract import (
    Claim,
    Configuration,
    Entry,
    Transient,
)
from annotate.crowds.prices import ZERO
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Material
from annotate.instruments.grading import Grade
from annotate.instruments.rating import instrument as rating_instrument
from annotate.instruments.tutorials import Practice, Question
from annotate.models import Batch, Participation, Review
from annotate.pay import promise_queries, tallies
from annotate.pay import queries as pay_queries
from annotate.review import appeals
from annotate.review import queries as review_queries
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries
from annotate.studies.queries import BackgroundQuestion
from annotate.work import (
    admission,
    experts,
    leasing,
    participations,
    submitting,
    task,
    tutorial,
    tutorial_queries,
    units,
)
from annotate.work import messages as work_messages
from annotate.work import queries as work_queries
from annotate.work.access import (
    RequestError,
    about,
    context,
    correcting,
    data_words,
    example,
    explain,
    first_time,
    framed,
    help_template,
    see_work,
    show,
    speak,
    visiting,
    worker_endpoint,
    worker_page,
)
from annotate.work.admission import NoTask
from annotate.work.endpoints import seconds
from annotate.work.messages import feedback_questions, feedback_strings, kind_of_pay
from annotate.work.task import Visit
from annotate.work.tutorial_queries import Status

Unit = Participation.Status
NOW = "hand-in"  # in the address of the work: a unit that is done waits no longer


def over(request: HttpRequest, token: str, visit: task.Visit, nothing: NoTask) -> HttpResponse:
    """The page at the address of the work when nothing more is leased in this unit.

    For a moment after the last text, it waits there, so that this text can be corrected. Handing in
    is committed here before anything is sent to the crowd. On every later visit the same page
    offers to send it again, because it is unknown whether the crowd received it.
    """
    unit = visit.unit
    assert unit is not None, "only a marketplace's unit is handed in"
    just = False
    if unit.status == Unit.ACTIVE and visit.figures.judged:
        until = None if NOW in request.GET else work_queries.hand_in_at(visit.id)
        if until is not None and until > timezone.now():
            shown = _waiting(token, visit, unit, until - timezone.now())
            return show(request, visit.study, "work/unit.html", shown)
        try:
            just = participations.hand_in(visit.id)
        except Conflict:
            return see_work(token)  # since it was looked for, a task has come free
        visit = task.visit(visit.id)
        unit = visit.unit or unit
    shown = _context(token, visit, unit, nothing) | _completion(visit, unit, first=just)
    return show(request, visit.study, "work/unit.html", shown)


def _waiting(token: str, visit: task.Visit, unit: Participation, wait: timedelta) -> dict[str, Any]:
    """The page between the last text and the hand-in, which follows automatically."""
    nothing = NoTask("done", _("All tasks are done. Thank you!"), final=True)
    shown = _context(token, visit, unit, nothing)
    now = f"{reverse('annotate:work', args=[token])}?{NOW}"
    shown["data"]["urls"]["hand_in"] = now
    shown["data"]["wait"] = seconds = math.ceil(wait.total_seconds())
    title = _("Your work is saved, but not handed in yet.")
    return shown | {"title": title, "give_back": "", "waits": {"seconds": seconds, "now": now}}


def _context(token: str, visit: task.Visit, unit: Participation, nothing: NoTask) -> dict[str, Any]:
    """again: whether the page keeps looking for work, because some may come."""
    told, crowd = work_messages.title(unit), visit.study.crowd
    again = not told and not nothing.final
    me = reverse("annotate:me", args=[token])
    finished = {"reason": nothing.reason, "message": nothing.message, "final": not again}
    judged, is_left = visit.figures.judged, unit.status == Unit.LEFT
    done = work_messages.done(unit, judged) if judged else ""
    return {
        "visit": visit,
        "study": visit.study,
        "title": told or nothing.message,
        "done": work_messages.lost(crowd) if is_left else done,
        "unsure": work_messages.unsure(crowd) if visit.figures.barred and not visit.is_sure else "",
        "how_paid": ""
        if unit.status in (Unit.APPROVED, Unit.REJECTED)
        else work_messages.how_paid(units.offer(unit)),
        "give_back": "" if told or is_left else work_messages.give_back(crowd),
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


def own_page(visit: task.Visit, me: str) -> dict[str, Any]:
    """Return what a browser needs to remember the annotator's own page, once one submission was
    handed in."""
    handed_in = visit.unit is not None and visit.unit.status not in (Unit.ACTIVE, Unit.LEFT)
    key = tokens.own_key(visit.study.id, visit.pseudonym)
    return {"key": key, "page": me, "keep": handed_in}


def _completion(visit: task.Visit, unit: Participation, *, first: bool) -> dict[str, Any]:
    """The form that hands it in at the crowd. It is sent automatically once, to prevent a loop."""
    if unit.status != Unit.HANDED_IN or unit.posting is None:
        return {}
    completion = adapters.marketplace(visit.study.crowd).completion(
        unit=unit.external_key,
        submit_to=unit.submit_to,
        receipt=unit.receipt,
        code=unit.posting.code,
    )
    return {
        "completion": completion,
        "by_itself": first,
        "hand_in": _("Hand in your work"),
        "crowd": adapters.crowd_label(visit.study.crowd),
    }


# The pages before somebody's first task: the consent text, and background questions.


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
        return dict(self.offered).get(self.chosen, studies_queries.RATHER_NOT)


@worker_page
@require_POST
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """Accept the study's consent text, and go on to the work."""
    visit = visiting(token)
    if not visit.study.texts.consent:
        return see_work(token)
    if request.POST.get("accept") != "yes":
        return _ask_again(request, token, visit, status=400, missing=True)
    version = number_from(request.POST.get("version", "1"))  # pages of before had the first one
    if version is None or not participations.consent(visit.id, version=version):
        return _ask_again(request, token, visit, status=409, changed=True)
    return see_work(token)


def _ask_again(
    request: HttpRequest, token: str, visit: task.Visit, *, status: int, **why: bool
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
        participations.tell_background(visit.id, [one.answer for one in fields])
    return see_work(token)


def _fields(visit: task.Visit, sent: Mapping[str, str]) -> Iterator[QuestionField]:
    for n, one in enumerate(studies_queries.parse(visit.study.texts.background)):
        name = f"answer{n}"
        yield QuestionField(name, one, sent.get(name, ""))


def _shown(token: str, visit: task.Visit, owed: str) -> dict[str, Any]:
    at = reverse(f"annotate:{owed}", args=[token])
    study = visit.study
    return {"study": study, "visit": visit, "at": at, "crowd": adapters.crowd_label(study.crowd)}


# The annotator's own pages: work, pay, appeals and feedback.


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
        "words": data_words(visit.study, visit.figures, number=visit.figures.judged + 1),
        "earnings": [
            (kind_of_pay(each["kind"], each["reason"]), each)
            for each in pay_queries.earnings_of(visit.id)
        ],
        "account": tallies.accounts_of(visit.id),
        **_promised(visit),
        "payouts": review_queries.payouts(visit.id),
        **_how_paid(visit),
        "back": back,
        "has_work": admission.goes_back_to_work(visit.id),
        "data": {"token": token, "urls": urls, "own": own_page(visit, own)},
        **asked,
        **_looked(visit),
        "strings": asked["strings"] | work_messages.appeal_strings(),
    }
    return show(request, visit.study, "work/me.html", context)


def _promised(visit: task.Visit) -> dict[str, Any]:
    """A bonus that is promised, and when it is due."""
    found = promise_queries.told(visit.id)
    if found is None:
        return {"promised": None}
    amount, counting = found
    when = work_messages.waits(visit.study.bonus_after, counting)
    return {"promised": amount, "promised_when": when}


def _how_paid(visit: task.Visit) -> dict[str, Any]:
    """How pay arrives: from the crowd for each submission; by link, by hand and for a code."""
    if visit.unit is None:
        return {}
    stages = units.stages(visit.id) if visit.is_sure else []
    return {
        "unsure": "" if visit.is_sure else work_messages.unsure(visit.study.crowd),
        "how_paid": work_messages.how_paid(units.offer(visit.unit)),
        "stages": [(work_messages.stage(status, n), amount) for status, n, amount in stages],
    }


def _looked(visit: task.Visit) -> dict[str, Any]:
    """What was noticed in their work, what was decided, and how they can respond."""
    found = review_queries.standing_of(visit.id)
    shown = {
        "looked": found,
        "appeal_form": found.form,
        "appeal_limit": appeals.LONGEST,
        "answer_days": appeals.TO_ANSWER.days,
    }
    return shown | (_review(visit, found, found.review) if found.review else {})


def _review(visit: task.Visit, found: review_queries.OwnStanding, review: Review) -> dict[str, Any]:
    instrument = visit.study.instrument
    settings = Settings.from_dict(review.campaign.screening)
    tasks = review_queries.tasks(visit.id) if found.notices else []
    notices = [(flag.at, review_queries.verdict_of(flag)) for flag in found.notices]
    return {
        "standing": work_messages.status(found),
        "notices": [
            {
                "at": at,
                "told": work_messages.notice(verdict, settings, instrument),
                "evidence": work_messages.evidence(verdict, tasks, instrument),
            }
            for at, verdict in notices
        ],
        "rulings": work_messages.decided(found.rulings),
    }


def opinion(visit: task.Visit) -> dict[str, Any]:
    """Return what a page needs to ask for feedback; no questions where it was given today."""
    asks = not work_queries.given_today(visit.id)
    return {
        "feedback": feedback_questions() if asks else [],
        "strings": feedback_strings(),
        "comment_limit": submitting.LONGEST,
    }


@worker_endpoint("POST")
def give_feedback(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    comment = body.get("comment", "")
    if not isinstance(comment, str):
        raise Invalid({"comment": _("A comment is a text.")})
    levels = {name: body.get(name) for name in work_queries.QUESTIONS}
    for name, level in levels.items():
        if level is not None and type(level) is not int:
            raise Invalid({name: _("Choose one of the five answers, or none.")})
    submitting.give(participation_id, comment=comment, **levels)
    return {"message": _("Thank you. The researcher reads this, without your name.")}


@worker_endpoint("POST")
def appeal(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    speak(task.study_at(participation_id))
    text = body.get("text", "")
    if not isinstance(text, str):
        raise Invalid({"text": _("An appeal is a text.")})
    made = appeals.make_from(participation_id, text=text)
    said = _("Your appeal has been received. You will find the answer here by %(day)s.")
    return {"message": said % {"day": date_format(localtime(made.due_at))}}


# The tutorial before the work: one question a page, answered to the server.


MOST_KEYS = 9  # a digit answers with the level of that number


def tutorial_page(request: HttpRequest, token: str, visit: Visit) -> HttpResponse:
    """Show the current question at the address of the work."""
    try:
        tutorial.begin(visit.id)
    except Conflict:
        return see_work(token)  # since it was offered, somebody else took the last of the budget
    status = tutorial_queries.status(visit.id)
    question = status.current if status else None
    if status is None or question is None:
        return see_work(token)
    context = question_context(status, question) | {
        "visit": visit,
        "study": visit.study,
        "help": help_template(visit.study.instrument),
        "crowd": adapters.crowd_label(visit.study.crowd),
        "first_time": first_time(visit),
        "earns": work_messages.earns(status.bonus, after=visit.study.bonus_after),
        "rules": work_messages.rules(status, visit),
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
        "keys": range(1, 1 + _keys(question)),
        "strings": _strings(),
    }


@worker_endpoint("POST")
def answer(participation_id: int, body: dict[str, Any]) -> dict[str, Any]:
    study = task.study_at(participation_id)
    speak(study)
    response, version, key = body.get("response"), body.get("version"), body.get("question")
    if not isinstance(version, str) or not isinstance(key, str):
        message = _("An answer names the tutorial’s version and the question.")
        raise RequestError(message, status=400, code="not_an_answer")
    if not isinstance(response, dict):
        raise Invalid({"response": _("There is no answer to store.")})
    graded = tutorial.answer(
        participation_id,
        version=version,
        key=key,
        raw=response,
        round_number=body.get("round") if type(body.get("round")) is int else None,
        active_seconds=seconds(body.get("active_seconds")),
    )
    promised, due = work_messages.promised(graded.promised, after=study.bonus_after)
    ended = ""
    if graded.failed is not None:
        status = tutorial_queries.status(participation_id)
        offered = status.for_failing if status else ZERO
        ended = work_messages.ended(graded.failed, graded.tried, offered)
    return {
        **as_data(graded.grade),
        "passed": graded.passed,
        "promised": promised,
        "due": due,
        "ended": ended,
    }


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
        **_practised(question),
    }


def _keys(question: Question) -> int:
    """Return how many number keys answer it."""
    if isinstance(question, Practice):
        return len(question.material.side_by_side) or min(MOST_KEYS, question.asked.keys)
    return min(MOST_KEYS, len(getattr(question, "options", ())))


def _practised(question: Question) -> dict[str, Any]:
    """Return what the script needs to ask a question of the instrument."""
    if not isinstance(question, Practice):
        return {}
    asked = question.asked.shown() | {"only_if": None}  # whatever else was answered
    return {"criterion": asked, "texts": len(question.material.side_by_side)}


def _strings() -> dict[str, Any]:
    return {
        **rating_instrument.editing(),
        "highlighting": instruments_base.strings(),
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
        "finished": _("finished"),
        **rating_instrument.highlighting(),
        "not_answered": _("Not answered yet"),
    }


# The annotator's pages: the landing page of an invitation, and the page of the work.


@worker_page
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the landing page of the study."""
    claim = LINK.parse_entry({"invitation": token})
    study = _invited(claim)
    if study.crowd != LINK.key:
        raise Conflict(participations.elsewhere(study.crowd))
    preview_url = reverse("annotate:preview", args=[token])
    if study.over:
        if (entered := units.of_person(study.id, claim.person)) is not None:
            return redirect("annotate:me", token=tokens.participation_token(entered))
        raise Gone(_("This study is complete: it has all the judgments it needs. Thank you!"))
    experts.ask(study.id, claim.person)
    context = {"study": study, "person": claim.person, "preview": preview_url}
    context |= about(study.instrument)
    is_paid = claim.person or study.open_link_bonus
    bonus = study.tutorial_bonus if is_paid else ZERO
    context |= {"tutorial": tutorial_queries.required(study.id)}
    context |= {"earns": work_messages.earns(bonus, after=study.bonus_after)}
    context |= {"tries": work_messages.tries(study.failed_try_pay if is_paid else ZERO)}
    if request.method == "GET":
        return show(request, study, "work/join.html", context)
    name = request.POST.get("name", "")
    try:
        if claim.person:
            who = participations.enter(study.id, external_id=claim.person)
        else:
            address = client_address(request)
            who = participations.enter_by_name(study.id, name=name, address=address)
    except ServiceError as error:
        context |= {"name": name, "problem": getattr(error, "errors", {}).get("name", str(error))}
        response = show(request, study, "work/join.html", context, status=error.status)
        if isinstance(error, TooMany):
            response["Retry-After"] = str(error.wait)
        return response
    return see_work(tokens.participation_token(who.pk))


@worker_page
@require_GET
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Show a preview of a task before joining."""
    claim = LINK.parse_entry({"invitation": token})
    study = _invited(claim)
    why = _("This is an example, so it is not sent and earns nothing.")
    if study.crowd != LINK.key:
        return show_example(request, study, why=why, accept=work_messages.begin(study.crowd))
    return show_example(request, study, why=why, start=reverse("annotate:join", args=[token]))


def _invited(claim: Claim) -> task.Study:
    """Return the study of a link, unless the link was withdrawn; go on in its language.

    Who has begun goes on with the page of their own.
    """
    study = task.study(claim.campaign_id)
    speak(study)
    if claim.links != study.links_number:
        raise Gone(_("This link was withdrawn. Ask the researcher for a new one."))
    return study


def show_example(
    request: HttpRequest,
    study: task.Study,
    *,
    why: str,
    start: str = "",
    links: Sequence[tuple[str, str]] = (),
    unseen: str = "",
    accept: str = "",
    material: Material | None = None,
) -> HttpResponse:
    """The instrument's page with its own example, or `material`: no lease, nothing stored.

    why: the message after Submit. start: the address of real tasks, if there is one. accept: how to
    accept work at a crowd. links: label and address of what a researcher can go to.
    unseen: what of their file annotators do not see.
    """
    shown = example(study, task.example(study, material), why=why, start=start)
    shown |= {"links": links, "accept": accept, "unseen": unseen}
    return render(request, study.instrument.template, shown)


@worker_page
@require_GET
def page(request: HttpRequest, token: str) -> HttpResponse:
    """The task, or why there is none."""
    visit = visiting(token)
    got = leasing.lease(visit.id)
    if isinstance(got, admission.NoTask) and got.reason in PAGES:
        shown = _shown(token, visit, got.reason)
        if got.reason == "background":
            shown |= {"fields": list(_fields(visit, {})), "silent": SILENT}
        return show(request, visit.study, PAGES[got.reason], shown)
    if isinstance(got, admission.NoTask) and got.reason == "tutorial":
        return tutorial_page(request, token, visit)
    if isinstance(got, admission.NoTask) and visit.unit is not None:
        return over(request, token, visit, got)
    if isinstance(got, admission.NoTask):
        asked = opinion(visit)
        shown = context(token, visit, None, got, number=visit.figures.judged + 1)
        shown |= asked | {"strings": shown["strings"] | asked["strings"]}
    else:
        leasing.shown(got.pk, participation_id=visit.id)
        current = task.current(got, visit.study)
        shown = context(token, visit, current, None, number=visit.figures.judged + 1)
    shown["first"] = first_time(visit)
    return show(request, visit.study, visit.study.instrument.template, shown)


@worker_page
@require_GET
def correct(request: HttpRequest, token: str) -> HttpResponse:
    """The text that was submitted last, to be corrected, or why it cannot be."""
    visit = visiting(token)
    study = visit.study
    found = work_queries.find_correction(visit.id, instrument=study.instrument)
    if isinstance(found, admission.NoTask):
        back = reverse("annotate:work", args=[token])
        shown = {"study": study, "message": found.message, "back": back}
        return show(request, study, "work/not_correctable.html", shown, status=410)
    leasing.hold(visit.id)
    return show(request, study, study.instrument.template, correcting(token, visit, found))


@worker_page
@require_GET
def beside(request: HttpRequest, token: str) -> HttpResponse:
    """Show the panel next to a task. The page's script loads it when it is first opened."""
    visit = visiting(token)
    study = visit.study
    shown = {"visit": visit, "study": study, "crowd": adapters.crowd_label(study.crowd)}
    return show(request, study, help_template(study.instrument), shown)


# The way in from a marketplace: a preview, or a paid unit that somebody has accepted.


AGAIN = 10  # seconds after which a page that says “wait” looks again


@worker_page
@require_GET
def entry(request: HttpRequest, crowd: str, token: str) -> HttpResponse:
    """The page that a posting opens, in the crowd's frame or in a tab."""
    if not adapters.publishes(crowd):
        raise NotFound(_("This link is not complete. Copy the whole link."))
    try:
        way = adapters.entry(crowd)
        came = way.parse_entry({**request.GET.dict(), "posting": token})
        batch = units.batch_of(came.posting)
        if batch.crowd != crowd:
            raise NotFound(_("This study does not exist any more."))
        study = task.study(batch.campaign_id)
        speak(study)
        if not came.unit:
            return framed(preview_page(request, study, batch), study.crowd)
        return framed(_accepted(request, way, came), crowd)
    except Transient:
        context = {"crowd": adapters.crowd_label(crowd), "again": request.get_full_path()}
        response = render(request, "work/wait.html", context, status=503)
        response["Retry-After"] = str(AGAIN)
        response["Refresh"] = str(AGAIN)  # of the page: needs no script
        return framed(response, crowd)
    except Configuration:
        message = _("This study is not set up for its crowd. Please tell the researcher.")
        return explain(request, message, 503)


def _accepted(request: HttpRequest, way: Entry, claim: Claim) -> HttpResponse:
    """Let a person in who accepted, or say why not, and what to do with the submission."""
    then = work_messages.give_back(way.key)
    try:
        who = participations.arrive(claim.posting, claim, verified=way.verify_claim(claim))
    except ServiceError as error:
        return explain(request, error.message, error.status, then=then)
    return see_work(tokens.participation_token(who.pk))


def preview_page(request: HttpRequest, study: task.Study, batch: Batch) -> HttpResponse:
    """What a task looks like, and what the work pays, before it is accepted."""
    first = tutorial_queries.required(study.id)
    begin = work_messages.begin(study.crowd)
    offered = work_messages.offered(batch, study, first)
    why = _("This is an example, so it is not sent and earns nothing.")
    return show_example(request, study, why=f"{why} {begin}", accept=f"{begin} {offered}")
