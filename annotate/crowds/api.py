"""Batches as JSON. Money is a decimal string; durations are whole seconds."""

from dataclasses import fields
from decimal import Decimal
from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import amendments
from annotate.common import access
from annotate.common import api as common_api
from annotate.common import lists as common_lists
from annotate.common.api import BoundedView, RequestSerializer, takes_no_fields, validated
from annotate.common.errors import Conflict, Invalid
from annotate.crowds import batches, outbox, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.adapters import world_of_posting
from annotate.crowds.contract import Terms, from_json
from annotate.crowds.postings import MOST_PLACES
from annotate.crowds.queries import BatchRow
from annotate.pay import budget as pay_budget
from annotate.pay import settling

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

    crowd = serializers.CharField(source="campaign.crowd")
    environment = serializers.CharField()
    places = serializers.IntegerField()
    tasks = serializers.IntegerField(source="terms.tasks", help_text="in a submission")
    judgments = serializers.IntegerField()
    postings = serializers.IntegerField()
    reward = serializers.DecimalField(**MONEY, help_text="of a submission")
    rewards = serializers.DecimalField(**MONEY, source="bill.rewards")
    fees = serializers.DecimalField(**MONEY, source="bill.work.fee", help_text="on the rewards")
    bonuses = serializers.DecimalField(
        **MONEY, source="bill.bonuses.reward", help_text="of the tutorial, if all people are new"
    )
    bonus_fees = serializers.DecimalField(**MONEY, source="bill.bonuses.fee")
    fee_rate = serializers.DecimalField(
        5, 4, source="campaign.fee_rate", help_text="that the campaign calculates with"
    )
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
    id = serializers.CharField(source="posting.public_id")
    status = serializers.CharField(source="posting.status")
    listing = serializers.CharField(
        source="posting.external_id", help_text="the crowd's name for it"
    )
    url = serializers.CharField(source="posting.url")
    units = UnitsSerializer()
    expires_at = serializers.DateTimeField(source="posting.expires_at", allow_null=True)
    looked_at = serializers.DateTimeField(source="posting.looked_at", allow_null=True)
    problem = serializers.CharField(source="posting.problem")


class MoneyOfBatchSerializer(serializers.Serializer[Any]):
    """`confirmed` includes fees; `paid` and `due` are to people, without fees."""

    confirmed = serializers.DecimalField(**MONEY)
    paid = serializers.DecimalField(**MONEY)
    due = serializers.DecimalField(**MONEY)


class BatchSerializer(serializers.Serializer[Any]):
    """One launch. Reviewers get it without `reward` and `money`."""

    id = serializers.CharField(source="batch.public_id")
    crowd = serializers.CharField(source="batch.crowd")
    environment = serializers.CharField(source="batch.environment")
    state = serializers.CharField(
        help_text="open, planned, stopping, draining, failed, closed; full: every place is taken, "
        "and one may be free again; idle: places are free, and no one can take them now"
    )
    title = serializers.CharField(source="batch.terms.title")
    tasks = serializers.IntegerField(source="batch.tasks")
    places = serializers.IntegerField(source="batch.places")
    reward = serializers.DecimalField(**MONEY, source="batch.reward", required=False)
    created_at = serializers.DateTimeField(source="batch.created_at")
    created_by = serializers.CharField()
    stopped_at = serializers.DateTimeField(source="batch.stopped_at", allow_null=True)
    next_auto_approval = serializers.DateTimeField(allow_null=True)
    units = UnitsSerializer()
    money = MoneyOfBatchSerializer(source="*", required=False)
    postings = PostingSerializer(many=True)


