"""The form of a new campaign, checked in shape; the services check its meaning."""

import uuid
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget

from annotate.forms.campaign_choices import (
    BUILT_IN,
    HINTS,
    NO_TUTORIAL,
    crowds_offered,
    instruments_offered,
    joined_names,
    main_criterion,
    metrics_offered,
    split_names,
    tutorials_offered,
    usual_fees,
)
from annotate.instruments.base import Instrument
from annotate.selectors.studies import instruments
from annotate.services.campaigns.metric_choice import AUTO, choice
from annotate.services.campaigns.plans import LONGEST_ABOUT, LONGEST_TITLE, MOST_BONUS_AFTER, Plan
from annotate.states import Estimand, MetricChoice, StopMode
from annotate.text.numerals import number
from estimation.metrics import METRICS

DEFAULT_METRIC = "repetition"  # needs nothing but the text (docs/statistics.md, metrics)
DEFAULTS = Plan(name="", targets={})
DEFAULT_SHARE = 0.1  # of the scale: what an interval of the first target spans by default
LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


def _or(given: int | None, usual: int) -> int:
    return usual if given is None else given


class CampaignForm(forms.Form):
    """One form for the files and the plan of a campaign."""

    use_required_attribute = False  # the server says what is missing, for all fields at once

    # The same form sent twice is one import; an old tab without a key is a new one each time.
    key = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    outputs = forms.FileField(
        label="Outputs (JSON or CSV)",
        error_messages={
            "required": "Choose the file with the outputs.",
            "empty": "The file is empty. It needs one output of one system on each line.",
        },
    )
    metrics_file = forms.FileField(
        label="Metric values (CSV), if not in the outputs file", required=False
    )
    drop_metrics = forms.BooleanField(label="Without the metrics file", required=False)
    name = forms.CharField(
        label="Name", max_length=120, error_messages={"required": "Give the campaign a name."}
    )
    public_title = forms.CharField(
        label="Title for annotators", max_length=LONGEST_TITLE, required=False
    )
    public_about = forms.CharField(
        label="One sentence for annotators",
        max_length=LONGEST_ABOUT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    instrument = forms.ChoiceField(
        label="What people are asked",
        choices=lambda: instruments_offered(),
        initial=DEFAULTS.instrument,
    )
    tutorial = forms.ChoiceField(label="Tutorial before the first task", initial=BUILT_IN)
    tutorial_bonus = forms.DecimalField(
        label="Bonus for passing it, in $",
        initial=DEFAULTS.tutorial_bonus,
        min_value=Decimal(0),
        max_digits=6,
        decimal_places=2,
    )
    bonus_after = forms.IntegerField(
        label="Judgments until the bonus is due",
        initial=DEFAULTS.bonus_after,
        min_value=0,
        max_value=MOST_BONUS_AFTER,
        required=False,
    )
    open_link_bonus = forms.BooleanField(
        label="Also for people who come by the open link, whose identity is unknown", required=False
    )
    language = forms.RegexField(
        LANGUAGE,
        label="Language of the texts",
        max_length=12,
        initial=DEFAULTS.language,
        error_messages={"invalid": "Give a code such as en, de or pt-BR."},
    )
    metric_choice = forms.ChoiceField(
        label="Automatic metrics",
        initial=MetricChoice.NAMED,
        widget=forms.RadioSelect,
        choices=[
            (MetricChoice.NAMED, "The ones I choose"),
            (MetricChoice.AUTO, "All that my file allows, combined"),
            (MetricChoice.NONE, "None: the plain mean of the judgments"),
        ],
    )
    metric_names = forms.MultipleChoiceField(
        label="Which metrics",
        required=False,
        choices=metrics_offered,
        initial=[DEFAULT_METRIC],
        widget=forms.CheckboxSelectMultiple,
    )
    metric_columns = forms.CharField(
        label="Columns of your own file", max_length=600, required=False
    )
    crowd = forms.ChoiceField(
        label="Where people come from",
        initial=DEFAULTS.crowd,
        widget=forms.RadioSelect,
        required=False,
        choices=crowds_offered,
    )
    fee = forms.DecimalField(
        label="The crowd’s fee, in %",
        required=False,
        min_value=Decimal(0),
        max_value=Decimal(900),
        decimal_places=2,
    )
    reward = forms.DecimalField(
        label="Reward for one judgment, in $",
        initial=Decimal("0.40"),
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
    )
    budget = forms.DecimalField(
        label="Budget, in $",
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
    annotator_cap = forms.IntegerField(
        label="Most judgments by one person", initial=25, min_value=1, max_value=100_000
    )
    double_share = forms.DecimalField(
        label="Items judged twice, in %", initial=25, min_value=0, max_value=100, decimal_places=1
    )
    level = forms.DecimalField(
        label="Confidence level, in %",
        initial=95,
        min_value=Decimal("50.1"),
        max_value=Decimal("99.9"),
        decimal_places=1,
    )
    estimand = forms.ChoiceField(
        label="Estimand",
        initial=Estimand.POPULATION,
        widget=forms.RadioSelect,
        choices=[
            (Estimand.POPULATION, "People in general: the annotators are a sample of them"),
            (Estimand.PANEL, "Exactly these annotators"),
        ],
    )
    stop_mode = forms.ChoiceField(
        label="Stopping rule",
        initial=StopMode.PRECISION,
        widget=forms.RadioSelect,
        choices=[
            (StopMode.PRECISION, "Stop automatically when the intervals are narrow enough"),
            (
                StopMode.ANYTIME,
                "Stop automatically or by hand at any time: the intervals are "
                "wider, so that they stay valid at every look, and need about twice the judgments",
            ),
        ],
    )
    contact = forms.EmailField(label="E-mail for annotators’ questions", required=False)

    def __init__(self, *args: Any, has_file: bool = False, **kwargs: Any) -> None:
        """has_file: whether the outputs were uploaded before, so that none must be chosen."""
        super().__init__(*args, **kwargs)
        self.asked = self._asked()
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["outputs"].required = not has_file
        choice = self.fields["tutorial"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = tutorials_offered(self.asked)
        main = main_criterion(self.asked)
        for criterion in self.asked.criteria:
            wide = criterion.high - criterion.low
            self.fields[f"width_{criterion.name}"] = forms.FloatField(
                label=str(criterion.label or criterion.name),
                required=False,
                initial=f"{wide * DEFAULT_SHARE:.2f}" if criterion is main else None,
                min_value=0.001,
                max_value=max(9.999, wide),
                help_text=criterion.scale_text,
                widget=forms.NumberInput(attrs={"step": "0.01", "min": "0.01"}),
            )
        limit = settings.UPLOAD_LIMIT // 1024**2
        for name, hint in HINTS.items():
            self.fields[name].help_text = hint.format(
                zone=settings.TIME_ZONE, limit=limit, fees=usual_fees()
            )

    def _asked(self) -> Instrument:
        """Return the chosen instrument. An unknown one is reported next to the field."""
        chosen = self.data.get("instrument") or self.get_initial_for_field(
            self.fields["instrument"], "instrument"
        )
        try:
            return instruments.named(chosen)
        except KeyError:
            return instruments.named(DEFAULTS.instrument)

    @property
    def metric_groups(self) -> list[tuple[str, list[BoundWidget]]]:
        """The boxes of `metric_names` under the headings of its choices."""
        boxes = iter(self["metric_names"])
        return [(group, [next(boxes) for _ in names]) for group, names in metrics_offered()]

    @property
    def width_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("width_")]

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        named = given.get("metric_choice") == MetricChoice.NAMED
        if named and "metric_names" in given and not self.metrics:
            self.add_error("metric_names", "Choose at least one, or none above.")
        widths_fine = not any(name.startswith("width_") for name in self.errors)
        if widths_fine and not self.targets:
            first = self.width_fields[0].name
            self.add_error(first, "Give at least one criterion a target width, such as 0.20.")
        return given

    @property
    def targets(self) -> dict[str, float]:
        widths = {f.name: self.cleaned_data.get(f.name) for f in self.width_fields}
        return {name.removeprefix("width_"): w for name, w in widths.items() if w is not None}

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is asked for: names, or `auto` alone."""
        given = self.cleaned_data
        if given["metric_choice"] != MetricChoice.NAMED:
            return (AUTO,) if given["metric_choice"] == MetricChoice.AUTO else ()
        columns = split_names(given.get("metric_columns", ""))
        return tuple(dict.fromkeys([*given["metric_names"], *columns]))

    def plan(self) -> Plan:
        """Return the plan of a valid form."""
        given = self.cleaned_data
        return Plan(
            name=given["name"],
            public_title=given["public_title"],
            public_about=given["public_about"],
            targets=self.targets,
            instrument=given["instrument"],
            language=given["language"],
            tutorial=given["tutorial"] != NO_TUTORIAL,
            tutorial_id=number(given["tutorial"]),
            tutorial_bonus=given["tutorial_bonus"],
            bonus_after=_or(given["bonus_after"], DEFAULTS.bonus_after),
            open_link_bonus=given["open_link_bonus"],
            metrics=self.metrics,
            crowd=given["crowd"] or DEFAULTS.crowd,
            fee_rate=None if given["fee"] is None else given["fee"] / 100,
            reward=given["reward"],
            budget=given["budget"],
            max_judgments=given["max_judgments"],
            deadline=given["deadline"],
            double_share=float(given["double_share"]) / 100,
            annotator_cap=given["annotator_cap"],
            estimand=given["estimand"],
            level=float(given["level"]) / 100,
            stop_mode=given["stop_mode"],
            contact=given["contact"],
        )


def initial_of(plan: Plan) -> dict[str, Any]:
    """Return what the form was filled in with to give this plan."""
    instrument = instruments.named(plan.instrument)
    own = [name for name in plan.metrics if name not in (*METRICS, AUTO)]
    copied = (
        "name",
        "public_title",
        "public_about",
        "instrument",
        "language",
        "tutorial_bonus",
        "bonus_after",
        "open_link_bonus",
        "crowd",
        "reward",
        "budget",
        "max_judgments",
        "deadline",
        "annotator_cap",
        "estimand",
        "stop_mode",
        "contact",
    )
    return {
        **{name: getattr(plan, name) for name in copied},
        **{f"width_{one.name}": plan.targets.get(one.name, "") for one in instrument.criteria},
        "tutorial": str(plan.tutorial_id or (BUILT_IN if plan.tutorial else NO_TUTORIAL)),
        "metric_choice": choice(plan.metrics),
        "metric_names": [name for name in plan.metrics if name in METRICS],
        "metric_columns": joined_names(own),
        "fee": None if plan.fee_rate is None else round(plan.fee_rate * 100, 2),
        "double_share": f"{plan.double_share * 100:.1f}".removesuffix(".0"),
        "level": f"{plan.level * 100:.1f}".removesuffix(".0"),
    }
