"""Which gold item a person gets, and when.

The places of gold items among a person's tasks are drawn from a key that no person knows. They are
counted by what has been leased: after so many tasks, so many gold items are owed.
"""

import random
from collections.abc import Iterator
from itertools import islice

from django.db.models import F, IntegerField, QuerySet, Value
from django.db.models.functions import Mod
from django.utils.crypto import salted_hmac

from annotate.models import GOLD_BLOCK, Assignment, Campaign, GoldItem
from annotate.selectors.work.picking import Picked

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


def pick(campaign: Campaign, annotator_id: int) -> Picked | None:
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
