"""What a webhook of Plumbline sends, checked (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from plumbline_client.errors import BadSignature

TOLERANCE = 300.0  # seconds between the two clocks, and for the way


def webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None
) -> dict[str, Any]:
    """Return the event that Plumbline has sent: `type`, `timestamp` and `data`.

    secret: the subscription's. body: the bytes as they came, before any JSON library. now: seconds
    since 1970, the present by default. Raises `BadSignature` for what Plumbline has not sent, or
    sent more than five minutes ago. A call may come twice: `webhook-id` is then the same.
    """
    given = {name.lower(): value for name, value in headers.items()}
    name, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not at.isascii() or not at.isdigit() or len(at) > 20:
        raise BadSignature("The call has no time.")
    if abs((time.time() if now is None else now) - int(at)) > TOLERANCE:
        raise BadSignature("The call is too old, or one of the two clocks is wrong.")
    if not _matches(_signature(secret, name, at, body), given.get("webhook-signature", "")):
        raise BadSignature("The signature does not fit.")
    return dict(json.loads(body))


def _signature(secret: str, name: str, at: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{name}.{at}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(mac.digest()).decode()}"


def _matches(own: str, given: str) -> bool:
    """Return whether one of the signatures, which spaces part, is ours."""
    return any(hmac.compare_digest(own.encode(), one.encode()) for one in given.split())
