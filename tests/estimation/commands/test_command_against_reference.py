"""`manage.py estimate` agrees with the brute-force reference, which reads its files."""

import csv
import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from scipy.stats import norm, rankdata

from tests.core import reference
from tests.core.reference_cases import Campaign, draw

# By hand, from the constants of the criteria in docs/statistics.md: scale, λ and π.
CRITERIA = {
    "overall": ("ternary", (-1.0, 1.0), 0.16, 0.08),
    "fluency": ("ternary", (-1.0, 1.0), 0.15, 0.08),
    "redundancy": ("ternary", (-1.0, 1.0), 0.07, 0.06),
    "edit": ("edit", (0.0, 2.0), 0.03, 0.03),
    "any_correct": ("binary .5", (0.0, 1.0), 0.14, 0.08),
    "avg_correct": ("proportion", (0.0, 1.0), 0.10, 0.08),
    "clarity": ("proportion", (0.0, 1.0), 0.15, 0.08),
}
WAYS = [
    ("mean", "two_way"),
    ("mean", "iid"),
    ("algorithm_1", "two_way"),
    ("algorithm_1", "iid"),
    ("regression", "two_way"),
    ("regression", "iid"),
    ("regression", "sequence"),
    ("balanced", "two_way"),
    ("balanced", "sequence"),
    ("multi", "two_way"),
    ("multi", "sequence"),
]


def entered(systems):
    """The systems with the normal scores of their metrics, ranked among both systems' outputs."""
    together = np.vstack([system.metric for system in systems.values()])
    scores = norm.ppf((rankdata(together, axis=0) - 0.5) / len(together))
    parts = np.split(scores, 2)
    return {
        name: replace(system, metric=part)
        for (name, system), part in zip(systems.items(), parts, strict=True)
    }


def written(folder, criterion, n_metrics, *, raw=False):
    """Files of two systems, and what is in them as the reference takes it."""
    seed = sum(map(ord, criterion)) + n_metrics
    kind = CRITERIA[criterion][0]
    campaign = Campaign(seed, 60, 0.7, 0.3, 14, 1.0, False, kind, "good", 0.2)
    systems = dict(zip(("alpha", "beta"), draw(campaign, n_metrics), strict=True))
    judged = [
        (name, f"text {item:03}", f"p{person}", criterion, repr(score))
        for name, system in systems.items()
        for item, person, score in system.rows
    ]
    scored = [
        (name, f"text {item:03}", f"metric {column}", repr(float(value)))
        for name, system in systems.items()
        for item, values in enumerate(system.metric)
        for column, value in enumerate(values)
    ]
    heads = (
        ("system", "item", "annotator", "criterion", "score"),
        ("system", "item", "metric", "value"),
    )
    for file, head, rows in (("J.csv", heads[0], judged), ("M.csv", heads[1], scored)):
        with (folder / file).open("w", newline="") as opened:
            csv.writer(opened).writerows([head, *rows])
    files = ["--judgments", str(folder / "J.csv"), "--metrics", str(folder / "M.csv")]
    scale = ["--scale", "0", "1"] if criterion == "clarity" else []
    taken = systems if raw else entered(systems)
    return taken, [*files, *scale, *(["--metric", "auto"] if n_metrics > 1 else [])]


def run(*arguments):
    out = StringIO()
    call_command("estimate", *arguments, "--json", stdout=out)
    return {row["system"]: row for row in json.loads(out.getvalue())}


def learnt(row):
    """The penalty of the ridge, as the JSON tells it; null is infinite."""
    if row["ridge"] is None:
        return {}
    penalty = row["ridge"]["penalty"]
    return {"penalty": np.inf if penalty is None else penalty}


def agrees(row, expected):
    for name in ("estimate", "std_error", "low", "high"):
        assert row[name] == pytest.approx(expected[name], rel=1e-8, abs=1e-8), name


def of_two_way(row, expected):
    for name in ("centre", "df", "A_eff", "s3_factor"):
        assert row[name] == pytest.approx(expected[name], rel=1e-8, abs=1e-8), name
    assert row["pull"] == expected["pull"]["active"]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("estimator", "interval"), WAYS)
def test_the_command(tmp_path, criterion, estimator, interval):
    _, scale, balance, person_share = CRITERIA[criterion]
    several, raw = estimator == "multi", estimator == "algorithm_1"
    systems, files = written(tmp_path, criterion, 3 if several else 1, raw=raw)
    found = run(*files, "--estimator", estimator, "--interval", interval, "--level", "0.9")
    for name, system in systems.items():
        expected = reference.estimate(
            system.rows,
            60,
            scale,
            system.metric,
            estimator=estimator,
            interval=interval,
            level=0.9,
            balance=balance,
            person_share=person_share,
            t_opt=60,
            **learnt(found[name]),
        )
        agrees(found[name], expected)
        if interval == "two_way":
            of_two_way(found[name], expected)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("estimator", "n_metrics"), [("balanced", 3), ("balanced", 1), ("mean", 1)]
)
def test_given_constants_and_the_panel(tmp_path, criterion, estimator, n_metrics):
    systems, files = written(tmp_path, criterion, n_metrics)
    options = ["--balance", f"{criterion}=0.4", "--person-share", f"{criterion}=0.2"]
    for estimand in ("population", "panel"):
        found = run(*files, *options, "--estimator", estimator, "--estimand", estimand)
        for name, system in systems.items():
            expected = reference.estimate(
                system.rows,
                60,
                CRITERIA[criterion][1],
                system.metric,
                estimator=estimator,
                estimand=estimand,
                balance=0.4,
                person_share=0.2,
                **learnt(found[name]),
            )
            agrees(found[name], expected)
            assert found[name]["df"] == pytest.approx(expected["df"])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("estimator", "n_metrics"), [("balanced", 1), ("balanced", 3), ("regression", 1), ("multi", 3)]
)
def test_a_pair(tmp_path, criterion, estimator, n_metrics):
    _, scale, balance, person_share = CRITERIA[criterion]
    systems, files = written(tmp_path, criterion, n_metrics)
    row = run(*files, "--estimator", estimator, "--compare", "alpha", "beta")["alpha - beta"]
    expected = reference.difference(
        systems["alpha"].rows,
        systems["beta"].rows,
        60,
        scale,
        (systems["alpha"].metric, systems["beta"].metric),
        estimator=estimator,
        balance=balance,
        person_share=person_share,
        **learnt(row),
    )
    agrees(row, expected)
    of_two_way(row, expected)
