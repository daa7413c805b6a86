"""The way in from a marketplace: a preview, or a paid unit that somebody has accepted."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotate import adapters, tokens
from annotate.crowds.base import Claim, Configuration, Entry, InvalidEntry, Preview, Transient
from annotate.errors import NotFound, ServiceError
from annotate.selectors.work import task_page, tutorial_runs, units
from annotate.services.work import participations
from annotate.views.work import unit_words
from annotate.views.work.access import explain, framed, see_work, speak, worker_page
from annotate.views.work.pages import show_example

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
        if isinstance(came, InvalidEntry):
            return explain(request, came.message, came.status)
        offer = units.offer(came.posting)
        if offer.crowd != crowd:
            raise NotFound(_("This study does not exist any more."))
        study = task_page.study(offer.campaign_id)
        speak(study)
        if isinstance(came, Preview):
            return framed(preview(request, study, offer), study.crowd)
        return framed(_come_in(request, way, came), crowd)
    except Transient:
        return _wait(request, crowd)
    except Configuration:
        message = _("This study is not set up for its crowd. Please tell the researcher.")
        return explain(request, message, 503)


def preview(request: HttpRequest, study: task_page.Study, offer: units.UnitOffer) -> HttpResponse:
    """What a task looks like, and what the work pays, before it is accepted."""
    first = tutorial_runs.required(study.id)
    offered = unit_words.offered(offer, first, study.tutorial_bonus, after=study.bonus_after)
    accept = " ".join([unit_words.begin(study.crowd), offered])
    why = _("This is an example, so it is not sent and earns nothing.")
    why = f"{why} {unit_words.begin(study.crowd)}"
    return show_example(request, study, why=why, accept=accept)


def _come_in(request: HttpRequest, way: Entry, claim: Claim) -> HttpResponse:
    sure = way.verify_claim(claim)
    try:
        if isinstance(sure, InvalidEntry):
            return _refused(request, way.key, sure.message, sure.status)
        who = participations.arrive(claim.posting, claim, verified=sure)
    except ServiceError as error:
        return _refused(request, way.key, error.message, error.status)
    return see_work(tokens.participation_token(who.pk))


def _refused(request: HttpRequest, crowd: str, message: str, status: int) -> HttpResponse:
    """Say why a person who accepted cannot begin, and what to do with the submission."""
    return explain(request, message, status, then=unit_words.give_back(crowd))


def _wait(request: HttpRequest, crowd: str) -> HttpResponse:
    """Tell that the crowd does not answer. The page asks again automatically."""
    context = {"crowd": unit_words.label(crowd), "again": request.get_full_path()}
    response = render(request, "work/wait.html", context, status=503)
    response["Retry-After"] = str(AGAIN)
    response["Refresh"] = str(AGAIN)  # of the page: needs no script
    return framed(response, crowd)
