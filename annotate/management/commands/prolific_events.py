"""`manage.py prolific_events`: subscribe to notifications from Prolific, in addition to polling."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.crowds import adapters, reconciling
from annotate.crowds.contract import CrowdError


class Command(BaseCommand):
    help = (
        "Subscribes this installation to Prolific’s events about studies and submissions, at "
        "PUBLIC_URL, and says which secret the settings need. Existing subscriptions stay: it is "
        "safe to repeat."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            secret, events = reconciling.subscribe_to_prolific()
        except CrowdError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Events go to {reconciling.address('prolific')}")
        for event, how in events.items():
            self.stdout.write(f"  {event}: {how}")
        self.stdout.write(_of_secret(secret))


def _of_secret(secret: str) -> str:
    if secret == adapters.setting("PROLIFIC_WEBHOOK_SECRET"):
        return "PROLIFIC_WEBHOOK_SECRET is the workspace’s secret: events are accepted."
    now = "is another secret" if adapters.setting("PROLIFIC_WEBHOOK_SECRET") else "is not set"
    return (
        f"PROLIFIC_WEBHOOK_SECRET {now}, so events are not accepted. Set it to the workspace’s "
        f"secret, keep it private, and restart:\n  PROLIFIC_WEBHOOK_SECRET={secret}"
    )
