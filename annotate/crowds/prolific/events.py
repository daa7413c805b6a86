"""Notifications from Prolific: hooks, signed with the workspace's secret.

The signature covers the timestamp and the body, byte for byte. The event's id is in a header that
it does not cover, so the id only prevents processing an event twice. What happened is always read
from Prolific.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from annotate.crowds.base import Event, InvalidEntry
from annotate.crowds.prolific.http import header
from annotate.text import json_text

SIGNATURE = "X-Prolific-Request-Signature"
TIMESTAMP = "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
EVENT_TIME = "X-Timestamp"  # orders events; deliveries may be out of order
A_NAME = re.compile(r"[!-~]{1,120}")  # of an event or its subject, which are stored
LATE = timedelta(minutes=10)  # the longest delivery, except for repeated ones
MILLISECONDS = 100_000_000_000  # greater than any timestamp in seconds


def signature(secret: str, timestamp: str, raw: bytes) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + raw, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def parse(raw: bytes, headers: Mapping[str, str], secret: str) -> Event | InvalidEntry:
    if not secret:
        return InvalidEntry("Set PROLIFIC_WEBHOOK_SECRET to take events from Prolific.", 401)
    timestamp, given = header(headers, TIMESTAMP), header(headers, SIGNATURE)
    expected = signature(secret, timestamp, raw)
    if not timestamp or not hmac.compare_digest(expected.encode(), given.encode()):
        return InvalidEntry("The signature of this event is missing or wrong.", 401)
    at = _happened(header(headers, EVENT_TIME) or timestamp, sent=timestamp)
    told, name = _body(raw), header(headers, EVENT_ID) or given
    if at is None or told is None or not A_NAME.fullmatch(name):
        return InvalidEntry("This event cannot be read.", 400)
    return _event(told, name, at)


def _event(told: dict[str, object], event_id: str, at: datetime) -> Event:
    resource = str(told["resource_id"])
    if str(told.get("event_type", "")).startswith("submission."):
        return Event(event_id, at, unit=resource)
    return Event(event_id, at, listing=resource)


def _body(raw: bytes) -> dict[str, object] | None:
    try:
        told = json_text.parse(raw)
    except json_text.NotJson:
        return None
    if not isinstance(told, dict) or not A_NAME.fullmatch(str(told.get("resource_id", ""))):
        return None
    return told


def _happened(stamp: str, *, sent: str) -> datetime | None:
    """Return when it happened, on our clock.

    If it was `sent` long ago, or in the future, the clocks differ. It is then taken as sent just
    now, so that new events are not mistaken for old ones.
    """
    at, then = _time(stamp), _time(sent)
    if at is None or then is None:
        return None
    since = timezone.now() - then
    try:
        return at + since if abs(since) > LATE else at
    except OverflowError:
        return None


def _time(stamp: str) -> datetime | None:
    """Return the time of a UNIX timestamp, in seconds or milliseconds."""
    try:
        seconds = float(stamp)
        return datetime.fromtimestamp(seconds / 1000 if seconds > MILLISECONDS else seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
