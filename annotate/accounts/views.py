"""The pages of an account: settings, password, browsers, tokens, second factor."""

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.accounts import accounts, second_factor, tokens
from annotate.accounts.forms import (
    EmailForm,
    FirstCodeForm,
    PasswordOrCodeForm,
    ResetForm,
    SettingsForm,
    TokenForm,
)
from annotate.common import limits
from annotate.common import text as common_text
from annotate.common.access import researcher_page
from annotate.common.errors import Conflict, Invalid, TooMany
from annotate.common.limits import client_address

TRIES, SECONDS = 10, 900  # with a wrong password


@require_safe
@never_cache
@researcher_page
def own_page(request: HttpRequest) -> HttpResponseBase:
    return _page(request)


@require_POST
@researcher_page
def change_settings(request: HttpRequest) -> HttpResponseBase:
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return _page(request, settings_form=form, status=422)
    accounts.change(me(request).pk, **form.cleaned_data)
    messages.success(request, "Saved. Dates and numbers follow from now on.")
    return redirect("annotate:account")


@sensitive_post_parameters("password")
@require_POST
@researcher_page
def change_email(request: HttpRequest) -> HttpResponseBase:
    form = EmailForm(request.POST)
    if form.is_valid():
        limit(request)
        try:
            accounts.change_email(me(request), **form.cleaned_data)
        except Invalid as refused:
            for name, text in refused.errors.items():
                form.add_error(name, text)
        else:
            messages.success(request, "Saved. Links for a new password go to this address.")
            return redirect("annotate:account")
    return _page(request, email=form, status=422)


@sensitive_post_parameters("old_password", "new_password1", "new_password2")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def password(request: HttpRequest) -> HttpResponseBase:
    """Change the password. All other browsers are signed out, and all tokens revoked."""
    form = PasswordChangeForm(me(request), request.POST or None)
    if request.method == "POST":
        limit(request)
        if form.is_valid():
            user = accounts.change_password(me(request), form.cleaned_data["new_password1"])
            update_session_auth_hash(request, user)
            accounts.note_sign_in(request, user.pk)
            accounts.end_others(user.pk, but=str(request.session.session_key))
            messages.success(
                request,
                "The password is changed. Other browsers are signed out, and API tokens revoked.",
            )
            return redirect("annotate:account")
    status = 422 if form.is_bound else 200
    context = {"form": form, "tokens": accounts.tokens(me(request).pk)}
    return render(request, "accounts/password.html", context, status=status)


@require_POST
@researcher_page
def end_browser(request: HttpRequest, sign_in_id: int) -> HttpResponseBase:
    done = accounts.end(me(request).pk, sign_in_id)
    messages.success(request, f"That browser {'is' if done else 'was'} signed out.")
    return redirect("annotate:account")


@require_POST
@researcher_page
def end_others(request: HttpRequest) -> HttpResponseBase:
    accounts.end_others(me(request).pk, but=str(request.session.session_key))
    messages.success(request, "All other browsers are signed out.")
    return redirect("annotate:account")


@sensitive_post_parameters("password", "code")
@require_POST
@never_cache
@researcher_page
def make_token(request: HttpRequest) -> HttpResponseBase:
    """Make a token, and show its secret this once. A browser that was left open makes none."""
    user = me(request)
    form = TokenForm(request.POST, second_factor=accounts.has_second_factor(user.pk))
    if not form.is_valid() or not knows_password(request, form):
        return _page(request, token=form, status=422)
    given = form.cleaned_data
    try:
        with transaction.atomic():  # a code is used up together with what it was for
            if "code" not in given or second_factor.use_code(request, user.pk, given["code"]):
                made = tokens.make_token(user.pk, given["name"], days=given["days"] or None)
                return _page(request, made=made[0], secret=made[1])
        form.add_error("code", second_factor.problem(given["code"]))
    except Invalid as refused:
        form.add_error("name", refused.errors["name"])
    except Conflict as refused:
        form.add_error(None, refused.message)
    return _page(request, token=form, status=422)


