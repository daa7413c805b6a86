"""Rows that are written without model instances are the rows that models would have written."""

import hashlib
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.campaigns import creating
from annotate.campaigns.creating import Chunk
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import Row
from annotate.common import rows as common_rows
from annotate.models import Authorship, Campaign, Item, Output, ScreenedAnnotator, Slot
from estimation.metrics import reading_length
from tests.factories import campaign, person, plan, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# What the text format of COPY gives a meaning to, and what JSON and CSV do.
HOSTILE = st.lists(
    st.sampled_from(
        ["\\", "\\N", "\\.", "\t", "\n", "\r", "\x1f", "\x85", "\u2028", '"', "'", "%s"]
    )
    | st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    max_size=8,
).map("".join)
OUTPUTS = ["a", "a", "", "\\N", "\\.", "b\tc", "d\\\n", "{}", "%s %(x)s", "𝔘\u0301"]


@st.composite
def files(draw: st.DrawFn) -> list[Row]:
    found = []
    for key in draw(st.lists(HOSTILE.filter(bool), min_size=1, max_size=4, unique=True)):
        shared = draw(HOSTILE), draw(HOSTILE), tuple(draw(st.lists(HOSTILE, max_size=2)))
        group = draw(st.sampled_from(["", "one", "two"]))
        for system in draw(st.lists(st.sampled_from("xyz"), min_size=1, unique=True)):
            text = draw(st.sampled_from(OUTPUTS) | HOSTILE)
            metrics = draw(st.dictionaries(HOSTILE, st.floats(-1e9, 1e9), max_size=2))
            found.append(Row(key, system, text, *shared, metrics, group=group))
    return found


def store_by_models(made: Campaign, plan_: Plan, chunk: Chunk) -> None:
    """What `storing.store` did when it still went through models."""
    every = creating.every_so_many(plan_, made.seed)
    for position, begins, group in chunk:
        first = group[0]
        item = Item.objects.create(
            campaign=made,
            key=first.item,
            position=position,
            input=first.input,
            paragraphs=list(first.paragraphs),
            words=reading_length(first.input),
            reference=first.reference,
            group=first.group,
            group_start=begins,
        )
        for text in dict.fromkeys(row.output for row in group):
            same = [row for row in group if row.output == text]
            names = sorted(set.intersection(*(set(row.metrics) for row in same)))
            output = Output.objects.create(
                campaign=made,
                item=item,
                text=text,
                words=reading_length(text),
                digest=hashlib.sha256(text.encode()).hexdigest(),
                given_metrics={name: fmean(row.metrics[name] for row in same) for name in names},
            )
            for row in same:
                system = made.systems.get(name=row.system)
                Authorship.objects.create(system=system, item=item, output=output)
            for number in range(1, every(position) + 1):
                Slot.objects.create(campaign=made, output=output, position=position, number=number)


def stored(made: Campaign) -> list[list[tuple[Any, ...]]]:
    """All columns of all rows in the order of their ids, ids by their rank."""
    items, outputs = (model.objects.filter(campaign=made) for model in (Item, Output))
    of = [items, outputs, Authorship.objects.filter(item__campaign=made), made.slots]
    ranks = {
        "item_id": rank(items.values_list("pk", flat=True)),
        "output_id": rank(outputs.values_list("pk", flat=True)),
        "system_id": rank(made.systems.values_list("pk", flat=True)),
    }
    left_out = {"id", "campaign_id"}
    return [
        [
            tuple(ranks[name][value] if name in ranks else value for name, value in row.items())
            for row in (
                {name: value for name, value in each.items() if name not in left_out}
                for each in found.order_by("pk").values()
            )
        ]
        for found in of
    ]


def rank(ids: Any) -> dict[int, int]:
    return {pk: number for number, pk in enumerate(sorted(ids))}


@pytest.mark.slow
@settings(max_examples=40)
@given(rows_=files(), share=st.floats(0, 1), seed=st.integers(0, 2**31))
def test_an_import_stores_what_models_would_have_stored(
    rows_: list[Row], share: float, seed: int
) -> None:
    chosen = plan(double_share=share, seed=seed, metrics=())
    with pytest.MonkeyPatch.context() as patch:
        now = stored(creating.create(chosen, rows_, owner_id=None))
        patch.setattr(creating, "store", store_by_models)
        then = stored(creating.create(chosen, rows_, owner_id=None))
    assert now == then


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
