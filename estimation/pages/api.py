"""Numbers of a campaign as JSON: estimates, decisions, log, effects, plan, ranking, report."""

from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Model, Prefetch, QuerySet
from django.forms import ChoiceField, Field, IntegerField
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import exports
from annotate.campaigns import lists as campaigns_lists
from annotate.common import access
from annotate.common import api as common_api
from annotate.common import lists as common_lists
from annotate.common.api import BoundedView, ById, Finite, check_names
from annotate.common.errors import Invalid, NotFound
from annotate.pay import budget as pay_budget
from annotate.review import queries as review_queries
from annotate.review.effects import ExcludedCounts, Reason, RulingStatistics
from estimation import read, stopping
from estimation.export import EXPORTS_EVIDENCE, EXPORTS_INTERVAL, EXPORTS_METHOD
from estimation.models import Agreement, Comparison, Decision, Estimate, Inference, MetricScore
from estimation.pages import criteria, dashboard, numbers, planning
from estimation.pages import report as pages_report
from estimation.pages.criteria import RankedPair, ShownCell, cell_off_scale
from estimation.pages.numbers import Ranking, Sensitivity, ShownAgreement, SystemPlace
from estimation.pages.planning import GOALS, PlanForm, initial
from estimation.pages.report import CampaignReport
from estimation.pages.views import zipped

Row = TypeVar("Row", bound=Inference)


def of_detail(
    name: str, help_text: str, kind: type[serializers.Field[Any, Any, Any, Any]] = Finite
) -> Any:
    """Return the field of a number, or a word, that is a part of a row's detail."""
    return kind(
        source=f"detail.{name}", default=None, allow_null=True, read_only=True, help_text=help_text
    )


class SavingSerializer(serializers.Serializer[criteria.Saving]):
    """Judgments saved by the metrics compared with the plain mean; null, with why, if none."""

    judgments = serializers.IntegerField(allow_null=True)
    share = Finite(allow_null=True)
    money = serializers.DecimalField(12, 2, allow_null=True, help_text="fees included")
    why = serializers.CharField(allow_blank=True)


class InferenceSerializer(serializers.ModelSerializer[Row]):
    """The common fields of estimates and comparisons: level, interval, annotators, decision."""

    level = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    df = Finite(allow_null=True)
    std_error = Finite(allow_null=True)
    effective_annotators = Finite(allow_null=True)
    off_scale = serializers.SerializerMethodField(
        help_text="whether the estimate or the middle of its interval lies off the scale: it is "
        "wrong then, and stops nothing"
    )
    metric_transform = of_detail(
        "metric_transform",
        "how the metrics entered: normal_scores, signed_scores (pairs of texts) or raw; "
        "null without metrics, and in rows of before the rule",
        serializers.CharField,
    )
    outcome = of_detail(
        "outcome",
        "in a ranking of pairs: first, second (the higher one), close or open; else null",
        serializers.CharField,
    )

    def get_off_scale(self, row: Row) -> bool:
        return cell_off_scale(row.detail)


class WithExcludedSerializer(serializers.Serializer[Any]):
    """The same estimate including the excluded work."""

    estimate = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    n_judgments = serializers.IntegerField()


class EstimateSerializer(InferenceSerializer[Estimate]):
    """One system × criterion at one moment, with the plain mean for comparison."""

    system = serializers.CharField(source="system.name")
    estimate = Finite(allow_null=True)
    mean_estimate = Finite(allow_null=True)
    mean_low = Finite(allow_null=True)
    mean_high = Finite(allow_null=True)
    with_excluded = serializers.SerializerMethodField(
        help_text="null where nothing is excluded; `estimate` itself is without excluded work"
    )
    saving = serializers.SerializerMethodField()

    class Meta:
        model = Estimate
        fields = (
            *("id", "system", *EXPORTS_METHOD, "estimate", *EXPORTS_INTERVAL),
            *("mean_estimate", "mean_low", "mean_high", *EXPORTS_EVIDENCE, "n_unfinished"),
            *("off_scale", "metric_transform", "outcome", "with_excluded", "saving", "detail"),
        )
        read_only_fields = fields

    @extend_schema_field(WithExcludedSerializer(allow_null=True))
    def get_with_excluded(self, row: Estimate) -> dict[str, Any] | None:
        found = row.detail.get("with_excluded")
        return dict(WithExcludedSerializer(found).data) if found else None

    @extend_schema_field(SavingSerializer)
    def get_saving(self, row: Estimate) -> dict[str, Any]:
        if not row.metrics:
            found = criteria.NO_METRIC
        else:
            found = criteria.of_estimate(row, price=self.context["price"])
        return dict(SavingSerializer(found).data)


