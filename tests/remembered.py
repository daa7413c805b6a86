"""Worlds that many tests begin with: made once through the services, then written again row by row.

Only on Postgres: rows keep their keys, and there a key that was given is never given again.
A world that was made inside a test's transaction is not one that was committed: what follows a
commit belongs to it. Wherever a world cannot be written again, it is made again.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import pytest
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
    """The rows that were written for some users until some time, and what was made."""

    at: datetime
    users: tuple[int, ...]
    rows: list[list[models.Model]]
    made: models.Model

    def write(self, users: tuple[User, ...]) -> None:
        """Write the rows for other users, as if they had been made now."""
        later = timezone.now() - self.at
        now_of = dict(zip(self.users, (user.pk for user in users), strict=True))
        for rows in self.rows:
            moved = [_moved(row, now_of, later) for row in rows]
            with _times_as_they_are(type(rows[0])):
                type(rows[0])._base_manager.bulk_create(moved)


@contextmanager
def _times_as_they_are(model: type[models.Model]) -> Iterator[None]:
    """No column says when it was written here: what came later than another still does."""
    with pytest.MonkeyPatch.context() as patch:
        for field in model._meta.concrete_fields:
            if isinstance(field, models.DateField):
                patch.setattr(field, "auto_now", False)
                patch.setattr(field, "auto_now_add", False)
        yield


def _moved(row: models.Model, now_of: dict[int, int], later: timedelta) -> models.Model:
    moved = copy.copy(row)
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if isinstance(value, datetime):
            setattr(moved, field.attname, value + later)
        elif field.related_model is User and value is not None:
            setattr(moved, field.attname, now_of[value])
    return moved


_worlds: dict[str, World] = {}


def again(make: Callable[..., Made], *users: User, **how: Any) -> Made:
    """Return what `make(*users, **how)` makes; from the second time on without making it."""
    is_committed = not connection.in_atomic_block
    key = f"{make.__module__}.{make.__qualname__} {sorted(how.items())!r} {is_committed}"
    if key in _worlds:
        return _written(_worlds[key], users) or make(*users, **how)
    if any(model._base_manager.exists() for model in SHARED):
        return make(*users, **how)
    before = {model: _newest(model) for model in _models()}
    made = make(*users, **how)
    rows = [list(model._base_manager.filter(pk__gt=last)) for model, last in before.items()]
    _worlds[key] = World(
        timezone.now(), tuple(user.pk for user in users), [some for some in rows if some], made
    )
    return made


def _written(world: World, users: tuple[User, ...]) -> Any:
    try:
        with transaction.atomic():
            world.write(users)
    except IntegrityError:  # it is there already, or one of its people
        return None
    return type(world.made)._base_manager.get(pk=world.made.pk)


def _models() -> list[type[models.Model]]:
    ours = (apps.get_app_config(name) for name in ("annotate", "estimation"))
    return [model for app in ours for model in app.get_models(include_auto_created=True)]


def _newest(model: type[models.Model]) -> Any:
    return model._base_manager.aggregate(last=models.Max("pk"))["last"] or 0
