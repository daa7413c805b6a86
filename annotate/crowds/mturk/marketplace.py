"""Amazon Mechanical Turk, or any server with its API of 2017-01-17."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, ParseError, SubElement, fromstring, tostring

from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.common import tokens
from annotate.crowds.contract import (
    NOT_YET,
    Audience,
    Bonus,
    Capabilities,
    Claim,
    Completion,
    CrowdError,
    Duplicate,
    Effect,
    Event,
    InvalidEntry,
    InvalidTransition,
    ListingProblem,
    NotFoundAtCrowd,
    Outcome,
    Posted,
    PostingLevel,
    Spec,
    Stage,
    Submission,
    Transient,
    Unanswered,
    UnitState,
    effect,
)
from annotate.crowds.mturk.client import (
    READ_TIMEOUT,
    MTurkClient,
    origin,
    world,
)
from annotate.crowds.prices import CENT, MTURK_TARIFF, Price

# MTurk's XML: the question that frames our page, and the submitted answers.


SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
RECEIPT = "receipt"  # the field of the form that submits the work


def question_xml(url: str) -> str:
    """Return the question of a posting: our page at `url`, as high as the worker's window."""
    question = Element("ExternalQuestion", xmlns=SCHEMA)
    SubElement(question, "ExternalURL").text = url
    SubElement(question, "FrameHeight").text = "0"
    return tostring(question, encoding="unicode")


def receipt_in(answers: str) -> str:
    """Return our nonce from what a worker's browser submitted, or "".

    A worker can submit anything. Unreadable answers have no receipt, so they are not taken for
    ours. Document types are refused, and with them entities that they define.
    """
    if "<!DOCTYPE" in answers:
        return ""
    try:
        root = fromstring(answers)  # noqa: S314
    except ParseError:
        return ""
    for answer in root.iterfind("{*}Answer"):
        if (answer.findtext("{*}QuestionIdentifier") or "").strip() == RECEIPT:
            return (answer.findtext("{*}FreeText") or "").strip()
    return ""


# Checks for what MTurk would refuse, before it is called.


PLACES_AT_MOST = 9
YEAR = timedelta(seconds=31_536_000)
SHORTEST = timedelta(seconds=30)
LATEST_APPROVAL = timedelta(seconds=2_592_000)
QUESTION_BYTES = 65_535
TEXTS = {"title": 128, "description": 2000}
KEYWORDS = 1000
COUNTRIES = 30
EXCLUSION = 150
COUNTRY = re.compile(r"[A-Z]{2}")


def problems(spec: Spec, *, plain_http: bool) -> Iterator[ListingProblem]:
    """Yield what MTurk would refuse. botocore checks only types."""
    for field, longest in TEXTS.items():
        text = str(getattr(spec, field))
        if not text.strip() or len(text) > longest:
            yield ListingProblem(field, f"The {field} needs 1 to {longest:,} characters.")
    if len(", ".join(spec.keywords)) > KEYWORDS:
        yield ListingProblem("keywords", f"Keywords and commas: at most {KEYWORDS:,} characters.")
    if not payable(spec.reward):
        yield ListingProblem("reward", "The reward is an amount above 0 with at most two decimals.")
    if not 1 <= spec.places <= PLACES_AT_MOST:
        yield ListingProblem(
            "places",
            f"A HIT has 1 to {PLACES_AT_MOST} places here. Publish more HITs instead: "
            "from 10 places on, each costs a further fee.",
        )
    for field in ("duration", "lifetime"):
        if not SHORTEST <= getattr(spec, field) <= YEAR:
            yield ListingProblem(field, f"The {field} is 30 seconds to 365 days.")
    if not timedelta(0) <= spec.auto_approval <= LATEST_APPROVAL:
        yield ListingProblem("auto_approval", "Automatic approval comes after 0 to 30 days.")
    parts = urlsplit(spec.url)
    schemes = ("https", "http") if plain_http else ("https",)
    if parts.scheme not in schemes or not parts.hostname:
        yield ListingProblem(
            "url",
            "MTurk shows only pages whose address begins with https://. Set PUBLIC_URL to such "
            "an address of this server.",
        )
    elif len(question_xml(spec.url).encode()) > QUESTION_BYTES:
        yield ListingProblem("url", f"The question is longer than {QUESTION_BYTES:,} bytes.")
    for problem in _unmet(spec.audience):
        yield ListingProblem("audience", problem)


