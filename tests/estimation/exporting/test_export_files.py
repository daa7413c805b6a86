"""An export as files: safe in any spreadsheet, of one moment, sent in parts."""

import csv
import io
import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import exports, facts
from annotate.campaigns.problems import Row
from annotate.common.requests import cell, lines
from annotate.models import Campaign, Judgment, Slot
from annotate.work import scoring
from estimation import export
from tests.estimation.exporting.exported import NAMES, Unzipped, exported, shut_out
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

FORMULA = '=HYPERLINK("http://evil.example")'


@pytest.mark.parametrize("begin", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1"])
def test_no_cell_begins_a_formula(begin: str) -> None:
    rows = [Row(item=begin, system=begin, output=FORMULA)]
    made = campaign(rows_=rows, metrics=())
    judge(person(made))
    scoring.ensure(made.pk)
    found = exported(made)
    for file in export.FILES:
        if file.is_table:
            for row in found.table(file.name):
                for value in row.values():
                    assert not value.startswith(tuple("=+-@\t\r\n＝＋－＠")) or is_number(value)
    (output,) = found.objects("outputs.jsonl")
    assert output["text"] == FORMULA, "JSON lines have it as it is"


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_text_comes_back_from_a_table(values: list[str]) -> None:
    raw = "".join(lines([str(i) for i in range(len(values))], [values]))
    (row,) = list(csv.reader(io.StringIO(raw, newline="")))[1:]
    assert row == [cell(value) for value in values]
    assert [one.removeprefix("'") for one in row] == [one.removeprefix("'") for one in values]


@pytest.mark.slow
@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.text(max_size=20) | st.integers() | st.none(),
            lambda inner: st.lists(inner, max_size=3),
        ),
    )
)
def test_any_answer_comes_back_from_a_line(response: dict[str, Any]) -> None:
    file = export.File("x.jsonl", "", {"response": ""})
    (line,) = export.encoded(file, [{"response": response}])
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line.decode()) == {"response": response}


def test_numbers_that_are_none_are_null_and_halves_of_characters_are_written() -> None:
    file = export.File("x.jsonl", "", {"a": "", "b": ""})
    (line,) = export.encoded(file, [{"a": float("nan"), "b": "half \ud83d"}])
    assert json.loads(line) == {"a": None, "b": "half \ud83d"}
    table = export.File("x.csv", "", {"a": "", "b": "", "c": ""})
    row = {"a": float("inf"), "b": True, "c": datetime.fromisoformat("2026-01-02T03:04:05+02:00")}
    _names, values = export.encoded(table, [row])
    assert values == b",1,2026-01-02T01:04:05.000000Z\r\n"


# ---------------------------------------------------------------- of one moment, in a stream


@pytest.mark.slow
def test_the_number_of_queries_does_not_grow(study: Campaign) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            exported(study)
        return len(found)

    before = asked()
    take_turns([person(study, f"more-{n}") for n in range(4)], 8)
    scoring.ensure(study.pk)
    settle(study)
    assert asked() == before


def test_what_comes_while_it_is_sent_is_not_in_it(study: Campaign) -> None:
    """Neither later judgments nor later rulings; what was there is there."""
    before = Judgment.objects.filter(campaign=study).count()
    parts = export.stream(study.public_id)
    take_turns([person(study, "later")], 1)
    shut_out(study, NAMES[0])
    found = Unzipped(b"".join(parts))
    assert len(found.objects("judgments.jsonl")) == before
    assert not any(row["excluded"] for row in found.objects("judgments.jsonl"))


def test_a_judgment_that_was_stored_later_under_an_earlier_id_is_left_out(study: Campaign) -> None:
    now = exports.moment(study.pk)
    late = replace(now, judgment=now.judgment[1:], annotator=now.annotator[1:], state=now.state[1:])
    assert [one["judgment"] for one in exports.judgments(late)] == list(now.judgment[1:])


def test_it_is_sent_while_it_is_made() -> None:
    """However large a file is, a little of it is held; nothing is made before it is asked for."""
    made: list[int] = []

    def random_lines() -> Iterator[bytes]:
        for n in range(2000):
            made.append(n)
            yield os.urandom(1000)

    sent = export._zipped([("large", random_lines())], folder="f", at=timezone.now())
    first = next(sent)
    assert len(made) < 200
    parts = [first, *sent]
    assert max(map(len, parts)) < 4 * export.SENT_AT_ONCE
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as zipped:
        assert zipped.getinfo("f/large").file_size == 2_000_000


def test_counts_are_those_of_the_estimates(study: Campaign) -> None:
    rows = exports.judgments(exports.moment(study.pk))
    counting = {one["judgment"] for one in rows if one["counts"]}
    held = Slot.objects.filter(campaign=study, assignment__status="verified")
    assert counting == set(held.values_list("assignment__judgments", flat=True))
    assert len(counting) == facts.scores(study.pk).output.size
