"""The forms of the four steps of a new campaign, with their choices and hints."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget
from django.utils import timezone

from annotate.campaigns import creating, plans, shapes
from annotate.campaigns.forms import about_field, text_field, title_field
from annotate.campaigns.parsers import together
from annotate.campaigns.plans import (
    AUTO,
    FEWEST_PEOPLE,
    LONGEST,
    MOST_BONUS_AFTER,
    MOST_COUNT,
    MOST_PEOPLE,
    Plan,
    choice,
)
from annotate.campaigns.problems import (
    FIELDS,
    LONGEST_COLUMN,
    Column,
    Problems,
)
from annotate.campaigns.sheet import Facts
from annotate.common.content import OF_INPUTS, TextForm
from annotate.common.errors import Invalid
from annotate.common.numbers import number_from, percent
from annotate.common.text import tidy
from annotate.crowds.adapters import CROWDS
from annotate.instruments.base import Criterion, Instrument
from annotate.models.base import MOST_RATERS, Estimand, MetricChoice, StopMode
from annotate.screening.screens import FLAGS, SCREENS
from annotate.screening.signals import SIGNALS, signals_on
from annotate.studies import queries as studies_queries
from annotate.studies import tutorials
from annotate.work.picking import BLOCK, MOST, USUAL
from estimation.metrics import METRICS, Metric

DEFAULT_SHARE = 0.1  # of the scale: the first target width, and the first margin


def main_criterion(instrument: Instrument) -> Criterion:
    """Return the criterion whose target has a default: `overall`, or the first."""
    named = [criterion for criterion in instrument.criteria if criterion.name == "overall"]
    return (named or list(instrument.criteria))[0]


def usual(criterion: Criterion) -> float:
    """Return the first target width or margin of a criterion, in score units."""
    return round((criterion.high - criterion.low) * DEFAULT_SHARE, 2)


def usual_targets(instrument: Instrument, mode: str) -> dict[str, Any]:
    """Return what suffices, as parts of a plan: one target width or, in a ranking, one margin."""
    main = main_criterion(instrument)
    first = {main.name: usual(main)}
    if mode == StopMode.RANKING:
        return {"targets": {}, "margins": first, "planned_items": None}
    return {"targets": first, "margins": {}, "planned_items": None}


# The choices of a new campaign (metrics, instruments, tutorials, crowds), and its hints.


BUILT_IN, NO_TUTORIAL = "built-in", "none"
RECOMMENDED = tuple(one.name for one in METRICS.values() if one.efficiency)
CURRENCY = "In $, or in the currency of the crowd’s account."

HINTS = {
    "language": "A code such as en, de or pt-BR. In German, annotators read German pages.",
    "outputs": "Up to {limit} MB; import larger files on the command line.",
    "name": "For you and your reviewers. Annotators never see it.",
    "public_title": (
        "What they read in place of its name. Empty: a neutral title, such as “Rate short texts”."
    ),
    "instructions": "What people should know in this study beyond the instrument’s instructions. "
    "Shown before they join and beside every task.",
    "consent": "Who does not accept it gets no task. Leave it empty if none is needed.",
    "ethics": "The approval’s number, or why none was needed. Shown under the consent text and in "
    "the report.",
    "background": "Asked once, before the first task, for the report and the export. One question "
    "a line, then its answers: Question? | answer | answer. “I would rather not say” is always "
    "offered, too.",
    "public_about": "What the work is. Empty: the instrument’s own sentence.",
    "shows_reference": "A reference biases judgments. Show it only if people are to judge against "
    "it.",
    "metrics_file": "Columns: system,item,metric,value",
    "tutorial_bonus": "Each person gets it once, for passing. {currency}",
    "failed_try_pay": "Once a person, for completing both rounds of the tutorial at reading speed "
    "and passing neither. People by link only. {currency}",
    "bonus_after": "Counting judgments of one person. Due earlier if no more are offered.",
    "fee": "Empty: the usual rate ({fees}). The budget includes it.",
    "reward": "Paid for each judgment; 0 if people are not paid. {currency}",
    "budget": "Fees included. Empty: no limit. {currency}",
    "max_judgments": "Empty: all planned judgments.",
    "deadline": "Empty: none. In {zone}.",
    "annotator_cap": (
        "An interval depends on how many different people were asked. Above 25, its "
        "coverage at the stop is not warranted."
    ),
    "experts": "For a panel of 2 to 10 people. Each comes by a link of their own and judges every "
    "output, and nobody else does. An output counts when all of them have judged it; results are "
    "the mean of these experts. Leave cap, people and repeats below as they are.",
    "people": "For forecasts and advice. Empty: not known yet; the plan then says what it assumes.",
    "planned_items": (
        "How many would do if you looked only once. Empty: what is usual for these margins. The "
        "ranking is right with any number; with a good one it takes fewest judgments."
    ),
    "gold_share": (
        "Tasks whose right answer you know, mixed in blind. {usual} is usual, 0 is none. They are "
        "paid, and in the cost and the budget. You add them on the campaign’s page Gold before it "
        "opens."
    ),
    "double_share": "To learn how much people disagree. The others are judged once.",
    "contact": "Shown to annotators. Optional.",
}


def metrics_offered() -> list[tuple[str, Any]]:
    groups = {
        "nothing": "From the text alone",
        "reference": "Against the references",
        "paragraphs": "Against the inputs",
        "others": "Against the other systems' outputs",
    }
    return [
        (title, [(m.name, _described(m)) for m in METRICS.values() if m.needs == needs])
        for needs, title in groups.items()
    ]


def _described(metric: Metric) -> str:
    """Return the name and description, without remarks in brackets."""
    plain = metric.description.split(" (")[0].split(": ", 1)[-1]
    return f"{metric.name}: {plain.rstrip('.')}"


def instruments_offered() -> list[tuple[str, Any]]:
    """Return the built-in instruments, then the versions of those that researchers defined."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in studies_queries.listed(None):
        version = "" if one.built_in else f", version {one.instrument.version}"
        group = "Built in" if one.built_in else "Defined by researchers"
        groups.setdefault(group, []).append((one.reference, f"{one.instrument.label}{version}"))
    return list(groups.items())


