"""What was judged, who judged it, and what was taken out: the lists of an export, page by page."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.generics import ListAPIView

from annotate import permissions
from annotate.api.base import BoundedView, ById, Finite
from annotate.api.campaigns import queries


class HighlightSerializer(serializers.Serializer[Any]):
    """A highlight of an answer: of the output for a criterion, or of a paragraph (from 1)."""

    criterion = serializers.CharField(allow_null=True)
    paragraph = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField(help_text="in code points, from 0")
    end = serializers.IntegerField(help_text="excluded")
    text = serializers.CharField()


class ItemSerializer(serializers.Serializer[Any]):
    """What systems were given; `position` is its place in the random order of judging."""

    item = serializers.CharField(source="key")
    position = serializers.IntegerField()
    input = serializers.CharField()
    paragraphs = serializers.ListField(child=serializers.CharField())
    reference = serializers.CharField()


class OutputSerializer(serializers.Serializer[Any]):
    """What systems wrote; identical texts for an item are one output of several systems."""

    output = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    systems = serializers.SerializerMethodField()
    text = serializers.CharField()
    words = serializers.IntegerField()

    def get_systems(self, output: Any) -> list[str]:
        return [authorship.system.name for authorship in output.authorships.all()]


class AnnotatorSerializer(serializers.Serializer[Any]):
    """Who judged, by pseudonym, and what they gave."""

    annotator = serializers.CharField(source="pseudonym")
    judgments = serializers.IntegerField(source="n")
    counting = serializers.IntegerField()
    excluded = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    active_seconds = Finite(allow_null=True)
    review = serializers.SerializerMethodField(help_text="open, cleared, excluded or empty")
    screens = serializers.SerializerMethodField()

    def get_review(self, annotator: Any) -> str:
        return next((str(review.status) for review in annotator.reviews.all()), "")

    def get_screens(self, annotator: Any) -> list[str]:
        return [flag.screen for review in annotator.reviews.all() for flag in review.flags.all()]


class ExclusionSerializer(serializers.Serializer[Any]):
    """A judgment that a ruling took out; `restored_at` is null while it is out."""

    judgment = serializers.IntegerField(source="judgment_id")
    annotator = serializers.CharField(source="judgment.annotator.pseudonym")
    reason = serializers.CharField(source="ruling.reason")
    excluded_at = serializers.DateTimeField(source="ruling.at")
    restored_at = serializers.DateTimeField(allow_null=True)


class _OfCampaign(BoundedView, ListAPIView[Any]):
    """A list of one campaign's rows, as `rows` finds them for this user."""

    pagination_class = ById

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):  # the schema is asked for, not a campaign
            return queries.nothing()
        return self.rows(self.request.user, self.kwargs["public_id"])

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        raise NotImplementedError


class ItemList(_OfCampaign):
    """What the systems were given."""

    serializer_class = ItemSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.items(permissions.visible(user, public_id))


class OutputList(_OfCampaign):
    """What the systems wrote, judged or not."""

    serializer_class = OutputSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.outputs(permissions.with_results(user, public_id))


class AnnotatorList(_OfCampaign):
    """Who judged, by pseudonym."""

    serializer_class = AnnotatorSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.annotators(permissions.visible(user, public_id))


class ExclusionList(_OfCampaign):
    """Judgments that a ruling took out of the estimates, and those brought back."""

    serializer_class = ExclusionSerializer

    def rows(self, user: Any, public_id: str) -> QuerySet[Any]:
        return queries.exclusions(permissions.visible(user, public_id))
