"""The only writer of gold items: they are added, confirmed and removed while a campaign is a draft.

With its opening they are fixed, like the rest of its protocol.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.errors import Conflict, Invalid
from annotate.instruments import expected, pairs
from annotate.instruments.base import Instrument, Material
from annotate.instruments.expected import Expected
from annotate.models import Campaign, GoldItem
from annotate.selectors.studies import instruments
from annotate.selectors.work import gold
from annotate.services import audit, locks

MOST_ITEMS = 500  # of a campaign
LONGEST_NAME, LONGEST_TEXT = 120, 20_000
NO_GOLD_BESIDE = (
    "This instrument shows the item’s other texts beside each text. A gold item has none, so "
    "people would recognise it: such a study takes no gold items."
)
Kind = GoldItem.Kind


@dataclass(frozen=True)
class NewGold:
    """A gold item as it is added.

    kind: as in `GoldItem`. Who adds it confirms it.
    """

    name: str
    text: str
    expected: Expected
    input: str = ""
    paragraphs: tuple[str, ...] = ()
    kind: str = Kind.GIVEN

    @property
    def material(self) -> Material:
        return Material(self.text, self.input, self.paragraphs)


def add(campaign_id: int, new: Sequence[NewGold], *, actor_id: int | None) -> list[GoldItem]:
    """Add gold items, in full or not at all.

    Raises `Invalid` with what is wrong with each, by its name, and `Conflict` once the campaign was
    open.
    """
    with transaction.atomic():
        campaign = _draft(campaign_id)
        known = list(campaign.gold.values_list("position", "name"))
        if errors := problems(instruments.of(campaign), new, {name for _position, name in known}):
            raise Invalid(errors)
        first = max((position for position, _key in known), default=-1) + 1
        made = store(campaign, new, first=first)
        audit.record("gold_added", campaign_id=campaign_id, actor_id=actor_id, items=len(made))
    return made


def store(campaign: Campaign, new: Sequence[NewGold], *, first: int = 0) -> list[GoldItem]:
    """Store items that `problems` has checked, from the position `first` on, in a transaction."""
    now = timezone.now()
    rows = [_row(campaign, one, first + n, now) for n, one in enumerate(new)]
    return list(GoldItem.objects.bulk_create(rows))


def confirm(campaign_id: int, names: Sequence[str], *, actor_id: int | None) -> int:
    """Confirm items that an earlier version planted; return how many were not yet confirmed."""
    with transaction.atomic():
        campaign = _draft(campaign_id)
        mine = campaign.gold.filter(name__in=names, confirmed_at=None)
        confirmed = mine.update(confirmed_at=timezone.now())
        if confirmed:
            audit.record(
                "gold_confirmed", campaign_id=campaign_id, actor_id=actor_id, items=confirmed
            )
    return confirmed


def remove(campaign_id: int, names: Sequence[str], *, actor_id: int | None) -> int:
    """Remove gold items; return how many."""
    with transaction.atomic():
        campaign = _draft(campaign_id)
        removed, _by_model = campaign.gold.filter(name__in=names).delete()
        if removed:
            audit.record("gold_removed", campaign_id=campaign_id, actor_id=actor_id, items=removed)
    return removed


def set_share(campaign_id: int, share: int, *, actor_id: int | None) -> bool:
    """Let `share` of every 25 tasks of a person be gold; return False if it is unchanged."""
    if not 0 <= share <= gold.MOST:
        message = f"Of {gold.BLOCK} tasks, 0 to {gold.MOST} can be gold items."
        raise Invalid({"gold_share": message})
    with transaction.atomic():
        campaign = _draft(campaign_id)
        if campaign.gold_share == share:
            return False
        if share and instruments.of(campaign).shows_others:
            raise Invalid({"gold_share": NO_GOLD_BESIDE})
        Campaign.objects.filter(pk=campaign_id).update(gold_share=share)
        audit.record(
            "gold_share",
            campaign_id=campaign_id,
            actor_id=actor_id,
            was=campaign.gold_share,
            now=share,
        )
    return True


def _draft(campaign_id: int) -> Campaign:
    campaign = locks.campaign(campaign_id)
    if campaign.status != Campaign.Status.DRAFT:
        raise Conflict(
            "Gold items are fixed when a campaign opens, so that all people are asked the same."
        )
    return campaign


def problems(
    instrument: Instrument, new: Sequence[NewGold], known: Collection[str]
) -> dict[str, str]:
    """Return what is wrong with new items, by their names. known: the names of earlier items."""
    if not new:
        return {"gold": "There are no gold items."}
    if instrument.shows_others:
        return {"gold": NO_GOLD_BESIDE}
    if len(known) + len(new) > MOST_ITEMS:
        return {"gold": f"A campaign has at most {MOST_ITEMS} gold items."}
    seen, errors = set(known), {}
    for number, one in enumerate(new, start=1):
        if problem := _problem(instrument, one, seen):
            errors[one.name[:LONGEST_NAME] or f"item {number}"] = problem
        seen.add(one.name)
    return errors


def _problem(instrument: Instrument, one: NewGold, seen: set[str]) -> str:
    """Return what is wrong with an item, in sentences that follow its name; "" if it is right."""
    if not 0 < len(one.name) <= LONGEST_NAME:
        return f"needs a name of 1 to {LONGEST_NAME} characters."
    if one.name in seen:
        return "has the name of another gold item."
    shown = (one.text, one.input, *one.paragraphs)
    if not one.text.strip():
        return "has no text."
    if sum(map(len, shown)) > LONGEST_TEXT:
        return f"has more than {LONGEST_TEXT} characters."
    if any("\0" in text for text in (one.name, *shown)):
        return "contains a NUL character."
    if instrument.needs_paragraphs and not (one.input and one.paragraphs):
        return "has no question (“input”) or no “paragraphs”, which this instrument needs."
    if instrument.compares != all(pairs.parts(one.text)):
        return (
            "has no “second” text, which this instrument shows beside the first."
            if instrument.compares
            else "has a second text, but this instrument shows one."
        )
    if instrument.needs_input and not one.input:
        return "has no “input”, which this instrument shows beside the text."
    return next(expected.problems(instrument, one.expected, one.material), "")


def _row(campaign: Campaign, one: NewGold, position: int, now: Any) -> GoldItem:
    return GoldItem(
        campaign=campaign,
        position=position,
        name=one.name,
        kind=one.kind,
        text=one.text,
        input=one.input,
        paragraphs=list(one.paragraphs),
        expected={name: sorted(set(values)) for name, values in one.expected.items()},
        confirmed_at=now,
    )
