"""Campaigns, their imports, links and texts as JSON. Money is a decimal string, never a float."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, cast
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.fields import empty
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.viewsets import GenericViewSet

from annotate.accounts import tokens
from annotate.campaigns import amendments as campaigns_amendments
from annotate.campaigns import creating, life, members, progress
from annotate.campaigns import imports as campaigns_imports
from annotate.campaigns.contents_api import JudgmentSerializer, judgment_rows
from annotate.campaigns.facts import asked
from annotate.campaigns.forms import LONGEST_NAME, MOST_NAMES
from annotate.campaigns.parsers import ImportParser, Rows, together
from annotate.campaigns.plans import LONGEST, LONGEST_ABOUT, LONGEST_TITLE, Plan
from annotate.campaigns.shapes import ROLES, said
from annotate.common import access, json
from annotate.common.access import role_sees_results
from annotate.common.api import (
    NEEDED,
    BoundedView,
    ById,
    NewestFirst,
    ObjectField,
    RequestSerializer,
    SettingsField,
    TargetsField,
    TextsField,
    refusal_as_data,
    takes_no_fields,
    validated,
)
from annotate.common.audit import LONGEST_REASON
from annotate.common.content import OF_INPUTS, TextForm
from annotate.common.errors import Conflict
from annotate.crowds.adapters import CROWDS
from annotate.crowds.contract import usual_tasks
from annotate.instruments import base as instruments_base
from annotate.models import Batch, Campaign, CampaignImport, Membership, NextStep
from annotate.models.base import (
    MOST_RATERS,
    CampaignStatus,
    Estimand,
    ImportStatus,
    MemberRole,
    MetricChoice,
    StopMode,
)
from annotate.pay import tallies
from annotate.pay.budget import highest_cost
from annotate.studies import queries as studies_queries
from annotate.work import experts

# Campaigns and uploads as JSON. Money is a decimal string, never a float.


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
            *("id", "name", "public_title", "public_about", "status", "close_reason", "role"),
            *("instrument", "instrument_version", "crowd", "language", "contact"),
            *("output_form", "input_form", "shows_input", "shows_reference", "recorded"),
            *("targets", "margins", "planned_items", "systems"),
            *("metric_choice", "metrics", "metric_transform", "estimand", "level", "stop_mode"),
            *("double_share", "raters", "named_experts", "annotator_cap", "people"),
            *("lease_minutes",),
            *("screening", "gold_share"),
            *("tutorial_required", "tutorial_bonus", "bonus_after", "failed_try_pay"),
            *("open_link_bonus", "reward", "fee_rate", "budget", "max_judgments", "deadline"),
            *("planned", "judged", "spent", "cost_at_most", "advice", "seed"),
            *("created_at", "opened_at", "closed_at"),
        )
        read_only_fields = fields

    @extend_schema_field(CostSerializer)
    def get_cost_at_most(self, campaign: Any) -> dict[str, Any]:
        """Return the highest cost of all planned judgments; `amount` has what else was paid."""
        tasks = campaign.last_tasks or usual_tasks(campaign.annotator_cap)
        most = highest_cost(campaign, planned=campaign.planned, tasks=tasks)
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
        return asked(campaign)[0]

    def get_margins(self, campaign: Campaign) -> dict[str, float]:
        """Differences that do not matter; empty but in a ranking."""
        return asked(campaign)[1]

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
    return role_sees_results(campaign.role, campaign.closed_at)


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
                data = json.parse_json(data)
            except json.NotJson:
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
    experts = NamesField(
        child=serializers.CharField(max_length=LONGEST_NAME),
        default=list,
        help_text=f"2 to {MOST_RATERS} names of people who judge everything, and nobody else: sets "
        "`double_share`, `raters`, `annotator_cap`, `estimand` and `crowd`",
    )
    annotator_cap = serializers.IntegerField(default=DEFAULTS.annotator_cap, allow_null=True)
    people = serializers.IntegerField(
        default=None, allow_null=True, help_text="how many you have, for forecasts; null: not known"
    )
    double_share = serializers.FloatField(
        default=DEFAULTS.double_share, help_text="the share of items that `raters` people judge"
    )
    raters = serializers.IntegerField(
        default=DEFAULTS.raters, help_text=f"2 to {MOST_RATERS}; the other items are judged once"
    )
    lease_minutes = serializers.IntegerField(default=DEFAULTS.lease_minutes)
    estimand = serializers.ChoiceField(choices=Estimand.choices, default=DEFAULTS.estimand)
    level = serializers.FloatField(default=DEFAULTS.level)
    stop_mode = serializers.ChoiceField(choices=StopMode.choices, default=DEFAULTS.stop_mode)
    planned_items = serializers.IntegerField(
        default=None, allow_null=True, help_text="of a ranking; null: what is usual for its margins"
    )
    language = serializers.CharField(default=DEFAULTS.language, max_length=12)
    output_form = serializers.ChoiceField(
        choices=list(TextForm),
        default="",
        allow_blank=True,
        help_text="how annotators see outputs; “”: as the file suggests",
    )
    input_form = serializers.ChoiceField(choices=list(OF_INPUTS), default="", allow_blank=True)
    shows_input = serializers.BooleanField(
        default=None,
        allow_null=True,
        help_text="whether the input stands beside the output; null: in comparisons",
    )
    shows_reference = serializers.BooleanField(
        default=DEFAULTS.shows_reference,
        help_text="whether the reference stands beside the output; it biases judgments",
    )
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
    join_names = FlagField(
        default=DEFAULTS.join_names,
        help_text="names that look alike are of one system or item, which gets the first of them",
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


class ColumnsField(ObjectField):
    """What each column is: as in the menus of the page."""

    example = '{"text_no": "item", "who": "system", "says": "output", "note": ""}'
    child = serializers.CharField(allow_blank=True)


class ImportedPlanSerializer(PlanSerializer):
    """A plan with what comes with its file."""

    columns = ColumnsField(
        default=dict,
        help_text="column -> what it is: " + ", ".join(filter(None, ROLES)) + "; “”: not used",
    )


class JsonImportSerializer(ImportedPlanSerializer):
    """A plan with its rows. Errors name a row by its position in the list, from 1, as `line`."""

    outputs = RowList()


class FilesField(serializers.ListField):
    """One file, or several: a file a system, or text files of one output a line."""

    child = serializers.FileField(allow_empty_file=True)

    def to_internal_value(self, data: Any) -> Any:
        return together(super().to_internal_value(data))


class FileImportSerializer(ImportedPlanSerializer):
    """A plan with files: JSON, CSV, .xlsx, Parquet or text, also .gz or .zip, and metrics (CSV)."""

    file = FilesField(allow_empty=False)
    metrics_file = serializers.FileField(required=False, allow_empty_file=True)


class BoundMetricsSerializer(RequestSerializer):
    reason = serializers.CharField(
        max_length=LONGEST_REASON, help_text="why; the log and the export keep it"
    )


# Imports in progress: their progress, the errors of a file, and cancelling.


class ImportSerializer(serializers.Serializer[Any]):
    """A file that becomes a campaign; `campaign` is set once it exists."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField(source="plan.name")
    status = serializers.ChoiceField(choices=ImportStatus.choices)
    done = serializers.IntegerField(help_text="bytes while reading, items while creating")
    total = serializers.IntegerField(help_text="0 while it is unknown")
    campaign = serializers.SerializerMethodField()
    refusal = serializers.SerializerMethodField()
    notices = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_campaign(self, row: Any) -> str | None:
        return row.campaign.public_id if row.campaign and row.status == ImportStatus.DONE else None

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": {}})
    def get_refusal(self, row: Any) -> dict[str, Any] | None:
        return refusal_as_data(campaigns_imports.refusal_of(row)) if row.problems else None

    def get_notices(self, row: Any) -> list[str]:
        return campaigns_imports.notices_of(row)


