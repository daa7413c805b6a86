"""Metrics enter a campaign's estimates bounded; one that opened before may switch."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.campaigns import amendments, facts, life
from annotate.common.errors import Conflict, Invalid
from annotate.models import AuditEntry, Campaign, ChangeMark, Judgment
from estimation import facts as facts_module
from estimation import refresh
from estimation.core import entering
from estimation.models import Decision, Estimate
from tests import remembered
from tests.annotate.comparing import compared
from tests.estimation.heavy_tailed import heavy, judge, wrong
from tests.estimation.verifying.worlds import changed, files_of, written
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


def newest(made: Campaign, criterion: str = "overall") -> Estimate:
    found = Estimate.objects.filter(campaign=made, criterion=criterion).last()
    assert found is not None
    return found


def codes(row: Estimate) -> set[str]:
    return {notice["code"] for notice in row.detail["notices"]}


@pytest.mark.slow
def test_an_outlier_leaves_a_new_campaign_sane() -> None:
    made = judge(heavy(outlier=20_000.0), 60)
    assert Judgment.objects.filter(campaign=made).exclude(output__item__key="item-7").exists()
    assert made.protocol["metric_transform"] == "normal_scores"
    assert made.status == "closed"
    assert made.close_reason == "target"
    row = newest(made)
    assert -1 <= row.low <= row.estimate <= row.high <= 1
    assert abs(row.estimate - row.mean_estimate) < 0.25
    assert "off_scale" not in codes(row)
    assert row.detail["metric_transform"] == "normal_scores"


@pytest.mark.slow
def test_a_campaign_of_before_keeps_its_rule_and_never_stops_off_the_scale(ada: User) -> None:
    made = remembered.again(wrong, ada)
    row = newest(made)
    assert abs(row.estimate) > 1
    assert row.width < 1.2  # the interval alone would have closed it
    assert made.status == "open"
    assert not Decision.objects.filter(campaign=made).exists()
    assert codes(row) >= {"off_scale"}
    assert row.detail["verdict"] == "The estimate lies off the scale: it is wrong."


@pytest.mark.slow
def test_what_is_off_the_scale_is_told(ada: User, client: Client) -> None:
    made = remembered.again(wrong, ada)
    client.force_login(ada)
    page = client.get(f"/campaigns/{made.public_id}/").content.decode()
    assert "1 estimate lies off the scale" in page
    assert "Use bounded metrics…" in page
    assert "off the scale</span>" in page
    assert "[−1.00, −1.00]" not in page  # cut, it would look exact
    assert "[−1.66, " in page
    report = client.get(f"/campaigns/{made.public_id}/report/").content.decode()
    assert "lies off the scale" in report
    [row] = [
        one
        for one in client.get(f"/api/v1/campaigns/{made.public_id}/estimates/").json()["results"]
        if one["criterion"] == "overall"
    ]
    assert row["off_scale"] is True
    assert row["metric_transform"] == "raw"


def test_the_switch_is_logged_and_estimates_are_made_again(ada: User, client: Client) -> None:
    made = remembered.again(wrong, ada)
    client.force_login(ada)
    address = f"/campaigns/{made.public_id}/act/bound_metrics/"
    assert "by the ranks of its values" in client.get(address).content.decode()
    assert client.post(address, {"why": ""}).status_code == 422
    client.post(address, {"why": "One perplexity is 20,000."})
    made.refresh_from_db()
    assert made.protocol["metric_transform"] == "normal_scores"
    assert ChangeMark.objects.filter(campaign=made, reason="metrics").exists()
    entry = AuditEntry.objects.get(campaign=made, verb="bound_metrics")
    assert entry.actor == ada
    assert entry.detail["why"] == "One perplexity is 20,000."
    assert entry.detail["changes"] == {"metric_transform": [None, "normal_scores"]}
    for _round in range(4):
        refresh.refresh(made.pk)
    made.refresh_from_db()
    assert abs(newest(made).estimate) < 1
    assert made.status == "closed"
    report = client.get(f"/campaigns/{made.public_id}/report/").content.decode()
    assert "metric_transform from raw to normal_scores. One perplexity is 20,000." in report
    assert "1 change of how metrics enter, listed under" in report
    assert "mid-ranks over all outputs" in report
    client.post(address, {"why": "Again."})
    assert AuditEntry.objects.filter(campaign=made, verb="bound_metrics").count() == 1


def test_the_api_switches_too(ada: User, client: Client) -> None:
    made = heavy(ada, transform="raw")
    client.force_login(ada)
    address = f"/api/v1/campaigns/{made.public_id}/"
    told = client.get(address)
    assert told.json()["metric_transform"] == "raw", told.content
    asked = {"content_type": "application/json"}
    assert client.post(f"{address}bound-metrics/", {}, **asked).status_code == 422
    told = client.post(f"{address}bound-metrics/", {"reason": "An outlier."}, **asked)
    assert told.json()["metric_transform"] == "normal_scores"
    again = client.post(f"{address}bound-metrics/", {"reason": "Twice."}, **asked)
    assert again.status_code == 200
    assert AuditEntry.objects.filter(campaign=made, verb="bound_metrics").count() == 1


def test_only_a_running_campaign_with_metrics_switches(ada: User) -> None:
    draft = heavy(ada, is_open=False)
    with pytest.raises(Conflict, match="while a campaign is open"):
        amendments.bound(draft.pk, actor_id=ada.pk, why="Because.")
    without = campaign(owner=ada, metrics=())
    with pytest.raises(Conflict, match="no metrics"):
        amendments.bound(without.pk, actor_id=ada.pk, why="Because.")
    made = heavy(ada, transform="raw")
    with pytest.raises(Invalid):
        amendments.bound(made.pk, actor_id=ada.pk, why=" ")
    assert not AuditEntry.objects.filter(verb="bound_metrics").exists()
    made.refresh_from_db()
    assert "metric_transform" not in made.protocol


def verified(path: Path) -> str:
    out = io.StringIO()
    call_command("verify", str(path), stdout=out, stderr=io.StringIO(), no_color=True)
    return out.getvalue()


@pytest.mark.slow
def test_an_export_carries_both_rules_and_they_are_made_again(ada: User, tmp_path: Path) -> None:
    # One system stops under the former rule; then the rule is switched.
    made = judge(heavy(ada, transform="raw", outlier=21.0, systems=("lm", "other")), 70)
    before = Decision.objects.filter(campaign=made).count()
    assert before
    assert made.status in ("closing", "closed", "open")
    if made.status == "closed":
        life.reopen(made.pk, actor_id=ada.pk, why="More is wanted.")
    amendments.bound(made.pk, actor_id=ada.pk, why="In doubt.")
    made = judge(made, 10)
    assert Decision.objects.filter(campaign=made).count() > before
    files = files_of(made)
    said = verified(written(files, tmp_path / "export.zip"))
    assert 'how metrics enter changed: metric_transform from "raw" to "normal_scores"' in said
    assert "Everything agrees." in said

    def forgotten(text: str) -> str:
        return json.dumps(json.loads(text) | {"protocol_amendments": []})

    with pytest.raises(CommandError, match="the protocol was another one"):
        verified(written(changed(files, "plan.json", forgotten), tmp_path / "changed.zip"))


def test_all_outputs_of_all_systems_are_ranked_together() -> None:
    made = heavy(systems=("lm", "other"))
    refresh.refresh(made.pk)
    design = facts.design(made.pk)
    seen = facts_module.evidence(design)
    raw = facts_module.metric_values(design)
    values = [facts_module.metric_of(one.output, raw) for one in seen.systems]
    together = entering(np.concatenate(values))
    for one, part in zip(seen.systems, np.split(together, 2), strict=True):
        np.testing.assert_array_equal(
            facts_module.entering_of(seen.systems, raw)[one.system_id], part
        )
    side = facts_module.cells(design, seen)
    assert not list(side)  # nothing is judged yet


def test_pairs_of_texts_enter_with_their_signs() -> None:
    made = compared(metrics=("own",))
    assert facts.protocol_of(made).metric_transform == "signed_scores"
