"""A panel of named experts: its estimates, what pages say of it, its export, and its end."""

import io
import random
import re
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from scipy.stats import t as student

from annotate.campaigns import facts as campaigns_facts
from annotate.models import Assignment, Campaign, Judgment
from annotate.work import leasing, submitting
from estimation import core, facts, read
from estimation.models import Estimate
from tests.annotate.panels import NAMES, come, give, panel, release
from tests.estimation.collecting import answer
from tests.estimation.exporting.exported import Unzipped
from tests.estimation.reviewed import settle
from tests.estimation.verifying.worlds import files_of, written
from tests.factories import person
from tests.reviewed import logged_in

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]

SIX = ("Ann Lee", "Bob Ray", "Cem Ünal", "Dora Mai", "Eli Fox", "Fay Hill")


def newest(made: Campaign) -> Estimate:
    (found,) = [one for one in read.newest([made.pk]) if one.criterion == "overall"]
    return found


def words(text: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", text).split())


@pytest.mark.slow
def test_the_estimate_is_the_mean_of_the_experts_who_judged_all(ada: User) -> None:
    made = panel(owner=ada, items=20, targets={"overall": 0.01})
    ann, bob, cem = come(made)
    for who, level, n in ((ann, 1, 12), (bob, 0, 20), (cem, 0, 11)):
        assert give(who, n, overall=level, edit="The council met, it is said.") == n
    settle(made)
    found = newest(made)
    assert (found.n_items, found.n_judgments, found.n_annotators) == (11, 33, 3)
    assert found.estimate == pytest.approx(1 / 3), "(1 + 0 + 0) / 3, on 11 items"
    release(made, "Ann Lee")
    settle(made)
    found = newest(made)
    assert (found.n_items, found.n_judgments) == (11, 22)
    assert found.estimate == pytest.approx(0)
    release(made, "Bob Ray", "Dora Mai")
    settle(made)
    assert not list(read.newest([made.pk])), "no item has both experts"
    dora = person(made, "Dora Mai")
    assert give(dora, 10, overall=-1, edit="The council met, it is said.") == 10
    settle(made)
    found = newest(made)
    assert (found.n_items, found.estimate) == (10, pytest.approx(-0.5))


def test_two_experts_may_reach_a_target_with_n_minus_2_degrees_of_freedom() -> None:
    """By hand from docs/statistics.md, “The interval”: items' means, and t with 40 − 2.

    Without pseudo-rows and a finite population, V_item = Σ(ȳ_i − μ̂)²/n² where all weigh the same.
    """
    chance = np.random.default_rng(5)
    first, second = chance.integers(-1, 2, 40), chance.integers(-1, 2, 40)
    sample = core.Sample(
        score=np.concatenate([first, second]).astype(float),
        item=np.tile(np.arange(40), 2),
        annotator=np.repeat([0, 1], 40),
        n_population=4000,
        scale=core.Scale(-1, 1),
    )
    plain = core.Method(estimand="panel", pseudo_rows=False, finite_population=False)
    found = core.estimate(sample, plain)
    means = (first + second) / 2
    assert found.estimate == pytest.approx(means.mean())
    assert found.estimate == pytest.approx((first.mean() + second.mean()) / 2), "the same weight"
    assert found.df == 40 - 2
    error = np.sqrt(((means - means.mean()) ** 2).sum() / 40**2)
    assert found.std_error == pytest.approx(error)
    half = student.ppf(0.975, 38) * error
    interval = found.interval(0.95)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(
        (means.mean() - half, means.mean() + half)
    )
    panel_of_two = core.estimate(sample, core.Method(estimand="panel"))
    assert core.precision(panel_of_two, target_width=1.0, level=0.95).stop
    people = core.estimate(sample, core.Method(estimand="population"))
    refused = core.precision(people, target_width=100.0, level=0.95)
    assert not refused.stop
    assert "effective annotators" in refused.reason


def judged_by(made: Campaign, names: tuple[str, ...], rounds: int) -> None:
    """Let these experts judge in turn, with opinions of their own."""
    chance, cast = random.Random(7), come(made, names)
    for turn in range(rounds):
        for number, who in enumerate(cast):
            got = leasing.lease(who.pk)
            if isinstance(got, Assignment):
                raw = answer(got.output_id, number, chance)
                submitting.submit_judgment(got.pk, participation_id=who.pk, raw=raw)
        if turn % 10 == 9:
            settle(made)
            if made.status == "closed":
                return


@pytest.fixture
def closed(ada: User) -> Campaign:
    """Six experts, two systems: each system ends at its target, with all that it began."""
    made = panel(
        names=SIX,
        owner=ada,
        items=90,
        systems=("alpha", "beta"),
        targets={"overall": 0.55},
        metrics=("quality",),
    )
    judged_by(made, SIX, 180)
    return made


@pytest.mark.slow
def test_six_experts_close_at_the_target_and_anybody_can_check_it(
    closed: Campaign, ada: User, tmp_path: Path
) -> None:
    made = closed
    assert (made.status, made.close_reason) == ("closed", "target")
    rows = [one for one in read.newest([made.pk]) if one.criterion == "overall"]
    assert len(rows) == 2
    for row in rows:
        assert row.width is not None
        assert row.width <= 0.55
        assert row.n_items < 90, "before everything was judged"
        assert row.n_judgments == 6 * row.n_items
        assert row.df == row.n_items - 2
    design = campaigns_facts.design(made.pk)
    for cell in facts.cells(design, facts.evidence(design)):
        if cell.criterion.name == "overall":
            sample = cell.sample
            each = [sample.score[sample.annotator == k].mean() for k in np.unique(sample.annotator)]
            (row,) = [one for one in rows if one.system_id == cell.system.system_id]
            mean = core.estimate(sample.without_metric(), core.Method(estimand="panel"))
            assert mean.estimate == pytest.approx(np.mean(each)), "every expert weighs the same"
    release(made, "Fay Hill")
    settle(made)
    files = files_of(made)
    out = io.StringIO()
    call_command("verify", str(written(files, tmp_path / "e.zip")), stdout=out, no_color=True)
    assert "Everything agrees." in out.getvalue()
    text = b"".join(files.values()).decode(errors="replace")
    for name in SIX:
        assert name not in text, "exports have pseudonyms only"
    page = words(logged_in(ada).get(f"/campaigns/{made.public_id}/").content.decode())
    assert "95 % intervals for the mean of these 5 experts" in page
    report = words(logged_in(ada).get(f"/campaigns/{made.public_id}/report/").content.decode())
    assert "Each estimate is the mean of these 5 experts, who weigh the same." in report
    assert "1 expert was released, and their judgments do not count." in report
    assert "people in general" not in report
    assert "effective number of annotators" not in report


@pytest.mark.slow
def test_an_export_says_what_does_not_count_yet(ada: User, tmp_path: Path) -> None:
    made = panel(owner=ada, items=14, targets={"overall": 0.1})
    ann, bob, cem = come(made)
    give(ann, 14)
    give(bob, 12)
    give(cem, 11)
    release(made, "Cem Ünal", "Dora Mai")
    assert give(person(made, "Dora Mai"), 10) == 10
    settle(made)
    files = files_of(made)
    path = written(files, tmp_path / "e.zip")
    out = io.StringIO()
    call_command("verify", str(path), stdout=out, no_color=True)
    assert "Everything agrees." in out.getvalue()
    export = Unzipped(path.read_bytes())
    counts = [row["counts"] for row in export.objects("judgments.jsonl")]
    assert (len(counts), sum(counts)) == (47, 30)
    assert Judgment.objects.filter(campaign=made).count() == 47
    assert (export.plan["named_experts"], export.plan["raters"]) == (True, 3)
    every = "".join(export.files.values())
    assert not [name for name in (*NAMES, "Dora Mai") if name in every]
    assert sum(int(row["counting"]) for row in export.table("annotators.csv")) == 30
