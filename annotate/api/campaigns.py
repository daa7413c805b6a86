"""Campaigns: list, look, import, open, pause, close, and their judgments."""

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotate import permissions
from annotate.api import queries
from annotate.api.base import BoundedView, ById, NewestFirst, validated
from annotate.api.serializers import (
    CampaignSerializer,
    FileImportSerializer,
    JsonImportSerializer,
    JudgmentSerializer,
    as_lines,
)
from annotate.errors import Conflict
from annotate.models import Campaign
from annotate.services import campaigns, ingest, upload
from annotate.services.plans import Plan
from annotate.services.upload import Row

IMPORT = {"multipart/form-data": FileImportSerializer, "application/json": JsonImportSerializer}


class CampaignViewSet(BoundedView, ListModelMixin, GenericViewSet[Campaign]):
    """The campaigns that the user owns or reviews; others do not exist (404)."""

    serializer_class = CampaignSerializer
    pagination_class: type[ById] = NewestFirst
    parser_classes = [JSONParser, MultiPartParser]
    queryset = Campaign.objects.none()
    lookup_field = "public_id"
    lookup_value_regex = "[0-9a-z]+"

    def get_queryset(self) -> QuerySet[Campaign]:
        return queries.campaigns(self.request.user)

    def body_limit(self) -> int:
        return settings.UPLOAD_LIMIT if self.action == "create" else super().body_limit()

    def retrieve(self, request: Request, public_id: str) -> Response:
        return self._shown(permissions.visible(request.user, public_id))

    @extend_schema(request=IMPORT, responses={201: CampaignSerializer})
    def create(self, request: Request) -> Response:
        """Import a campaign, as a draft: whole, or not at all."""
        plan, rows = _import(request)
        made = ingest.create(plan, rows, owner_id=cast(User, request.user).pk)
        return self._shown(made, status=201)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def open(self, request: Request, public_id: str) -> Response:
        """Start collecting, or go on after a pause."""
        return self._act(request, public_id, campaigns.open_)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, public_id: str) -> Response:
        """Give out no new work; running work may still be submitted."""
        return self._act(request, public_id, campaigns.pause)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, public_id: str) -> Response:
        """End collecting by hand: gaps are finished, then the final estimate follows."""
        return self._act(request, public_id, _close)

    @extend_schema(responses=JudgmentSerializer(many=True))
    @action(detail=True, pagination_class=ById, serializer_class=JudgmentSerializer)
    def judgments(self, request: Request, public_id: str) -> Response:
        """All judgments in the order of their arrival."""
        campaign = permissions.with_results(request.user, public_id)
        page = self.paginate_queryset(cast(Any, queries.judgments(campaign)))
        return self.get_paginated_response(JudgmentSerializer(page, many=True).data)

    def _act(self, request: Request, public_id: str, act: Callable[..., None]) -> Response:
        campaign = permissions.owned(request.user, public_id)
        act(campaign.pk, actor_id=cast(User, request.user).pk)
        return self._shown(campaign)

    def _shown(self, campaign: Campaign, *, status: int = 200) -> Response:
        row = self.get_queryset().get(pk=campaign.pk)
        return Response(CampaignSerializer(row).data, status=status)


def _close(campaign_id: int, *, actor_id: int) -> None:
    if not campaigns.close(campaign_id, Campaign.Reason.HAND, actor_id=actor_id):
        raise Conflict("Only a campaign that is open or paused can be closed.")


def _import(request: Request) -> tuple[Plan, list[Row]]:
    if (request.content_type or "").startswith("application/json"):
        given = validated(JsonImportSerializer(data=request.data))
        rows = upload.read(as_lines(given.pop("outputs")))
        return _plan(given), rows
    given = validated(FileImportSerializer(data=request.data))
    rows = upload.read(given.pop("file"))
    if metrics := given.pop("metrics_file", None):
        rows = upload.read_metrics(metrics, rows)
    return _plan(given), rows


def _plan(given: dict[str, Any]) -> Plan:
    return Plan(**given | {"metrics": tuple(given["metrics"])})
