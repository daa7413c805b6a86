"""The reviewer's pages: who waits, one annotator with the evidence, and the ruling."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.errors import Conflict, Invalid, NotFound, ServiceError
from annotate.permissions import researcher_page, reviewable
from annotate.selectors.campaigns import blinding
from annotate.selectors.pay import budget
from annotate.selectors.review import (
    appeal_rights,
    eligibility,
    gold,
    judgments,
    queues,
    reviews,
    screens,
)
from annotate.selectors.review import effects as review_effects
from annotate.selectors.review.reviews import Case, Waiting
from annotate.selectors.work import tutorial_records
from annotate.services.marketplace import messages as crowd_messages
from annotate.services.review import appeals, reviewing
from annotate.services.review.reviews import record_opened
from annotate.text.figures import money
from annotate.text.numerals import number
from annotate.views.review import (
    choices,
    comparisons,
    evidence,
    page_signals,
    together,
    trail,
    words,
)

MOST_REASON = 5000


@require_safe
@never_cache
@researcher_page
def queue(request: HttpRequest) -> HttpResponseBase:
    """The review queue of all campaigns, or of the one that `campaign` names."""
    user_id = _user(request)
    chosen = request.GET.get("campaign", "")
    campaign = reviewable(request.user, chosen) if chosen else None
    left = appeal_rights.left_to_others(user_id)
    wanted = queues.asked(request.GET, campaign=chosen)
    listing, rows = queues.page(user_id, wanted, left)
    ruled = reviews.ruled(user_id, campaign=chosen)
    signals = page_signals.why([one.key for one in (*rows, *ruled)])

    def why(one: Waiting) -> tuple[Waiting, list[tuple[str, str]]]:
        return one, [*words.flags(one.flags), *signals.get(one.key, ())]

    context = {
        "campaign": campaign,
        "listing": listing,
        "rows": list(map(why, rows)),
        "queue": queues.neighbours(user_id, None, left, wanted),
        "choices": together.CHOICES,
        "ruled": list(map(why, ruled)),
        "looked_at": words.looked_at(),
        "section": "reviews",
    }
    return render(request, "reviews/queue.html", context)


@require_safe
@never_cache
@researcher_page
def case(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    context = _context(request, public_id, pseudonym)
    if request.method == "GET":
        found = context["case"]
        record_opened(found.campaign_id, found.annotator_id, _user(request))
    return render(request, "reviews/case.html", context)


@require_POST
@never_cache
@researcher_page
def rule(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Carry out a ruling; one that refuses pay is asked for a second time."""
    campaign = reviewable(request.user, public_id)
    found = _found(campaign, pseudonym)
    typed = _typed(request)
    beside = _following(request, found) if request.POST.get("next") else None
    choice = choices.BY_CODE.get(typed["choice"])
    try:
        if choice is None:
            raise Invalid({"choice": "Choose a ruling first."})
        if choice.confirms and not request.POST.get("confirmed"):
            return _confirm(request, found, typed)
        made = reviewing.rule(
            found.campaign_id,
            found.annotator_id,
            choice.acts,
            actor_id=_user(request),
            reason=typed["reason"],
            seen=typed["seen"],
            beyond_budget=bool(request.POST.get("beyond_budget")),
        )
    except Invalid as error:
        if choice is not None and choice.confirms:
            return _confirm(request, found, typed, error)
        return _again(request, found, typed, error)
    except Conflict as error:
        return _again(request, found, typed, error)
    _say(request, found, [ruling.pk for ruling in made], choice)
    if not request.POST.get("next"):
        return redirect(_address(request, "review", public_id, pseudonym))
    return redirect(
        _address(request, "review", *beside) if beside else _address(request, "reviews")
    )


