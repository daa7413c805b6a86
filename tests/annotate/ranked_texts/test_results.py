"""Results of rankings: estimates, differences, stops, metrics, exports, pages."""

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.campaigns import exports, facts, planner
from annotate.campaigns.problems import Row
from annotate.common.errors import Invalid
from annotate.models import Campaign, Output, System
from annotate.models.base import CampaignStatus
from annotate.review import evidence, items
from estimation import core, deferred, export, read, refresh, scores
from estimation import facts as estimation_facts
from estimation.models import Comparison, Decision, EndForecast
from estimation.pages import report as pages_report
from estimation.pages.report import methods, plain
from tests.annotate.ranked_texts.studies import ranking, rows, study, work
from tests.annotate.researcher import owner_of
from tests.estimation.verifying.worlds import files_of, written
from tests.factories import person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

REASON = {"name": "why", "kind": "text", "label": "Reason", "question": "Why?", "optional": True}


def noisy(seed: int) -> Callable[[str], float]:
    """Return somebody to whom A is usually better than B, and B than C."""
    return lambda text: "ABCDEF".index(text[0]) + random.Random(f"{seed} {text}").gauss(0, 1.5)


def judged(items: int = 12, people: int = 6, systems: str = "ABC", **changes: object) -> Campaign:
    made = study(items, systems, **{"double_share": 0.5, **changes})  # type: ignore[arg-type]
    for number in range(people):
        work(person(made, f"p{number}"), worth=noisy(number), turns=items // 2, why="")
    refresh.refresh(made.pk)
    return made


def by_system(made: Campaign) -> dict[str, tuple[float, float, int]]:
    names = dict(System.objects.values_list("pk", "name"))
    return {
        names[one.system_id]: (one.estimate, one.std_error, one.n_judgments)
        for one in read.newest([made.pk])
    }


def test_estimates_are_those_of_the_library_and_sum_to_half_of_the_systems():
    made = judged()
    told = by_system(made)
    places = {row["item"]: row["position"] for row in exports.items(exports.moment(made.pk))}
    score: dict[str, list[tuple[float, int, str]]] = {name: [] for name in "ABC"}
    for row in exports.scores(exports.moment(made.pk)):
        for system in row["systems"]:
            one = row["score"], places[row["item"]], row["annotator"]
            score[system.name].append(one)
    for name, each in score.items():
        values, item, who = zip(*each, strict=True)
        sample = core.Sample(
            score=np.array(values),
            item=np.array(item),
            annotator=np.unique(who, return_inverse=True)[1],
            n_population=12,
            scale=core.Scale(0, 1),
        )
        estimate = core.estimate(sample, core.Method("balanced", balance=0.15, person_share=0.08))
        known = estimate.estimate, estimate.std_error, len(each)
        assert told[name] == pytest.approx(known, rel=1e-12)
    assert sum(one[0] for one in told.values()) == pytest.approx(1.5)


@pytest.mark.slow
def test_two_systems_are_compared_within_each_ranking():
    made = judged()
    (found,) = [
        one
        for one in Comparison.objects.order_by("-pk")[:3]
        if (one.first.name, one.second.name) == ("A", "C")
    ]
    estimates = by_system(made)
    assert found.difference == pytest.approx(estimates["A"][0] - estimates["C"][0])
    assert found.difference > 0


@pytest.mark.slow
def test_all_systems_leave_together_when_the_last_is_at_its_target():
    made = study(40, targets={"rank": 0.4}, double_share=0.25, annotator_cap=None, seed=7)
    people = [person(made, f"p{number}") for number in range(8)]
    worth = [noisy(number) for number in range(8)]
    stops = set()
    for turn in range(200):
        if not work(people[turn % 8], worth=worth[turn % 8], turns=1):
            break
        refresh.refresh(made.pk)
        stops.add(tuple(made.systems.values_list("stop_position", flat=True)))
        made.refresh_from_db()
        if made.status == CampaignStatus.CLOSED:
            break
    assert made.status == CampaignStatus.CLOSED
    assert made.close_reason == "target"
    assert all(len(set(one)) == 1 for one in stops)  # at every moment
    assert made.judgments.count() < made.planned
    assert Decision.objects.filter(verb="stop_system").count() == 3


def test_a_metric_enters_as_its_value_less_the_mean_of_the_others():
    texts = [
        Row(f"i{n}", name, f"{name} wrote {n}.", metrics={"quality": float(n * k)})
        for n in range(5)
        for k, name in enumerate("ABC", start=1)
    ]
    made = study(texts=texts, metrics=("quality",))
    design = facts.design(made.pk)
    scores.ensure(design)
    seen = estimation_facts.evidence(design)
    plain = estimation_facts.Metrics(seen.metrics.output, seen.metrics.value, "raw")
    entered = estimation_facts.entering_of(seen.systems, plain, ranks=True)
    for k, system in enumerate(seen.systems, start=1):
        n = np.array([int(Output.objects.get(pk=pk).text.split()[-1][:-1]) for pk in system.output])
        assert entered[system.system_id] == pytest.approx(n * (k - (6 - k) / 2))


@pytest.mark.slow
def test_an_export_is_verified_and_its_scores_give_the_estimates(tmp_path):
    made = judged(systems="ABCD", definition=ranking(REASON))
    path = tmp_path / "export.zip"
    path.write_bytes(b"".join(export.stream(made.public_id)))
    out = io.StringIO()
    call_command("verify", str(path), stdout=out, stderr=io.StringIO(), no_color=True)
    assert "Everything agrees. 16 answers" in out.getvalue()
    files = {Path(name).name: data for name, data in files_of(made).items()}
    table = list(csv.DictReader(io.StringIO(files["scores.csv"].decode())))
    assert {row["criterion"] for row in table} == {"rank"}
    means = {
        name: np.mean([float(row["score"]) for row in table if row["system"] == name])
        for name in "ABCD"
    }
    assert means["A"] > means["B"] > means["D"]
    (first, *_) = map(json.loads, files["judgments.jsonl"].splitlines())
    assert len(first["ranked"]) == len(first["page"]) == len(first["systems"]) == 4
    assert set(first["ranked"]) == set(first["page"])


@pytest.mark.parametrize("what", ["place", "score"])
@pytest.mark.slow
def test_a_changed_ranking_is_found(tmp_path, what):
    made = judged()
    files = files_of(made)
    (name,) = (one for one in files if one.endswith("judgments.jsonl"))
    each = [json.loads(line) for line in files[name].splitlines()]
    if what == "place":
        each[0]["response"]["rank"].reverse()
    else:
        each[0]["scores"]["rank_1"], each[0]["scores"]["rank_2"] = 0.1, 0.9
    files[name] = b"".join(json.dumps(one).encode() + b"\n" for one in each)
    path = written(files, tmp_path / "tampered.zip")
    with pytest.raises(Exception, match=f"judgment {each[0]['judgment']}"):
        call_command("verify", str(path), stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.slow
def test_every_page_shows_it(ada: Client):
    made = judged(owner=owner_of(ada))
    deferred.MEASURING.carry_out(made.pk)
    who = made.judgments.first().annotator
    each = [
        reverse("estimation:dashboard", args=[made.public_id]),
        reverse("estimation:report", args=[made.public_id]),
        reverse("annotate:items", args=[made.public_id]),
        reverse("annotate:item", args=[made.public_id, 1]),
        reverse("estimation:item-metrics", args=[made.public_id, 1]),
        reverse("annotate:review", args=[made.public_id, who.pseudonym]),
        reverse("annotate:export", args=[made.public_id]),
    ]
    shown = {}
    for address in each:
        page = ada.get(address)
        assert page.status_code == 200, address
        body = b"".join(page.streaming_content) if page.streaming else page.content
        shown[address] = " ".join(body.decode().split())
    assert "put them in order" in shown[each[1]]
    assert "place 1" in shown[each[3]]
    assert "The 3 texts" in shown[each[5]]


@pytest.mark.slow
def test_items_are_listed_by_what_rankings_say():
    made = judged()
    asked = evidence.without_judgments(made).instrument
    outputs = list(Output.objects.filter(item__position=0).values_list("pk", flat=True))
    found = items.means(outputs, ["rank"], asked=asked)
    assert set(found) == {(one, "rank") for one in outputs}
    assert sum(mean for mean, _n in found.values()) == pytest.approx(1.5)


def test_a_plan_counts_rankings():
    made = study(50, "ABCDEF", double_share=0.2)
    assert made.planned == 60
    forecast = planner.of_campaign(made)
    assert forecast is None or forecast.judgments.high <= made.planned


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        (rows(3, "A"), "2 to 6 systems"),
        (rows(3, "ABCDEFG"), "2 to 6 systems"),
        (rows(3)[:-1], "1 text is missing"),
        ([Row(f"i{n}", name, "same") for n in range(3) for name in "AB"], "nothing to rank"),
    ],
)
def test_a_file_that_cannot_be_ranked_is_refused(texts, word):
    with pytest.raises(Invalid, match=word):
        study(texts=texts)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"stop_mode": "ranking", "margins": {"rank": 0.1}, "targets": {}}, "stop_mode"),
        ({"gold_share": 2}, "gold_share"),
    ],
)
def test_a_plan_that_does_not_go_with_rankings_is_refused(changes, field):
    with pytest.raises(Invalid) as refused:
        study(**changes)
    assert field in refused.value.errors


