"""One's own account: browsers, tokens, password, time zone and figures."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.accounts import accounts, tokens
from annotate.common import mail
from annotate.common.errors import Conflict, Invalid
from annotate.models import ApiToken, AuditEntry, Campaign, RecoveryCode, SignIn
from tests.annotate.accounts.second_factors import secured
from tests.annotate.researcher import owner_of
from tests.factories import change, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
PASSWORD = "long enough to be fine"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


def signed_in(browser: str = FIREFOX) -> Client:
    client = Client(headers={"User-Agent": browser})
    assert client.post("/login/", {"username": "ada", "password": PASSWORD}).status_code == 302
    return client


def account(client: Client) -> Any:
    return client.get(reverse("annotate:account"))


def test_browsers_are_listed_and_signed_out() -> None:
    user("ada")
    here, there = signed_in(), signed_in("Mozilla/5.0 (iPhone) Version/17 Safari/604.1")
    listed = account(here).context["browsers"]
    assert [one[1:] for one in listed] == [("Firefox on Linux", True), ("Safari on iPhone", False)]
    assert here.post(reverse("annotate:browser-end", args=[listed[1][0].pk])).status_code == 302
    assert account(there).status_code == 302
    assert account(here).status_code == 200
    signed_in()
    here.post(reverse("annotate:browsers-end"))
    assert SignIn.objects.count() == Session.objects.count() == 1


def test_another_person_signs_nobody_out(ada: Client) -> None:
    eve = Client()
    eve.force_login(user("eve"))
    mine = SignIn.objects.get(user__username="ada")
    eve.post(reverse("annotate:browser-end", args=[mine.pk]))
    assert account(ada).status_code == 200


def test_a_session_that_ended_is_not_listed() -> None:
    user("ada")
    signed_in().post("/logout/")
    ((_one, _name, is_this),) = account(signed_in()).context["browsers"]
    assert is_this
    assert SignIn.objects.count() == 1


def test_a_new_password_signs_other_browsers_out() -> None:
    user("ada")
    here, there = signed_in(), signed_in()
    new = {"new_password1": "rain on tin roofs", "new_password2": "rain on tin roofs"}
    address = reverse("annotate:password")
    assert here.post(address, {**new, "old_password": "wrong"}).status_code == 422
    assert here.post(address, {**new, "old_password": PASSWORD}).status_code == 302
    ((_one, _name, is_this),) = account(here).context["browsers"]
    assert is_this
    assert account(there).status_code == 302


@pytest.mark.slow
def test_an_open_browser_is_no_place_to_guess_the_password(ada: Client) -> None:
    given = {"email": "eve@example.org", "password": "wrong"}
    codes = [ada.post(reverse("annotate:account-email"), given).status_code for _ in range(12)]
    assert codes == [422] * 10 + [429] * 2
    assert User.objects.get(username="ada").email == ""


# ---- tokens -------------------------------------------------------------------------------------


def api(secret: str) -> int:
    client = APIClient()
    return client.get(
        "/api/v1/campaigns/", headers={"Authorization": f"Token {secret}"}
    ).status_code


def test_a_token_is_shown_once_and_opens_the_api_until_it_is_revoked(ada: Client) -> None:
    page = ada.post(
        reverse("annotate:token-new"), {"name": "Nightly", "days": "30", "password": PASSWORD}
    )
    secret = page.context["secret"]
    assert secret not in account(ada).content.decode()
    assert secret not in str(ApiToken.objects.values().get())
    assert api(secret) == 200
    (token,) = account(ada).context["tokens"]
    assert token.used_on == timezone.now().date()
    eve = Client()
    eve.force_login(user("eve"))
    eve.post(reverse("annotate:token-revoke", args=[token.id]))
    assert api(secret) == 200, "it is not hers"
    ada.post(reverse("annotate:token-revoke", args=[token.id]))
    assert api(secret) == 401


def ask_token(client: Client, **given: str) -> Any:
    return client.post(reverse("annotate:token-new"), {"name": "Nightly", "days": "30", **given})


def test_a_browser_that_was_left_open_makes_no_token(ada: Client) -> None:
    for typed in ({}, {"password": ""}, {"password": "wrong"}):
        refused = ask_token(ada, **typed)
        assert (refused.status_code, "secret" in refused.context) == (422, False)
        assert refused.context["token"].errors["password"]
    assert not ApiToken.objects.exists()


def test_a_second_factor_is_asked_for_too() -> None:
    owner, recovery = secured()
    client = Client()
    client.force_login(owner)
    for typed in ({}, {"code": "000000"}):
        refused = ask_token(client, password=PASSWORD, **typed)
        assert (refused.status_code, list(refused.context["token"].errors)) == (422, ["code"])
    refused = ask_token(client, password=PASSWORD, code=recovery[0], name="\u200b")
    assert refused.status_code == 422
    assert RecoveryCode.objects.count() == len(recovery), "a code is not used up for nothing"
    assert api(ask_token(client, password=PASSWORD, code=recovery[0]).context["secret"]) == 200
    assert ask_token(client, password=PASSWORD, code=recovery[0]).status_code == 422


@pytest.mark.parametrize("how", ["page", "mail", "command"])
def test_a_new_password_revokes_all_tokens(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, other = user("ada"), user("bea")
    _, secret = tokens.make_token(owner.pk, "Nightly")
    _, hers = tokens.make_token(other.pk, "Hers")
    new = {"new_password1": "rain on tin roofs", "new_password2": "rain on tin roofs"}
    if how == "page":
        here = signed_in()
        page = here.get(reverse("annotate:password")).content.decode()
        assert "1 API token will be revoked: Nightly" in page
        assert here.post(reverse("annotate:password"), {**new, "old_password": PASSWORD}).url
    elif how == "mail":
        client = Client()
        form = client.get(mail.reset_link(owner)).url
        assert "A new password revokes your API tokens" in client.get(form).content.decode()
        assert client.post(form, new).status_code == 302
    else:
        monkeypatch.setattr("getpass.getpass", lambda *_a, **_k: new["new_password1"])
        call_command("changepassword", "ada", verbosity=0)
    owner.refresh_from_db()
    assert owner.check_password(new["new_password1"])
    assert (api(secret), api(hers)) == (401, 200)


def test_a_password_that_is_stored_anew_revokes_nothing(settings: Any) -> None:
    """A log-in stores the password by today's way of hashing it; it is the same password."""
    owner = user("ada")
    _, secret = tokens.make_token(owner.pk, "Nightly")
    today = settings.PASSWORD_HASHERS
    settings.PASSWORD_HASHERS = [*today, "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher"]
    hashed = make_password(PASSWORD, hasher="pbkdf2_sha1")
    User.objects.filter(pk=owner.pk).update(password=hashed)
    signed_in()
    assert User.objects.get(pk=owner.pk).password != hashed
    assert api(secret) == 200


