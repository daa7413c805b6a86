"""A person's own settings: time zone, language of figures, e-mail address."""

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone

from annotate.errors import Invalid
from annotate.models import Profile
from annotate.text import figures


@contextmanager
def as_chosen(profile: Profile | None) -> Iterator[None]:
    """Use the time zone and the language of figures that a person has chosen."""
    zone = profile.time_zone if profile else ""
    with (
        timezone.override(zone or timezone.get_default_timezone()),
        figures.written_in(profile.language if profile else ""),
    ):
        yield


def change(user_id: int, *, time_zone: str, language: str) -> None:
    """Store a time zone and a language; "" for the server's own."""
    errors = {}
    if time_zone and time_zone not in zoneinfo.available_timezones():
        errors["time_zone"] = "Choose a time zone from the list."
    if language and language not in dict(settings.LANGUAGES):
        errors["language"] = "Choose a language from the list."
    if errors:
        raise Invalid(errors)
    chosen = {"time_zone": time_zone, "language": language}
    Profile.objects.update_or_create(user_id=user_id, defaults=chosen)


def change_email(user: User, email: str, *, password: str) -> None:
    """Store the address to which links for a new password go: it takes the password."""
    errors = {}
    try:
        validate_email(email)
    except ValidationError:
        errors["email"] = "Type an e-mail address, such as ada@example.org."
    if not user.check_password(password):
        errors["password"] = "This is not your password."  # noqa: S105
    if errors:
        raise Invalid(errors)
    User.objects.filter(pk=user.pk).update(email=email)
