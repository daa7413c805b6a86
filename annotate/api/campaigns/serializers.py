"""Campaigns, judgments and uploads as JSON. Money is a decimal string, never a float."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from annotate.api.base import RequestSerializer
from annotate.api.campaigns.fields import SettingsField, TargetsField, TextsField
from annotate.api.parsers import Rows
from annotate.crowds.registry import CROWDS
from annotate.crowds.terms import usual_tasks
from annotate.models import Campaign, Membership
from annotate.selectors.campaigns.blinding import sees_results
from annotate.selectors.pay.budget import cost_at_most
from annotate.services.campaigns.plans import Plan
from annotate.services.campaigns.study_texts import LONGEST_ABOUT, LONGEST_TITLE
from annotate.services.reasons import LONGEST_REASON
from annotate.states import CampaignStatus, Estimand, MemberRole, MetricChoice, StopMode
from annotate.text import json_text

DEFAULTS = Plan(name="", targets={})
TITLE = "what annotators read in place of the name; “”: a neutral title"
ABOUT = "one sentence for annotators; “”: the instrument's own"
TEXTS = (
    "own texts: `consent`, which people must accept, `ethics`, `instructions`, and `background`: "
    "questions to people about themselves, one a line: `Question? | answer | answer`"
)


class CostSerializer(serializers.Serializer[Any]):
    """`amount`: the highest possible cost; a budget may end the campaign before it is spent."""

    amount = serializers.DecimalField(12, 2)
    rewards = serializers.DecimalField(12, 2, source="bill.rewards")
    bonuses = serializers.DecimalField(
        12, 2, source="bill.bonuses.reward", help_text="of the tutorial, if all annotators are new"
    )
    fees = serializers.DecimalField(12, 2, source="bill.fees", help_text="on both")


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """The plan and state of a campaign."""

    id = serializers.CharField(source="public_id")
    status = serializers.ChoiceField(choices=CampaignStatus.choices)
    estimand = serializers.ChoiceField(choices=Estimand.choices)
    metric_choice = serializers.ChoiceField(choices=MetricChoice.choices)
    stop_mode = serializers.ChoiceField(choices=StopMode.choices)
    role = serializers.ChoiceField(choices=MemberRole.choices)
    contact = serializers.CharField(help_text="an e-mail address, or empty")
    metric_transform = serializers.SerializerMethodField(
        help_text="how metrics enter estimates: normal_scores, signed_scores (pairs of texts), or "
        "raw in a campaign that opened before these; null in a draft and without metrics"
    )
    targets = serializers.SerializerMethodField()
    margins = serializers.SerializerMethodField()
    systems = serializers.SerializerMethodField(
        help_text="null for reviewers until the campaign is closed; so is `seed`, and "
        "`close_reason` is empty"
    )
    seed = serializers.SerializerMethodField()
    close_reason = serializers.SerializerMethodField()
    planned = serializers.IntegerField(help_text="all planned judgments")
    judged = serializers.IntegerField(help_text="judgments that count")
    spent = serializers.DecimalField(12, 2, help_text="fees included")
    cost_at_most = serializers.SerializerMethodField()
    advice = serializers.SerializerMethodField(
        help_text="what the dashboard advises while the campaign collects; else, and for those who "
        "do not run it, empty"
    )

    class Meta:
        model = Campaign
        fields: tuple[str, ...] = (
            "id",
            "name",
            "public_title",
            "public_about",
            "status",
            "close_reason",
            "role",
            "instrument",
            "instrument_version",
            "crowd",
            "language",
            "contact",
            "targets",
            "margins",
            "planned_items",
            "systems",
            "metric_choice",
            "metrics",
            "metric_transform",
            "estimand",
            "level",
            "stop_mode",
            "double_share",
            "annotator_cap",
            "people",
            "lease_minutes",
            "screening",
            "gold_share",
            "tutorial_required",
            "tutorial_bonus",
            "bonus_after",
            "failed_try_pay",
            "open_link_bonus",
            "reward",
            "fee_rate",
            "budget",
            "max_judgments",
            "deadline",
            "planned",
            "judged",
            "spent",
            "cost_at_most",
            "advice",
            "seed",
            "created_at",
            "opened_at",
            "closed_at",
        )
        read_only_fields = fields

    @extend_schema_field(CostSerializer)
    def get_cost_at_most(self, campaign: Any) -> dict[str, Any]:
        """Return the highest cost of all planned judgments, as the campaign's preview shows it."""
        tasks = campaign.last_tasks or usual_tasks(campaign.annotator_cap)
        most = cost_at_most(campaign, planned=campaign.planned, tasks=tasks)
        return dict(CostSerializer(most).data)

    def get_metric_transform(self, campaign: Campaign) -> str | None:
        if campaign.protocol is None or not campaign.metrics:
            return None
        return str(campaign.protocol.get("metric_transform", "raw"))

    def get_advice(self, campaign: Any) -> str:
        live = campaign.status in (CampaignStatus.OPEN, CampaignStatus.CLOSING)
        runs = campaign.role in Membership.RUN
        return (campaign.advice or "") if live and runs else ""

    def get_targets(self, campaign: Campaign) -> dict[str, float]:
        """Widths of intervals; empty in a ranking."""
        return {one.criterion: one.width for one in campaign.targets.all() if one.width is not None}

    def get_margins(self, campaign: Campaign) -> dict[str, float]:
        """Differences that do not matter; empty but in a ranking."""
        rows = campaign.targets.all()
        return {one.criterion: one.margin for one in rows if one.margin is not None}

    def get_systems(self, campaign: Campaign) -> list[str] | None:
        return [one.name for one in campaign.systems.all()] if _shows(campaign) else None

    def get_seed(self, campaign: Campaign) -> int | None:
        """Return the seed, which fixes the order in which the systems' outputs are judged."""
        return campaign.seed if _shows(campaign) else None

    def get_close_reason(self, campaign: Campaign) -> str:
        """Return the reason. During closing, “every interval reached its target” is a result."""
        return campaign.close_reason if _shows(campaign) else ""


