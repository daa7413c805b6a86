"""What several models share."""

import secrets
from typing import Any, NoReturn

from django.db import models

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no look-alike characters: people read these aloud


def public_id() -> str:
    """Return a random name for addresses (50 bits). It does not reveal how many there are."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


class ImmutableError(TypeError):
    """Raised on an attempt to change or delete a fact."""


class FactQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are facts: never changed.")

    def delete(self) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are facts: never deleted.")


def newest_of_campaign(name: str) -> models.Index:
    """Return the index that finds a campaign's newest rows; its foreign key needs no other."""
    return models.Index(fields=["campaign", "id"], name=name)


class Fact(models.Model):
    """A row that is written once: judgments, scores, ledger and audit entries."""

    objects = FactQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableError(f"{type(self).__name__} rows are facts: they are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{type(self).__name__} rows are facts: they are never deleted.")