class ComparisonSerializer(InferenceSerializer[Comparison]):
    """The paired difference of two systems, `first` minus `second`, on one criterion."""

    first = serializers.CharField(source="first.name")
    second = serializers.CharField(source="second.name")
    difference = Finite(allow_null=True)

    class Meta:
        model = Comparison
        fields = (
            *("id", "first", "second", *EXPORTS_METHOD, "difference", *EXPORTS_INTERVAL),
            *(*EXPORTS_EVIDENCE, "off_scale", "metric_transform", "outcome", "detail"),
        )
        read_only_fields = fields


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """A stopping rule's act, with the ids of the estimates and comparisons that caused it."""

    system = serializers.CharField(source="system.name", default=None, allow_null=True)
    estimates: Any = serializers.PrimaryKeyRelatedField(many=True, read_only=True)
    comparisons: Any = serializers.PrimaryKeyRelatedField(
        many=True, read_only=True, help_text="of a ranking"
    )

    class Meta:
        model = Decision
        fields = ("id", "at", "verb", "reason", "text", "system", "estimates", "comparisons")
        read_only_fields = fields


class MetricScoreSerializer(serializers.ModelSerializer[MetricScore]):
    """The value of an automatic metric for an output."""

    output = serializers.IntegerField(source="output_id")
    item = serializers.CharField(source="output.item.key")
    systems = serializers.SerializerMethodField()
    value = Finite()

    class Meta:
        model = MetricScore
        fields = ("id", "output", "item", "systems", "metric", "version", "value")
        read_only_fields = fields

    def get_systems(self, row: MetricScore) -> list[str]:
        return [authorship.system.name for authorship in row.output.authorships.all()]


class WithoutSerializer(serializers.Serializer[Any]):
    """Alpha without this annotator, who is shown by pseudonym."""

    annotator = serializers.CharField()
    alpha = Finite(allow_null=True)
    shared = serializers.IntegerField(help_text="their judgments of outputs that others judged too")


class AgreementSerializer(serializers.ModelSerializer[Agreement]):
    """Krippendorff's alpha of one criterion, and its basis."""

    alpha = Finite(allow_null=True)
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    level = Finite()
    observed = of_detail("observed", "how often two judgments of an output are equal")
    by_chance = of_detail("by_chance", "how often two judgments of any outputs are equal")
    icc = of_detail("icc", "ICC(1,1), one-way, single judgments")
    fleiss_kappa = of_detail("fleiss_kappa", "null where scores have no levels")
    why = serializers.SerializerMethodField(help_text="why there is no alpha")
    without = serializers.SerializerMethodField(
        help_text="alpha without each of the 100 people who change it most, in this order"
    )

    class Meta:
        model = Agreement
        fields = (
            *("id", "criterion", "at", "distance", "level", "alpha", "low", "high", "n_outputs"),
            *("n_judgments", "n_annotators", "observed", "by_chance", "icc", "fleiss_kappa"),
            *("why", "without"),
        )
        read_only_fields = fields

    def get_why(self, row: Agreement) -> str:
        return str(row.detail.get("why", ""))

    @extend_schema_field(WithoutSerializer(many=True))
    def get_without(self, row: Agreement) -> list[dict[str, Any]]:
        return [dict(WithoutSerializer(one).data) for one in row.detail.get("without", [])]


# Numbers about a campaign: estimates, and the decisions of stopping rules.


NumberRow = TypeVar("NumberRow", bound=Model)

HISTORY = OpenApiParameter(
    "history", OpenApiTypes.BOOL, description="1: the whole history, the oldest first"
)


