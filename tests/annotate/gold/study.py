"""Campaigns with gold items, and the people who work on them."""

from typing import Any

from annotate.campaigns import life
from annotate.instruments import base as instruments_base
from annotate.models import Assignment, Campaign, GoldItem, Participation
from annotate.review import gold
from annotate.work import leasing, submitting
from tests import factories
from tests.factories import GOOD

NOT_FLUENT = {"fluency": [-1, 0]}
BAD = {"fluency": -1, "edit": "The mayor opened the bridge."}  # what is right about the items


def items(n: int = 10) -> list[GoldItem]:
    texts = [f"The the mayor opened opened the bridge number {i}." for i in range(n)]
    return [
        GoldItem(name=f"gold-{i}", text=text, expected=NOT_FLUENT) for i, text in enumerate(texts)
    ]


def with_gold(study: Campaign, *, n: int = 10, share: int = 5, is_open: bool = True) -> Campaign:
    """Add gold items to a draft, and open it."""
    gold.add(study.pk, items(n), actor_id=None)
    gold.set_share(study.pk, share, actor_id=None)
    if is_open:
        life.open_(study.pk)
    study.refresh_from_db()
    return study


def planted(study: Campaign, n: int = 2, *, pair: bool = False) -> list[GoldItem]:
    """Store items in a draft as 0.2.0 planted them: nobody has confirmed them yet."""
    made = []
    for i in range(n):
        clean = f"The mayor opened the bridge number {i} on Monday evening."
        spoilt = clean.replace("opened the bridge", "opened the bridge opened the bridge")
        values = {
            "position": study.gold.count(),
            "name": f"repeated_words-{i + 1}",
            "kind": GoldItem.Kind.PLANTED,
            "text": instruments_base.joined(clean, spoilt) if pair else spoilt,
            "expected": {"preference": [1, 2]} if pair else NOT_FLUENT,
            "defect": "repeated_words",
            "clean_text": clean,
        }
        made.append(GoldItem.objects.create(campaign=study, **values))
    return made


def campaign(*, n: int = 10, share: int = 5, is_open: bool = True, **changes: Any) -> Campaign:
    made = factories.campaign(is_open=False, **changes)
    return with_gold(made, n=n, share=share, is_open=is_open)


def do(
    who: Participation, *, is_right: bool = True, **response: Any
) -> tuple[Assignment, submitting.Receipt] | None:
    """Lease and submit one task; None where there is none. is_right: what it says of gold."""
    got = leasing.lease(who.pk)
    if not isinstance(got, Assignment):
        return None
    given = {**GOOD, **response}
    if got.gold_id is not None:
        given = {**GOOD, **(BAD if is_right else {})}
    return got, submitting.submit_judgment(got.pk, participation_id=who.pk, raw=given)
