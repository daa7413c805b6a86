"""What an exclusion does to the estimates, as JSON: hidden until it is final."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, Finite
from annotate.errors import NotFound
from annotate.selectors.review import reviews
from estimation.services import effects


class ShiftSerializer(serializers.Serializer[effects.Effect]):
    """One primary criterion; the systems are not named."""

    criterion = serializers.CharField()
    estimates = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="estimates of which no judgment is left")
    shift = Finite(allow_null=True, help_text="the largest change, without its sign")
    share = Finite(allow_null=True, help_text="the same in half-widths of the interval")


class ExclusionEffectSerializer(serializers.Serializer[Any]):
    final_from = serializers.DateTimeField(allow_null=True, help_text="null: an appeal waits")
    effects = ShiftSerializer(
        many=True, allow_null=True, help_text="null until the ruling is final, or none is in force"
    )


class EffectView(BoundedView):
    """How much leaving this annotator's work out moves the estimates, once that is final."""

    @extend_schema(responses=ExclusionEffectSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.visible(request.user, public_id)
        case = reviews.case(campaign, pseudonym)
        if case is None:
            raise NotFound("No annotator of this name has entered this campaign.")
        shown = case.shows_effect
        found = effects.measure(campaign.pk, case.annotator_id) if shown else None
        body = {"final_from": case.final_from, "effects": found}
        return Response(ExclusionEffectSerializer(body).data)
