"""The history of a review, in sentences."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.common import access
from annotate.common.access import researcher_page, reviewable
from annotate.common.errors import Conflict, Invalid, NotFound, ServiceError
from annotate.common.numbers import count, money_text, number_from
from annotate.crowds import people as crowds_people
from annotate.pay import budget
from annotate.review import (
    appeals,
    choices,
    eligibility,
    evidence_views,
    gold_queries,
    reviews,
    rulings,
)
from annotate.review import (
    effects as review_effects,
)
from annotate.review import (
    evidence as review_evidence,
)
from annotate.review import (
    queries as review_queries,
)
from annotate.review.appeals import IN_FAVOUR
from annotate.review.choices import RulingChoice
from annotate.review.effects import Elsewhere, PastEffects, Together
from annotate.review.evidence_views import title
from annotate.review.queries import Case, CaseKey, Logged, Waiting
from annotate.review.reviews import record_opened
from annotate.review.rulings import AskedRuling, RulingOutcome
from annotate.screening.base import LISTED
from annotate.screening.signals import TITLES, SignalEvidence, told
from annotate.work import tutorial_queries

_VERBS = {
    "review": "Opened this review by hand.",
    "clear": "Cleared: the work counts.",
    "exclude": "Excluded the work: {done}.",
    "restore": "Brought the work back: {done}.",
    "refuse": "Refused pay: {done}.",
    "repay": "Restored pay: {done}.",
    "block": "Blocked from future work.",
    "unblock": "Lifted the block.",
    "appeal": "Appealed.",
    "list": "Listed by signals of the page. Nothing was paused.",
    "unlist": "Left the queue without a ruling.",
    "put_signals_aside": "Looked at the signals of the page, and put them aside.",
    "dismiss_appeal": "Answered the appeal without changing the ruling.",
}
_AMOUNT = re.compile(r"\d+\.\d\d\b")
_DECIDE = ("clear", "exclude", "restore")  # whether work counts


@dataclass(frozen=True)
class TrailEntry:
    at: datetime
    who: str
    text: str


def trail(logged: Iterable[Logged], *, pseudonym: str) -> list[TrailEntry]:
    """Return the audit trail, the newest first."""
    return [TrailEntry(one.at, _who(one, pseudonym), _text(one)) for one in logged]


def _who(one: Logged, pseudonym: str) -> str:
    if one.verb == "appeal":
        return pseudonym
    return one.actor or ("Screens" if one.verb == "flag" else "Plumbline")


def _text(one: Logged) -> str:
    if one.verb == "flag":
        names = ", ".join(title(screen).lower() for screen in one.detail.get("screens", ()))
        if one.detail.get("tier") == LISTED:
            return f"Listed: {names}. Nothing was paused."
        return f"Flagged: {names}. New tasks paused."
    said = _VERBS.get(one.verb, one.verb.replace("_", " ").capitalize() + ".")
    said = said.format_map({"done": _with_money(str(one.detail.get("done", "")))})
    if one.verb in _DECIDE and "blind" in one.detail:
        said += " Blind." if one.detail["blind"] else " Not blind."
    return said + " Undone after it was final." * bool(one.detail.get("late"))


def _with_money(done: str) -> str:
    """The log holds amounts as bare numbers, which alone in it have cents."""
    return _AMOUNT.sub(lambda found: money_text(Decimal(found[0])), done)


def happened(
    done: PastEffects, *, codes: Collection[str], collecting: bool, blocked: bool, due: str
) -> str:
    """The effect of a ruling on judgments and pay, in words; nothing about scores.

    blocked: whether this annotator is, after it.
    """
    told = list(filter(None, (_SAID.get(code, "") for code in codes)))
    if {"clear", "restore"} & set(codes):
        told.append(_BLOCK_STAYS if blocked else _GO_ON if collecting else "")
    if done.out:
        told.append(f"{_n(done.out)} left the estimates.")
        told.append(
            f"{count(done.out)} output{'' if done.out == 1 else 's'} went back to the queue."
            if collecting
            else "The campaign collects no more, so nothing is asked again unless it is reopened."
        )
    if done.back:
        told.append(f"{_n(done.back)} count{'s' if done.back == 1 else ''} again.")
    if done.refused:
        told.append(f"{money_text(done.refused)} is withheld.")
    elif done.restored:
        told.append(f"{money_text(done.restored)} is due again.")
    else:
        told.append(f"Pay stays as it is: {due} due.")
    return " ".join(filter(None, told))


_GO_ON = "New tasks are given out again."
_BLOCK_STAYS = "The block stays: no new tasks are given out in the owner’s campaigns."
_SAID = {
    "clear": "Cleared: the work counts.",
    "exclude": "Excluded.",
    "restore": "Brought back.",
    "block": "Blocked from future work.",
    "unblock": "The block is lifted.",
}


def _n(judgments: int) -> str:
    return f"{count(judgments)} judgment{'' if judgments == 1 else 's'}"


# One annotator over all campaigns that the user may review, and one act on several of them.


CHOICES = [choices.BY_CODE[code] for code in choices.EVERYWHERE]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def everywhere_page(request: HttpRequest, pseudonym: str) -> HttpResponseBase:
    """POST rules in each chosen campaign, in a transaction of its own."""
    assert request.user.pk is not None
    rows = review_effects.everywhere(request.user.pk, pseudonym)
    if not rows:
        raise NotFound("No annotator of this name has entered a campaign that you may review.")
    if request.method != "POST":
        return _page_everywhere(request, pseudonym, rows)
    try:
        results = _rule(request, rows)
    except Invalid as error:
        return _page_everywhere(request, pseudonym, rows, error=error)
    fresh = review_effects.everywhere(request.user.pk, pseudonym)
    return _page_everywhere(request, pseudonym, fresh, results=results)


def _rule(request: HttpRequest, rows: list[Elsewhere]) -> list[Any]:
    chosen = set(request.POST.getlist("campaign"))
    choice = next((one for one in CHOICES if one.code == request.POST.get("choice")), None)
    errors = {}
    if not any(row.campaign in chosen for row in rows):
        errors["campaign"] = "Choose at least one campaign."
    if choice is None:
        errors["choice"] = "Choose a ruling."
    assert request.user.pk is not None
    there = [row for row in rows if row.campaign in chosen]
    if _unopened(request.user.pk, there) and not request.POST.get("unopened"):
        errors["unopened"] = (
            "You have not opened every case. Open the evidence, or tick that you rule without "
            "having done so."
        )
    if errors or choice is None:
        raise Invalid(errors)
    results = rulings.rule_everywhere(
        [_as_shown(request, row) for row in there],
        choice.acts,
        actor_id=request.user.pk,
        reason=request.POST.get("reason", ""),
    )
    return [(one, _told(one)) for one in results]


def _unopened(user_id: int, rows: list[Elsewhere]) -> list[str]:
    """Return the campaigns in which this person has not opened the case."""
    keys = {(row.campaign_id, row.annotator_id): row.campaign for row in rows}
    seen = reviews.cases(user_id, keys)
    return [campaign for key, campaign in keys.items() if key not in seen]


def _as_shown(request: HttpRequest, row: Elsewhere) -> Elsewhere:
    """The row with the last ruling that the page had shown, not the newest there is."""
    return row.shown(number_from(request.POST.get(f"seen-{row.campaign}", "")) or 0)


def _told(result: rulings.Result) -> str:
    if result.problem:
        return result.problem
    done = review_effects.done(result.ruling_ids)
    if done.out or done.back:
        return f"{done.out or done.back} judgments {'out' if done.out else 'back'}."
    return "Done."


def _page_everywhere(
    request: HttpRequest,
    pseudonym: str,
    rows: list[Elsewhere],
    *,
    error: Invalid | None = None,
    results: list[Any] | None = None,
) -> HttpResponseBase:
    tick = request.POST.getlist("campaign") if error else [row.campaign for row in rows]
    assert request.user.pk is not None
    context = {
        "pseudonym": pseudonym,
        "unopened": _unopened(request.user.pk, rows),
        "rows": [(row, [evidence_views.title(one) for one in row.screens]) for row in rows],
        "chosen": tick,
        "choices": CHOICES,
        "choice": request.POST.get("choice", "") if error else "",
        "reason": request.POST.get("reason", "") if error else "",
        "error": error,
        "results": results,
        "section": "reviews",
    }
    status = error.status if error else 200
    return render(request, "reviews/everywhere.html", context, status=status)


# The signals of an annotator's page: in plain words for reviewers, and put aside by them.


Why = dict[tuple[str, str], list[tuple[str, str]]]


@dataclass(frozen=True)
class SignalLine:
    """One kind of signal. partner: the account that it names, or ""."""

    title: str
    text: str
    listed: bool
    partner: str


@dataclass(frozen=True)
class SignalSection:
    """All signals on one annotator; `at` and `waits` as in `SignalLook`."""

    at: datetime | None
    waits: bool
    lines: tuple[SignalLine, ...]


def section(campaign: Any, annotator_id: int) -> SignalSection | None:
    """Return what is shown of one annotator; None where the campaign counts no signals."""
    look = review_evidence.look_at_signals(campaign, annotator_id)
    return (
        None
        if look is None
        else SignalSection(look.at, look.waits, _lines(look.evidence, look.partners))
    )


def why_listed(keys: Collection[tuple[str, str]]) -> Why:
    """Return why signals list these people: titles and sentences, by campaign and pseudonym."""
    return {
        key: [(line.title, line.text) for line in _lines(one.evidence, one.partners)]
        for key, one in review_evidence.reasons(keys).items()
    }


def _lines(
    evidence: Iterable[SignalEvidence], partners: Mapping[int, str]
) -> tuple[SignalLine, ...]:
    def line(one: SignalEvidence) -> SignalLine:
        partner = review_evidence.partner(one, partners)
        return SignalLine(TITLES[one.kind], told(one, partner), one.listed, partner)

    return tuple(line(one) for one in evidence)


@require_POST
@never_cache
@researcher_page
def put_aside(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Take somebody off the list of those whom signals list."""
    campaign = reviewable(request.user, public_id)
    found = review_queries.case(campaign, pseudonym)
    if found is None or request.user.pk is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    if reviews.put_aside(campaign.pk, found.annotator_id, actor_id=request.user.pk):
        messages.success(request, f"The signals on {pseudonym} are put aside. They are not told.")
    else:
        messages.info(request, f"There are no new signals on {pseudonym}.")
    return redirect("annotate:reviews")


