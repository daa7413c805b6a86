"""Prolific: studies, submissions and bonuses over its REST API v1.

What can be repeated, and how a repeat is recognised:
- publish: the study's internal name contains the operation's id. An existing draft is published,
  not created again; a published one is found.
- add_places: the number of places is absolute. It is set in one request together with a note of the
  operation in the internal name; a repeat reads the note and adds nothing.
- stop, approve, reject, groups: Prolific's state says whether it is done.
- pay_bonus: cannot be repeated. Prolific says that its call is not idempotent, and its list of
  bonuses has amounts without references, so only a person can tell. Never repeat it automatically.

Prolific returns no receipt of ours: submissions are verified at entry instead. This was checked
against docs.prolific.com. Gaps in the documentation are mentioned where they matter.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.common import json, tokens
from annotate.crowds.contract import (
    NOT_YET,
    Bonus,
    Capabilities,
    Claim,
    Completion,
    Configuration,
    CrowdError,
    Effect,
    Event,
    InvalidEntry,
    ListingProblem,
    Outcome,
    Posted,
    PostingLevel,
    Spec,
    Submission,
    Transient,
    UnitState,
    effect,
)
from annotate.crowds.prices import Price
from annotate.crowds.prolific import studies
from annotate.crowds.prolific.client import (
    READ_SECONDS,
    ProlificClient,
    Reply,
    error_of,
    outcome_of,
    path,
)
from annotate.crowds.prolific.studies import LEAST_REASON

# Notifications from Prolific: hooks, signed with the workspace's secret.
#
# The signature covers the timestamp and the body, byte for byte. The event's id is in a header that
# it does not cover, so the id only prevents processing an event twice. What happened is always read
# from Prolific.


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


def parse(raw: bytes, headers: Mapping[str, str], secret: str) -> Event:
    """Read a notification. Raises `InvalidEntry`."""
    if not secret:
        raise InvalidEntry("Set PROLIFIC_WEBHOOK_SECRET to take events from Prolific.", 401)
    timestamp, given = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    expected = signature(secret, timestamp, raw)
    if not timestamp or not hmac.compare_digest(expected.encode(), given.encode()):
        raise InvalidEntry("The signature of this event is missing or wrong.", 401)
    at = _happened(headers.get(EVENT_TIME, "") or timestamp, sent=timestamp)
    name = headers.get(EVENT_ID, "") or given
    try:
        told = json.parse_json(raw)
    except json.NotJson:
        told = None
    about = str(told.get("resource_id", "")) if isinstance(told, dict) else ""
    if at is None or not A_NAME.fullmatch(about) or not A_NAME.fullmatch(name):
        raise InvalidEntry("This event cannot be read.", 400)
    if str(told.get("event_type", "")).startswith("submission."):
        return Event(name, at, unit=about)
    return Event(name, at, listing=about)


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


# People at Prolific: groups that exclude them from studies, and messages to them.


AN_ID = re.compile(r"[0-9a-f]{24}")


def is_id(text: str) -> bool:
    return AN_ID.fullmatch(text) is not None


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


# Subscribes to Prolific's events, so that it need not be polled.
#
# Every step is looked for before it is done. Another run repairs what was interrupted, and changes
# nothing else. A workspace's secret is never replaced, because other programs may use it too.


EVENTS = ("study.status.change", "submission.status.change")
CONFIRMATION = "X-Hook-Secret"
INCOMPLETE = "Prolific’s answer was incomplete. Run this again."


class HookState(StrEnum):
    MADE = "made"
    AGAIN = "made again: the old one was not in force"
    ALREADY = "there already"


def subscribe_hook(
    client: ProlificClient, workspace: str, url: str
) -> tuple[str, dict[str, HookState]]:
    """Subscribe this address to events. Raises a `CrowdError`.

    Returns the secret of the workspace, which signs its events, and what was done for each event.
    """
    secret = _secret(client, workspace)
    listed = list(client.pages("hooks/subscriptions/", workspace_id=workspace))
    return secret, {one: _subscribed(client, workspace, url, one, listed) for one in EVENTS}


def _secret(client: ProlificClient, workspace: str) -> str:
    """Return the workspace's secret; it is created if there is none."""
    for row in client.pages("hooks/secrets/", workspace_id=workspace):
        if row.get("value") and row.get("workspace_id", workspace) == workspace:
            return str(row["value"])
    made = _answered(client.ask("POST", "hooks/secrets/", {"workspace_id": workspace}))
    if not made.get("value"):
        raise Transient(INCOMPLETE)
    return str(made["value"])


