"""Step 2 of a new campaign: what people are asked, and the metrics that save judgments."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

from django import forms
from django.forms.boundfield import BoundWidget

from annotate.forms.new_campaign.base import StepForm, as_shown
from annotate.forms.new_campaign.choices import (
    BUILT_IN,
    NO_TUTORIAL,
    RECOMMENDED,
    instruments_offered,
    metrics_offered,
    tutorials_offered,
)
from annotate.forms.new_campaign.targets import usual_targets
from annotate.forms.texts import about_field, title_field
from annotate.instruments.base import Instrument
from annotate.selectors.studies import instruments
from annotate.services.campaigns import creating, metric_choice, study_texts
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.problems import Problems
from annotate.services.campaigns.metric_choice import AUTO, choice
from annotate.services.campaigns.plans import Plan
from annotate.services.campaigns.study_texts import LONGEST
from annotate.states import MetricChoice
from annotate.text.numerals import number
from estimation.metrics import METRICS

EXAMPLE = "How often do you read news? | daily | weekly | less often"


class QuestionsStep(StepForm):
    """The instrument with its tutorial, what annotators read of the campaign, and the metrics."""

    told_at: ClassVar = {
        "metrics": "metric_names",
        "tutorial_id": "tutorial",
        **{f"texts.{name}": name for name in LONGEST},
    }

    instrument = forms.ChoiceField(
        label="What people are asked", choices=lambda: instruments_offered()
    )
    tutorial = forms.ChoiceField(label="Tutorial before the first task")
    public_title = title_field()
    public_about = about_field()
    instructions = forms.CharField(
        label="Your own instructions",
        max_length=LONGEST["instructions"],
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    consent = forms.CharField(
        label="Consent text",
        max_length=LONGEST["consent"],
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    ethics = forms.CharField(label="Ethics approval", max_length=LONGEST["ethics"], required=False)
    background = forms.CharField(
        label="Questions about the annotators",
        max_length=LONGEST["background"],
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": EXAMPLE}),
    )
    metric_choice = forms.ChoiceField(
        label="Automatic metrics",
        widget=forms.RadioSelect,
        choices=[
            (MetricChoice.NAMED, "The ones I choose"),
            (MetricChoice.AUTO, "All that my file allows, combined"),
            (MetricChoice.NONE, "None: the plain mean of the judgments"),
        ],
    )
    metric_names = forms.MultipleChoiceField(
        label="Metrics computed from the texts",
        required=False,
        choices=metrics_offered,
        widget=forms.CheckboxSelectMultiple,
    )
    metric_columns = forms.MultipleChoiceField(
        label="Numbers of your own file",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked = self._asked()
        tutorial, columns = self.fields["tutorial"], self.fields["metric_columns"]
        assert isinstance(tutorial, forms.ChoiceField)
        assert isinstance(columns, forms.ChoiceField)
        tutorial.choices = tutorials_offered(self.asked)
        columns.choices = [(name, name) for name in self.own_metrics]

    def _asked(self) -> Instrument:
        """Return the chosen instrument. An unknown one is reported next to the field."""
        chosen = self.data.get("instrument") or self.get_initial_for_field(
            self.fields["instrument"], "instrument"
        )
        try:
            return instruments.named(chosen)
        except KeyError:
            return instruments.named(Plan(name="", targets={}).instrument)

    @property
    def misfit(self) -> str:
        """Return what the file lacks for the instrument; "" if nothing, or while it is read."""
        problems = creating.lacking(self.asked, self.facts) if self.facts else Problems()
        return " ".join(f"The file does not fit this: {one}" for one in problems.listed())

    @property
    def own_metrics(self) -> list[str]:
        """Return the file's numbers that every output has, and those that the plan names.

        Those that cannot help come last.
        """
        named = _own(self.before.metrics)
        whole = metric_choice.unused((), self.facts) if self.facts else ()
        useful = metric_choice.useful((), self.facts) if self.facts else ()
        found = list(dict.fromkeys([*named, *whole]))
        return sorted(found, key=lambda name: name not in useful)

    @property
    def not_proposed(self) -> list[str]:
        """Return why recommended metrics and numbers of the file are not preselected."""
        if self.facts is None:
            return []
        known = (*RECOMMENDED, *metric_choice.unused((), self.facts))
        useless = metric_choice.useless(known, self.facts)
        return [*useless, *metric_choice.unusable(self.facts)]

    @property
    def metric_groups(self) -> list[tuple[str, list[BoundWidget]]]:
        """Return the boxes of `metric_names` by heading: the recommended ones, then the others."""
        groups: dict[str, list[BoundWidget]] = {"": []}
        boxes = iter(self["metric_names"])
        for title, names in metrics_offered():
            for name, _described in names:
                groups.setdefault("" if name in RECOMMENDED else title, []).append(next(boxes))
        return list(groups.items())

    @property
    def least_saved(self) -> float:
        """Return the smallest share of judgments that a recommended metric saved, by criterion."""
        return 1 - 1 / min(_efficiencies())

    @property
    def most_saved(self) -> float:
        return 1 - 1 / max(_efficiencies())

    @property
    def has_other_metrics(self) -> bool:
        """Return whether one is chosen that is not recommended: then the others stand open."""
        return bool(set(self["metric_names"].value() or ()) - set(RECOMMENDED))

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        named = given.get("metric_choice") == MetricChoice.NAMED
        if named and {"metric_names", "metric_columns"} <= given.keys() and not self.metrics:
            self.add_error("metric_names", "Choose at least one, or none above.")
        return given

    @property
    def has_own_texts(self) -> bool:
        """Return whether there are any, or anything is wrong with them."""
        return any(self[name].value() or self[name].errors for name in LONGEST)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the chosen names, or `auto` alone."""
        given = self.cleaned_data
        if given["metric_choice"] != MetricChoice.NAMED:
            return (AUTO,) if given["metric_choice"] == MetricChoice.AUTO else ()
        return tuple(dict.fromkeys([*given["metric_names"], *given["metric_columns"]]))

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        return {
            **as_shown(plan, ("instrument", "public_title", "public_about")),
            **asdict(plan.texts),
            "tutorial": str(plan.tutorial_id or (BUILT_IN if plan.tutorial else NO_TUTORIAL)),
            "metric_choice": choice(plan.metrics),
            "metric_names": [name for name in plan.metrics if name in METRICS],
            "metric_columns": _own(plan.metrics),
        }

    @classmethod
    def proposed(cls, plan: Plan, facts: Facts) -> dict[str, Any]:
        """Return the metrics to show where nobody has chosen any: those that can help this file."""
        if plan.metrics != RECOMMENDED:
            return {}
        found = replace(plan, metrics=metric_choice.preselected(RECOMMENDED, facts))
        shown = cls.shown(found)
        return {name: shown[name] for name in ("metric_choice", "metric_names", "metric_columns")}

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            **{name: given[name] for name in ("instrument", "public_title", "public_about")},
            "texts": study_texts.read(given),
            "tutorial": given["tutorial"] != NO_TUTORIAL,
            "tutorial_id": number(given["tutorial"]),
            "metrics": self.metrics,
            **self._targets(),
        }

    def _targets(self) -> dict[str, Any]:
        """Return what suffices, where the criteria are others than before."""
        before = instruments.named(self.before.instrument)
        if [one.name for one in before.criteria] == [one.name for one in self.asked.criteria]:
            return {}
        return usual_targets(self.asked, self.before.stop_mode)


def _efficiencies() -> list[float]:
    return [n for name in RECOMMENDED for n in METRICS[name].efficiency.values()]


def _own(metrics: Sequence[str]) -> list[str]:
    return [name for name in metrics if name not in (*METRICS, AUTO)]
