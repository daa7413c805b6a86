"""Notifications from a crowd. Each is stored once and prompts a look at one posting."""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Configuration, Event, InvalidEntry, Marketplace
from annotate.crowds.prolific import crowd as prolific
from annotate.crowds.prolific.hooks import Subscribed
from annotate.errors import NotFound, ServiceError
from annotate.models import CrowdEvent, Participation, Posting
from annotate.services.outbox import intents


class Unsigned(ServiceError):
    """The notification is not signed by the crowd, or cannot be read."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def address(crowd: str) -> str:
    """Return the path at which a crowd's events are received."""
    return f"{settings.PUBLIC_URL}{reverse('annotate:crowd-events', args=[crowd])}"


def subscribe_to_prolific() -> Subscribed:
    """Subscribe to notifications from Prolific, once. Raises a `CrowdError`."""
    return prolific.make(adapters.setting).subscribe(address("prolific"))


def receive(crowd: str, raw: bytes, headers: Mapping[str, str]) -> bool:
    """Store an event and have its posting compared soon; return whether it was new.

    Raises `NotFound` for a crowd without notifications, and `Unsigned` for an invalid signature.
    """
    try:
        adapter = adapters.marketplace(crowd)
    except Configuration:
        raise NotFound("No crowd of this name sends notifications.") from None
    event = adapter.parse_event(raw, headers)
    if isinstance(event, InvalidEntry):
        raise Unsigned(event.message, status=event.status)
    return _keep(adapter, event)


def _keep(adapter: Marketplace, event: Event) -> bool:
    with transaction.atomic():
        _row, made = CrowdEvent.objects.get_or_create(
            crowd=adapter.key,
            environment=adapter.environment,
            external_id=event.id,
            defaults={
                "at": event.at,
                "listing": event.listing,
                "unit": event.unit,
                "received_at": timezone.now(),
            },
        )
        posting = _posting(adapter, event) if made else None
        if posting is not None and _news(posting, event):
            intents.announce_posting(posting.pk)
    return made


def _posting(adapter: Marketplace, event: Event) -> Posting | None:
    ours = Posting.objects.filter(batch__crowd=adapter.key, environment=adapter.environment)
    if event.listing:
        return ours.filter(external_id=event.listing).first()
    units = Participation.objects.filter(external_key=event.unit)
    return ours.filter(participations__in=units).first() if event.unit else None


def _news(posting: Posting, event: Event) -> bool:
    """Return whether the event is later than the last look. Events come late and out of order."""
    return posting.looked_at is None or event.at > posting.looked_at