def _subscribed(
    client: ProlificClient, workspace: str, url: str, event: str, listed: list[dict[str, Any]]
) -> HookState:
    ours = [row for row in listed if (row.get("event_type"), row.get("target_url")) == (event, url)]
    if any(row.get("is_enabled") for row in ours):
        return HookState.ALREADY
    for row in ours:  # a confirmation is sent only once, at creation
        _answered(client.ask("DELETE", path("hooks", "subscriptions", str(row["id"]))))
    _make(client, {"workspace_id": workspace, "event_type": event, "target_url": url})
    return HookState.AGAIN if ours else HookState.MADE


def _make(client: ProlificClient, wanted: Mapping[str, str]) -> None:
    reply = client.ask("POST", "hooks/subscriptions/", wanted)
    made = _one(_answered(reply), wanted)
    confirmation = reply.headers.get(CONFIRMATION, "")
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


ENTRY_SECONDS = 3.0  # a person waits for the page
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
HOLDS_A_PLACE = ("ACTIVE", "RESERVED")  # reserved: the state just before they open our page


class Prolific:
    """The `Marketplace` of Prolific. `environment` is "live" at Prolific itself; otherwise the
    server's name.

    People enter and leave on top-level pages, with ids in the address. Prolific signs nothing in
    it. A person is verified at once by asking Prolific for the submission: participant, study and
    state must agree with the address. Our signed name of the posting is in the path, so a study
    cannot be exchanged for another of ours.
    """

    key = "prolific"
    label = "Prolific"
    can = Capabilities(
        auto_approval=True,
        messaging=True,
        least_reason=LEAST_REASON,
        no_effect=("keywords", "auto_approval"),
    )
    refusal_limit = studies.AUTO_APPROVAL

    def __init__(
        self,
        *,
        base_url: str,
        api_token: str,
        webhook_secret: str = "",
        read_seconds: float = READ_SECONDS,
    ):
        self.client = ProlificClient(base_url, api_token, read_seconds=read_seconds)
        self.environment = "live" if self.client.live else self.client.netloc
        self.app = studies.APP if self.client.live else self.client.base_url
        self._webhook_secret = webhook_secret
        self._currency = ""
        self._entry_seconds = min(ENTRY_SECONDS, read_seconds)

    def parse_entry(self, params: Mapping[str, str]) -> Claim:
        ids = {name: params.get(name, "") for name in PARAMETERS}
        if not all(is_id(value) for value in ids.values()):
            raise InvalidEntry(
                _("This link is not complete. Open the study from Prolific again."),
                HTTPStatus.BAD_REQUEST,
            )
        posting = tokens.read_posting(params.get("posting", ""))
        person, listing, unit = ids.values()
        return Claim(person=person, posting=posting, listing=listing, unit=unit)

    def verify_claim(self, claim: Claim) -> bool:
        """Return True: Prolific confirms the claim. See `Entry`."""
        reply = self.client.ask("GET", path("submissions", claim.unit), seconds=self._entry_seconds)
        unknown = InvalidEntry(
            _("Prolific does not know this submission. Open the study from Prolific again."),
            HTTPStatus.FORBIDDEN,
        )
        if reply.status == HTTPStatus.NOT_FOUND:
            raise unknown
        if not reply.ok:
            error = error_of(reply)
            raise error if isinstance(error, Transient | Configuration) else Transient(str(error))
        if not isinstance(reply.data, dict):
            raise Transient("Prolific’s answer was incomplete. Try again in a moment.")
        said = studies.submission(reply.data)
        if (said.person, said.listing, said.unit) != (claim.person, claim.listing, claim.unit):
            raise unknown
        if studies.status(reply.data) not in HOLDS_A_PLACE:
            raise InvalidEntry(_("Prolific says that this submission is over."), HTTPStatus.GONE)
        return True

    def completion(self, *, unit: str, submit_to: str, receipt: str, code: str) -> Completion:
        """Return the address that submits the work; its code says that the work was completed."""
        return Completion(f"{self.app}/submissions/complete?{urlencode({'cc': code})}")

    def frame_policy(self) -> dict[str, list[str]]:
        """Allow no frames: Prolific opens our pages in a separate tab."""
        return {"frame-ancestors": ["'none'"], "form-action": ["'self'"]}

    # ---------------------------------------------------------------- launch

    def validate(self, spec: Spec) -> list[ListingProblem]:
        """Return what would be refused. An account that does not answer is also a problem."""
        unmet, currency, silent = list(studies.unknown(spec.audience)), "", ""
        try:
            currency = str(self._account().get("currency_code", ""))
            unmet = unmet or self._filters(spec)[1]
        except CrowdError as error:
            silent = error.message
        return [
            *studies.problems(spec, live=self.client.live, currency=currency),
            *(ListingProblem("audience", message) for message in unmet),
            *([ListingProblem("", silent)] if silent else []),
        ]

    def estimate_cost(self, reward: Decimal, places: int) -> Price | None:
        """Ask Prolific, which knows the account's fee and tax."""
        body = {"reward": studies.minor(reward), "total_available_places": places}
        reply = self.client.ask("POST", "study-cost-calculator/", body)
        if reply.ok and isinstance(reply.data, dict) and "total_cost" in reply.data:
            rewards = reward * places
            return Price(rewards, studies.major(reply.data["total_cost"]) - rewards)
        error = Transient("") if reply.ok else error_of(reply)
        if not isinstance(error, Transient):
            raise error
        return None

    def bonus_cost(self, amount: Decimal) -> Price | None:
        """Return the cost of a bonus: the fee is that of rewards, as in the documented examples."""
        return self.estimate_cost(amount, 1)

    def currency(self) -> str:
        if not self._currency:  # the currency of an account does not change
            self._currency = str(self._account().get("currency_code") or "USD")
        return self._currency

    def balance(self) -> Decimal | None:
        available = self._account().get("available_balance")
        return None if available is None else studies.major(available)

    @effect
    def publish(self, spec: Spec, op_id: str) -> Outcome:
        if not spec.code:
            return Outcome(Effect.REFUSED, "code", "A study needs a completion code.")
        made = [
            study for study in self.client.pages("studies/") if studies.is_made_by(study, op_id)
        ]
        published = [study for study in made if studies.status(study) != studies.DRAFT]
        if published:
            return self._posted(published[0], Effect.ALREADY)
        draft = made[0] if made else self._draft(spec, op_id)
        return draft if isinstance(draft, Outcome) else self._go_live(draft)

    def find_postings(self, op_id: str) -> list[Posted]:
        """Return published studies. A draft is not published: `publish` continues with it."""
        return [
            studies.posted(study, self.app)
            for study in self.client.pages("studies/")
            if studies.is_made_by(study, op_id) and studies.status(study) != studies.DRAFT
        ]

    @effect
    def add_places(self, listing: str, n: int, op_id: str) -> Outcome:
        """Set more places and note the operation in one request, so that a repeat is recognised.

        Prolific's documentation does not say which fields of a published study can be changed;
        other users report these two. Simultaneous extensions of one study could overwrite each
        other (fewer places, never more), so carry them out one after the other.
        """
        study = self._study(listing)
        if studies.is_extended_by(study, op_id):
            return self._posted(study, Effect.ALREADY)
        body = {
            "total_available_places": int(study["total_available_places"]) + n,
            "internal_name": studies.extended_name(study, op_id),
        }
        reply = self.client.ask("PATCH", path("studies", listing), body)
        if not reply.ok:
            return outcome_of(reply)
        return self._posted({**study, **body}, Effect.APPLIED)

    @effect
    def stop(self, listing: str) -> Outcome:
        """Stop a study unless it is complete. A full one continues when a place is free.

        The documentation does not say whether Prolific stops a full one. If it refuses, no one can
        enter now, and the study is stopped once it continues.
        """
        if studies.status(self._study(listing)) in (studies.COMPLETED, studies.DRAFT):
            return Outcome(Effect.ALREADY)
        return self._transition(listing, "STOP", (*studies.RUNNING, studies.PAUSED))

    def posting_level(self, listing: str) -> PostingLevel:
        return studies.level(self._study(listing), self.iter_submissions(listing))

    @effect
    def archive(self, listing: str) -> Outcome:
        """Return success for a complete study: Prolific keeps it and has no archive."""
        if studies.status(self._study(listing)) in (studies.COMPLETED, studies.DRAFT):
            return Outcome(Effect.ALREADY, message="Prolific keeps complete studies.")
        return Outcome(Effect.RETRYABLE, "undecided", "Prolific does not call it complete yet.")

    # ---------------------------------------------------------------- review and money

    def iter_submissions(self, listing: str) -> Iterator[Submission]:
        for row in self.client.pages(path("studies", listing, "submissions")):
            yield studies.submission(row, listing, ahead=self.client.ahead)

    def get_submission(self, unit: str) -> Submission:
        row = self.client.read(path("submissions", unit))
        return studies.submission(row, ahead=self.client.ahead)

    @effect
    def approve(self, unit: str, *, override: bool = False) -> Outcome:
        """Approve. A rejection cannot be changed."""
        return self._review(unit, UnitState.APPROVED, {"action": "APPROVE"})

    @effect
    def reject(self, unit: str, *, reason: str) -> Outcome:
        """Reject, in Prolific's category OTHER, which the reason explains."""
        if len(reason.strip()) < LEAST_REASON:
            return Outcome(
                Effect.REFUSED,
                "reason",
                f"Prolific asks for a reason of at least {LEAST_REASON} characters, which the "
                f"participant reads; this one has {len(reason.strip())}. Explain it in more words.",
            )
        body = {"action": "REJECT", "message": reason, "rejection_category": "OTHER"}
        return self._review(unit, UnitState.REJECTED, body)

    @effect
    def pay_bonus(self, bonus: Bonus, op_id: str) -> Outcome:
        """Prepare a payment, which costs nothing, then pay it once."""
        body = {"study_id": bonus.listing, "csv_bonuses": f"{bonus.unit},{bonus.amount:.2f}"}
        prepared = self.client.ask("POST", "submissions/bonus-payments/", body)
        if not prepared.ok:
            outcome = outcome_of(prepared, idempotent=True)
            if outcome.effect != Effect.AMBIGUOUS:
                return outcome
            return Outcome(Effect.RETRYABLE, outcome.code, outcome.message)
        payment = prepared.data if isinstance(prepared.data, dict) else {}
        if payment.get("amount") != studies.minor(bonus.amount):
            said = f"Prolific understood another amount than {bonus.amount:.2f}; nothing was paid."
            return Outcome(Effect.REFUSED, "amount", said)
        paid = self.client.ask("POST", path("bulk-bonus-payments", str(payment["id"]), "pay"), {})
        return Outcome(Effect.APPLIED) if paid.ok else outcome_of(paid)

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        raise Configuration(
            f"Prolific lists bonuses without saying what they are for. Look whether submission "
            f"{bonus.unit} got {bonus.amount:.2f}; it can take some minutes to appear."
        )

    # ---------------------------------------------------------------- people and events

    @effect
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        """Add a person to a group, or remove them; repeating either changes nothing.

        A named group is created at its first use.
        """
        known = find_group(self.client, group)
        if known is None and not excluded:
            return Outcome(Effect.ALREADY)
        found = known or make_group(self.client, group)
        if isinstance(found, Outcome):
            return found
        members = path("participant-groups", found, "participants")
        method = "POST" if excluded else "DELETE"
        reply = self.client.ask(method, members, {"participant_ids": [person]})
        return Outcome(Effect.APPLIED) if reply.ok else outcome_of(reply, idempotent=True)

    @effect
    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome:
        """Write to each person separately, about a study of ours in which they took part.

        Prolific requires the study that a message is about. Its messages have no subject, so it is
        the first line.
        """
        about = _studies_of(self.client, set(people))
        words = f"{subject}\n\n{text}" if subject else text
        bodies = [
            {"recipient_id": person, "study_id": about[person], "body": words}
            for person in people
            if person in about
        ]
        replies = [self.client.ask("POST", "messages/", body) for body in bodies]
        if any(reply.ok for reply in replies) or not people:
            return Outcome(Effect.APPLIED)
        if replies:
            return outcome_of(replies[0])
        said = "Prolific passes messages on to participants of our studies only."
        return Outcome(Effect.REFUSED, "not_found", said)

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event:
        return parse(raw, headers, self._webhook_secret)

    def subscribe(self, url: str) -> tuple[str, dict[str, HookState]]:
        """Subscribe this address to events (`subscribe_hook`). Existing subscriptions stay."""
        if self.client.live and not url.startswith("https://"):
            raise Configuration(
                "Prolific sends events to https:// addresses only. Set PUBLIC_URL to one."
            )
        return subscribe_hook(self.client, workspace(self.client), url)

    # ---------------------------------------------------------------- inside

    def _account(self) -> dict[str, Any]:
        account: dict[str, Any] = self.client.read("users/me/")
        return account

    def _study(self, listing: str) -> dict[str, Any]:
        study: dict[str, Any] = self.client.read(path("studies", listing))
        if studies.status(study) == studies.PASSING:
            raise Transient("Prolific is changing this study at the moment. Try again later.")
        return study

    def _transition(self, listing: str, action: str, before: Sequence[str]) -> Outcome:
        """Move a study on; refused only if it is still in one of the states in `before`."""
        body = {"action": action}
        reply = self.client.ask("POST", path("studies", listing, "transition"), body)
        if reply.ok:
            return Outcome(Effect.APPLIED)
        outcome = outcome_of(reply, idempotent=True)
        if outcome.effect == Effect.REFUSED:
            moved = studies.status(self._study(listing)) not in before
            return Outcome(Effect.ALREADY) if moved else outcome
        return outcome

    def _posted(self, study: Mapping[str, Any], effect: Effect) -> Outcome:
        return Outcome(effect, posted=studies.posted(study, self.app))

    def _filters(self, spec: Spec) -> tuple[list[dict[str, Any]], list[str]]:
        return studies.filters(spec.audience, self.client.pages("filters/"))

    def _draft(self, spec: Spec, op_id: str) -> dict[str, Any] | Outcome:
        """Create the draft of a study; an Outcome if that failed."""
        filters, problems = self._filters(spec)
        if problems:
            return Outcome(Effect.REFUSED, "audience", problems[0])
        if name := spec.audience.exclusion:
            group = find_group(self.client, name) or make_group(self.client, name)
            if isinstance(group, Outcome):
                return group
            filters.append(studies.blocklist(group))
        reply = self.client.ask("POST", "studies/", studies.draft(spec, op_id, filters))
        if not reply.ok:
            return outcome_of(reply)
        if not isinstance(reply.data, dict) or "id" not in reply.data:
            return Outcome(Effect.AMBIGUOUS, "transient", "Prolific’s answer was incomplete.")
        return reply.data

    def _go_live(self, draft: Mapping[str, Any]) -> Outcome:
        outcome = self._transition(str(draft["id"]), "PUBLISH", (studies.DRAFT,))
        return self._posted(draft, outcome.effect) if outcome.happened else outcome

    def _review(self, unit: str, wanted: UnitState, body: Mapping[str, str]) -> Outcome:
        """Decide about a waiting submission. Decisions at Prolific are final."""
        now = self.get_submission(unit).state
        if now == wanted:
            return Outcome(Effect.ALREADY)
        if now == UnitState.ACTIVE:
            return Outcome(Effect.RETRYABLE, NOT_YET, "Prolific does not list it as handed in yet.")
        if now != UnitState.SUBMITTED:
            return Outcome(
                Effect.REFUSED,
                "transition",
                f"At Prolific this submission is {now.value}, which is final. "
                "Pay with a bonus where pay is due.",
            )
        reply = self.client.ask("POST", path("submissions", unit, "transition"), body)
        return Outcome(Effect.APPLIED) if reply.ok else outcome_of(reply, idempotent=True)
