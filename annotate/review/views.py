"""The reviewer's pages: the queue, a case and its ruling, several people or campaigns at once."""

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

from annotate.common import access, content
from annotate.common.access import researcher_page, reviewable
from annotate.common.errors import Conflict, Invalid, NotFound, ServiceError
from annotate.common.lists import Listing
from annotate.common.numbers import many, money_text, number_from
from annotate.crowds import people as crowds_people
from annotate.models import AuditEntry
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
from annotate.review.effects import Effects, PastEffects
from annotate.review.evidence_views import title
from annotate.review.queries import Case, CaseKey
from annotate.review.rulings import AskedRuling, RulingOutcome
from annotate.screening.base import LISTED
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


def trail(entries: Iterable[AuditEntry], *, pseudonym: str) -> list[tuple[datetime, str, str]]:
    """Return the audit trail as (when, who, what)."""
    return [(one.at, _who(one, pseudonym), _text(one)) for one in entries]


def _who(one: AuditEntry, pseudonym: str) -> str:
    if one.verb == "appeal":
        return pseudonym
    if one.actor is not None:
        return one.actor.get_username()
    return "Screens" if one.verb == "flag" else "Plumbline"


def _text(one: AuditEntry) -> str:
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
        told.append(f"{many(done.out, 'judgment')} left the estimates.")
        told.append(
            f"{many(done.out, 'output')} went back to the queue."
            if collecting
            else "The campaign collects no more, so nothing is asked again unless it is reopened."
        )
    if done.back:
        told.append(f"{many(done.back, 'judgment')} count{'s' if done.back == 1 else ''} again.")
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


# One annotator over all campaigns that the user may review, and one act on several of them.


