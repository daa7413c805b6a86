"""Estimates and decisions as JSON: null where there is no interval."""

from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.base import Finite
from estimation.models import Comparison, Decision, Estimate, Inference
from estimation.selectors import savings

Row = TypeVar("Row", bound=Inference)

# The shared fields, in the three runs in which each answer lists them.
METHOD = (
    "criterion", "at", "provisional", "estimator", "interval", "estimand", "metrics", "level",
)  # fmt: skip
INTERVAL = ("low", "high", "width", "df", "std_error")
EVIDENCE = ("n_items", "n_population", "n_judgments", "n_annotators", "effective_annotators")


class SavingSerializer(serializers.Serializer[savings.Saving]):
    """Judgments that the metrics spared against the plain mean; null, and why, where none."""

    judgments = serializers.IntegerField(allow_null=True)
    share = Finite(allow_null=True)
    money = serializers.DecimalField(12, 2, allow_null=True, help_text="fees included")
    why = serializers.CharField(allow_blank=True)


class InferenceSerializer(serializers.ModelSerializer[Row]):
    """What an estimate and a comparison share: the level, the interval, the annotators."""

    level = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    df = Finite(allow_null=True)
    std_error = Finite(allow_null=True)
    effective_annotators = Finite(allow_null=True)


class EstimateSerializer(InferenceSerializer[Estimate]):
    """One system × criterion at one moment, with the plain mean for comparison."""

    system = serializers.CharField(source="system.name")
    estimate = Finite(allow_null=True)
    mean_estimate = Finite(allow_null=True)
    mean_low = Finite(allow_null=True)
    mean_high = Finite(allow_null=True)
    saving = serializers.SerializerMethodField()

    class Meta:
        model = Estimate
        fields = (
            "id", "system", *METHOD, "estimate", *INTERVAL, "mean_estimate", "mean_low",
            "mean_high", *EVIDENCE, "n_unfinished", "saving", "detail",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(SavingSerializer)
    def get_saving(self, row: Estimate) -> dict[str, Any]:
        if not row.metrics:
            found = savings.NO_METRIC
        else:
            found = savings.of_estimate(row, price=self.context["price"])
        return dict(SavingSerializer(found).data)


class ComparisonSerializer(InferenceSerializer[Comparison]):
    """The paired difference of two systems, `first` less `second`, on one criterion."""

    first = serializers.CharField(source="first.name")
    second = serializers.CharField(source="second.name")
    difference = Finite(allow_null=True)

    class Meta:
        model = Comparison
        fields = (
            "id", "first", "second", *METHOD, "difference", *INTERVAL, *EVIDENCE, "detail",
        )  # fmt: skip
        read_only_fields = fields


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """A stopping rule's act, with the ids of the estimates that caused it."""

    system = serializers.CharField(source="system.name", default=None, allow_null=True)
    estimates: Any = serializers.PrimaryKeyRelatedField(many=True, read_only=True)

    class Meta:
        model = Decision
        fields = ("id", "at", "verb", "reason", "text", "system", "estimates")
        read_only_fields = fields
