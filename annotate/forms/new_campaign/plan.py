"""Step 3 of a new campaign: when it is enough, and for whom the intervals speak."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from annotate.forms.new_campaign.base import StepForm, as_shown, in_percent
from annotate.forms.new_campaign.targets import main_criterion, usual
from annotate.instruments.base import Criterion
from annotate.selectors.studies import instruments
from annotate.services.campaigns.plans import FEWEST_PEOPLE, MOST_COUNT, MOST_PEOPLE, Plan
from annotate.states import Estimand, StopMode

WIDTH, MARGIN = "width_", "margin_"  # prefixes of the fields of each criterion


MODES = [
    (
        StopMode.PRECISION,
        "How good each system is. Collection stops automatically when the intervals are "
        "narrow enough",
    ),
    (
        StopMode.RANKING,
        "Which system is better. Collection stops automatically when every pair of systems "
        "is decided: one is better, or they differ by less than matters",
    ),
    (
        StopMode.ANYTIME,
        "How good each system is, and you may stop by hand at any time. The intervals are "
        "wider, so that they stay valid at every look, and need about twice the judgments",
    ),
]


class PlanStep(StepForm):
    """The stopping rule with its targets, the level, the estimand, and who judges how much."""

    stop_mode = forms.ChoiceField(
        label="What you want to know",
        widget=forms.RadioSelect,
        choices=MODES,
    )
    planned_items = forms.IntegerField(
        label="Planned items of each system", min_value=1, max_value=MOST_COUNT, required=False
    )
    estimand = forms.ChoiceField(
        label="Estimand: who the results are about",
        widget=forms.RadioSelect,
        choices=[
            (Estimand.POPULATION, "People in general: the annotators are a sample of them"),
            (Estimand.PANEL, "Exactly these annotators"),
        ],
    )
    level = forms.DecimalField(
        label="Confidence level, in %",
        min_value=Decimal("50.1"),
        max_value=Decimal("99.9"),
        decimal_places=1,
    )
    annotator_cap = forms.IntegerField(
        label="Most judgments by one person", min_value=1, max_value=100_000
    )
    people = forms.IntegerField(
        label="People you have",
        min_value=FEWEST_PEOPLE,
        max_value=MOST_PEOPLE,
        required=False,
    )
    double_share = forms.DecimalField(
        label="Items judged twice, in %", min_value=0, max_value=100, decimal_places=1
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        instrument = instruments.named(self.before.instrument)
        self.criteria = list(instrument.criteria)
        self.compares = instrument.compares
        if self.compares:
            self.fields["planned_items"].label = "Planned items of each pair"
        for one in self.criteria:
            wide = one.high - one.low
            self.fields[f"{WIDTH}{one.name}"] = _number(one, max(9.999, wide))
            self.fields[f"{MARGIN}{one.name}"] = _number(one, one.most_apart)

    @property
    def width_fields(self) -> list[forms.BoundField]:
        return [self[f"{WIDTH}{one.name}"] for one in self.criteria]

    @property
    def margin_fields(self) -> list[forms.BoundField]:
        return [self[f"{MARGIN}{one.name}"] for one in self.criteria]

    def clean(self) -> dict[str, Any]:
        """Fields of another mode are hidden and not validated."""
        asked, hidden = self.width_fields, [*self.margin_fields, self["planned_items"]]
        needed = "Give at least one criterion a target width, such as 0.20."
        if self.is_ranking:
            asked, hidden = self.margin_fields, self.width_fields
            needed = "Give at least one criterion a margin, such as 0.20."
        for field in hidden:
            self.errors.pop(field.name, None)
        if not any(f.name in self.errors for f in asked) and not (self.targets or self.margins):
            self.add_error(asked[0].name, needed)
        return self.cleaned_data

    def tell(self, errors: Mapping[str, str]) -> None:
        first = {"targets": self.width_fields[0].name, "margins": self.margin_fields[0].name}
        super().tell({first.get(name, name): text for name, text in errors.items()})

    @property
    def is_ranking(self) -> bool:
        return bool(self.cleaned_data.get("stop_mode") == StopMode.RANKING)

    @property
    def targets(self) -> dict[str, float]:
        return {} if self.is_ranking else self._numbers(WIDTH)

    @property
    def margins(self) -> dict[str, float]:
        return self._numbers(MARGIN) if self.is_ranking else {}

    def _numbers(self, prefix: str) -> dict[str, float]:
        """What was given for each criterion, by its name."""
        found = {one.name: self.cleaned_data.get(f"{prefix}{one.name}") for one in self.criteria}
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        criteria = instruments.named(plan.instrument).criteria
        main = main_criterion(instruments.named(plan.instrument))
        return {
            **as_shown(plan, ("stop_mode", "planned_items", "estimand", "annotator_cap", "people")),
            "level": in_percent(plan.level),
            "double_share": in_percent(plan.double_share),
            **_typed(WIDTH, plan.targets, criteria, main),
            **_typed(MARGIN, plan.margins, criteria, main),
        }

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "stop_mode": given["stop_mode"],
            "targets": self.targets,
            "margins": self.margins,
            "planned_items": given.get("planned_items") if self.is_ranking else None,
            "estimand": given["estimand"],
            "level": float(given["level"]) / 100,
            "annotator_cap": given["annotator_cap"],
            "people": given.get("people"),
            "double_share": float(given["double_share"]) / 100,
        }


def _number(criterion: Criterion, most: float) -> forms.FloatField:
    return forms.FloatField(
        label=str(criterion.label or criterion.name),
        required=False,
        min_value=0.001,
        max_value=most,
        help_text=criterion.scale_text,
        widget=forms.NumberInput(attrs={"step": "0.01", "min": "0.01"}),
    )


def _typed(
    prefix: str, given: Mapping[str, float], criteria: Any, main: Criterion
) -> dict[str, Any]:
    """Return the fields of all criteria; of a mode that was not chosen, as they first are."""
    given = given or {main.name: usual(main)}
    return {f"{prefix}{one.name}": given.get(one.name, "") for one in criteria}
