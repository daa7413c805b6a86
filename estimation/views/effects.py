"""The effect of an exclusion on the estimates, on its review page; hidden until it is final."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from annotate.errors import NotFound
from annotate.permissions import access, researcher_page, reviewable
from annotate.selectors.review import reviews
from estimation.services import effects


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def effect(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Return the effect of this annotator's exclusion: a fragment, otherwise a page."""
    campaign = reviewable(request.user, public_id)
    case = reviews.case(campaign, pseudonym)
    if case is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    context: dict[str, Any] = {
        "case": case,
        "effects": effects.measure(case.campaign_id, case.annotator_id)
        if case.shows_effect
        else (),
        "sees_results": access(request.user, public_id).sees_results,
        "section": "reviews",
    }
    fragment = bool(getattr(request, "htmx", False))
    template = "estimates/_effect.html" if fragment else "estimates/effect.html"
    return render(request, template, context)
