"""Who may see a campaign's results: its systems, scores, estimates and what follows from them.

Only this module decides it; pages, API and fragments of both apps ask it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.accounts.accounts import as_chosen
from annotate.common import numbers, requests
from annotate.common.errors import Conflict, NotAllowed, NotFound, ServiceError
from annotate.models import Campaign, CampaignImport, Membership, ResultsSeen
from annotate.review import reviews


class Blinding(StrEnum):
    """Whether a reviewer rules blind, or why not."""

    BLIND = "blind"
    OWNER = "owner"  # or a collaborator: they can see results on other pages
    CLOSED = "closed"  # so can every reviewer now
    SEEN = "seen"  # they have seen, or could see, results that are hidden from them now
    STRANGER = "stranger"  # not a member of the campaign; what they have seen is unknown


def role_sees_results(role: str | None, closed_at: datetime | None) -> bool:
    """Return whether a member of this role sees a campaign's results.

    Reviewers see them once it is closed. The results of a reopened campaign are hidden again.
    """
    return role in Membership.SEE_RESULTS or (role is not None and closed_at is not None)


def results_visible() -> Q:
    """Return `sees_results` as a condition on memberships."""
    return Q(role__in=Membership.SEE_RESULTS) | Q(campaign__closed_at__isnull=False)


def role(user_id: int | None, campaign_id: int) -> str | None:
    """Return a user's role in a campaign; None for users who are not members."""
    mine = Membership.objects.filter(user=user_id, campaign=campaign_id)
    return mine.values_list("role", flat=True).first()


def sight(user_id: int, campaign: Campaign) -> Blinding:
    """Return whether a ruling by this user would be blind now; always two queries."""
    mine = Membership.objects.filter(user=user_id, campaign=campaign).first()
    seen = ResultsSeen.objects.filter(campaign=campaign, user=user_id).exists()
    if mine is None:
        return Blinding.STRANGER
    if mine.role in Membership.SEE_RESULTS:
        return Blinding.OWNER
    if role_sees_results(mine.role, campaign.closed_at):
        return Blinding.CLOSED
    return Blinding.SEEN if seen or mine.unblinded else Blinding.BLIND


# Who may see a campaign, who may act on it, and how a refusal looks.


Who = User | AnonymousUser
View = Callable[..., HttpResponseBase]
AN_ID = re.compile(r"[a-z][\w-]{0,60}", re.ASCII)

HIDDEN = (
    "Systems, estimates and exports of this campaign are hidden from its reviewers until it is "
    "closed, so that no ruling aims at a result."
)


@dataclass(frozen=True)
class Access:
    """A campaign, and what somebody is in it."""

    campaign: Campaign
    user_id: int
    role: str

    @property
    def is_owner(self) -> bool:
        return self.role == Membership.Role.OWNER

    @property
    def runs(self) -> bool:
        return self.role in Membership.RUN

    @property
    def reviews(self) -> bool:
        return self.role in Membership.REVIEW

    @property
    def sees_results(self) -> bool:
        return role_sees_results(self.role, self.campaign.closed_at)


def visible(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` is one of its members.

    A campaign of others is not there (`NotFound`): its existence is not revealed.
    """
    return access(user, public_id).campaign


def owned(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` is its owner; `NotAllowed` for other members."""
    mine = access(user, public_id)
    return _allowed(mine, mine.is_owner, "Only owners of a campaign can do this.")


def run(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` may change it; `NotAllowed` for other members."""
    mine = access(user, public_id)
    return _allowed(mine, mine.runs, "Only owners and collaborators of a campaign can do this.")


def reviewable(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` may look at its annotators and rule; else `NotAllowed`."""
    mine = access(user, public_id)
    return _allowed(mine, mine.reviews, "Viewers of a campaign do not see its annotators.")


def made_here(campaign: Campaign) -> Campaign:
    """Return the campaign, if people judge in it; `Conflict` for imported judgments."""
    if campaign.recorded:
        raise Conflict(
            "The judgments of this campaign were made elsewhere: nobody is asked or paid for it."
        )
    return campaign


def _allowed(mine: Access, may: bool, refused: str) -> Campaign:
    if not may:
        raise NotAllowed(f"{refused} You are its {mine.role}.")
    return mine.campaign


def with_results(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` may see its systems and results; it is noted that they did.

    Every page, address of the API, file and fragment that shows any of that begins with this.
    Raises `NotAllowed` for the reviewer of a campaign that has not been closed.
    """
    return look(access(user, public_id))


def look(mine: Access) -> Campaign:
    """Return the campaign as `with_results` does, where its page has asked for the access."""
    if not mine.sees_results:
        raise NotAllowed(HIDDEN, code="hidden")
    reviews.record_results_seen(mine.campaign.pk, mine.user_id)
    return mine.campaign


def access(user: Who, public_id: str) -> Access:
    """Return what `user` is in this campaign; `NotFound` as `visible`."""
    mine = Membership.objects.filter(campaign__public_id=public_id, user=user.pk)
    found = mine.select_related("campaign").first() if _is_public_id(public_id) else None
    if found is None:
        raise NotFound("There is no campaign at this address, or it is not shared with you.")
    numbers.count_in(found.campaign.currency)  # what follows is about this campaign
    return Access(found.campaign, found.user_id, found.role)


def _is_public_id(text: str) -> bool:
    """Return whether it can be one; a form can name anything, also what no database takes."""
    return text.isascii() and text.isalnum()


def own_import(user: Who, public_id: str) -> CampaignImport:
    """Return the import, if `user` has begun it; to anybody else it is not there."""
    mine = CampaignImport.objects.filter(owner=user.pk or 0)
    found = mine.filter(public_id=public_id).first() if _is_public_id(public_id) else None
    if found is None:
        raise NotFound("There is no import at this address, or it is somebody else's.")
    return found


def is_owner(user: Who, campaign: Campaign) -> bool:
    return role(user.pk, campaign.pk) == Membership.Role.OWNER


def is_running(user: Who, campaign: Campaign) -> bool:
    """Return whether `user` may change the campaign and its state."""
    return role(user.pk, campaign.pk) in Membership.RUN


def researcher_page(view: View) -> View:
    """Ask for a log-in, and answer a `ServiceError` with a page that says what to do.

    A form that is sent after the end of the session is kept: see `annotate.common.requests`.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if getattr(request, "htmx", False) and not request.user.is_authenticated:
            return _logged_out(request)
        if request.method == "POST" and not request.user.is_authenticated:
            return requests.session_ended(request)
        # The profile is read together with the user (config/login.py).
        with as_chosen(getattr(request.user, "profile", None)):
            try:
                return asking(request, *args, **kwargs)
            except ServiceError as error:
                return refusal(request, error)

    asking = login_required(view)
    return guarded


def safe_page(view: View) -> View:
    """A researcher's page that is only read: by GET or HEAD, and kept by no cache."""
    return require_safe(never_cache(researcher_page(view)))


def _logged_out(request: HttpRequest) -> HttpResponse:
    """A log-in page must not land inside of a page: reload that, unless a form would be lost."""
    headers = {"HX-Refresh": "true"} if request.method == "GET" else {}
    return HttpResponse(status=401, headers=headers)


def refusal(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """Say why not; for htmx the part that it puts in the place of what it asked for."""
    htmx = getattr(request, "htmx", None)
    named = AN_ID.fullmatch(str(htmx.target)) if htmx else None
    context = {"error": error, "target": named and named[0]}
    response = render(request, "4xx.html", context, status=error.status)
    if named:
        response["HX-Reselect"] = f"#{named[0]}"
    return response
