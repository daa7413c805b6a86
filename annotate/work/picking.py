"""Which slot an annotator gets: the first free one of an output new to them, in the fixed order.

One person would otherwise get all systems of an item in a row, so items of their last tasks are
passed over while another slot is near. The order itself does not change: what one person passes
over goes to the next one.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import MD5, Cast, Coalesce, Mod
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotate.campaigns import progress
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument, Material, TextBeside
from annotate.models import (
    GOLD_BLOCK,
    Assignment,
    Campaign,
    Draft,
    GoldItem,
    Item,
    Judgment,
    Output,
    Participation,
    Slot,
)

RECENT = 10  # tasks of which a person does not get the items again
NEAR = 50  # positions within which another item is preferred


@dataclass(frozen=True)
class Picked:
    """A free slot or a gold item.

    has_draft: from an earlier lease of this person.
    begins: an item that nobody else has a task of, which `slots.begin` looks at.
    """

    slot: Slot | None
    gold_id: int | None = None
    has_draft: bool = False
    begins: bool = False


def pick(who: Participation, *, besides: int | None = None) -> Picked | None:
    """Lock and return the slot that this person gets; None if there is none for them.

    Slots that other transactions have locked are passed over. besides: an assignment whose output
    is on their page, even if its lease has expired.
    """
    free = new_to_person(who.campaign_id, who.annotator_id, besides)
    other = free.exclude(output__item__in=recent_items(who)).annotate(
        first=Subquery(free.values("position")[:1])
    )
    found = locked(other)
    if found is None or found.position > found.first + NEAR:  # type: ignore[attr-defined]
        found = locked(free)
    return None if found is None else picked(found)


def is_any(campaign_id: int, annotator_id: int) -> bool:
    """Return whether a slot is free for this person."""
    return new_to_person(campaign_id, annotator_id).exists()


def picked(slot: Slot, *, begins: bool = False) -> Picked:
    return Picked(slot, has_draft=slot.has_draft, begins=begins)  # type: ignore[attr-defined]


def locked(rows: QuerySet[Slot], *, items: bool = False) -> Slot | None:
    """Lock and return the first that nobody has locked, with its output and item.

    items: with the item's row, so that two people do not begin one item at the same moment.
    """
    of = ("self", "output__item") if items else ("self",)
    mine = rows.select_related("output__item")
    return mine.select_for_update(no_key=True, skip_locked=True, of=of).first()


def recent_items(who: Participation) -> QuerySet[Any, Any]:
    """Select the items of this person's last tasks."""
    theirs = Assignment.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
    held = theirs.filter(status__in=Assignment.HELD, gold=None).order_by("-pk")
    return Output.objects.filter(pk__in=held.values("output")[:RECENT]).order_by().values("item")


def new_to_person(
    campaign_id: int, annotator_id: int, besides: int | None = None
) -> QuerySet[Slot]:
    """Select the free slots of outputs that this person has not had, in the order of leasing."""
    had = Assignment.objects.filter(
        Q(annotator=annotator_id) & ~Q(status=Assignment.Status.EXPIRED) | Q(pk=besides or 0),
        output=OuterRef("output"),
    )
    drafts = Draft.objects.filter(
        assignment__annotator=annotator_id, assignment__output=OuterRef("output")
    )
    return progress.free(campaign_id).filter(~Exists(had)).annotate(has_draft=Exists(drafts))


# Which slot an annotator gets where the texts of an item stand side by side.
#
# The texts of one item are rated by one person, one after the other: the remaining ones of an item
# that they had among their last tasks come first, then the first item that nobody else is working
# on. The former only where it is as near to the latter as in `pick`, so the frontier waits
# for people and not for gaps.


