"""Estimates and decisions as JSON: null where there is no interval."""

from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.base import Finite
from estimation.models import (
    Agreement,
    Comparison,
    Decision,
    Estimate,
    Inference,
    MetricScore,
)
from estimation.selectors import savings
from estimation.selectors.criteria.cells import off_scale
from estimation.selectors.exports import EVIDENCE, INTERVAL, METHOD

Row = TypeVar("Row", bound=Inference)


class SavingSerializer(serializers.Serializer[savings.Saving]):
    """Judgments saved by the metrics compared with the plain mean; null, with why, if none."""

    judgments = serializers.IntegerField(allow_null=True)
    share = Finite(allow_null=True)
    money = serializers.DecimalField(12, 2, allow_null=True, help_text="fees included")
    why = serializers.CharField(allow_blank=True)


class InferenceSerializer(serializers.ModelSerializer[Row]):
    """The common fields of estimates and comparisons: level, interval, annotators, decision."""

    level = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    df = Finite(allow_null=True)
    std_error = Finite(allow_null=True)
    effective_annotators = Finite(allow_null=True)
    off_scale = serializers.SerializerMethodField(
        help_text="whether the estimate or the middle of its interval lies off the scale: it is "
        "wrong then, and stops nothing"
    )
    metric_transform = serializers.CharField(
        source="detail.metric_transform",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="how the metrics entered: normal_scores, signed_scores (pairs of texts) or raw; "
        "null without metrics, and in rows of before the rule",
    )
    outcome = serializers.CharField(
        source="detail.outcome",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="in a ranking of pairs: first, second (the higher one), close or open; else null",
    )

    def get_off_scale(self, row: Row) -> bool:
        return off_scale(row.detail)


class WithExcludedSerializer(serializers.Serializer[Any]):
    """The same estimate including the excluded work."""

    estimate = Finite()
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    width = Finite(allow_null=True)
    n_judgments = serializers.IntegerField()


class EstimateSerializer(InferenceSerializer[Estimate]):
    """One system × criterion at one moment, with the plain mean for comparison."""

    system = serializers.CharField(source="system.name")
    estimate = Finite(allow_null=True)
    mean_estimate = Finite(allow_null=True)
    mean_low = Finite(allow_null=True)
    mean_high = Finite(allow_null=True)
    with_excluded = serializers.SerializerMethodField(
        help_text="null where nothing is excluded; `estimate` itself is without excluded work"
    )
    saving = serializers.SerializerMethodField()

    class Meta:
        model = Estimate
        fields = (
            "id",
            "system",
            *METHOD,
            "estimate",
            *INTERVAL,
            "mean_estimate",
            "mean_low",
            "mean_high",
            *EVIDENCE,
            "n_unfinished",
            "off_scale",
            "metric_transform",
            "outcome",
            "with_excluded",
            "saving",
            "detail",
        )
        read_only_fields = fields

    @extend_schema_field(WithExcludedSerializer(allow_null=True))
    def get_with_excluded(self, row: Estimate) -> dict[str, Any] | None:
        found = row.detail.get("with_excluded")
        return dict(WithExcludedSerializer(found).data) if found else None

    @extend_schema_field(SavingSerializer)
    def get_saving(self, row: Estimate) -> dict[str, Any]:
        if not row.metrics:
            found = savings.NO_METRIC
        else:
            found = savings.of_estimate(row, price=self.context["price"])
        return dict(SavingSerializer(found).data)


class ComparisonSerializer(InferenceSerializer[Comparison]):
    """The paired difference of two systems, `first` minus `second`, on one criterion."""

    first = serializers.CharField(source="first.name")
    second = serializers.CharField(source="second.name")
    difference = Finite(allow_null=True)

    class Meta:
        model = Comparison
        fields = (
            "id",
            "first",
            "second",
            *METHOD,
            "difference",
            *INTERVAL,
            *EVIDENCE,
            "off_scale",
            "metric_transform",
            "outcome",
            "detail",
        )
        read_only_fields = fields


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """A stopping rule's act, with the ids of the estimates and comparisons that caused it."""

    system = serializers.CharField(source="system.name", default=None, allow_null=True)
    estimates: Any = serializers.PrimaryKeyRelatedField(many=True, read_only=True)
    comparisons: Any = serializers.PrimaryKeyRelatedField(
        many=True, read_only=True, help_text="of a ranking"
    )

    class Meta:
        model = Decision
        fields = ("id", "at", "verb", "reason", "text", "system", "estimates", "comparisons")
        read_only_fields = fields


class MetricScoreSerializer(serializers.ModelSerializer[MetricScore]):
    """The value of an automatic metric for an output."""

    output = serializers.IntegerField(source="output_id")
    item = serializers.CharField(source="output.item.key")
    systems = serializers.SerializerMethodField()
    value = Finite()

    class Meta:
        model = MetricScore
        fields = ("id", "output", "item", "systems", "metric", "version", "value")
        read_only_fields = fields

    def get_systems(self, row: MetricScore) -> list[str]:
        return [authorship.system.name for authorship in row.output.authorships.all()]


class WithoutSerializer(serializers.Serializer[Any]):
    """Alpha without this annotator, who is shown by pseudonym."""

    annotator = serializers.CharField()
    alpha = Finite(allow_null=True)
    shared = serializers.IntegerField(help_text="their judgments of outputs that others judged too")


class AgreementSerializer(serializers.ModelSerializer[Agreement]):
    """Krippendorff's alpha of one criterion, and its basis."""

    alpha = Finite(allow_null=True)
    low = Finite(allow_null=True)
    high = Finite(allow_null=True)
    level = Finite()
    observed = Finite(
        source="detail.observed",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="how often two judgments of an output are equal",
    )
    by_chance = Finite(
        source="detail.by_chance",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="how often two judgments of any outputs are equal",
    )
    icc = Finite(
        source="detail.icc",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="ICC(1,1), one-way, single judgments",
    )
    fleiss_kappa = Finite(
        source="detail.fleiss_kappa",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="null where scores have no levels",
    )
    why = serializers.SerializerMethodField(help_text="why there is no alpha")
    without = serializers.SerializerMethodField(
        help_text="alpha without each of the 100 people who change it most, in this order"
    )

    class Meta:
        model = Agreement
        fields = (
            "id",
            "criterion",
            "at",
            "distance",
            "level",
            "alpha",
            "low",
            "high",
            "n_outputs",
            "n_judgments",
            "n_annotators",
            "observed",
            "by_chance",
            "icc",
            "fleiss_kappa",
            "why",
            "without",
        )
        read_only_fields = fields

    def get_why(self, row: Agreement) -> str:
        return str(row.detail.get("why", ""))

    @extend_schema_field(WithoutSerializer(many=True))
    def get_without(self, row: Agreement) -> list[dict[str, Any]]:
        return [dict(WithoutSerializer(one).data) for one in row.detail.get("without", [])]
