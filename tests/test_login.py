"""Guessing passwords: one limit for the log-in page and the API, which a person can wait out."""

import os
import time
from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client

from annotate.common import limits
from annotate.common.api import problem
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

RIGHT = "long enough to be fine"
PAGE, TOKEN = "/login/", "/api/v1/token/"


@pytest.fixture(params=["own", "redis"], autouse=True)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings: Any) -> str:
    settings.REDIS_URL = os.environ["REDIS_URL"] if request.param == "redis" else ""
    shared = redis.Redis.from_url(os.environ["REDIS_URL"])
    for key in shared.keys("plumbline:login:*"):
        shared.delete(key)
    monkeypatch.setattr(limits, "_silent_until", 0.0)
    return request.param


@pytest.fixture
def ada() -> User:
    return user("ada")


def guess(password: str = "wrong", name: str = "ada", *, door: str = PAGE, at: str = "192.0.2.1"):
    """Try a password as somebody with a fresh browser does."""
    given = {"username": name, "password": password}
    kind = {"content_type": "application/json"} if door == TOKEN else {}
    return Client().post(door, given, REMOTE_ADDR=at, **kind)


def let_in(answer: Any) -> bool:
    return answer.status_code == 302 or "token" in getattr(answer, "data", {})


@pytest.mark.slow
def test_forty_guesses_in_a_row_are_ten(ada: User) -> None:
    answers = [guess(f"wrong {n}") for n in range(40)]
    assert [one.status_code for one in answers] == [200] * 10 + [429] * 30
    assert "Too many attempts. Wait 15 minutes, then try again." in answers[-1].content.decode()
    assert 800 < int(answers[-1]["Retry-After"]) <= 901
    assert not let_in(guess(RIGHT)), "the right password would tell a guesser that it is"


def test_both_doors_count_together(ada: User) -> None:
    for n in range(5):
        assert guess(f"page {n}").status_code == 200
        assert guess(f"token {n}", door=TOKEN).status_code == 400
    last = guess(RIGHT, door=TOKEN)
    assert last.status_code == 429
    told = "Too many attempts. Wait 15 minutes, then try again."
    assert last.json() == problem("too_many", told, 429)
    assert int(last["Retry-After"]) > 800
    assert guess(RIGHT).status_code == 429


def test_an_account_that_does_not_exist_is_locked_with_the_same_words(ada: User) -> None:
    told = []
    for name in ("ada", "nobody at all"):
        answers = [guess(name=name) for _ in range(12)]
        assert [one.status_code for one in answers] == [200] * 10 + [429] * 2
        told.append(
            [one.content.decode().split('role="alert"')[1].split("</div>")[0] for one in answers]
        )
    assert told[0] == told[1]
    assert len(set(told[0])) == 2


def test_names_that_differ_in_case_or_width_are_one_account(ada: User) -> None:
    answers = [guess(name=name) for name in ("ada", "ADA", "Ada", "ａｄａ") for _ in range(3)]
    assert [one.status_code for one in answers] == [200] * 10 + [429] * 2


@pytest.mark.slow
def test_a_person_waits_it_out(ada: User, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.LOGIN_TRIES, settings.LOGIN_MINUTES = 2, 1 / 30  # two seconds
    for _ in range(3):
        last = guess()
    assert last.status_code == 429
    assert "Wait 1 minute," in last.content.decode()
    time.sleep(2.1)
    assert let_in(guess(RIGHT))


@pytest.mark.slow
def test_who_gets_in_begins_anew(ada: User) -> None:
    for _ in range(5):
        for _mistake in range(9):
            assert guess().status_code == 200
        assert let_in(guess(RIGHT))


@pytest.mark.slow
def test_logging_in_is_no_guess(ada: User) -> None:
    """A script may ask for its token as often as it likes."""
    assert all(let_in(guess(RIGHT, door=TOKEN)) for _ in range(60))


def test_nobody_locks_others_out_from_one_address(ada: User) -> None:
    for _ in range(60):
        guess(at="192.0.2.66")
    assert guess(RIGHT, at="192.0.2.66").status_code == 429
    assert let_in(guess(RIGHT, at="192.0.2.1"))


@pytest.mark.slow
def test_one_address_tries_no_hundred_accounts(ada: User) -> None:
    answers = [guess(name=f"user{n}", at="192.0.2.66").status_code for n in range(110)]
    assert answers == [200] * 100 + [429] * 10
    assert guess(name="ada", at="192.0.2.66").status_code == 429
    assert let_in(guess(RIGHT))


@pytest.mark.slow
def test_many_addresses_together_are_limited_too(ada: User) -> None:
    answers = [guess(at=f"198.51.100.{n}").status_code for n in range(60)]
    assert answers == [200] * 50 + [429] * 10


def test_an_ipv6_network_is_one_address(ada: User) -> None:
    answers = [guess(at=f"2001:db8:1:2::{n:x}").status_code for n in range(12)]
    assert answers == [200] * 10 + [429] * 2
    assert guess(at="2001:db8:1:3::1").status_code == 200


def test_what_a_client_says_of_its_address_changes_nothing(ada: User, settings: Any) -> None:
    for n in range(11):
        last = Client().post(
            PAGE, {"username": "ada", "password": "x"}, headers={"X-Forwarded-For": f"192.0.2.{n}"}
        )
    assert last.status_code == 429
    settings.NUM_PROXIES = 1
    for n in range(11):
        last = Client().post(
            PAGE,
            {"username": "bob", "password": "x"},
            headers={"X-Forwarded-For": f"203.0.113.{n}, 192.0.2.9"},
        )
    assert last.status_code == 429


def test_who_was_logged_in_before_stays_logged_in(ada: User) -> None:
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/").status_code == 200
    for _ in range(12):
        client.post(TOKEN, {"username": "ada", "password": "x"}, content_type="application/json")
    assert guess(at="127.0.0.1").status_code == 429


@pytest.mark.slow
def test_an_unknown_name_takes_as_long_as_a_known_one(ada: User, settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["tests.passwords.SlowHasher"]
    settings.LOGIN_TRIES = 1000
    ada.set_password(RIGHT)
    ada.save()
    sleeper = user("sleeper")
    sleeper.set_password(RIGHT)
    sleeper.is_active = False
    sleeper.save()

    def took(name: str) -> float:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            assert guess(name=name).status_code == 200
            times.append(time.perf_counter() - began)
        return min(times)  # what a busy machine adds is no work of ours

    known, unknown, inactive = took("ada"), took("nobody"), took("sleeper")
    assert 0.4 < unknown / known < 2.5
    assert 0.4 < inactive / known < 2.5


def test_an_account_that_is_switched_off_reads_the_same_words(ada: User) -> None:
    wrong = guess().content.decode()
    ada.is_active = False
    ada.save()
    without = [
        page.partition('name="csrfmiddlewaretoken"')[2][200:]
        for page in (wrong, guess(RIGHT).content.decode())
    ]
    assert without[0] == without[1]
