"""The items of a campaign, and one of them with every judgment. Reviewers see no systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import facts, progress
from annotate.common import access as common_access
from annotate.common import api as common_api
from annotate.common import content
from annotate.common.access import Access, access, look, researcher_page
from annotate.common.api import BoundedView, Finite
from annotate.common.text import OverlaidPiece, overlaid
from annotate.instruments.base import Material
from annotate.models import Output
from annotate.models.base import ItemMeasure
from annotate.review import evidence, evidence_views, items
from annotate.review.evidence import AnnotatorWork, ComparedJudgment, Judged
from annotate.review.evidence_views import JudgeLine

Overlaid = tuple[str, Sequence[str], Sequence[OverlaidPiece]]


@dataclass(frozen=True)
class ItemOutput:
    """One output as the page shows it.

    systems, metrics: none for people who do not see systems. lines: each judgment. overlays: each
    marked text, as its title, the names of everybody who marked something in it, and the pieces
    with their highlights.
    """

    systems: Sequence[str]
    metrics: Mapping[str, float]
    material: Material
    lines: Sequence[JudgeLine]
    overlays: Sequence[Overlaid]

    @property
    def edits(self) -> list[JudgeLine]:
        return [line for line in self.lines if line.diff]


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest, public_id: str) -> HttpResponseBase:
    mine = access(request.user, public_id)
    systems = _sees_systems(mine)
    asked = items.wanted_items(mine.campaign, request.GET, systems=systems)
    listing, rows, order = items.items_page(mine.campaign, asked)
    context = {
        "campaign": mine.campaign,
        "listing": listing,
        "order": order,
        "rows": rows,
        "scale": items.asked_criterion(mine.campaign, listing),
        "edits": ItemMeasure.EDITED in listing.sorts,
        "systems": systems,
        "section": "campaigns",
    }
    return render(request, "campaigns/items.html", context)


@require_safe
@never_cache
@researcher_page
def items_view(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    mine = access(request.user, public_id)
    systems = _sees_systems(mine)
    item, before, after = items.item_at(mine.campaign.pk, number)
    work = evidence.without_judgments(mine.campaign)
    waits = progress.awaited(mine.campaign)
    found = items.judged_outputs(item, work.instrument, systems=systems, awaited=waits)
    context = {
        "campaign": mine.campaign,
        "item": item,
        "before": before,
        "after": after,
        "number": number,
        "outputs": [_shown(*one, work, systems=systems) for one in found],
        "columns": evidence_views.columns(work),
        "judgments": len({one.id for *_output, rows in found for one in rows if not one.standing}),
        "systems": systems,
        "section": "campaigns",
        "drawing": content.Drawing(),
    }
    return render(request, "campaigns/item.html", context)


def _sees_systems(mine: Access) -> bool:
    """Return whether the page names systems; it is noted that this person sees results."""
    if mine.sees_results:
        look(mine)
    return mine.sees_results


def _shown(
    output: Output,
    wrote: Sequence[str],
    judged: Sequence[Judged],
    work: AnnotatorWork,
    *,
    systems: bool,
) -> ItemOutput:
    material = facts.material(output, work.form)
    lines = [
        evidence_views.line(one, ComparedJudgment(one, (), None, material), work) for one in judged
    ]
    texts: dict[tuple[str, str], dict[str, list[list[int]]]] = {}
    for one in judged:
        if one.standing == evidence.SUPERSEDED:
            continue
        for found in work.instrument.highlights(one.response, material):
            theirs = texts.setdefault((found.title, found.text), {})
            theirs.setdefault(one.pseudonym, []).extend(map(list, found.spans))
    return ItemOutput(
        wrote,
        output.given_metrics if systems else {},
        material,
        lines,
        [(title, list(marks), overlaid(text, marks)) for (title, text), marks in texts.items()],
    )


# The items of a campaign as their page lists them: by what people said of them.


ORDERS = (*items.PLAIN, *items.RANKED)


class ListedItemSerializer(serializers.Serializer[Any]):
    """One item. `worst_mean`, `disagreement`, `edit`: of its text with the most extreme one."""

    number = serializers.IntegerField(help_text="its place in the order of collecting, from 1")
    item = serializers.CharField(source="key")
    words = serializers.IntegerField(help_text="of the input")
    texts = serializers.IntegerField(source="outputs")
    judgments = serializers.IntegerField()
    excluded = serializers.IntegerField()
    corrected = serializers.IntegerField(source="superseded")
    worst_mean = Finite(source="said.worst", allow_null=True)
    disagreement = Finite(
        source="said.disagreement",
        allow_null=True,
        help_text="standard deviation of the answers to one text",
    )
    edit = Finite(source="said.edited", allow_null=True)
    residual = Finite(allow_null=True, help_text="in the order by it alone")


class ListedItemsSerializer(common_api.LinksSerializer):
    """`order_of`: when the order was made; null for orders that need no figure, or none yet."""

    order_of = serializers.DateTimeField(allow_null=True)
    criterion = serializers.CharField(help_text="what the figures are of")
    results = ListedItemSerializer(many=True)


class ListedItemsView(BoundedView):
    @extend_schema(
        operation_id="campaigns_items_listed",
        responses=ListedItemsSerializer,
        parameters=[
            *common_api.parameters(list(ORDERS), list(items.PARTS), search="an item’s name"),
            OpenApiParameter("system", str, description="a name; for those who see results"),
            OpenApiParameter("criterion", str, description="a primary one; by default the first"),
        ],
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List items, ordered by what people said of them, as the page Items does.

        Reviewers of a campaign that collects have neither `system` nor the order by residual.
        """
        mine = common_access.access(request.user, public_id)
        if mine.sees_results:
            common_access.look(mine)
        asked = items.wanted_items(
            mine.campaign,
            request.query_params,
            systems=mine.sees_results,
            size=common_api.size(request),
        )
        listing, rows, order = items.items_page(
            mine.campaign, common_api.walked(request, asked, also=("system", "criterion"))
        )
        body = {
            **common_api.links(request, listing),
            "order_of": order and order.at,
            "criterion": listing.chosen("criterion"),
            "results": rows,
        }
        return Response(ListedItemsSerializer(body).data)
