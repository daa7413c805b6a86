"""What Prolific knows and allows, for tests: studies, submissions, money, groups and messages.

Written from the public description of its REST API v1. Money is in pence.
"""

import secrets
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.crowds.far_side import NoPlace

AUTO_APPROVAL = timedelta(days=21)
FINISHED = ("AWAITING REVIEW", "APPROVED", "REJECTED")
LEAST_PER_HOUR = 600
CATEGORIES = {
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
}
FILTERS = [
    {
        "filter_id": "current-country-of-residence",
        "title": "Current country of residence",
        "type": "select",
        "choices": {"0": "United Kingdom", "1": "United States", "9": "Germany"},
    },
    {
        "filter_id": "fluent-languages",
        "title": "Fluent languages",
        "type": "select",
        "choices": {"19": "English", "22": "German"},
    },
    {"filter_id": "approval_rate", "title": "Approval rate", "type": "range"},
    {"filter_id": "participant_group_blocklist", "title": "Blocked groups", "type": "select"},
]


class Refused(Exception):
    """The request is answered with an error."""

    def __init__(self, status: int, detail: Any, code: int = 140100):
        super().__init__(detail)
        self.status, self.detail, self.code = status, detail, code


def new_id() -> str:
    return secrets.token_hex(12)


def with_fee(amount: int) -> int:
    return int((Decimal(amount) * 4 / 3).to_integral_value(ROUND_HALF_UP))


