"""The fields of the form of a new campaign: the files, and each part of the plan."""

from decimal import Decimal

from django import forms

from annotate.forms.campaign_choices import (
    BUILT_IN,
    crowds_offered,
    instruments_offered,
    metrics_offered,
)
from annotate.selectors.work.gold import BLOCK, MOST
from annotate.services.campaigns.plans import (
    LONGEST_ABOUT,
    LONGEST_TITLE,
    MOST_BONUS_AFTER,
    MOST_COUNT,
    Plan,
)
from annotate.states import Estimand, MetricChoice, StopMode

DEFAULT_METRIC = "repetition"  # needs only the text (docs/statistics.md, metrics)
DEFAULTS = Plan(name="", targets={})
DEFAULT_SHARE = 0.1  # default width of the first target, as a share of the scale
DEFAULT_MARGIN = 0.1  # default margin of a ranking, as a share of the scale
LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


class CampaignFields(forms.Form):
    """The fields of a new campaign, with their labels and limits."""

    use_required_attribute = False  # the server reports missing values of all fields at once

    # A form sent twice is one import; without a key, each request is a new import.
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
        label="Bonus for passing it",
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
        label="Reward for one judgment",
        initial=Decimal("0.40"),
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
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
        label="What you want to know",
        initial=StopMode.PRECISION,
        widget=forms.RadioSelect,
        choices=[
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
        ],
    )
    planned_items = forms.IntegerField(
        label="Planned items of each system", min_value=1, max_value=MOST_COUNT, required=False
    )
    flags_list_only = forms.BooleanField(
        label="Flags of screens only list people for review, and pause no one", required=False
    )
    gold_share = forms.IntegerField(
        label=f"Gold items among {BLOCK} tasks of a person",
        initial=0,
        min_value=0,
        max_value=MOST,
        required=False,
    )
    signals = forms.BooleanField(
        label="Count signals of the page (typed and pasted characters, pace, shared devices), and "
        "tell annotators so where they join",
        required=False,
    )
    contact = forms.EmailField(label="E-mail for annotators’ questions", required=False)