class ImportViewSet(BoundedView, ListModelMixin, GenericViewSet[Any]):
    """The imports that the user has started."""

    serializer_class = ImportSerializer
    pagination_class = NewestFirst
    lookup_url_kwarg = "import_id"
    lookup_value_regex = "[0-9a-z]+"

    def get_queryset(self) -> QuerySet[Any]:
        mine = CampaignImport.objects.filter(owner=self.request.user.pk or 0)
        return mine.select_related("campaign")

    def retrieve(self, request: Request, import_id: str) -> Response:
        return self._shown(access.own_import(request.user, import_id))

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, import_id: str) -> Response:
        """Cancel it and remove its stored data. Refused (409) once it is a campaign."""
        of = access.own_import(request.user, import_id)
        campaigns_imports.cancel(of, actor_id=_user(request))
        return self._shown(of)

    def _shown(self, of: Any) -> Response:
        return Response(ImportSerializer(of).data)


# The links by which annotators come to a campaign.


class PersonalLinkSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    link = serializers.CharField()


class AnnotatorLinksSerializer(serializers.Serializer[Any]):
    open = serializers.CharField(
        help_text="for everybody: whoever has it can judge; empty where experts are named"
    )
    personal = PersonalLinkSerializer(many=True)


class PeopleNamesSerializer(RequestSerializer):
    names = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), min_length=1, max_length=MOST_NAMES
    )


