"""The settings of a campaign's screens: its members read them, and who runs it changes them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import Conflict, Invalid
from annotate.forms.screens import ScreensForm
from annotate.permissions import is_running, researcher_page, run, visible
from annotate.screening.screens import SCREENS, by_path
from annotate.selectors.amendments import Amendment
from annotate.selectors.campaigns import screen_settings as selectors
from annotate.services.campaigns import screen_settings
from annotate.states import CampaignStatus
from annotate.text.figures import many


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def screens(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the settings; POST changes them."""
    campaign = visible(request.user, public_id)
    found = selectors.of(campaign.pk)
    if request.method != "POST":
        return _page(
            request,
            campaign,
            ScreensForm(in_use=found.in_use, may_change=_may_change(request, campaign)),
        )
    run(request.user, public_id)
    form = ScreensForm(request.POST, in_use=found.in_use)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    try:
        changed = screen_settings.change(
            campaign.pk,
            form.settings,
            actor_id=request.user.pk,
            reason=form.cleaned_data["reason"],
        )
    except (Invalid, Conflict) as refused:
        _tell(form, refused)
        return _page(request, campaign, form, status=refused.status)
    said = f"{many(len(changed), 'setting')} changed." if changed else "Nothing was changed."
    messages.success(request, said)
    return redirect("annotate:screens", public_id)


def _tell(form: ScreensForm, refused: Invalid | Conflict) -> None:
    """Put each problem beside its field; what has none is told above the form."""
    for name, message in getattr(refused, "errors", {"": refused.message}).items():
        field = name.split("[")[0]
        form.add_error(field if field in form.fields else None, message)


def _may_change(request: HttpRequest, campaign: Any) -> bool:
    return is_running(request.user, campaign) and campaign.closed_at is None


def _page(
    request: HttpRequest, campaign: Any, form: ScreensForm, *, status: int = 200
) -> HttpResponseBase:
    found = selectors.of(campaign.pk)
    context = {
        "campaign": campaign,
        "form": form,
        "may_change": _may_change(request, campaign),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "amendments": [(one, _lines(one)) for one in found.amendments],
        "section": "campaigns",
    }
    return render(request, "campaigns/screens.html", context, status=status)


def _lines(one: Amendment) -> list[str]:
    known = by_path()
    return [
        f"{known[path].label if path in known else path} ({path}): {_said(was)} → {_said(now)}"
        for path, (was, now) in one.changes.items()
    ]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return (
            ", ".join(SCREENS[name].reviewers.title if name in SCREENS else name for name in value)
            or "none"
        )
    return f"{value:g}"
