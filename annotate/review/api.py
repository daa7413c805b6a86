"""Reviews in the API: the queue, a case with its evidence, rulings, answers to appeals."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.common import access
from annotate.common import api as common_api
from annotate.common.api import BoundedView, RequestSerializer, validated
from annotate.common.errors import Conflict, NotFound
from annotate.review import (
    appeals as review_appeals,
)
from annotate.review import (
    effects as review_effects,
)
from annotate.review import (
    evidence,
    gold_queries,
)
from annotate.review import (
    queries as review_queries,
)
from annotate.review import (
    rulings as review_rulings,
)
from annotate.review.queries import Case, CaseKey
from annotate.review.reviews import record_opened
from annotate.review.rulings import Act, AskedRuling, RulingOutcome
from annotate.work import tutorial_queries


class FlagSerializer(serializers.Serializer[Any]):
    """A screen that fired, and the numbers that it used."""

    screen = serializers.CharField()
    at = serializers.DateTimeField()
    value = serializers.FloatField(source="verdict.value", allow_null=True)
    low = serializers.FloatField(source="verdict.low", allow_null=True)
    high = serializers.FloatField(source="verdict.high", allow_null=True)
    threshold = serializers.FloatField(source="verdict.threshold")
    n = serializers.IntegerField(source="verdict.n")
    numbers = serializers.DictField(source="verdict.numbers")
    tier = serializers.CharField(help_text="pause; or list, which has no consequence")


class ListedSerializer(serializers.Serializer[Any]):
    """A kind of signals that lists this person, in a sentence."""

    kind = serializers.CharField(source="evidence.kind")
    text = serializers.CharField()


class LeftToOthersField(serializers.BooleanField):
    def get_attribute(self, instance: Case) -> bool:
        return instance.review.pk in self.context["left"]


class WaitingSerializer(serializers.Serializer[Any]):
    """One line of the queue."""

    campaign = serializers.CharField(source="key.campaign")
    campaign_name = serializers.CharField(source="campaign.name")
    annotator = serializers.CharField(source="pseudonym")
    status = serializers.CharField(
        help_text="open; listed: worth a look, and nothing waits; or another with an open appeal"
    )
    since = serializers.DateTimeField(source="review.opened_at")
    judgments = serializers.IntegerField()
    flags = FlagSerializer(many=True)
    signals = serializers.SerializerMethodField(help_text="of the page, which list this person")
    appeal_due = serializers.DateTimeField(source="appeal.due_at", allow_null=True)
    others_answer = LeftToOthersField(
        help_text="the appeal is against your own ruling, and another reviewer answers it"
    )

    @extend_schema_field(ListedSerializer(many=True))
    def get_signals(self, one: Case) -> Any:
        return ListedSerializer(self.context["signals"].get(one.key, ()), many=True).data


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


class SignalSerializer(serializers.Serializer[Any]):
    """What one kind of signal of the page says: evidence, which lists people and stops no one."""

    kind = serializers.CharField(source="evidence.kind", help_text="typing, pace, away or double")
    listed = serializers.BooleanField(source="evidence.listed")
    value = serializers.FloatField(source="evidence.value", allow_null=True)
    bound = serializers.FloatField(
        source="evidence.bound", allow_null=True, help_text="compared with the threshold"
    )
    threshold = serializers.FloatField(source="evidence.threshold")
    n = serializers.IntegerField(source="evidence.n")
    text = serializers.CharField()


class RulingSerializer(serializers.Serializer[Any]):
    """One ruling; the next request sends the last one's `id` as `seen`."""

    id = serializers.IntegerField()
    act = serializers.CharField()
    actor = serializers.CharField(source="actor.username")
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

    def get_others(self, one: evidence.ComparedJudgment) -> list[dict[str, Any]]:
        return [
            {"annotator": each.pseudonym, "seconds": each.seconds, "response": each.response}
            for each in one.others
        ]


