"""The page and the endpoints of subscriptions to what happens in a campaign."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.common import access as common_access
from annotate.common import api as common_api
from annotate.common import lists as common_lists
from annotate.common.access import Access, access, researcher_page, run
from annotate.common.api import BoundedView, RequestSerializer, takes_no_fields, validated
from annotate.common.audit import EVENTS
from annotate.common.errors import Conflict, Invalid, ServiceError
from annotate.models import Subscription
from annotate.models.accounts import LONGEST_URL
from annotate.models.base import NotificationChannel
from annotate.notifications import sending, subscriptions

HOW = [
    (NotificationChannel.MAIL.value, "By e-mail to me"),
    (NotificationChannel.WEBHOOK.value, "By a webhook: a signed POST to an address of mine"),
]
USUAL = ("closed", "decision", "flag", "budget")


class SubscribeForm(forms.Form):
    channel = forms.ChoiceField(
        label="How",
        choices=HOW,
        initial=NotificationChannel.MAIL,
        widget=forms.RadioSelect,
    )
    url = forms.CharField(
        label="Address of the webhook",
        required=False,
        max_length=LONGEST_URL,
        help_text="It begins with https:// and is reached over the public internet.",
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        label="When",
        choices=[(one.key, one.means[0].upper() + one.means[1:]) for one in EVENTS.values()],
        initial=USUAL,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one event or more."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_MAIL:
            field = self.fields["channel"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = HOW[1:]
            field.initial = NotificationChannel.WEBHOOK


# The page of subscriptions by mail and webhook, for owners and collaborators.


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def notifications_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the subscriptions; POST makes one."""
    campaign = run(request.user, public_id)
    mine = access(request.user, public_id)
    if request.method != "POST":
        return _page(request, mine, SubscribeForm())
    form = SubscribeForm(request.POST)
    if not form.is_valid():
        return _page(request, mine, form, status=422)
    try:
        subscriptions.subscribe(campaign.pk, user_id=mine.user_id, **form.cleaned_data)
    except (Invalid, Conflict) as refused:
        for name, message in getattr(refused, "errors", {"": refused.message}).items():
            form.add_error(name or None, message)
        return _page(request, mine, form, status=refused.status)
    messages.success(request, "Done. “Send a test” shows whether it arrives.")
    return redirect("annotate:notifications", public_id)


@require_POST
@researcher_page
def end(request: HttpRequest, public_id: str, subscription_id: str) -> HttpResponseBase:
    campaign = run(request.user, public_id)

    def act() -> str:
        user = request.user.pk or 0
        done = subscriptions.end(campaign.pk, subscription_id, actor_id=user)
        return "Ended: nothing more is sent." if done else "It had ended before."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def test(request: HttpRequest, public_id: str, subscription_id: str) -> HttpResponseBase:
    campaign = run(request.user, public_id)

    def act() -> str:
        subscriptions.test(campaign.pk, subscription_id)
        return (
            "A test is on its way; mails take a minute or two. Reload the page to see how it went."
        )

    return _done(request, public_id, act)


def _done(request: HttpRequest, public_id: str, act: Callable[[], str]) -> HttpResponseBase:
    try:
        messages.success(request, act())
    except ServiceError as refused:
        messages.error(request, refused.message)
    return redirect("annotate:notifications", public_id)


def _page(
    request: HttpRequest, mine: Access, form: SubscribeForm, *, status: int = 200
) -> HttpResponseBase:
    found = subscriptions.notifications_of(mine.campaign.pk)
    context: dict[str, Any] = {
        "campaign": mine.campaign,
        "me": mine.user_id,
        "going": [(one, _events(one), _secret(one)) for one in found if one.ended_at is None],
        "ended": [one for one in found if one.ended_at],
        "form": form,
        "sends_mail": settings.SENDS_MAIL,
        "section": "campaigns",
    }
    return render(request, "campaigns/notifications.html", context, status=status)


def _events(one: Subscription) -> str:
    return "; ".join(EVENTS[key].means for key in one.events if key in EVENTS)


def _secret(one: Subscription) -> str:
    return "" if one.is_mail else sending.secret(one.public_id)


# Subscriptions to what happens in a campaign, for those who run it.


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
    who = serializers.CharField(source="user.username")
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

    def get_secret(self, one: Subscription) -> str:
        return _secret(one)


class NotificationsView(BoundedView):
    """Who is told what happens in a campaign."""

    @extend_schema(
        operation_id="campaigns_notifications_list",
        responses=common_api.shape(SubscriptionSerializer, "Subscriptions"),
        parameters=common_api.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the subscriptions: those that go on, then those that ended, the newest first."""
        campaign = common_access.run(request.user, public_id)
        going = Case(When(ended_at=None, then=0), default=1)
        rows = subscriptions.of_campaign(campaign.pk).annotate(is_over=going)
        found, shown = common_lists.page_beside(
            rows, ("is_over", "-pk"), common_api.asked(request, sorts={})
        )
        return common_api.answer(request, found, SubscriptionSerializer(shown, many=True).data)

    @extend_schema(request=NewSubscriptionSerializer, responses={201: SubscriptionSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Be told by mail, or by signed calls of a webhook."""
        campaign = common_access.run(request.user, public_id)
        given = validated(NewSubscriptionSerializer(data=request.data))
        user = cast(User, request.user)
        made = subscriptions.subscribe(campaign.pk, user_id=user.pk, **given)
        return _shown(campaign.pk, made.public_id, status=201)


class EndNotificationsView(BoundedView):
    @takes_no_fields(responses=SubscriptionSerializer)
    def post(self, request: Request, public_id: str, subscription_id: str) -> Response:
        """End a subscription. Safe to repeat."""
        campaign = common_access.run(request.user, public_id)
        subscriptions.end(campaign.pk, subscription_id, actor_id=cast(User, request.user).pk)
        return _shown(campaign.pk, subscription_id)


class TestNotificationsView(BoundedView):
    @takes_no_fields(responses={202: SubscriptionSerializer})
    def post(self, request: Request, public_id: str, subscription_id: str) -> Response:
        """Send a test soon, and what waits after a failure."""
        campaign = common_access.run(request.user, public_id)
        subscriptions.test(campaign.pk, subscription_id)
        return _shown(campaign.pk, subscription_id, status=202)


def _shown(campaign_id: int, public_id: str, *, status: int = 200) -> Response:
    found = subscriptions.of_campaign(campaign_id).get(public_id=public_id)
    return Response(SubscriptionSerializer(found).data, status=status)
