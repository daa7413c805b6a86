"""Batches of a campaign: cost, launch, extension, stop and comparison with the crowd.

Reviewers see their progress without money. Only owners can act.
"""

from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView, takes_no_fields, validated
from annotate.api.marketplace.serializers import (
    BatchSerializer,
    DecideSerializer,
    ExtendSerializer,
    FeeSerializer,
    LaunchSerializer,
    LookedSerializer,
    OfferSerializer,
    OperationSerializer,
    PayInDoubtSerializer,
    PlacesSerializer,
    RaisedBudgetSerializer,
    SubmissionInDoubtSerializer,
    WishSerializer,
    terms_of,
)
from annotate.errors import Conflict, Invalid
from annotate.selectors.marketplace import batches as rows
from annotate.selectors.marketplace import operations
from annotate.selectors.marketplace.batch_rows import BatchRow
from annotate.selectors.marketplace.environments import world
from annotate.selectors.pay import open_units
from annotate.services.campaigns import amendments
from annotate.services.marketplace import batches, reconciling
from annotate.services.outbox import delivery
from annotate.services.pay import settling

OF_OWNERS = ("reward", "money")
PARTS = {"all": "", rows.RUNNING: ""}
BATCHES = 20  # on a page: each has its postings
DOUBTFUL = listed.shape(SubmissionInDoubtSerializer, "SubmissionsInDoubt")


