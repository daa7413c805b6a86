"""The only writer of gold items: they are added, confirmed and removed while a campaign is a draft.

With its opening they are fixed, like the rest of its protocol.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from pydantic import Field

from annotate.common import audit, locks
from annotate.common.errors import Conflict, Invalid
from annotate.common.schemas import Declared, Exact, Several, Text, parse, read
from annotate.common.text import interface_language
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument, Material, Question
from annotate.models import Campaign, GoldItem, Item
from annotate.studies import queries as studies_queries
from annotate.work import picking

MOST_ITEMS = 500  # of a campaign
LONGEST_NAME, LONGEST_TEXT = 120, 20_000
NO_GOLD_BESIDE = (
    "This instrument shows all texts of an item on one page. A gold item has one text, so people "
    "would recognise it: such a study takes no gold items."
)


def add(campaign_id: int, new: Sequence[GoldItem], *, actor_id: int | None) -> list[GoldItem]:
    """Add gold items, in full or not at all.

    Raises `Invalid` with what is wrong with each, by its name, and `Conflict` once the campaign was
    open.
    """
    with transaction.atomic():
        campaign = _draft(campaign_id)
        known = list(campaign.gold.values_list("position", "name"))
        if errors := problems(
            studies_queries.instrument_of(campaign), new, {name for _position, name in known}
        ):
            raise Invalid(errors)
        first = max((position for position, _key in known), default=-1) + 1
        made = store(campaign, new, first=first)
        audit.record("gold_added", campaign_id=campaign_id, actor_id=actor_id, items=len(made))
    return made


def store(campaign: Campaign, new: Sequence[GoldItem], *, first: int = 0) -> list[GoldItem]:
    """Store items that `problems` has checked, from the position `first` on, in a transaction."""
    now = timezone.now()
    for position, one in enumerate(new, first):
        one.campaign, one.position, one.confirmed_at = campaign, position, now
        one.expected = {name: sorted(set(values)) for name, values in one.expected.items()}
    return list(GoldItem.objects.bulk_create(new))


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
    if not 0 <= share <= picking.MOST:
        message = f"Of {picking.BLOCK} tasks, 0 to {picking.MOST} can be gold items."
        raise Invalid({"gold_share": message})
    with transaction.atomic():
        campaign = _draft(campaign_id)
        if campaign.gold_share == share:
            return False
        if share and studies_queries.instrument_of(campaign).shows_all:
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
    instrument: Instrument, new: Sequence[GoldItem], known: Collection[str]
) -> dict[str, str]:
    """Return what is wrong with new items, by their names. known: the names of earlier items."""
    if not new:
        return {"gold": "There are no gold items."}
    if instrument.shows_all:
        return {"gold": NO_GOLD_BESIDE}
    if len(known) + len(new) > MOST_ITEMS:
        return {"gold": f"A campaign has at most {MOST_ITEMS} gold items."}
    seen, errors = set(known), {}
    for number, one in enumerate(new, start=1):
        if problem := _problem(instrument, one, seen):
            errors[one.name[:LONGEST_NAME] or f"item {number}"] = problem
        seen.add(one.name)
    return errors


def _problem(instrument: Instrument, one: GoldItem, seen: set[str]) -> str:
    """Return what is wrong with an item, in sentences that follow its name; "" if it is right."""
    if not 0 < len(one.name) <= LONGEST_NAME:
        return f"needs a name of 1 to {LONGEST_NAME} characters."
    if one.name in seen:
        return "has the name of another gold item."
    shown = (one.text, one.input, *one.paragraphs, one.reference)
    if not one.text.strip():
        return "has no text."
    if sum(map(len, shown)) > LONGEST_TEXT:
        return f"has more than {LONGEST_TEXT} characters."
    if any("\0" in text for text in (one.name, *shown)):
        return "contains a NUL character."
    if instrument.needs_paragraphs and not (one.input and one.paragraphs):
        return "has no question (“input”) or no “paragraphs”, which this instrument needs."
    if instrument.compares != all(instruments_base.parts(one.text)):
        return (
            "has no “second” text, which this instrument shows beside the first."
            if instrument.compares
            else "has a second text, but this instrument shows one."
        )
    if instrument.needs_input and not one.input:
        return "has no “input”, which this instrument shows beside the text."
    material = Material(one.text, one.input, tuple(one.paragraphs))
    return next(instruments_base.problems(instrument, one.expected, material), "")


# Where gold items come from: a researcher's file, and instructions.


LONGEST = 100_000  # characters of a text
Shown = Annotated[Exact, Field(max_length=LONGEST)]
Right = Annotated[Several[float | int], Field(max_length=100)]  # values of a question


class GoldRow(Declared):
    """One gold item of a file: its name, what people see, and the right answers.

    second: of a comparison, the text beside `output`; positive answers prefer `output`.
    """

    item: Annotated[Text, Field(max_length=200)]
    output: Shown
    second: Shown = ""
    expected: Annotated[dict[Annotated[str, Field(max_length=100)], Right], Field(max_length=200)]
    input: Shown = ""
    paragraphs: Annotated[Several[Shown], Field(max_length=200)] = ()
    reference: Shown = ""


class GoldFile(Declared):
    gold: Annotated[Several[GoldRow], Field(max_length=MOST_ITEMS)]


def from_file(text: str | bytes) -> list[GoldItem]:
    """Return the items of a file: JSON with a list “gold”, or the list itself.

    Raises `Refused` with every problem by its path.
    """
    given = parse(text)
    return from_data({"gold": given} if isinstance(given, list) else given)


def from_data(given: Any) -> list[GoldItem]:
    """Return the items of parsed JSON, as `from_file` does."""
    rows = read(GoldFile, given).gold
    return [
        GoldItem(
            name=one.item,
            text=instruments_base.joined(one.output, one.second) if one.second else one.output,
            expected={name: list(values) for name, values in one.expected.items()},
            input=one.input,
            paragraphs=list(one.paragraphs),
            reference=one.reference,
        )
        for one in rows
    ]


def instruct(campaign_id: int, *, question: str, value: float, actor_id: int | None) -> GoldItem:
    """Add an item that asks people, in a reference's place, for one certain answer."""
    campaign = Campaign.objects.get(pk=campaign_id)
    asked = instructable(studies_queries.instrument_of(campaign)).get(question)
    if asked is None or value not in dict(asked.levels):
        raise Invalid({"question": "Choose a question, and one of its answers."})
    first, context = (
        Item.objects.filter(campaign=campaign)
        .exclude(reference="")
        .order_by("position")
        .values_list("reference", "input")
        .first()
    ) or ("", "")
    with override(interface_language(campaign.language)):
        told = _(
            "This text checks whether it is read. For “%(question)s”, please choose “%(answer)s”."
        ) % {"question": asked.label, "answer": asked.said(value)}
    new = GoldItem(
        name=f"instruction-{campaign.gold.count() + 1}",
        kind=GoldItem.Kind.INSTRUCTION,
        text=f"{first} {told}".strip(),
        input=context,
        reference=first if campaign.shows_reference else "",
        expected={question: [value]},
    )
    return add(campaign_id, [new], actor_id=actor_id)[0]


def instructable(instrument: Instrument) -> Mapping[str, Question]:
    """Return the questions to which a text can ask for an answer: it has no place in a pair."""
    if instrument.compares:
        return {}
    return {one.name: one for one in instrument.questions() if not one.of_paragraphs}
