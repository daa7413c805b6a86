"""Subscribes to Prolific's events, so that it need not be polled.

Every step is looked for before it is done. Another run repairs what was interrupted, and changes
nothing else. A workspace's secret is never replaced, because other programs may use it too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotate.crowds.base import Transient
from annotate.crowds.prolific.http import ProlificClient, Reply, error_of, header, path

EVENTS = ("study.status.change", "submission.status.change")
CONFIRMATION = "X-Hook-Secret"
INCOMPLETE = "Prolific’s answer was incomplete. Run this again."


class How(StrEnum):
    MADE = "made"
    AGAIN = "made again: the old one was not in force"
    ALREADY = "there already"


@dataclass(frozen=True)
class Subscribed:
    """`secret`: of the workspace, which signs its events."""

    workspace: str
    secret: str
    secret_made: bool
    events: tuple[tuple[str, How], ...]


def subscribe(client: ProlificClient, workspace: str, url: str) -> Subscribed:
    """Subscribe this address to events. Raises a `CrowdError`."""
    secret, made = _secret(client, workspace)
    listed = list(client.pages("hooks/subscriptions/", workspace_id=workspace))
    events = tuple((event, _subscribed(client, workspace, url, event, listed)) for event in EVENTS)
    return Subscribed(workspace, secret, made, events)


def _secret(client: ProlificClient, workspace: str) -> tuple[str, bool]:
    """Return the workspace's secret, and whether it was newly created."""
    for row in client.pages("hooks/secrets/", workspace_id=workspace):
        if row.get("value") and row.get("workspace_id", workspace) == workspace:
            return str(row["value"]), False
    made = _answered(client.ask("POST", "hooks/secrets/", {"workspace_id": workspace}))
    if not made.get("value"):
        raise Transient(INCOMPLETE)
    return str(made["value"]), True


def _subscribed(
    client: ProlificClient, workspace: str, url: str, event: str, listed: list[dict[str, Any]]
) -> How:
    ours = [row for row in listed if (row.get("event_type"), row.get("target_url")) == (event, url)]
    if any(row.get("is_enabled") for row in ours):
        return How.ALREADY
    for row in ours:  # a confirmation is sent only once, at creation
        _answered(client.ask("DELETE", path("hooks", "subscriptions", str(row["id"]))))
    _make(client, {"workspace_id": workspace, "event_type": event, "target_url": url})
    return How.AGAIN if ours else How.MADE


def _make(client: ProlificClient, wanted: Mapping[str, str]) -> None:
    reply = client.ask("POST", "hooks/subscriptions/", wanted)
    made = _one(_answered(reply), wanted)
    confirmation = header(reply.headers, CONFIRMATION)
    if not made.get("id") or not confirmation:
        raise Transient(INCOMPLETE)
    address = path("hooks", "subscriptions", str(made["id"]))
    _answered(client.ask("POST", address, {"secret": confirmation}))


def _one(made: Mapping[str, Any], wanted: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the new subscription: alone, or, as the documentation says, in a list of all."""
    rows = made.get("results", [made])
    same = [row for row in rows if all(row.get(k, v) == v for k, v in wanted.items())]
    return same[-1] if same else {}


def _answered(reply: Reply) -> dict[str, Any]:
    if not reply.ok:
        raise error_of(reply)
    return reply.data if isinstance(reply.data, dict) else {}
