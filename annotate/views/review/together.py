"""One ruling on several people: what it would do to each, then what it did."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.permissions import researcher_page
from annotate.selectors.review import effects as review_effects
from annotate.selectors.review import opened, queues
from annotate.selectors.review import together as cases
from annotate.selectors.review.queues import CaseKey
from annotate.selectors.review.together import Together
from annotate.services.review import together
from annotate.services.review.appeals import IN_FAVOUR
from annotate.services.review.together import AskedRuling, RulingOutcome
from annotate.text.figures import money
from annotate.text.numerals import number
from annotate.views.review import choices, page_signals, trail, words
from annotate.views.review.choices import RulingChoice

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
def page(request: HttpRequest) -> HttpResponseBase:
    """POST shows what a ruling would do to the ticked people; with `confirmed`, it is made."""
    back = reverse("annotate:reviews") + _list(request).here
    if request.method != "POST":
        return redirect("annotate:reviews")
    keys = _keys(request)
    choice = next((one for one in CHOICES if one.code == request.POST.get("choice")), None)
    if not keys or choice is None:
        messages.error(request, "No one selected, or no ruling chosen; nothing changed.")
        return redirect(back)
    assert request.user.pk is not None
    found = cases.of(request.user.pk, keys)
    seen = opened.cases(
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
    seen: Collection[opened.Key],
) -> HttpResponseBase:
    """What would happen to each; with `confirmed`, again with what was typed, as cases are
    unopened."""
    signals = page_signals.why([(one.case.campaign, one.case.pseudonym) for one in found])
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
    signals: page_signals.Why,
    seen: Collection[opened.Key],
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
        flags=[title for title, _ in words.flags(case.flags)] + [title for title, _ in listed],
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
    outcomes = together.rule_together(
        asked,
        choice.acts,
        actor_id=request.user.pk,
        unopened=bool(request.POST.get("unopened")),
    )
    keys = [CaseKey(one.case.campaign, one.case.pseudonym) for one in found]
    now = cases.of(request.user.pk, keys)
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
        seen=number(request.POST.get(f"seen-{key}", "")) or 0,
    )


def _ruled(one: Together, outcome: RulingOutcome, choice: RulingChoice) -> RuledPerson:
    if outcome.problem:
        return RuledPerson(one.case, outcome, outcome.problem)
    said = trail.happened(
        review_effects.done(outcome.ruling_ids),
        codes=[str(act) for act in choice.acts],
        collecting=one.case.collecting,
        blocked=one.case.blocked,
        due=money(one.effects.due),
    )
    return RuledPerson(one.case, outcome, said)


def _keys(request: HttpRequest) -> list[CaseKey]:
    """Return the ticked people, each once, in the order of the list."""
    parts = [one.partition("/") for one in request.POST.getlist("case")[: queues.MANY]]
    return list(dict.fromkeys(CaseKey(campaign, name) for campaign, _, name in parts))


def _list(request: HttpRequest) -> queues.QueueListing:
    """Return the list that the person came from, as its address has it."""
    asked = QueryDict(request.POST.get("list", "").encode())
    return queues.asked(asked, campaign=asked.get("campaign", "") or "")
