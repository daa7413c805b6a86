"""`manage.py simulate`: a table for people, JSON for programs, plain words for mistakes."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

QUICK = {"width": 0.25, "replicates": 25, "seed": 7}


def simulated(**options) -> str:
    out = StringIO()
    call_command("simulate", stdout=out, stderr=StringIO(), **{**QUICK, **options})
    return out.getvalue()


def outcome(**options) -> dict:
    return json.loads(simulated(json=True, **options))["outcome"]


# As first run on numpy 2; a change of the draws changes it.
KNOWN_JUDGMENTS, KNOWN_ERROR = 148.24, 0.010876784511778545


def test_a_known_seed_gives_a_known_result():
    found = outcome(price=0.5)
    assert found["replicates"] == 25
    assert (found["stopped"], found["covered"]) == (25, 25)
    assert found["mean_judgments"] == pytest.approx(KNOWN_JUDGMENTS)
    assert found["mean_cost"] == pytest.approx(KNOWN_JUDGMENTS / 2)
    assert found["mean_error"] == pytest.approx(KNOWN_ERROR)


@pytest.mark.slow
def test_two_processes_say_the_same_as_one():
    assert outcome(processes=2) == outcome()


@pytest.mark.slow
def test_the_json_says_what_was_asked():
    options = json.loads(simulated(json=True, cap=0, scores="binary", width=0.3))["options"]
    assert options["width"] == 0.3
    assert options["cap"] == 0
    assert options["scores"] == "binary"
    assert options["seed"] == 7


@pytest.mark.slow
def test_the_table_gives_coverage_with_its_own_uncertainty():
    lines = simulated(price=0.5).splitlines()
    table = {line.split()[0]: line for line in lines}
    assert set(table) == {
        "stopped",
        "coverage",
        "judgments",
        "annotators",
        "cost",
        "error",
        "notices",
    }
    assert "95 %" in table["coverage"]
    assert "25 of 25" in table["stopped"]


def test_where_nothing_stops_the_table_says_so():
    assert "None of 2 campaigns stopped" in simulated(width=0.001, replicates=2)
    assert outcome(width=0.001, replicates=2)["coverage"] is None


@pytest.mark.parametrize("scores", ["ternary", "binary", "hter", "continuous"])
def test_every_kind_of_score_runs(scores):
    width = 40.0 if scores == "continuous" else 0.4
    assert outcome(scores=scores, width=width, replicates=3)["stopped"] == 3


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"width": -1.0}, "width"),
        ({"item": 2.0}, "shares"),
        ({"cap": -3}, "cap"),
        ({"level": 95.0}, "level"),
        ({"replicates": 0}, "campaign"),
        ({"processes": 0}, "process"),
        ({"seed": -1}, "seed"),
        ({"scores": "binary", "mean": 1.0}, "mean"),
        ({"rho": 2.0}, "rho"),
    ],
)
def test_mistakes_are_told_in_plain_words(options, word):
    with pytest.raises(CommandError, match=word):
        simulated(**options)
