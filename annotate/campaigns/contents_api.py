"""The lists of an export, page by page: what was judged, by whom, and what was excluded."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import amendments as campaigns_amendments
from annotate.campaigns import api as campaigns_api
from annotate.campaigns import exports
from annotate.campaigns.api import (
    AnnotatorSerializer,
    ExclusionSerializer,
    ItemSerializer,
    OutputSerializer,
)
from annotate.common import access
from annotate.common.api import (
    NEEDED,
    BoundedView,
    ById,
    RequestSerializer,
    SettingsField,
    validated,
)
from annotate.common.audit import LONGEST_REASON


class _OfCampaign(BoundedView, ListAPIView[Any]):
    """A list of one campaign's rows, as `rows` selects them for this user."""

    pagination_class = ById

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema request has no campaign
            return campaigns_api.nothing()
        return self.rows(self.request.user, self.kwargs["public_id"])

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        raise NotImplementedError


class ItemList(_OfCampaign):
    """The inputs of the systems."""

    serializer_class = ItemSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return campaigns_api.items(access.visible(user, public_id))


class OutputList(_OfCampaign):
    """The outputs of the systems, judged or not."""

    serializer_class = OutputSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return campaigns_api.outputs(access.with_results(user, public_id))


class AnnotatorList(_OfCampaign):
    """The annotators, by pseudonym."""

    serializer_class = AnnotatorSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        self.campaign = access.visible(user, public_id)
        return campaigns_api.annotators(self.campaign)

    def paginate_queryset(self, queryset: QuerySet[Any] | Sequence[Any]) -> list[Any]:
        """Add to the people of a page what they contributed."""
        people = super().paginate_queryset(queryset)
        assert people is not None  # the list has pages
        return campaigns_api.contributions(self.campaign, people)


class ExclusionList(_OfCampaign):
    """Judgments that a ruling excluded from the estimates, and those restored."""

    serializer_class = ExclusionSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return campaigns_api.exclusions(access.visible(user, public_id))


# The settings of a campaign's screens, and their changes.


class ScreenAmendmentSerializer(serializers.Serializer[Any]):
    """One change of settings; `changes`: path -> [was, now]."""

    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="“” for a command")
    why = serializers.CharField()
    changes = serializers.DictField(child=serializers.ListField(child=serializers.JSONField()))


class ScreenSettingsSerializer(serializers.Serializer[Any]):
    """Every setting, those that the campaign opened with, and the changes, newest first."""

    settings = serializers.DictField(source="in_use")
    at_opening = serializers.DictField(allow_null=True, help_text="null before it opens")
    amendments = ScreenAmendmentSerializer(many=True)


class ChangeScreensSerializer(RequestSerializer):
    """Settings to change, such as `{"timing": {"share": 0.25}}`; others stay."""

    settings = SettingsField()
    reason = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LONGEST_REASON,
        help_text=NEEDED,
    )


class ScreensView(BoundedView):
    """The settings of a campaign's screens."""

    @extend_schema(responses=ScreenSettingsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        return _shown(access.visible(request.user, public_id).pk)

    @extend_schema(request=ChangeScreensSerializer, responses=ScreenSettingsSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Change some settings. After closing, and for signals after opening: 409."""
        campaign = access.run(request.user, public_id)
        given = validated(ChangeScreensSerializer(data=request.data))
        campaigns_amendments.change(
            campaign.pk,
            given["settings"],
            actor_id=cast(User, request.user).pk,
            reason=given["reason"],
        )
        return _shown(campaign.pk)


def _shown(campaign_id: int) -> Response:
    return Response(ScreenSettingsSerializer(exports.screen_settings_of(campaign_id)).data)
