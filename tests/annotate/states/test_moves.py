"""A row of any kind that has moved meanwhile stays where it is: the move rests on what was read."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.campaigns import imports, life
from annotate.common.audit import note
from annotate.common.errors import Conflict
from annotate.crowds import outbox, postings
from annotate.models import (
    Assignment,
    Campaign,
    CampaignImport,
    Operation,
    Participation,
    Posting,
    Review,
)
from annotate.review import reviews
from annotate.work import participations, slots
from tests.annotate.states.standing import ROWS, acts, put

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def _campaign(row: Campaign, to: Any) -> bool:
    life._move(row, to, verb=f"go_{to}")
    return True


def _review(row: Review, to: Any) -> bool:
    if to in (Review.Status.LISTED, Review.Status.OPEN):
        return reviews.open_again(row, to, now=timezone.now())
    reviews.rule(row, to, now=timezone.now())
    return True


def _assignment(row: Assignment, to: Any) -> bool:
    sources = [Assignment.Status(row.status)]
    move = slots.move
    return bool(move([row.pk], to, campaign_id=row.campaign_id, sources=sources))


MOVES: dict[type, tuple[Any, Callable[[Any, Any], bool]]] = {
    Assignment: (slots.TRANSITIONS, _assignment),
    Campaign: (life.TRANSITIONS, _campaign),
    CampaignImport: (imports.TRANSITIONS, imports.move),
    Operation: (outbox.TRANSITIONS, outbox.move),
    Participation: (
        participations.TRANSITIONS,
        lambda row, to: participations.move(row.pk, to, sources=[Participation.Status(row.status)]),
    ),
    Posting: (
        postings.TRANSITIONS,
        lambda row, to: postings.move(row, to, sources=[Posting.Status(row.status)]),
    ),
    Review: (reviews.TRANSITIONS, _review),
}
FROM = [(model, status) for model, (table, _go) in MOVES.items() for status in table]
NOT_OPEN = (Review.Status.CLEARED, Review.Status.LISTED)
OPEN_AGAIN = (Review, Review.Status.OPEN)  # asked of a review that is open already, it does nothing


def went(row: Any, to: Any) -> bool:
    """Try the move as its callers do; an error leaves nothing behind."""
    try:
        with transaction.atomic():
            return MOVES[type(row)][1](row, to)
    except (ValueError, Conflict):
        return False


def stands(row: Any) -> tuple[str, list[str]]:
    return type(row).objects.values_list("status", flat=True).get(pk=row.pk), acts(row)


@pytest.mark.parametrize(("model", "source"), FROM)
def test_a_row_that_has_moved_meanwhile_stays_where_it_is(model, source):
    table, _go = MOVES[model]
    row = ROWS[model](source)
    for other in table:
        if other == source:
            continue
        for to in table[source]:
            put(row, other)
            row.status = source  # as it was read before
            before = acts(row)
            if (model, to) != OPEN_AGAIN or other not in NOT_OPEN:
                assert not went(row, to), (source, other, to)
                assert stands(row) == (other, before)


def test_no_status_changes_under_another_name():
    row = ROWS[Posting](Posting.Status.OPEN)
    with pytest.raises(ValueError, match="status"):
        note(Posting.objects.filter(pk=row.pk), status=Posting.Status.CLOSED)
    assert note(Posting.objects.filter(pk=row.pk), places=7) == 1
    assert stands(row) == (Posting.Status.OPEN, [])