def tutorials_offered(instrument: Instrument) -> list[tuple[str, str]]:
    """Return the instrument's own tutorial, those that researchers supplied for it, and none."""
    has_own = bool(tutorials.languages(instrument.key))
    own = "The built-in one" if has_own else "None: there is no built-in one"
    supplied = [
        (str(one.id), f"{one.title or 'Without a title'} ({one.language}, number {one.id})")
        for one in studies_queries.tutorials_listed(instrument.key, None)
    ]
    none = [(NO_TUTORIAL, "None: the first task at once")]
    return [(BUILT_IN, own), *supplied, *(none if has_own else [])]


def usual_fees() -> str:
    """Return the usual fees: `Amazon Mechanical Turk 20 %, Prolific 40 %`."""
    charging = [crowd for crowd in CROWDS.values() if crowd.publishes]
    return ", ".join(f"{one.label} {percent(float(one.tariff.share))}" for one in charging)


# What the steps of a new campaign share: each shows a part of a plan, and changes that part.


class StepForm(forms.Form):
    """One step. Its form is filled from a plan, and returns the plan with its own part changed."""

    use_required_attribute = False  # the server reports missing values of all fields at once
    as_they_are: ClassVar[tuple[str, ...]] = ()  # fields that are fields of the plan
    # Fields of a plan that go by another name here; errors are told beside the form's field.
    told_at: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        plan: Plan,
        facts: Facts | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        """plan: before this step. facts: of its file; None until that was read.

        initial: what the fields show in place of the plan's values.
        """
        self.before, self.facts = plan, facts
        super().__init__(data, files, initial={**self.shown(plan), **(initial or {})})
        limit = settings.UPLOAD_LIMIT // 1024**2
        for name in HINTS.keys() & self.fields.keys():
            self.fields[name].help_text = HINTS[name].format(
                zone=timezone.get_current_timezone_name(),
                limit=limit,
                fees=usual_fees(),
                currency=CURRENCY,
                usual=USUAL,
            )

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        """Return what the fields of this step show for a plan."""
        return {name: getattr(plan, name) for name in cls.as_they_are}

    def changes(self) -> dict[str, Any]:
        """Return this step's part of the plan. Call it on a valid form."""
        return {name: self.cleaned_data[name] for name in self.as_they_are}

    def plan(self) -> Plan:
        """Return the plan with what was entered. Call it on a valid form."""
        return replace(self.before, **self.changes())

    def tell(self, errors: Mapping[str, str]) -> None:
        """Show each problem of the plan next to its field, or above all fields."""
        for name, message in errors.items():
            field = self.told_at.get(name, name)
            self.add_error(field if field in self.fields else None, message)


def in_percent(share: float) -> str:
    """Return a share as it is typed: `12.5`, `25`."""
    return f"{share * 100:.1f}".removesuffix(".0")


