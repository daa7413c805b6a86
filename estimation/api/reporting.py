"""The report of a campaign, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, Finite
from estimation.selectors.report import facts
from estimation.selectors.report.data import as_data


class ReportedEstimateSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    criterion = serializers.CharField()
    is_primary = serializers.BooleanField(help_text="collection may stop on it")
    estimate = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    target = Finite(allow_null=True, help_text="width")
    n_judgments = serializers.IntegerField()


class ReportedDifferenceSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    criterion = serializers.CharField()
    difference = Finite(help_text="first minus second, paired by item")
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    p_holm = Finite(allow_null=True, help_text="after Holm; null in a ranking")


class ReportedOutcomeSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    outcome = serializers.CharField(help_text="first, second (the higher one), close or open")


class ReportedRankingSerializer(serializers.Serializer[Any]):
    criterion = serializers.CharField()
    margin = Finite(help_text="the largest difference, or distance from a tie, without meaning")
    places = serializers.DictField(child=serializers.CharField(), help_text="by system: 1 or 2–3")
    pairs = ReportedOutcomeSerializer(many=True)


class ReportedAgreementSerializer(serializers.Serializer[Any]):
    criterion = serializers.CharField()
    alpha = Finite(allow_null=True)
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    n_outputs = serializers.IntegerField()


class ReportedPaySerializer(serializers.Serializer[Any]):
    reward = serializers.DecimalField(max_digits=8, decimal_places=2)
    bonus = serializers.DecimalField(max_digits=8, decimal_places=2)
    seconds = Finite(allow_null=True, help_text="active, of one judgment; the median of people")
    hourly = Finite(allow_null=True, help_text="an hour of active time; the median of people")
    least = Finite(allow_null=True, help_text="what nine of ten people earned at least, an hour")
    refused = serializers.IntegerField(help_text="people")
    spent = serializers.DecimalField(max_digits=12, decimal_places=2, help_text="with fees")


class ReportedPeopleSerializer(serializers.Serializer[Any]):
    entered = serializers.IntegerField()
    begun = serializers.IntegerField(help_text="the tutorial")
    passed = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="with judgments that count")


class ReportedAppealsSerializer(serializers.Serializer[Any]):
    made = serializers.IntegerField()
    upheld = serializers.IntegerField()
    waiting = serializers.IntegerField()


class ReportedAmendmentSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    actor = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)
    changes = serializers.DictField(child=serializers.ListField(), help_text="[was, now], by path")


class AnsweredSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    answer = serializers.CharField()
    is_open = serializers.BooleanField(help_text="the researcher has to answer it")


class ReportSerializer(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    name = serializers.CharField()
    at = serializers.DateTimeField()
    is_interim = serializers.BooleanField(help_text="the campaign is not final")
    methods = serializers.ListField(child=serializers.CharField(), help_text="paragraphs")
    estimates = ReportedEstimateSerializer(many=True)
    differences = ReportedDifferenceSerializer(many=True)
    rankings = ReportedRankingSerializer(many=True, help_text="empty in another mode")
    agreement = ReportedAgreementSerializer(many=True)
    excluded = serializers.CharField()
    pay = ReportedPaySerializer()
    people = ReportedPeopleSerializer()
    times_at = serializers.DateTimeField(
        allow_null=True,
        help_text="when seconds, pay for an hour and people who judged were read; null: now",
    )
    appeals = ReportedAppealsSerializer()
    protocol = serializers.DictField(allow_null=True)
    protocol_sha256 = serializers.CharField(allow_blank=True, help_text="empty before the opening")
    amendments = ReportedAmendmentSerializer(many=True)
    checklist = AnsweredSerializer(many=True)


class ReportView(BoundedView):
    """What a reader of the results must know: methods, results, pay, protocol and a checklist."""

    @extend_schema(responses=ReportSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        report = facts.build(permissions.with_results(request.user, public_id))
        return Response(ReportSerializer(as_data(report)).data)