@require_POST
@never_cache
@researcher_page
def dismiss(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Answer an appeal without changing the ruling."""
    found = _found(reviewable(request.user, public_id), pseudonym)
    answer = request.POST.get("answer", "")[:MOST_REASON]
    try:
        if found.review_id is None:
            raise Conflict("There is no open appeal.")
        appeals.dismiss(found.review_id, actor_id=_user(request), answer=answer)
    except (Invalid, Conflict) as error:
        context = _context(request, public_id, pseudonym)
        context |= {"appeal_refused": error, "answer": answer}
        return render(request, "reviews/case.html", context, status=error.status)
    messages.success(request, "Answered. The ruling stays, and the annotator reads your answer.")
    return redirect(_address(request, "review", public_id, pseudonym))


def _context(
    request: HttpRequest, public_id: str, pseudonym: str, typed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    campaign = reviewable(request.user, public_id)
    found = _found(campaign, pseudonym)
    look = screens.look(campaign, found.annotator_id)
    work = judgments.work(campaign, found.annotator_id)
    effects = review_effects.effects(campaign.pk, found.annotator_id)
    page = _page(request, work.pages)
    price = budget.cost_of_judgment(campaign)
    return {
        "campaign": campaign,
        "case": found,
        "flags": words.flags(found.flags),
        "why": page_signals.why([(found.campaign, pseudonym)]).get((found.campaign, pseudonym)),
        "sections": evidence.sections(look, found),
        "times": words.times(look),
        "gold": gold.of_person(campaign, found.annotator_id),
        "rounds": tutorial_records.of(campaign.pk, [found.annotator_id]).get(found.annotator_id),
        "look": look,
        "signals": page_signals.section(campaign, found.annotator_id),
        "work": work,
        "columns": comparisons.columns(work),
        "beside": comparisons.beside(work, page),
        "page": page,
        "offset": (page - 1) * judgments.PAGE,
        "per_page": judgments.PAGE,
        "matrices": comparisons.matrices(work),
        "effects": effects,
        "again": price * effects.counting,
        "sight": blinding.sight(_user(request), campaign),
        "answering": _answering(request, found),
        "days_to_final": eligibility.TO_APPEAL.days,
        "notified": crowd_messages.reaches(campaign, found.annotator_id),
        "choices": choices.offered(found, effects),
        "typed": typed or {},
        "trail": trail.trail(found.trail, pseudonym=pseudonym),
        "section": "reviews",
        **_neighbours(request, found),
    }


def _answering(request: HttpRequest, found: Case) -> dict[str, Any]:
    """Whether this user may answer the appeal that waits, if one does."""
    if found.appeal is None or found.review_id is None:
        return {}
    answerers = appeal_rights.answerers(found.review_id)
    user_id = _user(request)
    return {
        "others": answerers.names if answerers.bars(user_id) else [],
        "alone": answerers.is_own(user_id) and not answerers.bars(user_id),
    }


def _neighbours(request: HttpRequest, found: Case) -> dict[str, Any]:
    """The next and the previous in the list that the person came from; else its first."""
    wanted = _list(request)
    left = appeal_rights.left_to_others(_user(request))
    beside = queues.neighbours(_user(request), found.review_id, left, wanted)
    return {
        "next": beside.following,
        "previous": beside.previous,
        "place": beside.place,
        "n_waiting": beside.n_waiting,
        "kept": wanted.kept,
    }


def _following(request: HttpRequest, found: Case) -> queues.CaseKey | None:
    """The case that comes after this one in the list before it is ruled on; None if none does."""
    following: queues.CaseKey | None = _neighbours(request, found)["next"]
    own = (found.campaign, found.pseudonym)
    return None if following == own else following


def _list(request: HttpRequest) -> queues.QueueListing:
    return queues.asked(request.GET, campaign=request.GET.get("campaign", ""))


def _address(request: HttpRequest, name: str, *key: str) -> str:
    """Return an address with the list that the person came from."""
    kept = _list(request).kept
    return reverse(f"annotate:{name}", args=key) + (f"?{kept}" if kept else "")


def _confirm(
    request: HttpRequest, found: Case, typed: Mapping[str, Any], error: Invalid | None = None
) -> HttpResponseBase:
    effects = review_effects.effects(found.campaign_id, found.annotator_id)
    context = {
        "case": found,
        "effects": effects,
        "least_reason": choices.least_reason(effects),
        "typed": typed,
        "error": error,
        "kept": _list(request).kept,
        "section": "reviews",
    }
    return render(request, "reviews/refuse.html", context, status=error.status if error else 200)


def _again(
    request: HttpRequest, found: Case, typed: Mapping[str, Any], error: ServiceError
) -> HttpResponseBase:
    """The page as things stand now, with all that was typed."""
    context = _context(request, found.campaign, found.pseudonym, typed)
    context |= {"refused": error, "asks_beyond": getattr(error, "code", "") == budget.BEYOND}
    return render(request, "reviews/case.html", context, status=error.status)


def _say(
    request: HttpRequest, found: Case, ruling_ids: list[int], choice: choices.RulingChoice
) -> None:
    """What happened to judgments and pay: what it did to estimates is shown once it is final."""
    effects = review_effects.effects(found.campaign_id, found.annotator_id)
    blocked = eligibility.block(found.campaign_id, found.annotator_id) is not None
    said = trail.happened(
        review_effects.done(ruling_ids),
        codes=[str(act) for act in choice.acts],
        collecting=found.collecting,
        blocked=blocked,
        due=money(effects.due),
    )
    messages.success(request, f"{found.pseudonym}: {said}" if request.POST.get("next") else said)


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {
        "choice": request.POST.get("choice", ""),
        "reason": request.POST.get("reason", "")[:MOST_REASON],
        "seen": number(request.POST.get("seen", "")) or 0,
        "next": bool(request.POST.get("next")),
    }


def _found(campaign: Any, pseudonym: str) -> Case:
    found = reviews.case(campaign, pseudonym)
    if found is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    return found


def _page(request: HttpRequest, pages: int) -> int:
    return min(max(1, number(request.GET.get("page", "")) or 1), pages)


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk
