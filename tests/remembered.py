"""Worlds that many tests begin with: made once through the services, then written again row by row.

Only inside a test's transaction, on Postgres: rows keep their keys, and there a key that was given
is never given again. Wherever a world cannot be written again, it is made again.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.apps import apps
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from annotate.models import Annotator, InstrumentDefinition, TutorialContent

# Rows that campaigns share: a world that begins with some of them may depend on them.
SHARED = (Annotator, InstrumentDefinition, TutorialContent)

Made = TypeVar("Made", bound=models.Model)


@dataclass(frozen=True)
class World:
    """The rows that were written for somebody at some time, and what was made."""

    at: datetime
    owner_id: int
    rows: list[list[models.Model]]
    made: models.Model

    def write(self, owner: User) -> None:
        """Write the rows for another owner, as if they had been made now."""
        later = timezone.now() - self.at
        for rows in self.rows:
            model = type(rows[0])
            moved = [self._moved(row, owner.pk, later) for row in rows]
            model._base_manager.bulk_create(moved)

    def _moved(self, row: models.Model, owner_id: int, later: Any) -> models.Model:
        moved = copy.copy(row)
        moved._state = copy.copy(row._state)
        for field in row._meta.concrete_fields:
            value = getattr(row, field.attname)
            if isinstance(value, datetime):
                setattr(moved, field.attname, value + later)
            elif field.related_model is User and value == self.owner_id:
                setattr(moved, field.attname, owner_id)
        return moved


_worlds: dict[str, World] = {}


def again(make: Callable[..., Made], owner: User, **how: Any) -> Made:
    """Return what `make(owner, **how)` makes; from the second time on without making it."""
    if connection.vendor != "postgresql" or not connection.in_atomic_block:
        return make(owner, **how)
    key = f"{make.__module__}.{make.__qualname__} {sorted(how.items())!r}"
    if key in _worlds:
        return _written(_worlds[key], owner) or make(owner, **how)
    if any(model._base_manager.exists() for model in SHARED):
        return make(owner, **how)
    before = {model: _newest(model) for model in _models()}
    at = timezone.now()
    made = make(owner, **how)
    rows = [list(model._base_manager.filter(pk__gt=last)) for model, last in before.items()]
    _worlds[key] = World(at, owner.pk, [some for some in rows if some], made)
    return made


def _written(world: World, owner: User) -> Any:
    try:
        with transaction.atomic():
            world.write(owner)
    except IntegrityError:  # it is there already, or one of its people
        return None
    return type(world.made)._base_manager.get(pk=world.made.pk)


def _models() -> list[type[models.Model]]:
    ours = (apps.get_app_config(name) for name in ("annotate", "estimation"))
    return [model for app in ours for model in app.get_models(include_auto_created=True)]


def _newest(model: type[models.Model]) -> Any:
    return model._base_manager.aggregate(last=models.Max("pk"))["last"] or 0
