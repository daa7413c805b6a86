"""The paper's tables and figures from its released judgments."""

import json
import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from estimation.core import Sample, Scale, data_efficiency
from extras.replication import gains, page, reproducing
from extras.replication.reproducing import HUMAN, NOISELESS, PERFECT, curves, link
from tests.released_data import FOLDER as REAL

real = pytest.mark.skipif(not REAL.exists(), reason=f"the released data is not at {REAL}")
QUALITY = REAL / "price-of-debiasing-lqual.jsonl.gz"
ANSWERS = REAL / "price-of-debiasing-qa-sample.jsonl.gz"


@pytest.fixture(scope="module")
def quality():
    return reproducing.load(QUALITY, names=("rouge_1_f", "repetition"))


@pytest.fixture(scope="module")
def found(quality):
    return reproducing.reproduce(quality, replicates=1500, seed=1)


@pytest.mark.slow
@real
def test_table_2_comes_out_to_four_digits(found):
    """Known answer 9 of docs/statistics.md, over all 2,598 judged outputs."""
    assert (found.n_outputs, found.n_judgments, found.n_annotators) == (2598, 5553, 60)
    rows = {row.criterion: row for row in found.table}
    order = ("fluency", "redundancy", "overall", "edit")
    assert [round(rows[c].noise, 4) for c in order] == [0.3226, 0.2745, 0.2914, 0.0667]
    assert [round(rows[c].item_means, 4) for c in order] == [0.2563, 0.4242, 0.2760, 0.1809]
    apart = [rows[c].crossed for c in order]
    assert [round(a.item, 3) for a in apart] == [0.105, 0.290, 0.139, 0.143]
    assert [round(a.person, 3) for a in apart] == [0.056, 0.035, 0.059, 0.006]
    assert [round(a.rest, 3) for a in apart] == [0.267, 0.240, 0.232, 0.061]


@real
def test_what_the_paper_prints_is_within_rounding_of_its_own_definition(found):
    for row in found.table:
        noise, item, gamma = page.PRINTED_TABLE_2[row.criterion]
        assert row.mean_within == pytest.approx(noise, abs=0.0051)
        assert row.item_means == pytest.approx(item, abs=0.006)
        assert row.gamma_printed == pytest.approx(gamma, abs=0.02)


@real
def test_data_efficiencies_follow_equation_7(found):
    links = {(each.system, each.criterion, each.metric): each for each in found.links}
    for panel in found.panels:
        by_label = {curve.label: curve.efficiency for curve in panel.curves}
        assert by_label[HUMAN] == 1.0
        for metric in ("rouge_1_f", "repetition"):
            analytic = links[panel.system, panel.criterion, metric].efficiency
            assert by_label[metric] == pytest.approx(analytic, rel=0.15)


@real
def test_the_conjectures_come_out_as_in_the_paper(found):
    """Section 5: 1.42 to 1.69 without annotator noise, 2.38 to 7.25 with a perfect metric."""
    all_curves = [curve for panel in found.panels for curve in panel.curves]
    noiseless = [curve.efficiency for curve in all_curves if curve.label == NOISELESS]
    perfect = [curve.efficiency for curve in all_curves if curve.label == PERFECT]
    assert 1.1 < min(noiseless) < 1.42 < 1.6 < max(noiseless) < 1.9
    assert 2.2 < min(perfect) < 2.6 < 5.5 < max(perfect) < 7.5


@real
@pytest.mark.slow
def test_what_several_metrics_save():
    out = StringIO()
    call_command("reproduce", str(QUALITY), "--several", stdout=out)
    means = {
        row[1]: [float(cell.strip("*")) for cell in row[4:8]]
        for row in (
            [cell.strip() for cell in line.split("|")] for line in out.getvalue().splitlines()
        )
        if len(row) > 2 and row[2] == "geometric mean"
    }
    rouge, repetition, before, every = zip(*means.values(), strict=True)
    assert list(means) == ["fluency", "redundancy", "overall", "edit"]
    assert max(rouge) < 1.05
    for criterion, least in (("edit", 1.48), ("redundancy", 1.38), ("overall", 1.13)):
        assert means[criterion][3] > least
    assert all(a >= b - 0.03 for a, b in zip(every, before, strict=True))
    assert min(np.divide(every, repetition)) > 1


def test_the_gain_of_a_known_metric_is_equation_7():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=4000)
    metric = 0.8 * quality + 0.6 * rng.normal(size=4000)  # rho = .8
    score = np.repeat(quality, 2) + rng.normal(size=8000)  # gamma = 1
    item = np.repeat(np.arange(4000), 2)
    sample = Sample(score, item, np.arange(8000) % 2, 4000, Scale(-9, 9, bounded=False))
    found = gains.efficiency(sample, np.column_stack([metric, rng.normal(size=4000)]))
    assert found == pytest.approx(data_efficiency(rho=0.8, gamma=1), rel=0.03)
    useless = gains.efficiency(sample, rng.normal(size=(4000, 5)))
    assert useless == pytest.approx(1, abs=0.01)


