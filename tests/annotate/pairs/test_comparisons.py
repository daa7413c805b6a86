"""Two systems side by side: from a file to scores, in either order."""

import re

import pytest
from django.urls import reverse

from annotate.campaigns import exports
from annotate.campaigns.problems import Row, UploadRefused
from annotate.common.errors import Invalid
from annotate.instruments import base as instruments_base
from annotate.instruments.base import InvalidResponse, Material
from annotate.instruments.preference.instrument import Preference
from annotate.models import (
    Item,
    Judgment,
    Output,
    Score,
    Slot,
    System,
)
from annotate.review import queries as review_queries
from annotate.work import submitting
from annotate.work import task as work_task
from estimation import refresh, scores
from estimation.metrics import score_all
from estimation.models import Comparison, Estimate, MetricScore
from tests.annotate.comparing import compared, decide, judged, rows
from tests.factories import campaign, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


# --- the pairs of a file


def test_every_two_systems_are_one():
    study = compared()
    found = System.objects.filter(campaign=study).values_list("name", "first", "second")
    assert list(found) == [("A vs. B", "A", "B"), ("A vs. C", "A", "C"), ("B vs. C", "B", "C")]
    assert Output.objects.filter(campaign=study).count() == 12
    last = exports.protocol(study)["systems"][-1]
    assert last == {"name": "B vs. C", "stop_position": None, "first": "B", "second": "C"}
    assert Slot.objects.filter(campaign=study).count() == study.planned == 15
    text = Output.objects.get(authorships__system__name="B vs. C", item__key="i3").text
    assert instruments_base.parts(text) == ("B wrote 3.", "C wrote 3.")


def test_a_metric_of_the_file_is_a_difference():
    study = compared(metrics=("own",))
    given = Output.objects.filter(campaign=study, authorships__system__name="A vs. C")
    assert {one.given_metrics["own"] for one in given} == {-2.0}


def test_the_same_text_twice_is_no_pair():
    given = [*rows(2, "AB"), Row("i2", "A", "Same."), Row("i2", "B", "Same.")]
    study = compared(given)
    assert sorted(Item.objects.filter(campaign=study).values_list("key", flat=True)) == ["i0", "i1"]