def pick_side_by_side(
    instrument: Instrument, who: Participation, *, besides: int | None = None
) -> Picked | None:
    """Lock and return the slot that this person gets; `picking.pick` says more."""
    if not instrument.shows_others:
        return pick(who, besides=besides)
    new = new_to_person(who.campaign_id, who.annotator_id, besides)
    nobody_else = ~Q(Exists(progress.tasks_of_others(who.annotator_id)))
    recent = recent_items(who)
    # The texts of an item have one position, by which the index of free slots finds them.
    alone = Subquery(new.filter(nobody_else).values("position")[:1])
    left = new.filter(output__item=OuterRef("pk"))
    mine = Item.objects.filter(Exists(left), pk__in=recent)
    begun = Subquery(mine.order_by("-position").values("position")[:1])
    ways = (
        (Q(position=Coalesce(begun, alone)), True),
        (Q(position=begun), False),  # also where another transaction has locked the item
        (nobody_else & ~Q(output__item__in=recent), True),
    )
    place = MD5(Cast(F("output") * who.annotator_id, TextField()))  # `instruments.base.place`
    ordered = new.order_by("position", place, "number")
    for condition, items in ways:
        free = ordered.filter(condition).annotate(first=alone, is_mine=_among(recent))
        found: Any = locked(free, items=items)
        if found is not None and (found.first is None or found.position <= found.first + NEAR):
            return picked(found, begins=items and not found.is_mine)
    found = locked(ordered)
    return None if found is None else picked(found)


def _among(items: QuerySet[Any, Any]) -> Exists:
    return Exists(Item.objects.filter(pk=OuterRef("output__item"), pk__in=items))


# Which gold item a person gets, and when.
#
# The places of gold items among a person's tasks are drawn from a key that no person knows. They
# are counted by what has been leased: after so many tasks, so many gold items are owed.


BLOCK = GOLD_BLOCK
MOST = 12  # of a block: fewer than half
USUAL = 5  # of a block, where gold is asked for
PRIME = 30_011  # more than the gold items of any campaign; its square is a 32-bit number


def usable(campaign_id: int) -> QuerySet[GoldItem]:
    """Select the items that people may get: a person has confirmed them."""
    return GoldItem.objects.filter(campaign=campaign_id, confirmed_at__isnull=False)


def is_due(campaign: Campaign, annotator_id: int, *, held: int, had: int) -> bool:
    """Return whether this person's next task is a gold item.

    held: their tasks that count toward the cap. had: the gold items that they ever got.
    """
    return campaign.gold_share > 0 and had < owed(campaign, annotator_id, held)


def owed(campaign: Campaign, annotator_id: int, held: int) -> int:
    """Return how many gold items come before the task that follows `held` others."""
    share = min(campaign.gold_share, MOST)
    full, rest = divmod(held, BLOCK - share)
    return full * share + next(islice(_before(campaign, annotator_id, full, share), rest, None))


