"""Logging in, by the page or for an API token, with a common limit on guessing.

Every attempt is counted before its password is checked, so simultaneous attempts have no advantage.
Names without an account are counted and refused like others, so the answers do not show which
accounts exist.
"""

import unicodedata
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from annotate.requests import counting
from annotate.requests.client_address import client_address
from annotate.requests.limits import Limit, key
from annotate.requests.waiting import in_minutes


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
        limits = limits_of(username, client_address(request))
        for limit in limits:
            if limit.exceeded():
                request.locked_for = counting.wait(limit.name)  # type: ignore[attr-defined]
                raise PermissionDenied
        found = super().authenticate(request, username, password, **given)
        if found is None:
            raise PermissionDenied  # no other backend is asked
        _succeeded(limits)
        return found

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session, with the account's settings, in one query."""
        found = User.objects.select_related("profile").filter(pk=user_id).first()
        return found if found is not None and self.user_can_authenticate(found) else None


class LogIn(LoginView):
    """The page. After too many attempts it says how long to wait."""

    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        wait = locked_for(self.request)
        if not wait:
            return super().form_invalid(form)
        context = self.get_context_data(form=form, locked=in_minutes(wait))
        response = self.render_to_response(context, status=429)
        response["Retry-After"] = str(wait)
        return response


def locked_for(request: Any) -> int:
    """Return for how many seconds this request's attempts are refused; 0 if they are not."""
    return getattr(request, "locked_for", 0)


def limits_of(username: str, address: str) -> tuple[Limit, ...]:
    """Return the limits of an attempt in the order in which they are checked.

    The account's own limit, over all addresses, comes last: attempts that another limit has refused
    do not count there, so no one can lock others out of their accounts from one address.
    """
    tries, seconds = settings.LOGIN_TRIES, settings.LOGIN_MINUTES * 60
    account = unicodedata.normalize("NFKC", username).casefold()
    limits = (
        Limit(key("login", "account", account, address), tries, seconds),
        Limit(key("login", "account", account), 5 * tries, 4 * seconds),
    )
    if not address:
        return limits
    return (Limit(key("login", "address", address), 10 * tries, seconds), *limits)


def _succeeded(limits: tuple[Limit, ...]) -> None:
    """Forget the failed attempts after a success, which is not counted either."""
    *others, own, account = limits
    counting.forget(own.name)
    for limit in (*others, account):
        counting.take_back(limit.name, limit.seconds)
