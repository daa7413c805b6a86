"""What the budget of a campaign holds, on the pages of people and of pay, and its raising.

It adds up every commitment, so a campaign of many people shows it after the page.
"""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.errors import Conflict, Invalid, NotFound
from annotate.permissions import is_owner, owned, researcher_page, visible
from annotate.selectors.pay import budget
from annotate.services.campaigns import amendments
from annotate.text.figures import money, unit_of_money

MANY = 2000  # people


def context(campaign: Any, *, n: int) -> dict[str, Any]:
    """Return the budget for a page with `n` people: figures, or the address to load them."""
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    return {"budget_later": True} if n > MANY else _held(campaign)


class BudgetForm(forms.Form):
    budget = forms.DecimalField(label="New budget", max_digits=10, decimal_places=2, min_value=0)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Raise the budget."""
    campaign = owned(request.user, public_id)
    if campaign.budget is None:
        raise NotFound("This campaign has no budget.")
    form = BudgetForm(request.POST or None)
    form.fields["budget"].label = f"New budget, in {unit_of_money()}"
    if request.method == "POST" and form.is_valid():
        try:
            amendments.raise_budget(
                campaign.pk, form.cleaned_data["budget"], actor_id=request.user.pk
            )
        except Invalid as invalid:
            form.add_error("budget", " ".join(invalid.errors.values()))
        except Conflict as conflict:
            form.add_error(None, conflict.message)
        else:
            messages.success(request, f"The budget is {money(form.cleaned_data['budget'])} now.")
            return redirect("estimation:dashboard", public_id)
    committed = budget.committed(campaign)
    context = {
        "campaign": campaign,
        "form": form,
        "committed": committed,
        "short": budget.short_of_a_place(campaign),
        "least": campaign.budget + budget.short_of_a_place(campaign),
        "section": "campaigns",
    }
    status = 422 if form.is_bound else 200
    return render(request, "campaigns/budget.html", context, status=status)


@require_safe
@never_cache
@researcher_page
def later(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The part of the page that was left out."""
    campaign = visible(request.user, public_id)
    owner = is_owner(request.user, campaign)
    return render(
        request, "campaigns/_budget.html", {"campaign": campaign, "owner": owner, **_held(campaign)}
    )


def _held(campaign: Any) -> dict[str, Any]:
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    committed = budget.committed(campaign)
    return {"committed": committed, "excess": max(Decimal(0), committed - campaign.budget)}
