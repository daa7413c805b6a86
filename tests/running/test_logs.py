"""Links to work are secrets: no handler of any logger is ever given one."""

import io
import logging
import logging.handlers
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.core import mail
from django.test import Client, override_settings
from django.urls import reverse
from gunicorn.config import Config
from gunicorn.glogging import Logger as GunicornLogger
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.common import tokens
from config import logs
from tests.addresses import DOORS

PARTICIPATION = tokens.participation_token(7)
SECRETS = {
    "work": PARTICIPATION,
    "join": tokens.invitation_token(7, "Grace H"),
    "entry": tokens.posting_token("abc234"),
    "batch-preview": tokens.preview_token(7, 2),
    "invitation": tokens.of_invitation("abc234"),
    "new-password": "abc234-0123456789abcdef0123456789abcdef",
}
ADDRESSES = {
    "annotate:join": reverse("annotate:join", args=[SECRETS["join"]]),
    "annotate:preview": reverse("annotate:preview", args=[SECRETS["join"]]),
    "annotate:entry": reverse("annotate:entry", args=["mturk", SECRETS["entry"]]),
    "annotate:batch-preview": reverse("annotate:batch-preview", args=[SECRETS["batch-preview"]]),
    "annotate:invitation": reverse("annotate:invitation", args=[SECRETS["invitation"]]),
    "annotate:new-password": reverse("annotate:new-password", args=["MQ", SECRETS["new-password"]]),
    "annotate:work": reverse("annotate:work", args=[PARTICIPATION]),
    "annotate:beside": reverse("annotate:beside", args=[PARTICIPATION]),
    "annotate:me": reverse("annotate:me", args=[PARTICIPATION]),
    "annotate:consent": reverse("annotate:consent", args=[PARTICIPATION]),
    "annotate:background": reverse("annotate:background", args=[PARTICIPATION]),
    "annotate:correct": reverse("annotate:correct", args=[PARTICIPATION]),
}


def secrets_in(text: str) -> list[str]:
    parts = {part for token in SECRETS.values() for part in (token, quote(token, safe=""))}
    signatures = {token.rpartition(":")[2] for token in SECRETS.values()}
    return [secret for secret in parts | signatures if secret in text]


def loggers() -> Iterator[logging.Logger]:
    yield logging.getLogger()
    for name in sorted(logging.root.manager.loggerDict):
        yield logging.getLogger(name)
    served = GunicornLogger(Config())
    yield from (served.error_log, served.access_log)


class Broken(Exception):
    pass


def told(logger: logging.Logger, *message: Any) -> str:
    """Return what all handlers that a logger reaches write of a message and its exception."""
    written = io.StringIO()
    own = logging.StreamHandler(written)  # of somebody who knows nothing of secrets
    reached, at = [own], logger
    while at:
        reached += at.handlers
        at = at.parent if at.propagate else None
    streams = [h for h in reached if isinstance(h, logging.StreamHandler) and h is not own]
    kept = [handler.setStream(written) for handler in streams]
    level, logger.level, logger.disabled = logger.level, logging.DEBUG, False
    logger.addHandler(own)
    try:
        try:
            raise Broken(message[0] % message[1:])
        except Broken:
            logger.exception(*message)
        logger.error(*message)
    finally:
        logger.removeHandler(own)
        logger.level = level
        for handler, stream in zip(streams, kept, strict=True):
            if stream is not None:
                handler.setStream(stream)
    assert "Broken" in written.getvalue()
    return written.getvalue()


def test_the_list_of_addresses_with_a_secret_is_complete() -> None:
    assert {door.name for door in DOORS if "token" in door.arguments} == set(ADDRESSES)


@pytest.mark.parametrize("name", ADDRESSES)
def test_no_handler_of_any_logger_writes_a_link(name: str) -> None:
    path = ADDRESSES[name]
    for logger in loggers():
        for message in (
            ("Internal Server Error: %s", path),
            ("Internal Server Error: %s", f"{path}?workerId=A1&assignmentId=B2"),
            (f"GET https://plumbline.example{path} 500",),
            ("Error handling request %s", quote(path)),
            ("Bearer %s", PARTICIPATION),
        ):
            found = told(logger, *message)
            assert not secrets_in(found), (logger.name, found)


@override_settings(ADMINS=[("Ada", "ada@example.org")])
def test_no_log_goes_out_by_mail() -> None:
    told(logging.getLogger("django.request"), "Internal Server Error: %s", "/")
    assert mail.outbox == []


def test_one_secret_has_one_name_and_another_another() -> None:
    first, again = (logs.redacted(f"at {ADDRESSES['annotate:work']}") for _ in range(2))
    assert first == again
    assert first != logs.redacted(f"at {ADDRESSES['annotate:join']}")
    assert first.startswith("at /work/p/[")
    assert first.endswith("]/")


@pytest.mark.parametrize(
    "text",
    [
        "Internal Server Error: /campaigns/abc/",
        "/work/feedback",
        "/work/a/12/submit",
        "/work/events/prolific/",
        "12:34:56 took 3 s",
        "postgres://plumbline@localhost:5432/plumbline",
        "50 % of 100 (%s)",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert logs.redacted(text) == text
    record = logging.getLogRecordFactory()("x", logging.ERROR, "f", 1, text, (), None)
    assert record.getMessage() == text


@settings(deadline=None)
@given(st.text(), st.sampled_from(sorted(ADDRESSES.values())), st.text())
def test_nothing_around_it_saves_a_link(before: str, path: str, after: str) -> None:
    assert not secrets_in(logs.redacted(f"{before} {path}{after}"))


def test_a_message_that_cannot_be_formatted_is_no_failure() -> None:
    record = logging.getLogRecordFactory()("x", logging.ERROR, "f", 1, "%d %s", ("a",), None)
    assert record.msg == "%d %s"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["annotate:work", "annotate:join"])
def test_the_log_of_a_page_that_broke_names_no_link(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from annotate.work import task as task_page

    def broken(*_args: object) -> None:
        raise Broken(ADDRESSES[name])

    monkeypatch.setattr(task_page, "study", broken)
    monkeypatch.setattr(task_page, "visit", broken)
    answer = Client(raise_request_exception=False).get(ADDRESSES[name])
    assert answer.status_code == 500
    assert "Internal Server Error: /work/" in caplog.text
    assert "Broken" in caplog.text
    assert not secrets_in(caplog.text)
