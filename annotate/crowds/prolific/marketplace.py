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

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotate.crowds.base import (
    NOT_YET,
    Audience,
    Bonus,
    Configuration,
    Cost,
    CrowdError,
    Effect,
    Event,
    Fullness,
    InvalidEntry,
    ListingProblem,
    Outcome,
    Posted,
    Spec,
    Submission,
    Transient,
    UnitState,
)
from annotate.crowds.prolific import audience as audiences
from annotate.crowds.prolific import checks, events, hooks, studies
from annotate.crowds.prolific import people as prolific_people
from annotate.crowds.prolific.entry import ProlificEntry
from annotate.crowds.prolific.hooks import Subscribed
from annotate.crowds.prolific.http import effect, error_of, outcome_of, path

OTHER = "OTHER"


class Prolific(ProlificEntry):
    """The adapter; see `annotate.crowds.base.Marketplace`."""

    # ---------------------------------------------------------------- launch

    def validate(self, spec: Spec) -> list[ListingProblem]:
        """Return what would be refused. An account that does not answer is also a problem."""
        problems = audiences.unknown(spec.audience)
        currency = ""
        try:
            currency = str(self._account().get("currency_code", ""))
            if not problems:
                problems += self._filters(spec.audience)[1]
        except CrowdError as error:
            problems.append(ListingProblem("", error.message))
        return [*checks.problems(spec, live=self.client.live, currency=currency), *problems]

    def estimate_cost(self, reward: Decimal, places: int) -> Cost:
        """Ask Prolific, which knows the account's fee and tax; otherwise return an estimate."""
        body = {"reward": studies.minor(reward), "total_available_places": places}
        reply = self.client.ask("POST", "study-cost-calculator/", body)
        if reply.ok and isinstance(reply.data, dict) and "total_cost" in reply.data:
            rewards = reward * places
            return Cost(rewards, studies.major(reply.data["total_cost"]) - rewards)
        error = Transient("") if reply.ok else error_of(reply)
        if not isinstance(error, Transient):
            raise error
        return checks.estimated_cost(reward, places)

    def bonus_cost(self, amount: Decimal) -> Cost:
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

    def posting_level(self, listing: str) -> Fullness:
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
    def approve(self, unit: str, *, override: bool = False, message: str = "") -> Outcome:
        """Approve. Prolific passes on no message, and a rejection cannot be changed."""
        return self._review(unit, UnitState.APPROVED, {"action": "APPROVE"})

    @effect
    def reject(self, unit: str, *, reason: str, category: str = "") -> Outcome:
        """Reject. `category`: one of Prolific's; by default OTHER, which the reason explains."""
        category = category or OTHER
        refused = checks.rejection_refused(reason, category)
        if refused is not None:
            return refused
        body = {"action": "REJECT", "message": reason, "rejection_category": category}
        return self._review(unit, UnitState.REJECTED, body)

    @effect
    def pay_bonus(self, bonus: Bonus, op_id: str) -> Outcome:
        """Prepare a payment, which costs nothing, then pay it once. `note`: its name there."""
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
        name = str(payment["id"])
        if paid.ok:
            return Outcome(Effect.APPLIED, note=name)
        failed = outcome_of(paid)
        return Outcome(failed.effect, failed.code, failed.message, note=name)

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        raise Configuration(
            f"Prolific lists bonuses without saying what they are for. Look whether submission "
            f"{bonus.unit} got {bonus.amount:.2f}; it can take some minutes to appear."
        )

    # ---------------------------------------------------------------- people and events

    @effect
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        return prolific_people.set_member(self.client, person, excluded, group=group)

    @effect
    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome:
        """Send a message. Prolific's messages have no subject, so it is the first line."""
        words = f"{subject}\n\n{text}" if subject else text
        return prolific_people.send(self.client, people, words)

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event | InvalidEntry:
        return events.parse(raw, headers, self._webhook_secret)

    def subscribe(self, url: str) -> Subscribed:
        """Subscribe this address to events. Existing subscriptions stay."""
        if self.client.live and not url.startswith("https://"):
            raise Configuration(
                "Prolific sends events to https:// addresses only. Set PUBLIC_URL to one."
            )
        return hooks.subscribe(self.client, prolific_people.workspace(self.client), url)

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

    def _filters(self, audience: Audience) -> tuple[list[dict[str, Any]], list[ListingProblem]]:
        wished = audiences.wishes(audience)
        return audiences.resolve(wished, self.client.pages("filters/")) if wished else ([], [])

    def _draft(self, spec: Spec, op_id: str) -> dict[str, Any] | Outcome:
        """Create the draft of a study; an Outcome if that failed."""
        filters, problems = self._filters(spec.audience)
        if problems:
            return Outcome(Effect.REFUSED, "audience", problems[0].message)
        if spec.audience.exclusion:
            group = self._group(spec.audience.exclusion)
            if isinstance(group, Outcome):
                return group
            filters.append(audiences.blocklist(group))
        reply = self.client.ask("POST", "studies/", studies.draft(spec, op_id, filters))
        if not reply.ok:
            return outcome_of(reply)
        if not isinstance(reply.data, dict) or "id" not in reply.data:
            return Outcome(Effect.AMBIGUOUS, "transient", "Prolific’s answer was incomplete.")
        return reply.data

    def _group(self, name: str) -> str | Outcome:
        found = prolific_people.find_group(self.client, name)
        return found or prolific_people.make_group(self.client, name)

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