class OperationSerializer(serializers.Serializer[Any]):
    """An unfinished operation at the crowd, and what to do about it."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    batch = serializers.CharField(source="of_batch")
    posting = serializers.CharField(source="of_posting")
    annotator = serializers.CharField(
        source="of_annotator", help_text="pseudonym; empty if it concerns no annotator"
    )
    amount = serializers.DecimalField(**MONEY, source="payload.amount", allow_null=True)
    places = serializers.IntegerField(source="payload.places", allow_null=True)
    status = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField()
    attempts = serializers.IntegerField()
    due_at = serializers.DateTimeField()


class SubmissionInDoubtSerializer(serializers.Serializer[Any]):
    """A submission that the crowd lists as handed in, with a discrepancy."""

    id = serializers.IntegerField(source="pk")
    annotator = serializers.CharField(source="annotator.pseudonym", help_text="pseudonym")
    title = serializers.CharField(source="posting.batch.terms.title", help_text="of the batch")
    reward = serializers.DecimalField(**MONEY, source="posting.batch.reward")
    problem = serializers.CharField()
    handed_in = serializers.DateTimeField(source="submitted_at", allow_null=True)
    by_itself = serializers.DateTimeField(
        source="auto_approval_at",
        allow_null=True,
        help_text="when the crowd pays it without a decision",
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
    named = {one.name: typed[one.name] for one in fields(Terms)}
    named["title"] = " ".join(typed["title"].split())
    named["minutes"] = float(typed["minutes"])
    named["audience"] = typed["audience"] or AudienceSerializer().to_internal_value({})
    return from_json(named)


# Batches of a campaign: cost, launch, extension, stop and comparison with the crowd.
#
# Reviewers see their progress without money. Only owners can act.


OF_OWNERS = ("reward", "money")
PARTS = {"all": "", crowds_queries.RUNNING: ""}
BATCHES = 20  # on a page: each has its postings
DOUBTFUL = common_api.shape(SubmissionInDoubtSerializer, "SubmissionsInDoubt")


class BatchesView(BoundedView):
    own_keys = ("post",)

    @extend_schema(
        operation_id="campaigns_batches_list",
        responses=common_api.shape(BatchSerializer, "Batches"),
        parameters=common_api.parameters((), list(PARTS), search="a title", usual=BATCHES),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List batches, the newest first."""
        campaign = access.visible(request.user, public_id)
        owner = access.is_owner(request.user, campaign)
        wanted = common_api.asked(request, sorts={}, choices=PARTS, usual=BATCHES)
        found, page = crowds_queries.batches_page(campaign.pk, wanted)
        return common_api.answer(request, found, [_data(row, owner=owner) for row in page])

    @extend_schema(request=LaunchSerializer, responses={200: BatchSerializer, 201: BatchSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Launch one for exactly the total of the offer; 200 if the key has already launched it."""
        campaign = access.owned(request.user, public_id)
        typed = validated(LaunchSerializer(data=request.data))
        _agree(campaign, typed["environment"])
        began = timezone.now()
        made = batches.launch(
            campaign.pk,
            terms_of(typed),
            places=typed["places"],
            actor_id=_actor(request),
            confirmed=typed["confirmed"],
            key=f"{public_id}:{typed['key']}",
        )
        return _shown(campaign, made.public_id, status=200 if made.created_at < began else 201)


class OfferView(BoundedView):
    @extend_schema(request=WishSerializer, responses=OfferSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Return the cost of a batch and the reasons against it; nothing is published."""
        campaign = access.owned(request.user, public_id)
        typed = validated(WishSerializer(data=request.data))
        offer = batches.offer(campaign.pk, terms_of(typed), places=typed["places"])
        return Response(OfferSerializer(offer).data)


class FeeView(BoundedView):
    @extend_schema(request=FeeSerializer, responses=FeeSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Let the campaign calculate with another fee from now on."""
        campaign = access.owned(request.user, public_id)
        typed = validated(FeeSerializer(data=request.data))
        amendments.change_fee(
            campaign.pk,
            typed["fee_rate"],
            actor_id=_actor(request),
            beyond_budget=typed["beyond_budget"],
        )
        return Response(FeeSerializer(typed).data)


class BudgetView(BoundedView):
    @extend_schema(request=RaisedBudgetSerializer, responses=RaisedBudgetSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Raise the budget; the same amount again changes nothing."""
        campaign = access.owned(request.user, public_id)
        typed = validated(RaisedBudgetSerializer(data=request.data))
        amendments.raise_budget(campaign.pk, typed["budget"], actor_id=_actor(request))
        return Response(RaisedBudgetSerializer(typed).data)


class BatchView(BoundedView):
    @extend_schema(responses=BatchSerializer)
    def get(self, request: Request, public_id: str, batch_id: str) -> Response:
        campaign = access.visible(request.user, public_id)
        row = crowds_queries.batch_row(campaign.pk, batch_id)
        return Response(_data(row, owner=access.is_owner(request.user, campaign)))


class OfferMoreView(BoundedView):
    @extend_schema(
        operation_id="campaigns_batches_offer_more",
        request=PlacesSerializer,
        responses=OfferSerializer,
    )
    def post(self, request: Request, public_id: str, batch_id: str) -> Response:
        """Return the cost of further places of a batch."""
        campaign = access.owned(request.user, public_id)
        row = crowds_queries.batch_row(campaign.pk, batch_id)
        typed = validated(PlacesSerializer(data=request.data))
        offer = batches.offer_more(row.batch.pk, places=typed["places"])
        return Response(OfferSerializer(offer).data)


class ExtendView(BoundedView):
    own_keys = ("post",)

    @extend_schema(request=ExtendSerializer, responses=BatchSerializer)
    def post(self, request: Request, public_id: str, batch_id: str) -> Response:
        """Ask for further places; a repeated request with the same key adds none."""
        campaign = access.owned(request.user, public_id)
        row = crowds_queries.batch_row(campaign.pk, batch_id)
        typed = validated(ExtendSerializer(data=request.data))
        _agree(campaign, typed["environment"])
        batches.extend(
            row.batch.pk,
            typed["places"],
            actor_id=_actor(request),
            confirmed=typed["confirmed"],
            key=typed["key"],
        )
        return _shown(campaign, batch_id)


class StopView(BoundedView):
    @takes_no_fields(responses=BatchSerializer)
    def post(self, request: Request, public_id: str, batch_id: str) -> Response:
        """Stop new people from entering; people who have accepted may finish. Safe to repeat."""
        campaign = access.owned(request.user, public_id)
        row = crowds_queries.batch_row(campaign.pk, batch_id)
        batches.stop(row.batch.pk, actor_id=_actor(request))
        return _shown(campaign, batch_id)


class SyncView(BoundedView):
    @takes_no_fields(responses={202: LookedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Let workers compare the campaign's postings with the crowd now."""
        campaign = access.owned(request.user, public_id)
        n = reconciling.look(campaign.pk, actor_id=_actor(request))
        return Response({"postings": n}, status=202)


class OperationsView(BoundedView):
    @extend_schema(
        operation_id="campaigns_operations_list",
        responses=common_api.shape(OperationSerializer, "Operations"),
        parameters=common_api.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List unfinished operations at the crowd, those that need a person first."""
        campaign = access.owned(request.user, public_id)
        told, wanted = (
            crowds_queries.operations_told(campaign.pk),
            common_api.asked(request, sorts={}),
        )
        found, shown = common_lists.page_beside(told, ("turn", "pk"), wanted)
        return common_api.answer(request, found, OperationSerializer(shown, many=True).data)


class RetryView(BoundedView):
    @takes_no_fields(responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Retry a refused operation, or look again whether an unclear one happened."""
        campaign = _campaign_of(request, public_id, operation_id)
        outbox.retry(operation_id, actor_id=_actor(request))
        return _operation(campaign, operation_id)


class DecideView(BoundedView):
    @extend_schema(request=DecideSerializer, responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Say whether it happened, where only a person can tell."""
        campaign = _campaign_of(request, public_id, operation_id)
        typed = validated(DecideSerializer(data=request.data))
        outbox.decide(operation_id, typed["happened"], actor_id=_actor(request))
        return _operation(campaign, operation_id)


class DropView(BoundedView):
    @takes_no_fields(responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Drop an operation that has not happened."""
        campaign = _campaign_of(request, public_id, operation_id)
        if not outbox.drop(operation_id, actor_id=_actor(request)):
            raise Conflict("It has happened, or may have: it cannot be dropped.")
        return _operation(campaign, operation_id)


class SubmissionsInDoubtView(BoundedView):
    @extend_schema(
        operation_id="campaigns_units_in_doubt_list",
        responses=DOUBTFUL,
        parameters=common_api.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the submissions with a discrepancy, which wait for your decision."""
        return _in_doubt(request, access.owned(request.user, public_id))


class PayInDoubtView(BoundedView):
    @extend_schema(request=PayInDoubtSerializer, responses=DOUBTFUL)
    def post(self, request: Request, public_id: str, unit_id: int) -> Response:
        """Pay one despite its discrepancy, and list those that still wait. A ruling refuses pay."""
        campaign = access.owned(request.user, public_id)
        typed = validated(PayInDoubtSerializer(data=request.data))
        settling.accept(
            pay_budget.unit_id_of(campaign.pk, unit_id),
            actor_id=_actor(request),
            beyond_budget=typed["beyond_budget"],
        )
        return _in_doubt(request, campaign)


def _in_doubt(request: Request, campaign: Any) -> Response:
    address = reverse("api-doubtful", args=[campaign.public_id])
    wanted = common_api.asked(request, sorts={}, address=address)
    rows, order = pay_budget.disputed(campaign.pk), ("submitted_at", "pk")
    found, waiting = common_lists.page_beside(rows, order, wanted, nullable=("submitted_at",))
    body = {"results": SubmissionInDoubtSerializer(waiting, many=True).data}
    return Response(common_api.links(request, found, address) | body)


def _campaign_of(request: Request, public_id: str, operation_id: int) -> Any:
    """Return the owner's campaign with this operation; `NotFound` for another's."""
    campaign = access.owned(request.user, public_id)
    crowds_queries.operation(campaign.pk, operation_id)
    return campaign


def _operation(campaign: Any, operation_id: int) -> Response:
    return Response(OperationSerializer(crowds_queries.operation(campaign.pk, operation_id)).data)


def _agree(campaign: Any, environment: str) -> None:
    """Raise unless the request names the environment, if that uses real money."""
    here = world_of_posting(campaign.crowd)
    if environment and environment != here.environment:
        raise Conflict(
            f"The settings now name “{here.environment}”, not “{environment}”. Ask for an offer."
        )
    if here.is_real and not environment:
        message = f"This is real money. Add “environment”: “{here.environment}” to the request."
        raise Invalid({"environment": message})


def _data(row: BatchRow, *, owner: bool) -> dict[str, Any]:
    data = dict(BatchSerializer(row).data)
    return data if owner else {name: data[name] for name in data if name not in OF_OWNERS}


def _shown(campaign: Any, batch_id: str, *, status: int = 200) -> Response:
    return Response(
        _data(crowds_queries.batch_row(campaign.pk, batch_id), owner=True), status=status
    )


def _actor(request: Request) -> int:
    return cast(User, request.user).pk
