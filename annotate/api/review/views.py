"""Reviews: the queue, one annotator with the evidence, rulings, answers to appeals."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api import listed
from annotate.api.base import BoundedView, validated
from annotate.api.review.serializers import (
    BesideSerializer,
    CaseGoldSerializer,
    CaseSerializer,
    DismissSerializer,
    EffectsSerializer,
    FirstAnswersSerializer,
    FullCaseSerializer,
    RuleSerializer,
    ScreenSerializer,
    SignalSerializer,
    WaitingSerializer,
)
from annotate.errors import Conflict, NotFound
from annotate.selectors.campaigns import blinding
from annotate.selectors.review import appeal_rights, gold, queues, reviews, signal_evidence
from annotate.selectors.review import effects as review_effects
from annotate.selectors.review import judgments as review_judgments
from annotate.selectors.review import (
    screens as review_screens,
)
from annotate.selectors.work import tutorial_records
from annotate.services.review import appeals, reviewing
from annotate.services.review.reviews import record_opened
from annotate.services.review.rulings import Act


class QueueView(BoundedView):
    """The queue of annotators who wait for a ruling in the user's campaigns."""

    @extend_schema(
        operation_id="reviews_list",
        responses=listed.shape(WaitingSerializer, "Reviews"),
        parameters=[
            OpenApiParameter("campaign", str, description="in one campaign only"),
            *listed.parameters(
                list(queues.SORTS), list(queues.PARTS), search="a pseudonym or a campaign's name"
            ),
            *(
                OpenApiParameter(name, str, enum=values, description=label)
                for name, (label, values) in queues.narrowing().items()
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        """List who waits for a ruling, the most urgent first; `show` asks for others."""
        chosen = request.query_params.get("campaign", "")
        if chosen:
            permissions.reviewable(request.user, chosen)
        user_id = cast(User, request.user).pk
        asked = queues.asked(request.query_params, campaign=chosen, size=listed.size(request))
        wanted = listed.walked(request, asked, also=("campaign", *queues.narrowing()))
        found, rows = queues.page(user_id, wanted, appeal_rights.left_to_others(user_id))
        context = {"signals": signal_evidence.reasons([one.key for one in rows])}
        body = {"results": WaitingSerializer(rows, many=True, context=context).data}
        return Response(listed.links(request, found) | body)


class CaseView(BoundedView):
    """One annotator in one campaign, with the evidence. No field shows which system wrote what."""

    @extend_schema(responses=FullCaseSerializer)
    def get(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.reviewable(request.user, public_id)
        case = _case(campaign, pseudonym)
        parts = {
            "effects": EffectsSerializer(_effects(case)),
            "screens": ScreenSerializer(
                review_screens.look(campaign, case.annotator_id).screens, many=True
            ),
            "signals": SignalSerializer(
                signal_evidence.told(campaign, case.annotator_id), many=True
            ),
            "gold": CaseGoldSerializer(gold.of_person(campaign, case.annotator_id)),
            "first_answers": FirstAnswersSerializer(
                tutorial_records.of(campaign.pk, [case.annotator_id]).get(case.annotator_id, ()),
                many=True,
            ),
            "beside": BesideSerializer(
                review_judgments.work(campaign, case.annotator_id).all, many=True
            ),
        }
        body = dict(CaseSerializer(case).data)
        user_id = int(cast(User, request.user).pk)
        body["sight"] = blinding.sight(user_id, campaign)
        record_opened(campaign.pk, case.annotator_id, user_id)
        return Response(body | {name: part.data for name, part in parts.items()})


class RuleView(BoundedView):
    """Rule on work, under review or not."""

    @extend_schema(request=RuleSerializer, responses=CaseSerializer)
    def post(self, request: Request, public_id: str, pseudonym: str) -> Response:
        campaign = permissions.reviewable(request.user, public_id)
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
        campaign = permissions.reviewable(request.user, public_id)
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
