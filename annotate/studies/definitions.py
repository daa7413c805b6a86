"""Defines researchers' own instruments and tutorials. What is stored never changes."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from annotate.common import audit
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.schemas import Refused
from annotate.instruments import registry, tutorials
from annotate.instruments.rating.instrument import as_data, read_definition
from annotate.instruments.tutorials import digest_of
from annotate.models import InstrumentDefinition, TutorialContent
from annotate.studies import queries as studies_queries

TRIES = 3


class NotDefined(Invalid):
    """A definition or a tutorial is invalid; `problems` names every place and reason.

    errors: the same by path, below `name`.
    """

    def __init__(self, refused: Refused, name: str) -> None:
        super().__init__(refused.errors(name))
        self.problems = refused.problems


def define(definition: Any, *, owner_id: int) -> InstrumentDefinition:
    """Store a definition as the next version of its key, or return the identical version.

    Raises `NotDefined` with every problem, and `Conflict` for a key of another user.
    """
    try:
        checked = read_definition(definition)
    except Refused as refused:
        raise NotDefined(refused, "definition") from None
    content = as_data(checked)
    for _try in range(TRIES):
        try:
            with transaction.atomic():
                return _store(checked.key, content, owner_id=owner_id)
        except IntegrityError:  # another upload of this key took the number first
            continue
    raise Conflict(f"“{checked.key}” is being defined elsewhere at this moment. Try again.")


def _store(key: str, content: dict[str, Any], *, owner_id: int) -> InstrumentDefinition:
    _check_key(key, owner_id=owner_id)
    found = digest_of(content)
    versions = InstrumentDefinition.objects.filter(key=key)
    same: InstrumentDefinition | None = versions.filter(digest=found).first()
    if same:
        return same
    latest = versions.aggregate(latest=Max("version"))["latest"] or 0
    made = InstrumentDefinition.objects.create(
        owner_id=owner_id, key=key, version=latest + 1, definition=content, digest=found
    )
    audit.record(
        "define_instrument",
        campaign_id=None,
        actor_id=owner_id,
        subject=f"instrument:{key}@{made.version}",
        digest=found,
    )
    return made


def _check_key(key: str, *, owner_id: int) -> None:
    if key in registry.INSTRUMENTS:
        raise Conflict(f"“{key}” is built in. Choose another key for your instrument.")
    if InstrumentDefinition.objects.filter(key=key).exclude(owner=owner_id).exists():
        raise Conflict(f"“{key}” belongs to another user. Choose another key for your instrument.")


def store_tutorial(
    content: Any, *, reference: str, owner_id: int, complete: bool = False
) -> TutorialContent:
    """Store a tutorial for an instrument, or return this owner's identical one.

    complete: whether to refuse questions without a text, and too few for two rounds.
    Raises `NotDefined` with every problem, and `NotFound` for an unknown instrument.
    """
    try:
        instrument = studies_queries.named(reference)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    try:
        how = tutorials.complete if complete else tutorials.read_tutorial
        how(
            content,
            instrument=instrument.key,
            criteria=instrument.criteria,
            asked=instrument.asked,
        )
    except Refused as refused:
        raise NotDefined(refused, "tutorial") from None
    with transaction.atomic():
        made, is_new = TutorialContent.objects.get_or_create(
            owner_id=owner_id,
            instrument=instrument.key,
            digest=digest_of(content),
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
