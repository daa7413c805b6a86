"""Whom MTurk admits, and messages to people."""

from collections.abc import Sequence
from typing import Any

from annotate.crowds.base import Audience, Effect, Outcome, Transient
from annotate.crowds.mturk.client import MTurkClient
from annotate.crowds.mturk.errors import Kind, TurkError, effect

COUNTRY = "00000000000000000071"
APPROVAL_RATE = "000000000000000000L0"
APPROVED_WORK = "00000000000000000040"
PORTION = 100  # people per message
SUBJECT = 200
TEXT = 4096
LIST = "Plumbline: "
ABOUT = "Hides these tasks from people who take no further part in them. It has no other meaning."


class People:
    """Exclusion lists are qualification types; workers who have one do not see the work."""

    api: MTurkClient
    _lists: dict[str, str]

    @effect
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        found = self._list(group, make=excluded)
        if not found:
            return Outcome(Effect.ALREADY, message="This list is empty.")
        try:
            return self._put(person, found) if excluded else self._take(person, found)
        except TurkError as error:
            if error.code.lower().endswith("qualificationtypedoesnotexist"):
                self._lists.pop(group, None)  # it was deleted there; the next call makes a new one
                return Outcome(Effect.RETRYABLE, error.code, error.message)
            raise

    def _put(self, person: str, found: str) -> Outcome:
        self.api.act(
            "associate_qualification_with_worker",
            QualificationTypeId=found,
            WorkerId=person,
            IntegerValue=1,
            SendNotification=False,
        )
        return Outcome(Effect.APPLIED, note=found)

    def _take(self, person: str, found: str) -> Outcome:
        try:
            self.api.act(
                "disassociate_qualification_from_worker", QualificationTypeId=found, WorkerId=person
            )
        except TurkError as error:
            gone = error.kind in (Kind.MISSING, Kind.STATE)
            if not gone or error.code.lower().endswith("typedoesnotexist"):
                raise
            return Outcome(Effect.ALREADY, note=found)
        return Outcome(Effect.APPLIED, note=found)

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
        except TurkError as error:
            if error.kind not in (Kind.DUPLICATE, Kind.UNKNOWN):
                raise
            # Names are unique, so a second try does not create a second list.
            raise Transient("MTurk does not list the exclusion list yet.") from error
        return str(made["QualificationType"]["QualificationTypeId"])

    def requirements(self, audience: Audience) -> list[dict[str, Any]]:
        """Return MTurk's requirements for accepting the work; creates the exclusion list."""
        asked: list[dict[str, Any]] = []
        if audience.countries:
            countries = [{"Country": country} for country in audience.countries]
            asked.append(_asked(COUNTRY, "In", LocaleValues=countries))
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
        failed: list[str] = []
        for start in range(0, len(unique), PORTION):
            try:
                failed += self._send(unique[start : start + PORTION], subject, text)
            except TurkError as error:
                if not start:
                    raise
                return _partly([*failed, *unique[start:]], error)
        return _sent(failed, len(unique))

    def _send(self, people: list[str], subject: str, text: str) -> list[str]:
        answer = self.api.act("notify_workers", Subject=subject, MessageText=text, WorkerIds=people)
        return [one["WorkerId"] for one in answer.get("NotifyWorkersFailureStatuses", [])]


def _asked(qualification: str, comparator: str, *values: int, **more: Any) -> dict[str, Any]:
    numbers = {"IntegerValues": list(values)} if values else {}
    return {
        "QualificationTypeId": qualification,
        "Comparator": comparator,
        "ActionsGuarded": "Accept",
        **numbers,
        **more,
    }


def _partly(failed: list[str], error: TurkError) -> Outcome:
    unsure = " (some of them may have received it)" if error.kind is Kind.UNKNOWN else ""
    said = f"{len(failed)} people were not reached{unsure}. {error.message}"
    return Outcome(Effect.APPLIED, error.code, said, failed=tuple(failed))


def _sent(failed: list[str], n_people: int) -> Outcome:
    if not failed:
        return Outcome(Effect.APPLIED)
    if len(failed) == n_people:
        return Outcome(
            Effect.REFUSED, "unreached", "MTurk reached none of these people.", failed=tuple(failed)
        )
    said = f"MTurk could not reach {len(failed)} of {n_people} people."
    return Outcome(Effect.APPLIED, message=said, failed=tuple(failed))