def test_the_others_are_the_systems_and_not_the_references(tmp_path):
    def record(system, text):
        contents = {"id": 1, "system": system, "text": text, "reference": "r"}
        scores = {name: [0.0] for name in ("grammar", "redundancy", "overall", "hter")}
        responses = {"worker_ids": [1], "time": [9.0], **scores}
        return json.dumps({"input": {"contents": contents}, "output": {"_responses": responses}})

    lines = [record("a;b", "the cat"), record("c", "the dog"), record("reference", "bird")]
    (tmp_path / "some.jsonl").write_text("\n".join(lines), encoding="utf-8")
    data = reproducing.load(tmp_path / "some.jsonl", names=("consensus_f1",))
    assert data.metrics["a"]["consensus_f1"] == pytest.approx((1 + 1 / 2) / 2)
    assert data.metrics["c"]["consensus_f1"] == pytest.approx(1 / 2)


@real
def test_released_answers_carry_no_reference():
    data = reproducing.load(ANSWERS, names=("rouge_1_f", "length"))
    assert not reproducing.has_references(data.release.outputs)
    assert np.ptp(data.metrics["fastqa"]["rouge_1_f"]) > 0


@real
def test_the_command_prints_tables_and_json(monkeypatch):
    monkeypatch.setattr(reproducing, "METRICS", ("rouge_1_f", "length"))
    text, data = StringIO(), StringIO()
    call_command("reproduce", str(ANSWERS), "--replicates", "50", stdout=text)
    call_command("reproduce", str(ANSWERS), "--replicates", "50", "--json", stdout=data)
    assert "| AnyCorrect | 0.14       | 0.1720" in text.getvalue()
    assert "against the question and the paragraphs" in text.getvalue()
    (only,) = json.loads(data.getvalue(), parse_constant=pytest.fail)
    assert (only["n_outputs"], only["n_judgments"]) == (156, 346)
    variances = {row["criterion"]: round(row["mean_within"], 4) for row in only["table_2"]}
    assert variances.keys() == {"any_correct", "avg_correct"}
    assert variances["any_correct"] == 0.1720


@pytest.mark.slow
@real
def test_the_page_stands_beside_its_images(quality, found, tmp_path):
    page.write(tmp_path, [(quality, found)], replicates=1500, seed=1)
    text = (tmp_path / "reproduction.md").read_text()
    named = re.findall(r"\]\((images/[^)]+)\)", text)
    assert sorted(named) == sorted(f"images/{p.name}" for p in (tmp_path / "images").iterdir())
    assert len(named) == 4
    for name in named:
        drawn = (tmp_path / name).read_text()
        assert drawn.startswith("<svg")
        assert not re.search("NaN|undefined", drawn)
    assert "| Edit       | 0.07       | 0.0671" in text
    assert "{" not in text


def test_another_file_is_refused_in_words(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text("{}")
    with pytest.raises(CommandError, match=r"other\.jsonl: line 1"):
        call_command("reproduce", str(path))
    with pytest.raises(CommandError, match=r"absent\.jsonl cannot be read"):
        call_command("reproduce", str(tmp_path / "absent.jsonl"))


def sample(n: int = 4000, *, noise: float, seed: int = 0) -> Sample:
    """Two judgments of each of n items; the metric has correlation .8 with the human metric."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(n)
    score = np.repeat(truth, 2) + np.sqrt(noise) * rng.standard_normal(2 * n)
    metric = 0.8 * truth + 0.6 * rng.standard_normal(n)
    item, person = np.repeat(np.arange(n), 2), np.tile([0, 1], n) + 2 * np.repeat(np.arange(n), 2)
    return Sample(score, item, person, n, Scale(-1, 1, bounded=False), metric)


def test_bootstrap_widths_give_the_known_data_efficiency():
    """DE(.8, 1) = 1.4706 (known answer 1), and what each conjecture makes of it."""
    given = sample(noise=1.0)
    found = curves(given, {"g": given.metric}, noiseless_with="g", replicates=3000, seed=2)
    efficiency = {curve.label: curve.efficiency for curve in found}
    assert efficiency["g"] == pytest.approx(data_efficiency(rho=0.8, gamma=1), rel=0.06)
    # The means of two judgments keep half the noise: 2 / (1 − .64 + .5).
    assert efficiency[NOISELESS] == pytest.approx(2 / 0.86, rel=0.08)
    # A metric made of the two judgments explains half of their noise: 2 / (1 / 2),
    # less what the slope's own noise costs at the smallest sizes.
    assert 3.5 < efficiency[PERFECT] < 4.1
    widths = dict(zip(reproducing.SIZES, found[0].widths, strict=True))
    assert widths[50] / widths[200] == pytest.approx(2, rel=0.08)


def test_correlation_is_freed_from_the_noise_of_judgments():
    found = link("s", "c", "g", sample(noise=1.0))
    assert found.rho == pytest.approx(0.8, abs=0.04)
    assert found.r == pytest.approx(0.8 / np.sqrt(1.5), abs=0.03)
    assert found.gamma == pytest.approx(1, abs=0.1)
    assert found.efficiency == pytest.approx(1.47, abs=0.06)