# One ruling on several people: what it would do to each, then what it did.


MOST_REASON = 5000
CHOICES = [choices.BY_CODE[code] for code in choices.EVERYWHERE]


@dataclass(frozen=True)
class AskedPerson:
    """One person on the page that asks for the confirmation; `why_not`: "" where it is possible.

    opened: whether the case was opened by the person who is asked.
    """

    key: str
    case: Any
    flags: list[str]
    text: str
    reason: str
    why_not: str
    opened: bool


@dataclass(frozen=True)
class RuledPerson:
    """One person on the page that says what happened."""

    case: Any
    outcome: RulingOutcome
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def together_page(request: HttpRequest) -> HttpResponseBase:
    """POST shows what a ruling would do to the ticked people; with `confirmed`, it is made."""
    back = reverse("annotate:reviews") + _list_of_people(request).here
    if request.method != "POST":
        return redirect("annotate:reviews")
    keys = _keys(request)
    choice = next((one for one in CHOICES if one.code == request.POST.get("choice")), None)
    if not keys or choice is None:
        messages.error(request, "No one selected, or no ruling chosen; nothing changed.")
        return redirect(back)
    assert request.user.pk is not None
    found = review_effects.people_together(request.user.pk, keys)
    seen = reviews.cases(
        request.user.pk, [(one.case.campaign_id, one.case.annotator_id) for one in found]
    )
    asks = len(seen) < len(found) and not request.POST.get("unopened")
    if request.POST.get("confirmed") and not asks:
        return _done(request, found, choice, back)
    return _asked(request, found, choice, back, seen)


