"""Campaigns whose items come in groups: from the file to the estimate, its rule and its export."""

import json
from dataclasses import replace
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from annotate.campaigns import creating, life, progress, reading, wizard
from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns.problems import Row, UploadRefused
from annotate.campaigns.sheet import Sheet
from annotate.models import Campaign, Item, Slot, System
from annotate.models.base import CloseReason
from estimation import deferred, scores
from estimation import facts as facts_module
from estimation.models import Comparison, EndForecast, Estimate
from estimation.pages import report as pages_report
from estimation.pages.report import methods, plain
from tests.annotate import comparing
from tests.estimation.collecting import collect
from tests.estimation.exporting.exported import exported
from tests.factories import campaign, plan, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

SIZE = 3


def in_groups(items: int = 30, size: int = SIZE) -> list[Row]:
    """As `rows`, each `size` items of one document; the last item has none."""
    return [
        replace(row, group="" if number == items - 1 else f"document {number % (items // size)}")
        for row in rows(items)
        for number in [int(row.item.removeprefix("item-"))]
    ]


def grouped(items: int = 30, **changes) -> Campaign:
    return campaign(rows_=in_groups(items), **changes)


def groups_in_order(made: Campaign) -> list[str]:
    found = Item.objects.filter(campaign=made).order_by("position")
    return [item.group or item.key for item in found]


def test_whole_groups_stand_together_in_a_random_order():
    made = grouped()
    order = groups_in_order(made)
    assert len(set(order)) == 11
    changes = sum(one != other for one, other in pairwise(order))
    assert changes == 10
    assert order != sorted(order)
    for item in Item.objects.filter(campaign=made):
        assert item.group_start == order.index(item.group or item.key)
    assert grouped(seed=2).pk != made.pk
    assert groups_in_order(grouped(seed=2)) != order == groups_in_order(grouped())


def test_without_groups_the_order_is_what_it_was():
    made = campaign(items=12)
    each = campaign(rows_=[replace(row, group=row.item) for row in rows(12)])
    keys = [
        list(one.items.order_by("position").values_list("key", flat=True)) for one in (made, each)
    ]
    assert keys[0] == keys[1]
    assert set(made.items.values_list("group_start", flat=True)) == {None}
    assert campaigns_facts.systems(each.pk)[0].group is None


def test_groups_of_items_whose_texts_are_compared():
    found = [
        replace(row, group=f"document {number % 4}", output="same" if number == 3 else row.output)
        for row in rows(12)
        for number in [int(row.item.removeprefix("item-"))]
    ]
    made = comparing.compared(rows_=found)
    order = groups_in_order(made)
    assert sum(one != other for one, other in pairwise(order)) == 3
    (pair,) = campaigns_facts.systems(made.pk)
    assert np.unique(pair.group).size == 4
    assert pair.group.size == 11


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_planned_judgments_are_counted_as_they_are_stored(share):
    uneven = [row for row in in_groups(24) if row.system == "alpha" or row.item > "item-2"]
    wanted = plan(double_share=share)
    with Sheet() as sheet:
        for row in uneven:
            sheet.add(row)
        facts = sheet.facts()
    assert len(facts.groups) == 24
    made = campaign(rows_=uneven, double_share=share)
    assert made.slots.count() == creating.count_planned(wanted, facts)


@pytest.mark.slow
def test_the_frontier_finishes_groups_that_are_begun():
    made = grouped(double_share=0)
    alpha = System.objects.get(campaign=made, name="alpha")
    assert progress.frontier(alpha.pk, ranks=False) == 0
    collect(made, 7, every=100)
    last = Slot.objects.filter(campaign=made, assignment__isnull=False).latest("position").position
    order = groups_in_order(made)
    ends = [n for n in range(1, len(order) + 1) if n == len(order) or order[n] != order[n - 1]]
    for system in System.objects.filter(campaign=made):
        assert progress.frontier(system.pk, ranks=False) in ends
    assert max(progress.frontier(one.pk, ranks=False) for one in made.systems.all()) > last
    life.close(made.pk, CloseReason.HAND)
    made.refresh_from_db()
    stops = set(made.systems.values_list("stop_position", flat=True))
    assert stops <= set(ends)
    collect(made, 100, every=20)
    made.refresh_from_db()
    assert made.status == "closed"
    for system in campaigns_facts.systems(made.pk):
        seen = facts_module.evidence(campaigns_facts.design(made.pk)).scores.output
        own = system.output[system.position < system.stop_position]
        assert np.isin(own, seen).all()


