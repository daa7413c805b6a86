"""The annotator's pages: the landing page of an invitation, and the page of the work."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotate import tokens
from annotate.crowds.base import Claim, InvalidEntry, Leaving
from annotate.crowds.link.entry import LINK
from annotate.crowds.tariffs import ZERO
from annotate.errors import Conflict, Gone, ServiceError, TooMany
from annotate.instruments.base import Material
from annotate.requests.client_address import client_address
from annotate.selectors.work import admission, corrections, own_links, task_page
from annotate.selectors.work import tutorial_runs as tutorial_status
from annotate.services.work import joining, leasing, participations
from annotate.views.work import beforehand, tutorial, unit_words, units
from annotate.views.work.access import explain, see_work, show, speak, visiting, worker_page
from annotate.views.work.data import (
    about,
    context,
    correcting,
    example,
    first_time,
    help_template,
)
from annotate.views.work.own_pages import opinion


@worker_page
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the landing page of the study."""
    claim = LINK.parse_entry({"invitation": token})
    if isinstance(claim, InvalidEntry):
        return explain(request, claim.message, claim.status)
    study = task_page.study(claim.campaign_id)
    speak(study)
    _check_link(claim, study)
    if study.crowd != LINK.key:
        raise Conflict(participations.elsewhere(study.crowd))
    preview_url = reverse("annotate:preview", args=[token])
    if study.over:
        if (entered := own_links.of_person(study.id, claim.person)) is not None:
            return redirect("annotate:me", token=tokens.participation_token(entered))
        raise Gone(_("This study is complete: it has all the judgments it needs. Thank you!"))
    context = {"study": study, "person": claim.person, "preview": preview_url}
    context |= about(study.instrument)
    is_paid = claim.person or study.open_link_bonus
    bonus = study.tutorial_bonus if is_paid else ZERO
    context |= {"tutorial": tutorial_status.required(study.id)}
    context |= {"earns": unit_words.earns(bonus, after=study.bonus_after)}
    context |= {"tries": unit_words.tries(study.failed_try_pay if is_paid else ZERO)}
    if request.method == "GET":
        return show(request, study, "work/join.html", context)
    name = request.POST.get("name", "")
    try:
        participation_id = _enter(request, study.id, person=claim.person, name=name)
    except ServiceError as error:
        context |= {"name": name, "problem": getattr(error, "errors", {}).get("name", str(error))}
        response = show(request, study, "work/join.html", context, status=error.status)
        if isinstance(error, TooMany):
            response["Retry-After"] = str(error.wait)
        return response
    return see_work(tokens.participation_token(participation_id))


@worker_page
@require_GET
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Show a preview of a task before joining."""
    claim = LINK.parse_entry({"invitation": token})
    if isinstance(claim, InvalidEntry):
        return explain(request, claim.message, claim.status)
    study = task_page.study(claim.campaign_id)
    speak(study)
    _check_link(claim, study)
    why = _("This is an example, so it is not sent and earns nothing.")
    if study.crowd != LINK.key:
        return show_example(request, study, why=why, accept=unit_words.begin(study.crowd))
    return show_example(request, study, why=why, start=reverse("annotate:join", args=[token]))


def _check_link(claim: Claim, study: task_page.Study) -> None:
    """Refuse a link that was withdrawn. Who has begun goes on with the page of their own."""
    if claim.links != study.links_number:
        raise Gone(_("This link was withdrawn. Ask the researcher for a new one."))


def show_example(
    request: HttpRequest,
    study: task_page.Study,
    *,
    why: str,
    start: str = "",
    links: Sequence[tuple[str, str]] = (),
    accept: str = "",
    material: Material | None = None,
) -> HttpResponse:
    """The instrument's page with its own example, or `material`: no lease, nothing stored.

    why: the message after Submit. start: the address of real tasks, if there is one. accept: how to
    accept work at a crowd. links: label and address of what a researcher can go to.
    """
    shown = example(study, task_page.example(study, material), why=why, start=start)
    shown |= {"links": links, "accept": accept}
    return render(request, study.instrument.template, shown)


@worker_page
@require_GET
def page(request: HttpRequest, token: str) -> HttpResponse:
    """The task, or why there is none."""
    visit = visiting(token)
    got = leasing.lease(visit.id)
    if isinstance(got, admission.Nothing) and got.reason in beforehand.PAGES:
        return beforehand.page(request, token, visit, got.reason)
    if isinstance(got, admission.Nothing) and got.reason == "tutorial":
        return tutorial.page(request, token, visit)
    if isinstance(got, admission.Nothing) and visit.unit is not None:
        return units.over(request, token, visit, got)
    if not isinstance(got, admission.Nothing):
        leasing.shown(got.pk, participation_id=visit.id)
    return _page(request, token, visit, got, number=visit.judged + 1, first=first_time(visit))


@worker_page
@require_GET
def correct(request: HttpRequest, token: str) -> HttpResponse:
    """The text that was submitted last, to be corrected, or why it cannot be."""
    visit = visiting(token)
    study = visit.study
    found = corrections.find(visit.id, instrument=study.instrument)
    if isinstance(found, admission.Nothing):
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
    shown = {"visit": visit, "study": study, "crowd": unit_words.label(study.crowd)}
    return show(request, study, help_template(study.instrument), shown)


def _page(
    request: HttpRequest,
    token: str,
    visit: task_page.Visit,
    got: leasing.Lease,
    *,
    number: int,
    first: dict[str, str] | None = None,
) -> HttpResponse:
    nothing = got if isinstance(got, admission.Nothing) else None
    current = None
    if not isinstance(got, admission.Nothing):
        current = task_page.current(got, visit.study)
    shown = context(token, visit, current, nothing, number=number) | {"first": first}
    if nothing:
        shown["completion"] = LINK.completion(Leaving(visit.pseudonym))
        asked = opinion(visit)
        shown |= asked | {"strings": shown["strings"] | asked["strings"]}
    return show(request, visit.study, visit.study.instrument.template, shown)


def _enter(request: HttpRequest, campaign_id: int, *, person: str, name: str) -> int:
    if person:
        return participations.enter(campaign_id, external_id=person).pk
    address = client_address(request)
    return joining.enter_by_name(campaign_id, name=name, address=address).pk
