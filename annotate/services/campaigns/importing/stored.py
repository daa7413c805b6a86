"""The row of an import: its status, which changes only here, and what it holds as JSON."""

import random
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone
from pydantic import TypeAdapter

from annotate.models import CampaignImport
from annotate.services import audit, transitions
from annotate.services.campaigns import metric_choice
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.problems import Refusal
from annotate.services.campaigns.plans import Plan
from annotate.signals import import_waiting
from annotate.states import ImportStatus as Status

TRANSITIONS: dict[Status, set[Status]] = {
    Status.READING: {
        Status.READY,
        Status.REFUSED,
        Status.CREATING,
        Status.FAILED,
        Status.CANCELLED,
    },
    Status.READY: {Status.CREATING, Status.CANCELLED},
    Status.REFUSED: {Status.CANCELLED},
    Status.CREATING: {Status.DONE, Status.REFUSED, Status.FAILED, Status.CANCELLED},
    Status.FAILED: {Status.READING, Status.CREATING, Status.CANCELLED},
    Status.DONE: set(),
    Status.CANCELLED: set(),
}


def move(
    of: CampaignImport,
    to: Status,
    *,
    where: dict[str, Any] | None = None,
    actor_id: int | None = None,
    **changes: Any,
) -> bool:
    """Change the status as it was read, log it, and wake a worker if there is work to do.

    False, with nothing changed, if somebody else was quicker or `where` does not hold.
    """
    mine = CampaignImport.objects.filter(pk=of.pk, **where or {})

    def record() -> None:
        audit.record(
            f"import_{to}", campaign_id=None, actor_id=actor_id, subject=f"import:{of.public_id}"
        )
        announce(of.pk)

    changes["changed_at"] = timezone.now()
    source = Status(of.status)
    if not transitions.change(mine, TRANSITIONS, to, sources=[source], record=record, **changes):
        return False
    of.refresh_from_db()
    return True


def begin_read(of: CampaignImport) -> None:
    """Store an import whose files were read before it is stored."""
    of.status = Status.CREATING
    of.save(force_insert=True)


def announce(import_id: int) -> None:
    """Let a worker look at it once this transaction has been committed."""
    transaction.on_commit(
        lambda: import_waiting.send_robust(sender=None, import_id=import_id), robust=True
    )


_PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)
_REFUSAL: TypeAdapter[Refusal] = TypeAdapter(Refusal)


def as_json(plan: Plan) -> dict[str, Any]:
    return dict(_PLAN.dump_python(plan, mode="json", exclude={"planned"}))


def plan_of(of: CampaignImport) -> Plan:
    """Return the plan with its seed: the researcher's own, or one that is this import's for good.

    So the preview counts the judgments that will be planned.
    """
    plan = _PLAN.validate_python(of.plan)
    drawn = random.Random(of.public_id).getrandbits(63)
    return plan if plan.seed is not None else replace(plan, seed=drawn)


def facts_of(of: CampaignImport) -> Facts:
    return Facts.model_validate(of.facts)


def notices_of(of: CampaignImport) -> list[str]:
    """Return what the owner should know of the file, once it was read."""
    if of.facts is None:
        return []
    facts = facts_of(of)
    names = of.campaign.metrics if of.campaign else of.plan["metrics"]
    return [*facts.notices, *metric_choice.offers(names, facts)]


def refusal_of(of: CampaignImport) -> Refusal:
    return _REFUSAL.validate_python(of.problems)


def refusal_as_json(refusal: Refusal) -> dict[str, Any]:
    return dict(_REFUSAL.dump_python(refusal, mode="json"))
