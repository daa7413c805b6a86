"""Storing tutorials that researchers supply; what is stored is never changed."""

from typing import Any

from django.db import transaction

from annotate.errors import Invalid, NotFound
from annotate.instruments.reader import Refused
from annotate.instruments.tutorials import reading
from annotate.models import TutorialContent
from annotate.selectors.studies import instruments
from annotate.services import audit


class TutorialInvalid(Invalid):
    """The content cannot be a tutorial; `problems` says where and why, completely."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.errors("tutorial"))
        self.problems = refused.problems


def store(content: Any, *, reference: str, owner_id: int) -> TutorialContent:
    """Store a tutorial for an instrument, or return the one of this owner that equals it.

    Raises `TutorialInvalid` with every problem, `NotFound` for an unknown instrument.
    """
    try:
        instrument = instruments.named(reference)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    try:
        reading.read(content, instrument=instrument.key, criteria=instrument.criteria)
    except Refused as refused:
        raise TutorialInvalid(refused) from None
    with transaction.atomic():
        made, is_new = TutorialContent.objects.get_or_create(
            owner_id=owner_id,
            instrument=instrument.key,
            digest=reading.digest(content),
            defaults={"content": content},
        )
        if is_new:
            audit.record(
                "store_tutorial",
                campaign_id=None,
                actor_id=owner_id,
                subject=f"tutorial:{made.pk}",
                instrument=instrument.key,
                digest=made.digest,
            )
    return made
