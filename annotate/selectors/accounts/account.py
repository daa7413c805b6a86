"""What a person's own page shows: settings, second factor, browsers and tokens."""

from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.sessions.models import Session
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotate.models import ApiToken, Profile, RecoveryCode, SignIn


@dataclass(frozen=True)
class OwnSettings:
    time_zone: str
    language: str


@dataclass(frozen=True)
class SignedInBrowser:
    id: int
    browser: str
    address: str
    at: datetime
    is_this: bool

    @property
    def name(self) -> str:
        """Return browser and system in two words, as far as they are known."""
        system = _first(self.browser, SYSTEMS)
        return f"{_first(self.browser, BROWSERS) or 'A browser'}{' on ' + system if system else ''}"


@dataclass(frozen=True)
class SecondFactor:
    """since: None where it is off."""

    since: datetime | None
    codes_left: int


@dataclass(frozen=True)
class Token:
    id: int
    name: str
    created_at: datetime
    expires_at: datetime | None
    used_on: date | None
    has_ended: bool


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


def own_settings(user_id: int) -> OwnSettings:
    """Return what this person has chosen; "" where nothing."""
    found = Profile.objects.filter(pk=user_id).values_list("time_zone", "language").first()
    return OwnSettings(*(found or ("", "")))


def has_second_factor(user_id: int) -> bool:
    return bool(TOTPDevice.objects.filter(user=user_id, confirmed=True).exists())


def second_factor(user_id: int) -> SecondFactor:
    """Return since when it is on, and how many recovery codes are left."""
    on = TOTPDevice.objects.filter(user=user_id, confirmed=True)
    since = on.values_list("created_at", flat=True).first()
    if since is None:
        return SecondFactor(None, 0)
    return SecondFactor(since, RecoveryCode.objects.filter(user=user_id).count())


def browsers(user_id: int, session_key: str) -> list[SignedInBrowser]:
    """Return the browsers that are signed in, this one first, then the newest."""
    alive = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    rows = SignIn.objects.filter(user=user_id, session_key__in=alive).order_by("-at")
    found = [
        SignedInBrowser(one.pk, one.browser, one.address, one.at, one.session_key == session_key)
        for one in rows
    ]
    return sorted(found, key=lambda one: not one.is_this)


def tokens(user_id: int) -> list[Token]:
    """Return the tokens that are not revoked, the newest first."""
    now = timezone.now()
    rows = ApiToken.objects.filter(user=user_id, revoked_at=None).order_by("-pk")
    return [
        Token(
            one.pk,
            one.name,
            one.created_at,
            one.expires_at,
            one.used_on,
            one.expires_at is not None and one.expires_at <= now,
        )
        for one in rows
    ]


def _first(text: str, known: dict[str, str]) -> str:
    return next((name for mark, name in known.items() if mark in text), "")
