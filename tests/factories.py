"""Campaigns, people and judgments for tests, made through the services."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from annotate.campaigns import creating, life
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import Row
from annotate.common import locks
from annotate.models import Assignment, Campaign, Participation
from annotate.work import leasing, participations, submitting
from annotate.work.picking import Picked

GOOD = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}


def user(name: str = "ada") -> User:
    return User.objects.create_user(name, password="long enough to be fine")


def rows(items: int = 6, systems: tuple[str, ...] = ("alpha", "beta")) -> list[Row]:
    """Outputs with different texts for each system, with a metric `quality`."""
    return [
        Row(
            item=f"item-{i}",
            system=system,
            output=f"The council of district {i} met on Monday, as {system} tells it.",
            reference=f"The council of district {i} met on Monday.",
            metrics={"quality": float((i * 7 + s * 3) % 11)},
        )
        for i in range(items)
        for s, system in enumerate(systems)
    ]


def plan(**changes: Any) -> Plan:
    settings: dict[str, Any] = {
        "name": "News",
        "targets": {"overall": 0.2},
        "metrics": ("quality",),
        "tutorial": False,
        "seed": 1,
    }
    return Plan(**(settings | changes))


def campaign(
    *,
    owner: User | None = None,
    items: int = 6,
    systems: tuple[str, ...] = ("alpha", "beta"),
    is_open: bool = True,
    rows_: list[Row] | None = None,
    **changes: Any,
) -> Campaign:
    made = creating.create(
        plan(**changes), rows_ or rows(items, systems), owner_id=owner.pk if owner else None
    )
    if is_open:
        life.open_(made.pk)
    made.refresh_from_db()
    return made


def person(campaign: Campaign, name: str = "p1") -> Participation:
    return participations.enter(campaign.pk, external_id=name)


def leased(who: Participation) -> Assignment:
    got = leasing.lease(who.pk)
    assert isinstance(got, Assignment), got
    return got


def lease_gold(who: Participation, picked: Picked) -> Assignment:
    """Lease a gold item to somebody, whether it is its time or not."""
    with transaction.atomic():
        mine = locks.person(who.pk)
        task = leasing.take(picked, mine)
        leasing.count(mine, picked, Q())
    return task


def judge(who: Participation, **response: Any) -> submitting.Receipt:
    """Lease and submit one judgment."""
    assignment = leased(who)
    return submitting.submit_judgment(
        assignment.pk, participation_id=who.pk, raw={**GOOD, **response}
    )


def change(campaign: Campaign, **fields: Any) -> None:
    """Change a campaign as services do: under its lock, which takes its leases' allowance back."""
    with transaction.atomic():
        locks.campaign(campaign.pk)
        Campaign.objects.filter(pk=campaign.pk).update(**fields)
