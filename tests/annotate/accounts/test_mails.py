"""Mails are committed first and sent by a worker: a silent server delays no request."""

import re
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import members
from annotate.common import mail as common_mail
from annotate.models import Campaign, Invitation, Mail
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ASKED = {"role": "viewer", "email": "Zoe@Example.org", "most_uses": 1, "days": 7}


@pytest.fixture(autouse=True)
def sends(settings: Any) -> None:
    settings.SENDS_MAIL = True
    settings.PUBLIC_URL = "https://plumbline.example"


@pytest.fixture
def silent(settings: Any) -> Iterator[None]:
    """A mail server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.getsockname()
        settings.EMAIL_TIMEOUT = 0.1
        yield


def invite(ada: Client, made: Campaign) -> Mail:
    assert ada.post(reverse("annotate:members", args=[made.public_id]), ASKED).status_code == 302
    return Mail.objects.get()


def due(one: Mail) -> None:
    Mail.objects.filter(pk=one.pk).update(due_at=timezone.now())


def test_an_invitation_arrives_with_a_link_that_works(ada: Client, mine: Campaign) -> None:
    one = invite(ada, mine)
    assert mail.outbox == [], "the request has sent nothing"
    assert common_mail.send_due() == 1
    (letter,) = mail.outbox
    assert letter.to == ["Zoe@Example.org"]
    (path,) = re.findall(r"https://plumbline\.example(/invitations/\w+/)", letter.body)
    assert Client().get(path).status_code == 200
    assert common_mail.send_due() == 0
    assert not common_mail.send(one.pk), "it is sent once"
    stored = Mail.objects.values_list().get(pk=one.pk)
    assert path.split("/")[2] not in " ".join(map(str, stored))


@pytest.mark.slow
def test_a_silent_server_is_said_on_the_page_and_asked_again(
    ada: Client, mine: Campaign, silent: None
) -> None:
    one = invite(ada, mine)
    assert not common_mail.send(one.pk)
    assert common_mail.send_due() == 0, "not before its time"
    page = ada.get(reverse("annotate:members", args=[mine.public_id])).content.decode()
    assert "The mail server did not answer." in page
    assert "It is tried again at" in page
    for _ in range(common_mail.MOST_ATTEMPTS):
        due(one)
        common_mail.send_due()
    one.refresh_from_db()
    assert one.attempts == common_mail.MOST_ATTEMPTS
    assert one.given_up_at is not None
    page = ada.get(reverse("annotate:members", args=[mine.public_id])).content.decode()
    assert "The mail is not tried again." in page


def test_a_mail_that_a_worker_dropped_is_sent_by_another(
    ada: Client, mine: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = invite(ada, mine)
    monkeypatch.setattr(common_mail, "mail_text", lambda _mail: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        common_mail.send(one.pk)
    monkeypatch.undo()
    assert common_mail.send_due() == 0
    due(one)
    assert common_mail.send_due() == 1


def test_a_withdrawn_invitation_is_not_sent(ada: Client, mine: Campaign) -> None:
    invite(ada, mine)
    made = Invitation.objects.get()
    members.revoke(mine.pk, made.public_id, actor_id=made.created_by_id)
    common_mail.send_due()
    assert mail.outbox == []


def test_names_cannot_write_headers_or_links_of_their_own(ada: Client, mine: Campaign) -> None:
    Campaign.objects.filter(pk=mine.pk).update(name="News\r\nBcc: all@example.org")
    invite(ada, mine)
    common_mail.send_due()
    (letter,) = mail.outbox
    assert letter.recipients() == ["Zoe@Example.org"]
    assert "\nBcc:" not in str(letter.message())


def test_nobody_is_flooded(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:members", args=[mine.public_id])
    codes = [ada.post(address, ASKED).status_code for _ in range(7)]
    assert codes == [302] * 5 + [429] * 2
    assert Mail.objects.count() == 5


def test_without_mail_the_page_shows_the_link(ada: Client, mine: Campaign, settings: Any) -> None:
    settings.SENDS_MAIL = False
    address = reverse("annotate:members", args=[mine.public_id])
    ada.post(address, ASKED)
    page = ada.get(address).content.decode()
    assert "This server sends no mail" in page
    assert "https://plumbline.example/invitations/" in page
    assert not Mail.objects.exists()


def test_old_mails_are_forgotten(ada: Client, mine: Campaign) -> None:
    one = invite(ada, mine)
    common_mail.send_due()
    Mail.objects.filter(pk=one.pk).update(created_at=timezone.now() - timedelta(days=31))
    common_mail.send_due()
    assert not Mail.objects.exists()


# ---- forgotten passwords ------------------------------------------------------------------------


def ask(email: str, at: str = "192.0.2.1") -> Any:
    return Client().post(reverse("annotate:password-forgotten"), {"email": email}, REMOTE_ADDR=at)


def test_the_answer_does_not_tell_who_has_an_account(
    django_assert_num_queries: Any,
) -> None:
    ada = user("ada")
    ada.email = "ada@example.org"
    ada.save()
    user("bob").save()
    with django_assert_num_queries(1) as known:
        one = ask("ada@example.org")
    with django_assert_num_queries(1) as unknown:
        other = ask("xyz@example.org")
    assert one.content.replace(b"ada@", b"xyz@") == other.content
    assert len(known.captured_queries) == len(unknown.captured_queries)
    common_mail.send_due()
    assert [letter.to for letter in mail.outbox] == [["ada@example.org"]]


def test_a_link_sets_a_password_once_and_signs_every_browser_out() -> None:
    ada = user("ada")
    ada.email = "ada@example.org"
    ada.save()
    inside = Client()
    inside.force_login(ada)
    Client().post(
        reverse("annotate:password-forgotten"),
        {"email": "ADA@example.org"},
        headers={"Host": "localhost", "X-Forwarded-Host": "evil.example"},
    )
    common_mail.send_due()
    (path,) = re.findall(r"https://plumbline\.example(/new-password/\S+)", mail.outbox[0].body)
    visitor = Client()
    page = visitor.get(path, follow=True)
    assert path not in page.redirect_chain[-1][0], "the secret has left the address"
    new = {"new_password1": "rain on tin roofs", "new_password2": "rain on tin roofs"}
    assert visitor.post(page.redirect_chain[-1][0], new).url == reverse("login")
    assert inside.get(reverse("annotate:account")).status_code == 302
    assert Client().login(username="ada", password="rain on tin roofs")
    assert b"has been used" in Client().get(path, follow=True).content


def test_asking_is_limited_by_account_and_by_address() -> None:
    codes = [ask("ada@example.org", at=f"192.0.2.{n}").status_code for n in range(7)]
    assert codes == [200] * 5 + [429] * 2
    codes = [ask(f"p{n}@example.org", at="198.51.100.1").status_code for n in range(32)]
    assert codes == [200] * 30 + [429] * 2
    assert Mail.objects.count() == 35


def test_without_mail_an_administrator_makes_the_link(settings: Any, capsys: Any) -> None:
    from django.core.management import CommandError, call_command

    settings.SENDS_MAIL = False
    user("ada")
    assert b"manage.py reset_link" in ask("ada@example.org").content
    call_command("reset_link", "ada")
    path = capsys.readouterr().out.strip().removeprefix("https://plumbline.example")
    assert b"Set the password" in Client().get(path, follow=True).content
    with pytest.raises(CommandError, match="no active account"):
        call_command("reset_link", "Ada")
