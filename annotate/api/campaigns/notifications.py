"""Subscriptions to what happens in a campaign, for those who run it."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView, RequestSerializer, takes_no_fields, validated
from annotate.selectors import notifications as selectors
from annotate.services.notifications import payloads, subscribing
from annotate.services.notifications.events import EVENTS
from annotate.services.notifications.subscribing import LONGEST_URL
from annotate.states import NotificationChannel


class NewSubscriptionSerializer(RequestSerializer):
    channel = serializers.ChoiceField(choices=NotificationChannel.choices)
    url = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_URL, help_text="of a webhook: https"
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(EVENTS)), min_length=1, max_length=20
    )


class SubscriptionSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="public_id")
    who = serializers.CharField()
    channel = serializers.ChoiceField(choices=NotificationChannel.choices)
    url = serializers.CharField()
    secret = serializers.SerializerMethodField(
        help_text="that signs the calls of a webhook; “” for mail"
    )
    events = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    last_sent_at = serializers.DateTimeField(allow_null=True)
    waiting = serializers.IntegerField(help_text="notifications not sent yet")
    given_up = serializers.IntegerField(help_text="notifications of 30 days that could not be sent")
    problem = serializers.CharField(help_text="of the last attempt; “” if it had none")

    def get_secret(self, one: selectors.SubscriptionLine) -> str:
        return "" if one.is_mail else payloads.secret(one.public_id)


class NotificationsView(BoundedView):
    """Who is told what happens in a campaign."""

    @extend_schema(
        operation_id="campaigns_notifications_list",
        responses=listed.shape(SubscriptionSerializer, "Subscriptions"),
        parameters=listed.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the subscriptions: those that go on, then those that ended, the newest first."""
        campaign = permissions.run(request.user, public_id)
        found, shown = selectors.page(campaign.pk, listed.asked(request, sorts={}))
        return listed.answer(request, found, SubscriptionSerializer(shown, many=True).data)

    @extend_schema(request=NewSubscriptionSerializer, responses={201: SubscriptionSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Be told by mail, or by signed calls of a webhook."""
        campaign = permissions.run(request.user, public_id)
        given = validated(NewSubscriptionSerializer(data=request.data))
        user = cast(User, request.user)
        made = subscribing.subscribe(campaign.pk, user_id=user.pk, **given)
        return _shown(campaign.pk, made.public_id, status=201)


class EndNotificationsView(BoundedView):
    @takes_no_fields(responses=SubscriptionSerializer)
    def post(self, request: Request, public_id: str, subscription_id: str) -> Response:
        """End a subscription. Safe to repeat."""
        campaign = permissions.run(request.user, public_id)
        subscribing.end(campaign.pk, subscription_id, actor_id=cast(User, request.user).pk)
        return _shown(campaign.pk, subscription_id)


class TestNotificationsView(BoundedView):
    @takes_no_fields(responses={202: SubscriptionSerializer})
    def post(self, request: Request, public_id: str, subscription_id: str) -> Response:
        """Send a test soon, and what waits after a failure."""
        campaign = permissions.run(request.user, public_id)
        subscribing.test(campaign.pk, subscription_id)
        return _shown(campaign.pk, subscription_id, status=202)


def _shown(campaign_id: int, public_id: str, *, status: int = 200) -> Response:
    found = selectors.one(campaign_id, public_id)
    return Response(SubscriptionSerializer(found).data, status=status)
