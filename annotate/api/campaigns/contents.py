"""The lists of an export, page by page: what was judged, by whom, and what was excluded."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView

from annotate import permissions
from annotate.api.base import BoundedView, ById
from annotate.api.campaigns import queries
from annotate.api.campaigns.content_serializers import (
    AnnotatorSerializer,
    ExclusionSerializer,
    ItemSerializer,
    OutputSerializer,
)


class _OfCampaign(BoundedView, ListAPIView[Any]):
    """A list of one campaign's rows, as `rows` selects them for this user."""

    pagination_class = ById

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema request has no campaign
            return queries.nothing()
        return self.rows(self.request.user, self.kwargs["public_id"])

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        raise NotImplementedError


class ItemList(_OfCampaign):
    """The inputs of the systems."""

    serializer_class = ItemSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.items(permissions.visible(user, public_id))


class OutputList(_OfCampaign):
    """The outputs of the systems, judged or not."""

    serializer_class = OutputSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.outputs(permissions.with_results(user, public_id))


class AnnotatorList(_OfCampaign):
    """The annotators, by pseudonym."""

    serializer_class = AnnotatorSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        self.campaign = permissions.visible(user, public_id)
        return queries.annotators(self.campaign)

    def paginate_queryset(self, queryset: QuerySet[Any] | Sequence[Any]) -> list[Any]:
        """Add to the people of a page what they contributed."""
        people = super().paginate_queryset(queryset)
        assert people is not None  # the list has pages
        return queries.contributions(self.campaign, people)


class ExclusionList(_OfCampaign):
    """Judgments that a ruling excluded from the estimates, and those restored."""

    serializer_class = ExclusionSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.exclusions(permissions.visible(user, public_id))
