"""Amazon Mechanical Turk, or any server with its API of 2017-01-17."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from annotate.crowds.base import (
    Cost,
    CrowdError,
    Effect,
    Fullness,
    ListingProblem,
    NotFoundAtCrowd,
    Outcome,
    Posted,
    Spec,
    Stage,
)
from annotate.crowds.mturk.checks import joined, problems
from annotate.crowds.mturk.client import READ_TIMEOUT, MTurkClient
from annotate.crowds.mturk.crowd import MTURK
from annotate.crowds.mturk.entry import FromMTurk
from annotate.crowds.mturk.environments import world
from annotate.crowds.mturk.errors import Kind, TurkError, effect
from annotate.crowds.mturk.people import People
from annotate.crowds.mturk.question import question_xml
from annotate.crowds.mturk.review import MTurkReview

IDS = re.compile(r"\b[A-Z0-9]{20,64}\b")
TARIFF = MTURK.tariff
MOMENT = timedelta(minutes=1)  # our estimate of their clock is not exact
OVER = ("Reviewable", "Reviewing", "Disposed")
ENLARGED = (
    "A HIT that was made with fewer than 10 places can never have 10 or more: publish a new "
    "posting for the rest."
)


class MTurk(FromMTurk, MTurkReview, People):
    """The `Marketplace` of MTurk. Nothing is called and no credentials are read before its use."""

    def __init__(
        self,
        environment: str,
        *,
        endpoint_url: str = "",
        worker_url: str = "",
        timeout: float = READ_TIMEOUT,
    ) -> None:
        self.world = world(environment, endpoint_url, worker_url)
        self.api = MTurkClient(self.world, timeout=timeout)
        self._lists: dict[str, str] = {}

    # ------------------------------------------------------------ before the launch

    def validate(self, spec: Spec) -> list[ListingProblem]:
        return list(problems(spec, plain_http=self.world.plain_http))

    def estimate_cost(self, reward: Decimal, places: int) -> Cost:
        """Return the cost of places by MTurk's published fees, in postings of at most 9."""
        each = TARIFF.unit(reward)
        return Cost(each.reward * places, each.fee * places)

    def bonus_cost(self, amount: Decimal) -> Cost:
        each = TARIFF.bonus(amount)
        return Cost(each.reward, each.fee)

    def currency(self) -> str:
        return "USD"

    def balance(self) -> Decimal:
        return Decimal(self.api.read("get_account_balance")["AvailableBalance"])

    # ------------------------------------------------------------ postings

    @effect
    def publish(self, spec: Spec, op_id: str) -> Outcome:
        found = self.validate(spec)
        if found:
            return Outcome(Effect.REFUSED, "invalid", " ".join(one.message for one in found))
        group = self.api.read("create_hit_type", **self._type(spec))["HITTypeId"]
        try:
            made = self.api.act("create_hit_with_hit_type", **_hit(spec, group, op_id))
        except TurkError as error:
            if error.kind is not Kind.DUPLICATE:
                raise
            return self._published(op_id, error)
        return Outcome(Effect.APPLIED, posted=self._posted(made["HIT"]))

    def _type(self, spec: Spec) -> dict[str, Any]:
        return {
            "Title": spec.title,
            "Description": spec.description,
            "Keywords": joined(spec.keywords),
            "Reward": f"{spec.reward:.2f}",
            "AssignmentDurationInSeconds": int(spec.duration.total_seconds()),
            "AutoApprovalDelayInSeconds": int(spec.auto_approval.total_seconds()),
            "QualificationRequirements": self.requirements(spec.audience),
        }

    def _published(self, op_id: str, error: TurkError) -> Outcome:
        """Return the HIT that was made earlier with this token."""
        try:
            for listing in IDS.findall(error.message):
                if hit := self._ours(listing, op_id):
                    return Outcome(Effect.ALREADY, posted=self._posted(hit))
            for posted in self.find_postings(op_id):
                return Outcome(Effect.ALREADY, posted=posted)
        except CrowdError as unread:
            return Outcome(Effect.AMBIGUOUS, unread.code, unread.message)
        return Outcome(Effect.AMBIGUOUS, error.code, "MTurk has it, but does not list it yet.")

    def _ours(self, listing: str, op_id: str) -> dict[str, Any] | None:
        try:
            hit: dict[str, Any] = self.api.read("get_hit", HITId=listing)["HIT"]
        except NotFoundAtCrowd:
            return None
        return hit if hit.get("RequesterAnnotation") == op_id else None

    def find_postings(self, op_id: str) -> list[Posted]:
        hits = self.api.pages("list_hits", "HITs")
        return [self._posted(hit) for hit in hits if hit.get("RequesterAnnotation") == op_id]

    def _posted(self, hit: dict[str, Any]) -> Posted:
        group = hit["HITTypeId"]
        url = self.world.listing_url(hit.get("HITGroupId") or group)
        return Posted(hit["HITId"], hit["MaxAssignments"], group, url)

    @effect
    def add_places(self, listing: str, n: int, op_id: str) -> Outcome:
        try:
            self.api.act(
                "create_additional_assignments_for_hit",
                HITId=listing,
                NumberOfAdditionalAssignments=n,
                UniqueRequestToken=op_id,
            )
        except TurkError as error:
            if error.kind is not Kind.INCREASE:
                raise
            return Outcome(Effect.REFUSED, error.code, ENLARGED)
        return Outcome(Effect.APPLIED)

    @effect
    def stop(self, listing: str) -> Outcome:
        hit = self.api.read("get_hit", HITId=listing)["HIT"]
        if hit["HITStatus"] in OVER:
            return Outcome(Effect.ALREADY)
        self.api.act("update_expiration_for_hit", HITId=listing, ExpireAt=self._past(hit))
        return Outcome(Effect.APPLIED)

    def _past(self, hit: dict[str, Any]) -> datetime:
        """Return a time in the past by MTurk's clock; if that is unknown, the HIT's creation."""
        made: datetime = hit["CreationTime"]
        ahead = self.api.ahead
        return made if ahead is None else timezone.now() + ahead - MOMENT

    def posting_level(self, listing: str) -> Fullness:
        hit = self.api.read("get_hit", HITId=listing)["HIT"]
        return Fullness(
            stage=_stage(hit),
            places=hit["MaxAssignments"],
            available=hit["NumberOfAssignmentsAvailable"],
            pending=hit["NumberOfAssignmentsPending"],
            expires_at=hit["Expiration"],
        )

    @effect
    def archive(self, listing: str) -> Outcome:
        try:
            self.api.act("delete_hit", HITId=listing)
        except TurkError as error:
            if error.kind is Kind.MISSING:
                return Outcome(Effect.ALREADY)
            if error.kind is not Kind.STATE:
                raise
            return self._not_archived(listing)
        return Outcome(Effect.APPLIED)

    def _not_archived(self, listing: str) -> Outcome:
        hit = self.api.read("get_hit", HITId=listing)["HIT"]
        if hit["HITStatus"] == "Disposed":
            return Outcome(Effect.ALREADY)
        if _stage(hit) is Stage.OPEN:
            return Outcome(Effect.REFUSED, "open", "People can still accept it. Stop it first.")
        return Outcome(
            Effect.RETRYABLE,
            "undecided",
            "It can be archived once all submissions are approved or rejected.",
        )


def _hit(spec: Spec, group: str, op_id: str) -> dict[str, Any]:
    return {
        "HITTypeId": group,
        "MaxAssignments": spec.places,
        "LifetimeInSeconds": int(spec.lifetime.total_seconds()),
        "Question": question_xml(spec.url),
        "RequesterAnnotation": op_id,
        "UniqueRequestToken": op_id,
    }


def _stage(hit: dict[str, Any]) -> Stage:
    """Return the stage of a HIT. A full HIT that is not over is open: a place may be returned."""
    if hit["HITStatus"] in OVER:
        return Stage.CLOSED
    if hit["HITStatus"] == "Assignable":
        return Stage.OPEN
    full = hit["NumberOfAssignmentsAvailable"] == 0
    return Stage.OPEN if full and hit["Expiration"] > timezone.now() else Stage.DRAINING