@pytest.mark.parametrize(
    ("given", "changes", "field"),
    [
        (rows(4, "A"), {}, "instrument"),
        (rows(1, [f"s{n}" for n in range(13)]), {}, "instrument"),
        ([Row("i0", "A", "One."), Row("i0", "B", "One.")], {}, "instrument"),
        (rows(2, ["A", "B vs. C", "A vs. B", "C"]), {}, "instrument"),
        (rows(), {"metrics": ("consensus_f1",)}, "metrics"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, changes, field):
    with pytest.raises(Invalid) as refused:
        compared(given, **changes)
    assert list(refused.value.errors) == [field]


def test_a_text_with_the_mark_is_refused():
    given = [*rows(2, "AB"), Row("i2", "A", "One ⁂⁂⁂ two.", line=9), Row("i2", "B", "Two.")]
    with pytest.raises(UploadRefused) as refused:
        compared(given)
    assert "line 9: the output contains ⁂⁂⁂" in str(refused.value)


# --- either order


def test_half_of_the_people_see_the_second_text_first():
    seen = [instruments_base.is_turned(who, str(task)) for who in range(100) for task in range(100)]
    assert abs(sum(seen) / len(seen) - 0.5) < 0.02
    each = [sum(seen[who * 100 : who * 100 + 100]) for who in range(100)]
    assert min(each) > 25
    assert max(each) < 75


def test_an_answer_is_stored_for_the_pairs_own_order():
    study = compared(rows(30, "AB"), annotator_cap=None)
    turned = set()
    for _number in range(20):
        participation = person(study, "p1")
        assignment = leased(participation)
        material = work_task.judgment_material(assignment)
        first = assignment.output.text.partition(instruments_base.MARK)[0]
        assert (material.pair[0] == first) is not material.turned
        # Who always prefers what A wrote answers by where it stands.
        answer = 2 if material.pair[0].startswith("A") else -2
        raw = {"preference": answer}
        submitting.submit_judgment(assignment.pk, participation_id=participation.pk, raw=raw)
        stored = Judgment.objects.get(assignment=assignment)
        assert stored.response == {"preference": 2, "turned": material.turned}
        turned.add(material.turned)
    assert turned == {True, False}
    refresh.refresh(study.pk)
    assert set(Score.objects.values_list("criterion", "value")) == {
        ("preference", 1.0),
        ("preference_wins", 1.0),
        ("preference_both_bad", 0.0),
    }
    found = Estimate.objects.filter(campaign=study, criterion="preference").latest("pk")
    assert found.estimate == 1


@pytest.mark.parametrize(
    ("level", "preference", "wins"),
    [(2, 1, 1), (1, 0.5, 1), (0, 0, 0.5), (-1, -0.5, 0), (-2, -1, 0)],
)
def test_scores(level, preference, wins):
    material = Material(instruments_base.joined("a", "b"))
    own = Preference()
    expected = {"preference": preference, "preference_wins": wins, "preference_both_bad": 0}
    assert own.scores({"preference": level, "turned": False}, material=material) == expected
    # The two texts change places: every sign flips exactly.
    flipped = own.scores({"preference": -level, "turned": True}, material=material)
    other = {"preference": -preference, "preference_wins": 1 - wins, "preference_both_bad": 0}
    assert flipped == other


def test_the_annotator_reads_what_they_answered():
    own = Preference()
    stored = own.check(
        {"preference": 2}, material=Material(instruments_base.joined("a", "b"), turned=True)
    )
    assert stored == {"preference": -2, "turned": True}
    assert own.recalled(stored) == "Preference: First, clearly"
    assert own.answered(stored) == "Preference: Second, clearly"  # reviewers see its own order
    assert own.reopened(stored) == {"preference": 2}


@pytest.mark.parametrize("value", [3, -3, 0.5, "2", None, True])
def test_other_answers_are_refused(value):
    with pytest.raises(InvalidResponse):
        Preference().check(
            {"preference": value}, material=Material(instruments_base.joined("a", "b"))
        )


def test_who_looks_back_reads_the_pair_as_they_saw_it():
    study = compared(rows(12, "AB"), annotator_cap=None, double_share=0)
    who = person(study)
    seen = []
    for _task in range(12):
        assignment = leased(who)
        seen.append(work_task.judgment_material(assignment).pair[0])
        submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw={"preference": 1})
    mine = review_queries.tasks(who.pk)
    assert [one.excerpt.partition(instruments_base.MARK)[0] for one in mine] == seen
    assert {one[0] for one in seen} == {"A", "B"}


# --- the dashboard


def test_three_systems_have_a_strength_each_and_no_difference_of_differences(client):
    owner = user()
    study = compared(rows(6), owner=owner, annotator_cap=None, double_share=0)
    judged(study, 18, people=2)
    refresh.refresh(study.pk)
    assert not Comparison.objects.filter(campaign=study).exists()
    client.force_login(owner)
    page = client.get(reverse("estimation:dashboard", args=[study.public_id])).content.decode()
    assert "Strength of the systems" in page
    assert page.count('<tr><th scope="row">') >= 3
    assert "from −1 (the second is always clearly better) to 1 (the first is)" in page


def test_strengths_have_intervals_where_all_pairs_have(client):
    owner = user()
    study = compared(rows(6), owner=owner)
    decide(study, dict.fromkeys(("A vs. B", "A vs. C", "B vs. C"), "first"))
    wins = {"criterion": "preference_wins", "estimate": 0.7, "low": 0.6, "high": 0.8, "width": 0.2}
    Estimate.objects.update(**wins)
    client.force_login(owner)
    address = reverse("estimation:dashboard", args=[study.public_id])
    page = client.get(address).content.decode()
    (shown,) = re.findall(r'<table class="strengths">.*?</table>', page, re.S)
    assert shown.count("[") == 6
    assert "95 % intervals, each separately, allow for all that pairs have in common" in (
        page.replace("\u00a0", " ")
    )
    Estimate.objects.filter(system__name="B vs. C").update(low=None, high=None, width=None)
    page = client.get(address).content.decode()
    (shown,) = re.findall(r'<table class="strengths">.*?</table>', page, re.S)
    assert "[" not in shown


def test_the_report_tells_of_pairs(client):
    owner = user()
    study = compared(rows(6), owner=owner)
    judged(study, 6)
    refresh.refresh(study.pk)
    client.force_login(owner)
    page = client.get(reverse("estimation:report", args=[study.public_id])).content.decode()
    text = " ".join(re.sub("<[^>]*>", "", page).split())
    assert "People compared texts by 3 pairs of systems (A vs. B, A vs. C and B vs. C)." in text
    assert re.search(r"Of 18 pairs of texts, \d were judged", text), text[:3000]
    assert "which one stood first was random for each person and pair" in text
    assert "one text at a time" not in text


# --- metrics


def test_a_computed_metric_is_that_of_the_first_text_less_that_of_the_second():
    given = [
        Row(f"i{n}", name, f"{name} wrote {n}" + " and more" * (n * place), reference="A wrote it")
        for n in range(4)
        for place, name in enumerate("AB")
    ]
    study = compared(given, metrics=("length", "rouge_1_f"))
    scores.compute(study.pk, ["length", "rouge_1_f"])
    stored = MetricScore.objects.filter(campaign=study).select_related("output")
    assert stored.count() == 8
    for one in stored:
        texts = instruments_base.parts(one.output.text)
        first, second = score_all([one.metric], texts, ["A wrote it"] * 2)[one.metric]
        assert one.value == pytest.approx(first - second)
        assert one.value <= 0 or one.metric != "length"


def test_a_pair_takes_no_score_of_an_ordinary_text():
    """The digests of pairs differ from those of texts that look like a pair."""
    text = instruments_base.joined("One.", "Two and more.")
    ordinary = campaign(rows_=[Row("i0", "A", text)], metrics=("length",))
    scores.compute(ordinary.pk, ["length"])
    study = compared([Row("i0", "A", "One."), Row("i0", "B", "Two and more.")], metrics=("length",))
    scores.compute(study.pk, ["length"])
    stored = MetricScore.objects.filter(metric="length").order_by("pk")
    first, second = stored.values_list("value", flat=True)
    assert first > 0 > second