@dataclass
class World:
    """The whole of it. Every call holds the lock for as long as it lasts."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    ahead: timedelta = timedelta(0)
    available: int = 1_000_000
    currency: str = "GBP"
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    payments: dict[str, dict[str, Any]] = field(default_factory=dict)
    bonuses: list[tuple[str, str, int]] = field(default_factory=list)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    workspace: str = field(default_factory=new_id)
    logged_in: str = ""  # whose browser comes with a completion code
    secrets: list[dict[str, str]] = field(default_factory=list)
    hooks: dict[str, dict[str, Any]] = field(default_factory=dict)
    unreachable: set[str] = field(default_factory=set)  # whom no message reaches
    # What its descriptions say differently. A full study of which a place is free again goes on
    # (its developers) or is paused until somebody starts it (its help pages); whether one that is
    # full can be stopped is said nowhere.
    reopens: str = "ACTIVE"
    stops_full: bool = True

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def stamp(self) -> str:
        return self.now().isoformat().replace("+00:00", "Z")

    def account(self) -> dict[str, Any]:
        available = self.available
        return {"id": "0" * 24, "currency_code": self.currency, "available_balance": available}

    def cost(self, body: dict[str, Any]) -> dict[str, int]:
        return {"total_cost": with_fee(int(body["reward"] * body["total_available_places"]))}

    # ------------------------------------------------------------ studies

    def create_study(self, body: dict[str, Any]) -> dict[str, Any]:
        self._check_study(body)
        study = {**body, "id": new_id(), "status": "UNPUBLISHED", "date_created": self.stamp()}
        self.studies[study["id"]] = study
        return study

    def _check_study(self, body: dict[str, Any]) -> None:
        wrong: dict[str, list[str]] = {}

        def require(name: str, right: bool, words: str) -> None:
            if not right:
                wrong[name] = [words]

        for name in ("name", "description", "external_study_url", "completion_codes"):
            require(name, bool(body.get(name)), "This field is required.")
        for name in ("reward", "total_available_places", "estimated_completion_time"):
            right = isinstance(body.get(name), int) and body[name] >= 1
            require(name, right, "A valid integer is required.")
        url = body.get("external_study_url", "")
        require("external_study_url", url.startswith(("https://", "http://")), "Not a URL.")
        known = {entry["filter_id"] for entry in FILTERS}
        for entry in body.get("filters", []):
            require("filters", entry["filter_id"] in known, "Unknown filter.")
        if not wrong and body["reward"] * 60 < LEAST_PER_HOUR * body["estimated_completion_time"]:
            wrong["reward"] = ["The reward is below our minimum per hour."]
        if wrong:
            raise Refused(400, wrong)

    def study(self, study_id: str) -> dict[str, Any]:
        if study_id not in self.studies:
            raise Refused(404, "No study found.", 140404)
        study = self.studies[study_id]
        self._pass_time(study)
        return {**study, "places_taken": self._taken(study_id)}

    def list_studies(self) -> list[dict[str, Any]]:
        return [self.study(study_id) for study_id in self.studies]

    def change_study(self, study_id: str, body: dict[str, Any]) -> dict[str, Any]:
        study = self.study(study_id)
        if study["status"] != "UNPUBLISHED" and set(body) - {
            "internal_name",
            "total_available_places",
        }:
            raise Refused(400, "This field cannot be changed once the study is published.")
        more = body.get("total_available_places", study["total_available_places"])
        added = more - study["total_available_places"]
        if added < 0:
            raise Refused(400, "The number of places can only grow.")
        if study["status"] != "UNPUBLISHED":
            self._spend(with_fee(study["reward"] * added))
        self.studies[study_id].update(body)
        if added and study["status"] in ("AWAITING REVIEW", "COMPLETED"):
            self.studies[study_id].update(status="ACTIVE", stopped=False)
        return self.study(study_id)

    def move_study(self, study_id: str, action: str) -> dict[str, Any]:
        study = self.study(study_id)
        allowed = {
            "PUBLISH": ("UNPUBLISHED",),
            "PAUSE": ("ACTIVE",),
            "START": ("PAUSED",),
            "STOP": ("ACTIVE", "PAUSED", *["AWAITING REVIEW"][: self.stops_full]),
        }
        if study["status"] not in allowed.get(action, ()):
            raise Refused(400, f"Cannot {action} a study that is {study['status']}.", 140101)
        places = study["total_available_places"]
        if action == "PUBLISH":
            self._spend(with_fee(study["reward"] * places))
        if action == "STOP":
            self.available += with_fee(study["reward"] * (places - self._taken(study_id)))
            self.studies[study_id]["stopped"] = True
        after = {"PAUSE": "PAUSED", "STOP": "AWAITING REVIEW"}.get(action, "ACTIVE")
        self.studies[study_id]["status"] = after
        return self.study(study_id)

    def _spend(self, amount: int) -> None:
        if amount > self.available:
            raise Refused(400, "Insufficient funds: your available balance is too low.", 140110)
        self.available -= amount

    def _taken(self, study_id: str) -> int:
        return sum(
            row["study_id"] == study_id
            and row["status"] in ("ACTIVE", "AWAITING REVIEW", "APPROVED")
            for row in self.submissions.values()
        )

    # ------------------------------------------------------------ submissions

    def of_study(self, study_id: str) -> list[dict[str, Any]]:
        self.study(study_id)
        return [
            self.as_listed(row) for row in self.submissions.values() if row["study_id"] == study_id
        ]

    def as_listed(self, row: dict[str, Any]) -> dict[str, Any]:
        """Lists say `participant_id`; a single submission says `participant`."""
        kept = {name: value for name, value in row.items() if name not in ("participant",)}
        pence = [amount for _person, unit, amount in self.bonuses if unit == row["id"]]
        return {**kept, "participant_id": row["participant"], "bonus_payments": pence}

    def submission(self, unit: str) -> dict[str, Any]:
        if unit not in self.submissions:
            raise Refused(404, "No submission found.", 140404)
        self.study(self.submissions[unit]["study_id"])
        return self.submissions[unit]

    def move_submission(self, unit: str, body: dict[str, Any]) -> dict[str, Any]:
        row, action = self.submission(unit), body.get("action")
        wanted = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}.get(str(action))
        if wanted is None:
            raise Refused(400, "Unknown action.")
        if action == "REJECT":
            if len(body.get("message", "")) < 100:
                raise Refused(400, {"message": ["At least 100 characters."]})
            if body.get("rejection_category") not in CATEGORIES:
                raise Refused(400, {"rejection_category": ["Not a valid choice."]})
        if row["status"] == wanted:
            return row
        if row["status"] != "AWAITING REVIEW":
            raise Refused(400, f"Cannot {action} a submission that is {row['status']}.", 140102)
        row["decided"] = body
        self._end(row, wanted)
        return row

    def _end(self, row: dict[str, Any], status: str) -> None:
        """Give a submission a status that it keeps; a stopped study pays free places back."""
        study = self.studies[row["study_id"]]
        row["status"] = status
        if study.get("stopped") and status != "APPROVED":
            self.available += with_fee(study["reward"])
        self._round_off(study)

    def _pass_time(self, study: dict[str, Any]) -> None:
        limit = timedelta(minutes=study.get("maximum_allowed_time", 60))
        for row in self.submissions.values():
            if row["study_id"] != study["id"]:
                continue
            if row["status"] == "ACTIVE" and self.now() > row["started"] + limit:
                self._end(row, "TIMED-OUT")
            if row["status"] == "AWAITING REVIEW" and self.now() > row["ended"] + AUTO_APPROVAL:
                self._end(row, "APPROVED")
        self._round_off(study)

    def _round_off(self, study: dict[str, Any]) -> None:
        """A full study awaits review, goes on when a place is free again, or is complete."""
        states = [
            row["status"] for row in self.submissions.values() if row["study_id"] == study["id"]
        ]
        places, stopped = study["total_available_places"], study.get("stopped", False)
        full = self._taken(study["id"]) >= places
        if study["status"] == "ACTIVE" and full and "ACTIVE" not in states:
            study["status"] = "AWAITING REVIEW"
        if study["status"] == "AWAITING REVIEW" and not (stopped or full):
            study["status"] = self.reopens
        undecided = {"ACTIVE", "AWAITING REVIEW"} & set(states)
        done = not undecided if stopped else states.count("APPROVED") >= places
        if study["status"] == "AWAITING REVIEW" and done:
            study["status"] = "COMPLETED"

    # ------------------------------------------------------------ people

    def accept(self, study_id: str, person: str) -> str:
        if study_id not in self.studies or self.study(study_id)["status"] != "ACTIVE":
            raise NoPlace("not open")
        rows = [row for row in self.submissions.values() if row["study_id"] == study_id]
        if any(row["participant"] == person and row["status"] != "RETURNED" for row in rows):
            raise NoPlace("once each")
        if self._taken(study_id) >= self.studies[study_id]["total_available_places"]:
            raise NoPlace("full")
        if self._blocked(study_id, person):
            raise NoPlace("blocked")
        unit = new_id()
        self.submissions[unit] = {
            "id": unit,
            "study_id": study_id,
            "participant": person,
            "status": "ACTIVE",
            "started": self.now(),
            "started_at": self.stamp(),
            "completed_at": None,
        }
        return unit

    def _blocked(self, study_id: str, person: str) -> bool:
        blocked = [
            group
            for entry in self.studies[study_id].get("filters", [])
            if entry["filter_id"] == "participant_group_blocklist"
            for group in entry["selected_values"]
        ]
        return any(person in self.groups[group]["members"] for group in blocked)

    def hand_in(self, unit: str) -> None:
        row = self.submission(unit)
        if row["status"] in FINISHED:
            return
        if row["status"] != "ACTIVE":
            raise NoPlace(row["status"])
        row.update(status="AWAITING REVIEW", ended=self.now(), completed_at=self.stamp())
        self._round_off(self.studies[row["study_id"]])

    def complete(self, code: str) -> bool:
        """Hand in what the person who is logged in holds of the study with this code."""
        for row in list(self.submissions.values()):
            codes = [one["code"] for one in self.studies[row["study_id"]]["completion_codes"]]
            if (row["participant"], row["status"]) == (self.logged_in, "ACTIVE") and code in codes:
                self.hand_in(row["id"])
                return True
        return False

    def give_back(self, unit: str) -> None:
        """People return what they are at, and what they have handed in, until it is decided."""
        row = self.submission(unit)
        if row["status"] not in ("ACTIVE", "AWAITING REVIEW"):
            raise NoPlace(row["status"])
        self._end(row, "RETURNED")

    # ------------------------------------------------------------ bonuses

    def prepare_bonus(self, body: dict[str, Any]) -> dict[str, Any]:
        self.study(body["study_id"])
        rows: list[tuple[str, str, int]] = []
        for line in body["csv_bonuses"].split():
            name, amount = line.split(",")
            row = next(
                (
                    row
                    for row in self.submissions.values()
                    if row["study_id"] == body["study_id"]
                    and name in (row["id"], row["participant"])
                    and row["status"] in FINISHED
                ),
                None,
            )
            if row is None:
                raise Refused(400, f"Unknown ids: {name}")
            rows.append((row["participant"], row["id"], int(Decimal(amount) * 100)))
        total = sum(amount for _person, _unit, amount in rows)
        payment = {
            "id": new_id(),
            "study": body["study_id"],
            "amount": total,
            "vat": 0,
            "fees": with_fee(total) - total,
            "total_amount": with_fee(total),
        }
        self.payments[payment["id"]] = {**payment, "rows": rows}
        return payment

    def pay_bonus(self, payment_id: str) -> str:
        """As documented: not idempotent. Each request pays again."""
        if payment_id not in self.payments:
            raise Refused(404, "No bulk bonus payment found.", 140404)
        payment = self.payments[payment_id]
        self._spend(payment["total_amount"])
        self.bonuses += payment["rows"]
        return f"Bulk bonus payment with ID {payment_id} is being processed asynchronously."

    # ------------------------------------------------------------ groups and messages

    def create_group(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("workspace_id") != self.workspace:
            raise Refused(400, "No such workspace.")
        group = {"id": new_id(), "name": body["name"], "members": set(), "is_deleted": False}
        self.groups[group["id"]] = group
        return group

    def group(self, group_id: str) -> dict[str, Any]:
        if group_id not in self.groups:
            raise Refused(404, "No participant group found.", 140404)
        return self.groups[group_id]

    def join(self, group_id: str, body: dict[str, Any]) -> dict[str, Any]:
        self.group(group_id)["members"].update(body["participant_ids"])
        return self._members(group_id)

    def part(self, group_id: str, body: dict[str, Any]) -> dict[str, Any]:
        self.group(group_id)["members"].difference_update(body["participant_ids"])
        return self._members(group_id)

    def _members(self, group_id: str) -> dict[str, Any]:
        return {
            "results": [{"participant_id": one} for one in sorted(self.group(group_id)["members"])]
        }

    def send(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["recipient_id"] in self.unreachable:
            raise Refused(400, "This participant cannot be messaged.")
        self.study(body["study_id"])
        self.messages.append(body)
        return {}

    # ------------------------------------------------------------ hooks

    def create_secret(self, body: dict[str, Any]) -> dict[str, str]:
        """The new one replaces the old one, as at Prolific."""
        made = {"id": new_id(), "value": secrets.token_urlsafe(24), **body}
        self.secrets[:] = [made]
        return made

    def create_hook(self, body: dict[str, Any]) -> dict[str, Any]:
        if not self.secrets:
            raise Refused(400, "Create a secret for this workspace first.")
        secret = new_id()
        hook = {**body, "id": new_id(), "is_enabled": False, "confirmation": secret}
        self.hooks[hook["id"]] = hook
        shown = {name: value for name, value in hook.items() if name != "confirmation"}
        return {**shown, "_headers": {"X-Hook-Secret": secret}}

    def end_hook(self, hook_id: str) -> None:
        del self.hooks[hook_id]

    def confirm_hook(self, hook_id: str, body: dict[str, Any]) -> dict[str, Any]:
        if hook_id not in self.hooks or self.hooks[hook_id]["confirmation"] != body["secret"]:
            raise Refused(400, "The secret does not match.")
        self.hooks[hook_id]["is_enabled"] = True
        return self.hooks[hook_id]
