"""What a webhook sends: JSON, signed as the Standard Webhooks specification says.

The signature is HMAC-SHA256 of "id.timestamp.body" with the subscription's secret
(https://github.com/standard-webhooks/standard-webhooks).
"""

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotate.models import AuditEntry, Campaign, Notification
from annotate.services.notifications import events
from annotate.services.notifications.events import TEST, CampaignEvent

PREFIX = "whsec_"


def secret(public_id: str) -> str:
    """Return the secret of a subscription; it is made from our key and stored nowhere."""
    key = salted_hmac("webhook-subscription", public_id, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def signature(secret: str, name: str, time: str, content: bytes) -> str:
    """Return the signature of a call: its id, its time in seconds since 1970, and its body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    mac = hmac.new(key, f"{name}.{time}.".encode() + content, hashlib.sha256)
    return f"v1,{base64.b64encode(mac.digest()).decode()}"


def body(notification: Notification) -> bytes:
    """Return what is sent about an event. It names no annotator."""
    campaign, entry = notification.subscription.campaign, notification.entry
    said = {
        "type": event(notification).key,
        "timestamp": (entry.at if entry else notification.created_at).isoformat(),
        "data": {
            "campaign": campaign.public_id,
            "name": campaign.name,
            "url": address(campaign),
            **(_about(entry) if entry else {"text": words(notification)}),
        },
    }
    return json.dumps(said, ensure_ascii=False).encode()


def headers(notification: Notification, content: bytes, *, at: datetime) -> dict[str, str]:
    """Return the headers of a call at this moment: content type, id, time and signature."""
    name, time = f"msg_{notification.public_id}", str(int(at.timestamp()))
    own = secret(notification.subscription.public_id)
    return {
        "Content-Type": "application/json",
        "User-Agent": "plumbline-webhooks",
        "webhook-id": name,
        "webhook-timestamp": time,
        "webhook-signature": signature(own, name, time, content),
    }


def address(campaign: Campaign) -> str:
    """Return the address of a campaign's page."""
    return f"{settings.PUBLIC_URL}{reverse('estimation:dashboard', args=[campaign.public_id])}"


def settings_address(campaign: Campaign) -> str:
    """Return the address of the page where subscriptions are made and ended."""
    return f"{settings.PUBLIC_URL}{reverse('annotate:notifications', args=[campaign.public_id])}"


def event(notification: Notification) -> CampaignEvent:
    return (notification.entry and events.of(notification.entry.verb)) or TEST


def words(notification: Notification) -> str:
    """Return the event as a sentence."""
    verb = notification.entry.verb if notification.entry else ""
    text = event(notification).acts[verb]
    return text.format(system=_system(notification.entry) or "") if notification.entry else text


def _about(entry: AuditEntry) -> dict[str, Any]:
    system = _system(entry)
    return {
        "act": entry.verb,
        "by": "a person" if entry.actor_id else "Plumbline",
        **({"system": system} if system else {}),
        "detail": entry.detail,
    }


def _system(entry: AuditEntry) -> str | None:
    kind, _, name = entry.subject.partition(":")
    return name if kind == "system" else None
