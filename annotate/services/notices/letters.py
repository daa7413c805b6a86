"""The mail about what happened in a campaign in the last minute, or since the last mail."""

from annotate.models import Notice
from annotate.services.accounts.letters import Letter
from annotate.services.accounts.own_settings import as_chosen
from annotate.services.notices import payloads
from annotate.text import figures

MOST_LINES, MOST_SUBJECT = 20, 150


def of(notices: list[Notice]) -> Letter:
    """Return one letter about these events of one subscription, as its reader writes times."""
    with as_chosen(getattr(notices[0].subscription.user, "profile", None)):
        return _letter(notices)


def _letter(notices: list[Notice]) -> Letter:
    one = notices[0].subscription
    name = " ".join(one.campaign.name.split())
    lines = [f"- {_time(notice)}: {payloads.words(notice)}" for notice in notices[:MOST_LINES]]
    if (more := len(notices) - MOST_LINES) > 0:
        lines.append(f"- and {more} more")
    told = "\n".join(lines)
    first = payloads.words(notices[0]) if len(notices) == 1 else f"{len(notices)} events"
    return Letter(
        " ".join(f"{name}: {first}".split())[:MOST_SUBJECT],
        f"In the campaign “{name}”:\n\n{told}\n\n{payloads.address(one.campaign)}\n\n"
        f"You asked for this mail. End it here: {payloads.settings_address(one.campaign)}\n",
    )


def _time(notice: Notice) -> str:
    return figures.moment(notice.entry.at if notice.entry else notice.created_at, "zone")
