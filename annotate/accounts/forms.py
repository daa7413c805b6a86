"""The forms about accounts, members and invitations."""

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict

from annotate.accounts.tokens import DAYS
from annotate.campaigns.members import LONGEST_DAYS, MOST_USES
from annotate.models.accounts import LONGEST_NAME
from annotate.models.base import MemberRole

LONGEST_EMAIL = 254  # as accounts and mails store it
# What a role lets people do, in one sentence each (docs/roles.md has the whole table).
ROLES = {
    MemberRole.OWNER: "does everything, pays, and manages members",
    MemberRole.COLLABORATOR: "sees everything and runs the campaign, but launches no batches, pays "
    "nobody and manages no members",
    MemberRole.REVIEWER: "looks after annotators, and sees no systems and results until the "
    "campaign is closed",
    MemberRole.VIEWER: "reads results and exports, and changes nothing",
}
PASSWORD = {"autocomplete": "current-password"}
NEW_PASSWORD = {"autocomplete": "new-password"}
CODE = {"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}
LONGEST_CODE = 60  # characters: recovery codes have 20 digits, and people add spaces
TYPE_PASSWORD = {"required": "Type your password."}


def _password(
    label: str = "Your password", *, hints: dict[str, str] = PASSWORD, **more: Any
) -> forms.CharField:
    widget = forms.PasswordInput(attrs=hints)
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, **more)


def _code(label: str, *, hints: dict[str, Any] = CODE, **more: Any) -> forms.CharField:
    widget = forms.TextInput(attrs=hints)
    return forms.CharField(label=label, max_length=LONGEST_CODE, widget=widget, **more)


class InviteForm(forms.Form):
    role = forms.ChoiceField(
        label="As",
        choices=[(role, str(role.value).capitalize()) for role in ROLES],
        initial=MemberRole.COLLABORATOR,
    )
    email = forms.EmailField(
        max_length=LONGEST_EMAIL,
        label="E-mail address",
        required=False,
        help_text="Leave it empty to get a link that you hand on.",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    most_uses = forms.IntegerField(
        label="For how many people", min_value=1, max_value=MOST_USES, initial=1
    )
    days = forms.IntegerField(
        label="Good for, in days", min_value=1, max_value=LONGEST_DAYS, initial=7
    )


class NewAccountForm(forms.Form):
    username = forms.CharField(
        label="User name",
        max_length=80,
        help_text="Letters, digits and @ . + - _. Other members see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = _password(
        "Password", hints=NEW_PASSWORD, help_text="At least 8 characters, not a common one."
    )
    again = _password("The same password again", hints=NEW_PASSWORD)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if "password" in given and "again" in given and given["password"] != given["again"]:
            self.add_error("again", "The two passwords differ.")
        return given


class SettingsForm(forms.Form):
    time_zone = forms.ChoiceField(label="Time zone", required=False)
    language = forms.ChoiceField(
        label="Dates and numbers",
        required=False,
        help_text="The pages for researchers are in English.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(zone for zone in zoneinfo.available_timezones() if "/" in zone)
        server = f"As this server ({settings.TIME_ZONE})"
        self.fields["time_zone"].choices = [  # type: ignore[attr-defined]
            ("", server),
            ("UTC", "UTC"),
            *((zone, zone.replace("_", " ")) for zone in zones),
        ]
        self.fields["language"].choices = [  # type: ignore[attr-defined]
            ("", "1,234.5 and 5 Mar (English)"),
            ("de", "1.234,5 and 5 Mär (Deutsch)"),
        ]


class EmailForm(forms.Form):
    email = forms.EmailField(
        max_length=LONGEST_EMAIL,
        label="E-mail address",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = _password()


class CodeForm(forms.Form):
    """The second page of the log-in."""

    code = _code(
        "Code",
        hints={**CODE, "autofocus": True},
        help_text="The six digits that your app shows now, or one of your recovery codes.",
        error_messages={"required": "Type a code."},
    )


class FirstCodeForm(forms.Form):
    """Turning a second factor on: a browser that was left open is not enough for that."""

    code = _code(
        "The code that your app shows now",
        error_messages={"required": "Type the six digits that your app shows."},
    )
    password = _password(error_messages=TYPE_PASSWORD)


class PasswordOrCodeForm(forms.Form):
    code = _code("A code", required=False, help_text="Of your app, or a recovery code.")
    password = _password("Or your password", required=False)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if not self.errors and not given.get("code") and not given.get("password"):
            self.add_error("code", "Type a code, or your password.")
        return given


class TokenForm(forms.Form):
    name = forms.CharField(
        label="What it is for",
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "Nightly export"}),
    )
    days = forms.TypedChoiceField(
        label="Good for",
        coerce=int,
        choices=[(n, f"{n} days") for n in DAYS] + [(0, "No end")],
        initial=90,
    )
    password = _password(error_messages=TYPE_PASSWORD)
    code = _code(
        "A code of your app",
        error_messages={"required": "Type a code of your app, or a recovery code."},
    )

    def __init__(self, data: QueryDict | None = None, *, second_factor: bool) -> None:
        # Another form of the page asks for the password, too.
        super().__init__(data, auto_id="id_token_%s")
        if not second_factor:
            del self.fields["code"]


class ResetForm(forms.Form):
    email = forms.EmailField(
        max_length=LONGEST_EMAIL,
        label="E-mail address of your account",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