def test_the_log_keeps_who_made_and_revoked_tokens(ada: Client) -> None:
    ask_token(ada, password=PASSWORD)
    made = ApiToken.objects.get()
    for _twice in range(2):
        ada.post(reverse("annotate:token-revoke", args=[made.pk]))
    rows = AuditEntry.objects.filter(verb__startswith="token_").order_by("pk")
    me = owner_of(ada).pk
    assert [(row.verb, row.actor_id, row.subject, row.detail) for row in rows] == [
        (verb, me, f"account:{me}", {"token": made.pk, "name": "Nightly"})
        for verb in ("token_made", "token_revoked")
    ]


@pytest.mark.parametrize("how", ["expired", "closed account", "digest", "unknown"])
def test_what_is_no_token_in_force_opens_nothing(how: str) -> None:
    ada = user("ada")
    made, secret = tokens.make_token(ada.pk, "x", days=30)
    if how == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    if how == "closed account":
        User.objects.update(is_active=False)
    given = {"digest": made.digest, "unknown": "0" * 40}.get(how, secret)
    assert api(given) == 401


def test_there_are_not_more_tokens_than_a_person_can_keep_in_mind() -> None:
    ada = user("ada")
    first = tokens.make_by_password(ada.pk)
    for n in range(tokens.MOST - 1):
        tokens.make_token(ada.pk, f"t{n}")
    with pytest.raises(Conflict, match="Revoke one"):
        tokens.make_token(ada.pk, "one more")
    assert api(tokens.make_by_password(ada.pk)) == 200
    assert api(first) == 401


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "x" * 61, "a\x1bb"])
def test_a_token_has_a_name_that_can_be_read(ada: Client, name: str) -> None:
    with pytest.raises(Invalid):
        tokens.make_token(owner_of(ada).pk, name)


# ---- time zone and figures ----------------------------------------------------------------------


@pytest.mark.slow
def test_dates_and_numbers_follow_the_person(ada: Client, mine: Campaign) -> None:
    """In summer and in winter: the hour of an event does not move with the season of the reader."""
    change(mine, opened_at=datetime(2026, 3, 29, 0, 30, tzinfo=UTC))
    page = reverse("estimation:dashboard", args=[mine.public_id])
    assert "29 March, 00:30" in ada.get(page).content.decode()
    chosen = {"time_zone": "America/New_York", "language": "de"}
    ada.post(reverse("annotate:account-settings"), chosen)
    text = ada.get(page).content.decode()
    assert "28 März, 20:30" in text
    assert '<html lang="en">' in text, "the sentences stay English"
    eve = Client()
    eve.force_login(user("eve"))
    assert timezone.get_current_timezone_name() == "UTC", "nothing is left for the next request"


@pytest.mark.parametrize(
    "given", [{"time_zone": "Mars/Base"}, {"language": "xx"}, {"time_zone": "../../etc/passwd"}]
)
def test_only_what_exists_is_stored(ada: Client, given: dict[str, str]) -> None:
    sent = {"time_zone": "", "language": "", **given}
    assert ada.post(reverse("annotate:account-settings"), sent).status_code == 422
    with pytest.raises(Invalid):
        accounts.change(owner_of(ada).pk, **sent)


def test_a_link_to_another_site_is_not_followed_after_the_log_in() -> None:
    user("ada")
    for there in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"):
        given = {"username": "ada", "password": PASSWORD, "next": there}
        assert Client().post("/login/", given).url == "/"


def test_tokens_expire_when_they_say() -> None:
    made, _ = tokens.make_token(user("ada").pk, "x", days=90)
    assert made.expires_at == made.created_at + timedelta(days=90)
