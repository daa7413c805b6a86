"""A person's own page: settings, password, browsers that are signed in, tokens of scripts."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.errors import Conflict, Invalid
from annotate.forms.accounts import EmailForm, SettingsForm, TokenForm
from annotate.permissions import researcher_page
from annotate.requests import codes, limits, signing_in
from annotate.selectors.accounts import account
from annotate.services.accounts import api_tokens, own_settings, resetting, second_factor, sign_ins

TRIES, SECONDS = 10, 900  # with a wrong password


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest) -> HttpResponseBase:
    return _page(request)


@require_POST
@researcher_page
def change_settings(request: HttpRequest) -> HttpResponseBase:
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return _page(request, settings_form=form, status=422)
    own_settings.change(me(request).pk, **form.cleaned_data)
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
            own_settings.change_email(me(request), **form.cleaned_data)
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
            user = resetting.change(me(request), form.cleaned_data["new_password1"])
            update_session_auth_hash(request, user)
            signing_in.note(request, user.pk)
            sign_ins.end_others(user.pk, but=str(request.session.session_key))
            messages.success(
                request,
                "The password is changed. Other browsers are signed out, and API tokens revoked.",
            )
            return redirect("annotate:account")
    status = 422 if form.is_bound else 200
    context = {"form": form, "tokens": account.tokens(me(request).pk)}
    return render(request, "accounts/password.html", context, status=status)


@require_POST
@researcher_page
def end_browser(request: HttpRequest, sign_in_id: int) -> HttpResponseBase:
    done = sign_ins.end(me(request).pk, sign_in_id)
    messages.success(request, f"That browser {'is' if done else 'was'} signed out.")
    return redirect("annotate:account")


@require_POST
@researcher_page
def end_others(request: HttpRequest) -> HttpResponseBase:
    sign_ins.end_others(me(request).pk, but=str(request.session.session_key))
    messages.success(request, "All other browsers are signed out.")
    return redirect("annotate:account")


@sensitive_post_parameters("password", "code")
@require_POST
@never_cache
@researcher_page
def make_token(request: HttpRequest) -> HttpResponseBase:
    """Make a token, and show its secret this once. A browser that was left open makes none."""
    user = me(request)
    form = TokenForm(request.POST, second_factor=account.has_second_factor(user.pk))
    if not form.is_valid() or not knows_password(request, form):
        return _page(request, token=form, status=422)
    given = form.cleaned_data
    try:
        with transaction.atomic():  # a code is used up together with what it was for
            if "code" not in given or codes.use(request, user.pk, given["code"]):
                made = api_tokens.make(user.pk, given["name"], days=given["days"] or None)
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
    if api_tokens.revoke(me(request).pk, token_id):
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
    chosen, factor = account.own_settings(user.pk), account.second_factor(user.pk)
    context = {
        "settings_form": settings_form or SettingsForm(initial=vars(chosen)),
        "email": email or EmailForm(initial={"email": user.email}),
        "token": token or TokenForm(second_factor=factor.since is not None),
        "second_factor": factor,
        "browsers": account.browsers(user.pk, str(request.session.session_key)),
        "tokens": account.tokens(user.pk),
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
