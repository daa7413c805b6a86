"""A form refused for its log-in, its host or a proxy says so, and keeps what was typed."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.common.requests import forged
from annotate.models import Review, Ruling
from tests import reviewed
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

HERE = "http://testserver"
TYPED = "Twelve of your edits\r\nchange “nothing” & say <nothing>."
OURS = {"HTTP_ORIGIN": HERE, "HTTP_SEC_FETCH_SITE": "same-origin"}


class Again(HTMLParser):
    """The form that a refused page offers, as a browser sends it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.there, self.sent, self.inside = "", {}, False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        own = dict(attrs)
        if tag == "form":
            self.inside = own.get("id") == "again"
            self.there = own["action"] if self.inside else self.there
        if tag == "input" and self.inside:
            self.sent.setdefault(own["name"], []).append(own.get("value", ""))


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture
def case(ada: User) -> Review:
    return reviewed.case(ada)


@pytest.fixture
def browser(ada: User) -> Client:
    """Ada's browser: two tabs share its cookies."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    return client


def page_of(case: Review, name: str = "review") -> str:
    return reverse(f"annotate:{name}", args=[case.campaign.public_id, case.annotator.pseudonym])


def filled_in(browser: Client, case: Review) -> dict[str, Any]:
    """Load the page of the case, and type a reason."""
    browser.get(page_of(case))
    return {
        "csrfmiddlewaretoken": browser.cookies["csrftoken"].value,
        "choice": "exclude",
        "seen": "0",
        "reason": TYPED,
    }


def send(browser: Client, case: Review, given: dict[str, Any], **headers: str) -> Any:
    return browser.post(page_of(case, "review-rule"), given, **(OURS | headers))


def logged_in_anew(browser: Client) -> None:
    """Log in, as in another tab."""
    browser.get("/login/")
    given = {
        "username": "ada",
        "password": "long enough to be fine",
        "csrfmiddlewaretoken": browser.cookies["csrftoken"].value,
    }
    assert browser.post("/login/", given, **OURS).status_code == 302


def reasons() -> list[str]:
    return list(Ruling.objects.values_list("reason", flat=True))


def told(answer: Any) -> str:
    assert answer.status_code == 403
    return str(answer.content.decode())


def test_a_log_in_in_another_tab_loses_nothing(browser: Client, case: Review) -> None:
    given = filled_in(browser, case)
    browser.post("/logout/", given, **OURS)
    logged_in_anew(browser)
    page = told(send(browser, case, given))
    assert "You logged in again since this page was loaded" in page
    assert "You are now logged in as ada" in page
    assert not reasons()
    kept = Again(page)
    assert browser.post(kept.there, kept.sent, **OURS).status_code == 302
    assert reasons() == [TYPED]


def test_the_end_of_the_session_loses_nothing(browser: Client, case: Review) -> None:
    given = filled_in(browser, case)
    del browser.cookies["sessionid"]
    page = told(send(browser, case, given))
    assert "Your session has ended" in page
    assert f'href="/login/?next={reverse("logged-in")}"' in page
    logged_in_anew(browser)
    again = told(browser.post(page_of(case, "review-rule"), Again(page).sent, **OURS))
    kept = Again(again)
    assert browser.post(kept.there, kept.sent, **OURS).status_code == 302
    assert reasons() == [TYPED]


@pytest.mark.parametrize(
    ("origin", "cause"),
    [
        ("https://testserver", "The proxy does not pass on how you came here"),
        ("http://other.example", "This address is not the one that Plumbline knows"),
        ("null", "Your browser does not say where this form comes from"),
        ("http://[", "This address is not the one that Plumbline knows"),
    ],
)
def test_a_wrong_proxy_or_host_is_named(
    browser: Client, case: Review, origin: str, cause: str
) -> None:
    page = told(send(browser, case, filled_in(browser, case), HTTP_ORIGIN=origin))
    assert cause in page
    assert "Twelve of your edits" in page


def test_what_another_site_sends_is_not_offered_again(browser: Client, case: Review) -> None:
    page = told(
        send(
            browser,
            case,
            filled_in(browser, case),
            HTTP_ORIGIN="https://evil.example",
            HTTP_SEC_FETCH_SITE="cross-site",
        )
    )
    assert "This form comes from another site" in page
    assert not Again(page).sent
    assert "Twelve of your edits" not in page


def test_passwords_and_files_are_not_kept_which_is_said(rf: Any) -> None:
    given = {
        "name": "News",
        "new_password1": "secret words",
        "code": "123456",
        "outputs": SimpleUploadedFile("outputs.csv", b"a,b"),
    }
    request = rf.post("/account/", given, **OURS)
    request.user = User(username="ada")
    page = forged(request, "CSRF token from POST incorrect.").content.decode()
    assert 'value="News"' in page
    assert "secret words" not in page
    assert "123456" not in page
    assert "type them again" in page
    assert "choose outputs.csv again" in page


def test_a_large_form_without_a_log_in_is_told_to_be_sent_again(client: Client) -> None:
    given = {"name": "News", "outputs": SimpleUploadedFile("outputs.csv", b"a,b\n" * 1_000_000)}
    page = told(client.post("/campaigns/new/", given, **OURS))
    assert "Your session has ended" in page
    assert "too large to be kept" in page
    assert f'href="/login/?next={reverse("logged-in")}"' in page
    assert "Send it again" not in page


def test_an_unknown_host_is_named(client: Client) -> None:
    answer = client.get("/login/", HTTP_HOST="unknown.example")
    assert answer.status_code == 400
    assert "unknown.example" in answer.content.decode()
