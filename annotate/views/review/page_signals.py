"""The signals of an annotator's page: in plain words for reviewers, and put aside by them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.errors import NotFound
from annotate.permissions import researcher_page, reviewable
from annotate.screening.signals import TITLES, SignalEvidence, told
from annotate.selectors.review import reviews, signal_evidence
from annotate.services.review import listings

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
    look = signal_evidence.look(campaign, annotator_id)
    return (
        None
        if look is None
        else SignalSection(look.at, look.waits, _lines(look.evidence, look.partners))
    )


def why(keys: Collection[tuple[str, str]]) -> Why:
    """Return why signals list these people: titles and sentences, by campaign and pseudonym."""
    return {
        key: [(line.title, line.text) for line in _lines(one.evidence, one.partners)]
        for key, one in signal_evidence.reasons(keys).items()
    }


def _lines(
    evidence: Iterable[SignalEvidence], partners: Mapping[int, str]
) -> tuple[SignalLine, ...]:
    def line(one: SignalEvidence) -> SignalLine:
        partner = signal_evidence.partner(one, partners)
        return SignalLine(TITLES[one.kind], told(one, partner), one.listed, partner)

    return tuple(line(one) for one in evidence)


@require_POST
@never_cache
@researcher_page
def put_aside(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Take somebody off the list of those whom signals list."""
    campaign = reviewable(request.user, public_id)
    found = reviews.case(campaign, pseudonym)
    if found is None or request.user.pk is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    if listings.put_aside(campaign.pk, found.annotator_id, actor_id=request.user.pk):
        messages.success(request, f"The signals on {pseudonym} are put aside. They are not told.")
    else:
        messages.info(request, f"There are no new signals on {pseudonym}.")
    return redirect("annotate:reviews")
