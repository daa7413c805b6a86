"""Batches as JSON. Money is a decimal string; durations are whole seconds."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from annotate.api.base import RequestSerializer
from annotate.crowds.base import Audience
from annotate.crowds.terms import SECONDS, Terms
from annotate.services.marketplace.offer_problems import MOST_PLACES

LONGEST_KEY = 40
YEAR = 365 * 86_400
USUAL = Terms(title="", description="")
MONEY: dict[str, Any] = {"max_digits": 12, "decimal_places": 2}
KEY = "your own; a repeated request with it changes nothing"


def _seconds(name: str, about: str) -> Any:
    usual = int(getattr(USUAL, name).total_seconds())
    return serializers.IntegerField(default=usual, min_value=0, max_value=YEAR, help_text=about)


class AudienceSerializer(RequestSerializer):
    """Whom the postings are for. The offer says which requirements the crowd cannot meet."""

    countries = serializers.ListField(
        child=serializers.CharField(max_length=2), default=list, help_text="such as US; []: all"
    )
    languages = serializers.ListField(child=serializers.CharField(max_length=3), default=list)
    approval_rate = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=100, help_text="percent, at least"
    )
    approved_work = serializers.IntegerField(default=None, allow_null=True, min_value=0)
    masters = serializers.BooleanField(default=False)


class TermsSerializer(RequestSerializer):
    """The terms of postings; a unit holds `tasks` tasks and takes `minutes` minutes."""

    title = serializers.CharField(max_length=128)
    description = serializers.CharField(max_length=2000)
    keywords = serializers.ListField(child=serializers.CharField(max_length=100), default=list)
    tasks = serializers.IntegerField(default=USUAL.tasks, min_value=1, max_value=1000)
    minutes = serializers.DecimalField(
        5, 1, default=Decimal(str(USUAL.minutes)), min_value=Decimal("0.1"), max_value=1440
    )
    duration = _seconds("duration", "to finish a submission in")
    lifetime = _seconds("lifetime", "of the postings")
    auto_approval = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=0,
        max_value=YEAR,
        help_text="until the crowd approves; null: seven days. Some crowds have a fixed time",
    )
    approve_after = _seconds("approve_after", "until undisputed work is approved")
    audience = AudienceSerializer(default=dict)


class WishSerializer(TermsSerializer):
    places = serializers.IntegerField(min_value=1, max_value=MOST_PLACES, help_text="submissions")


class LaunchSerializer(WishSerializer):
    confirmed = serializers.DecimalField(
        **MONEY, help_text="the total of the offer; another total is refused (409, `cost`)"
    )
    environment = serializers.CharField(
        default="", max_length=80, help_text="the offer's; required where it is real money"
    )
    key = serializers.CharField(max_length=LONGEST_KEY, help_text=KEY)


class PlacesSerializer(RequestSerializer):
    places = serializers.IntegerField(min_value=1, max_value=MOST_PLACES)


class ExtendSerializer(PlacesSerializer):
    confirmed = serializers.DecimalField(**MONEY)
    environment = serializers.CharField(default="", max_length=80)
    key = serializers.CharField(max_length=LONGEST_KEY, help_text=KEY)


class ProblemSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    message = serializers.CharField()


class OfferSerializer(serializers.Serializer[Any]):
    """The cost of places and all reasons against a launch. No row is written for it."""

    crowd = serializers.CharField()
    environment = serializers.CharField()
    places = serializers.IntegerField()
    tasks = serializers.IntegerField(help_text="in a submission")
    judgments = serializers.IntegerField()
    postings = serializers.IntegerField()
    reward = serializers.DecimalField(**MONEY, help_text="of a submission")
    rewards = serializers.DecimalField(**MONEY, source="bill.rewards")
    fees = serializers.DecimalField(**MONEY, source="bill.work.fee", help_text="on the rewards")
    bonuses = serializers.DecimalField(
        **MONEY, source="bill.bonuses.reward", help_text="of the tutorial, if all people are new"
    )
    bonus_fees = serializers.DecimalField(**MONEY, source="bill.bonuses.fee")
    fee_rate = serializers.DecimalField(5, 4, help_text="that the campaign calculates with")
    fee_told = serializers.DecimalField(
        5, 4, allow_null=True, help_text="that its crowd charges, if it differs: see `fee/`"
    )
    total = serializers.DecimalField(
        **MONEY, help_text="the highest possible cost, to be repeated in `confirmed`"
    )
    note = serializers.CharField()
    balance = serializers.DecimalField(**MONEY, allow_null=True)
    budget_left = serializers.DecimalField(**MONEY, source="left", allow_null=True)
    fits_budget = serializers.BooleanField()
    problems = ProblemSerializer(many=True)


class UnitsSerializer(serializers.Serializer[Any]):
    places = serializers.IntegerField()
    available = serializers.IntegerField()
    accepted = serializers.IntegerField()
    handed_in = serializers.IntegerField()
    confirmed = serializers.IntegerField()
    approved = serializers.IntegerField()
    rejected = serializers.IntegerField()
    left = serializers.IntegerField()


class PostingSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="public_id")
    status = serializers.CharField()
    listing = serializers.CharField(help_text="the crowd's name for it")
    url = serializers.CharField()
    units = UnitsSerializer()
    expires_at = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField()


class MoneyOfBatchSerializer(serializers.Serializer[Any]):
    """`confirmed` includes fees; `paid` and `due` are to people, without fees."""

    confirmed = serializers.DecimalField(**MONEY)
    paid = serializers.DecimalField(**MONEY)
    due = serializers.DecimalField(**MONEY)


class BatchSerializer(serializers.Serializer[Any]):
    """One launch. Reviewers get it without `reward` and `money`."""

    id = serializers.CharField(source="public_id")
    crowd = serializers.CharField()
    environment = serializers.CharField()
    state = serializers.CharField(
        help_text="open, planned, stopping, draining, failed, closed; full: every place is taken, "
        "and one may be free again; idle: places are free, and no one can take them now"
    )
    title = serializers.CharField(source="terms.title")
    tasks = serializers.IntegerField()
    places = serializers.IntegerField()
    reward = serializers.DecimalField(**MONEY, required=False)
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    stopped_at = serializers.DateTimeField(allow_null=True)
    next_auto_approval = serializers.DateTimeField(allow_null=True)
    units = UnitsSerializer()
    money = MoneyOfBatchSerializer(required=False)
    postings = PostingSerializer(many=True)


class OperationSerializer(serializers.Serializer[Any]):
    """An unfinished operation at the crowd, and what to do about it."""

    id = serializers.IntegerField(source="operation_id")
    kind = serializers.CharField()
    batch = serializers.CharField()
    posting = serializers.CharField()
    annotator = serializers.CharField(help_text="pseudonym; empty if it concerns no annotator")
    amount = serializers.DecimalField(**MONEY, allow_null=True)
    places = serializers.IntegerField(allow_null=True)
    status = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField()
    attempts = serializers.IntegerField()
    due_at = serializers.DateTimeField()


class SubmissionInDoubtSerializer(serializers.Serializer[Any]):
    """A submission that the crowd lists as handed in, with a discrepancy."""

    id = serializers.IntegerField(source="participation_id")
    annotator = serializers.CharField(source="pseudonym", help_text="pseudonym")
    title = serializers.CharField(help_text="of the batch")
    reward = serializers.DecimalField(**MONEY)
    problem = serializers.CharField()
    handed_in = serializers.DateTimeField(allow_null=True)
    by_itself = serializers.DateTimeField(
        allow_null=True, help_text="when the crowd pays it without a decision"
    )


class FeeSerializer(RequestSerializer):
    fee_rate = serializers.DecimalField(5, 4, min_value=0, help_text="0.4286 for 42.86 %")
    beyond_budget = serializers.BooleanField(
        default=False, help_text="even if what is promised then exceeds the budget (409)"
    )


class RaisedBudgetSerializer(RequestSerializer):
    budget = serializers.DecimalField(10, 2, min_value=0, help_text="higher than it is now")


class PayInDoubtSerializer(RequestSerializer):
    beyond_budget = serializers.BooleanField(
        default=False, help_text="even if the campaign is beyond its budget (409, `budget`)"
    )


class DecideSerializer(RequestSerializer):
    happened = serializers.BooleanField(help_text="what you saw on the crowd's own pages")


class LookedSerializer(serializers.Serializer[Any]):
    postings = serializers.IntegerField(help_text="that are being compared")


def terms_of(typed: dict[str, Any]) -> Terms:
    """Return the terms of validated fields."""
    audience = typed["audience"] or AudienceSerializer().to_internal_value({})
    given = {name: typed[name] for name in SECONDS if typed[name] is not None}
    times = {name: timedelta(seconds=seconds) for name, seconds in given.items()}
    return Terms(
        title=" ".join(typed["title"].split()),
        description=typed["description"],
        keywords=tuple(typed["keywords"]),
        tasks=typed["tasks"],
        minutes=float(typed["minutes"]),
        audience=Audience(**{name: _plain(value) for name, value in audience.items()}),
        **times,
    )


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
