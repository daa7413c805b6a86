"""How people enter from MTurk and leave. MTurk signs none of its parameters."""

import re
from collections.abc import Mapping
from datetime import timedelta

from django.utils.translation import gettext as _

from annotate import tokens
from annotate.crowds.base import (
    Capabilities,
    Claim,
    Event,
    FormPost,
    FramePolicy,
    InvalidEntry,
    Leaving,
    Preview,
)
from annotate.crowds.mturk.checks import LATEST_APPROVAL, PLACES_AT_MOST
from annotate.crowds.mturk.environments import Environment, origin
from annotate.crowds.mturk.question import RECEIPT
from annotate.errors import ServiceError

NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT = "/mturk/externalSubmit"
THING = re.compile(r"[A-Z0-9]{1,64}")
WORKER = re.compile(r"A[A-Z0-9]{1,63}")
SHAPES = {"assignmentId": THING, "hitId": THING, "workerId": WORKER}


class FromMTurk:
    """The `Entry` of MTurk."""

    key = "mturk"
    label = "Amazon Mechanical Turk"
    can = Capabilities(
        preview=True,
        iframe=True,
        verify_at_entry=False,
        override_refusal=timedelta(days=30),
        idempotent_bonus=True,
        auto_approval=True,
        messaging=True,
        messaging_once_decided=True,
        can_shrink=True,
        token_life=timedelta(hours=24),
        places_at_most=PLACES_AT_MOST,
    )
    refusal_limit = LATEST_APPROVAL  # at most: each batch has its own, shown with each unit
    world: Environment

    @property
    def environment(self) -> str:
        return self.world.environment

    def parse_entry(self, params: Mapping[str, str]) -> Preview | Claim | InvalidEntry:
        try:
            posting = tokens.read_posting(params.get("posting", ""))
        except ServiceError as error:
            return InvalidEntry(error.message, error.status)
        if params.get("assignmentId") == NOT_ACCEPTED:
            return Preview(posting)
        if not all(shape.fullmatch(params.get(name, "")) for name, shape in SHAPES.items()):
            return InvalidEntry(
                _("Open this page from Mechanical Turk: accept the HIT there."), 400
            )
        return self._claim(params, posting)

    def _claim(self, params: Mapping[str, str], posting: str) -> Claim | InvalidEntry:
        submit_to = origin(params.get("turkSubmitTo", ""))
        if submit_to not in self.world.sites:
            return InvalidEntry(
                _("This page was opened from another place than where the HIT was published."), 403
            )
        return Claim(
            person=params["workerId"],
            posting=posting,
            listing=params["hitId"],
            unit=params["assignmentId"],
            submit_to=submit_to,
        )

    def verify_claim(self, claim: Claim) -> bool | InvalidEntry:
        """Return False: anyone can write such an address. Only listed submissions are certain."""
        return False

    def completion(self, leaving: Leaving) -> FormPost:
        fields = {"assignmentId": leaving.unit, RECEIPT: leaving.receipt}
        return FormPost((leaving.submit_to or self.world.sites[-1]) + SUBMIT, fields)

    def frame_policy(self) -> FramePolicy:
        return FramePolicy(self.world.sites, ("'self'", *self.world.sites))

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event | InvalidEntry:
        return InvalidEntry("MTurk sends no events here: its work is read regularly.", 404)
