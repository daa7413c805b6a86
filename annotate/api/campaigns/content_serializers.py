"""What was judged, by whom, and what was excluded, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.base import Finite
from annotate.instruments import highlights
from annotate.models import Judgment


class HighlightSerializer(serializers.Serializer[Any]):
    """A highlight of an answer: of the output for a criterion, or of a paragraph (from 1)."""

    criterion = serializers.CharField(allow_null=True)
    paragraph = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField(help_text="in code points, from 0")
    end = serializers.IntegerField(help_text="excluded")
    text = serializers.CharField()


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    """One judgment. Its annotator appears by pseudonym only; scores follow within seconds."""

    annotator = serializers.CharField(source="annotator.pseudonym")
    item = serializers.CharField(source="output.item.key")
    output = serializers.IntegerField(source="output_id")
    systems = serializers.SerializerMethodField()
    scores = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField()
    excluded = serializers.BooleanField(help_text="a ruling has excluded it from the estimates")
    supersedes = serializers.IntegerField(
        source="supersedes_id", allow_null=True, help_text="the judgment that it corrects"
    )
    superseded = serializers.SerializerMethodField(
        help_text="a correction has taken its place; it does not count, and has no scores"
    )
    response = serializers.JSONField(help_text="the whole answer, as stored")
    highlights = serializers.SerializerMethodField(help_text="with their words")
    elapsed_seconds = Finite()
    active_seconds = Finite(allow_null=True)

    class Meta:
        model = Judgment
        fields = (
            "id",
            "annotator",
            "item",
            "output",
            "systems",
            "scores",
            "counts",
            "excluded",
            "supersedes",
            "superseded",
            "submitted_at",
            "elapsed_seconds",
            "active_seconds",
            "instrument",
            "instrument_version",
            "response",
            "highlights",
        )
        read_only_fields = fields

    def get_systems(self, judgment: Judgment) -> list[str]:
        return [authorship.system.name for authorship in judgment.output.authorships.all()]

    def get_scores(self, judgment: Judgment) -> dict[str, float]:
        if self.get_superseded(judgment):
            return {}
        return {score.criterion: score.value for score in judgment.scores.all()}

    def get_superseded(self, judgment: Judgment) -> bool:
        return judgment.superseded_at is not None

    def get_counts(self, judgment: Judgment) -> bool:
        """Return whether it is the last answer, and its assignment holds a slot and is verified."""
        if self.get_superseded(judgment):
            return False
        assignment = judgment.assignment
        return hasattr(assignment, "slot") and assignment.status == "verified"

    @extend_schema_field(HighlightSerializer(many=True))
    def get_highlights(self, judgment: Judgment) -> list[dict[str, Any]]:
        if not self.context.get("with_texts"):
            return []
        output = judgment.output
        paragraphs = output.item.paragraphs
        return highlights.marked(judgment.response, text=output.text, paragraphs=paragraphs)


class ItemSerializer(serializers.Serializer[Any]):
    """An input of the systems; `position` is its place in the random order of judging."""

    item = serializers.CharField(source="key")
    position = serializers.IntegerField()
    group = serializers.CharField(allow_blank=True)
    input = serializers.CharField()
    paragraphs = serializers.ListField(child=serializers.CharField())
    reference = serializers.CharField()


class OutputSerializer(serializers.Serializer[Any]):
    """An output; identical texts for an item are one output of several systems."""

    output = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    systems = serializers.SerializerMethodField()
    text = serializers.CharField()
    words = serializers.IntegerField()

    def get_systems(self, output: Any) -> list[str]:
        return [authorship.system.name for authorship in output.authorships.all()]


class AnnotatorSerializer(serializers.Serializer[Any]):
    """An annotator, by pseudonym, and their contributions."""

    annotator = serializers.CharField()
    judgments = serializers.IntegerField()
    counting = serializers.IntegerField()
    excluded = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    active_seconds = Finite(allow_null=True)
    review = serializers.CharField(read_only=True, help_text="open, cleared, excluded or empty")
    screens = serializers.ListField(child=serializers.CharField(), read_only=True)


class ExclusionSerializer(serializers.Serializer[Any]):
    """A judgment that a ruling excluded; `restored_at` is null while it is excluded."""

    judgment = serializers.IntegerField(source="judgment_id")
    annotator = serializers.CharField(source="judgment.annotator.pseudonym")
    reason = serializers.CharField(source="ruling.reason")
    excluded_at = serializers.DateTimeField(source="ruling.at")
    restored_at = serializers.DateTimeField(allow_null=True)
