"""What support reads in Django's admin. It changes nothing there, except that it closes accounts.

No page of it shows a secret or its digest: each names the columns that it shows.
"""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.models import Group, User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from annotate.common.access import refusal
from annotate.common.errors import NotAllowed

LISTED: dict[str, tuple[str, ...]] = {
    "Campaign": ("public_id", "name", "status", "crowd", "created_at"),
    "Membership": ("id", "campaign", "user", "role"),
    "Invitation": ("public_id", "campaign", "role", "email", "uses", "expires_at", "revoked_at"),
    "Mail": ("id", "kind", "to", "created_at", "attempts", "sent_at", "problem"),
    "Subscription": ("public_id", "campaign", "user", "channel", "attempts", "problem", "ended_at"),
    "ApiToken": ("id", "user", "name", "created_at", "expires_at", "revoked_at", "used_on"),
    "SignIn": ("id", "user", "browser", "address", "at"),
    "AuditEntry": ("id", "at", "campaign", "actor", "verb", "subject"),
    "Operation": ("id", "kind", "campaign", "status", "attempts", "code", "message"),
}


class Reading(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that are only read, fifty at a time, without a count of a large table."""

    list_per_page = 50
    show_full_result_count = False
    list_select_related = True
    actions = None

    def has_add_permission(self, *_args: Any) -> bool:
        return False

    def has_change_permission(self, *_args: Any) -> bool:
        return False

    def has_delete_permission(self, *_args: Any) -> bool:
        return False


class AccountAdmin(Reading):
    """Accounts: who may close one, closes it. Its sessions, tokens and invitations end with it."""

    list_display = fields = ("username", "email", "is_active", "is_staff", "last_login")
    readonly_fields = ("username", "email", "is_staff", "last_login")
    search_fields = ("username", "email")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("auth.change_user")


class SecondFactorAdmin(Reading):
    """Whose account has a second factor; `manage.py secondfactor` turns it off."""

    list_display = fields = ("id", "user", "confirmed", "created_at", "last_used_at")


@never_cache
def log_in(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """Send people to the log-in of all pages: Django's own asks for no second factor."""
    there = request.GET.get(REDIRECT_FIELD_NAME, reverse("admin:index"))
    if not request.user.is_authenticated:
        return redirect_to_login(there)
    if not admin.site.has_permission(request):
        return refusal(request, NotAllowed("Only staff of this server read here."))
    return redirect("admin:index")


for _name, _columns in LISTED.items():
    _made = type(f"{_name}Admin", (Reading,), {"list_display": _columns, "fields": _columns})
    admin.site.register(apps.get_model("annotate", _name), _made)
# Tokens stand above; groups are not used.
admin.site.unregister([User, Group, apps.get_model("authtoken", "TokenProxy")])
admin.site.unregister(apps.get_model("otp_totp", "TOTPDevice"))  # its own page shows the secret
admin.site.register(User, AccountAdmin)
admin.site.register(apps.get_model("otp_totp", "TOTPDevice"), SecondFactorAdmin)
admin.site.login = log_in  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Plumbline, for support"
