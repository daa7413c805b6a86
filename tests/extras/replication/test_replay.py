"""Importing and replaying the paper's released data."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.campaigns.problems import UploadRefused
from annotate.models import Campaign, Judgment, System
from estimation.models import MetricScore
from estimation.read import estimate_rows
from extras.replication import released, replaying
from extras.replication.replaying import ReplayQuestion
from tests.factories import user
from tests.released_data import FOLDER as REAL

pytestmark = [pytest.mark.slow, pytest.mark.orm, pytest.mark.django_db]


def record(item: int, system: str = "alpha", people=(1, 2), text: str = "") -> dict:
    """One line of the language-quality format, with scores that vary by item and person."""
    level = [(item + person) % 3 - 1 for person in people]
    return {
        "input": {
            "contents": {
                "id": f"{item:04d}",
                "system": system,
                "reference": "A short reference.",
                "text": text
                or f"The {system} text of item {item} and its own words. " * (item % 3 + 1),
            }
        },
        "output": {
            "_responses": {
                "worker_ids": list(people),
                "time": [30.0] * len(people),
                "grammar": level,
                "redundancy": level,
                "overall": level,
                "hter": [0.0 if value == 1 else 0.3 for value in level],
                "edit": [None] * len(people),
            }
        },
    }


def question_record(item: int, system: str = "snet") -> dict:
    return {
        "input": {
            "contents": {
                "id": item,
                "system": system,
                "query": "what is a plumb line",
                "answer": f"a weight on a string {item}",
                "answers": ["a weight on a string"],
                "passages": [{"passage_text": "A plumb line is a weight on a string."}],
            }
        },
        "output": {
            "_responses": {
                "worker_ids": [1, 2],
                "time": [40, 50],
                "AnyCorrect": [1, 0],
                "AvgCorrect": [0.5, 0],
            }
        },
    }


@pytest.fixture
def write(tmp_path):
    def written(records: list[dict]) -> Path:
        path = tmp_path / "released.jsonl"
        path.write_text("\n".join(json.dumps(entry) for entry in records))
        return path

    return written


def many(n: int = 80) -> list[dict]:
    return [record(i, people=((i * 3) % 12, (i * 3 + 1) % 12)) for i in range(n)]


def test_references_compete_with_nobody(write):
    release = released.read(
        write([record(1), record(1, "reference"), record(2, "alpha;reference;beta")])
    )
    assert release.systems == ("alpha", "beta")
    assert len(release.outputs) == 2
    assert "1 reference texts left out" in release.notices[0]


def test_a_second_output_of_a_system_for_an_item_is_left_out_and_said(write):
    release = released.read(write([record(1, people=()), record(1, text="Another text entirely.")]))
    assert [len(output.judgments) for output in release.outputs] == [2]
    assert "second output of alpha" in release.notices[-1]


@pytest.mark.parametrize(
    "lines", ["", "{", '{"input": {}}', '{"input": {"contents": {"text": "x"}}}', "[1]"]
)
def test_another_kind_of_file_is_refused(tmp_path, lines):
    path = tmp_path / "other.jsonl"
    path.write_text(lines)
    with pytest.raises(UploadRefused):
        released.read(path)


def test_a_mixed_file_is_refused(write):
    with pytest.raises(UploadRefused, match="mixes both"):
        released.read(write([record(1), question_record(2)]))


def test_a_replay_stops_at_the_target_with_the_drain_done(write):
    release = released.read(write(many()))
    question = ReplayQuestion("alpha", "overall", width=0.9, metrics=("length",), seed=3)
    result = replaying.replay(release, question)
    stop = result.at_stop
    assert result.stopped == "target"
    assert stop.high - stop.low <= 0.9
    assert 60 <= stop.n_judgments < 160
    assert stop.n_judgments == 2 * stop.n_items  # every item that was begun is finished
    assert result.all_data.n_judgments == 160
    assert Campaign.objects.get().close_reason == "target"


def test_a_replay_without_enough_judgments_says_exhausted(write):
    release = released.read(write(many(40)))
    result = replaying.replay(release, ReplayQuestion("alpha", "overall", width=0.01))
    assert result.stopped == "exhausted"
    assert result.at_stop == result.all_data


def test_unknown_systems_and_criteria_are_named(write):
    release = released.read(write(many(4)))
    with pytest.raises(KeyError, match="there are alpha"):
        replaying.replay(release, ReplayQuestion("omega", "overall", width=0.5))


def test_import_makes_a_draft_with_outputs_and_metric(write):
    user("ada")
    out = StringIO()
    path = write([*many(6), record(3, "beta")])
    call_command("import_released", path, "--owner", "ada", "--json", stdout=out)
    made = json.loads(out.getvalue())
    study = Campaign.objects.get(public_id=made["campaign"])
    assert (study.status, study.instrument) == ("draft", "language_quality")
    assert made["outputs"] == 7
    assert MetricScore.objects.filter(campaign=study).count() == 7
    assert set(System.objects.values_list("name", flat=True)) == {"alpha", "beta"}
    assert not Judgment.objects.exists()


def test_import_with_judgments_is_a_closed_campaign_with_estimates(write):
    call_command("import_released", write(many(20)), "--judgments", stdout=StringIO())
    study = Campaign.objects.get()
    assert (study.status, study.close_reason) == ("closed", "hand")
    assert Judgment.objects.count() == 40
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {40}
    assert not any(row.provisional for row in estimate_rows(study.pk))


def test_import_of_answer_correctness(write):
    path = write([question_record(i) for i in range(5)])
    with pytest.raises(CommandError, match="no reference"):
        call_command("import_released", path, "--metric", "rouge_1_f", stdout=StringIO())
    call_command("import_released", path, "--judgments", "--metric", "length", stdout=StringIO())
    rows = {row.criterion: row for row in estimate_rows(Campaign.objects.get().pk)}
    assert rows["any_correct"].estimate == pytest.approx(0.5, abs=0.2)
    assert rows["avg_correct"].mean_estimate == pytest.approx(0.25)


def test_a_refused_import_leaves_nothing(write, monkeypatch):
    from extras.replication import replaying

    monkeypatch.setattr(replaying.Recorder, "record", lambda *a: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("import_released", write(many(4)), "--judgments", stdout=StringIO())
    assert not Judgment.objects.exists()
    assert Campaign.objects.get().status == "draft"


def test_errors_of_the_commands_are_plain(write, tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_released", tmp_path / "absent.jsonl")
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("import_released", write(many(2)), "--owner", "nobody")


@pytest.mark.skipif(not REAL.exists(), reason=f"the released data is not at {REAL}")
def test_the_real_file_is_read_whole():
    release = released.read(REAL / "price-of-debiasing-lqual.jsonl.gz")
    assert set(release.systems) == {"seq2seq", "pointer", "ml", "ml+rl"}
    sizes = {name: replaying.size(release, name) for name in release.systems}
    assert sizes == {"pointer": 1115, "ml": 1107, "ml+rl": 1125, "seq2seq": 1126}
    everyone = {judgment.annotator for output in release.outputs for judgment in output.judgments}
    assert len(everyone) <= 60


def test_no_correctness_at_all_is_zero(write):
    silent = question_record(1)
    silent["output"]["_responses"].update(AnyCorrect=[None, 1], AvgCorrect=[None, 1.0])
    (output,) = released.read(write([silent])).outputs
    assert [j.scores["avg_correct"] for j in output.judgments] == [0.0, 1.0]