def payable(amount: Decimal) -> bool:
    return amount.is_finite() and amount > 0 and amount == amount.quantize(CENT)


def _unmet(audience: Audience) -> Iterator[str]:
    """Yield what MTurk cannot require of people."""
    if len(audience.countries) > COUNTRIES:
        yield f"MTurk takes at most {COUNTRIES} countries."
    if not all(COUNTRY.fullmatch(country) for country in audience.countries):
        yield "Countries are two capital letters each, such as DE."
    if audience.languages:
        yield (
            "MTurk does not know which languages people speak: choose countries, and let the "
            "tutorial decide."
        )
    if audience.approval_rate is not None and not 0 <= audience.approval_rate <= 100:
        yield "The approval rate is a percentage: 0 to 100."
    if audience.approved_work is not None and audience.approved_work < 0:
        yield "The number of approved tasks is 0 or more."
    if audience.masters:
        yield (
            "Masters cost a further fee, which the budget does not include. Ask for an approval "
            "rate and a number of approved tasks instead."
        )
    if len(audience.exclusion) > EXCLUSION:
        yield f"The exclusion list's name has at most {EXCLUSION} characters."


# The adapter. MTurk signs none of its parameters of entry.


NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT = "/mturk/externalSubmit"
THING = re.compile(r"[A-Z0-9]{1,64}")
WORKER = re.compile(r"A[A-Z0-9]{1,63}")
SHAPES = {"assignmentId": THING, "hitId": THING, "workerId": WORKER}
IDS = re.compile(r"\b[A-Z0-9]{20,64}\b")
MOMENT = timedelta(minutes=1)  # our estimate of their clock is not exact
OVER = ("Reviewable", "Reviewing", "Disposed")
ENLARGED = (
    "A HIT that was made with fewer than 10 places can never have 10 or more: publish a new "
    "posting for the rest."
)
HANDED_IN = ("Submitted", "Approved", "Rejected")
FEEDBACK = 1024
NOT_LISTED = "MTurk does not know this submission as handed in. It can take minutes until it does."
OPPOSITE = {
    UnitState.APPROVED: "It was already approved, by a person or automatically. MTurk does not "
    "take back an approval.",
    UnitState.REJECTED: "It was rejected, and MTurk did not change that. A rejection "
    "can be overridden for 30 days; after that, pay a bonus instead.",
}
COUNTRY_QUALIFICATION = "00000000000000000071"
APPROVAL_RATE = "000000000000000000L0"
APPROVED_WORK = "00000000000000000040"
PORTION = 100  # people per message
SUBJECT = 200
TEXT = 4096
LIST = "Plumbline: "
ABOUT = "Hides these tasks from people who take no further part in them. It has no other meaning."


