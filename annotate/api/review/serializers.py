"""What the API of reviews reads and writes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.base import RequestSerializer
from annotate.selectors.review import judgments as review_judgments
from annotate.selectors.review import reviews, signal_evidence
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
    tier = serializers.CharField(help_text="pause; or list, which has no consequence")


class ListedSerializer(serializers.Serializer[Any]):
    """A kind of signals that lists this person, in a sentence."""

    kind = serializers.CharField()
    text = serializers.CharField()


class WaitingSerializer(serializers.Serializer[Any]):
    """One line of the queue."""

    campaign = serializers.CharField()
    campaign_name = serializers.CharField()
    annotator = serializers.CharField(source="pseudonym")
    status = serializers.CharField(
        help_text="open; listed: worth a look, and nothing waits; or another with an open appeal"
    )
    since = serializers.DateTimeField()
    judgments = serializers.IntegerField()
    flags = FlagSerializer(many=True)
    signals = serializers.SerializerMethodField(help_text="of the page, which list this person")
    appeal_due = serializers.DateTimeField(allow_null=True)
    others_answer = serializers.BooleanField(
        help_text="the appeal is against your own ruling, and another reviewer answers it"
    )

    @extend_schema_field(ListedSerializer(many=True))
    def get_signals(self, one: reviews.Waiting) -> list[dict[str, str]]:
        reason: signal_evidence.SignalReason | None = self.context["signals"].get(one.key)
        return [] if reason is None else signal_evidence.sentences(reason)


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

    kind = serializers.CharField(help_text="typing, pace, away or double")
    listed = serializers.BooleanField()
    value = serializers.FloatField(allow_null=True)
    bound = serializers.FloatField(allow_null=True, help_text="compared with the threshold")
    threshold = serializers.FloatField()
    n = serializers.IntegerField()
    text = serializers.CharField()


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
    at = serializers.DateTimeField()


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
