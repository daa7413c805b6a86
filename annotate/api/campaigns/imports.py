"""Imports in progress: their progress, the errors of a file, and cancelling."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotate import permissions
from annotate.api.base import BoundedView, NewestFirst, refusal_as_data, takes_no_fields
from annotate.api.campaigns import queries
from annotate.services.campaigns.importing import receiving, stored
from annotate.states import ImportStatus


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
        return refusal_as_data(stored.refusal_of(row)) if row.problems else None

    def get_notices(self, row: Any) -> list[str]:
        return stored.notices_of(row)


class ImportViewSet(BoundedView, ListModelMixin, GenericViewSet[Any]):
    """The imports that the user has started."""

    serializer_class = ImportSerializer
    pagination_class = NewestFirst
    lookup_url_kwarg = "import_id"
    lookup_value_regex = "[0-9a-z]+"

    def get_queryset(self) -> QuerySet[Any]:
        return queries.imports(self.request.user)

    def retrieve(self, request: Request, import_id: str) -> Response:
        return self._shown(permissions.own_import(request.user, import_id))

    @takes_no_fields()
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, import_id: str) -> Response:
        """Cancel it and remove its stored data. Refused (409) once it is a campaign."""
        of = permissions.own_import(request.user, import_id)
        receiving.cancel(of, actor_id=cast(User, request.user).pk)
        return self._shown(of)

    def _shown(self, of: Any) -> Response:
        return Response(ImportSerializer(of).data)