# Step 1 of a new campaign: the files, their language, and a name.


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Files that were chosen together; several are one archive."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = [super(FilesField, self).clean(one, initial) for one in data or [None]]
        return together(files) if files[0] else None


LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
COLUMN = "column_"  # the prefix of the fields that say which column is which
ROLE = "role_"  # and of the menus above the columns of a file that is here


class FileStep(StepForm):
    """What the systems wrote. `columns` says which column of the file is which, where it must.

    Before a file is here one types the columns' names. Then each has a menu above its first rows.
    """

    as_they_are = ("name", "language")

    # A form sent twice is one import; without a key, each request is a new import.
    key = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    outputs = FilesField(
        label="Outputs: one file or several",
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
    language = forms.RegexField(
        LANGUAGE,
        label="Language of the texts",
        max_length=12,
        error_messages={"invalid": "Give a code such as en, de or pt-BR."},
    )

    def __init__(
        self,
        *args: Any,
        has_file: bool = False,
        columns: dict[str, Any] | None = None,
        shown: Sequence[Column] = (),
        is_refused: bool = False,
        **kw: Any,
    ) -> None:
        """has_file: the outputs were uploaded before, so the file field is optional.

        columns: which column of an earlier upload is which. shown: the columns of that upload.
        is_refused: it could not be read, so what is shown is not what it was read as.
        """
        super().__init__(*args, **kw)
        self.said, self.shown_columns, self.is_refused = columns or {}, shown, is_refused
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["outputs"].required = not has_file
        for name in FIELDS:
            self.fields[f"{COLUMN}{name}"] = forms.CharField(
                label=name,
                required=False,
                max_length=LONGEST_COLUMN,
                initial=self.said.get(name, ""),
                widget=forms.TextInput(attrs={"list": "columns", "autocomplete": "off"}),
            )
        for number, column in enumerate(shown):
            self.fields[f"{ROLE}{number}"] = forms.ChoiceField(
                label=column.name,
                required=False,
                initial=column.role,
                choices=list(shapes.ROLES.items()),
            )

    @property
    def column_fields(self) -> list[forms.BoundField]:
        return [self[f"{COLUMN}{name}"] for name in FIELDS]

    @property
    def has_columns(self) -> bool:
        """Return whether some column was named, or named wrongly: then its part stands open."""
        return any(field.value() or field.errors for field in self.column_fields)

    @property
    def menus(self) -> list[forms.BoundField]:
        return [self[f"{ROLE}{number}"] for number, _column in enumerate(self.shown_columns)]

    @property
    def first_rows(self) -> list[tuple[str, ...]]:
        return list(zip(*(one.cells for one in self.shown_columns), strict=True))

    def clean(self) -> dict[str, Any]:
        if self._chosen:
            try:
                shapes.said(self._chosen, whole=True)
            except Invalid as invalid:
                self.add_error(None, invalid.errors["columns"])
        else:
            found = list(self.columns.values())
            if twice := [name for name in found if found.count(name) > 1]:
                self.add_error(None, f"The column “{twice[0]}” is named for two fields.")
        return self.cleaned_data

    @property
    def _chosen(self) -> dict[str, str]:
        """Return the menus' choices by column; none where they are not of the file that is read."""
        given = self.cleaned_data
        if given.get("outputs") or not any(name.startswith(ROLE) for name in self.data):
            return {}
        shown = enumerate(self.shown_columns)
        return {one.name: given.get(f"{ROLE}{number}", "") for number, one in shown}

    @property
    def columns(self) -> dict[str, Any]:
        """Return which column is which, as `FieldNames` takes it, as far as that was said."""
        if chosen := self._chosen:
            before = {one.name: one.role for one in self.shown_columns}
            if chosen == before and not self.is_refused:
                return self.said
            return shapes.said(chosen)
        given = self.cleaned_data
        named = {name: given.get(f"{COLUMN}{name}", "") for name in FIELDS}
        return {name: column for name, column in named.items() if column}


# Step 2 of a new campaign: what people are asked, and the metrics that save judgments.


EFFICIENCIES = [n for name in RECOMMENDED for n in METRICS[name].efficiency.values()]
TEXT_FORMS = {
    TextForm.PLAIN: "plain text",
    TextForm.MARKDOWN: "Markdown",
    TextForm.CHAT: "a chat",
    TextForm.LAST_TURN: "a chat, of which the last turn is judged",
}
EXAMPLE = "How often do you read news? | daily | weekly | less often"


class QuestionsStep(StepForm):
    """The instrument with its tutorial, what annotators read of the campaign, and the metrics."""

    as_they_are = ("instrument", "public_title", "public_about", "output_form", "input_form")
    told_at: ClassVar = {
        "metrics": "metric_names",
        "tutorial_id": "tutorial",
        **{f"texts.{name}": name for name in LONGEST},
    }

    instrument = forms.ChoiceField(
        label="What people are asked", choices=lambda: instruments_offered()
    )
    tutorial = forms.ChoiceField(label="Tutorial before the first task")
    output_form = forms.ChoiceField(label="Outputs", required=False)
    input_form = forms.ChoiceField(label="Inputs", required=False)
    shows_input = forms.ChoiceField(
        label="The item’s input beside the output",
        required=False,
        choices=[("", "In comparisons only"), ("True", "Shown"), ("False", "Not shown")],
    )
    shows_reference = forms.ChoiceField(
        label="The item’s reference beside the output",
        required=False,
        choices=[("", "Not shown"), ("True", "Shown")],
    )
    public_title = title_field()
    public_about = about_field()
    instructions = text_field("Your own instructions", LONGEST["instructions"], rows=3)
    consent = text_field("Consent text", LONGEST["consent"], rows=5)
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
        label="Numbers of your own file", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = self.data.get("instrument") or self.get_initial_for_field(
            self.fields["instrument"], "instrument"
        )
        try:
            self.asked = studies_queries.named(chosen)
        except KeyError:  # it is reported next to the field
            self.asked = studies_queries.named(Plan(name="", targets={}).instrument)
        tutorial, columns = self.fields["tutorial"], self.fields["metric_columns"]
        assert isinstance(tutorial, forms.ChoiceField)
        assert isinstance(columns, forms.ChoiceField)
        tutorial.choices = tutorials_offered(self.asked)
        for name, offered in (("output_form", TextForm), ("input_form", OF_INPUTS)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            found = TEXT_FORMS[getattr(self.facts, name)] if self.facts else ""
            first = f"As the file suggests{found and ': '}{found}"
            field.choices = [("", first), *((form, TEXT_FORMS[form]) for form in offered)]
        if self.facts and not self.facts.n_references:
            del self.fields["shows_reference"]
        columns.choices = [(name, name) for name in self.own_metrics]

    @property
    def misfit(self) -> str:
        """Return what the file lacks for the instrument; "" if nothing, or while it is read."""
        problems = creating.lacking(self.asked, self.facts) if self.facts else Problems()
        return " ".join(f"The file does not fit this: {one}" for one in problems.problems)

    @property
    def own_metrics(self) -> list[str]:
        """Return the file's numbers that every output has, and those that the plan names.

        Those that cannot help come last.
        """
        named = _own(self.before.metrics)
        whole = plans.unused((), self.facts) if self.facts else ()
        useful = plans.useful((), self.facts) if self.facts else ()
        found = list(dict.fromkeys([*named, *whole]))
        return sorted(found, key=lambda name: name not in useful)

    @property
    def not_proposed(self) -> list[str]:
        """Return why recommended metrics and numbers of the file are not preselected."""
        if self.facts is None:
            return []
        known = (*RECOMMENDED, *plans.unused((), self.facts))
        useless = plans.useless(known, self.facts)
        return [*useless, *plans.unusable(self.facts)]

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
        return 1 - 1 / min(EFFICIENCIES)

    @property
    def most_saved(self) -> float:
        return 1 - 1 / max(EFFICIENCIES)

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
            **super().shown(plan),
            **asdict(plan.texts),
            "shows_input": "" if plan.shows_input is None else str(plan.shows_input),
            "shows_reference": "True" if plan.shows_reference else "",
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
        found = replace(plan, metrics=plans.preselected(RECOMMENDED, facts))
        shown = cls.shown(found)
        return {name: shown[name] for name in ("metric_choice", "metric_names", "metric_columns")}

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        before = studies_queries.named(self.before.instrument)
        names = [one.name for one in before.criteria]
        has_other_criteria = names != [one.name for one in self.asked.criteria]
        return {
            **super().changes(),
            "texts": plans.read_study_texts(given),
            "shows_input": {"True": True, "False": False}.get(given["shows_input"]),
            "shows_reference": given.get("shows_reference") == "True",
            "tutorial": given["tutorial"] != NO_TUTORIAL,
            "tutorial_id": number_from(given["tutorial"]),
            "metrics": self.metrics,
            **(usual_targets(self.asked, self.before.stop_mode) if has_other_criteria else {}),
        }


def _own(metrics: Sequence[str]) -> list[str]:
    return [name for name in metrics if name not in (*METRICS, AUTO)]


# Step 3 of a new campaign: when it is enough, and for whom the intervals speak.


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

    as_they_are = (
        *("stop_mode", "planned_items", "estimand", "experts", "annotator_cap", "people", "raters"),
    )

    stop_mode = forms.ChoiceField(
        label="What you want to know", widget=forms.RadioSelect, choices=MODES
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
    experts = text_field("Names of experts who judge everything, one per line", 2000, rows=3)
    annotator_cap = forms.IntegerField(
        label="Most judgments by one person", min_value=1, max_value=100_000
    )
    people = forms.IntegerField(
        label="People you have", min_value=FEWEST_PEOPLE, max_value=MOST_PEOPLE, required=False
    )
    double_share = forms.DecimalField(
        label="Items judged by several people, in %", min_value=0, max_value=100, decimal_places=1
    )
    raters = forms.IntegerField(
        label="How many people judge each of these", min_value=2, max_value=MOST_RATERS
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        instrument = studies_queries.named(self.before.instrument)
        self.criteria = list(instrument.criteria)
        self.compares = instrument.compares
        if instrument.ranks:
            self.fields["stop_mode"].choices = [  # type: ignore[attr-defined]
                one for one in MODES if one[0] != StopMode.RANKING
            ]
        if self.compares:
            self.fields["planned_items"].label = "Planned items of each pair"
        for one in self.criteria:
            wide = one.high - one.low
            self.fields[f"{WIDTH}{one.name}"] = _number(one, max(9.999, wide))
            if not one.both_bad_of:
                self.fields[f"{MARGIN}{one.name}"] = _number(one, one.most_apart)

    @property
    def width_fields(self) -> list[forms.BoundField]:
        return [self[f"{WIDTH}{one.name}"] for one in self.criteria]

    @property
    def margin_fields(self) -> list[forms.BoundField]:
        return [self[f"{MARGIN}{one.name}"] for one in self.criteria if not one.both_bad_of]

    def clean_experts(self) -> tuple[str, ...]:
        return tuple(filter(None, map(tidy, self.cleaned_data["experts"].splitlines())))

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
        criteria = studies_queries.named(plan.instrument).criteria
        main = main_criterion(studies_queries.named(plan.instrument))
        experts = "\n".join(plan.experts)
        if plan.experts:  # these fields do not apply: they show what is usual
            usual = Plan(name="", targets={})
            fields = ("double_share", "raters", "annotator_cap")
            plan = replace(plan, experts=(), **{name: getattr(usual, name) for name in fields})
        return {
            **super().shown(plan),
            "experts": experts,
            "level": in_percent(plan.level),
            "double_share": in_percent(plan.double_share),
            **_typed(WIDTH, plan.targets, criteria, main),
            **_typed(MARGIN, plan.margins, criteria, main),
        }

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            **{name: given.get(name) for name in self.as_they_are},
            "targets": self.targets,
            "margins": self.margins,
            "planned_items": given.get("planned_items") if self.is_ranking else None,
            "level": float(given["level"]) / 100,
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


# Step 4 of a new campaign: who judges, what they are paid, and where it ends.


class PeopleStep(StepForm):
    """The crowd, money, limits, and how careless work is found."""

    as_they_are = (
        *("crowd", "reward", "budget", "max_judgments", "deadline", "contact"),
        *("tutorial_bonus", "failed_try_pay", "bonus_after", "open_link_bonus", "gold_share"),
    )
    told_at: ClassVar = {"fee_rate": "fee"}

    crowd = forms.ChoiceField(
        label="Where people come from",
        widget=forms.RadioSelect,
        choices=lambda: [(one.key, f"{one.label}: {one.offer}") for one in CROWDS.values()],
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
        label="Bonus for passing the tutorial", min_value=Decimal(0), max_digits=6, decimal_places=2
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
        label="Budget", required=False, min_value=Decimal("0.01"), max_digits=10, decimal_places=2
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
            **super().shown(plan),
            "fee": None if plan.fee_rate is None else round(plan.fee_rate * 100, 2),
            "flags_list_only": _lists_only(plan.screening),
            "signals": signals_on(plan.screening),
        }

    def changes(self) -> dict[str, Any]:
        given = self.cleaned_data
        after, tried = given["bonus_after"], given["failed_try_pay"]
        return {
            **super().changes(),
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