class LinksView(BoundedView):
    @extend_schema(responses=AnnotatorLinksSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """Show the link for everybody."""
        return _shown(access.visible(request.user, public_id))

    @extend_schema(request=PeopleNamesSerializer, responses=AnnotatorLinksSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Make links for people by name or code. Nothing is stored, so it can be repeated."""
        campaign = access.reviewable(request.user, public_id)
        members.ask_unnamed(campaign)
        return _shown(campaign, validated(PeopleNamesSerializer(data=request.data))["names"])


class WithdrawLinksView(BoundedView):
    @takes_no_fields(responses=AnnotatorLinksSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Make a new link: the earlier ones, personal ones too, let nobody in any more."""
        campaign = access.run(request.user, public_id)
        members.ask(campaign)
        campaigns_amendments.withdraw_links(campaign.pk, actor_id=_user(request))
        campaign.refresh_from_db(fields=["links_number"])
        return _shown(campaign)


def _shown(campaign: Any, names: list[str] | tuple[()] = ()) -> Response:
    members.ask(access.made_here(campaign))
    tidy = dict.fromkeys(" ".join(name.split()) for name in names)
    personal = [{"name": name, "link": members.links_of(campaign, name)} for name in tidy if name]
    common = "" if campaign.named_experts else members.links_of(campaign)
    found = {"open": common, "personal": personal}
    return Response(AnnotatorLinksSerializer(found).data)


class ExpertSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    link = serializers.CharField(help_text="their own; empty of one who was released")
    released_at = serializers.DateTimeField(allow_null=True)


class ReleaseSerializer(RequestSerializer):
    name = serializers.CharField(max_length=LONGEST_NAME)
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="for the log")
    replacement = serializers.CharField(
        max_length=LONGEST_NAME,
        default="",
        allow_blank=True,
        help_text="a new expert, who begins at the first item; empty: the others go on",
    )


class ExpertsView(BoundedView):
    @extend_schema(responses=ExpertSerializer(many=True))
    def get(self, request: Request, public_id: str) -> Response:
        """Show the named experts with their links. Empty where none are named."""
        return _experts(access.run(request.user, public_id))


class ReleaseExpertView(BoundedView):
    @extend_schema(request=ReleaseSerializer, responses=ExpertSerializer(many=True))
    def post(self, request: Request, public_id: str) -> Response:
        """Release an expert, whose judgments then do not count, or name another one instead."""
        campaign = access.run(request.user, public_id)
        given = validated(ReleaseSerializer(data=request.data))
        experts.release(campaign.pk, **given, actor_id=_user(request))
        return _experts(campaign)


def _experts(campaign: Campaign) -> Response:
    return Response(ExpertSerializer(members.experts(campaign), many=True).data)


# What annotators read of a campaign, and its amendments.


class TextAmendmentSerializer(serializers.Serializer[Any]):
    """One change after the opening; `changes`: name -> [was, now]."""

    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="“” for a command")
    why = serializers.CharField()
    changes = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))


class ConsentVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField(help_text="“” while there was none")
    until = serializers.DateTimeField(allow_null=True, help_text="null: it holds now")
    people = serializers.IntegerField(source="n_people", help_text="who accepted it")


class TextsSerializer(serializers.Serializer[Any]):
    """The texts in use. `revision` changes with any of them."""

    public_title = serializers.CharField()
    public_about = serializers.CharField(help_text="“”: the instrument's own sentence")
    contact = serializers.CharField()
    instructions = serializers.CharField()
    consent = serializers.CharField()
    revision = serializers.CharField()
    consents = ConsentVersionSerializer(many=True, help_text="newest first")
    amendments = TextAmendmentSerializer(many=True, help_text="newest first")