@pytest.mark.slow
def test_the_api_shows_who_wrote_what_was_ranked(ada: Client):
    made = judged(owner=owner_of(ada))
    page = ada.get(f"/api/v1/campaigns/{made.public_id}/judgments/").json()
    assert {tuple(one["systems"]) for one in page["results"]} == {("A", "B", "C")}
    assert {frozenset(one["scores"]) for one in page["results"]} == {
        frozenset({"rank_1", "rank_2", "rank_3"})
    }


@pytest.mark.slow
def test_a_forecast_counts_each_ranking_once_until_the_slowest_system_ends():
    made = study(120, "ABC", targets={"rank": 0.25}, double_share=0, annotator_cap=None, seed=3)
    for number in range(9):
        work(person(made, f"p{number}"), worth=noisy(number), turns=5)
    refresh.refresh(made.pk)
    deferred.FORECASTING.ask(made.pk)
    deferred.FORECASTING.carry_out(made.pk)
    content = EndForecast.objects.filter(campaign=made).latest("pk").content
    expected, low, high = content["judgments"]
    # The mean of the three systems would be 68 rankings.
    assert 75 < expected < 95
    assert 45 < low < expected < high <= 120


@pytest.mark.slow
def test_sentences_count_items_and_rankings(ada: Client):
    made = judged(owner=owner_of(ada))
    deferred.MEASURING.carry_out(made.pk)
    n = made.judgments.count()
    told = " ".join(map(plain, methods(pages_report.build(made))))
    assert "Of 12 items, " in told
    assert f"{3 * n} judgments" not in told
    assert "scores of" in told
    item = ada.get(reverse("annotate:item", args=[made.public_id, 1])).content.decode()
    here = made.judgments.filter(output__item__position=0).count()
    assert f"3 texts, {here} counting judgment" in item


def test_the_page_of_gold_says_that_rankings_take_none(ada: Client):
    made = study(owner=owner_of(ada), is_open=False)
    page = ada.get(reverse("annotate:gold", args=[made.public_id])).content.decode()
    assert "such a study takes no gold items" in page
    for part in ('name="share"', "add some above", "Who is listed"):
        assert part not in page
