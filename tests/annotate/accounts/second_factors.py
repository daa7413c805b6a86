"""What tests of second factors share: an account with one, and the codes of its app."""

import os
import time
from typing import Any

import redis
from django.contrib.auth.models import User
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotate.accounts import second_factor
from tests.factories import user

PASSWORD = "long enough to be fine"
LOGIN, CODE, TOKEN = "/login/", "/login/code/", "/api/v1/token/"
KEY = "3132333435363738393031323334353637383930"  # "12345678901234567890", as in RFC 6238


def code_of(key: str = KEY, *, steps: int = 0) -> str:
    """Return the code that an app with this secret shows, some steps of 30 s from now."""
    totp = TOTP(bytes.fromhex(key), drift=steps)
    totp.time = time.time()
    return f"{totp.token():06}"


def secured(name: str = "ada") -> tuple[User, list[str]]:
    """Return an account with a second factor, turned on a minute ago, and its recovery codes."""
    made = user(name)
    codes = second_factor.turn_on(made.pk, KEY, code_of())
    TOTPDevice.objects.update(last_t=-1)  # the first code was used
    return made, codes


def forget_counts() -> None:
    """Begin without counted guesses, in the Redis that all tests share."""
    shared = redis.Redis.from_url(os.environ["REDIS_URL"])
    for kind in ("login", "code", "own-password"):
        for key in shared.keys(f"plumbline:{kind}:*"):
            shared.delete(key)


def with_password(name: str = "ada", *, at: str = "192.0.2.1", there: str = "") -> Client:
    """Return a browser that has given the right password, and is asked for a code."""
    client = Client(REMOTE_ADDR=at)
    given = {"username": name, "password": PASSWORD, "next": there}
    answer = client.post(LOGIN, given)
    assert answer.status_code == 302
    assert answer.url.startswith(CODE), answer.url
    return client


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def token(**given: Any) -> Any:
    sent = {"username": "ada", "password": PASSWORD, **given}
    return Client().post(TOKEN, sent, content_type="application/json")
