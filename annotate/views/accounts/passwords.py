"""A new password for somebody who has forgotten theirs."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import TooMany
from annotate.forms.accounts import ResetForm
from annotate.requests import limits
from annotate.requests.client_address import client_address
from annotate.services.accounts import resetting

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
    resetting.ask(email)
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
        resetting.done(user.pk)
        messages.success(self.request, "The password is set. Log in with it.")
        return answer


def new_password(request: HttpRequest, **named: Any) -> HttpResponseBase:
    return NewPassword.as_view()(request, **named)
