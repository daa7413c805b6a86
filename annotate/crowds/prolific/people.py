"""People at Prolific: groups that exclude them from studies, and messages to them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotate.crowds.base import Configuration, Effect, Outcome
from annotate.crowds.prolific import studies as studies
from annotate.crowds.prolific.http import ProlificClient, Reply, outcome_of, path

AN_ID = re.compile(r"[0-9a-f]{24}")


def is_id(text: str) -> bool:
    return AN_ID.fullmatch(text) is not None


def set_member(client: ProlificClient, person: str, member: bool, *, group: str) -> Outcome:
    """Add a person to a group, or remove them; repeating either changes nothing.

    `group` is an id or a name. A named group is created at its first use, and the outcome's note is
    its id.
    """
    group_id = find_group(client, group)
    if group_id is None and not member:
        return Outcome(Effect.ALREADY)
    if group_id is None:
        made = make_group(client, group)
        if isinstance(made, Outcome):
            return made
        group_id = made
    method = "POST" if member else "DELETE"
    reply = client.ask(
        method, path("participant-groups", group_id, "participants"), {"participant_ids": [person]}
    )
    if not reply.ok:
        return outcome_of(reply, idempotent=True)
    return Outcome(Effect.APPLIED, note=group_id)


def find_group(client: ProlificClient, group: str) -> str | None:
    """Return the id of a group; None if no group has this name."""
    if is_id(group):
        return group
    listed = client.pages("participant-groups/", workspace_id=workspace(client))
    return next((str(row["id"]) for row in listed if row.get("name") == group), None)


def make_group(client: ProlificClient, name: str) -> str | Outcome:
    """Return the id of a new group.

    An interruption leaves an empty group without consequences: groups are looked for by name, and
    the first one is used.
    """
    body = {
        "name": name,
        "workspace_id": workspace(client),
        "description": "People whom Plumbline keeps out of further work.",
    }
    reply = client.ask("POST", "participant-groups/", body)
    if reply.ok and isinstance(reply.data, dict) and reply.data.get("id"):
        return str(reply.data["id"])
    return outcome_of(reply if not reply.ok else Reply(0), idempotent=True)


def workspace(client: ProlificClient) -> str:
    """Return the account's first workspace; Prolific’s groups belong to one."""
    for row in client.pages("workspaces/"):
        return str(row["id"])
    raise Configuration("The Prolific account has no workspace. Make one there.")


@dataclass
class Delivery:
    """The result of messages to several people."""

    failed: list[str] = field(default_factory=list)
    problems: list[Reply] = field(default_factory=list)

    def note(self, person: str, reply: Reply | None) -> None:
        if reply is not None and reply.ok:
            return
        self.failed.append(person)
        if reply is not None:
            self.problems.append(reply)

    def outcome(self, people: Sequence[str]) -> Outcome:
        """Return the outcome: what to do if no one was reached; otherwise who was not reached."""
        if people and len(self.failed) == len(people):
            if self.problems:
                return outcome_of(self.problems[0])
            return Outcome(
                Effect.REFUSED,
                "not_found",
                "Prolific passes messages on to participants of our studies only.",
                failed=tuple(self.failed),
            )
        return Outcome(Effect.APPLIED, failed=tuple(self.failed))


def send(client: ProlificClient, people: Sequence[str], text: str) -> Outcome:
    """Write to each person separately, about a study of ours in which they took part.

    Prolific requires the study that a message is about, so it is looked up.
    """
    about = _studies_of(client, set(people))
    delivery = Delivery()
    for person in people:
        if person not in about:
            delivery.note(person, None)
            continue
        body = {"recipient_id": person, "study_id": about[person], "body": text}
        delivery.note(person, client.ask("POST", "messages/", body))
    return delivery.outcome(people)


def _studies_of(client: ProlificClient, people: set[str]) -> dict[str, str]:
    """Return a study of ours for each person, if there is one: the latest listed."""
    ours = [str(study["id"]) for study in client.pages("studies/") if studies.is_ours(study)]
    about: dict[str, str] = {}
    for listing in reversed(ours):
        if people <= set(about):
            break
        for row in client.pages(path("studies", listing, "submissions")):
            person = studies.submission(row).person
            if person in people:
                about.setdefault(person, listing)
    return about
