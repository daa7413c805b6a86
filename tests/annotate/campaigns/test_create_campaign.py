"""`manage.py create_campaign`: what it makes, and every file it refuses, with line numbers."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotate.common import rows as common_rows
from annotate.common.tokens import read_invitation
from annotate.models import Campaign, Item, Membership
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

METRICS = "system,item,metric,value\n"


def row(item: str = "1", system: str = "alpha", **more: object) -> dict[str, object]:
    return {"item": item, "system": system, "output": f"{system} wrote {item}.", **more}


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(one) + "\n" for one in rows)


def run(file: Path, *options: str) -> str:
    out = StringIO()
    call_command(
        "create_campaign",
        str(file),
        "--name",
        "News",
        *(options or ("--target", "overall=0.2")),
        stdout=out,
    )
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "outputs.jsonl"
    path.write_text(lines(row("1"), row("2"), row("1", "beta"), row("2", "beta")))
    return path


def refused(path: Path, *options: str) -> str:
    """Run, expect a refusal that left nothing behind, and return its message."""
    with pytest.raises(CommandError) as refusal:
        run(path, *options)
    assert not Campaign.objects.exists()
    return str(refusal.value)


def test_it_tells_what_was_made_and_where(file, settings):
    settings.PUBLIC_URL = "https://plumbline.example"
    printed = run(file)
    campaign = Campaign.objects.get()
    assert "2 items, 4 different outputs of 2 systems" in printed
    assert f"https://plumbline.example/campaigns/{campaign.public_id}/" in printed
    token = printed.split("https://plumbline.example/work/join/")[1].split("/")[0]
    assert read_invitation(token) == (campaign.pk, "", 0)
    assert campaign.status == "draft"


def test_every_option_reaches_the_campaign(file):
    ada = user()
    options = (
        "--target overall=0.2 --target edit=0.15 --reward 0.55 --fee-rate 0.2 --budget 100 "
        "--max-judgments 9 --cap none --deadline 2030-01-02T03:04 --double-share 0.5 --level 0.9 "
        "--estimand panel --owner ada --seed 7 --open --json"
    )
    printed = run(file, *options.split())
    made = Campaign.objects.get(public_id=json.loads(printed)["id"])
    assert dict(made.targets.values_list("criterion", "width")) == {"overall": 0.2, "edit": 0.15}
    assert (str(made.reward), str(made.fee_rate), str(made.budget)) == ("0.55", "0.2000", "100.00")
    assert (made.max_judgments, made.annotator_cap, made.seed) == (9, None, 7)
    assert (made.double_share, made.level, made.estimand) == (0.5, 0.9, "panel")
    assert made.deadline.isoformat() == "2030-01-02T03:04:00+00:00"
    assert made.status == json.loads(printed)["status"] == "open"
    assert Membership.objects.get().user == ada


def test_a_campaign_on_a_marketplace_leads_to_its_batches(file):
    made = json.loads(run(file, "--target", "overall=0.2", "--crowd", "mturk", "--json"))
    assert made["annotators"].endswith(f"/campaigns/{made['id']}/batches/new/")
    assert str(Campaign.objects.get().fee_rate) == "0.2000"


def test_several_metrics_or_all_of_them(file):
    run(file, "--target", "overall=0.2", "--metric", "length", "--metric", "repetition")
    assert Campaign.objects.get().metrics == ["length", "repetition"]
    told = run(file, "--target", "overall=0.2", "--metric", "auto")
    made = Campaign.objects.get(metric_choice="auto")
    assert ", ".join(made.metrics) in told


def test_a_gzipped_file_and_a_metrics_file(file, tmp_path):
    packed = tmp_path / "outputs.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    values = tmp_path / "metrics.csv"
    values.write_text(
        METRICS + "".join(f"{s},{i},comet,0.5\n" for s in ("alpha", "beta") for i in (1, 2))
    )
    run(packed, "--target", "overall=0.2", "--metric", "comet", "--metrics", str(values))
    assert Campaign.objects.get().outputs.first().given_metrics == {"comet": 0.5}


def test_what_an_interrupted_command_had_stored_is_removed(file, monkeypatch):
    def full(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(common_rows, "insert", full)
    with pytest.raises(KeyboardInterrupt):
        run(file)
    assert not Campaign.objects.exists()
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"item": "1", "system": "a", "output": "b"}\n{"item": ', "line 2: not JSON"),
        (b"[1]\n", "entry 1: not an object"),
        (b"\x1f\x8bnothing like gzip", "cannot be read"),
    ],
)
def test_a_bad_file_is_refused_whole_with_its_line(content, told, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    assert told in refused(path)


def test_bad_metrics_are_refused_with_their_line(file, tmp_path):
    values = tmp_path / "metrics.csv"
    values.write_text(METRICS + "gamma,1,comet,0.5\n")
    options = ("--target", "overall=0.2", "--metric", "comet", "--metrics", str(values))
    assert "line 2: there is no output of system “gamma”" in refused(file, *options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--target", "charm=0.2"], "“charm” is not a criterion"),
        (["--target", "overall"], "must look like overall=0.2"),
        (["--target", "overall=1", "--target", "overall=2"], "named twice"),
        (["--target", "overall=0.2", "--owner", "nobody"], "There is no user “nobody”"),
        (["--target", "overall=0.2", "--reward", "NaN"], "not a finite number"),
        (["--target", "overall=0.2", "--deadline", "soon"], "must look like"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(options, told, file):
    assert told in refused(file, *options)
