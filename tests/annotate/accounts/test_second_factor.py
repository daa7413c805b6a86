"""Turning a second factor on and off, its codes, and the command for people who lost both."""

import re
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice
from hypothesis import given
from hypothesis import strategies as st

from annotate.accounts import accounts, second_factor
from annotate.common import text as common_text
from annotate.models import AuditEntry, RecoveryCode
from tests.annotate.accounts.second_factors import (
    KEY,
    PASSWORD,
    code_of,
    forget_counts,
    is_in,
    secured,
)
from tests.annotate.researcher import owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ON, OFF, NEW = (
    "/account/second-factor/",
    "/account/second-factor/off/",
    "/account/second-factor/codes/",
)
# RFC 6238, appendix B, SHA-1: seconds and the last six of the eight digits.
VECTORS = [
    (59, "287082"),
    (1111111109, "081804"),
    (1111111111, "050471"),
    (1234567890, "005924"),
    (2000000000, "279037"),
    (20000000000, "353130"),
]


@pytest.fixture(autouse=True)
def _no_counts() -> None:
    forget_counts()


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr("django_otp.plugins.otp_totp.models.time.time", lambda: seconds)


def signed_in(user_: Any) -> Client:
    client = Client()
    client.force_login(user_)
    return client


# ---- codes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(
    seconds: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = secured()
    at(monkeypatch, seconds)
    assert second_factor.use(ada.pk, code) == second_factor.APP
    assert second_factor.use(ada.pk, code) == "", "each is good once"


def test_clocks_may_be_half_a_minute_off_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _ = secured()
    for late, good in ((-2, False), (-1, True), (0, True), (1, True), (2, False)):
        TOTPDevice.objects.update(last_t=-1, drift=0)
        assert bool(second_factor.use(ada.pk, code_of(steps=late))) is good, late
        assert TOTPDevice.objects.get().drift == 0, "the window does not wander"


def test_wrong_codes_lock_nobody_out_in_the_library() -> None:
    """`second_factor` counts them; django-otp would double its wait without an end."""
    ada, _ = secured()
    for _ in range(20):
        assert not second_factor.use(ada.pk, "000000" if code_of() != "000000" else "000001")
    assert second_factor.use(ada.pk, code_of())


def test_a_recovery_code_works_once_and_only_for_its_account() -> None:
    ada, mine = secured()
    bob, _ = secured("bob")
    assert len(set(mine)) == 10
    assert not second_factor.use(bob.pk, mine[0])
    assert second_factor.use(ada.pk, mine[0]) == second_factor.RECOVERY
    assert not second_factor.use(ada.pk, mine[0])
    assert second_factor.use(ada.pk, mine[1].replace(" ", "-")) == second_factor.RECOVERY
    assert accounts.second_factor(ada.pk)[1] == 8


def test_recovery_codes_are_stored_as_digests() -> None:
    _, mine = secured()
    stored = str(list(RecoveryCode.objects.values()))
    assert not [one for one in mine if one in stored or one.replace(" ", "") in stored]


def test_without_a_second_factor_no_code_counts() -> None:
    ada = user()
    assert not second_factor.use(ada.pk, "000000")
    assert not second_factor.use(ada.pk, "0" * 20)


@pytest.mark.parametrize(
    ("typed", "digits"),
    [
        ("123456", "123456"),
        (" 123 456 ", "123456"),
        ("123-456", "123456"),
        ("１２３４５６", "123456"),
        ("١٢٣٤٥٦", "123456"),
        ("12345 67890 12345 67890", "12345678901234567890"),
        ("", ""),
        ("12345", ""),
        ("1234567", ""),
        ("+12345", ""),
        ("12_345", ""),
        ("²²²²²²²", ""),
        ("①②③④⑤⑥", "123456"),
        ("abcdef", ""),
        ("12345\0", ""),
        ("9" * 100_000, ""),
    ],
)
def test_digits_of_any_script_are_read_and_nothing_else(typed: str, digits: str) -> None:
    assert second_factor.plain(typed) == digits


@given(st.text())
@pytest.mark.slow
def test_whatever_is_typed_is_digits_or_nothing(typed: str) -> None:
    assert re.fullmatch(r"([0-9]{6}|[0-9]{20})?", second_factor.plain(typed))


# ---- on -----------------------------------------------------------------------------------------


def test_it_is_on_after_a_right_code_and_shows_recovery_codes_once(ada: Client) -> None:
    page = ada.get(ON)
    key = ada.session["second_factor_key"]
    text = page.content.decode()
    assert second_factor.typed_key(key) in text
    assert ada.get(ON).content.count(second_factor.typed_key(key).encode()) == 1, "the same again"
    assert not accounts.has_second_factor(owner_of(ada).pk), "looking turns nothing on"
    other = "000000" if code_of(key) != "000000" else "000001"
    for typed, told in (("1", second_factor.NO_CODE), (other, second_factor.WRONG)):
        wrong = ada.post(ON, {"code": typed, "password": PASSWORD})
        assert wrong.status_code == 422
        assert told in wrong.content.decode()
    assert not TOTPDevice.objects.exists()
    right = ada.post(ON, {"code": code_of(key), "password": PASSWORD})
    assert right.status_code == 200
    shown = right.context["codes"]
    assert len(shown) == 10
    assert all(one in right.content.decode() for one in shown)
    assert "no-store" in right["Cache-Control"]
    again = ada.get("/account/").content.decode()
    assert "10 recovery codes left" in again
    assert not [one for one in shown if one in again]
    assert key not in str(dict(ada.session))
    assert ada.post(ON, {"code": code_of(key), "password": PASSWORD}).url == "/account/"
    assert accounts.second_factor(owner_of(ada).pk)[1] == 10


