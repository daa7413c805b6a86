"""Rows that are written without model instances are the rows that models would have written."""

from datetime import UTC, datetime
from typing import Any

import pytest

from annotate.campaigns import creating
from annotate.campaigns.problems import Row
from annotate.common import rows as common_rows
from annotate.models import Item, Output, ScreenedAnnotator
from tests.factories import campaign, person, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# What the text format of COPY gives a meaning to, and what JSON and CSV do.
HOSTILE = ["\\N", "\\.", "tab\tend\n", "a\\tb", "\r\n", '"quoted", {"a": 1}', "é\u2028🙂", ""]


def test_texts_are_stored_as_they_were_uploaded() -> None:
    given = [Row(f"i{n} {text!r}", "a", text, reference=text) for n, text in enumerate(HOSTILE)]
    made = campaign(rows_=given, is_open=False, metrics=())
    stored = Output.objects.filter(campaign=made).values_list(
        "item__key", "text", "item__reference"
    )
    assert set(stored) == {(row.item, row.output, row.reference) for row in given}


def test_reserved_ids_are_not_given_again() -> None:
    made = campaign(rows_=rows(3), is_open=False)
    used = set(made.items.values_list("pk", flat=True))
    new = common_rows.reserve(Item, 3)
    assert not used & set(new)
    assert new == sorted(set(new))
    places = enumerate(new, start=1000)
    values = [(pk, made.pk, f"new-{pk}", at, "", [], 0, "", "", None) for at, pk in places]
    common_rows.insert(Item, ("id", *creating.ITEM), values)
    after = Item.objects.create(campaign=made, key="last", position=999)
    assert after.pk > max(new)


def test_the_ids_of_deleted_rows_are_not_used_again() -> None:
    made = campaign(rows_=rows(3), is_open=False)
    new = Item.objects.create(campaign=made, key="last", position=999)
    last = new.pk
    new.delete()
    assert min(common_rows.reserve(Item, 2)) > last


def test_times_and_fractions_come_back_as_they_were_and_the_database_numbers_the_rows() -> None:
    made = campaign(rows_=rows(3), is_open=False)
    names = ("campaign_id", "annotator_id", "state", "at", "verdicts", "others_seconds")
    at = datetime(2026, 3, 29, 1, 59, 59, 123456, tzinfo=UTC)
    told: list[Any] = [{"value": 1 / 3, "low": None, "text": "\\N\t\n"}]
    given = [
        (made.pk, person(made, "a").annotator.pk, "s", at, told, 1 / 3),
        (made.pk, person(made, "b").annotator.pk, "s", at, [], None),
    ]
    common_rows.insert(ScreenedAnnotator, names, given)
    stored = ScreenedAnnotator.objects.order_by("pk")
    assert list(stored.values_list(*names)) == given
    assert len({row.pk for row in stored}) == 2
    assert stored.filter(at=at).count() == 2
