"""Logging in, by the page or for an API token, with a common limit on guessing.

Every attempt is counted before its password is checked, so simultaneous attempts have no advantage.
Names without an account are counted and refused like others, so the answers do not show which
accounts exist. An account with a second factor is asked for a code on a second page; until then
nobody is logged in.
"""

import time
import unicodedata
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import load_backend, login
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from annotate.accounts import accounts, second_factor
from annotate.accounts.forms import CodeForm
from annotate.common import limits as common_limits
from annotate.common.errors import TooMany
from annotate.common.limits import client_address, guesses, in_minutes, succeeded

PENDING = "awaits_code"  # in the session: who has given the right password
PENDING_SECONDS = 600
ENDED = "The log-in took too long, or has ended. Begin again."
TURNED_OFF = "Your second factor was turned off meanwhile. Log in with your password alone."


class LimitedBackend(ModelBackend):
    """Checks passwords for any caller with a request, so new ways to log in are limited too."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **given: Any,
    ) -> User | None:
        if request is None or username is None:
            return super().authenticate(request, username, password, **given)
        name = unicodedata.normalize("NFKC", username).casefold()
        limits = guesses("login", name, client_address(request))
        for limit in limits:
            if limit.exceeded():
                request.locked_for = common_limits.seconds_to_wait(limit.name)  # type: ignore[attr-defined]
                raise PermissionDenied
        found = super().authenticate(request, username, password, **given)
        if found is None:
            raise PermissionDenied  # no other backend is asked
        succeeded(limits)
        return found

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session, with the account's settings, in one query."""
        found = User.objects.select_related("profile").filter(pk=user_id).first()
        return found if found is not None and self.user_can_authenticate(found) else None


class _LogInPage(LoginView):
    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:  # type: ignore[override]  # the stubs are of another version
        """Return where to go on, on this site; "" for the page itself, which would lead nowhere."""
        there = str(super().get_redirect_url())
        return "" if there == self.request.path else there


class LogIn(_LogInPage):
    """The page. After too many attempts it says how long to wait."""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        if not accounts.has_second_factor(user.pk):
            return super().form_valid(form)
        _await_code(self.request, user)
        return redirect(_with_next("login-code", self.get_redirect_url()))

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        wait = locked_for(self.request)
        return _locked(self, form, wait) if wait else super().form_invalid(form)


class LogInCode(_LogInPage):
    """The second page, for accounts with a second factor: its code, or a recovery code."""

    awaited: User | None
    template_name = "registration/code.html"
    form_class = CodeForm  # type: ignore[assignment]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.awaited = _awaited(request)
        if request.user.is_authenticated:
            return super().dispatch(request, *args, **kwargs)
        if self.awaited is not None and accounts.has_second_factor(self.awaited.pk):
            return super().dispatch(request, *args, **kwargs)
        if request.session.pop(PENDING, None):
            messages.error(request, TURNED_OFF if self.awaited else ENDED)
        return redirect(_with_next("login", self.get_redirect_url()))

    def get_form_kwargs(self) -> dict[str, Any]:
        given = super().get_form_kwargs()
        del given["request"]
        return given

    def form_valid(self, form: Any) -> HttpResponse:
        user = self.awaited
        assert user is not None  # `dispatch` sends everybody else away
        try:
            used = second_factor.use_code(self.request, user.pk, form.cleaned_data["code"])
        except TooMany as refused:
            return _locked(self, CodeForm(), refused.wait)  # this code is old by then
        if not used:
            form.add_error("code", second_factor.problem(form.cleaned_data["code"]))
            return self.form_invalid(form)
        login(self.request, user, backend=self.request.session.pop(PENDING)["backend"])
        if used == second_factor.RECOVERY:
            left = accounts.second_factor(user.pk)[1]
            messages.info(self.request, f"You used a recovery code. Codes left: {left}.")
        return HttpResponseRedirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


def locked_for(request: Any) -> int:
    """Return for how many seconds this request's attempts are refused; 0 if they are not."""
    return getattr(request, "locked_for", 0)


def _await_code(request: HttpRequest, user: User) -> None:
    """Note who has given the right password. The session gets a new key, and nobody is in it."""
    request.session.flush()
    request.session[PENDING] = {
        "user": user.pk,
        "backend": user.backend,
        "at": time.time(),
        "hash": user.get_session_auth_hash(),  # a new password ends this log-in too
    }


def _awaited(request: HttpRequest) -> User | None:
    """Return the person whose code is awaited; None after ten minutes, or when things changed."""
    pending = request.session.get(PENDING)
    if pending is None or not 0 <= time.time() - pending["at"] < PENDING_SECONDS:
        return None
    if pending["backend"] not in settings.AUTHENTICATION_BACKENDS:
        return None
    user = load_backend(pending["backend"]).get_user(pending["user"])
    if not isinstance(user, User):
        return None
    same = constant_time_compare(pending["hash"], user.get_session_auth_hash())
    return user if same else None


def _with_next(name: str, there: str) -> str:
    """Return the address of a page of the log-in that goes on to `there`, which is safe, or ""."""
    return f"{reverse(name)}?{urlencode({'next': there})}" if there else reverse(name)


def _locked(page: LoginView, form: Any, wait: int) -> HttpResponse:
    context = page.get_context_data(form=form, locked=in_minutes(wait))
    response = page.render_to_response(context, status=429)
    response["Retry-After"] = str(wait)
    return response
