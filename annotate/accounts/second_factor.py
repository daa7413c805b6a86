"""The second factor: codes of an app and for recovery, and a limit on guessing."""

import logging
import secrets as random
import unicodedata
from base64 import b32encode
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key

from annotate.accounts import accounts
from annotate.common import audit, limits, tokens
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.limits import client_address
from annotate.models import RecoveryCode

APP_DIGITS = 6
RECOVERY_DIGITS = 20
BETWEEN = " -‐‑–"  # what people and programs put between groups of digits


def plain(typed: str) -> str:
    """Return the digits of a code, from any script and without gaps; "" for what is no code."""
    kept = "".join(one for one in unicodedata.normalize("NFKC", typed) if one not in BETWEEN)
    if len(kept) not in (APP_DIGITS, RECOVERY_DIGITS) or not kept.isdecimal():
        return ""
    return "".join(str(unicodedata.decimal(one)) for one in kept)


def grouped(text: str, size: int) -> str:
    """Return the text with a space after each `size` characters."""
    return " ".join(text[at : at + size] for at in range(0, len(text), size))


# A second factor: codes of an app (TOTP, RFC 6238), and recovery codes for when it is lost.
#
# The secret of the app is stored as it is, because the server computes the same codes from it.
# Of recovery codes only digests are stored.


APP, RECOVERY = "app", "recovery"  # by what a code was made
N_CODES = 10
WRONG = "This code is wrong, or was used before. Wait for the next one, and check your clock."
NO_CODE = "A code of the app has six digits, a recovery code twenty."
logger = logging.getLogger(__name__)


def fresh_key() -> str:
    """Return a new secret for an app: 160 bits, as 40 hexadecimal digits."""
    return str(default_key())


def typed_key(key: str) -> str:
    """Return the secret as people type it into an app: base 32, in groups of four."""
    return grouped(b32encode(bytes.fromhex(key)).decode(), 4)


def address(user: User, key: str) -> str:
    """Return what the QR code holds: an `otpauth:` address with account, server and secret."""
    return str(TOTPDevice(user=user, key=key).config_url)


def turn_on(user_id: int, key: str, code: str) -> list[str]:
    """Turn it on with the first code of an app that has this secret; return the recovery codes."""
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user_id)  # two requests act in turn
        if _confirmed(user_id).exists():
            raise Conflict("Your second factor is on already.")
        device = TOTPDevice.objects.create(user=user, name="app", key=key)
        if not _is_right(device, code):
            raise Invalid({"code": problem(code)})
        _record("second_factor_on", user, actor_id=user_id)
        return _new_codes(user_id)


def renew_codes(user_id: int) -> list[str]:
    """Return new recovery codes. Those before stop working."""
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user_id)
        if not _confirmed(user_id).exists():
            raise Conflict("Your second factor is off.")
        _record("recovery_codes_renewed", user, actor_id=user_id)
        return _new_codes(user_id)


def turn_off(user_id: int, *, actor_id: int | None) -> bool:
    """Turn it off; False if it was. actor_id: None for staff with a shell on the server."""
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user_id)
        RecoveryCode.objects.filter(user=user_id).delete()
        was_on, _kinds = TOTPDevice.objects.filter(user=user_id).delete()
        if was_on:
            _record("second_factor_off", user, actor_id=actor_id)
    return bool(was_on)


def turn_off_for(username: str) -> bool:
    """Turn it off for somebody who has lost app and codes, and sign all their browsers out.

    Raises `NotFound` for an unknown name.
    """
    user = User.objects.filter(username=username).first()
    if user is None:
        raise NotFound(f"There is no account “{username}”. Capitals matter.")
    was_on = turn_off(user.pk, actor_id=None)
    if was_on:
        accounts.end_others(user.pk, but="")
        logger.warning("second factor of account %d was turned off by a command", user.pk)
    return was_on


def use(user_id: int, typed: str) -> str:
    """Use a code up; return what it was of, `APP` or `RECOVERY`, or "" if it does not count.

    The lock lets two simultaneous requests with one code be looked at in turn.
    """
    code = plain(typed)
    with transaction.atomic():
        device = _confirmed(user_id).select_for_update().first()
        if device is None or not code:
            return ""
        if len(code) == RECOVERY_DIGITS:
            mine = RecoveryCode.objects.filter(user=user_id, digest=_digest(user_id, code))
            return RECOVERY if mine.delete()[0] else ""
        return APP if _is_right(device, code) else ""


def problem(typed: str) -> str:
    """Return what to tell somebody whose code does not count."""
    return WRONG if plain(typed) else NO_CODE


def _is_right(device: Any, typed: str) -> bool:
    """Return whether it is the code of now, or of 30 s before or after, and newer than the last."""
    code = plain(typed)
    return len(code) == APP_DIGITS and bool(device.verify_token(code))


def _confirmed(user_id: int) -> Any:
    return TOTPDevice.objects.filter(user=user_id, confirmed=True)


def _new_codes(user_id: int) -> list[str]:
    digits = RECOVERY_DIGITS
    made = [f"{random.randbelow(10**digits):0{digits}}" for _ in range(N_CODES)]
    RecoveryCode.objects.filter(user=user_id).delete()
    now = timezone.now()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user_id=user_id, digest=_digest(user_id, code), created_at=now)
        for code in made
    )
    return [grouped(code, 5) for code in made]


def _digest(user_id: int, code: str) -> str:
    """The account is the salt: one search does not serve for the codes of several accounts."""
    return tokens.digest(f"{user_id}:{code}")


def _record(verb: str, user: User, *, actor_id: int | None) -> None:
    audit.record(verb, campaign_id=None, actor_id=actor_id, subject=f"account:{user.pk}")


# Codes of a second factor in requests, with a limit on guessing.
#
# Every attempt is counted before its code is checked, so simultaneous attempts have no advantage.
# Only somebody who has given the right password, or is logged in, can try a code at all.


def use_code(request: HttpRequest, user_id: int, typed: str) -> str:
    """Use a code up; return what it was of, or "" if it does not count.

    Raises `TooMany`. The page of the log-in, the API and the account's page count together.
    """
    guesses = limits.guesses("code", str(user_id), client_address(request))
    limits.check(*guesses)
    found = use(user_id, typed)
    if found:
        limits.succeeded(guesses)
    return found
