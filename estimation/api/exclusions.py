"""The effect of exclusions, as JSON: counts, and every primary estimate with and without them."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, Finite
from annotate.errors import NotFound
from annotate.selectors.campaigns import listing
from annotate.selectors.review import reviews
from annotate.selectors.review.ruling_statistics import Conduct, ExcludedCounts, Reason
from estimation.api.serializers import WithExcludedSerializer
from estimation.selectors import sensitivity
from estimation.selectors.sensitivity import ComparedEstimate, Sensitivity
from estimation.services import effects


class ShiftSerializer(serializers.Serializer[effects.ExclusionEffect]):
    """One primary criterion; the systems are not named."""

    criterion = serializers.CharField()
    estimates = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="estimates of which no judgment is left")
    shift = Finite(allow_null=True, help_text="the largest change, without its sign")
    share = Finite(allow_null=True, help_text="the same in half-widths of the interval")


class ExclusionEffectSerializer(serializers.Serializer[Any]):
    final_from = serializers.DateTimeField(allow_null=True, help_text="null: an appeal is open")
    effects = ShiftSerializer(
        many=True, allow_null=True, help_text="null until the ruling is final, or none is in force"
    )


class EffectView(BoundedView):
    """The effect of this annotator's exclusion on the estimates, once it is final."""

    @extend_schema(responses=ExclusionEffectSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.reviewable(request.user, public_id)
        case = reviews.case(campaign, pseudonym)
        if case is None:
            raise NotFound("No annotator of this name has entered this campaign.")
        shown = case.shows_effect
        found = effects.measure(campaign.pk, case.annotator_id) if shown else None
        body = {"final_from": case.final_from, "effects": found}
        return Response(ExclusionEffectSerializer(body).data)


class ReasonSerializer(serializers.Serializer[Reason]):
    screen = serializers.CharField(help_text="`by_hand` where no screen fired")
    annotators = serializers.IntegerField()
    judgments = serializers.IntegerField()


class ExcludedSerializer(serializers.Serializer[ExcludedCounts]):
    """How much is excluded now. One annotator may be counted for several screens."""

    judgments = serializers.IntegerField()
    annotators = serializers.IntegerField()
    reasons = ReasonSerializer(many=True)


class WithoutExcludedSerializer(serializers.Serializer[object]):
    """The reported estimate, without excluded work."""

    estimate = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    n_judgments = serializers.IntegerField()


class ComparedSerializer(serializers.Serializer[ComparedEstimate]):
    """A primary estimate without and with excluded work; null where there is none."""

    system = serializers.CharField(source="cell.system.name")
    criterion = serializers.CharField(source="cell.criterion.name")
    without = WithoutExcludedSerializer(source="cell.row", allow_null=True)
    with_excluded = WithExcludedSerializer(source="whole", allow_null=True)
    shift = Finite(allow_null=True)
    moves = serializers.BooleanField(help_text="by more than the interval's half-width")


class ConductSerializer(serializers.Serializer[Conduct]):
    """How the rulings that decide whether work counts were made."""

    rulings = serializers.IntegerField()
    blind = serializers.IntegerField(help_text="by people who could not and never had seen results")
    looked = serializers.IntegerField(help_text="not blind, by people who had looked at results")
    looks = serializers.IntegerField(
        help_text="how often people who ruled looked at results, once between two rulings"
    )
    undone = serializers.IntegerField(help_text="exclusions that were reversed")
    undone_looked = serializers.IntegerField(
        help_text="by people who had looked at results since the exclusion"
    )
    undone_late = serializers.IntegerField(help_text="after the exclusion was final")
    again = serializers.IntegerField(help_text="exclusions of people excluded before")
    own_appeals = serializers.IntegerField(
        help_text="appeals answered by the person whose ruling they were against"
    )
    unopened = serializers.IntegerField(
        help_text="by people who had not opened the annotator's case since its newest flag"
    )


class SensitivitySerializer(serializers.Serializer[Sensitivity]):
    excluded = ExcludedSerializer()
    rulings = ConductSerializer(source="conduct")
    summary = serializers.CharField()
    estimates = ComparedSerializer(source="rows", many=True)


class SensitivityView(BoundedView):
    """Every primary estimate with and without the excluded work, and how much is excluded."""

    @extend_schema(responses=SensitivitySerializer)
    def get(self, request: Request, public_id: str) -> Response:
        campaign = permissions.with_results(request.user, public_id)
        found = sensitivity.of(listing.facts(campaign))
        return Response(SensitivitySerializer(found).data)
