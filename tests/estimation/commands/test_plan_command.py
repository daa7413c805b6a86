"""`manage.py plan`: prints a plan without a database."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

SMALL = ("--items", "400")
NO_BONUS = ("--tutorial-bonus", "0", "--failed-try-pay", "0")
FEW = ("--items", "100")  # where every number of items says the same


def planned(*args: str) -> str:
    out = StringIO()
    call_command("plan", *args, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_a_target_is_told_in_words():
    text = planned(
        *SMALL, "--target", "0.25", "--reward", "0.5", "--fee-rate", "0.2", "--minutes", "2"
    )
    assert text.startswith("1 system with 400 outputs, level 95\u00a0%, 25\u00a0% of items judged")
    assert "at most 25 judgments a person." in text
    assert "Variances: items 0.139, people 0.059, rest 0.232" in text
    for line in ("judgments   ", "annotators  ", "cost        $", "hours       ", "floor       "):
        assert line in text
    assert "of each system" not in text
    assert text.index("cost  ") < text.index("judgments   "), "the cost comes first"
    assert "What would change it:" in text
    assert "raters per item" not in text


@pytest.mark.slow
def test_the_same_as_data():
    both = (*SMALL, "--target", "0.25", "--budget", "60", "--reward", "0.5", *NO_BONUS, "--json")
    data = json.loads(planned(*both))
    target, budget = data["target"], data["budget"]
    assert target["judgments"]["low"] < target["judgments"]["high"]
    assert target["cost"]["expected"] == pytest.approx(0.5 * target["judgments"]["expected"])
    assert target["hours"] is None
    assert 0.9 < target["stop_probability"] <= 1
    assert budget["judgments"] == 120
    assert budget["width"]["expected"] == pytest.approx(0.3, abs=0.05)
    assert data["study"]["expected"]["components"]["person"] == 0.059
    assert json.loads(planned(*both)) == data


@pytest.mark.slow
def test_own_variances_and_scale():
    args = ("--target", "10", "--items", "300", "--scale", "0", "100", "--levels", "101")
    own = ("--item-variance", "150", "--person-variance", "50", "--rest-variance", "200")
    data = json.loads(planned(*args, *own, "--mean", "60", "--json"))
    expected = data["study"]["expected"]
    assert expected["components"] == {"item": 150, "person": 50, "rest": 200}
    assert (expected["mean"], expected["levels"]) == (60, 101)
    assert data["target"]["stop_probability"] > 0.5


@pytest.mark.slow
def test_no_cap_and_few_people_is_refused_with_advice():
    with pytest.raises(CommandError, match=r"cannot be reached.*would take \d+ people.*--cap"):
        planned(*SMALL, "--target", "0.2", "--cap", "0", "--pool", "10")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "--target WIDTH"),
        (("--margin", "0.2"), "at least two systems"),
        (("--margin", "0", "--systems", "2"), "positive"),
        (("--margin", "0.2", "--systems", "2", "--rho", "2"), "correlation"),
        (("--target", "-1"), "positive"),
        (("--target", "0.2", "--rho", "2"), "correlation"),
        (("--target", "0.2", "--item-variance", "3"), "have a variance below"),
        (("--target", "0.2", "--scale", "1", "0"), "scale runs"),
        (("--budget", "10", "--reward", "0"), "positive"),
        (("--target", "0.2", "--double-share", "1.5"), "lie between"),
    ],
)
def test_bad_input_is_told_plainly(args, message):
    with pytest.raises(CommandError, match=message):
        planned(*args)


def cost(*args: str) -> float:
    found = json.loads(planned(*FEW, "--target", "0.4", "--seed", "1", "--json", *NO_BONUS, *args))
    return found["target"]["cost"]["expected"] / found["target"]["judgments"]["expected"]


@pytest.mark.slow
def test_a_judgment_costs_what_its_crowd_charges():
    """20 % of $0.02 is less than the cent that MTurk charges at least for each unit."""
    assert cost("--reward", "0.5", "--crowd", "mturk") == pytest.approx(0.6)
    assert cost("--reward", "0.02", "--crowd", "mturk", "--tasks", "1") == pytest.approx(0.03)
    assert cost("--reward", "0.02", "--crowd", "mturk") == pytest.approx(0.024)
    assert cost("--reward", "0.5", "--crowd", "prolific", "--fee-rate", "0.5") == pytest.approx(
        0.75
    )
    assert cost("--reward", "0.5") == pytest.approx(0.5)


@pytest.mark.slow
def test_everybody_who_comes_is_paid_for_the_tutorial():
    args = (*FEW, "--target", "0.4", "--budget", "30", "--reward", "0.5", "--json")
    plain, bonus = (
        json.loads(planned(*args, *more))
        for more in (NO_BONUS, (*NO_BONUS, "--tutorial-bonus", "1"))
    )
    people = bonus["target"]["annotators"]["expected"]
    assert bonus["target"]["cost"]["expected"] == pytest.approx(
        plain["target"]["cost"]["expected"] + people
    )
    bought = bonus["budget"]
    assert bought["judgments"] < plain["budget"]["judgments"]
    assert bought["cost"] <= 30


def test_a_ranking_is_told_in_words_and_as_data():
    args = ("--margin", "0.2", "--systems", "4", "--items", "1500", "--rho", "0")
    told = planned(*args)
    assert "A ranking of 4 systems, 6 pairs, margin 0.2" in told
    assert "planned items  76 (--planned-items of create_campaign)" in told
    assert "about 260 items of each system, at most 1,300 judgments ($520.00)" in told
    found = json.loads(planned(*args, "--json"))
    assert found["ranking"]["settled_items"] == 260
    assert found["target"] is None
    scarce = planned("--margin", "0.05", "--systems", "4", "--items", "300")
    assert "the slowest: more than all 300 items" in scarce


@pytest.mark.slow
def test_a_target_may_name_its_criterion_as_a_new_campaign_does():
    named = planned(*SMALL, "--target", "redundancy=0.3", "--json")
    assert named == planned(*SMALL, "--criterion", "redundancy", "--target", "0.3", "--json")
    assert named != planned(*SMALL, "--target", "0.3", "--json")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("style=0.5", "style is not one of the criteria overall, "),
        ("overall=wide", "wide is not a width, such as 0.2."),
        ("overall=", " is not a width, such as 0.2."),
    ],
)
def test_a_target_that_is_none_is_refused(target, told):
    with pytest.raises(CommandError, match=told):
        planned("--target", target)
