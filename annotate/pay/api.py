"""Money of a campaign: accounts, extra pay, pay-out lists. For its owner only."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.common import access
from annotate.common import api as common_api
from annotate.common.api import BoundedView, RequestSerializer, takes_no_fields, validated
from annotate.pay import budget as pay_budget
from annotate.pay import payouts
from annotate.pay import queries as pay_queries

MONEY: dict[str, Any] = {"max_digits": 12, "decimal_places": 2}
ORDERS = (
    "entered",
    *(name for name in pay_queries.ORDERS if name != pay_queries.NEWEST),
    pay_queries.BY_NAME,
)
PARTS = {"all": "", **dict.fromkeys(pay_queries.PARTS, "")}


class AccountSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="pseudonym")
    external_id = serializers.CharField()
    earned = serializers.DecimalField(source="money.earned", **MONEY)
    refused = serializers.DecimalField(source="money.refused", **MONEY)
    paid = serializers.DecimalField(source="money.paid", **MONEY)
    due = serializers.DecimalField(source="money.due", **MONEY)


class MoneySerializer(common_api.LinksSerializer):
    """`committed`: spent or reserved, with fees; `beyond_budget`: the excess over the budget."""

    budget = serializers.DecimalField(**MONEY, allow_null=True)
    committed = serializers.DecimalField(**MONEY)
    beyond_budget = serializers.DecimalField(**MONEY)
    accounts = AccountSerializer(many=True)


class GiftSerializer(RequestSerializer):
    kind = serializers.ChoiceField(choices=[kind.value for kind in payouts.KINDS])
    annotator = serializers.CharField(max_length=16, help_text="pseudonym")
    amount = serializers.DecimalField(8, 2)
    reason = serializers.CharField(max_length=payouts.LONGEST, help_text="the annotator reads it")
    key = serializers.CharField(
        max_length=payouts.LONGEST_KEY, help_text="your own; a repeated request pays nothing more"
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


class SummarySerializer(serializers.Serializer[Any]):
    """A pay-out list. `paid`: marked as paid, and not undone since; `undone`: how many people."""

    id = serializers.CharField(source="public_id")
    made_at = serializers.DateTimeField(source="at")
    made_by = serializers.CharField(source="actor.username")
    marked_at = serializers.DateTimeField(allow_null=True)
    marked_by = serializers.CharField()
    people = serializers.IntegerField()
    amount = serializers.DecimalField(**MONEY)
    paid = serializers.DecimalField(**MONEY)
    undone = serializers.IntegerField()


class ListSerializer(SummarySerializer):
    """The same with a page of its lines; `count`, `next` and `previous` are about them."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    lines = LineSerializer(many=True)


class UndoSerializer(RequestSerializer):
    annotators = serializers.ListField(child=serializers.CharField(max_length=16))
    reason = serializers.CharField(max_length=payouts.LONGEST)


class AccountsView(BoundedView):
    @extend_schema(
        responses=MoneySerializer,
        parameters=common_api.parameters(list(ORDERS), list(PARTS), search="a pseudonym or a name"),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List what each annotator has earned, been refused and been paid, and what is due.

        The first to enter comes first, unless `sort` says otherwise.
        """
        campaign = access.owned(request.user, public_id)
        wanted = common_api.asked(request, sorts=dict.fromkeys(ORDERS, ""), choices=PARTS)
        found = pay_queries.people_of_campaign(campaign.pk, wanted, by_name=True)
        shown = {
            **common_api.links(request, found.listing),
            "budget": campaign.budget,
            "committed": pay_budget.committed(campaign),
            "beyond_budget": pay_budget.excess(campaign),
            "accounts": found.rows,
        }
        return Response(MoneySerializer(shown).data)


class ExtraPayView(BoundedView):
    own_keys = ("post",)

    @extend_schema(request=GiftSerializer, responses={200: GivenSerializer, 201: GivenSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Give a bonus or a compensation; 200 if the key has already given it."""
        campaign = access.made_here(access.owned(request.user, public_id))
        typed = validated(GiftSerializer(data=request.data))
        gift = payouts.Gift(
            payouts.Kind(typed["kind"]),
            typed["annotator"],
            typed["amount"],
            typed["reason"],
            typed["key"],
        )
        given = payouts.give(
            campaign.pk, gift, actor_id=_actor(request), beyond_budget=typed["beyond_budget"]
        )
        return Response(GivenSerializer(given).data, status=200 if given.already else 201)


class PayoutListsView(BoundedView):
    @extend_schema(
        operation_id="campaigns_payouts_list",
        responses=common_api.shape(SummarySerializer, "PayoutLists"),
        parameters=common_api.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the pay-out lists, the newest first."""
        campaign = access.owned(request.user, public_id)
        found, rows = payouts.summaries(campaign.pk, common_api.asked(request, sorts={}))
        return common_api.answer(request, found, SummarySerializer(rows, many=True).data)

    @takes_no_fields(responses={201: ListSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Make a list of what is due now."""
        campaign = access.owned(request.user, public_id)
        made = payouts.prepare(campaign.pk, actor_id=_actor(request))
        return _shown(request, campaign, made.public_id, status=201)


class PayoutListView(BoundedView):
    @extend_schema(
        responses=ListSerializer, parameters=common_api.parameters(search="a pseudonym or a name")
    )
    def get(self, request: Request, public_id: str, list_id: str) -> Response:
        """Show a list with its lines, in the order of entry."""
        return _shown(request, access.owned(request.user, public_id), list_id)


class MarkPaidView(BoundedView):
    @takes_no_fields(responses=ListSerializer)
    def post(self, request: Request, public_id: str, list_id: str) -> Response:
        """Record that all people on the list were paid. Safe to repeat."""
        campaign = access.owned(request.user, public_id)
        found = payouts.summary(campaign, list_id)
        payouts.mark_paid(found.pk, actor_id=_actor(request))
        return _shown(request, campaign, list_id)


class UndoPaidView(BoundedView):
    @extend_schema(request=UndoSerializer, responses=ListSerializer)
    def post(self, request: Request, public_id: str, list_id: str) -> Response:
        """Undo the mark for some people, so that their pay is due again."""
        campaign = access.owned(request.user, public_id)
        typed = validated(UndoSerializer(data=request.data))
        found = payouts.summary(campaign, list_id)
        payouts.undo(
            found.pk, typed["annotators"], actor_id=_actor(request), reason=typed["reason"]
        )
        return _shown(request, campaign, list_id)


def _shown(request: Request, campaign: Any, list_id: str, *, status: int = 200) -> Response:
    address = reverse("api-payout", args=[campaign.public_id, list_id])
    wanted = common_api.asked(request, sorts={}, address=address)
    found = payouts.summary(campaign, list_id)
    listing, lines = payouts.lines_page(found, wanted)
    shown = {
        **SummarySerializer(found).data,
        **common_api.links(request, listing, address),
        "lines": LineSerializer(lines, many=True).data,
    }
    return Response(shown, status=status)


def _actor(request: Request) -> int:
    return cast(User, request.user).pk