def _asked(
    request: HttpRequest,
    found: Sequence[Together],
    choice: RulingChoice,
    back: str,
    seen: Collection[reviews.Key],
) -> HttpResponseBase:
    """What would happen to each; with `confirmed`, again with what was typed, as cases are
    unopened."""
    signals = why_listed([(one.case.campaign, one.case.pseudonym) for one in found])
    people = [_person(request, one, choice, signals, seen) for one in found]
    possible = [one for one in people if not one.why_not]
    context = {
        "people": possible,
        "n_opened": sum(one.opened for one in possible),
        "n_unopened": sum(not one.opened for one in possible),
        "refused": bool(request.POST.get("confirmed")),
        "others": [one for one in people if one.why_not],
        "choice": choice,
        "adverse": not any(act in IN_FAVOUR for act in choice.acts),
        "back": back,
        "list": request.POST.get("list", ""),
        "section": "reviews",
    }
    status = 422 if context["refused"] else 200
    return render(request, "reviews/together.html", context, status=status)


def _person(
    request: HttpRequest,
    one: Together,
    choice: RulingChoice,
    signals: Why,
    seen: Collection[reviews.Key],
) -> AskedPerson:
    case, effects, others = one
    listed = signals.get((case.campaign, case.pseudonym), ())
    why_not = choices.misfit(choice, case, effects)
    if others:
        why_not = f"The appeal is against your own ruling: {' or '.join(others)} answers it."
    key = f"{case.campaign}/{case.pseudonym}"
    return AskedPerson(
        key=key,
        case=case,
        flags=[title for title, _ in evidence_views.flags(case.flags)]
        + [title for title, _ in listed],
        text=choice.text(case, effects),
        reason=request.POST.get(f"reason-{key}", choices.draft(choice, case))[:MOST_REASON],
        why_not=why_not,
        opened=(case.campaign_id, case.annotator_id) in seen,
    )


