"""Campaigns whose experts are named, and what these judge."""

from typing import Any

from annotate.models import Assignment, Campaign, Participation
from annotate.work import experts, leasing, submitting
from tests.factories import GOOD, campaign, person

NAMES = ("Ann Lee", "Bob Ray", "Cem Ünal")


def panel(*, names: tuple[str, ...] = NAMES, **changes: Any) -> Campaign:
    usual: dict[str, Any] = {"items": 4, "systems": ("alpha",), "metrics": ()}
    return campaign(experts=names, **(usual | changes))


def give(who: Participation, n: int = 1, **response: Any) -> int:
    """Let an expert give so many judgments; return how many they gave."""
    given = 0
    while given < n and isinstance(got := leasing.lease(who.pk), Assignment):
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=GOOD | response)
        given += 1
    return given


def come(made: Campaign, names: tuple[str, ...] = NAMES) -> list[Participation]:
    return [person(made, name) for name in names]


def release(made: Campaign, name: str, replacement: str = "") -> None:
    experts.release(made.pk, name, actor_id=None, reason="They are ill.", replacement=replacement)
    made.refresh_from_db()