class ResultsView(BoundedView, ListAPIView[NumberRow]):
    """A list of results, for users who may see the campaign's."""

    pagination_class = ById

    @cached_property
    def campaign(self) -> Any:
        return access.with_results(self.request.user, self.kwargs["public_id"])


class HistoryView(ResultsView[NumberRow]):
    """The newest results, or with `history=1` all."""

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_queryset(self) -> QuerySet[NumberRow]:
        if self.request.query_params.get("history", "0") in ("1", "true"):
            return super().get_queryset().filter(campaign=self.campaign)
        return self.newest()

    def newest(self) -> QuerySet[NumberRow]:
        raise NotImplementedError


class EstimateList(HistoryView[Estimate]):
    """The newest estimate of every system × criterion, or with `history=1` the whole history."""

    serializer_class = EstimateSerializer
    queryset = Estimate.objects.select_related("system")

    def get_serializer_context(self) -> dict[str, Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema request has no campaign
            return {**super().get_serializer_context()}
        return {
            **super().get_serializer_context(),
            "price": pay_budget.cost_of_judgment(self.campaign),
        }

    def newest(self) -> QuerySet[Estimate]:
        return read.newest([self.campaign.pk]).select_related("system")


class ComparisonList(HistoryView[Comparison]):
    """Paired differences of systems on the primary criteria: the newest, or all with `history=1`.

    Each interval is valid for its own pair. Stopping when one of them excludes 0 is not a valid
    stopping rule. In a ranking all intervals are valid together, at every look.
    """

    serializer_class = ComparisonSerializer
    queryset = Comparison.objects.select_related("first", "second")

    def newest(self) -> QuerySet[Comparison]:
        return read.newest_comparisons([self.campaign.pk]).select_related("first", "second")


class AgreementList(HistoryView[Agreement]):
    """The agreement on each criterion: the newest, or with `history=1` the whole history."""

    serializer_class = AgreementSerializer
    queryset = Agreement.objects.all()

    def newest(self) -> QuerySet[Agreement]:
        return read.newest_agreement(self.campaign.pk)


class MetricList(ResultsView[MetricScore]):
    """The values of automatic metrics for all outputs."""

    serializer_class = MetricScoreSerializer
    queryset = MetricScore.objects.none()

    def get_queryset(self) -> QuerySet[MetricScore]:
        rows = MetricScore.objects.filter(campaign=self.campaign).select_related("output__item")
        named = rows.only("metric", "version", "value", "output", "output__item__key")
        return named.prefetch_related("output__authorships__system")


class ExportView(BoundedView):
    """The whole campaign as one zip: texts, judgments and all numbers; its README explains it."""

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        return zipped(access.with_results(request.user, public_id).public_id)


class DecisionList(ResultsView[Decision]):
    """The acts of stopping rules, the oldest first."""

    serializer_class = DecisionSerializer
    queryset = Decision.objects.none()

    def get_queryset(self) -> QuerySet[Decision]:
        rows = Decision.objects.filter(campaign=self.campaign)
        return rows.select_related("system").prefetch_related(
            Prefetch("estimates", Estimate.objects.order_by("id")),
            Prefetch("comparisons", Comparison.objects.order_by("id")),
        )


# The log of a campaign, as JSON: who did what, and when.


PARTS = dict.fromkeys(dashboard.PARTS, "")


class ActSerializer(serializers.Serializer[Any]):
    """One act. What it says of money and people is what all who see results may read."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(
        source="who",
        allow_blank=True,
        help_text="empty for what Plumbline does automatically, and for commands",
    )
    verb = serializers.CharField(help_text="the kind of act, such as `open`, for programs")
    text = serializers.SerializerMethodField(help_text="what the actor did, in English")

    def get_text(self, one: Any) -> str:
        return dashboard.sentence(one)


class ActivityView(BoundedView):
    @extend_schema(
        operation_id="campaigns_activity_list",
        responses=common_api.shape(ActSerializer, "Activity"),
        parameters=common_api.parameters((), list(PARTS)),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the acts of people, and automatic ones that are not routine, the newest first."""
        campaign = access.with_results(request.user, public_id)
        wanted = common_api.asked(request, sorts={}, choices=PARTS)
        _name, verbs = dashboard.PARTS[wanted.choice]
        acts = exports.acts_of(campaign.pk, verbs=verbs)
        found, rows = common_lists.page_beside(acts, ("-pk",), wanted)
        return common_api.answer(request, found, ActSerializer(rows, many=True).data)


# The effect of exclusions, as JSON: counts, and every primary estimate with and without them.


class ShiftSerializer(serializers.Serializer[stopping.ExclusionEffect]):
    """One primary criterion; the systems are not named."""

    criterion = serializers.CharField()
    estimates = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="estimates of which no judgment is left")
    shift = Finite(allow_null=True, help_text="the largest change, without its sign")
    share = Finite(allow_null=True, help_text="the same in half-widths of the interval")


