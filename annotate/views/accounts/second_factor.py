"""Turning a second factor on and off, and new recovery codes."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotate.errors import Conflict, Invalid
from annotate.forms.accounts import FirstCodeForm, PasswordOrCodeForm
from annotate.permissions import researcher_page
from annotate.requests import codes
from annotate.selectors.accounts import account
from annotate.services.accounts import second_factor, sign_ins
from annotate.text import qr_codes
from annotate.views.accounts.own import knows_password, me

KEY = "second_factor_key"  # in the session: of the QR code that is shown; stored once it works


@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def turn_on(request: HttpRequest) -> HttpResponseBase:
    """Show the QR code. POST turns it on, if the code is right, and shows the recovery codes."""
    if account.has_second_factor(me(request).pk):
        return _back(request, "Your second factor is on already.")
    form = FirstCodeForm(request.POST or None)
    key = request.session.setdefault(KEY, second_factor.fresh_key())
    if request.method == "POST" and form.is_valid() and knows_password(request, form):
        try:
            made = second_factor.turn_on(me(request).pk, key, form.cleaned_data["code"])
        except Invalid as refused:
            form.add_error("code", refused.errors["code"])
        except Conflict as refused:
            return _back(request, refused.message)
        else:
            del request.session[KEY]
            _end_others(request)
            return _codes_page(request, made, is_new=True)
    return _key_page(request, form, key)


@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def turn_off(request: HttpRequest) -> HttpResponseBase:
    return _asking(request, "accounts/second_factor_off.html", _turned_off)


@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def renew_codes(request: HttpRequest) -> HttpResponseBase:
    """Show new recovery codes, this once."""
    return _asking(request, "accounts/recovery_codes_new.html", _renewed)


def _asking(
    request: HttpRequest, template: str, act: Callable[[HttpRequest], HttpResponseBase]
) -> HttpResponseBase:
    """Ask for a code or the password, and act once one of them is right."""
    if not account.has_second_factor(me(request).pk):
        return _back(request, "Your second factor is off.")
    form = PasswordOrCodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _is_owner(request, form):
        return act(request)
    context = {"form": form, "section": "account"}
    return render(request, template, context, status=422 if form.is_bound else 200)


def _turned_off(request: HttpRequest) -> HttpResponseBase:
    second_factor.turn_off(me(request).pk, actor_id=me(request).pk)
    _end_others(request)
    return _back(request, "The second factor is off. Other browsers are signed out.")


def _renewed(request: HttpRequest) -> HttpResponseBase:
    try:
        return _codes_page(request, second_factor.renew_codes(me(request).pk), is_new=False)
    except Conflict as refused:  # it was turned off at the same moment
        return _back(request, refused.message)


def _is_owner(request: HttpRequest, form: PasswordOrCodeForm) -> bool:
    typed = form.cleaned_data["code"]
    if not typed:
        return knows_password(request, form)
    if codes.use(request, me(request).pk, typed):
        return True
    form.add_error("code", second_factor.problem(typed))
    return False


def _key_page(request: HttpRequest, form: FirstCodeForm, key: str) -> HttpResponseBase:
    address = second_factor.address(me(request), key)
    context = {
        "form": form,
        "qr": qr_codes.svg(address),
        "address": address,
        "typed_key": second_factor.typed_key(key),
        "section": "account",
    }
    status = 422 if form.is_bound else 200
    return render(request, "accounts/second_factor_on.html", context, status=status)


def _codes_page(request: HttpRequest, made: list[str], *, is_new: bool) -> HttpResponseBase:
    context = {"codes": made, "is_new": is_new, "section": "account"}
    return render(request, "accounts/recovery_codes.html", context)


def _end_others(request: HttpRequest) -> None:
    sign_ins.end_others(me(request).pk, but=str(request.session.session_key))


def _back(request: HttpRequest, message: str) -> HttpResponseBase:
    messages.info(request, message)
    return redirect("annotate:account")