def _done(
    request: HttpRequest, found: Sequence[Together], choice: RulingChoice, back: str
) -> HttpResponseBase:
    assert request.user.pk is not None
    asked = [_ruling(request, one) for one in found]
    outcomes = rulings.rule_together(
        asked,
        choice.acts,
        actor_id=request.user.pk,
        unopened=bool(request.POST.get("unopened")),
    )
    keys = [CaseKey(one.case.campaign, one.case.pseudonym) for one in found]
    now = review_effects.people_together(request.user.pk, keys)
    ruled = {one.review_id: one for one in outcomes}
    people = [_ruled(one, ruled[one.case.review_id or 0], choice) for one in now]
    context = {
        "people": people,
        "n_done": sum(not one.outcome.problem for one in people),
        "n_left": sum(bool(one.outcome.problem) for one in people),
        "choice": choice,
        "back": back,
        "section": "reviews",
    }
    return render(request, "reviews/together_done.html", context)


def _ruling(request: HttpRequest, one: Together) -> AskedRuling:
    key = f"{one.case.campaign}/{one.case.pseudonym}"
    return AskedRuling(
        review_id=one.case.review_id or 0,
        campaign_id=one.case.campaign_id,
        annotator_id=one.case.annotator_id,
        reason=request.POST.get(f"reason-{key}", "")[:MOST_REASON],
        seen=number_from(request.POST.get(f"seen-{key}", "")) or 0,
    )


def _ruled(one: Together, outcome: RulingOutcome, choice: RulingChoice) -> RuledPerson:
    if outcome.problem:
        return RuledPerson(one.case, outcome, outcome.problem)
    said = happened(
        review_effects.done(outcome.ruling_ids),
        codes=[str(act) for act in choice.acts],
        collecting=one.case.collecting,
        blocked=one.case.blocked,
        due=money_text(one.effects.due),
    )
    return RuledPerson(one.case, outcome, said)


def _keys(request: HttpRequest) -> list[CaseKey]:
    """Return the ticked people, each once, in the order of the list."""
    parts = [one.partition("/") for one in request.POST.getlist("case")[: review_queries.MANY]]
    return list(dict.fromkeys(CaseKey(campaign, name) for campaign, _, name in parts))


def _list_of_people(request: HttpRequest) -> review_queries.QueueListing:
    """Return the list that the person came from, as its address has it."""
    asked = QueryDict(request.POST.get("list", "").encode())
    return review_queries.asked(asked, campaign=asked.get("campaign", "") or "")


# The reviewer's pages: who waits, one annotator with the evidence, and the ruling.