def most_tasks(campaign: Campaign) -> int | None:
    """Return how many tasks a person may do at most, gold among them; None without a cap."""
    cap, share = campaign.annotator_cap, min(campaign.gold_share, MOST)
    if cap is None or not share:
        return cap
    return cap + share * (1 + (cap - 1) // (BLOCK - share))


def _before(campaign: Campaign, annotator_id: int, block: int, share: int) -> Iterator[int]:
    """Yield, for each task of a block that is not gold, how many gold items come before it."""
    drawn = random.Random(_key(campaign, annotator_id, block)).sample(range(BLOCK), share)
    gold = 0
    for place in range(BLOCK):
        if place in drawn:
            gold += 1
        else:
            yield gold


def pick_gold(campaign: Campaign, annotator_id: int) -> Picked | None:
    """Return a gold item that this person never had, in an order of their own; None without."""
    key = int.from_bytes(_key(campaign, annotator_id, -1))
    factor, shift = key % (PRIME - 1) + 1, key // PRIME % PRIME
    had = Assignment.objects.filter(annotator=annotator_id, gold__isnull=False)
    number = IntegerField()
    place = Mod(F("position") * Value(factor, number) + Value(shift, number), Value(PRIME, number))
    new = usable(campaign.pk).exclude(pk__in=had.values("gold")).order_by(place, "pk")
    found = new.values_list("pk", flat=True).first()
    return None if found is None else Picked(None, gold_id=found)


def _key(campaign: Campaign, annotator_id: int, block: int) -> bytes:
    value = f"{campaign.public_id}:{campaign.seed}:{annotator_id}:{block}"
    return salted_hmac("annotate.gold", value, algorithm="sha256").digest()


# All texts of an item as one annotator sees them, with their own answers.


def beside(instrument: Instrument, assignment: Assignment, material: Material) -> Material:
    """Return the material of a task as its page shows it: three queries, where others are shown;
    one for a ranking.

    The assignment has its participation and output loaded. The answers are those of the person;
    of this participation alone until a crowd has confirmed it, because anyone may have come in
    under this name.
    """
    if not instrument.shows_all or assignment.output is None:
        return material
    who, rated = assignment.participation, assignment.output
    if instrument.ranks:
        return replace(material, side_by_side=ranked_texts(rated.item_id, who.annotator_id))
    texts = Output.objects.filter(item=rated.item_id).values_list("pk", "text")
    own = Assignment.objects.filter(
        output__item=rated.item_id, annotator=who.annotator_id, status__in=Assignment.HELD
    )
    if not who.is_sure:
        own = own.filter(participation=who)
    tasks = dict(own.values_list("output", "pk"))
    given = Judgment.objects.filter(assignment__in=tasks.values())
    answers = dict(given.values_list("output", "response"))
    ordered = sorted(texts, key=lambda row: instruments_base.place(who.annotator_id, row[0]))
    shown = tuple(
        TextBeside(
            text,
            is_rated=pk == rated.pk,
            task=None if pk == rated.pk else tasks.get(pk),
            answer="" if pk == rated.pk or pk not in answers else instrument.recalled(answers[pk]),
        )
        for pk, text in ordered
    )
    return replace(material, side_by_side=shown)


def ranked_texts(item_id: int, annotator_id: int) -> tuple[TextBeside, ...]:
    """Return the texts of an item that this annotator ranks, in the order of their page."""
    rows = Output.objects.filter(item=item_id).annotate(n=Count("authorships")).order_by("pk")
    found = [
        (instruments_base.place(annotator_id, pk), TextBeside(text, number=number, systems=n))
        for number, (pk, text, n) in enumerate(rows.values_list("pk", "text", "n"))
    ]
    return tuple(one for _place, one in sorted(found, key=lambda row: row[0]))


# What a person has done in a campaign and has open there: it decides about the next task.


Status = Assignment.Status


@dataclass(frozen=True)
class TaskCounts:
    """Counts of one participation, and of its annotator in the campaign.

    held: tasks that count toward the campaign's cap.
    had_gold: gold items that the annotator ever got.
    n_open, waiting: the open tasks of the participation, and the one that is next; None without.
    judged: tasks done under the participation, and not lost with their unit.
    judged_today: those of today as its annotator is shown them (`task.Figures`).
    begun_at: when the last task that is done was begun, under whatever participation.
    """

    held: int
    had_gold: int
    n_open: int
    waiting: int | None
    judged: int
    judged_today: int
    begun_at: datetime | None


def today() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def standing_of(who: Participation, *, now: datetime) -> TaskCounts:
    """Return where this person stands; one query."""
    here, judged = Q(participation=who), Q(status__in=Assignment.JUDGED)
    is_open = here & Q(status=Status.LEASED)
    shown = Q() if who.is_sure else here
    theirs = Assignment.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
    found = theirs.aggregate(
        held=Count("pk", filter=Q(status__in=Assignment.HELD, gold=None)),
        had_gold=Count("pk", filter=Q(gold__isnull=False)),
        n_open=Count("pk", filter=is_open),
        waiting=Min("pk", filter=is_open & Q(expires_at__gt=now)),
        judged=Count("pk", filter=here & judged),
        judged_today=Count("pk", filter=judged & Q(ended_at__gte=today()) & shown),
        begun_at=Max(Coalesce("started_at", "leased_at"), filter=judged),
    )
    return TaskCounts(**found)
