"""The limits of a plan, declared with its fields: what is said beyond them, and what is not."""

from decimal import Decimal
from typing import Any

import pytest

from annotate.campaigns import plans
from annotate.common.errors import Invalid
from tests.factories import plan

NAN, INFINITE = float("nan"), float("inf")
REWARD = "The reward lies between 0 and a million, in whole cents."
BONUS = "The bonus for the tutorial lies between 0 and 10,000, in whole cents."
BUDGET = "The budget must be positive, and below a hundred million."
FEE = "The crowd's fee is a share, such as 0.2 for 20 %."
SEED = "The seed lies between 0 and 2^63 − 1."
LANGUAGE = "The language is a code such as en or pt-BR."
NAME = "Give the campaign a name of at most 120 characters."
LEVEL = "The confidence level lies between 0.5 and 1."
CAP = "The cap per annotator must be positive."
MOST = "The maximum number of judgments must be positive."


def beyond(**changes: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as caught:
        plans.check(plan(**changes))
    return caught.value.errors


@pytest.mark.parametrize(
    ("name", "fine", "wrong", "says"),
    [
        ("name", ["x", " " + "x" * 120], ["", " \n", "x" * 121], NAME),
        ("reward", ["0", "0.400", "999999.99"], ["-0.01", "0.001", "1E+6", "1E+30"], REWARD),
        ("tutorial_bonus", ["0", "9999.99"], ["-1", "0.001", "10000"], BONUS),
        ("budget", [None, "0.01", "99999999"], ["0", "-1", "1E+8"], BUDGET),
        ("fee_rate", [None, "0", "9.99"], ["-0.1", "10"], FEE),
        ("bonus_after", [0, 100], [-1, 101], "The bonus is due with 0 to 100 judgments."),
        ("max_judgments", [None, 1, 2**31 - 1], [0, -1, 2**31], MOST),
        ("annotator_cap", [None, 1, 2**31 - 1], [0, -1, 2**31], CAP),
        ("lease_minutes", [1, 1440], [0, 1441], "A text is reserved for 1 minute to 24 hours."),
        ("seed", [None, 0, 2**63 - 1], [-1, 2**63, 10**30], SEED),
        ("level", [0.51, 0.999], [0.5, 1.0, NAN, INFINITE, -INFINITE], LEVEL),
        (
            "double_share",
            [0.0, 1.0],
            [-0.1, 1.1, NAN, INFINITE],
            "The share of items judged by several people lies between 0 and 1.",
        ),
        ("language", ["en", "x" * 12], ["", "x" * 13], LANGUAGE),
        ("contact", ["", "x" * 254], ["x" * 255], "An e-mail address has at most 254 characters."),
        ("crowd", ["link"], ["zzz", ""], "The crowd is one of link,"),
        ("estimand", ["panel"], ["zzz"], "The estimand is one of population, panel."),
        ("stop_mode", ["precision"], ["zzz"], "The stopping mode is one of precision,"),
        ("targets", [{"overall": 0.2}], [{}], "Name at least one criterion and the width"),
        ("targets", [], [{"overall": NAN}, {"overall": 0.0}], "must be a positive number."),
        ("targets", [], [{"zzz": 0.2}], "“zzz” is not a criterion; there are fluency,"),
    ],
)
def test_each_limit_of_a_plan_is_kept_and_explained(name, fine, wrong, says):
    of_money = name in ("reward", "tutorial_bonus", "budget", "fee_rate")
    for value in fine:
        given = Decimal(value) if of_money and value is not None else value
        assert plans.check(plan(**{name: given}))
    for value in wrong:
        (found,) = beyond(**{name: Decimal(value) if of_money else value}).items()
        assert found[0] == name
        assert says in found[1]


def test_everything_wrong_with_a_plan_is_said_at_once():
    found = beyond(name="", reward=Decimal(-1), targets={}, crowd="zzz", public_title="x" * 121)
    assert set(found) == {"name", "reward", "targets", "crowd", "public_title"}