@require_safe
@never_cache
@researcher_page
def queue(request: HttpRequest) -> HttpResponseBase:
    """The review queue of all campaigns, or of the one that `campaign` names."""
    user_id = _user(request)
    chosen = request.GET.get("campaign", "")
    campaign = reviewable(request.user, chosen) if chosen else None
    left = review_queries.left_to_others(user_id)
    wanted = review_queries.asked(request.GET, campaign=chosen)
    listing, rows = review_queries.queues_page(user_id, wanted, left)
    ruled = review_queries.ruled(user_id, campaign=chosen)
    signals = why_listed([one.key for one in (*rows, *ruled)])

    def why(one: Waiting) -> tuple[Waiting, list[tuple[str, str]]]:
        return one, [*evidence_views.flags(one.flags), *signals.get(one.key, ())]

    context = {
        "campaign": campaign,
        "listing": listing,
        "rows": list(map(why, rows)),
        "queue": review_queries.neighbours(user_id, None, left, wanted),
        "choices": CHOICES,
        "ruled": list(map(why, ruled)),
        "looked_at": evidence_views.looked_at(),
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
        made = rulings.rule_on_person(
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
    look = review_evidence.look(campaign, found.annotator_id)
    work = review_evidence.work(campaign, found.annotator_id)
    effects = review_effects.effects(campaign.pk, found.annotator_id)
    page = _page(request, work.pages)
    price = budget.cost_of_judgment(campaign)
    return {
        "campaign": campaign,
        "case": found,
        "flags": evidence_views.flags(found.flags),
        "why": why_listed([(found.campaign, pseudonym)]).get((found.campaign, pseudonym)),
        "sections": evidence_views.sections(look, found),
        "times": evidence_views.times(look),
        "gold": gold_queries.of_person(campaign, found.annotator_id),
        "rounds": tutorial_queries.tutorial_records_of(campaign.pk, [found.annotator_id]).get(
            found.annotator_id
        ),
        "look": look,
        "signals": section(campaign, found.annotator_id),
        "work": work,
        "columns": evidence_views.columns(work),
        "beside": evidence_views.beside(work, page),
        "page": page,
        "offset": (page - 1) * review_evidence.PAGE,
        "per_page": review_evidence.PAGE,
        "matrices": evidence_views.matrices(work),
        "effects": effects,
        "again": price * effects.counting,
        "sight": access.sight(_user(request), campaign),
        "answering": _answering(request, found),
        "days_to_final": eligibility.TO_APPEAL.days,
        "notified": crowds_people.reaches(campaign, found.annotator_id),
        "choices": choices.offered(found, effects),
        "typed": typed or {},
        "trail": trail(found.trail, pseudonym=pseudonym),
        "section": "reviews",
        **_neighbours(request, found),
    }


def _answering(request: HttpRequest, found: Case) -> dict[str, Any]:
    """Whether this user may answer the appeal that waits, if one does."""
    if found.appeal is None or found.review_id is None:
        return {}
    answerers = review_queries.who_may_answer(found.review_id)
    user_id = _user(request)
    return {
        "others": answerers.names if answerers.bars(user_id) else [],
        "alone": answerers.is_own(user_id) and not answerers.bars(user_id),
    }


def _neighbours(request: HttpRequest, found: Case) -> dict[str, Any]:
    """The next and the previous in the list that the person came from; else its first."""
    wanted = _list(request)
    left = review_queries.left_to_others(_user(request))
    beside = review_queries.neighbours(_user(request), found.review_id, left, wanted)
    return {
        "next": beside.following,
        "previous": beside.previous,
        "place": beside.place,
        "n_waiting": beside.n_waiting,
        "kept": wanted.kept,
    }


def _following(request: HttpRequest, found: Case) -> review_queries.CaseKey | None:
    """The case that comes after this one in the list before it is ruled on; None if none does."""
    following: review_queries.CaseKey | None = _neighbours(request, found)["next"]
    own = (found.campaign, found.pseudonym)
    return None if following == own else following


def _list(request: HttpRequest) -> review_queries.QueueListing:
    return review_queries.asked(request.GET, campaign=request.GET.get("campaign", ""))


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
    said = happened(
        review_effects.done(ruling_ids),
        codes=[str(act) for act in choice.acts],
        collecting=found.collecting,
        blocked=blocked,
        due=money_text(effects.due),
    )
    messages.success(request, f"{found.pseudonym}: {said}" if request.POST.get("next") else said)


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {
        "choice": request.POST.get("choice", ""),
        "reason": request.POST.get("reason", "")[:MOST_REASON],
        "seen": number_from(request.POST.get("seen", "")) or 0,
        "next": bool(request.POST.get("next")),
    }


def _found(campaign: Any, pseudonym: str) -> Case:
    found = review_queries.case(campaign, pseudonym)
    if found is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    return found


def _page(request: HttpRequest, pages: int) -> int:
    return min(max(1, number_from(request.GET.get("page", "")) or 1), pages)


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk
