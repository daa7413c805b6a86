"""Gold in the plan of a campaign: its cost, its items, and the batches that bring it to people."""

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import life, planner
from annotate.campaigns.plans import Plan
from annotate.common.errors import Invalid
from annotate.crowds import batches
from annotate.crowds.postings import units_needed
from annotate.models import Campaign, GoldItem
from annotate.pay import budget
from tests import factories
from tests.annotate.gold.study import do, with_gold
from tests.annotate.researcher import created, lines, looked_at, tried
from tests.factories import campaign, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

ROWS = [
    {"item": f"g{i}", "output": f"The the bridge {i}.", "expected": {"fluency": [-1, 0]}}
    for i in range(6)
]


@given(judgments=st.integers(0, 10**6), share=st.integers(0, 12))
def test_tasks_and_judgments_belong_to_each_other(judgments: int, share: int) -> None:
    tasks = budget.with_gold(judgments, share)
    assert budget.judgments_of(tasks, share) == judgments
    assert tasks == 0 or budget.judgments_of(tasks - 1, share) < judgments
    assert abs(tasks - judgments * budget.gold_factor(share)) < 1


@pytest.mark.parametrize("share", [0, 5, 12])
@pytest.mark.slow
def test_the_preview_costs_what_the_campaign_then_says(ada: Client, share: int) -> None:
    page = looked_at(ada, gold_share=str(share))
    shown = page.context["preview"].most
    assert ("are gold items, which the cost counts" in page.content.decode()) is bool(share)
    made = created(ada, gold_share=str(share))
    assert made.gold_share == share
    planned = budget.highest_cost(made)
    # Which of the items is judged twice depends on the seed, so both count their own judgments.
    assert planned.of_judgment == shown.of_judgment
    assert planned.bill.units == budget.with_gold(made.slots.count(), share)


@pytest.mark.parametrize("wrong", ["-1", "13", "x", "1.5"])
def test_a_share_that_is_none_is_told_beside_its_field(ada: Client, wrong: str) -> None:
    answer = tried(ada, gold_share=wrong)
    assert answer.status_code == 422
    assert 'id="id_gold_share_error"' in answer.content.decode()


