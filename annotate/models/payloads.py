"""What an operation tells its crowd: one declared form per kind, checked when it is written.

References to rows of the database are foreign keys of the operation (`crowd.Operation`), not part
of this.
"""

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from django.db import models
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

if TYPE_CHECKING:
    from annotate.models.marketplace import Operation

# Postgres stores no NUL in JSON.
Words = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$")]
Cents = Annotated[Decimal, Field(gt=0, max_digits=10, decimal_places=2)]
Places = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Payload(BaseModel):
    """The exact words of the call, so a repeated call sends the same. `kind`: of the operation."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    kind: ClassVar[str]

    @classmethod
    def of(cls, op: "Operation") -> Self:
        """Return an operation's payload; `TypeError` if it is of another kind."""
        if op.kind != cls.kind:
            raise TypeError(f"operation {op.pk} is a {op.kind}, not a {cls.kind}")
        return cls.from_json(op.payload)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Read the output of `model_dump(mode="json")`; raises pydantic's `ValidationError`."""
        return cls.model_validate_json(json.dumps(value))


class PublishPayload(Payload):
    kind = "publish"
    places: Places
    url: Words


class AddPlacesPayload(Payload):
    kind = "add_places"
    places: Places


class StopPayload(Payload):
    kind = "stop"


class ArchivePayload(Payload):
    kind = "archive"


class ApprovePayload(Payload):
    kind = "approve"


class RejectPayload(Payload):
    kind = "reject"
    reason: str = Field(pattern=r"^[^\x00]*$")  # the crowd decides whether it accepts an empty one


class OverridePayload(Payload):
    kind = "override"


class BonusPayload(Payload):
    """The payment of a bonus.

    listing, unit, person: the crowd's names of the unit that carries the bonus. It may differ from
        the unit of the operation.
    amount: without fees.
    """

    kind = "bonus"
    listing: Words
    unit: Words
    person: Words
    amount: Cents
    reason: Words


class ExcludePayload(Payload):
    """group: the name of the list at the crowd."""

    kind = "exclude"
    person: Words
    group: Words


class IncludePayload(Payload):
    kind = "include"
    person: Words
    group: Words


class MessagePayload(Payload):
    kind = "message"
    people: Annotated[tuple[Words, ...], Field(min_length=1)]
    subject: Words
    text: Words


FORMS: dict[str, type[Payload]] = {
    form.kind: form
    for form in (
        PublishPayload,
        AddPlacesPayload,
        StopPayload,
        ArchivePayload,
        ApprovePayload,
        RejectPayload,
        OverridePayload,
        BonusPayload,
        ExcludePayload,
        IncludePayload,
        MessagePayload,
    )
}


def stored(kind: str, value: Any) -> dict[str, Any]:
    """Return a payload, or its JSON, in the form in which it is stored.

    Raises `ValueError` for an unknown kind, a payload of another kind, and invalid content.
    """
    form = FORMS.get(kind)
    if form is None:
        raise ValueError(f"There is no kind of operation “{kind}”.")
    if isinstance(value, Payload):
        if value.kind != kind:
            raise ValueError(f"A payload of the kind {value.kind} does not belong to a {kind}.")
        value = value.model_dump(mode="json", warnings="none")
    return form.from_json(value).model_dump(mode="json")


class PayloadField(models.JSONField):
    """JSON in the form of its row's kind, checked whenever the row is written."""

    def pre_save(self, model_instance: models.Model, add: bool) -> dict[str, Any]:
        return stored(model_instance.kind, super().pre_save(model_instance, add))  # type: ignore[attr-defined]

    def deconstruct(self) -> Any:
        """Describe it to migrations as plain JSON, because the forms may change."""
        name, _path, positional, named = super().deconstruct()
        return name, "django.db.models.JSONField", positional, named
