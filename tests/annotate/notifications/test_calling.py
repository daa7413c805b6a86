"""A webhook is called once, briefly, at a public address, and says who calls."""

import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.common.errors import Invalid
from annotate.notifications import sending
from tests.annotate.notifications.receiving import PEM, Receiver, receiver

HEADERS = {"Content-Type": "application/json"}


@pytest.fixture
def far(settings: Any) -> Iterator[Receiver]:
    settings.PRIVATE_WEBHOOKS = True
    with receiver() as side:
        yield side


def test_a_call_carries_the_body_and_the_headers(far: Receiver) -> None:
    assert sending.post(f"{far.url}hook?key=1", b"{}", HEADERS) == 200
    ((path, headers, body),) = far.got
    assert (path, body) == ("/hook?key=1", b"{}")
    assert headers["content-type"] == "application/json"
    assert headers["host"] == far.url.split("/")[2]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (301, "answered 301, a redirect"),
        (307, "answered 307, a redirect"),
        (404, "answered 404"),
        (500, "answered 500"),
    ],
)
def test_other_answers_are_failures(far: Receiver, status: int, said: str) -> None:
    far.statuses = [status]
    with pytest.raises(sending.Failed, match=said):
        sending.post(far.url, b"{}", HEADERS)
    assert len(far.got) == 1, "nothing is followed"


def test_a_receiver_that_drips_is_left_when_the_time_is_over(far: Receiver) -> None:
    far.drips = True
    began = time.monotonic()
    with pytest.raises(sending.Failed, match="did not answer in time"):
        sending.post(far.url, b"{}", HEADERS, seconds=0.3)
    assert time.monotonic() - began < 5


def test_nobody_there_is_told(settings: Any) -> None:
    settings.PRIVATE_WEBHOOKS = True
    with receiver() as side:
        url = side.url
    with pytest.raises(sending.Failed, match="could not be reached"):
        sending.post(url, b"{}", HEADERS)
    with pytest.raises(sending.Failed, match="could not be reached"):
        sending.post("https://no-such-host.invalid/", b"{}", HEADERS)


def test_a_certificate_must_be_valid_for_the_host(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    with receiver(secure=True) as side:
        with pytest.raises(sending.Failed, match="certificate is not valid"):
            sending.post(side.url, b"{}", HEADERS)
        monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
        assert sending.post(side.url, b"{}", HEADERS) == 200
        with pytest.raises(sending.Failed, match="certificate is not valid"):
            sending.post(side.url.replace("localhost", "127.0.0.1"), b"{}", HEADERS)
    assert ssl.get_default_verify_paths().cafile == str(PEM), "the variable was read"


def test_a_private_address_is_not_called() -> None:
    with receiver() as side:
        port = side.url.rsplit(":", 1)[1]
        for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"):
            with pytest.raises(sending.Failed, match="private network"):
                sending.post(f"https://{host}:{port}", b"{}", HEADERS)
    assert side.got == []


PRIVATE = (
    *("10.1.2.3", "172.16.0.1", "192.168.1.1", "127.8.8.8", "169.254.169.254", "100.64.0.1"),
    *("0.0.0.0", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1"),
    *("::ffff:10.0.0.1", "::127.0.0.1", "2002:a00:1::1", "64:ff9b::10.0.0.1", "64:ff9b:1::1"),
    "2001:0:a00:1::1",
)
PUBLIC = ("8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1")


@pytest.mark.parametrize("address", [*PRIVATE, *PUBLIC])
def test_every_address_of_a_name_must_be_public(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [(0, 0, 0, "", ("8.8.4.4", 443)), (0, 0, 0, "", (address, 443))]
    monkeypatch.setattr(sending.socket, "getaddrinfo", lambda *_args, **_kw: asked)
    at = sending.parsed("https://example.org/")
    if address in PUBLIC:
        assert sending.addresses(at) == ["8.8.4.4", address]
    else:
        with pytest.raises(sending.Forbidden):
            sending.addresses(at)


WRONG = (
    *("", "example.org", "http://example.org/", "ftp://example.org/", "https://", "https:///path"),
    *("https://ada:pw@example.org/", "https://@example.org/", "https://example.org:0/"),
    *("https://example.org:99999/", "https://exa mple.org/", "https://example.org/a b"),
    *("https://example.org/\r\nHost: x", "https://exa\nmple.org/\x00", "https://[::1/"),
    *("https://" + "a" * 64 + ".org/", "https://example.org/" + "a" * 500, "https://-ä\ud800.org/"),
    *("https://example.org/ä", "javascript:alert(1)", "https://example.org\\@localhost/"),
)


@pytest.mark.parametrize("url", WRONG)
def test_an_address_that_no_webhook_can_have_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        sending.parsed(url)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.org/{text}"):
        try:
            at = sending.parsed(url)
        except Invalid:
            continue
        assert all("!" <= one <= "~" for one in at.target + at.named)


def test_a_signature_is_that_of_the_specification() -> None:
    """The vector that Standard Webhooks publish."""
    signed = sending.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        b'{"test": 2432232314}',
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