CHOICES = [choices.BY_CODE[code] for code in choices.EVERYWHERE]
MOST_REASON = 5000
UNOPENED = (
    "You have not opened every case. Open the evidence, or tick that you rule without having done "
    "so."
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def everywhere_page(request: HttpRequest, pseudonym: str) -> HttpResponseBase:
    """POST rules in each chosen campaign, in a transaction of its own."""
    rows = review_queries.everywhere(_user(request), pseudonym)
    if not rows:
        raise NotFound("No annotator of this name has entered a campaign that you may review.")
    error, results = None, None
    if request.method == "POST":
        try:
            results = _rule_everywhere(request, rows)
            rows = review_queries.everywhere(_user(request), pseudonym)
        except Invalid as invalid:
            error = invalid
    opened = reviews.opened(_user(request), [row.person for row in rows])
    context = {
        "pseudonym": pseudonym,
        "rows": [(row, list(map(title, _screens(row))), row.person in opened) for row in rows],
        "n_unopened": len(rows) - len(opened),
        "chosen": request.POST.getlist("campaign")
        if error
        else [row.campaign.public_id for row in rows],
        "choices": CHOICES,
        "choice": request.POST.get("choice", "") if error else "",
        "reason": request.POST.get("reason", "") if error else "",
        "error": error,
        "results": results,
        "section": "reviews",
    }
    status = error.status if error else 200
    return render(request, "reviews/everywhere.html", context, status=status)


def _screens(case: Case) -> list[str]:
    return [flag.screen for flag in review_queries.signs(case.flags)]


def _rule_everywhere(request: HttpRequest, rows: Sequence[Case]) -> list[tuple[Case, bool, str]]:
    """Return of each chosen campaign whether the ruling was made, and what it did or why not."""
    chosen = request.POST.getlist("campaign")
    there = [row for row in rows if row.campaign.public_id in chosen]
    choice, reason = _choice(request), request.POST.get("reason", "")
    errors = {}
    if not there:
        errors["campaign"] = "Choose at least one campaign."
    if choice is None:
        errors["choice"] = "Choose a ruling."
    opened = reviews.opened(_user(request), [row.person for row in there])
    if len(opened) < len(there) and not request.POST.get("unopened"):
        errors["unopened"] = UNOPENED
    if errors or choice is None:
        raise Invalid(errors)
    rulings.check_reason(choice.acts, reason)
    asked = [
        AskedRuling(row.review, reason, _seen(request, row.campaign.public_id)) for row in there
    ]
    outcomes = rulings.rule_together(asked, choice.acts, actor_id=_user(request), unopened=True)
    return [
        (row, not outcome.problem, outcome.problem or _counts(outcome))
        for row, outcome in zip(there, outcomes, strict=True)
    ]


def _counts(outcome: RulingOutcome) -> str:
    done = review_effects.past_effects(outcome.ruling_ids)
    if done.out or done.back:
        return f"{done.out or done.back} judgments {'out' if done.out else 'back'}."
    return "Done."


def _choice(request: HttpRequest) -> RulingChoice | None:
    """Return the ruling on several people, or in several campaigns, that was chosen."""
    return next((one for one in CHOICES if one.code == request.POST.get("choice")), None)


def _seen(request: HttpRequest, key: str) -> int:
    """Return the last ruling that the page had shown, not the newest there is."""
    return number_from(request.POST.get(f"seen-{key}", "")) or 0


# The signals of an annotator's page: in plain words for reviewers, and put aside by them.


Why = dict[tuple[str, str], list[tuple[str, str]]]


def why_listed(keys: Collection[tuple[str, str]]) -> Why:
    """Return why signals list these people: titles and sentences, by campaign and pseudonym."""
    return {
        key: [(line.title, line.text) for line in lines]
        for key, lines in review_evidence.reasons(keys).items()
    }


@require_POST
@never_cache
@researcher_page
def put_aside(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Take somebody off the list of those whom signals list."""
    found = _found(reviewable(request.user, public_id), pseudonym)
    if reviews.put_aside(*found.person, actor_id=_user(request)):
        messages.success(request, f"The signals on {pseudonym} are put aside. They are not told.")
    else:
        messages.info(request, f"There are no new signals on {pseudonym}.")
    return redirect("annotate:reviews")


# One ruling on several people: what it would do to each, then what it did.


@dataclass(frozen=True)
class PersonToRule:
    """One person on the page that asks for the confirmation; `why_not`: "" where it is possible.

    opened: whether the case was opened by the person who is asked.
    """

    case: Case
    flags: list[str]
    text: str
    reason: str
    why_not: str
    opened: bool

    @property
    def key(self) -> str:
        return "/".join(self.case.key)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def together_page(request: HttpRequest) -> HttpResponseBase:
    """POST shows what a ruling would do to the ticked people; with `confirmed`, it is made."""
    back = reverse("annotate:reviews") + _list_of_people(request).here
    if request.method != "POST":
        return redirect("annotate:reviews")
    keys, choice = _keys(request), _choice(request)
    if not keys or choice is None:
        messages.error(request, "No one selected, or no ruling chosen; nothing changed.")
        return redirect(back)
    found = review_effects.cases_of(_user(request), keys)
    opened = reviews.opened(_user(request), [case.person for case in found])
    asks = len(opened) < len(found) and not request.POST.get("unopened")
    if request.POST.get("confirmed") and not asks:
        return _done(request, found, choice, back)
    return _asked(request, found, choice, back, opened)


def _asked(
    request: HttpRequest,
    found: Sequence[Case],
    choice: RulingChoice,
    back: str,
    opened: Collection[reviews.Key],
) -> HttpResponseBase:
    """What would happen to each; with `confirmed`, again with what was typed, as cases are
    unopened."""
    signals = why_listed([case.key for case in found])
    others = review_effects.other_answerers(_user(request), found)
    effects = review_effects.effects_of(found)
    people = []
    for case, effect in zip(found, effects, strict=True):
        why_not = choices.misfit(choice, case, effect)
        if names := others.get(case.review.pk):
            why_not = f"The appeal is against your own ruling: {' or '.join(names)} answers it."
        reason = request.POST.get(f"reason-{'/'.join(case.key)}", choices.draft(choice, case))
        people.append(
            PersonToRule(
                case=case,
                flags=[title(screen) for screen in _screens(case)]
                + [named for named, _ in signals.get(case.key, ())],
                text=choice.text(case, effect),
                reason=reason[:MOST_REASON],
                why_not=why_not,
                opened=case.person in opened,
            )
        )
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


def _done(
    request: HttpRequest, found: Sequence[Case], choice: RulingChoice, back: str
) -> HttpResponseBase:
    asked = [
        AskedRuling(
            case.review,
            request.POST.get(f"reason-{'/'.join(case.key)}", "")[:MOST_REASON],
            _seen(request, "/".join(case.key)),
        )
        for case in found
    ]
    made = rulings.rule_together(
        asked,
        choice.acts,
        actor_id=_user(request),
        unopened=bool(request.POST.get("unopened")),
    )
    outcomes = dict(zip((case.key for case in found), made, strict=True))
    now = review_effects.cases_of(_user(request), list(outcomes))
    effects = review_effects.effects_of(now)
    people = [
        (case, outcomes[case.key], _outcome(case, effect, outcomes[case.key], choice))
        for case, effect in zip(now, effects, strict=True)
    ]
    context = {
        "people": people,
        "n_done": sum(not outcome.problem for _case, outcome, _text in people),
        "n_left": sum(bool(outcome.problem) for _case, outcome, _text in people),
        "choice": choice,
        "back": back,
        "section": "reviews",
    }
    return render(request, "reviews/together_done.html", context)


def _outcome(case: Case, effects: Effects, outcome: RulingOutcome, choice: RulingChoice) -> str:
    return outcome.problem or happened(
        review_effects.past_effects(outcome.ruling_ids),
        codes=[str(act) for act in choice.acts],
        collecting=case.collecting,
        blocked=case.blocked,
        due=money_text(effects.due),
    )


def _keys(request: HttpRequest) -> list[CaseKey]:
    """Return the ticked people, each once, in the order of the list."""
    parts = [one.partition("/") for one in request.POST.getlist("case")[: review_queries.MANY]]
    return list(dict.fromkeys(CaseKey(campaign, name) for campaign, _, name in parts))


def _list_of_people(request: HttpRequest) -> Listing:
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
    listing, rows = review_queries.queue_page(user_id, wanted, left)
    ruled = review_queries.ruled(user_id, campaign=chosen)
    signals = why_listed([one.key for one in (*rows, *ruled)])

    def why(one: Case) -> tuple[Case, list[tuple[str, str]]]:
        return one, [*evidence_views.flags(one.flags), *signals.get(one.key, ())]

    context = {
        "campaign": campaign,
        "listing": listing,
        "rows": list(map(why, rows)),
        "left": left,
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
        found: Case = context["case"]
        reviews.record_opened(*found.person, _user(request))
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
            *found.person,
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
        if found.review.pk is None:
            raise Conflict("There is no open appeal.")
        appeals.dismiss(found.review.pk, actor_id=_user(request), answer=answer)
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
    annotator_id = found.review.annotator_id
    look = review_evidence.look(campaign, annotator_id)
    work = review_evidence.work(campaign, annotator_id)
    effects = review_effects.effects(campaign.pk, annotator_id)
    page = _page(request, work.pages)
    price = budget.cost_of_judgment(campaign)
    return {
        "campaign": campaign,
        "case": found,
        "flags": evidence_views.flags(found.flags),
        "why": why_listed([found.key]).get(found.key),
        "screens": evidence_views.screens(look, found),
        "n_others": max((len(one.others) for one in look.screens), default=0),
        "no_screens": evidence_views.no_screens(look, found),
        "times": evidence_views.times(look),
        "gold": gold_queries.of_person(campaign, annotator_id),
        "rounds": tutorial_queries.tutorial_records_of(campaign.pk, [annotator_id]).get(
            annotator_id
        ),
        "look": look,
        "signals": review_evidence.look_at_signals(campaign, annotator_id),
        "work": work,
        "columns": evidence_views.columns(work),
        "beside": evidence_views.compared(work, page),
        "page": page,
        "offset": (page - 1) * review_evidence.PAGE,
        "per_page": review_evidence.PAGE,
        "drawing": content.Drawing(),
        "matrices": work.matrices,
        "effects": effects,
        "again": price * effects.counting,
        "sight": access.sight(_user(request), campaign),
        "answering": _answering(request, found),
        "days_to_final": eligibility.TO_APPEAL.days,
        "notified": crowds_people.reaches(campaign, annotator_id),
        "choices": choices.offered(found, effects),
        "typed": typed or {},
        "trail": trail(review_queries.trail(found), pseudonym=pseudonym),
        "section": "reviews",
        **_neighbours(request, found),
    }


def _answering(request: HttpRequest, found: Case) -> dict[str, Any]:
    """Whether this user may answer the appeal that waits, if one does."""
    if found.appeal is None:
        return {}
    answerers = review_queries.who_may_answer(found.review.pk)
    user_id = _user(request)
    return {
        "others": answerers.names if answerers.bars(user_id) else [],
        "alone": answerers.is_own(user_id) and not answerers.bars(user_id),
    }


def _neighbours(request: HttpRequest, found: Case) -> dict[str, Any]:
    """The next and the previous in the list that the person came from; else its first."""
    wanted = _list(request)
    left = review_queries.left_to_others(_user(request))
    beside = review_queries.neighbours(_user(request), found.review.pk, left, wanted)
    return {
        "next": beside.following,
        "previous": beside.previous,
        "place": beside.place,
        "n_waiting": beside.n_waiting,
        "kept": wanted.kept,
    }


def _following(request: HttpRequest, found: Case) -> CaseKey | None:
    """The case that comes after this one in the list before it is ruled on; None if none does."""
    following: CaseKey | None = _neighbours(request, found)["next"]
    return None if following == found.key else following


def _list(request: HttpRequest) -> Listing:
    return review_queries.asked(request.GET, campaign=request.GET.get("campaign", ""))


def _address(request: HttpRequest, name: str, *key: str) -> str:
    """Return an address with the list that the person came from."""
    kept = _list(request).kept
    return reverse(f"annotate:{name}", args=key) + (f"?{kept}" if kept else "")


def _confirm(
    request: HttpRequest, found: Case, typed: Mapping[str, Any], error: Invalid | None = None
) -> HttpResponseBase:
    effects = review_effects.effects(*found.person)
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
    context = _context(request, *found.key, typed)
    context |= {"refused": error, "asks_beyond": getattr(error, "code", "") == budget.BEYOND}
    return render(request, "reviews/case.html", context, status=error.status)


def _say(
    request: HttpRequest, found: Case, ruling_ids: list[int], choice: choices.RulingChoice
) -> None:
    """What happened to judgments and pay: what it did to estimates is shown once it is final."""
    effects = review_effects.effects(*found.person)
    blocked = eligibility.block(*found.person) is not None
    said = happened(
        review_effects.past_effects(ruling_ids),
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
