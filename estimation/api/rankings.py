"""A ranking as JSON: places with ties, what is decided of each pair, and what would settle it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, Finite
from annotate.errors import NotFound
from annotate.selectors.campaigns import listing
from estimation.selectors import rankings
from estimation.selectors.criteria.decided import RankedPair
from estimation.selectors.rankings import Placed, Ranking


class PlacedSerializer(serializers.Serializer[Placed]):
    system = serializers.CharField()
    best = serializers.IntegerField(help_text="the best place that it can have, from 1")
    worst = serializers.IntegerField(help_text="the worst: systems that share places are tied")
    place = serializers.CharField(help_text="both in words, such as 2–3")
    estimate = Finite(allow_null=True)
    left = serializers.BooleanField(help_text="nothing more of this system is judged")


class RankedPairSerializer(serializers.Serializer[RankedPair]):
    """Ends and difference are of `first` less `second`; null before there are any.

    Where texts are judged side by side, they are of the preference for `first`, counted from a tie.
    """

    first = serializers.CharField()
    second = serializers.CharField()
    outcome = serializers.CharField(help_text="first, second (the higher one), close or open")
    better = serializers.CharField(allow_blank=True, help_text="the better system, if it is known")
    difference = Finite(source="row.difference", default=None, allow_null=True)
    low = Finite(source="row.low", default=None, allow_null=True)
    high = Finite(source="row.high", default=None, allow_null=True)
    n_items = serializers.IntegerField(source="row.n_items", default=0)
    effective_annotators = Finite(source="row.effective_annotators", default=None, allow_null=True)
    needs = serializers.CharField(
        allow_blank=True, help_text="of an open pair: items, people or neither"
    )
    more_items = serializers.IntegerField(
        allow_null=True, help_text="of each system, if the difference stays as it is"
    )


class RankingSerializer(serializers.Serializer[Ranking]):
    criterion = serializers.CharField(source="criterion.name")
    margin = Finite()
    higher_is_better = serializers.BooleanField(source="criterion.higher_is_better")
    places = PlacedSerializer(many=True, source="placed")
    pairs = RankedPairSerializer(many=True)


class RankingsSerializer(serializers.Serializer[Any]):
    level = Finite(help_text="of all decisions together, at every look")
    planned_items = serializers.IntegerField()
    is_final = serializers.BooleanField()
    rankings = RankingSerializer(many=True, help_text="one for each primary criterion")
    settles = serializers.CharField(allow_blank=True, help_text="what would settle open pairs")


class RankingView(BoundedView):
    """The ranking of a campaign whose `stop_mode` is `ranking`; of others a 404."""

    @extend_schema(responses=RankingsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        facts = listing.facts(permissions.with_results(request.user, public_id))
        if not facts.is_ranking:
            raise NotFound("This campaign is not a ranking: its stopping mode is another one.")
        found = rankings.of(facts)
        body = {
            "level": facts.level,
            "planned_items": facts.planned_items,
            "is_final": facts.is_final,
            "rankings": found.each,
            "settles": found.settles,
        }
        return Response(RankingsSerializer(body).data)