class CaseSerializer(serializers.Serializer[Any]):
    """One annotator's review in one campaign; `seen` goes into the next ruling."""

    campaign = serializers.CharField(source="key.campaign")
    annotator = serializers.CharField(source="pseudonym")
    status = serializers.CharField(help_text="none, open, cleared or excluded")
    pay_refused = serializers.BooleanField(source="review.pay_refused")
    blocked = serializers.BooleanField()
    since = serializers.DateTimeField(source="review.opened_at", allow_null=True)
    judgments = serializers.IntegerField()
    seen = serializers.IntegerField()
    final_from = serializers.DateTimeField(
        allow_null=True,
        help_text="when the ruling becomes final; null: without a ruling, or with an open appeal",
    )
    flags = FlagSerializer(many=True)
    rulings = RulingSerializer(many=True)
    appeals = AppealSerializer(many=True)


class GoldAnswerSerializer(serializers.Serializer[Any]):
    """What this person answered to one gold item."""

    item = serializers.CharField(source="item.name")
    right = serializers.BooleanField()
    said = serializers.CharField()
    expected = serializers.DictField(source="item.asked")
    seconds = serializers.FloatField()
    submitted_at = serializers.DateTimeField()


class CaseGoldSerializer(serializers.Serializer[Any]):
    """Gold items of this person; the counts are null until a worker has looked at them."""

    used = serializers.IntegerField(source="verdict.used", default=None, allow_null=True)
    missed = serializers.IntegerField(source="verdict.wrong", default=None, allow_null=True)
    by_honest = serializers.FloatField(
        source="verdict.by_honest",
        default=None,
        allow_null=True,
        help_text="probability that a careful person misses as many",
    )
    by_guess = serializers.FloatField(source="verdict.by_guess", default=None, allow_null=True)
    listed = serializers.BooleanField(source="verdict.listed", default=False)
    answers = GoldAnswerSerializer(many=True, source="tasks")


class FirstAnswersSerializer(serializers.Serializer[Any]):
    """One round of the tutorial: questions right at the first answer, and how many are needed."""

    number = serializers.IntegerField()
    right = serializers.IntegerField()
    asked = serializers.IntegerField()
    mark = serializers.IntegerField()
    passed = serializers.BooleanField()
    seconds = serializers.FloatField(allow_null=True)
    at = serializers.DateTimeField(source="ended_at")


class FullCaseSerializer(CaseSerializer):
    """A case with the evidence."""

    sight = serializers.CharField(
        help_text="how your ruling would count: blind; or the reason: owner, closed, seen"
    )
    effects = EffectsSerializer()
    screens = ScreenSerializer(many=True)
    signals = SignalSerializer(many=True, help_text="empty where the campaign counts none")
    gold = CaseGoldSerializer()
    first_answers = FirstAnswersSerializer(many=True, help_text="rounds of the tutorial")
    beside = BesideSerializer(many=True)


class RuleSerializer(RequestSerializer):
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


class DismissSerializer(RequestSerializer):
    """The answer that the annotator reads; the ruling stays."""

    answer = serializers.CharField(max_length=5000)


# One ruling on several people, as on the page: looked at first, then confirmed.


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
        child=PersonToRuleSerializer(), allow_empty=False, max_length=review_queries.MANY
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
        found = review_effects.cases_of(user_id, list(asked))
        outcomes: dict[CaseKey, RulingOutcome] = {}
        if given["confirmed"]:
            made = review_rulings.rule_together(
                [
                    AskedRuling(case.review, asked[case.key]["reason"], asked[case.key]["seen"])
                    for case in found
                ],
                [Act(act) for act in given["acts"]],
                actor_id=user_id,
                unopened=given["unopened"],
            )
            outcomes = {case.key: one for case, one in zip(found, made, strict=True)}
            found = review_effects.cases_of(user_id, list(asked))
        cases = {case.key: case for case in found}
        effects = dict(zip(cases, review_effects.effects_of(found), strict=True))
        others = review_effects.other_answerers(user_id, found)
        people = [
            {
                "campaign": key.campaign,
                "annotator": key.pseudonym,
                "case": cases.get(key),
                "effects": effects.get(key),
                "rulings": outcomes[key].ruling_ids if key in outcomes else (),
                "again": key in outcomes and outcomes[key].again,
                "problem": _problem(cases.get(key), outcomes.get(key), others),
            }
            for key in asked
        ]
        return Response(
            TogetherSerializer({"confirmed": given["confirmed"], "people": people}).data
        )


