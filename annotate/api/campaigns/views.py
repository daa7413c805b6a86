"""Campaigns: list, show, import, open, pause, close, and their judgments."""

from collections.abc import Callable
from typing import Any, cast
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.viewsets import GenericViewSet

from annotate import permissions
from annotate.api.base import BoundedView, ById, NewestFirst, takes_no_fields, validated
from annotate.api.campaigns import queries
from annotate.api.campaigns.content_serializers import JudgmentSerializer
from annotate.api.campaigns.imports import ImportSerializer
from annotate.api.campaigns.serializers import (
    BoundMetricsSerializer,
    CampaignSerializer,
    FileImportSerializer,
    ImportedSerializer,
    JsonImportSerializer,
)
from annotate.api.campaigns.texts import PublicWordsSerializer
from annotate.api.parsers import ImportParser
from annotate.errors import Conflict
from annotate.instruments import highlights
from annotate.models import Campaign
from annotate.selectors.studies import instruments
from annotate.services.accounts import kept_answers
from annotate.services.campaigns import changing_texts, drafts, life, metric_transform
from annotate.services.campaigns.importing import receiving, stored
from annotate.services.campaigns.plans import Plan
from annotate.states import ImportStatus

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
        return queries.campaigns(self.request.user)

    def body_limit(self) -> int:
        return settings.UPLOAD_LIMIT if self.action == "create" else super().body_limit()

    def retrieve(self, request: Request, public_id: str) -> Response:
        return self._shown(permissions.visible(request.user, public_id))

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
        made, is_new = receiving.at_once(
            plan, **given, owner_id=cast(User, request.user).pk, key=key
        )
        if made.status == ImportStatus.DONE and made.campaign:
            shown = self._shown(made.campaign, status=201 if is_new else 200)
            shown.data["notices"] = stored.notices_of(made)
            return shown
        address = reverse("api-import-detail", args=[made.public_id], request=request)
        return Response(ImportSerializer(made).data, status=202, headers={"Location": address})

    @extend_schema(request=PublicWordsSerializer, responses=CampaignSerializer)
    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change what annotators read in place of the name: the title, the sentence, or both."""
        campaign = permissions.run(request.user, public_id)
        given = dict(validated(PublicWordsSerializer(data=request.data)))
        reason, actor = given.pop("reason"), cast(User, request.user).pk
        changing_texts.change(campaign.pk, given, actor_id=actor, reason=reason)
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
        return self._act(request, public_id, _close)

    @extend_schema(request=BoundMetricsSerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"], url_path="bound-metrics", url_name="bound-metrics")
    def bound_metrics(self, request: Request, public_id: str) -> Response:
        """Let metrics enter estimates bounded, in a campaign that opened before they did.

        The reason is kept in the log. Without effect where they do already.
        """
        campaign = permissions.run(request.user, public_id)
        why = validated(BoundMetricsSerializer(data=request.data))["reason"]
        metric_transform.bound(campaign.pk, actor_id=cast(User, request.user).pk, why=why)
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
        campaign = permissions.owned(request.user, public_id)
        drafts.delete(campaign.pk, actor_id=cast(User, request.user).pk)
        return Response(status=204)

    @extend_schema(responses=JudgmentSerializer(many=True))
    @action(detail=True, pagination_class=ById, serializer_class=JudgmentSerializer)
    def judgments(self, request: Request, public_id: str) -> Response:
        """List all judgments with the whole answers, in order of arrival."""
        campaign = permissions.with_results(request.user, public_id)
        with_texts = highlights.are_taken(instruments.of(campaign))
        rows = queries.judgments(campaign, with_texts=with_texts)
        page = self.paginate_queryset(cast(Any, rows))
        context = {"with_texts": with_texts}
        shown = JudgmentSerializer(page, many=True, context=context)
        return self.get_paginated_response(shown.data)

    def _act(self, request: Request, public_id: str, act: Callable[..., None]) -> Response:
        campaign = permissions.run(request.user, public_id)
        act(campaign.pk, actor_id=cast(User, request.user).pk)
        return self._shown(campaign)

    def _shown(self, campaign: Campaign, *, status: int = 200) -> Response:
        row = self.get_queryset().get(pk=campaign.pk)
        return Response(CampaignSerializer(row).data, status=status)


def _close(campaign_id: int, *, actor_id: int) -> None:
    if not life.close(campaign_id, Campaign.Reason.HAND, actor_id=actor_id):
        raise Conflict("Only a campaign that is open or paused can be closed.")


def _import(request: Request) -> tuple[Plan, dict[str, Any], str]:
    """Return the plan, its files, and the key of the request."""
    if (request.content_type or "").startswith("application/json"):
        given = validated(JsonImportSerializer(data=request.data))
        files = {"outputs": given.pop("outputs"), "metrics": None}
    else:
        given = validated(FileImportSerializer(data=request.data))
        files = {"outputs": given.pop("file"), "metrics": given.pop("metrics_file", None)}
    key = given.pop("key") or _key(request)
    lists = {name: tuple(given[name]) for name in ("metrics", "gold")}
    return Plan(**given | lists), files, key


def _key(request: Request) -> str:
    """Return the key of the request's headers, shortened, or a new one."""
    if not (key := request.headers.get(kept_answers.FIELD)):
        return uuid4().hex
    kept_answers.check(key)
    return kept_answers.digest(key.encode())[:40]