class PublicWordsSerializer(RequestSerializer):
    """What annotators read in place of the name. A field that is left out does not change.

    `texts/` changes the other texts too.
    """

    public_title = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_TITLE, help_text=TITLE
    )
    public_about = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_ABOUT, help_text=ABOUT
    )
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_REASON, help_text=NEEDED
    )


class ChangeTextsSerializer(PublicWordsSerializer):
    """Texts to change; others stay. `revision`: as it was read, so that nothing newer is lost."""

    contact = serializers.EmailField(required=False, allow_blank=True)
    instructions = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST["instructions"]
    )
    consent = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST["consent"],
        help_text="a changed text is asked of everybody again before their next task",
    )
    revision = serializers.CharField(default="", allow_blank=True, max_length=64)


class TextsView(BoundedView):
    """What annotators read of a campaign."""

    @extend_schema(responses=TextsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        return _texts_of(access.visible(request.user, public_id))

    @extend_schema(request=ChangeTextsSerializer, responses=TextsSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Change some texts; after the opening with a reason. A stale `revision`: 409."""
        campaign = access.run(request.user, public_id)
        given = dict(validated(ChangeTextsSerializer(data=request.data)))
        campaigns_amendments.change_texts(
            campaign.pk,
            actor_id=_user(request),
            reason=given.pop("reason"),
            seen=given.pop("revision"),
            given=given,
        )
        return _texts_of(access.visible(request.user, public_id))


def _texts_of(campaign: Any) -> Response:
    now = studies_queries.amended_texts_of(campaign)
    found = {
        **asdict(now),
        "revision": now.revision,
        "consents": studies_queries.consents(campaign),
        "amendments": studies_queries.amended(campaign.pk),
    }
    return Response(TextsSerializer(found).data)


# Campaigns: list, show, import, open, pause, close, and their judgments.


IMPORT = {"multipart/form-data": FileImportSerializer, "application/json": JsonImportSerializer}


class CampaignViewSet(BoundedView, ListModelMixin, GenericViewSet[Campaign]):
    """The campaigns that the user owns or reviews; others do not exist (404)."""

    own_keys = ("create",)
    serializer_class = CampaignSerializer
    pagination_class: type[ById] = NewestFirst
    parser_classes = [ImportParser, MultiPartParser]
    queryset = Campaign.objects.none()
    lookup_field = "public_id"
    lookup_value_regex = "[0-9a-z]+"

    def get_queryset(self) -> QuerySet[Campaign]:
        """Select the campaigns of the user's memberships, with role, counts and spending."""
        user, mine = self.request.user.pk, OuterRef("pk")
        last = Batch.objects.filter(campaign=mine).order_by("-pk")
        role = Membership.objects.filter(campaign=mine, user=user).values("role")
        return (
            Campaign.objects.filter(memberships__user=user)
            .annotate(
                role=Subquery(role),
                advice=Subquery(NextStep.objects.filter(campaign=mine).values("title")),
                last_tasks=Subquery(last.values("tasks")[:1]),
                judged=progress.judged_of(),
                spent=tallies.spent_of(),
            )
            .select_related("totals")
            .prefetch_related("targets", "systems")
        )

    def body_limit(self) -> int:
        return settings.UPLOAD_LIMIT if self.action == "create" else super().body_limit()

    def retrieve(self, request: Request, public_id: str) -> Response:
        return self._shown(access.visible(request.user, public_id))

    @extend_schema(
        request=IMPORT,
        responses={200: ImportedSerializer, 201: ImportedSerializer, 202: ImportSerializer},
    )
    def create(self, request: Request) -> Response:
        """Import a campaign as a draft, completely or not at all.

        More than a megabyte is imported by a worker: 202, with the address of the import. A
        repeated request with the same key answers 200 once the campaign exists.
        """
        plan, given, key = _import(request)
        made, is_new = campaigns_imports.at_once(plan, **given, owner_id=_user(request), key=key)
        if made.status == ImportStatus.DONE and made.campaign:
            shown = self._shown(made.campaign, status=201 if is_new else 200)
            shown.data["notices"] = campaigns_imports.notices_of(made)
            return shown
        address = reverse("api-import-detail", args=[made.public_id], request=request)
        return Response(ImportSerializer(made).data, status=202, headers={"Location": address})

    @extend_schema(request=PublicWordsSerializer, responses=CampaignSerializer)
    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change what annotators read in place of the name: the title, the sentence, or both."""
        campaign = access.run(request.user, public_id)
        given = dict(validated(PublicWordsSerializer(data=request.data)))
        reason = given.pop("reason")
        campaigns_amendments.change_texts(
            campaign.pk, given, actor_id=_user(request), reason=reason
        )
        return self._shown(campaign)

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def open(self, request: Request, public_id: str) -> Response:
        """Start collecting, or continue after a pause."""
        return self._act(request, public_id, life.open_)

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, public_id: str) -> Response:
        """Lease no new work; work in progress may still be submitted."""
        return self._act(request, public_id, life.pause)

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def close(self, request: Request, public_id: str) -> Response:
        """End collecting by hand: gaps are finished, then the final estimate follows."""
        campaign = access.run(request.user, public_id)
        if not life.close(campaign.pk, Campaign.Reason.HAND, actor_id=_user(request)):
            raise Conflict("Only a campaign that is open or paused can be closed.")
        return self._shown(campaign)

    @extend_schema(request=BoundMetricsSerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"], url_path="bound-metrics", url_name="bound-metrics")
    def bound_metrics(self, request: Request, public_id: str) -> Response:
        """Let metrics enter estimates bounded, in a campaign that opened before they did.

        The reason is kept in the log. Without effect where they do already.
        """
        campaign = access.run(request.user, public_id)
        why = validated(BoundMetricsSerializer(data=request.data))["reason"]
        campaigns_amendments.bound(campaign.pk, actor_id=_user(request), why=why)
        return self._shown(campaign)

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def archive(self, request: Request, public_id: str) -> Response:
        """Put a draft or a closed campaign away for good; its numbers and judgments stay."""
        return self._act(request, public_id, life.archive)

    @takes_no_fields(responses={204: None})
    @action(detail=True, methods=["post"], url_path="delete", url_name="delete")
    def remove(self, request: Request, public_id: str) -> Response:
        """Delete a draft: its texts and its plan, for all its members. Only owners may."""
        campaign = access.owned(request.user, public_id)
        creating.delete(campaign.pk, actor_id=_user(request))
        return Response(status=204)

    @extend_schema(responses=JudgmentSerializer(many=True))
    @action(detail=True, pagination_class=ById, serializer_class=JudgmentSerializer)
    def judgments(self, request: Request, public_id: str) -> Response:
        """List all judgments with the whole answers, in order of arrival."""
        campaign = access.with_results(request.user, public_id)
        asked = studies_queries.instrument_of(campaign)
        with_texts = instruments_base.are_taken(asked)
        rows = judgment_rows(campaign, with_texts=with_texts, ranks=asked.ranks)
        page = self.paginate_queryset(cast(Any, rows))
        context = {
            "with_texts": with_texts,
            "form": campaign.output_form,
            "ranks": asked.ranks,
            "awaited": progress.awaited(campaign),
        }
        shown = JudgmentSerializer(page, many=True, context=context)
        return self.get_paginated_response(shown.data)

    def _act(self, request: Request, public_id: str, act: Callable[..., None]) -> Response:
        campaign = access.run(request.user, public_id)
        act(campaign.pk, actor_id=_user(request))
        return self._shown(campaign)

    def _shown(self, campaign: Campaign, *, status: int = 200) -> Response:
        row = self.get_queryset().get(pk=campaign.pk)
        return Response(CampaignSerializer(row).data, status=status)


def _import(request: Request) -> tuple[Plan, dict[str, Any], str]:
    """Return the plan, its files, and the key of the request."""
    if (request.content_type or "").startswith("application/json"):
        given = validated(JsonImportSerializer(data=request.data))
        files = {"outputs": given.pop("outputs"), "metrics": None}
    else:
        given = validated(FileImportSerializer(data=request.data))
        files = {"outputs": given.pop("file"), "metrics": given.pop("metrics_file", None)}
    files["columns"] = said(columns) if (columns := given.pop("columns")) else None
    key = given.pop("key")
    if not key and (named := request.headers.get(tokens.FIELD)):
        tokens.check(named)
        key = tokens.digest(named.encode())[:40]
    lists = {name: tuple(given[name]) for name in ("metrics", "gold", "experts")}
    return Plan(**given | lists), files, key or uuid4().hex


def _user(request: Request) -> int:
    return cast(User, request.user).pk