class MTurk:
    """The `Marketplace` of MTurk. Nothing is called and no credentials are read before its use."""

    key = "mturk"
    label = "Amazon Mechanical Turk"
    can = Capabilities(
        verify_at_entry=False,
        override_refusal=timedelta(days=30),
        idempotent_bonus=True,
        auto_approval=True,
        messaging=True,
        messaging_once_decided=True,
        token_life=timedelta(hours=24),
        places_at_most=PLACES_AT_MOST,
    )
    refusal_limit = LATEST_APPROVAL  # at most: each batch has its own, shown with each unit

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

    @property
    def environment(self) -> str:
        return self.world.environment

    # ------------------------------------------------------------ people enter and leave

    def parse_entry(self, params: Mapping[str, str]) -> Claim:
        posting = tokens.read_posting(params.get("posting", ""))
        if params.get("assignmentId") == NOT_ACCEPTED:
            return Claim(posting=posting)
        if not all(shape.fullmatch(params.get(name, "")) for name, shape in SHAPES.items()):
            raise InvalidEntry(_("Open this page from Mechanical Turk: accept the HIT there."), 400)
        submit_to = origin(params.get("turkSubmitTo", ""))
        if submit_to not in self.world.sites:
            raise InvalidEntry(
                _("This page was opened from another place than where the HIT was published."), 403
            )
        return Claim(
            person=params["workerId"],
            posting=posting,
            listing=params["hitId"],
            unit=params["assignmentId"],
            submit_to=submit_to,
        )

    def verify_claim(self, claim: Claim) -> bool:
        """Return False: anyone can write such an address. Only listed submissions are certain."""
        return False

    def completion(self, *, unit: str, submit_to: str, receipt: str, code: str) -> Completion:
        site = submit_to or self.world.sites[-1]
        return Completion(site + SUBMIT, {"assignmentId": unit, RECEIPT: receipt})

    def frame_policy(self) -> dict[str, list[str]]:
        sites = list(self.world.sites)
        return {"frame-ancestors": sites, "form-action": ["'self'", *sites]}

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event:
        raise InvalidEntry("MTurk sends no events here: its work is read regularly.", 404)

    # ------------------------------------------------------------ exclusion lists and messages
    # Exclusion lists are qualification types; workers who have one do not see the work.

    @effect
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        found = self._list(group, make=excluded)
        if not found:
            return Outcome(Effect.ALREADY, message="This list is empty.")
        named = {"QualificationTypeId": found, "WorkerId": person}
        try:
            if excluded:
                self.api.act(
                    "associate_qualification_with_worker",
                    **named,
                    IntegerValue=1,
                    SendNotification=False,
                )
            else:
                self.api.act("disassociate_qualification_from_worker", **named)
        except CrowdError as error:
            if error.code.lower().endswith("qualificationtypedoesnotexist"):
                self._lists.pop(group, None)  # it was deleted there; the next call makes a new one
                return Outcome(Effect.RETRYABLE, error.code, error.message)
            if excluded or not isinstance(error, NotFoundAtCrowd | InvalidTransition):
                raise
            return Outcome(Effect.ALREADY)
        return Outcome(Effect.APPLIED)

    def _list(self, group: str, *, make: bool) -> str:
        """Return the qualification type of an exclusion list; "" if there is none yet."""
        if group not in self._lists:
            found = self._named(LIST + group) or (self._new(LIST + group) if make else "")
            if not found:
                return ""
            self._lists[group] = found
        return self._lists[group]

    def _named(self, name: str) -> str:
        pages = self.api.pages(
            "list_qualification_types",
            "QualificationTypes",
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )
        return next((one["QualificationTypeId"] for one in pages if one["Name"] == name), "")

    def _new(self, name: str) -> str:
        try:
            made = self.api.act(
                "create_qualification_type",
                Name=name,
                Description=ABOUT,
                QualificationTypeStatus="Active",
            )
        except (Duplicate, Unanswered) as error:
            # Names are unique, so a second try does not create a second list.
            raise Transient("MTurk does not list the exclusion list yet.") from error
        return str(made["QualificationType"]["QualificationTypeId"])

    def requirements(self, audience: Audience) -> list[dict[str, Any]]:
        """Return MTurk's requirements for accepting the work; creates the exclusion list."""
        asked: list[dict[str, Any]] = []
        if audience.countries:
            countries = [{"Country": country} for country in audience.countries]
            asked.append(_asked(COUNTRY_QUALIFICATION, "In", LocaleValues=countries))
        if audience.approval_rate is not None:
            asked.append(_asked(APPROVAL_RATE, "GreaterThanOrEqualTo", audience.approval_rate))
        if audience.approved_work is not None:
            asked.append(_asked(APPROVED_WORK, "GreaterThanOrEqualTo", audience.approved_work))
        if audience.exclusion:
            kept_out = _asked(self._list(audience.exclusion, make=True), "DoesNotExist")
            asked.append(kept_out | {"ActionsGuarded": "DiscoverPreviewAndAccept"})
        return asked

    @effect
    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome:
        """Write to people in groups of a hundred. Each group is sent once, whatever happens."""
        if not 0 < len(subject) <= SUBJECT or not 0 < len(text) <= TEXT:
            limits = f"A subject has 1 to {SUBJECT} characters, a message 1 to {TEXT:,}."
            return Outcome(Effect.REFUSED, "length", limits)
        unique = list(dict.fromkeys(people))
        failed = 0
        for start in range(0, len(unique), PORTION):
            part = unique[start : start + PORTION]
            try:
                answer = self.api.act(
                    "notify_workers", Subject=subject, MessageText=text, WorkerIds=part
                )
            except CrowdError as error:
                if not start:
                    raise
                unsure = isinstance(error, Unanswered)
                maybe = " (some of them may have received it)" if unsure else ""
                failed += len(unique) - start
                said = f"{failed} people were not reached{maybe}. {error.message}"
                return Outcome(Effect.APPLIED, error.code, said)
            failed += len(answer.get("NotifyWorkersFailureStatuses", []))
        if failed == len(unique):
            return Outcome(Effect.REFUSED, "unreached", "MTurk reached none of these people.")
        said = f"MTurk could not reach {failed} of {len(unique)} people." if failed else ""
        return Outcome(Effect.APPLIED, message=said)

    # ------------------------------------------------------------ submissions
    # Approving and rejecting are safe to repeat: MTurk is asked for the current state.

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
    def approve(self, unit: str, *, override: bool = False) -> Outcome:
        return self._decide(
            UnitState.APPROVED, unit, "approve_assignment", OverrideRejection=override
        )

    @effect
    def reject(self, unit: str, *, reason: str) -> Outcome:
        if not reason.strip():
            return Outcome(Effect.REFUSED, "reason", "Give a reason: the worker reads it.")
        told = reason if len(reason) <= FEEDBACK else reason[: FEEDBACK - 1] + "…"
        return self._decide(UnitState.REJECTED, unit, "reject_assignment", RequesterFeedback=told)

    def _decide(self, wished: UnitState, unit: str, operation: str, **arguments: Any) -> Outcome:
        try:
            self.api.act(operation, AssignmentId=unit, **arguments)
        except (InvalidTransition, NotFoundAtCrowd) as error:
            return self._as_it_stands(wished, unit, error)
        return Outcome(Effect.APPLIED)

    def _as_it_stands(self, wished: UnitState, unit: str, error: CrowdError) -> Outcome:
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
        except (InvalidTransition, NotFoundAtCrowd):
            return Outcome(Effect.RETRYABLE, NOT_YET, NOT_LISTED)
        return Outcome(Effect.APPLIED)

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        paid = self.api.pages("list_bonus_payments", "BonusPayments", AssignmentId=bonus.unit)
        try:
            return any(_same(payment, bonus, op_id) for payment in paid)
        except NotFoundAtCrowd:
            return False

    # ------------------------------------------------------------ before the launch

    def validate(self, spec: Spec) -> list[ListingProblem]:
        return list(problems(spec, plain_http=self.world.plain_http))

    def estimate_cost(self, reward: Decimal, places: int) -> Price:
        """Return the cost of places by MTurk's published fees, in postings of at most 9."""
        return MTURK_TARIFF.unit(reward) * places

    def bonus_cost(self, amount: Decimal) -> Price:
        return MTURK_TARIFF.bonus(amount)

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
        except Duplicate as error:
            return self._published(op_id, error)
        return Outcome(Effect.APPLIED, posted=self._posted(made["HIT"]))

    def _type(self, spec: Spec) -> dict[str, Any]:
        return {
            "Title": spec.title,
            "Description": spec.description,
            "Keywords": ", ".join(spec.keywords),
            "Reward": f"{spec.reward:.2f}",
            "AssignmentDurationInSeconds": int(spec.duration.total_seconds()),
            "AutoApprovalDelayInSeconds": int(spec.auto_approval.total_seconds()),
            "QualificationRequirements": self.requirements(spec.audience),
        }

    def _published(self, op_id: str, error: Duplicate) -> Outcome:
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
        except CrowdError as error:
            if not error.code.lower().endswith("invalidmaximumassignmentsincrease"):
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

    def posting_level(self, listing: str) -> PostingLevel:
        hit = self.api.read("get_hit", HITId=listing)["HIT"]
        return PostingLevel(
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
        except NotFoundAtCrowd:
            return Outcome(Effect.ALREADY)
        except InvalidTransition:
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


def _asked(qualification: str, comparator: str, *values: int, **more: Any) -> dict[str, Any]:
    numbers = {"IntegerValues": list(values)} if values else {}
    return {
        "QualificationTypeId": qualification,
        "Comparator": comparator,
        "ActionsGuarded": "Accept",
        **numbers,
        **more,
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