class BatchesView(BoundedView):
    own_keys = ("post",)

    @extend_schema(
        operation_id="campaigns_batches_list",
        responses=listed.shape(BatchSerializer, "Batches"),
        parameters=listed.parameters((), list(PARTS), search="a title", usual=BATCHES),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List batches, the newest first."""
        campaign = permissions.visible(request.user, public_id)
        owner = permissions.is_owner(request.user, campaign)
        wanted = listed.asked(request, sorts={}, choices=PARTS, usual=BATCHES)
        found, page = rows.page(campaign.pk, wanted)
        return listed.answer(request, found, [_data(row, owner=owner) for row in page])

    @extend_schema(request=LaunchSerializer, responses={200: BatchSerializer, 201: BatchSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Launch one for exactly the total of the offer; 200 if the key has already launched it."""
        campaign = permissions.owned(request.user, public_id)
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
        campaign = permissions.owned(request.user, public_id)
        typed = validated(WishSerializer(data=request.data))
        offer = batches.offer(campaign.pk, terms_of(typed), places=typed["places"])
        return Response(OfferSerializer(offer).data)


class FeeView(BoundedView):
    @extend_schema(request=FeeSerializer, responses=FeeSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Let the campaign calculate with another fee from now on."""
        campaign = permissions.owned(request.user, public_id)
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
        campaign = permissions.owned(request.user, public_id)
        typed = validated(RaisedBudgetSerializer(data=request.data))
        amendments.raise_budget(campaign.pk, typed["budget"], actor_id=_actor(request))
        return Response(RaisedBudgetSerializer(typed).data)


class BatchView(BoundedView):
    @extend_schema(responses=BatchSerializer)
    def get(self, request: Request, public_id: str, batch_id: str) -> Response:
        campaign = permissions.visible(request.user, public_id)
        row = rows.one(campaign.pk, batch_id)
        return Response(_data(row, owner=permissions.is_owner(request.user, campaign)))


class OfferMoreView(BoundedView):
    @extend_schema(
        operation_id="campaigns_batches_offer_more",
        request=PlacesSerializer,
        responses=OfferSerializer,
    )
    def post(self, request: Request, public_id: str, batch_id: str) -> Response:
        """Return the cost of further places of a batch."""
        campaign = permissions.owned(request.user, public_id)
        row = rows.one(campaign.pk, batch_id)
        typed = validated(PlacesSerializer(data=request.data))
        offer = batches.offer_more(row.batch_id, places=typed["places"])
        return Response(OfferSerializer(offer).data)


class ExtendView(BoundedView):
    own_keys = ("post",)

    @extend_schema(request=ExtendSerializer, responses=BatchSerializer)
    def post(self, request: Request, public_id: str, batch_id: str) -> Response:
        """Ask for further places; a repeated request with the same key adds none."""
        campaign = permissions.owned(request.user, public_id)
        row = rows.one(campaign.pk, batch_id)
        typed = validated(ExtendSerializer(data=request.data))
        _agree(campaign, typed["environment"])
        batches.extend(
            row.batch_id,
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
        campaign = permissions.owned(request.user, public_id)
        row = rows.one(campaign.pk, batch_id)
        batches.stop(row.batch_id, actor_id=_actor(request))
        return _shown(campaign, batch_id)


class SyncView(BoundedView):
    @takes_no_fields(responses={202: LookedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Let workers compare the campaign's postings with the crowd now."""
        campaign = permissions.owned(request.user, public_id)
        n = reconciling.look(campaign.pk, actor_id=_actor(request))
        return Response({"postings": n}, status=202)


class OperationsView(BoundedView):
    @extend_schema(
        operation_id="campaigns_operations_list",
        responses=listed.shape(OperationSerializer, "Operations"),
        parameters=listed.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List unfinished operations at the crowd, those that need a person first."""
        campaign = permissions.owned(request.user, public_id)
        found, shown = operations.page(campaign.pk, listed.asked(request, sorts={}))
        return listed.answer(request, found, OperationSerializer(shown, many=True).data)


class RetryView(BoundedView):
    @takes_no_fields(responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Retry a refused operation, or look again whether an unclear one happened."""
        campaign = _campaign_of(request, public_id, operation_id)
        delivery.retry(operation_id, actor_id=_actor(request))
        return _operation(campaign, operation_id)


class DecideView(BoundedView):
    @extend_schema(request=DecideSerializer, responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Say whether it happened, where only a person can tell."""
        campaign = _campaign_of(request, public_id, operation_id)
        typed = validated(DecideSerializer(data=request.data))
        delivery.decide(operation_id, typed["happened"], actor_id=_actor(request))
        return _operation(campaign, operation_id)


class DropView(BoundedView):
    @takes_no_fields(responses=OperationSerializer)
    def post(self, request: Request, public_id: str, operation_id: int) -> Response:
        """Drop an operation that has not happened."""
        campaign = _campaign_of(request, public_id, operation_id)
        if not delivery.drop(operation_id, actor_id=_actor(request)):
            raise Conflict("It has happened, or may have: it cannot be dropped.")
        return _operation(campaign, operation_id)


class SubmissionsInDoubtView(BoundedView):
    @extend_schema(
        operation_id="campaigns_units_in_doubt_list",
        responses=DOUBTFUL,
        parameters=listed.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the submissions with a discrepancy, which wait for your decision."""
        return _in_doubt(request, permissions.owned(request.user, public_id))


class PayInDoubtView(BoundedView):
    @extend_schema(request=PayInDoubtSerializer, responses=DOUBTFUL)
    def post(self, request: Request, public_id: str, unit_id: int) -> Response:
        """Pay one despite its discrepancy, and list those that still wait. A ruling refuses pay."""
        campaign = permissions.owned(request.user, public_id)
        typed = validated(PayInDoubtSerializer(data=request.data))
        settling.accept(
            open_units.unit_id_of(campaign.pk, unit_id),
            actor_id=_actor(request),
            beyond_budget=typed["beyond_budget"],
        )
        return _in_doubt(request, campaign)


def _in_doubt(request: Request, campaign: Any) -> Response:
    address = reverse("api-doubtful", args=[campaign.public_id])
    wanted = listed.asked(request, sorts={}, address=address)
    found, waiting = open_units.disputed_page(campaign.pk, wanted)
    body = {"results": SubmissionInDoubtSerializer(waiting, many=True).data}
    return Response(listed.links(request, found, address) | body)


def _campaign_of(request: Request, public_id: str, operation_id: int) -> Any:
    """Return the owner's campaign with this operation; `NotFound` for another's."""
    campaign = permissions.owned(request.user, public_id)
    operations.one(campaign.pk, operation_id)
    return campaign


def _operation(campaign: Any, operation_id: int) -> Response:
    return Response(OperationSerializer(operations.one(campaign.pk, operation_id)).data)


def _agree(campaign: Any, environment: str) -> None:
    """Raise unless the request names the environment, if that uses real money."""
    here = world(campaign.crowd)
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
    return Response(_data(rows.one(campaign.pk, batch_id), owner=True), status=status)


def _actor(request: Request) -> int:
    return cast(User, request.user).pk
