"""The log of a campaign, as JSON: who did what, and when."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView
from annotate.selectors.campaigns import acts
from annotate.selectors.campaigns.acts import LoggedAct
from estimation.selectors import activity

PARTS = dict.fromkeys(activity.PARTS, "")


class ActSerializer(serializers.Serializer[Any]):
    """One act. What it says of money and people is what all who see results may read."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(
        allow_blank=True, help_text="empty for what Plumbline does automatically, and for commands"
    )
    verb = serializers.CharField(help_text="the kind of act, such as `open`, for programs")
    text = serializers.SerializerMethodField(help_text="what the actor did, in English")

    def get_text(self, one: LoggedAct) -> str:
        return activity.sentence(one)


class ActivityView(BoundedView):
    @extend_schema(
        operation_id="campaigns_activity_list",
        responses=listed.shape(ActSerializer, "Activity"),
        parameters=listed.parameters((), list(PARTS)),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the acts of people, and automatic ones that are not routine, the newest first."""
        campaign = permissions.with_results(request.user, public_id)
        wanted = listed.asked(request, sorts={}, choices=PARTS)
        verbs = activity.PARTS[wanted.choice].verbs
        found, rows = acts.page(campaign.pk, wanted, verbs=verbs)
        return listed.answer(request, found, ActSerializer(rows, many=True).data)
