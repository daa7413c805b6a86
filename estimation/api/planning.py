"""A plan of a collection as JSON: the numbers of the page Plan and of `manage.py plan`."""

from typing import Any

from django.forms import ChoiceField, Field, IntegerField
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.base import BoundedView, Finite, check_names
from annotate.errors import Invalid
from estimation.forms import GOALS, PlanForm, initial
from estimation.selectors import planning


class RangeSerializer(serializers.Serializer[Any]):
    """The mean of the drawn campaigns, and the range of 8 of 10."""

    expected = Finite()
    low = Finite()
    high = Finite()


class TargetSerializer(serializers.Serializer[Any]):
    target_width = Finite()
    judgments = RangeSerializer()
    items = RangeSerializer(help_text="of each system")
    annotators = RangeSerializer()
    cost = RangeSerializer(help_text="with fees, bonuses, and tutorials that people fail")
    hours = RangeSerializer(allow_null=True, help_text="of work")
    days = RangeSerializer(allow_null=True, help_text="of collecting")
    stop_probability = Finite(help_text="that one system reaches the target")
    all_stop_probability = Finite(help_text="that all of them do")
    floor = Finite(help_text="the width with every item judged by these people")


class ChangeSerializer(serializers.Serializer[Any]):
    change = serializers.CharField()
    target = TargetSerializer(allow_null=True, help_text="null if it is not reached then")


class BudgetSerializer(serializers.Serializer[Any]):
    budget = Finite()
    judgments = serializers.IntegerField()
    cost = Finite()
    width = RangeSerializer(allow_null=True)
    complete = serializers.BooleanField(help_text="everything is judged, and money is left")


class RankingPlanSerializer(serializers.Serializer[Any]):
    margin = Finite()
    pairs = serializers.IntegerField()
    planned_items = serializers.IntegerField()
    settled_items = serializers.IntegerField(
        allow_null=True, help_text="for pairs that are alike, or further apart than the margin"
    )
    slowest_items = serializers.IntegerField(
        allow_null=True, help_text="for pairs that differ by half the margin"
    )


class PairPlanSerializer(serializers.Serializer[Any]):
    preference = Finite(help_text="the true one, counted from a tie")
    decided = Finite(help_text="the probability of a decision before the items run out")
    usual_items = serializers.IntegerField(allow_null=True, help_text="half are decided by then")
    enough_items = serializers.IntegerField(
        allow_null=True, help_text="decided by then with the asked probability"
    )
    judgments = RangeSerializer(help_text="of all pairs, if all are like this")


class PeopleAssumedSerializer(serializers.Serializer[Any]):
    """Who is assumed to judge. Give `pool` to plan for the people that you have."""

    places = serializers.IntegerField(help_text="people at work at a time")
    fewest = serializers.IntegerField(
        allow_null=True, help_text="whom it takes to judge everything; null without a cap"
    )
    why = serializers.CharField()


class PlanAnswerSerializer(serializers.Serializer[Any]):
    """What is asked for is filled in; the rest is null or empty."""

    target = TargetSerializer(allow_null=True)
    budget = BudgetSerializer(allow_null=True)
    ranking = RankingPlanSerializer(allow_null=True)
    pairs = PairPlanSerializer(many=True, help_text="of texts that are judged side by side")
    people_assumed = PeopleAssumedSerializer(
        allow_null=True, help_text="null for a ranking of scores, which a formula plans"
    )
    refused = serializers.CharField(allow_blank=True, help_text="why a target cannot be met")
    reachable = Finite(allow_null=True, help_text="the nearest target that can be met")
    changes = ChangeSerializer(many=True, help_text="of the plan, the cheapest first")


def _parameter(name: str, field: Field) -> OpenApiParameter:
    kinds: dict[type[Field], Any] = {IntegerField: int, ChoiceField: str}
    kind = next((told for of, told in kinds.items() if isinstance(field, of)), float)
    choices = [key for key, _label in field.widget.choices] if kind is str else None
    usual = "" if name in GOALS or field.initial is None else f" {field.initial} by default."
    said = f"{field.label}.{usual} {field.help_text}".strip()
    return OpenApiParameter(name, kind, description=said, enum=choices)


PARAMETERS = [_parameter(name, field) for name, field in PlanForm.base_fields.items()]


class PlanView(BoundedView):
    @extend_schema(operation_id="plan", responses=PlanAnswerSerializer, parameters=PARAMETERS)
    def get(self, request: Request) -> Response:
        """Say what a target width or a ranking takes, or what a budget buys. Nothing is stored.

        Give one of target, margin and money.
        """
        hint = f"A plan is for one of {', '.join(GOALS)}."
        check_names(request, PlanForm.base_fields, hint=hint)
        form = PlanForm(_filled(request))
        if not form.is_valid():
            raise Invalid({name: " ".join(map(str, said)) for name, said in form.errors.items()})
        plan, problem = planning.answer(form.options, form.goals)
        if plan is None:
            raise Invalid({next(name for name, n in form.goals.items() if n is not None): problem})
        return Response(PlanAnswerSerializer(planning.data(plan)).data)


def _filled(request: Request) -> dict[str, Any]:
    """Return what is asked, with the usual values of the page for what is not; no goal is usual."""
    usual = {name: value for name, value in initial().items() if name not in GOALS}
    usual = {name: value for name, value in usual.items() if value is not None}
    return usual | {"estimand": "population", "crowd": "link"} | request.query_params.dict()
