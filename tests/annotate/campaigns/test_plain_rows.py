"""Rows that are written without model instances are the rows that models would have written."""

from datetime import UTC, datetime
from typing import Any

import pytest

from annotate.campaigns.problems import Row
from annotate.common import rows as common_rows
from annotate.models import Output, ScreenedAnnotator
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
