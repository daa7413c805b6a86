"""Logging in with a second factor: by the page, for a token, and past the admin."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotate.accounts import second_factor, tokens
from annotate.common import mail
from annotate.common.api import problem
from annotate.models import ApiToken, SignIn
from config import login
from tests.annotate.accounts.second_factors import (
    CODE,
    KEY,
    LOGIN,
    PASSWORD,
    code_of,
    forget_counts,
    is_in,
    secured,
    token,
    with_password,
)
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _no_counts() -> None:
    forget_counts()


def wrong() -> str:
    """Return six digits that are none of the codes that are good now."""
    good = {code_of(steps=n) for n in (-2, -1, 0, 1, 2)}
    return next(f"{n:06}" for n in range(9) if f"{n:06}" not in good)


def old() -> None:
    """Forget which codes were used, as if some minutes had passed."""
    TOTPDevice.objects.update(last_t=-1)


# ---- the page -----------------------------------------------------------------------------------


def test_the_password_alone_logs_nobody_in() -> None:
    secured()
    client = with_password()
    assert not is_in(client)
    assert "_auth_user_id" not in client.session
    assert not SignIn.objects.exists()
    page = client.get(CODE).content.decode()
    assert 'autocomplete="one-time-code"' in page
    assert 'inputmode="numeric"' in page
    assert client.post(CODE, {"code": wrong()}).status_code == 422
    assert not is_in(client)
    answer = client.post(CODE, {"code": code_of()})
    assert (answer.status_code, answer.url) == (302, "/")
    assert is_in(client)
    assert SignIn.objects.count() == 1
    assert login.PENDING not in client.session


def test_the_session_has_another_key_after_each_step() -> None:
    secured()
    client = Client()
    client.get(LOGIN)
    session = client.session
    session["left by somebody"] = 1
    session.save()
    client.cookies["sessionid"] = session.session_key
    keys = [session.session_key]
    client.post(LOGIN, {"username": "ada", "password": PASSWORD})
    keys.append(client.session.session_key)
    assert "left by somebody" not in client.session
    client.post(CODE, {"code": code_of()})
    keys.append(client.session.session_key)
    assert len(set(keys)) == 3
    for before in keys[:2]:
        stale = Client()
        stale.cookies["sessionid"] = before
        assert not is_in(stale)
        assert stale.get(CODE).url == LOGIN


def test_a_code_logs_in_once() -> None:
    secured()
    code = code_of()
    assert with_password().post(CODE, {"code": code}).status_code == 302
    again = with_password().post(CODE, {"code": code})
    assert again.status_code == 422
    assert second_factor.WRONG in again.content.decode()


def test_a_recovery_code_logs_in_once_and_says_how_many_are_left() -> None:
    _, mine = secured()
    client = with_password()
    assert client.post(CODE, {"code": mine[3]}).status_code == 302
    assert "Codes left: 9." in client.get("/").content.decode()
    assert with_password().post(CODE, {"code": mine[3]}).status_code == 422
    assert with_password().post(CODE, {"code": mine[4]}).status_code == 302


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("of", ["app", "recovery"])
def test_one_code_sent_twice_at_once_logs_one_in(of: str) -> None:
    _, mine = secured()
    code = code_of() if of == "app" else mine[0]
    clients = [with_password(at=f"192.0.2.{n}") for n in range(8)]
    together = Barrier(len(clients))

    def send(client: Client) -> int:
        together.wait()
        try:
            return client.post(CODE, {"code": code}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(clients)) as pool:
        assert sorted(pool.map(send, clients)) == [302] + [422] * 7


@pytest.mark.parametrize(("age", "good"), [(595, True), (601, False), (-5, False)])
def test_the_code_is_awaited_for_ten_minutes(age: float, good: bool) -> None:
    secured()
    client = with_password(there="/account/")
    session = client.session
    session[login.PENDING] = {**session[login.PENDING], "at": time.time() - age}
    session.save()
    answer = client.post(CODE, {"code": code_of(), "next": "/account/"})
    assert answer.status_code == 302
    assert is_in(client) is good
    if not good:
        assert answer.url == "/login/?next=%2Faccount%2F"
        assert "took too long" in client.get(answer.url).content.decode()


@pytest.mark.parametrize("what", ["closed", "new password", "other backend"])
def test_what_changes_meanwhile_ends_the_log_in(what: str) -> None:
    ada, _ = secured()
    client = with_password()
    if what == "closed":
        User.objects.update(is_active=False)
    elif what == "new password":
        ada.set_password("rain on tin roofs")
        ada.save()
    else:
        session = client.session
        session[login.PENDING] = {**session[login.PENDING], "backend": "os.path"}
        session.save()
    assert client.post(CODE, {"code": code_of()}).url == LOGIN
    assert not is_in(client)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_factor_that_is_turned_off_meanwhile_is_told(method: str) -> None:
    """No code counts any more, so to ask for another one would lead nowhere."""
    secured()
    client = with_password(there="/account/")
    assert second_factor.turn_off_for("ada")
    answer = getattr(client, method)(CODE, {"code": code_of(), "next": "/account/"})
    assert answer.url == "/login/?next=%2Faccount%2F"
    page = client.get(answer.url).content.decode()
    assert "Your second factor was turned off meanwhile." in page
    assert not is_in(client)
    assert client.get(CODE).url == LOGIN
    client.post(LOGIN, {"username": "ada", "password": PASSWORD})
    assert is_in(client)


def test_a_closed_account_reads_nothing_of_a_code() -> None:
    secured()
    User.objects.update(is_active=False)
    answer = Client().post(LOGIN, {"username": "ada", "password": PASSWORD})
    assert answer.status_code == 200
    assert "do not match" in answer.content.decode()


def test_without_a_password_there_is_no_code_page() -> None:
    ada, mine = secured()
    for answer in (Client().get(CODE), Client().post(CODE, {"code": mine[0]})):
        assert (answer.status_code, answer.url) == (302, LOGIN)
    assert second_factor.use(ada.pk, mine[0]), "it was not used up"


@pytest.mark.parametrize("page", [LOGIN, CODE])
def test_who_is_in_already_goes_on(page: str) -> None:
    client = Client()
    client.force_login(secured()[0])
    assert client.get(page, {"next": "/account/"}).url == "/account/"
    assert client.get(page, {"next": page}).url == "/", "and not in a circle"


@pytest.mark.parametrize(
    ("there", "lands"),
    [
        ("/account/", "/account/"),
        ("/campaigns/new/?plan=1&x=%2F", "/campaigns/new/?plan=1&x=%2F"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("no-slash", "no-slash"),
        ("", "/"),
    ],
)
def test_the_way_on_survives_and_stays_on_this_site(there: str, lands: str) -> None:
    secured()
    client = Client()
    asked = client.post(LOGIN, {"username": "ada", "password": PASSWORD, "next": there}).url
    assert "evil" not in asked
    hidden = client.get(asked).context["next"]
    answer = client.post(CODE, {"code": code_of(), "next": hidden})
    assert answer.url == lands
    other = with_password()
    old()
    assert "evil" not in other.post(CODE, {"code": code_of(), "next": there}).url


def test_an_account_without_one_is_asked_for_nothing(django_assert_num_queries: Any) -> None:
    user()
    client = Client()
    with CaptureQueriesContext(connection) as asked:
        answer = client.post(LOGIN, {"username": "ada", "password": PASSWORD})
    assert (answer.status_code, answer.url) == (302, "/")
    assert len([one for one in asked if "otp_totp" in one["sql"]]) == 1
    with django_assert_num_queries(5):  # session, user, tokens that would end, two for the head
        client.get("/account/password/")


@pytest.mark.parametrize(
    "typed",
    ["", " ", "12345", "x" * 60, "x" * 9_999, "9" * 60, "²²²", "-1", "\u202e123456", "1e5"],
)
def test_what_is_no_code_is_refused_in_words(typed: str) -> None:
    secured()
    answer = with_password().post(CODE, {"code": typed})
    assert answer.status_code == 422
    assert 'class="problem" id="id_code_error"></p>' not in answer.content.decode()
    assert 'aria-invalid="true"' in answer.content.decode()


def test_the_code_stands_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    _, mine = secured()
    with caplog.at_level(logging.DEBUG):
        with_password().post(CODE, {"code": mine[0]})
    assert mine[0] not in "".join(
        one.getMessage() for one in caplog.records if one.name != "django.db.backends"
    )


# ---- limits -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_guesses_are_ten_and_the_right_code_tells_nothing_then() -> None:
    _, mine = secured()
    seen = [with_password().post(CODE, {"code": wrong()}).status_code for _ in range(14)]
    assert seen == [422] * 10 + [429] * 4, "a fresh session is no fresh start"
    last = with_password().post(CODE, {"code": code_of()})
    assert last.status_code == 429
    assert "Too many attempts. Wait 15 minutes, then try again." in last.content.decode()
    assert 800 < int(last["Retry-After"]) <= 901
    assert token(code=mine[0]).status_code == 200, "another address than 192.0.2.1"


@pytest.mark.slow
def test_nobody_locks_the_owner_out_from_one_address() -> None:
    """Not even with the password."""
    secured()
    for _ in range(60):
        with_password(at="192.0.2.66").post(CODE, {"code": wrong()})
    client = with_password()
    client.post(CODE, {"code": code_of()})
    assert is_in(client)


def test_a_stranger_without_the_password_counts_no_code() -> None:
    secured()
    for n in range(8):
        assert token(password="wrong", code=f"{n:06}").status_code == 400
        assert Client().post(CODE, {"code": f"{n:06}"}).url == LOGIN
    assert TOTPDevice.objects.get().throttling_failure_count == 0


@pytest.mark.slow
def test_who_gets_in_begins_anew() -> None:
    secured()
    for _ in range(3):
        for _mistake in range(9):
            assert with_password().post(CODE, {"code": wrong()}).status_code == 422
        old()
        assert with_password().post(CODE, {"code": code_of()}).status_code == 302


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_guesses_sent_at_once_are_counted_before_they_are_checked() -> None:
    secured()
    clients = [with_password() for _ in range(24)]

    def send(client: Client) -> int:
        try:
            return client.post(CODE, {"code": wrong()}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        assert sorted(pool.map(send, clients)) == [422] * 10 + [429] * 14


# ---- the API ------------------------------------------------------------------------------------


def test_a_token_takes_a_code_too() -> None:
    _, mine = secured()
    without = token()
    assert without.status_code == 400
    told = without.json()
    assert told == problem("code_needed", told["detail"], 400)
    assert "second factor" in told["detail"]
    assert "`code`" in told["detail"]
    assert not ApiToken.objects.exists()
    refused = token(code=wrong())
    assert refused.json() == problem("wrong_code", second_factor.WRONG, 400)
    code = code_of()
    assert "token" in token(code=code).json()
    assert token(code=code).status_code == 400, "each is good once"
    assert "token" in token(code=mine[0]).json()
    assert ApiToken.objects.count() == 2


def test_a_wrong_password_says_nothing_of_a_code() -> None:
    secured()
    user("bob")
    asked = [token(username=name, password="wrong", code="123456") for name in ("ada", "bob", "no")]
    assert {one.status_code for one in asked} == {400}
    assert len({one.content for one in asked}) == 1
    assert "code" not in asked[0].json()["detail"]


@pytest.mark.parametrize("code", ["", "9" * 61, "x" * 10_000, 123456.5, None, [], {"a": 1}, "１２"])
def test_any_code_is_answered_with_a_problem(code: Any) -> None:
    secured()
    answer = token(code=code)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"]


@pytest.mark.slow
def test_pages_and_tokens_count_together() -> None:
    _, mine = secured()
    client = with_password(at="127.0.0.1")
    for _ in range(5):
        assert client.post(CODE, {"code": wrong()}).status_code == 422
        assert token(code=wrong()).status_code == 400
    last = token(code=mine[0])
    assert last.status_code == 429
    assert int(last["Retry-After"]) > 800
    assert last.json()["error"] == "too_many"


def test_tokens_from_before_go_on_working() -> None:
    ada = user()
    _, secret = tokens.make_token(ada.pk, "Nightly")
    second_factor.turn_on(ada.pk, KEY, code_of())
    sent = {"Authorization": f"Token {secret}"}
    assert Client().get("/api/v1/campaigns/", headers=sent).status_code == 200


# ---- ways around --------------------------------------------------------------------------------


def test_a_new_password_by_mail_leaves_it_on() -> None:
    ada, _ = secured()
    path = mail.reset_link(ada).partition("/new-password/")[2]
    client = Client()
    form = client.get(f"/new-password/{path}").url
    new = {"new_password1": "rain on tin roofs", "new_password2": "rain on tin roofs"}
    assert client.post(form, new).url == LOGIN
    assert not is_in(client)
    answer = client.post(LOGIN, {"username": "ada", "password": "rain on tin roofs"})
    assert answer.url == CODE
    assert not is_in(client)


@pytest.mark.parametrize("who", ["visitor", "researcher", "staff"])
def test_the_admin_has_no_log_in_of_its_own(who: str) -> None:
    ada, _ = secured()
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    client = Client()
    if who != "visitor":
        client.force_login(user("eve") if who == "researcher" else ada)
    given = {"username": "ada", "password": PASSWORD, "this_is_the_login_form": "1"}
    for answer in (client.post("/admin/login/?next=/admin/", given), client.get("/admin/login/")):
        expected = {"visitor": 302, "researcher": 403, "staff": 302}[who]
        assert answer.status_code == expected
    if who == "visitor":
        assert client.post("/admin/login/?next=/admin/auth/", given).url == (
            "/login/?next=/admin/auth/"
        )
    assert ("_auth_user_id" in client.session) is (who != "visitor")
    if who == "researcher":
        assert client.get("/admin/").status_code == 302, "still herself"