def _shows(campaign: Any) -> bool:
    """Return whether this row of a list shows its results to the user."""
    return sees_results(campaign.role, campaign.closed_at)


class ImportedSerializer(CampaignSerializer):
    """A campaign that has just been imported."""

    notices = serializers.ListField(
        child=serializers.CharField(), help_text="remarks, such as unused parts of the file"
    )

    class Meta(CampaignSerializer.Meta):
        fields = (*CampaignSerializer.Meta.fields, "notices")
        read_only_fields = fields


class NamesField(serializers.ListField):
    """Such as `["repetition", "comet"]`, or one name alone; a form repeats the field."""

    child = serializers.CharField(max_length=60)

    def to_internal_value(self, data: Any) -> list[str]:
        return list(super().to_internal_value([data] if isinstance(data, str) else data))


class FlagField(serializers.BooleanField):
    """Yes or no. A form without the field leaves the default, as JSON does."""

    default_empty_html = empty


class CrowdField(serializers.ChoiceField):
    """Where people come from: the key of a crowd."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=sorted(CROWDS), **options)


GOLD_ROWS = "A list of objects, as in a file of gold items."


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class GoldRowsField(serializers.JSONField):
    """Rows as in a file of gold items; a form sends them as JSON in one field."""

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        if isinstance(data, str):
            try:
                data = json_text.parse(data)
            except json_text.NotJson:
                raise serializers.ValidationError(GOLD_ROWS) from None
        rows = super().to_internal_value(data)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise serializers.ValidationError(GOLD_ROWS)
        return rows


class PlanSerializer(RequestSerializer):
    """The decisions before any judgment; `campaigns.plans.check` checks them as a whole."""

    name = serializers.CharField(max_length=120, help_text="for researchers only")
    public_title = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_TITLE, help_text=TITLE
    )
    public_about = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_ABOUT, help_text=ABOUT
    )
    texts = TextsField(default=dict, help_text=TEXTS)
    targets = TargetsField(
        default=dict, help_text="criterion -> width of the interval at which to stop"
    )
    margins = TargetsField(
        default=dict, help_text="of a ranking: criterion -> difference that does not matter"
    )
    instrument = serializers.CharField(default=DEFAULTS.instrument)
    tutorial = FlagField(default=DEFAULTS.tutorial)
    tutorial_id = serializers.IntegerField(default=None, allow_null=True)
    tutorial_bonus = serializers.DecimalField(6, 2, default=DEFAULTS.tutorial_bonus)
    bonus_after = serializers.IntegerField(
        default=DEFAULTS.bonus_after, help_text="counting judgments until the bonus is due"
    )
    failed_try_pay = serializers.DecimalField(
        6,
        2,
        default=DEFAULTS.failed_try_pay,
        help_text="for both rounds of the tutorial completed and not passed",
    )
    open_link_bonus = FlagField(
        default=DEFAULTS.open_link_bonus, help_text="also for people who come by the open link"
    )
    metrics = NamesField(
        default=list, help_text="names of metrics, or “auto” for all metrics that the rows allow"
    )
    reward = serializers.DecimalField(8, 2, default=DEFAULTS.reward)
    crowd = CrowdField(default=DEFAULTS.crowd)
    fee_rate = serializers.DecimalField(
        5, 4, default=None, allow_null=True, help_text="the crowd's share; null: its usual rate"
    )
    budget = serializers.DecimalField(10, 2, default=None, allow_null=True)
    max_judgments = serializers.IntegerField(default=None, allow_null=True)
    deadline = serializers.DateTimeField(default=None, allow_null=True)
    annotator_cap = serializers.IntegerField(default=DEFAULTS.annotator_cap, allow_null=True)
    people = serializers.IntegerField(
        default=None, allow_null=True, help_text="how many you have, for forecasts; null: not known"
    )
    double_share = serializers.FloatField(default=DEFAULTS.double_share)
    lease_minutes = serializers.IntegerField(default=DEFAULTS.lease_minutes)
    estimand = serializers.ChoiceField(choices=Estimand.choices, default=DEFAULTS.estimand)
    level = serializers.FloatField(default=DEFAULTS.level)
    stop_mode = serializers.ChoiceField(choices=StopMode.choices, default=DEFAULTS.stop_mode)
    planned_items = serializers.IntegerField(
        default=None, allow_null=True, help_text="of a ranking; null: what is usual for its margins"
    )
    language = serializers.CharField(default=DEFAULTS.language, max_length=12)
    contact = serializers.EmailField(default="", allow_blank=True)
    seed = serializers.IntegerField(default=None, allow_null=True)
    gold_share = serializers.IntegerField(
        default=DEFAULTS.gold_share,
        help_text="how many of 25 tasks of a person are gold items; they are paid like all others",
    )
    gold = GoldRowsField(
        default=cast(Any, list),
        help_text="gold items: a list of `item`, `output`, `expected`; more may be added later",
    )
    screening = SettingsField(
        default=dict, help_text="settings of the screens: group -> name -> value; else the defaults"
    )
    distinct_names = FlagField(
        default=DEFAULTS.distinct_names,
        help_text="names that look alike in the file are of different systems or items",
    )
    key = serializers.CharField(
        default="", max_length=40, help_text="your own; a repeated request is the same import"
    )


class RowList(serializers.ListField):
    """Rows that `ImportParser` has stored in a file; each is checked with the whole file."""

    child = serializers.JSONField()

    def to_internal_value(self, data: Any) -> Any:
        return (
            data
            if isinstance(data, Rows)
            else self.fail("not_a_list", input_type=type(data).__name__)
        )


class JsonImportSerializer(PlanSerializer):
    """A plan with its rows. Errors name a row by its position in the list, from 1, as `line`."""

    outputs = RowList()


class FileImportSerializer(PlanSerializer):
    """A plan with a file: JSON lines, a JSON list or CSV; optionally a CSV file of metrics."""

    file = serializers.FileField(allow_empty_file=True)
    metrics_file = serializers.FileField(required=False, allow_empty_file=True)


class BoundMetricsSerializer(RequestSerializer):
    reason = serializers.CharField(
        max_length=LONGEST_REASON, help_text="why; the log and the export keep it"
    )