def test_a_plan_with_gold_items_opens_at_once() -> None:
    made = campaign(gold_share=5, gold=tuple(ROWS))
    assert made.status == Campaign.Status.OPEN
    found = GoldItem.objects.filter(campaign=made, confirmed_at__isnull=False)
    assert list(found.values_list("name", "position")) == [(f"g{i}", i) for i in range(6)]
    with pytest.raises(Exception, match="none is confirmed"):
        life.open_(campaign(gold_share=5, is_open=False).pk)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gold": tuple(ROWS)}, "gold_share"),
        ({"gold": ({"item": "x"},), "gold_share": 1}, "output"),
        ({"gold": (ROWS[0], ROWS[0]), "gold_share": 1}, "another gold item"),
        ({"gold": ({**ROWS[0], "expected": {"taste": [1]}},), "gold_share": 1}, "taste"),
        ({"gold": ({**ROWS[0], "output": "a\0b"},), "gold_share": 1}, "NUL"),
        ({"gold": tuple({**ROWS[0], "item": str(n)} for n in range(501)), "gold_share": 1}, "500"),
    ],
)
def test_wrong_gold_makes_no_campaign(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(Invalid) as refused:
        campaign(**changes)
    assert says in refused.value.errors["gold"]
    assert not Campaign.objects.exists()


def command(folder: Path, *options: str) -> dict[str, Any]:
    file, out = folder / "outputs.jsonl", StringIO()
    file.write_bytes(lines())
    (folder / "gold.json").write_text(json.dumps({"gold": ROWS}))
    plan = ("--name=News", "--target=overall=0.2", "--double-share=0", "--json")
    call_command("create_campaign", str(file), *plan, *options, stdout=out)
    return dict(json.loads(out.getvalue()))


def test_the_command_takes_gold(tmp_path: Path) -> None:
    told = command(tmp_path, f"--gold={tmp_path}/gold.json", "--open")
    assert told["gold"] == {"share": 5, "items": 6}
    assert told["status"] == "open"
    # 7 judgments take 9 tasks.
    assert (told["planned_judgments"], told["cost_at_most"]["rewards"]) == (7, "3.60")
    (tmp_path / "list.json").write_text(json.dumps(ROWS))
    told = command(tmp_path, f"--gold={tmp_path}/list.json", "--gold-share=2")
    assert told["gold"] == {"share": 2, "items": 6}
    assert command(tmp_path, "--gold-share=3")["gold"] == {"share": 3, "items": 0}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--gold=nowhere.json"], "cannot be read"),
        (["--gold-share=3", "--open"], "--gold FILE"),
        (["--gold-share=13"], "0 to 12"),
        (["--gold={folder}/outputs.jsonl"], "outputs.jsonl"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path: Path, options: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        command(tmp_path, *[one.format(folder=tmp_path) for one in options])
    assert not Campaign.objects.exists()


@pytest.mark.slow
def test_planning_counts_gold() -> None:
    def target(*options: str) -> Any:
        out = StringIO()
        asked = ("--target=0.3", "--items=300", "--minutes=2", "--json")
        call_command("plan", *asked, *options, stdout=out)
        return json.loads(out.getvalue())["target"]

    bare, with_it = target(), target("--gold-share=5")
    person = float(Plan.tutorial_bonus) + planner.FAILED * float(Plan.failed_try_pay)
    people = person * bare["annotators"]["expected"]  # gold items make no more tutorials
    work = bare["cost"]["expected"] - people
    assert with_it["cost"]["expected"] == pytest.approx(1.25 * work + people)
    assert with_it["hours"]["expected"] == pytest.approx(1.25 * bare["hours"]["expected"])
    with pytest.raises(CommandError, match="0 to 12"):
        target("--gold-share=13")


def crowd(share: int, **changes: Any) -> Campaign:
    made = factories.campaign(is_open=False, crowd="mturk", items=40, double_share=0, **changes)
    return with_gold(made, share=share)


def test_batches_have_room_for_gold() -> None:
    """80 judgments: 16 submissions of 5 tasks, and 20 where one of five tasks is gold."""
    assert units_needed(crowd(1).pk, 5) == 17
    made = crowd(5)
    assert (units_needed(made.pk, 5), batches.suggested_places(made.pk, 5)) == (20, 20)
    tight = crowd(5, budget=Decimal(20))
    each = budget.unit_price(tight, tight.reward * 5)
    assert batches.suggested_places(tight.pk, 5) == int(Decimal(20) // each)


@pytest.mark.slow
def test_work_that_brings_gold_leaves_as_much_to_be_done() -> None:
    made = with_gold(campaign(is_open=False, items=40, double_share=0, annotator_cap=None), n=30)
    who = person(made)
    for _ in range(25):
        do(who)
    assert units_needed(made.pk, 5) == 15  # 60 judgments are missing: 75 tasks


def test_an_offer_says_how_many_tasks_are_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    made = crowd(5)
    found = batches.offer(made.pk, _terms(), places=20)
    assert (found.judgments, found.gold) == (80, 20)


def _terms() -> Any:
    from annotate.crowds.contract import Terms

    return Terms(title="Rate texts", description="Read and rate.", tasks=5)


def test_gold_by_the_api_of_new_campaigns(ada: Client) -> None:
    plan = {"name": "News", "targets": {"overall": 0.2}, "gold_share": 5, "gold": ROWS}
    outputs = [json.loads(line) for line in lines().splitlines()]

    def post(**changes: Any) -> Any:
        body = json.dumps({**plan, **changes, "outputs": outputs})
        return ada.post("/api/v1/campaigns/", body, content_type="application/json")

    answer = post()
    assert answer.status_code in (201, 202), answer.content
    from annotate.campaigns import imports as running

    running.run_due()
    made = Campaign.objects.get()
    assert (made.gold_share, made.gold.count()) == (5, 6)
    assert ada.get(f"/api/v1/campaigns/{made.public_id}/").json()["gold_share"] == 5
    for wrong in ({"gold": {"item": 1}}, {"gold": ["x"]}, {"gold_share": "many"}, {"gold": 7}):
        assert post(**wrong).status_code == 422, wrong
    assert Campaign.objects.count() == 1
