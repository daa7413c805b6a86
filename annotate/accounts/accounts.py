"""Accounts: registering, settings, browsers that are signed in, passwords, a person's own page."""

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotate.common import mail, numbers
from annotate.common import text as common_text
from annotate.common.errors import Invalid, NotFound
from annotate.common.limits import client_address
from annotate.models import ApiToken, Mail, Profile, RecoveryCode, SignIn

TAKEN = "This name is taken, or looks like another one. Choose a different name."


def register(username: str, password: str, *, email: str = "") -> User:
    """Create an account. Raises `Invalid` with what to correct.

    A name that looks like that of another account is refused: members are shown by their names.
    """
    username = User.normalize_username(common_text.tidy(username))
    user = User(username=username, email=email)
    if errors := _problems(user, password):
        raise Invalid(errors)
    looks = common_text.keys(username)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            Profile.objects.create(user=user, look_small=looks.small, look_large=looks.large)
    except IntegrityError:
        raise Invalid({"username": TAKEN}) from None
    return user


def _problems(user: User, password: str) -> dict[str, str]:
    found = {}
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        found = {name: " ".join(texts) for name, texts in error.message_dict.items()}
    if "username" not in found and _looks_taken(user.username):
        found["username"] = TAKEN
    try:
        validate_password(password, user)
    except ValidationError as error:
        found["password"] = " ".join(error.messages)
    return found


def _looks_taken(username: str) -> bool:
    """Return whether another name looks like this one; few names were not chosen here."""
    if not common_text.can_be_seen(username):
        return True
    looks = common_text.keys(username)
    chosen = Profile.objects.filter(Q(look_small=looks.small) | Q(look_large=looks.large))
    if chosen.exists():
        return True
    others = User.objects.filter(Q(profile=None) | Q(profile__look_small=None))
    return any(
        common_text.are_one(username, one) for one in others.values_list("username", flat=True)
    )


# A person's own settings: time zone, language of figures, e-mail address.


@contextmanager
def as_chosen(profile: Profile | None) -> Iterator[None]:
    """Use the time zone and the language of figures that a person has chosen."""
    zone = profile.time_zone if profile else ""
    with (
        timezone.override(zone or timezone.get_default_timezone()),
        numbers.written_in(profile.language if profile else ""),
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


# Browsers that are signed in: recorded at the log-in, and signed out from another browser.


LONGEST_BROWSER = 200


def note_sign_in(request: HttpRequest, user_id: int) -> None:
    """Record the browser of a log-in, or the new key of its session.

    Sign-ins of this person whose sessions are over are forgotten.
    """
    if not request.session.session_key:
        request.session.save()
    browser = filter(str.isprintable, request.headers.get("User-Agent", ""))
    with transaction.atomic():
        alive = Session.objects.values("session_key")
        SignIn.objects.filter(user=user_id).exclude(session_key__in=alive).delete()
        made = {
            "user_id": user_id,
            "browser": "".join(browser)[:LONGEST_BROWSER],
            "address": client_address(request),
            "at": timezone.now(),
        }
        SignIn.objects.update_or_create(session_key=request.session.session_key, defaults=made)


def end(user_id: int, sign_in_id: int) -> bool:
    """Sign a browser of this person out; False if it is signed out, or somebody else's."""
    return bool(_end(SignIn.objects.filter(user=user_id, pk=sign_in_id)))


def end_others(user_id: int, *, but: str) -> int:
    """Sign out all browsers of a person except the one with the session `but`; return how many."""
    return _end(SignIn.objects.filter(user=user_id).exclude(session_key=but))


def _end(rows: QuerySet[SignIn]) -> int:
    store = import_module(settings.SESSION_ENGINE).SessionStore
    found = list(rows)
    for row in found:
        store(row.session_key).delete()
        row.delete()
    return len(found)


# New passwords, for people who know theirs and for people who have forgotten it.


def ask(email: str) -> None:
    """Have a worker send a link to each account with this address.

    The worker looks for accounts, so that a request takes as long for unknown addresses.
    """
    mail.intend(Mail.Kind.RESET, to=email)


def change_password(user: User, password: str) -> User:
    """Store a new password that its form has checked. Its tokens end with the old one."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
    return user


def link_of(username: str) -> str:
    """Return a link for an administrator to hand on. Raises `NotFound` for an unknown name."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotFound(f"There is no active account “{username}”. Capitals matter.")
    return mail.reset_link(user)


# What a person's own page shows: settings, second factor, browsers and tokens.


# What a browser calls itself: the first that is found; others' names stand in it too.
BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def own_settings(user_id: int) -> dict[str, str]:
    """Return the time zone and the language that this person has chosen; "" where nothing."""
    chosen = ("time_zone", "language")
    found = Profile.objects.filter(pk=user_id).values(*chosen).first()
    return found or dict.fromkeys(chosen, "")


def has_second_factor(user_id: int) -> bool:
    return bool(TOTPDevice.objects.filter(user=user_id, confirmed=True).exists())


def second_factor(user_id: int) -> tuple[datetime | None, int]:
    """Return since when it is on (None: off), and how many recovery codes are left."""
    on = TOTPDevice.objects.filter(user=user_id, confirmed=True)
    since = on.values_list("created_at", flat=True).first()
    return since, RecoveryCode.objects.filter(user=user_id).count()


def browsers(user_id: int, session_key: str) -> list[tuple[SignIn, str, bool]]:
    """Return the browsers that are signed in, this one first, then the newest.

    Each with its name and system, as far as they are known, and whether it is this one.
    """
    alive = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    rows = SignIn.objects.filter(user=user_id, session_key__in=alive).order_by("-at")
    found = [(one, _browser(one.browser), one.session_key == session_key) for one in rows]
    return sorted(found, key=lambda one: not one[2])


def tokens(user_id: int) -> list[ApiToken]:
    """Return the tokens that are not revoked, the newest first."""
    return list(ApiToken.objects.filter(user=user_id, revoked_at=None).order_by("-pk"))


def _browser(agent: str) -> str:
    names = [
        next((name for mark, name in known.items() if mark in agent), "")
        for known in (BROWSERS, SYSTEMS)
    ]
    return f"{names[0] or 'A browser'}{' on ' + names[1] if names[1] else ''}"
