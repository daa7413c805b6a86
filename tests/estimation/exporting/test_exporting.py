"""What is in an export: everything that people wrote, nothing that says who they are."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.campaigns import life, members
from annotate.campaigns.problems import Row
from annotate.models import (
    Annotator,
    Assignment,
    Campaign,
    InstrumentDefinition,
    Judgment,
    Output,
    Review,
    Ruling,
    System,
)
from annotate.models.base import CloseReason, MemberRole
from annotate.studies import definitions
from annotate.work import leasing, scoring
from estimation import export, read
from estimation.models import Estimate
from tests.annotate.own import marked
from tests.estimation.exporting.exported import NAMES, exported, owner_of, shut_out
from tests.estimation.reviewed import rule, settle
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

SEEN = ["visible", "blocks"]  # where texts are not plain
UTC_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


@pytest.mark.slow
def test_every_file_is_there_with_the_columns_that_the_readme_names(study: Campaign) -> None:
    found = exported(study)
    assert found.folder == f"plumbline-{study.public_id}"
    others = {"plan.json", "README.md", "manifest.json"}
    assert set(found.files) == {file.name for file in export.FILES} | others
    for file in export.FILES:
        rows = found.table(file.name) if file.is_table else found.objects(file.name)
        for row in rows:
            seen = SEEN if file.name == "outputs.jsonl" else []
            assert [*row, *seen] == list(file.columns), file.name
        heading = found.files["README.md"].partition(f"## {file.name}\n")[2].partition("\n## ")[0]
        assert f"{len(rows):,} row" in heading
        assert re.findall(r"^\| `(\w+)` \|", heading, re.M) == list(file.columns)


def test_judgments_carry_the_whole_answer(study: Campaign) -> None:
    rows = exported(study).objects("judgments.jsonl")
    stored = Judgment.objects.filter(campaign=study).order_by("pk")
    assert [row["judgment"] for row in rows] == [one.pk for one in stored]
    assert [row["response"] for row in rows] == [one.response for one in stored]
    assert any("A better text, number" in str(row["response"]["edit"]) for row in rows)
    assert all(set(row["scores"]) >= {"fluency", "edit"} for row in rows)
    assert all(UTC_TIME.fullmatch(row["submitted_at"]) for row in rows)


def test_outputs_items_and_metrics_are_whole(study: Campaign) -> None:
    found = exported(study)
    assert {row["output"]: row["text"] for row in found.objects("outputs.jsonl")} == dict(
        Output.objects.filter(campaign=study).values_list("pk", "text")
    )
    items = found.objects("items.jsonl")
    assert [row["position"] for row in items] == list(range(8))
    assert {row["reference"] for row in items} == {
        f"The council of district {i} met on Monday." for i in range(8)
    }
    quality = {(row["system"], row["item"]): row["value"] for row in found.table("metrics.csv")}
    assert len(quality) == 16
    assert quality["beta", "item-3"] == str(float((3 * 7 + 3) % 11))


def test_scores_can_be_estimated_from_again(study: Campaign, tmp_path: Path) -> None:
    """What is exported is what was estimated from: the same number comes out."""
    found = exported(study)
    counting = [row for row in found.table("scores.csv") if row["counts"] == "1"]
    newest = Estimate.objects.filter(campaign=study, system__name="alpha", criterion="overall")
    shown = [
        row
        for row in found.table("estimates.csv")
        if (row["newest"], row["system"], row["criterion"]) == ("1", "alpha", "overall")
    ]
    assert float(shown[0]["estimate"]) == newest.order_by("-pk")[0].estimate
    mine = [
        float(row["score"])
        for row in counting
        if (row["system"], row["criterion"]) == ("alpha", "overall")
    ]
    assert len(mine) == int(shown[0]["n_judgments"])
    judged, values = tmp_path / "scores.csv", tmp_path / "metrics.csv"
    with judged.open("w", newline="") as file:
        writer = csv.DictWriter(file, counting[0])
        writer.writeheader()
        writer.writerows(counting)
    values.write_text(found.files["metrics.csv"])
    out = io.StringIO()
    call_command(
        "estimate", judgments=judged, metrics=values, metric=["quality"], json=True, stdout=out
    )
    again = next(
        one
        for one in json.loads(out.getvalue())
        if (one["system"], one["criterion"]) == ("alpha", "overall")
    )
    assert again["estimate"] == pytest.approx(float(shown[0]["estimate"]), abs=1e-12)


def test_what_a_system_stopped_before_counts_for_it_no_more(study: Campaign) -> None:
    System.objects.filter(campaign=study, name="alpha").update(stop_position=2)
    for row in exported(study).table("scores.csv"):
        before = row["system"] == "beta" or int(row["position"]) < 2
        assert int(row["counts"]) == before


def test_exclusions_say_what_was_taken_out_and_what_came_back(study: Campaign) -> None:
    """Two people are excluded, one of them is restored."""
    first, second = (shut_out(study, name).annotator for name in NAMES[:2])
    review = Review.objects.get(annotator=second)
    rule(review, owner_of(study), Ruling.Act.RESTORE)
    found = exported(study)
    given = {
        who: Judgment.objects.filter(campaign=study, annotator=who).count()
        for who in (first, second)
    }
    rows = found.table("exclusions.csv")
    assert len(rows) == given[first] + given[second]
    still = {row["judgment"] for row in rows if not row["restored_at"]}
    assert len(still) == given[first]
    told = {str(row["judgment"]) for row in found.objects("judgments.jsonl") if row["excluded"]}
    assert told == still
    assert all(not row["counts"] for row in found.objects("judgments.jsonl") if row["excluded"])
    people = {row["annotator"]: row for row in found.table("annotators.csv")}
    assert people[first.pseudonym]["review"] == "excluded"
    assert people[first.pseudonym]["screens"] == "too_fast"
    assert int(people[first.pseudonym]["excluded"]) == given[first]
    assert int(people[first.pseudonym]["counting"]) == 0
    assert int(people[second.pseudonym]["judgments"]) == given[second]


def test_all_of_the_history_is_told_and_which_of_it_is_the_newest(study: Campaign) -> None:
    judge(person(study, NAMES[0]))
    settle(study)
    found = exported(study)
    for name, newest in {
        "estimates.csv": read.newest([study.pk]),
        "comparisons.csv": read.newest_comparisons([study.pk]),
        "agreement.csv": read.newest_agreement(study.pk),
    }.items():
        rows = found.table(name)
        last = {row["id"] for row in rows if row["newest"] == "1"}
        assert last == {str(pk) for pk in newest.values_list("pk", flat=True)}, name
        assert len(rows) > len(last) or name == "agreement.csv"


def test_decisions_name_their_estimates(study: Campaign) -> None:
    life.close(study.pk, CloseReason.HAND)
    finisher = person(study, "finisher")
    while isinstance(leasing.lease(finisher.pk), Assignment):
        judge(finisher)
    settle(study)
    found = exported(study)
    ids = {row["id"] for row in found.table("estimates.csv")}
    decided = found.table("decisions.csv")
    assert decided
    for row in decided:
        assert set(filter(None, row["estimates"].split(" + "))) <= ids


def test_the_plan_says_what_was_asked_on_which_scale(study: Campaign) -> None:
    plan = exported(study).plan
    assert plan["campaign"] == study.public_id
    assert plan["targets"] == {"overall": 0.2}
    assert plan["reward"] == "0.40"
    assert [one["name"] for one in plan["systems"]] == ["alpha", "beta"]
    scales = {one["name"]: (one["low"], one["high"]) for one in plan["instrument"]["criteria"]}
    assert scales["overall"] == (-1, 1)
    assert plan["instrument"]["definition"]["criteria"]


def test_texts_that_several_systems_wrote_are_one_output_and_a_row_for_each() -> None:
    shared = [Row(item="a", system=name, output="The same text.") for name in ("x", "y")]
    made = campaign(rows_=shared, metrics=())
    judge(person(made))
    scoring.ensure(made.pk)
    found = exported(made)
    (output,) = found.objects("outputs.jsonl")
    assert output["systems"] == ["x", "y"]
    assert [row["systems"] for row in found.objects("judgments.jsonl")] == [["x", "y"]]
    overall = [row for row in found.table("scores.csv") if row["criterion"] == "overall"]
    assert [row["system"] for row in overall] == ["x", "y"]


def test_highlights_carry_their_words_and_paragraphs_their_verdicts() -> None:
    paragraphs = ["Ada Lovelace 🖋 lived in London.", "She wrote the first program."]
    made = campaign(
        instrument="answer_correctness",
        targets={"any_correct": 0.2},
        metrics=(),
        rows_=[
            Row(item="q", system="s", output="London", input="where?", paragraphs=tuple(paragraphs))
        ],
    )
    words = {"start": 15, "end": 30, "text": paragraphs[0][15:30]}
    verdicts = [{"value": 1, "spans": [words], "confirmed": True}, {"value": 0}]
    judge(person(made), plausible=True, verdicts=verdicts)
    (row,) = exported(made).objects("judgments.jsonl")
    assert row["response"]["verdicts"][0]["value"] == 1
    assert row["highlights"] == [
        {"criterion": None, "paragraph": 1, "start": 15, "end": 30, "text": "lived in London"}
    ]
    (item,) = exported(made).objects("items.jsonl")
    assert (item["input"], item["paragraphs"]) == ("where?", paragraphs)


def test_highlights_of_an_instrument_of_ones_own_name_their_criterion() -> None:
    definitions.define(marked(), owner_id=user().pk)
    key = InstrumentDefinition.objects.get().key
    text = "Hold the 🔴 button for ten seconds, then wait."
    made = campaign(
        instrument=key,
        targets={"helpful": 0.2},
        metrics=(),
        rows_=[Row(item="q", system="s", output=text, input="How do I switch it off?")],
    )
    start = text.index("button")
    span = {"start": start, "end": start + 6, "text": "button"}
    judge(person(made), helpful=-2, invented=0, evidence={"helpful": [span]})
    (row,) = exported(made).objects("judgments.jsonl")
    assert row["highlights"] == [
        {
            "criterion": "helpful",
            "paragraph": None,
            "start": start,
            "end": start + 6,
            "text": "button",
        },
    ]


def test_an_empty_campaign_is_exported_too() -> None:
    found = exported(campaign(is_open=False))
    assert found.table("scores.csv") == []
    assert found.objects("judgments.jsonl") == []
    assert found.files["scores.csv"].splitlines() == [",".join(export.SCORES.columns)]
    assert len(found.objects("outputs.jsonl")) == 12


def test_other_campaigns_are_not_in_it(study: Campaign) -> None:
    other = campaign(rows_=[Row(item="other", system="gamma", output="Elsewhere.")], metrics=())
    judge(person(other, "somebody else"))
    found = exported(study)
    for text in found.files.values():
        assert "gamma" not in text
        assert "Elsewhere." not in text


# ---------------------------------------------------------------- nobody is named


def test_nothing_in_it_says_who_anybody_is(study: Campaign) -> None:
    """All that a crowd or a link knows people by, and who owns and reviews the campaign."""
    eve = user("reviewer-eve")
    members.join(study.pk, eve.pk, MemberRole.REVIEWER, by=owner_of(study).pk)
    shut_out(study, NAMES[0])
    found = exported(study)
    hidden = [*NAMES, "reviewer-eve", study.contact or "nobody@example.org"]
    for name, text in found.files.items():
        for one in hidden:
            assert one not in text, name
    names = {row["annotator"] for row in found.table("annotators.csv")}
    assert names == set(Annotator.objects.values_list("pseudonym", flat=True))
