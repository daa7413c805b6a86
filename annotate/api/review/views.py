"""Reviews: the queue, one annotator with the evidence, rulings, answers to appeals."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, validated
from annotate.errors import Conflict, NotFound
from annotate.selectors.campaigns import blinding
from annotate.selectors.review import effects as review_effects
from annotate.selectors.review import judgments as review_judgments
from annotate.selectors.review import reviews
from annotate.selectors.review import (
    screens as review_screens,
)
from annotate.services.review import appeals, reviewing
from annotate.services.review.rulings import Act


class FlagSerializer(serializers.Serializer[Any]):
    """A screen that fired, and the numbers that it used."""

    screen = serializers.CharField()
    at = serializers.DateTimeField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    threshold = serializers.FloatField()
    n = serializers.IntegerField()
    numbers = serializers.DictField()


class WaitingSerializer(serializers.Serializer[Any]):
    """One line of the queue."""

    campaign = serializers.CharField()
    campaign_name = serializers.CharField()
    annotator = serializers.CharField(source="pseudonym")
    status = serializers.CharField(help_text="open; or another status with an open appeal")
    since = serializers.DateTimeField()
    judgments = serializers.IntegerField()
    flags = FlagSerializer(many=True)
    appeal_due = serializers.DateTimeField(allow_null=True)
    others_answer = serializers.BooleanField(
        help_text="the appeal is against your own ruling, and another reviewer answers it"
    )


class ScreenSerializer(serializers.Serializer[Any]):
    """A screen's current verdict; `others`: its values for the other annotators, ascending."""

    screen = serializers.CharField(source="verdict.screen")
    flagged = serializers.BooleanField(source="verdict.flagged")
    enough = serializers.BooleanField(source="verdict.enough")
    value = serializers.FloatField(source="verdict.value", allow_null=True)
    low = serializers.FloatField(source="verdict.low", allow_null=True)
    high = serializers.FloatField(source="verdict.high", allow_null=True)
    threshold = serializers.FloatField(source="verdict.threshold")
    n = serializers.IntegerField(source="verdict.n")
    numbers = serializers.DictField(source="verdict.numbers")
    others = serializers.ListField(child=serializers.FloatField())


class RulingSerializer(serializers.Serializer[Any]):
    """One ruling; the next request sends the last one's `id` as `seen`."""

    id = serializers.IntegerField()
    act = serializers.CharField()
    actor = serializers.CharField()
    reason = serializers.CharField()
    at = serializers.DateTimeField()
    blind = serializers.BooleanField(help_text="its actor could not see results, and never had")


class AppealSerializer(serializers.Serializer[Any]):
    """An appeal; `answered_at` and `upheld` are null while it is open."""

    own_ruling = serializers.BooleanField(
        help_text="answered by the person whose ruling it is against, the only reviewer"
    )

    text = serializers.CharField()
    made_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)
    upheld = serializers.BooleanField(allow_null=True)
    answer = serializers.CharField()


class EffectsSerializer(serializers.Serializer[Any]):
    """What rulings would do now: judgments and money, never scores."""

    counting = serializers.IntegerField()
    excluded = serializers.IntegerField()
    due = serializers.DecimalField(12, 2, help_text="the unpaid part of their earnings")
    at_stake = serializers.DecimalField(12, 2, help_text="the part of it that can be refused")
    refused = serializers.DecimalField(12, 2)
    refusable = serializers.BooleanField()
    refusable_until = serializers.DateTimeField(allow_null=True)
    paid_out = serializers.BooleanField()


class BesideSerializer(serializers.Serializer[Any]):
    """One output of this annotator's, with its distance from the others' answers, 0 to 1."""

    output = serializers.CharField(
        source="name", help_text="the same in every case; it tells nothing about systems"
    )
    response = serializers.DictField(source="mine.response")
    seconds = serializers.FloatField(source="mine.seconds")
    counts = serializers.BooleanField(source="mine.counts")
    others = serializers.SerializerMethodField()
    distance = serializers.FloatField(allow_null=True)

    def get_others(self, one: review_judgments.ComparedJudgment) -> list[dict[str, Any]]:
        return [
            {"annotator": each.pseudonym, "seconds": each.seconds, "response": each.response}
            for each in one.others
        ]