@require_POST
@researcher_page
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponseBase:
    if tokens.revoke(me(request).pk, token_id):
        messages.success(request, "The token is revoked: scripts that use it are refused.")
    else:
        messages.info(request, "You have no such token in force.")
    return redirect("annotate:account")


def _page(
    request: HttpRequest,
    *,
    settings_form: SettingsForm | None = None,
    email: EmailForm | None = None,
    token: TokenForm | None = None,
    status: int = 200,
    **shown: Any,
) -> HttpResponseBase:
    user = me(request)
    since, codes_left = accounts.second_factor(user.pk)
    context = {
        "settings_form": settings_form or SettingsForm(initial=accounts.own_settings(user.pk)),
        "email": email or EmailForm(initial={"email": user.email}),
        "token": token or TokenForm(second_factor=since is not None),
        "second_factor_since": since,
        "codes_left": codes_left,
        "browsers": accounts.browsers(user.pk, str(request.session.session_key)),
        "tokens": accounts.tokens(user.pk),
        "section": "account",
        **shown,
    }
    return render(request, "accounts/account.html", context, status=status)


def knows_password(request: HttpRequest, form: Form) -> bool:
    """Return whether the form's `password` is correct; otherwise add an error to the form."""
    limit(request)
    if me(request).check_password(form.cleaned_data["password"]):
        return True
    form.add_error("password", "This is not your password.")
    return False


def limit(request: HttpRequest) -> None:
    """A browser that was left signed in is no place to guess a password."""
    name = limits.key("own-password", str(me(request).pk))
    limits.check(limits.Limit(name, TRIES, SECONDS))


def me(request: HttpRequest) -> User:
    return cast(User, request.user)


# A new password for somebody who has forgotten theirs.


HOUR = 3600
OF_ACCOUNT, OF_ADDRESS = 5, 30  # requests an hour


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def ask(request: HttpRequest) -> HttpResponseBase:
    """Have a link sent. The answer is the same whether an account has this address or not."""
    form = ResetForm(request.POST or None)
    context = {"form": form, "sends_mail": settings.SENDS_MAIL}
    if not settings.SENDS_MAIL or request.method != "POST":
        return render(request, "accounts/reset.html", context)
    if not form.is_valid():
        return render(request, "accounts/reset.html", context, status=422)
    email = form.cleaned_data["email"]
    try:
        limits.check(
            limits.Limit(limits.key("reset-from", client_address(request)), OF_ADDRESS, HOUR),
            limits.Limit(limits.key("reset", email.casefold()), OF_ACCOUNT, HOUR),
        )
    except TooMany as refused:
        context |= {"locked": refused.message}
        response = render(request, "accounts/reset.html", context, status=refused.status)
        response["Retry-After"] = str(refused.wait)
        return response
    accounts.ask(email)
    return render(request, "accounts/reset.html", context | {"sent_to": email})


class NewPassword(PasswordResetConfirmView):
    """The page behind the link. The link's secret moves into the session at once."""

    template_name = "accounts/new_password.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():  # the tokens end with the old password
            answer = super().form_valid(form)
        user = form.user
        assert isinstance(user, User)
        accounts.end_others(user.pk, but="")
        messages.success(self.request, "The password is set. Log in with it.")
        return answer


# Turning a second factor on and off, and new recovery codes.


KEY = "second_factor_key"  # in the session: of the QR code that is shown; stored once it works


@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def turn_on(request: HttpRequest) -> HttpResponseBase:
    """Show the QR code. POST turns it on, if the code is right, and shows the recovery codes."""
    if accounts.has_second_factor(me(request).pk):
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
    if not accounts.has_second_factor(me(request).pk):
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
    if second_factor.use_code(request, me(request).pk, typed):
        return True
    form.add_error("code", second_factor.problem(typed))
    return False


def _key_page(request: HttpRequest, form: FirstCodeForm, key: str) -> HttpResponseBase:
    address = second_factor.address(me(request), key)
    context = {
        "form": form,
        "qr": common_text.svg(address),
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
    accounts.end_others(me(request).pk, but=str(request.session.session_key))


def _back(request: HttpRequest, message: str) -> HttpResponseBase:
    messages.info(request, message)
    return redirect("annotate:account")
