"""The items of a campaign as their page lists them: by what people said of them."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView, Finite
from annotate.selectors.review.items import listing
from annotate.selectors.review.items import wanted as asking

ORDERS = (*asking.PLAIN, *asking.RANKED)


class ListedItemSerializer(serializers.Serializer[Any]):
    """One item. `worst_mean`, `disagreement`, `edit`: of its text with the most extreme one."""

    number = serializers.IntegerField(help_text="its place in the order of collecting, from 1")
    item = serializers.CharField(source="key")
    words = serializers.IntegerField(help_text="of the input")
    texts = serializers.IntegerField(source="outputs")
    judgments = serializers.IntegerField()
    excluded = serializers.IntegerField()
    corrected = serializers.IntegerField(source="superseded")
    worst_mean = Finite(source="said.worst", allow_null=True)
    disagreement = Finite(
        source="said.disagreement",
        allow_null=True,
        help_text="standard deviation of the answers to one text",
    )
    edit = Finite(source="said.edited", allow_null=True)
    residual = Finite(allow_null=True, help_text="in the order by it alone")


class ListedItemsSerializer(listed.LinksSerializer):
    """`order_of`: when the order was made; null for orders that need no figure, or none yet."""

    order_of = serializers.DateTimeField(allow_null=True)
    criterion = serializers.CharField(help_text="what the figures are of")
    results = ListedItemSerializer(many=True)


class ListedItemsView(BoundedView):
    @extend_schema(
        operation_id="campaigns_items_listed",
        responses=ListedItemsSerializer,
        parameters=[
            *listed.parameters(list(ORDERS), list(asking.PARTS), search="an item’s name"),
            OpenApiParameter("system", str, description="a name; for those who see results"),
            OpenApiParameter("criterion", str, description="a primary one; by default the first"),
        ],
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List items, ordered by what people said of them, as the page Items does.

        Reviewers of a campaign that collects have neither `system` nor the order by residual.
        """
        mine = permissions.access(request.user, public_id)
        if mine.sees_results:
            permissions.look(mine)
        asked = asking.wanted(
            mine.campaign,
            request.query_params,
            systems=mine.sees_results,
            size=listed.size(request),
        )
        found = listing.page(
            mine.campaign, listed.walked(request, asked, also=("system", "criterion"))
        )
        body = {
            **listed.links(request, found.listing),
            "order_of": found.made_at,
            "criterion": found.listing.criterion,
            "results": found.rows,
        }
        return Response(ListedItemsSerializer(body).data)