def test_an_open_browser_is_not_enough_to_turn_it_on(ada: Client) -> None:
    ada.get(ON)
    given = {"code": code_of(ada.session["second_factor_key"]), "password": "wrong"}
    answer = ada.post(ON, given)
    assert answer.status_code == 422
    assert "This is not your password." in answer.content.decode()
    assert not TOTPDevice.objects.exists()


def test_the_qr_code_holds_account_server_and_secret(ada: Client) -> None:
    page = ada.get(ON)
    there = urlsplit(page.context["address"])
    assert (there.scheme, there.netloc) == ("otpauth", "totp")
    assert unquote(there.path).endswith(":ada")
    held = parse_qs(there.query)
    assert held["secret"][0] == page.context["typed_key"].replace(" ", "")
    assert (held["digits"], held["period"], held["algorithm"]) == (["6"], ["30"], ["SHA1"])
    drawn = ElementTree.fromstring(common_text.svg(page.context["address"]))
    assert drawn.get("viewBox")
    assert "style" not in ElementTree.tostring(drawn).decode(), "the policy allows none"


def test_turning_it_on_and_off_signs_other_browsers_out() -> None:
    ada = user()
    here, there = signed_in(ada), signed_in(ada)
    here.get(ON)
    key = here.session["second_factor_key"]
    here.post(ON, {"code": code_of(key), "password": PASSWORD})
    assert (is_in(here), is_in(there)) == (True, False)
    there = signed_in(ada)
    assert here.post(OFF, {"password": PASSWORD}).status_code == 302
    assert (is_in(here), is_in(there)) == (True, False)


# ---- off, and new codes -------------------------------------------------------------------------


@pytest.mark.parametrize("path", [OFF, NEW])
def test_both_take_a_code_or_the_password(path: str) -> None:
    ada, mine = secured()
    here = signed_in(ada)
    for wrong in ({}, {"password": "wrong"}, {"code": "000000"}, {"code": "x" * 61}):
        answer = here.post(path, wrong)
        assert answer.status_code == 422, wrong
        assert re.search(r'class="problem" id="\w+">\w', answer.content.decode()), wrong
        assert accounts.second_factor(ada.pk)[1] == 10
    for right in ({"password": PASSWORD}, {"code": code_of()}, {"code": mine[0]}):
        TOTPDevice.objects.all().delete()
        RecoveryCode.objects.all().delete()
        mine[:] = second_factor.turn_on(ada.pk, KEY, code_of())
        TOTPDevice.objects.update(last_t=-1)
        given = {"code": mine[0]} if len(right.get("code", "")) > 6 else right
        answer = here.post(path, given)
        assert accounts.has_second_factor(ada.pk) is (path == NEW)
        if path == NEW:
            assert answer.status_code == 200
            assert len(answer.context["codes"]) == 10
            assert not set(answer.context["codes"]) & set(mine)
            assert not second_factor.use(ada.pk, mine[5]), "those before stop working"


@pytest.mark.parametrize("path", [OFF, NEW])
def test_where_it_is_off_there_is_nothing_to_turn(ada: Client, path: str) -> None:
    for answer in (ada.get(path), ada.post(path, {"password": PASSWORD})):
        assert answer.url == "/account/"
    assert not RecoveryCode.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("field", ["code", "password"])
def test_an_open_browser_is_no_place_to_guess(field: str) -> None:
    here = signed_in(secured()[0])
    codes_ = [here.post(OFF, {field: "000001"}).status_code for _ in range(12)]
    assert codes_ == [422] * 10 + [429] * 2


# ---- what is told -------------------------------------------------------------------------------


def test_the_log_says_who_did_what() -> None:
    ada, _ = secured()
    second_factor.renew_codes(ada.pk)
    second_factor.turn_off(ada.pk, actor_id=ada.pk)
    told = list(AuditEntry.objects.order_by("pk").values_list("verb", "actor", "subject"))
    subject = f"account:{ada.pk}"
    verbs = ("second_factor_on", "recovery_codes_renewed", "second_factor_off")
    assert told == [(verb, ada.pk, subject) for verb in verbs]


def test_the_command_turns_it_off_and_signs_out(caplog: pytest.LogCaptureFixture) -> None:
    ada, _ = secured()
    here, said = signed_in(ada), StringIO()
    call_command("secondfactor", "--off", "ada", stdout=said)
    assert "The second factor of “ada” is off" in said.getvalue()
    assert f"second factor of account {ada.pk} was turned off by a command" in caplog.text
    assert not accounts.has_second_factor(ada.pk)
    assert not RecoveryCode.objects.exists()
    assert not is_in(here)
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.verb, entry.actor_id) == ("second_factor_off", None)
    call_command("secondfactor", "--off", "ada", stdout=said)
    assert "The second factor of “ada” was off." in said.getvalue()
    with pytest.raises(CommandError, match="There is no account “Ada”"):
        call_command("secondfactor", "--off", "Ada")
