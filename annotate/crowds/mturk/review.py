"""Submissions on MTurk and what happens to them: approval, rejection, bonuses."""

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from annotate.crowds.base import (
    NOT_YET,
    Bonus,
    Effect,
    InvalidTransition,
    NotFoundAtCrowd,
    Outcome,
    Submission,
    UnitState,
)
from annotate.crowds.mturk.checks import payable
from annotate.crowds.mturk.client import MTurkClient
from annotate.crowds.mturk.errors import Kind, TurkError, effect
from annotate.crowds.mturk.question import receipt_in

HANDED_IN = ("Submitted", "Approved", "Rejected")
FEEDBACK = 1024
NOT_LISTED = "MTurk does not know this submission as handed in. It can take minutes until it does."


class MTurkReview:
    """Approving and rejecting are safe to repeat: MTurk is asked for the current state."""

    api: MTurkClient

    def iter_submissions(self, listing: str) -> Iterator[Submission]:
        pages = self.api.pages(
            "list_assignments_for_hit",
            "Assignments",
            HITId=listing,
            AssignmentStatuses=list(HANDED_IN),
        )
        return (_submission(assignment) for assignment in pages)

    def get_submission(self, unit: str) -> Submission:
        """Return a submitted unit; MTurk does not report others."""
        try:
            answer = self.api.read("get_assignment", AssignmentId=unit)
        except InvalidTransition as error:
            raise NotFoundAtCrowd(NOT_LISTED) from error
        return _submission(answer["Assignment"])

    @effect
    def approve(self, unit: str, *, override: bool = False, message: str = "") -> Outcome:
        feedback = {"RequesterFeedback": _shortened(message)} if message else {}
        return self._decide(
            UnitState.APPROVED, unit, "approve_assignment", OverrideRejection=override, **feedback
        )

    @effect
    def reject(self, unit: str, *, reason: str, category: str = "") -> Outcome:
        if not reason.strip():
            return Outcome(Effect.REFUSED, "reason", "Give a reason: the worker reads it.")
        return self._decide(
            UnitState.REJECTED, unit, "reject_assignment", RequesterFeedback=_shortened(reason)
        )

    def _decide(self, wished: UnitState, unit: str, operation: str, **arguments: Any) -> Outcome:
        try:
            self.api.act(operation, AssignmentId=unit, **arguments)
        except TurkError as error:
            if error.kind not in (Kind.STATE, Kind.MISSING):
                raise
            return self._as_it_stands(wished, unit, error)
        return Outcome(Effect.APPLIED)

    def _as_it_stands(self, wished: UnitState, unit: str, error: TurkError) -> Outcome:
        try:
            state = self.get_submission(unit).state
        except NotFoundAtCrowd:
            return Outcome(Effect.RETRYABLE, NOT_YET, NOT_LISTED)
        if state is wished:
            return Outcome(Effect.ALREADY)
        if state is UnitState.SUBMITTED:
            return Outcome(Effect.RETRYABLE, NOT_YET, error.message)
        return Outcome(Effect.REFUSED, state.value, OPPOSITE[state])

    @effect
    def pay_bonus(self, bonus: Bonus, op_id: str) -> Outcome:
        if not payable(bonus.amount):
            return Outcome(Effect.REFUSED, "amount", "A bonus is an amount above 0 in whole cents.")
        try:
            self.api.act(
                "send_bonus",
                WorkerId=bonus.person,
                AssignmentId=bonus.unit,
                BonusAmount=f"{bonus.amount:.2f}",
                Reason=f"{bonus.reason} {reference(op_id)}",
                UniqueRequestToken=op_id,
            )
        except TurkError as error:
            if error.kind not in (Kind.STATE, Kind.MISSING):
                raise
            return Outcome(Effect.RETRYABLE, NOT_YET, NOT_LISTED)
        return Outcome(Effect.APPLIED)

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        paid = self.api.pages("list_bonus_payments", "BonusPayments", AssignmentId=bonus.unit)
        try:
            return any(_same(payment, bonus, op_id) for payment in paid)
        except NotFoundAtCrowd:
            return False


OPPOSITE = {
    UnitState.APPROVED: "It was already approved, by a person or automatically. MTurk does not "
    "take back an approval.",
    UnitState.REJECTED: "It was rejected, and MTurk did not change that. A rejection "
    "can be overridden for 30 days; after that, pay a bonus instead.",
}


def reference(op_id: str) -> str:
    """Return the text by which a bonus is found again. The worker may read it."""
    return f"(ref {hashlib.sha256(op_id.encode()).hexdigest()[:12]})"


def _same(payment: dict[str, Any], bonus: Bonus, op_id: str) -> bool:
    return (
        payment["WorkerId"] == bonus.person
        and Decimal(payment["BonusAmount"]) == bonus.amount
        and payment.get("Reason", "").rstrip().endswith(reference(op_id))
    )


def _shortened(text: str) -> str:
    return text if len(text) <= FEEDBACK else text[: FEEDBACK - 1] + "…"


def _submission(assignment: dict[str, Any]) -> Submission:
    return Submission(
        listing=assignment["HITId"],
        unit=assignment["AssignmentId"],
        person=assignment["WorkerId"],
        state=UnitState(assignment["AssignmentStatus"].lower()),
        receipt=receipt_in(assignment.get("Answer", "")),
        accepted_at=assignment.get("AcceptTime"),
        submitted_at=assignment.get("SubmitTime"),
        auto_approval_at=assignment.get("AutoApprovalTime"),
    )
