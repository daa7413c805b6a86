"""The settings of a campaign's screens, and their changes."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, RequestSerializer, validated
from annotate.api.campaigns.fields import NEEDED, SettingsField
from annotate.selectors.campaigns import screen_settings as selectors
from annotate.services.campaigns import screen_settings
from annotate.services.reasons import LONGEST_REASON


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
        return _shown(permissions.visible(request.user, public_id).pk)

    @extend_schema(request=ChangeScreensSerializer, responses=ScreenSettingsSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Change some settings. After closing, and for signals after opening: 409."""
        campaign = permissions.run(request.user, public_id)
        given = validated(ChangeScreensSerializer(data=request.data))
        screen_settings.change(
            campaign.pk,
            given["settings"],
            actor_id=cast(User, request.user).pk,
            reason=given["reason"],
        )
        return _shown(campaign.pk)


def _shown(campaign_id: int) -> Response:
    return Response(ScreenSettingsSerializer(selectors.of(campaign_id)).data)
