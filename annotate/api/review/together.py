"""One ruling on several people, as on the page: looked at first, then confirmed."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.base import BoundedView, RequestSerializer, validated
from annotate.api.review.serializers import CaseSerializer, EffectsSerializer
from annotate.selectors.review import queues
from annotate.selectors.review import together as cases
from annotate.selectors.review.queues import CaseKey
from annotate.selectors.review.together import Together
from annotate.services.review import together
from annotate.services.review.rulings import Act
from annotate.services.review.together import AskedRuling, RulingOutcome

# Pay is decided one person at a time: limits and amounts differ.
ACTS = [(act.value, act.label) for act in Act if act not in (Act.REFUSE, Act.REPAY)]


class PersonToRuleSerializer(RequestSerializer):
    """One person; `seen` is that of the case, 0 without a ruling."""

    campaign = serializers.CharField(max_length=40)
    annotator = serializers.CharField(max_length=120)
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=5000, help_text="the answer that they read"
    )
    seen = serializers.IntegerField(default=0, min_value=0)


class RuleTogetherSerializer(RequestSerializer):
    """The same acts for several people, each with a reason of their own."""

    acts: Any = serializers.ListField(
        child=serializers.ChoiceField(ACTS), allow_empty=False, max_length=len(ACTS)
    )
    people = serializers.ListField(
        child=PersonToRuleSerializer(), allow_empty=False, max_length=queues.MANY
    )
    confirmed = serializers.BooleanField(
        default=False, help_text="without it nothing is done, and you read what would be"
    )
    unopened = serializers.BooleanField(
        default=False,
        help_text="rule also on people whose case you have not read (GET) since their newest flag",
    )


class RuledTogetherSerializer(serializers.Serializer[Any]):
    """One person: the case as it stands after the request, and what was done."""

    campaign = serializers.CharField()
    annotator = serializers.CharField()
    case = CaseSerializer(allow_null=True)
    effects = EffectsSerializer(allow_null=True)
    rulings = serializers.ListField(
        child=serializers.IntegerField(), help_text="ids; empty where nothing was done"
    )
    again = serializers.BooleanField(help_text="the same request had done it before")
    problem = serializers.CharField(help_text="why nothing was done; empty where it was")


class TogetherSerializer(serializers.Serializer[Any]):
    confirmed = serializers.BooleanField()
    people = RuledTogetherSerializer(many=True)


class RuleTogetherView(BoundedView):
    """Rule on several people at once, each in a transaction of their own."""

    @extend_schema(request=RuleTogetherSerializer, responses=TogetherSerializer)
    def post(self, request: Request) -> Response:
        given = validated(RuleTogetherSerializer(data=request.data))
        user_id = int(cast(User, request.user).pk)
        asked = {CaseKey(one["campaign"], one["annotator"]): one for one in given["people"]}
        found = _by_key(cases.of(user_id, list(asked)))
        outcomes: dict[CaseKey, RulingOutcome] = {}
        if given["confirmed"]:
            acts = [Act(act) for act in given["acts"]]
            ask = [_asked(one, asked[key]) for key, one in found.items()]
            made = together.rule_together(ask, acts, actor_id=user_id, unopened=given["unopened"])
            outcomes = dict(zip(found, made, strict=True))
            found = _by_key(cases.of(user_id, list(asked)))
        people = [_told(key, found.get(key), outcomes.get(key)) for key in asked]
        body = {"confirmed": given["confirmed"], "people": people}
        return Response(TogetherSerializer(body).data)


def _by_key(found: list[Together]) -> dict[CaseKey, Together]:
    return {CaseKey(one.case.campaign, one.case.pseudonym): one for one in found}


def _asked(one: Together, given: dict[str, Any]) -> AskedRuling:
    return AskedRuling(
        review_id=one.case.review_id or 0,
        campaign_id=one.case.campaign_id,
        annotator_id=one.case.annotator_id,
        reason=given["reason"],
        seen=given["seen"],
    )


def _told(key: CaseKey, one: Together | None, outcome: RulingOutcome | None) -> dict[str, Any]:
    problem = outcome.problem if outcome else ""
    if one is None:
        problem = "There is no review of an annotator of this name."
    elif one.others and not outcome:
        problem = f"The appeal is against your own ruling: {' or '.join(one.others)} answers it."
    return {
        "campaign": key.campaign,
        "annotator": key.pseudonym,
        "case": one and one.case,
        "effects": one and one.effects,
        "rulings": outcome.ruling_ids if outcome else (),
        "again": bool(outcome and outcome.again),
        "problem": problem,
    }
