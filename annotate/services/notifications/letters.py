"""The mail about what happened in a campaign in the last minute, or since the last mail."""

from annotate.models import Notification
from annotate.services.accounts.letters import Letter
from annotate.services.accounts.own_settings import as_chosen
from annotate.services.notifications import payloads
from annotate.text import figures

MOST_LINES, MOST_SUBJECT = 20, 150


def of(notifications: list[Notification]) -> Letter:
    """Return one letter about these events of one subscription, as its reader writes times."""
    with as_chosen(getattr(notifications[0].subscription.user, "profile", None)):
        return _letter(notifications)


def _letter(notifications: list[Notification]) -> Letter:
    one = notifications[0].subscription
    name = " ".join(one.campaign.name.split())
    lines = [
        f"- {_time(notification)}: {payloads.words(notification)}"
        for notification in notifications[:MOST_LINES]
    ]
    if (more := len(notifications) - MOST_LINES) > 0:
        lines.append(f"- and {more} more")
    told = "\n".join(lines)
    first = (
        payloads.words(notifications[0])
        if len(notifications) == 1
        else f"{len(notifications)} events"
    )
    return Letter(
        " ".join(f"{name}: {first}".split())[:MOST_SUBJECT],
        f"In the campaign “{name}”:\n\n{told}\n\n{payloads.address(one.campaign)}\n\n"
        f"You asked for this mail. End it here: {payloads.settings_address(one.campaign)}\n",
    )


def _time(notification: Notification) -> str:
    return figures.moment(
        notification.entry.at if notification.entry else notification.created_at, "zone"
    )
