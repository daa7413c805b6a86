"""Gold items of a campaign, for its owner: add, confirm and remove them, and see results."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView, RequestSerializer, validated
from annotate.errors import Invalid
from annotate.schemas import Refused
from annotate.selectors.review import gold as results
from annotate.selectors.work.gold import MOST
from annotate.services.campaigns import gold, gold_sources
from annotate.services.campaigns.gold import LONGEST_NAME, MOST_ITEMS


class GoldItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(source="name")
    kind = serializers.CharField()
    output = serializers.CharField(source="text")
    expected = serializers.DictField(source="asked")
    chance = serializers.FloatField(help_text="that a guess is right")
    confirmed = serializers.BooleanField(source="is_confirmed", help_text="others are not used")
    answered = serializers.IntegerField()
    right = serializers.IntegerField()


class GoldPersonSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="pseudonym")
    answered = serializers.IntegerField(source="verdict.answered")
    used = serializers.IntegerField(
        source="verdict.used", help_text="without items that most others missed"
    )
    missed = serializers.IntegerField(source="verdict.wrong")
    by_honest = serializers.FloatField(
        source="verdict.by_honest", help_text="probability that an honest person misses as many"
    )
    by_guess = serializers.FloatField(source="verdict.by_guess")
    listed = serializers.BooleanField(source="verdict.listed")


class GoldSerializer(listed.LinksSerializer):
    """The share, and a page of the items."""

    share = serializers.IntegerField(help_text="gold items among 25 tasks of a person")
    items = GoldItemSerializer(many=True)


class NewGoldSerializer(RequestSerializer):
    gold = serializers.ListField(
        child=serializers.DictField(), help_text="as in a file: item, output, expected"
    )


class GoldShareSerializer(RequestSerializer):
    share = serializers.IntegerField(min_value=0, max_value=MOST)


class GoldNamesSerializer(RequestSerializer):
    items = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_ITEMS
    )


class _OfGold(BoundedView):
    def shown(self, request: Request, public_id: str, *, status: int = 200) -> Response:
        campaign = permissions.run(request.user, public_id)
        address = reverse("api-gold", args=[public_id])
        wanted = listed.asked(request, sorts={}, address=address)
        found, shown = results.items_page(campaign, wanted)
        items = GoldItemSerializer(shown, many=True).data
        body = {"share": campaign.gold_share, "items": items}
        return Response(listed.links(request, found, address) | body, status=status)


class GoldView(_OfGold):
    @extend_schema(responses=GoldSerializer, parameters=listed.parameters())
    def get(self, request: Request, public_id: str) -> Response:
        """List the gold items of a campaign, and how often they were answered right."""
        return self.shown(request, public_id)

    @extend_schema(request=NewGoldSerializer, responses={201: GoldSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Add gold items to a draft, in full or not at all."""
        campaign = permissions.run(request.user, public_id)
        given = validated(NewGoldSerializer(data=request.data))
        try:
            new = gold_sources.from_data(given)
        except Refused as refused:
            raise Invalid(refused.errors("gold")) from None
        gold.add(campaign.pk, new, actor_id=_actor(request))
        return self.shown(request, public_id, status=201)

    @extend_schema(request=GoldShareSerializer, responses=GoldSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Let this many of every 25 tasks of a person be gold items."""
        campaign = permissions.run(request.user, public_id)
        share = validated(GoldShareSerializer(data=request.data))["share"]
        gold.set_share(campaign.pk, share, actor_id=_actor(request))
        return self.shown(request, public_id)


class GoldPeopleView(BoundedView):
    @extend_schema(
        operation_id="campaigns_gold_people_list",
        responses=listed.shape(GoldPersonSerializer, "GoldPeople"),
        parameters=listed.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List who answered gold items: who is listed, then the least like honest people."""
        campaign = permissions.run(request.user, public_id)
        found, shown = results.people_page(campaign, listed.asked(request, sorts={}))
        return listed.answer(request, found, GoldPersonSerializer(shown, many=True).data)


class ConfirmGoldView(_OfGold):
    @extend_schema(request=GoldNamesSerializer, responses=GoldSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm items that an earlier version planted, once a person has looked at them."""
        campaign = permissions.run(request.user, public_id)
        names = validated(GoldNamesSerializer(data=request.data))["items"]
        gold.confirm(campaign.pk, names, actor_id=_actor(request))
        return self.shown(request, public_id)


class RemoveGoldView(_OfGold):
    @extend_schema(request=GoldNamesSerializer, responses=GoldSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Remove gold items from a draft."""
        campaign = permissions.run(request.user, public_id)
        names = validated(GoldNamesSerializer(data=request.data))["items"]
        gold.remove(campaign.pk, names, actor_id=_actor(request))
        return self.shown(request, public_id)


def _actor(request: Request) -> int:
    return int(cast(User, request.user).pk)