def _problem(
    case: Case | None, outcome: RulingOutcome | None, others: Mapping[int, Sequence[str]]
) -> str:
    if case is None:
        return "There is no review of an annotator of this name."
    if outcome:
        return outcome.problem
    names = others.get(case.review.pk, ())
    if not names:
        return ""
    return f"The appeal is against your own ruling: {' or '.join(names)} answers it."


# Reviews: the queue, one annotator with the evidence, rulings, answers to appeals.


class QueueView(BoundedView):
    """The queue of annotators who wait for a ruling in the user's campaigns."""

    @extend_schema(
        operation_id="reviews_list",
        responses=common_api.shape(WaitingSerializer, "Reviews"),
        parameters=[
            OpenApiParameter("campaign", str, description="in one campaign only"),
            *common_api.parameters(
                list(review_queries.SORTS),
                list(review_queries.PARTS),
                search="a pseudonym or a campaign's name",
            ),
            *(
                OpenApiParameter(name, str, enum=values, description=label)
                for name, (label, values) in review_queries.narrowing().items()
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        """List who waits for a ruling, the most urgent first; `show` asks for others."""
        chosen = request.query_params.get("campaign", "")
        if chosen:
            access.reviewable(request.user, chosen)
        user_id = cast(User, request.user).pk
        asked = review_queries.asked(
            request.query_params, campaign=chosen, size=common_api.size(request)
        )
        wanted = common_api.walked(request, asked, also=("campaign", *review_queries.narrowing()))
        left = review_queries.left_to_others(user_id)
        found, rows = review_queries.queue_page(user_id, wanted, left)
        context = {"signals": evidence.reasons([one.key for one in rows]), "left": left}
        body = {"results": WaitingSerializer(rows, many=True, context=context).data}
        return Response(common_api.links(request, found) | body)


class CaseView(BoundedView):
    """One annotator in one campaign, with the evidence. No field shows which system wrote what."""

    @extend_schema(responses=FullCaseSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = access.reviewable(request.user, public_id)
        case = _case(campaign, pseudonym)
        annotator_id = case.review.annotator_id
        signals = evidence.look_at_signals(campaign, annotator_id)
        rounds = tutorial_queries.tutorial_records_of(campaign.pk, [annotator_id])
        parts = {
            "effects": EffectsSerializer(review_effects.effects(*case.person)),
            "screens": ScreenSerializer(evidence.look(campaign, annotator_id).screens, many=True),
            "signals": SignalSerializer(signals.lines if signals else (), many=True),
            "gold": CaseGoldSerializer(gold_queries.of_person(campaign, annotator_id)),
            "first_answers": FirstAnswersSerializer(rounds.get(annotator_id, ()), many=True),
            "beside": BesideSerializer(evidence.work(campaign, annotator_id).all, many=True),
        }
        body = dict(CaseSerializer(case).data)
        user_id = int(cast(User, request.user).pk)
        body["sight"] = access.sight(user_id, campaign)
        record_opened(*case.person, user_id)
        return Response(body | {name: part.data for name, part in parts.items()})


class RuleView(BoundedView):
    """Rule on work, under review or not."""

    @extend_schema(request=RuleSerializer, responses=CaseSerializer)
    def post(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = access.reviewable(request.user, public_id)
        case = _case(campaign, pseudonym)
        given = validated(RuleSerializer(data=request.data))
        review_rulings.rule_on_person(
            *case.person,
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
        campaign = access.reviewable(request.user, public_id)
        case = _case(campaign, pseudonym)
        given = validated(DismissSerializer(data=request.data))
        if case.review.pk is None:
            raise Conflict("There is no open appeal.")
        review_appeals.dismiss(
            case.review.pk, actor_id=cast(User, request.user).pk, answer=given["answer"]
        )
        return Response(CaseSerializer(_case(campaign, pseudonym)).data)


def _case(campaign: Any, pseudonym: str) -> Case:
    case = review_queries.case(campaign, pseudonym)
    if case is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    return case
