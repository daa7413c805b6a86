"""The JSON in the row of an import: the plan, the facts of the file, and its problems."""

import random
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from annotate.models import CampaignImport
from annotate.services.campaigns import metric_choice
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.problems import Refusal
from annotate.services.campaigns.plans import Plan

_PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)
_REFUSAL: TypeAdapter[Refusal] = TypeAdapter(Refusal)


def as_json(plan: Plan) -> dict[str, Any]:
    return dict(_PLAN.dump_python(plan, mode="json", exclude={"planned"}))


def asked_of(of: CampaignImport) -> Plan:
    """Return the plan as its owner sent it; without a seed, unless they gave one."""
    return _PLAN.validate_python(of.plan)


def plan_of(of: CampaignImport) -> Plan:
    """Return the plan with its seed: the researcher's own, or this import's permanent one.

    With the seed, the preview counts the judgments that will be planned.
    """
    plan = asked_of(of)
    drawn = random.Random(of.public_id).getrandbits(63)
    return plan if plan.seed is not None else replace(plan, seed=drawn)


def facts_of(of: CampaignImport) -> Facts:
    return Facts.model_validate(of.facts)


def notices_of(of: CampaignImport) -> list[str]:
    """Return what the owner should know about the file, once it has been read."""
    if of.facts is None:
        return []
    facts = facts_of(of)
    names = of.campaign.metrics if of.campaign else of.plan["metrics"]
    return [*facts.alike, *facts.notices, *metric_choice.offers(names, facts)]


def refusal_of(of: CampaignImport) -> Refusal:
    return _REFUSAL.validate_python(of.problems)


def refusal_as_json(refusal: Refusal) -> dict[str, Any]:
    return dict(_REFUSAL.dump_python(refusal, mode="json"))
