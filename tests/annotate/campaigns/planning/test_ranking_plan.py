"""A ranking is asked for by form, API and command line: with margins, and fixed from then on."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import exports, imports, plans
from annotate.campaigns.wizard_forms import PlanStep
from annotate.common.errors import Invalid
from annotate.models import Campaign
from annotate.models.base import StopMode
from tests.annotate.researcher import PLAN, lines, looked_at, press
from tests.factories import campaign, plan, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
RANKING: dict[str, Any] = {"stop_mode": "ranking", "targets": {}, "margins": {"overall": 0.3}}


def beyond(**changes: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as caught:
        plans.check(plan(**(RANKING | changes)))
    return caught.value.errors


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"margins": {}}, "margins", "Name at least one criterion and the difference"),
        ({"margins": {"zzz": 0.3}}, "margins", "“zzz” is not a criterion; there are fluency,"),
        ({"margins": {"overall": 0.0}}, "margins", "The margin of overall lies between 0 and 2."),
        ({"margins": {"overall": 2.0}}, "margins", "lies between 0 and 2."),
        ({"margins": {"overall": float("nan")}}, "margins", "lies between 0 and 2."),
        ({"targets": {"overall": 0.2}}, "targets", "margins in place of target widths"),
        ({"planned_items": 0}, "planned_items", "must be positive"),
        ({"planned_items": 2**31}, "planned_items", "must be positive"),
    ],
)
def test_a_ranking_has_margins_and_they_are_explained(changes, field, says):
    (found,) = beyond(**changes).items()
    assert found[0] == field
    assert says in found[1]


numbers = st.dictionaries(st.sampled_from(["overall", "edit"]), st.floats(0.01, 1.5), max_size=2)


@given(mode=st.sampled_from(StopMode.values), targets=numbers, margins=numbers)
def test_a_plan_is_taken_with_what_its_mode_stops_on_and_nothing_else(mode, targets, margins):
    mine, others = (margins, targets) if mode == StopMode.RANKING else (targets, margins)
    wanted = plan(stop_mode=mode, targets=targets, margins=margins)
    if mine and not others:
        assert plans.check(wanted)
    else:
        with pytest.raises(Invalid):
            plans.check(wanted)


def test_one_system_cannot_be_ranked():
    with pytest.raises(Invalid, match="at least two systems; the file has one") as caught:
        campaign(systems=("alpha",), **RANKING)
    assert set(caught.value.errors) == {"stop_mode"}


def test_what_was_asked_is_stored_and_told():
    made = campaign(items=900, is_open=False, **RANKING)
    # (1.96 / 0.3)² · 2 · (.139 + .291 · .875), from the released judgments of `overall`
    assert made.planned_items == 34
    told = exports.protocol(made)
    assert (told["stop_mode"], told["planned_items"]) == ("ranking", 34)
    assert (told["targets"], told["margins"]) == ({}, {"overall": 0.3})
    assert campaign(is_open=False, **RANKING, planned_items=70).planned_items == 70
    assert campaign(is_open=False).planned_items is None


def test_the_form_makes_a_ranking(client: Client):
    client.force_login(user())
    page = looked_at(client, stop_mode="ranking")
    assert b"A ranking of 2 systems: 1 pair on each criterion" in page.content
    press(client, page)
    imports.run_due()
    made = Campaign.objects.get()
    assert (made.stop_mode, made.targets.get().margin) == ("ranking", 0.3)
    assert made.targets.get().width is None


def test_what_belongs_to_another_mode_is_hidden_and_not_looked_at():
    given_ = {"margin_overall": "abc", "planned_items": "-1"}
    assert PlanStep(PLAN | given_, plan=plan()).is_valid()
    other = PLAN | {"stop_mode": "ranking", "width_overall": "abc"}
    form = PlanStep(other, plan=plan())
    assert form.is_valid(), form.errors
    assert (form.plan().targets, form.plan().margins) == ({}, {"overall": 0.3})


def command(folder: Path, *options: str) -> dict[str, Any]:
    file, out = folder / "outputs.jsonl", StringIO()
    file.write_bytes(lines())
    call_command("create_campaign", str(file), "--name=News", "--json", *options, stdout=out)
    return dict(json.loads(out.getvalue()))


def test_the_command_makes_a_ranking(tmp_path):
    command(
        tmp_path,
        "--stop-mode=ranking",
        "--margin=overall=0.3",
        "--margin=edit=0.1",
        "--planned-items=90",
    )
    made = Campaign.objects.get()
    assert dict(made.targets.values_list("criterion", "margin")) == {"overall": 0.3, "edit": 0.1}
    assert made.planned_items == 90


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--margin=overall=0.3", "--target=overall=0.2"], "margins: Only a ranking has margins."),
        (["--stop-mode=ranking", "--margin=overall=1", "--margin=overall=2"], "twice in --margin"),
    ],
)
def test_the_command_refuses_what_does_not_fit(tmp_path, options, says):
    with pytest.raises(CommandError, match=says):
        command(tmp_path, *options)
    assert not Campaign.objects.exists()


# --- pairs judged side by side

PAIRS: dict[str, Any] = {
    "instrument": "preference",
    "stop_mode": "ranking",
    "targets": {},
    "margins": {"preference": 0.2},
}


def test_the_planned_items_are_those_of_one_score():
    made = campaign(items=900, metrics=(), is_open=False, **PAIRS)
    # (1.96 / 0.2)² · (.12 + .24 · .875), of what is assumed: shares .03, .015, .045 of 2²
    assert made.planned_items == 32


def test_the_preview_counts_pairs(client: Client):
    client.force_login(user())
    asked = {"instrument": "preference", "tutorial": "none", "metric_choice": "none"}
    page = looked_at(client, stop_mode="ranking", margin_preference="0.4", **asked)
    assert b"A ranking: 1 pair on each criterion" in page.content