class ExclusionEffectSerializer(serializers.Serializer[Any]):
    final_from = serializers.DateTimeField(allow_null=True, help_text="null: an appeal is open")
    effects = ShiftSerializer(
        many=True, allow_null=True, help_text="null until the ruling is final, or none is in force"
    )


class EffectView(BoundedView):
    """The effect of this annotator's exclusion on the estimates, once it is final."""

    @extend_schema(responses=ExclusionEffectSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = access.reviewable(request.user, public_id)
        case = review_queries.case(campaign, pseudonym)
        if case is None:
            raise NotFound("No annotator of this name has entered this campaign.")
        shown = case.shows_effect
        found = stopping.measure(*case.person) if shown else None
        body = {"final_from": case.final_from, "effects": found}
        return Response(ExclusionEffectSerializer(body).data)


class ReasonSerializer(serializers.Serializer[Reason]):
    screen = serializers.CharField(help_text="`by_hand` where no screen fired")
    annotators = serializers.IntegerField()
    judgments = serializers.IntegerField()


class ExcludedSerializer(serializers.Serializer[ExcludedCounts]):
    """How much is excluded now. One annotator may be counted for several screens."""

    judgments = serializers.IntegerField()
    annotators = serializers.IntegerField()
    reasons = ReasonSerializer(many=True)


class WithoutExcludedSerializer(WithExcludedSerializer):
    """The reported estimate, without excluded work."""


class ComparedSerializer(serializers.Serializer[ShownCell]):
    """A primary estimate without and with excluded work; null where there is none."""

    system = serializers.CharField(source="system.name")
    criterion = serializers.CharField(source="criterion.name")
    without = WithoutExcludedSerializer(source="row", allow_null=True)
    with_excluded = WithExcludedSerializer(source="whole", allow_null=True)
    shift = Finite(allow_null=True)
    moves = serializers.BooleanField(help_text="by more than the interval's half-width")


class ConductSerializer(serializers.Serializer[RulingStatistics]):
    """How the rulings that decide whether work counts were made."""

    rulings = serializers.IntegerField()
    blind = serializers.IntegerField(help_text="by people who could not and never had seen results")
    looked = serializers.IntegerField(help_text="not blind, by people who had looked at results")
    looks = serializers.IntegerField(
        help_text="how often people who ruled looked at results, once between two rulings"
    )
    undone = serializers.IntegerField(help_text="exclusions that were reversed")
    undone_looked = serializers.IntegerField(
        help_text="by people who had looked at results since the exclusion"
    )
    undone_late = serializers.IntegerField(help_text="after the exclusion was final")
    again = serializers.IntegerField(help_text="exclusions of people excluded before")
    own_appeals = serializers.IntegerField(
        help_text="appeals answered by the person whose ruling they were against"
    )
    unopened = serializers.IntegerField(
        help_text="by people who had not opened the annotator's case since its newest flag"
    )


class SensitivitySerializer(serializers.Serializer[Sensitivity]):
    excluded = ExcludedSerializer()
    rulings = ConductSerializer(source="conduct")
    summary = serializers.CharField()
    estimates = ComparedSerializer(source="rows", many=True)


class SensitivityView(BoundedView):
    """Every primary estimate with and without the excluded work, and how much is excluded."""

    @extend_schema(responses=SensitivitySerializer)
    def get(self, request: Request, public_id: str) -> Response:
        campaign = access.with_results(request.user, public_id)
        found = numbers.sensitivity_of(campaigns_lists.facts(campaign))
        return Response(SensitivitySerializer(found).data)


# A plan of a collection as JSON: the numbers of the page Plan and of `manage.py plan`.


class RangeSerializer(serializers.Serializer[Any]):
    """The mean of the drawn campaigns, and the range of 8 of 10."""

    expected = Finite()
    low = Finite()
    high = Finite()


class TargetSerializer(serializers.Serializer[Any]):
    target_width = Finite()
    judgments = RangeSerializer()
    items = RangeSerializer(help_text="of each system")
    annotators = RangeSerializer()
    cost = RangeSerializer(help_text="with fees, bonuses, and tutorials that people fail")
    hours = RangeSerializer(allow_null=True, help_text="of work")
    days = RangeSerializer(allow_null=True, help_text="of collecting")
    stop_probability = Finite(help_text="that one system reaches the target")
    all_stop_probability = Finite(help_text="that all of them do")
    floor = Finite(help_text="the width with every item judged by these people")


class ChangeSerializer(serializers.Serializer[Any]):
    change = serializers.CharField()
    target = TargetSerializer(allow_null=True, help_text="null if it is not reached then")


class BudgetSerializer(serializers.Serializer[Any]):
    budget = Finite()
    judgments = serializers.IntegerField()
    cost = Finite()
    width = RangeSerializer(allow_null=True)
    complete = serializers.BooleanField(help_text="everything is judged, and money is left")


class RankingPlanSerializer(serializers.Serializer[Any]):
    margin = Finite()
    pairs = serializers.IntegerField()
    planned_items = serializers.IntegerField()
    settled_items = serializers.IntegerField(
        allow_null=True, help_text="for pairs that are alike, or further apart than the margin"
    )
    slowest_items = serializers.IntegerField(
        allow_null=True, help_text="for pairs that differ by half the margin"
    )


class PairPlanSerializer(serializers.Serializer[Any]):
    preference = Finite(help_text="the true one, counted from a tie")
    decided = Finite(help_text="the probability of a decision before the items run out")
    usual_items = serializers.IntegerField(allow_null=True, help_text="half are decided by then")
    enough_items = serializers.IntegerField(
        allow_null=True, help_text="decided by then with the asked probability"
    )
    judgments = RangeSerializer(help_text="of all pairs, if all are like this")


class PeopleAssumedSerializer(serializers.Serializer[Any]):
    """Who is assumed to judge. Give `pool` to plan for the people that you have."""

    places = serializers.IntegerField(help_text="people at work at a time")
    fewest = serializers.IntegerField(
        allow_null=True, help_text="whom it takes to judge everything; null without a cap"
    )
    why = serializers.CharField()


class PlanAnswerSerializer(serializers.Serializer[Any]):
    """What is asked for is filled in; the rest is null or empty."""

    target = TargetSerializer(allow_null=True)
    budget = BudgetSerializer(allow_null=True)
    ranking = RankingPlanSerializer(allow_null=True)
    pairs = PairPlanSerializer(many=True, help_text="of texts that are judged side by side")
    people_assumed = PeopleAssumedSerializer(
        allow_null=True, help_text="null for a ranking of scores, which a formula plans"
    )
    refused = serializers.CharField(allow_blank=True, help_text="why a target cannot be met")
    reachable = Finite(allow_null=True, help_text="the nearest target that can be met")
    changes = ChangeSerializer(many=True, help_text="of the plan, the cheapest first")


def _parameter(name: str, field: Field) -> OpenApiParameter:
    kinds: dict[type[Field], Any] = {IntegerField: int, ChoiceField: str}
    kind = next((told for of, told in kinds.items() if isinstance(field, of)), float)
    choices = [key for key, _label in field.widget.choices] if kind is str else None
    usual = "" if name in GOALS or field.initial is None else f" {field.initial} by default."
    said = f"{field.label}.{usual} {field.help_text}".strip()
    return OpenApiParameter(name, kind, description=said, enum=choices)


PARAMETERS = [_parameter(name, field) for name, field in PlanForm.base_fields.items()]


class PlanView(BoundedView):
    @extend_schema(operation_id="plan", responses=PlanAnswerSerializer, parameters=PARAMETERS)
    def get(self, request: Request) -> Response:
        """Say what a target width or a ranking takes, or what a budget buys. Nothing is stored.

        Give one of target, margin and money.
        """
        hint = f"A plan is for one of {', '.join(GOALS)}."
        check_names(request, PlanForm.base_fields, hint=hint)
        form = PlanForm(_filled(request))
        if not form.is_valid():
            raise Invalid({name: " ".join(map(str, said)) for name, said in form.errors.items()})
        plan, problem = planning.answer(form.options, form.goals)
        if plan is None:
            raise Invalid({next(name for name, n in form.goals.items() if n is not None): problem})
        return Response(PlanAnswerSerializer(planning.data(plan)).data)


def _filled(request: Request) -> dict[str, Any]:
    """Return what is asked, with the usual values of the page for what is not; no goal is usual."""
    usual = {name: value for name, value in initial().items() if name not in GOALS}
    usual = {name: value for name, value in usual.items() if value is not None}
    return usual | {"estimand": "population", "crowd": "link"} | request.query_params.dict()


# A ranking as JSON: places with ties, what is decided of each pair, and what would settle it.


class PlacedSerializer(serializers.Serializer[SystemPlace]):
    system = serializers.CharField()
    best = serializers.IntegerField(help_text="the best place that it can have, from 1")
    worst = serializers.IntegerField(help_text="the worst: systems that share places are tied")
    place = serializers.CharField(help_text="both in words, such as 2–3")
    estimate = Finite(allow_null=True)
    left = serializers.BooleanField(help_text="nothing more of this system is judged")


class RankedPairSerializer(serializers.Serializer[RankedPair]):
    """Ends and difference are of `first` less `second`; null before there are any.

    Where texts are judged side by side, they are of the preference for `first`, counted from a tie.
    """

    first = serializers.CharField()
    second = serializers.CharField()
    outcome = serializers.CharField(help_text="first, second (the higher one), close or open")
    better = serializers.CharField(allow_blank=True, help_text="the better system, if it is known")
    difference = Finite(source="row.difference", default=None, allow_null=True)
    low = Finite(source="row.low", default=None, allow_null=True)
    high = Finite(source="row.high", default=None, allow_null=True)
    n_items = serializers.IntegerField(source="row.n_items", default=0)
    effective_annotators = Finite(source="row.effective_annotators", default=None, allow_null=True)
    needs = serializers.CharField(
        allow_blank=True, help_text="of an open pair: items, people or neither"
    )
    more_items = serializers.IntegerField(
        allow_null=True, help_text="of each system, if the difference stays as it is"
    )


class RankingSerializer(serializers.Serializer[Ranking]):
    criterion = serializers.CharField(source="criterion.name")
    margin = Finite()
    higher_is_better = serializers.BooleanField(source="criterion.higher_is_better")
    places = PlacedSerializer(many=True, source="placed")
    pairs = RankedPairSerializer(many=True)


class RankingsSerializer(serializers.Serializer[Any]):
    level = Finite(help_text="of all decisions together, at every look")
    planned_items = serializers.IntegerField()
    is_final = serializers.BooleanField()
    rankings = RankingSerializer(many=True, help_text="one for each primary criterion")
    settles = serializers.CharField(allow_blank=True, help_text="what would settle open pairs")


class RankingView(BoundedView):
    """The ranking of a campaign whose `stop_mode` is `ranking`; of others a 404."""

    @extend_schema(responses=RankingsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        facts = campaigns_lists.facts(access.with_results(request.user, public_id))
        if not facts.is_ranking:
            raise NotFound("This campaign is not a ranking: its stopping mode is another one.")
        found = numbers.rankings_of(facts)
        body = {
            "level": facts.level,
            "planned_items": facts.planned_items,
            "is_final": facts.is_final,
            "rankings": found.each,
            "settles": found.settles,
        }
        return Response(RankingsSerializer(body).data)


# The report of a campaign, as JSON.


class ReportedEstimateSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    criterion = serializers.CharField()
    is_primary = serializers.BooleanField(help_text="collection may stop on it")
    estimate = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    target = Finite(allow_null=True, help_text="width")
    n_judgments = serializers.IntegerField()


class ReportedDifferenceSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    criterion = serializers.CharField()
    difference = Finite(help_text="first minus second, paired by item")
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    p_holm = Finite(allow_null=True, help_text="after Holm; null in a ranking")


class ReportedOutcomeSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    outcome = serializers.CharField(help_text="first, second (the higher one), close or open")


class ReportedRankingSerializer(serializers.Serializer[Ranking]):
    criterion = serializers.CharField(source="criterion.name")
    margin = Finite(help_text="the largest difference, or distance from a tie, without meaning")
    places = serializers.DictField(
        source="place_of", child=serializers.CharField(), help_text="by system: 1 or 2–3"
    )
    pairs = ReportedOutcomeSerializer(many=True)


class ReportedAgreementSerializer(serializers.Serializer[ShownAgreement]):
    criterion = serializers.CharField(source="criterion.name")
    alpha = Finite(source="row.alpha", allow_null=True)
    low = Finite(source="row.low", allow_null=True)
    high = Finite(source="row.high", allow_null=True)
    n_outputs = serializers.IntegerField(source="row.n_outputs")


class ReportedPaySerializer(serializers.Serializer[CampaignReport]):
    reward = serializers.DecimalField(source="work.reward", max_digits=8, decimal_places=2)
    bonus = serializers.DecimalField(source="work.bonus", max_digits=8, decimal_places=2)
    seconds = Finite(
        source="work.seconds",
        allow_null=True,
        help_text="active, of one judgment; the median of people",
    )
    hourly = Finite(
        source="work.hourly",
        allow_null=True,
        help_text="an hour of active time; the median of people",
    )
    least = Finite(
        source="work.least",
        allow_null=True,
        help_text="what nine of ten people earned at least, an hour",
    )
    refused = serializers.IntegerField(source="work.refused", help_text="people")
    spent = serializers.DecimalField(
        source="board.progress.spent", max_digits=12, decimal_places=2, help_text="with fees"
    )


class ReportedPeopleSerializer(serializers.Serializer[Any]):
    entered = serializers.IntegerField()
    begun = serializers.IntegerField(help_text="the tutorial")
    passed = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="with judgments that count")


class ReportedAppealsSerializer(serializers.Serializer[Any]):
    made = serializers.IntegerField(source="appeals")
    upheld = serializers.IntegerField()
    waiting = serializers.IntegerField()


class ReportedAmendmentSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    actor = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)
    changes = serializers.DictField(child=serializers.ListField(), help_text="[was, now], by path")


class AnsweredSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    answer = serializers.CharField()
    is_open = serializers.BooleanField(help_text="the researcher has to answer it")


class ReportSerializer(serializers.Serializer[CampaignReport]):
    campaign = serializers.CharField(source="campaign.public_id")
    name = serializers.CharField(source="facts.name")
    at = serializers.DateTimeField()
    is_interim = serializers.BooleanField(help_text="the campaign is not final")
    methods = serializers.ListField(
        source="paragraphs", child=serializers.CharField(), help_text="paragraphs"
    )
    estimates = ReportedEstimateSerializer(many=True)
    differences = ReportedDifferenceSerializer(many=True)
    rankings = ReportedRankingSerializer(
        source="board.ranking.each", many=True, help_text="empty in another mode"
    )
    agreement = ReportedAgreementSerializer(source="agreed", many=True)
    excluded = serializers.CharField(source="board.sensitivity.summary")
    pay = ReportedPaySerializer(source="*")
    people = ReportedPeopleSerializer(source="work")
    times_at = serializers.DateTimeField(
        source="work.at",
        allow_null=True,
        help_text="when seconds, pay for an hour and people who judged were read; null: now",
    )
    appeals = ReportedAppealsSerializer(source="work")
    protocol = serializers.DictField(source="protocol.as_data", allow_null=True)
    protocol_sha256 = serializers.CharField(
        source="digest", allow_blank=True, help_text="empty before the opening"
    )
    amendments = ReportedAmendmentSerializer(many=True)
    checklist = AnsweredSerializer(many=True)


class ReportView(BoundedView):
    """What a reader of the results must know: methods, results, pay, protocol and a checklist."""

    @extend_schema(responses=ReportSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        report = pages_report.build(access.with_results(request.user, public_id))
        return Response(ReportSerializer(report).data)
