"""Step 4 of a new campaign: who judges, what they are paid, and where it ends."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django import forms

from annotate.forms.new_campaign.base import StepForm, as_shown
from annotate.forms.new_campaign.choices import crowds_offered
from annotate.screening.screens import FLAGS, SCREENS
from annotate.screening.signals import SIGNALS, signals_on
from annotate.selectors.work.gold import BLOCK, MOST
from annotate.services.campaigns.plans import MOST_BONUS_AFTER, Plan

AS_THEY_ARE = (
    "crowd",
    "reward",
    "budget",
    "max_judgments",
    "deadline",
    "tutorial_bonus",
    "open_link_bonus",
    "contact",
)


class PeopleStep(StepForm):
    """The crowd, money, limits, and how careless work is found."""

    told_at: ClassVar = {"fee_rate": "fee"}

    crowd = forms.ChoiceField(
        label="Where people come from", widget=forms.RadioSelect, choices=crowds_offered
    )
    fee = forms.DecimalField(
        label="The crowd’s fee, in %",
        required=False,
        min_value=Decimal(0),
        max_value=Decimal(900),
        decimal_places=2,
    )
    reward = forms.DecimalField(
        label="Reward for one judgment",
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
    )
    tutorial_bonus = forms.DecimalField(
        label="Bonus for passing the tutorial",
        min_value=Decimal(0),
        max_digits=6,
        decimal_places=2,
    )
    failed_try_pay = forms.DecimalField(
        label="Pay for an honest failed try",
        required=False,
        min_value=Decimal(0),
        max_digits=6,
        decimal_places=2,
    )
    bonus_after = forms.IntegerField(
        label="Judgments until the bonus is due",
        min_value=0,
        max_value=MOST_BONUS_AFTER,
        required=False,
    )
    open_link_bonus = forms.BooleanField(
        label="Pay for the tutorial also people who come by the link for everybody, whose identity "
        "is unknown",
        required=False,
    )
    budget = forms.DecimalField(
        label="Budget",
        required=False,
        min_value=Decimal("0.01"),
        max_digits=10,
        decimal_places=2,
    )
    max_judgments = forms.IntegerField(
        label="Maximum judgments", min_value=1, max_value=10_000_000, required=False
    )
    deadline = forms.DateTimeField(
        label="Deadline",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    contact = forms.EmailField(label="E-mail for annotators’ questions", required=False)
    flags_list_only = forms.BooleanField(
        label="Flags of screens only list people for review, and pause no one", required=False
    )
    gold_share = forms.IntegerField(
        label=f"Gold items among {BLOCK} tasks of a person",
        min_value=0,
        max_value=MOST,
        required=False,
    )
    signals = forms.BooleanField(
        label="Count signals of the page (typed and pasted characters, pace, shared devices), and "
        "tell annotators so where they join",
        required=False,
    )

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        return {
            **as_shown(plan, (*AS_THEY_ARE, "bonus_after", "failed_try_pay", "gold_share")),
            "fee": None if plan.fee_rate is None else round(plan.fee_rate * 100, 2),
            "flags_list_only": _lists_only(plan.screening),
            "signals": signals_on(plan.screening),
        }

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        after, tried = given["bonus_after"], given["failed_try_pay"]
        return {
            **{name: given[name] for name in AS_THEY_ARE},
            "fee_rate": None if given["fee"] is None else given["fee"] / 100,
            "bonus_after": Plan.bonus_after if after is None else after,
            "failed_try_pay": Plan.failed_try_pay if tried is None else tried,
            "gold_share": given["gold_share"] or 0,
            "screening": self._screening(),
        }

    def _screening(self) -> dict[str, Any]:
        """Return the settings of the screens; a group changes only where its box does."""
        given, found = self.cleaned_data, dict(self.before.screening)
        if given["flags_list_only"] != _lists_only(found):
            flags = {key: one for key, one in found.get(FLAGS, {}).items() if key != "list_only"}
            found[FLAGS] = flags | (
                {"list_only": list(SCREENS)} if given["flags_list_only"] else {}
            )
        if given["signals"] != signals_on(found):
            found[SIGNALS] = {**found.get(SIGNALS, {}), "on": given["signals"]}
        return {group: one for group, one in found.items() if one}


def _lists_only(screening: Mapping[str, Any]) -> bool:
    """Return whether no flag of any screen pauses somebody."""
    return set(SCREENS) <= set(screening.get(FLAGS, {}).get("list_only", ()))
