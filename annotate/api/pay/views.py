"""Money of a campaign: accounts, extra pay, pay-out lists. For its owner only."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, validated
from annotate.selectors.pay import accounts, payout_lists
from annotate.selectors.pay import budget as payments
from annotate.services.pay import extra_pay, payouts

MONEY: dict[str, Any] = {"max_digits": 12, "decimal_places": 2}


class AccountSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="pseudonym")
    external_id = serializers.CharField()
    earned = serializers.DecimalField(**MONEY)
    refused = serializers.DecimalField(**MONEY)
    paid = serializers.DecimalField(**MONEY)
    due = serializers.DecimalField(**MONEY)


class MoneySerializer(serializers.Serializer[Any]):
    """`committed`: spent or reserved, with fees; `beyond_budget`: the excess over the budget."""

    budget = serializers.DecimalField(**MONEY, allow_null=True)
    committed = serializers.DecimalField(**MONEY)
    beyond_budget = serializers.DecimalField(**MONEY)
    accounts = AccountSerializer(many=True)


class GiftSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=[kind.value for kind in extra_pay.KINDS])
    annotator = serializers.CharField(max_length=16, help_text="pseudonym")
    amount = serializers.DecimalField(8, 2)
    reason = serializers.CharField(max_length=extra_pay.LONGEST, help_text="the annotator reads it")
    key = serializers.CharField(
        max_length=extra_pay.LONGEST_KEY, help_text="your own; a repeated request pays nothing more"
    )
    beyond_budget = serializers.BooleanField(default=False)


class GivenSerializer(serializers.Serializer[Any]):
    amount = serializers.DecimalField(**MONEY)
    fee = serializers.DecimalField(**MONEY)
    beyond_budget = serializers.DecimalField(**MONEY)
    already = serializers.BooleanField()


class LineSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="pseudonym")
    external_id = serializers.CharField()
    amount = serializers.DecimalField(**MONEY)
    state = serializers.CharField(help_text="empty before it is marked; paid; undone")


class ListSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="public_id")
    made_at = serializers.DateTimeField()
    made_by = serializers.CharField()
    marked_at = serializers.DateTimeField(allow_null=True)
    marked_by = serializers.CharField()
    amount = serializers.DecimalField(**MONEY)
    paid = serializers.DecimalField(**MONEY)
    lines = LineSerializer(many=True)


class UndoSerializer(serializers.Serializer[Any]):
    annotators = serializers.ListField(child=serializers.CharField(max_length=16))
    reason = serializers.CharField(max_length=payouts.LONGEST)


class AccountsView(BoundedView):
    @extend_schema(responses=MoneySerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """List what each annotator has earned, been refused and been paid, and what is due."""
        campaign = permissions.owned(request.user, public_id)
        shown = {
            "budget": campaign.budget,
            "committed": payments.committed(campaign),
            "beyond_budget": payments.excess(campaign),
            "accounts": accounts.by_person(accounts.of_campaign(campaign.pk)),
        }
        return Response(MoneySerializer(shown).data)


class ExtraPayView(BoundedView):
    @extend_schema(request=GiftSerializer, responses={200: GivenSerializer, 201: GivenSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Give a bonus or a compensation; 200 if the key has already given it."""
        campaign = permissions.owned(request.user, public_id)
        typed = validated(GiftSerializer(data=request.data))
        gift = extra_pay.Gift(
            extra_pay.Kind(typed["kind"]),
            typed["annotator"],
            typed["amount"],
            typed["reason"],
            typed["key"],
        )
        given = extra_pay.give(
            campaign.pk, gift, actor_id=_actor(request), beyond_budget=typed["beyond_budget"]
        )
        return Response(GivenSerializer(given).data, status=200 if given.already else 201)


class PayoutListsView(BoundedView):
    @extend_schema(responses=ListSerializer(many=True))
    def get(self, request: Request, public_id: str) -> Response:
        """List all pay-out lists, the newest first."""
        campaign = permissions.owned(request.user, public_id)
        return Response(ListSerializer(payout_lists.of_campaign(campaign.pk), many=True).data)

    @extend_schema(request=None, responses={201: ListSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Make a list of what is due now."""
        campaign = permissions.owned(request.user, public_id)
        made = payouts.prepare(campaign.pk, actor_id=_actor(request))
        return _shown(payout_lists.get(campaign, made.public_id), status=201)


class PayoutListView(BoundedView):
    @extend_schema(responses=ListSerializer)
    def get(self, request: Request, public_id: str, list_id: str) -> Response:
        return _shown(payout_lists.get(permissions.owned(request.user, public_id), list_id))


class MarkPaidView(BoundedView):
    @extend_schema(request=None, responses=ListSerializer)
    def post(self, request: Request, public_id: str, list_id: str) -> Response:
        """Record that all people on the list were paid. Safe to repeat."""
        campaign = permissions.owned(request.user, public_id)
        found = payout_lists.get(campaign, list_id)
        payouts.mark_paid(found.id, actor_id=_actor(request))
        return _shown(payout_lists.get(campaign, list_id))


class UndoPaidView(BoundedView):
    @extend_schema(request=UndoSerializer, responses=ListSerializer)
    def post(self, request: Request, public_id: str, list_id: str) -> Response:
        """Undo the mark for some people, so that their pay is due again."""
        campaign = permissions.owned(request.user, public_id)
        typed = validated(UndoSerializer(data=request.data))
        found = payout_lists.get(campaign, list_id)
        payouts.undo(
            found.id, typed["annotators"], actor_id=_actor(request), reason=typed["reason"]
        )
        return _shown(payout_lists.get(campaign, list_id))


def _shown(found: payout_lists.ListedPayouts, *, status: int = 200) -> Response:
    return Response(ListSerializer(found).data, status=status)


def _actor(request: Request) -> int:
    return cast(User, request.user).pk