@pytest.mark.slow
def test_estimates_and_differences_take_groups_as_units():
    made = grouped(targets={"overall": 0.2})
    collect(made, 40, every=9)
    design = campaigns_facts.design(made.pk)
    scores.ensure(design)
    seen = facts_module.evidence(design)
    for cell in facts_module.cells(design, seen):
        of = {item.key: item.group or item.key for item in made.items.all()}
        keys = dict(made.outputs.values_list("pk", "item__key"))
        names = [of[keys[output]] for output in cell.system.output]
        own = np.unique(names, return_inverse=True)[1]
        expected = facts_module.estimated(design, cell.criterion, replace(cell.sample, group=own))
        row = Estimate.objects.filter(
            campaign=made, system=cell.system.system_id, criterion=cell.criterion.name
        ).latest("pk")
        assert (row.estimate, row.std_error) == pytest.approx(
            (expected.estimate, expected.std_error)
        )
        assert row.detail["groups"] == [expected.n_units, 11]
        alone = facts_module.estimated(design, cell.criterion, replace(cell.sample, group=None))
        assert row.std_error != pytest.approx(alone.std_error)
    pair = Comparison.objects.filter(campaign=made).latest("pk")
    assert pair.detail["groups"][1] == 11


@pytest.mark.slow
def test_too_few_groups_do_not_stop_a_campaign():
    few = grouped(45, targets={"overall": 1.9}, double_share=0)
    collect(few, 90, every=30)
    few.refresh_from_db()
    assert Estimate.objects.filter(campaign=few, criterion="overall").latest("pk").n_items >= 30
    said = {
        row.detail["verdict"] for row in Estimate.objects.filter(campaign=few, criterion="overall")
    }
    assert any("groups of items are judged" in one for one in said)
    assert few.close_reason != CloseReason.TARGET


@pytest.mark.slow
def test_an_export_tells_groups_and_is_verified(tmp_path, ada: User):
    made = grouped(owner=ada)
    collect(made, 60, every=30)
    life.close(made.pk, CloseReason.HAND, actor_id=ada.pk)
    collect(made, 60, every=30)
    made.refresh_from_db()
    found = exported(made)
    told = {row["item"]: row["group"] for row in found.objects("items.jsonl")}
    assert told == dict(made.items.values_list("key", "group"))
    for name in ("scores.csv", "metrics.csv"):
        assert {row["item"]: row["group"] for row in found.table(name)}.items() <= told.items()
    report = pages_report.build(made)
    assert "11 were judged, as what was sampled." in " ".join(map(plain, methods(report)))
    assert "items in " in report.board.primary[0].evidence
    (tmp_path / "export.zip").write_bytes(found.raw)
    out = StringIO()
    call_command("verify", str(tmp_path / "export.zip"), stdout=out)
    assert "It differs" not in out.getvalue()
    assert "differences made again" in out.getvalue()

    for name in ("scores.csv", "metrics.csv"):
        (tmp_path / name).write_text(found.files[name])
    out = StringIO()
    asked = [
        "--judgments",
        str(tmp_path / "scores.csv"),
        "--metrics",
        str(tmp_path / "metrics.csv"),
    ]
    call_command("estimate", *asked, "--json", "--criterion", "overall", stdout=out)
    for one in json.loads(out.getvalue()):
        row = Estimate.objects.filter(
            campaign=made, system__name=one["system"], criterion="overall"
        ).latest("pk")
        assert one["groups"] == row.detail["groups"]
        assert one["std_error"] == pytest.approx(row.std_error)


@pytest.mark.slow
def test_what_is_to_come_is_not_forecast_item_by_item():
    made = grouped(45, targets={"overall": 0.5})
    collect(made, 80, every=100)
    deferred.FORECASTING.ask(made.pk)
    assert deferred.FORECASTING.carry_out(made.pk)
    assert EndForecast.objects.get(campaign=made).content["judgments"] is None


def read(lines: list[dict], **columns):
    with Sheet() as sheet:
        text = "\n".join(json.dumps(line) for line in lines)
        facts = reading.read(sheet, [text.encode()])
        return facts, [row for item in sheet.in_order() for row in sheet.group(item)]


def test_the_column_is_read_and_belongs_to_the_item():
    line = {"item": "a", "system": "s", "output": "text"}
    more = [line | {"group": 7}, line | {"item": "b", "group": " 7 "}, line | {"item": "c"}]
    facts, found = read(more)
    assert [row.group for row in found] == ["7", "7", ""]
    assert (facts.groups, facts.n_units) == ([0, 0, 1], 2)
    with pytest.raises(UploadRefused, match="another group for item"):
        read([line | {"group": "x"}, line | {"system": "t", "group": "y"}])


def notices(found: list[Row]) -> str:
    with Sheet() as sheet:
        for row in found:
            sheet.add(row)
        checked = creating.check(plan(), sheet.facts())
    return " ".join(wizard._notices(plan(), checked.facts, 10, 1))


def test_groups_and_items_that_look_like_groups_are_told_when_planning():
    told = notices(in_groups())
    assert "30 items in 11 groups" in told
    assert "11 groups of items are few" in told
    parts = [
        replace(row, item=f"doc{number // 5}-s{number % 5}")
        for row in rows(20)
        for number in [int(row.item.removeprefix("item-"))]
    ]
    told = notices(parts)
    assert "Do “doc0-s0”, “doc0-s1”, “doc0-s2”, “doc0-s3”, “doc0-s4” belong to one" in told
    assert "belong to one" not in notices(rows(40))
    assert "belong to one" not in notices([replace(row, group="g") for row in parts])