class CaseSerializer(serializers.Serializer[Any]):
    """One annotator's review in one campaign; `seen` goes into the next ruling."""

    campaign = serializers.CharField()
    annotator = serializers.CharField(source="pseudonym")
    status = serializers.CharField(help_text="none, open, cleared or excluded")
    pay_refused = serializers.BooleanField()
    blocked = serializers.BooleanField()
    since = serializers.DateTimeField(allow_null=True)
    judgments = serializers.IntegerField()
    seen = serializers.IntegerField()
    final_from = serializers.DateTimeField(
        allow_null=True,
        help_text="when the ruling becomes final; null: without a ruling, or with an open appeal",
    )
    flags = FlagSerializer(many=True)
    rulings = RulingSerializer(many=True)
    appeals = AppealSerializer(many=True)


class FullCaseSerializer(CaseSerializer):
    """A case with the evidence."""

    sight = serializers.CharField(
        help_text="how your ruling would count: blind; or the reason: owner, closed, seen"
    )
    effects = EffectsSerializer()
    screens = ScreenSerializer(many=True)
    beside = BesideSerializer(many=True)


class RuleSerializer(serializers.Serializer[Any]):
    """Acts in their order, all or none; exclude, refuse and block require a `reason`."""

    acts: Any = serializers.ListField(
        child=serializers.ChoiceField(Act.choices), allow_empty=False, max_length=len(Act)
    )
    reason = serializers.CharField(default="", allow_blank=True, max_length=5000)
    seen = serializers.IntegerField(
        default=0, min_value=0, help_text="id of the last ruling that you have read; 0: none"
    )
    beyond_budget = serializers.BooleanField(
        default=False, help_text="restore pay even if that exceeds the budget (409, `budget`)"
    )


class DismissSerializer(serializers.Serializer[Any]):
    """The answer that the annotator reads; the ruling stays."""

    answer = serializers.CharField(max_length=5000)


class QueueView(BoundedView):
    """The queue of annotators who wait for a ruling in the user's campaigns."""

    @extend_schema(
        responses=WaitingSerializer(many=True),
        parameters=[OpenApiParameter("campaign", str, description="in one campaign only")],
    )
    def get(self, request: Request) -> Response:
        chosen = request.query_params.get("campaign", "")
        if chosen:
            permissions.visible(request.user, chosen)
        rows = reviews.queue(cast(User, request.user).pk, campaign=chosen)
        return Response(WaitingSerializer(rows, many=True).data)


class CaseView(BoundedView):
    """One annotator in one campaign, with the evidence. No field shows which system wrote what."""

    @extend_schema(responses=FullCaseSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.visible(request.user, public_id)
        case = _case(campaign, pseudonym)
        parts = {
            "effects": EffectsSerializer(_effects(case)),
            "screens": ScreenSerializer(
                review_screens.look(campaign, case.annotator_id).screens, many=True
            ),
            "beside": BesideSerializer(
                review_judgments.work(campaign, case.annotator_id).all, many=True
            ),
        }
        body = dict(CaseSerializer(case).data)
        body["sight"] = blinding.sight(cast(User, request.user).pk, campaign)
        return Response(body | {name: part.data for name, part in parts.items()})


class RuleView(BoundedView):
    """Rule on work, under review or not."""

    @extend_schema(request=RuleSerializer, responses=CaseSerializer)
    def post(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.visible(request.user, public_id)
        case = _case(campaign, pseudonym)
        given = validated(RuleSerializer(data=request.data))
        reviewing.rule(
            campaign.pk,
            case.annotator_id,
            [Act(act) for act in given["acts"]],
            actor_id=cast(User, request.user).pk,
            reason=given["reason"],
            seen=given["seen"],
            beyond_budget=given["beyond_budget"],
        )
        return Response(CaseSerializer(_case(campaign, pseudonym)).data)


class DismissView(BoundedView):
    """Answer an appeal without changing the ruling."""

    @extend_schema(request=DismissSerializer, responses=CaseSerializer)
    def post(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.visible(request.user, public_id)
        case = _case(campaign, pseudonym)
        given = validated(DismissSerializer(data=request.data))
        if case.review_id is None:
            raise Conflict("There is no open appeal.")
        appeals.dismiss(
            case.review_id, actor_id=cast(User, request.user).pk, answer=given["answer"]
        )
        return Response(CaseSerializer(_case(campaign, pseudonym)).data)


def _case(campaign: Any, pseudonym: str) -> reviews.Case:
    case = reviews.case(campaign, pseudonym)
    if case is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    return case


def _effects(case: reviews.Case) -> review_effects.Effects:
    return review_effects.effects(case.campaign_id, case.annotator_id)
