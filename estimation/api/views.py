"""Numbers about a campaign: estimates, and what stopping rules decided."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, ById
from annotate.selectors import costs
from estimation.api.serializers import (
    AgreementSerializer,
    ComparisonSerializer,
    DecisionSerializer,
    EstimateSerializer,
)
from estimation.models import Agreement, Comparison, Decision, Estimate
from estimation.selectors import agreement, comparisons, history

HISTORY = OpenApiParameter(
    "history", OpenApiTypes.BOOL, description="1: all there ever were, the oldest first"
)


def _whole_history(request: Request) -> bool:
    return request.query_params.get("history", "0") in ("1", "true")


class EstimateList(BoundedView, ListAPIView[Estimate]):
    """The newest estimate of every system × criterion, or with `history=1` all of them."""

    serializer_class = EstimateSerializer
    pagination_class = ById
    queryset = Estimate.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_serializer_context(self) -> dict[str, Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema is asked for, not a campaign
            return {**super().get_serializer_context()}
        campaign = permissions.visible(self.request.user, self.kwargs["public_id"])
        return {**super().get_serializer_context(), "price": costs.of_judgment(campaign)}

    def get_queryset(self) -> QuerySet[Estimate]:
        campaign = permissions.visible(self.request.user, self.kwargs["public_id"])
        if _whole_history(self.request):
            rows = Estimate.objects.filter(campaign=campaign)
        else:
            rows = history.newest([campaign.pk])
        return rows.select_related("system")


class ComparisonList(BoundedView, ListAPIView[Comparison]):
    """Paired differences of systems on the primary criteria: the newest, or with `history=1` all.

    Each interval speaks for its own pair; to stop when one of them excludes 0 is no stopping rule.
    """

    serializer_class = ComparisonSerializer
    pagination_class = ById
    queryset = Comparison.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_queryset(self) -> QuerySet[Comparison]:
        campaign = permissions.visible(self.request.user, self.kwargs["public_id"])
        if _whole_history(self.request):
            rows = Comparison.objects.filter(campaign=campaign)
        else:
            rows = comparisons.newest(campaign.pk)
        return rows.select_related("first", "second")


class AgreementList(BoundedView, ListAPIView[Agreement]):
    """How far people agree on each criterion: the newest, or with `history=1` all."""

    serializer_class = AgreementSerializer
    pagination_class = ById
    queryset = Agreement.objects.none()

    @extend_schema(parameters=[HISTORY])
    def get(self, request: Request, public_id: str) -> Response:
        return self.list(request)

    def get_queryset(self) -> QuerySet[Agreement]:
        campaign = permissions.visible(self.request.user, self.kwargs["public_id"])
        if _whole_history(self.request):
            return Agreement.objects.filter(campaign=campaign)
        return agreement.newest(campaign.pk)


class DecisionList(BoundedView, ListAPIView[Decision]):
    """What stopping rules did, the oldest first."""

    serializer_class = DecisionSerializer
    pagination_class = ById
    queryset = Decision.objects.none()

    def get_queryset(self) -> QuerySet[Decision]:
        campaign = permissions.visible(self.request.user, self.kwargs["public_id"])
        rows = Decision.objects.filter(campaign=campaign)
        return rows.select_related("system").prefetch_related("estimates")
