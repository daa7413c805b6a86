"""Numbers about a campaign: estimates, and the decisions of stopping rules."""

from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Model, Prefetch, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, ById
from annotate.selectors.pay import budget
from estimation.api.serializers import (
    AgreementSerializer,
    ComparisonSerializer,
    DecisionSerializer,
    EstimateSerializer,
    MetricScoreSerializer,
)
from estimation.models import Agreement, Comparison, Decision, Estimate, MetricScore
from estimation.selectors import agreement, comparisons, history
from estimation.views.export import zipped

Row = TypeVar("Row", bound=Model)

HISTORY = OpenApiParameter(
    "history", OpenApiTypes.BOOL, description="1: the whole history, the oldest first"
)


def _whole_history(request: Request) -> bool:
    return request.query_params.get("history", "0") in ("1", "true")


class ResultsView(BoundedView, ListAPIView[Row]):
    """A list of results, for users who may see the campaign's."""

    pagination_class = ById

    @cached_property
    def campaign(self) -> Any:
        return permissions.with_results(self.request.user, self.kwargs["public_id"])


class EstimateList(ResultsView[Estimate]):
    """The newest estimate of every system × criterion, or with `history=1` the whole history."""

    serializer_class = EstimateSerializer
    queryset = Estimate.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_serializer_context(self) -> dict[str, Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema request has no campaign
            return {**super().get_serializer_context()}
        return {**super().get_serializer_context(), "price": budget.cost_of_judgment(self.campaign)}

    def get_queryset(self) -> QuerySet[Estimate]:
        if _whole_history(self.request):
            rows = Estimate.objects.filter(campaign=self.campaign)
        else:
            rows = history.newest([self.campaign.pk])
        return rows.select_related("system")


class ComparisonList(ResultsView[Comparison]):
    """Paired differences of systems on the primary criteria: the newest, or all with `history=1`.

    Each interval is valid for its own pair. Stopping when one of them excludes 0 is not a valid
    stopping rule. In a ranking all intervals are valid together, at every look.
    """

    serializer_class = ComparisonSerializer
    queryset = Comparison.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_queryset(self) -> QuerySet[Comparison]:
        if _whole_history(self.request):
            rows = Comparison.objects.filter(campaign=self.campaign)
        else:
            rows = comparisons.newest(self.campaign.pk)
        return rows.select_related("first", "second")


class AgreementList(ResultsView[Agreement]):
    """The agreement on each criterion: the newest, or with `history=1` the whole history."""

    serializer_class = AgreementSerializer
    queryset = Agreement.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_queryset(self) -> QuerySet[Agreement]:
        if _whole_history(self.request):
            return Agreement.objects.filter(campaign=self.campaign)
        return agreement.newest(self.campaign.pk)


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
        return zipped(permissions.with_results(request.user, public_id).public_id)


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
