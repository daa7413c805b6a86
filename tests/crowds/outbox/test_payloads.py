"""What an operation tells its crowd has the form of its kind, and what it is about are rows."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from pydantic import ValidationError

from annotate.models import Operation, Participation, Posting
from annotate.models.base import ImmutableError
from annotate.models.crowds import (
    FORMS,
    AddPlacesPayload,
    BonusPayload,
    IncludePayload,
    Payload,
    StopPayload,
)
from tests.annotate.market import arrive, posting, study
from tests.crowds import operations

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind = Operation.Kind

# Of every kind that has a content: one that does not fit.
WRONG: list[tuple[str, Any]] = [
    ("publish", {"places": 1}),
    ("publish", {"places": 0, "url": "x"}),
    ("publish", {"places": "1", "url": "x"}),
    ("publish", {"places": True, "url": "x"}),
    ("publish", {"places": 1, "url": ""}),
    ("publish", {"places": 1, "url": "x", "gaps": [1]}),
    ("add_places", {"places": -1}),
    ("add_places", {"places": 2**31}),
    ("stop", {"places": 1}),
    ("archive", []),
    ("approve", None),
    ("override", "{}"),
    ("reject", {}),
    ("reject", {"reason": "\0"}),
    ("bonus", {"amount": "0.75"}),
    ("exclude", {"person": "W1"}),
    ("include", {"person": "W1", "group": 1}),
    ("message", {"people": [], "subject": "s", "text": "t"}),
    ("message", {"people": "W1", "subject": "s", "text": "t"}),
    ("message", {"people": ["W1"], "subject": "s", "text": ""}),
    ("give", {}),
    ("", {}),
    ("stop", operations.PAID),
    ("exclude", IncludePayload(person="W1", group="g")),
    ("add_places", AddPlacesPayload.model_construct(places="many")),  # type: ignore[arg-type]
]


@pytest.fixture
def there() -> Posting:
    return posting(study())


@pytest.fixture
def who(there: Posting) -> Participation:
    return arrive(there)


def row(there: Posting, who: Participation, kind: str, payload: Any) -> Operation:
    """A row that has every relation that its kind may have."""
    pay, people = kind == "bonus", kind in ("exclude", "include")
    return Operation(
        campaign=there.batch.campaign,
        batch=there.batch,
        posting=there,
        participation=who,
        entry=operations.entry(who) if pay else None,
        annotator=who.annotator if people else None,
        crowd="mturk",
        environment="sandbox",
        kind=kind,
        key="k",
        token="t",
        created_at=there.batch.created_at,
        due_at=there.batch.created_at,
        payload=payload,
    )


def test_every_kind_has_a_form() -> None:
    assert set(FORMS) == set(Kind.values)
    assert {one.kind for one in operations.EVERY} == set(Kind.values)


@pytest.mark.parametrize("payload", operations.EVERY, ids=lambda one: one.kind)
def test_each_kind_is_intended_and_read(
    there: Posting, who: Participation, payload: Payload
) -> None:
    made = operations.any_of(payload, there, who)
    assert type(payload).of(Operation.objects.get(pk=made.pk)) == payload
    other = StopPayload if payload.kind != "stop" else BonusPayload
    with pytest.raises(TypeError, match=f"is a {payload.kind}, not a"):
        other.of(made)


@pytest.mark.parametrize(("kind", "payload"), WRONG)
def test_what_does_not_fit_is_never_committed(
    there: Posting, who: Participation, kind: str, payload: Any
) -> None:
    for write in (Operation.save, lambda op: Operation.objects.bulk_create([op])):
        wrong = row(there, who, kind, payload)
        with pytest.raises(ValueError):
            _together(write, wrong, there)
    assert not Operation.objects.exists()
    assert Posting.objects.get(pk=there.pk).problem == ""


def _together(write: Callable[[Operation], Any], wrong: Operation, there: Posting) -> None:
    with transaction.atomic():
        Posting.objects.filter(pk=there.pk).update(problem="what belongs to it")
        write(wrong)


@pytest.mark.parametrize("amount", ["0", "-0.75", "0.755", "NaN", "Infinity", "100000000.00"])
def test_only_whole_cents_are_paid(amount: str) -> None:
    with pytest.raises(ValidationError):
        BonusPayload(listing="L", unit="U", person="W", amount=Decimal(amount), reason="R")
    with pytest.raises(ValidationError):
        BonusPayload.from_json({**operations.PAID.model_dump(mode="json"), "amount": amount})


def test_what_was_intended_never_changes(there: Posting, who: Participation) -> None:
    op = operations.on_unit(operations.PAID, who)
    mine = Operation.objects.filter(pk=op.pk)
    told = operations.PAID.model_copy(update={"amount": Decimal("9.75")})
    for change in (
        {"payload": told},
        {"kind": "stop"},
        {"entry": None},
        {"participation_id": None, "status": "done"},
        {"key": F("token")},
    ):
        with pytest.raises(ImmutableError, match="never change"):
            mine.update(**change)
    op.payload = told
    with pytest.raises(ImmutableError):
        op.save()
    with pytest.raises(ImmutableError), transaction.atomic():
        Operation.objects.bulk_update([op], ["payload"])
    with pytest.raises(ValidationError):
        operations.PAID.amount = Decimal("9.75")  # type: ignore[misc]
    assert BonusPayload.of(mine.get()) == operations.PAID


@pytest.mark.parametrize(
    ("kind", "change", "name"),
    [
        ("stop", "kind = 'give'", "of_known_kind"),
        ("bonus", "entry_id = NULL", "has_entry"),
        ("approve", "participation_id = NULL", "has_participation"),
        ("reject", "participation_id = NULL", "has_participation"),
        ("override", "participation_id = NULL", "has_participation"),
        ("message", "participation_id = NULL", "has_participation"),
        ("publish", "posting_id = NULL", "has_posting"),
        ("add_places", "posting_id = NULL", "has_posting"),
        ("stop", "posting_id = NULL", "has_posting"),
        ("archive", "posting_id = NULL", "has_posting"),
        ("exclude", "annotator_id = NULL", "has_annotator"),
        ("include", "annotator_id = NULL", "has_annotator"),
        ("approve", "entry_id = {entry}", "has_entry"),
        ("approve", "annotator_id = {annotator}", "has_annotator"),
    ],
)
def test_the_database_takes_no_operation_without_its_relations(
    there: Posting, who: Participation, kind: str, change: str, name: str
) -> None:
    payload = next(one for one in operations.EVERY if one.kind == kind)
    op = operations.any_of(payload, there, who)
    change = change.format(entry=operations.entry(who).pk, annotator=who.annotator_id)
    with (
        pytest.raises(IntegrityError, match=f"operation_{name}"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE annotate_operation SET {change} WHERE id = %s", [op.pk])


def test_one_bonus_at_most_stands_for_a_row_of_the_ledger(who: Participation) -> None:
    first = operations.on_unit(operations.PAID, who)
    again = row(who.posting, who, "bonus", operations.PAID)  # type: ignore[arg-type]
    again.entry = first.entry
    with pytest.raises(IntegrityError), transaction.atomic():
        again.save()
    Operation.objects.filter(pk=first.pk).update(status="dropped")
    again.pk = None
    again.save()
    assert first.entry is not None
    assert first.entry.operations.count() == 2
