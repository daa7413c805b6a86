"""Metric scores, the history of estimates, and what stopping rules decided."""

from django.db import models
from django.db.models import F, Q


class MetricScore(models.Model):
    """g(z): the value of an automatic metric for one output.

    `version` is the metric's, or "given" for a value that came with the upload. `digest` stands
    for all that the value was computed from, so that equal texts are computed once.
    """

    campaign = models.ForeignKey(
        "annotate.Campaign", models.CASCADE, related_name="+", db_index=False
    )
    output = models.ForeignKey("annotate.Output", models.CASCADE, related_name="+")
    metric = models.CharField(max_length=60)
    version = models.CharField(max_length=20)
    digest = models.CharField(max_length=32, blank=True, default="", db_default="")
    value = models.FloatField()

    class Meta:
        indexes = [
            models.Index(fields=["digest", "metric", "version"], name="metric_score_cache"),
            models.Index(fields=["campaign", "id"], name="metric_score_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["output", "metric"], name="metric_score_once")
        ]


class Inference(models.Model):
    """What the judgments say about one criterion at one moment: how the estimand was estimated,
    its interval, and on how much evidence. Rows are added, never changed; old ones are thinned.

    `version` is that of the Plumbline that made the row; empty: one before 0.2.0.
    `low`, `high` and `width` are unclipped and null where no interval can be given. A row without
    judgments says that nothing counts any more: all that counted was excluded.
    """

    campaign = models.ForeignKey(
        "annotate.Campaign", models.CASCADE, related_name="+", db_index=False
    )
    criterion = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True)
    version = models.CharField(max_length=20, blank=True, default="", db_default="")
    provisional = models.BooleanField(default=True)

    estimator = models.CharField(max_length=20)
    interval = models.CharField(max_length=20)
    estimand = models.CharField(max_length=12)
    metrics = models.JSONField(default=list)
    level = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    width = models.FloatField(null=True)
    df = models.FloatField(null=True)
    std_error = models.FloatField(null=True)
    n_items = models.PositiveIntegerField()
    n_population = models.PositiveIntegerField()
    n_judgments = models.PositiveIntegerField()
    n_annotators = models.PositiveIntegerField()
    effective_annotators = models.FloatField()
    detail = models.JSONField(default=dict)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(low=None, high=None, width=None)
                | Q(low__isnull=False, high__isnull=False, width__gte=0),
                name="%(class)s_whole_interval",
            )
        ]


class Estimate(Inference):
    """One system × criterion at one moment.

    The `mean_*` columns are the plain sample mean on the same judgments, for comparison.
    """

    system = models.ForeignKey("annotate.System", models.CASCADE, related_name="+")
    estimate = models.FloatField(null=True)
    mean_estimate = models.FloatField(null=True)
    mean_low = models.FloatField(null=True)
    mean_high = models.FloatField(null=True)
    n_unfinished = models.PositiveIntegerField(default=0)

    class Meta(Inference.Meta):
        indexes = [
            models.Index(fields=["campaign", "system", "criterion", "id"], name="estimate_history"),
            models.Index(fields=["campaign", "id"], name="estimate_newest"),
        ]

    @property
    def mean_width(self) -> float | None:
        if self.mean_low is None or self.mean_high is None:
            return None
        return self.mean_high - self.mean_low

    @property
    def at_target(self) -> bool:
        return bool(self.detail.get("at_target"))


class Comparison(Inference):
    """Two systems on one criterion at one moment: `first` less `second`, over the items that
    both have finished.
    """

    first = models.ForeignKey("annotate.System", models.CASCADE, related_name="+")
    second = models.ForeignKey("annotate.System", models.CASCADE, related_name="+")
    difference = models.FloatField(null=True)

    class Meta(Inference.Meta):
        indexes = [
            models.Index(
                fields=["campaign", "first", "second", "criterion", "id"],
                name="comparison_history",
            ),
            models.Index(fields=["campaign", "id"], name="comparison_newest"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(first=F("second")), name="comparison_of_two"),
            *Inference.Meta.constraints,
        ]


class Agreement(models.Model):
    """How far people agreed on one criterion at one moment. Rows are added, never changed.

    alpha: Krippendorff's, null where there is none. The counts are those of the outputs that
    several people judged. excluded: judgments that rulings had left out. digest: stands for all
    that alpha was computed from. detail: `without`, alpha without each annotator; `why` there
    is no alpha; `observed` and `by_chance`, how often two judgments are equal;
    `icc`, ICC(1,1), and `fleiss_kappa` of scores with levels, not in rows of 0.1.0.
    """

    campaign = models.ForeignKey(
        "annotate.Campaign", models.CASCADE, related_name="+", db_index=False
    )
    criterion = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True)
    distance = models.CharField(max_length=10)
    level = models.FloatField()
    alpha = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    n_outputs = models.PositiveIntegerField()
    n_judgments = models.PositiveIntegerField()
    n_annotators = models.PositiveIntegerField()
    excluded = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=32)
    detail = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "criterion", "id"], name="agreement_history"),
            models.Index(fields=["campaign", "id"], name="agreement_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(low=None, high=None) | Q(alpha__isnull=False), name="agreement_interval"
            )
        ]


class AgreementDue(models.Model):
    """A mark that agreement is to be measured anew: by a task of its own, which removes it."""

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)


class EndForecast(models.Model):
    """When a campaign is expected to reach its targets, and for how many judgments.

    A worker makes it after the estimates; the newest row counts, and older ones are removed. It can
    be thrown away. judgments: how many counted. content: as `estimation.deferred`
    describes it.
    """

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    content = models.JSONField(default=dict)


class EndForecastDue(models.Model):
    """A mark that a campaign's forecast is to be made anew: by a task, which removes it."""

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)


class DecisionEvidence(models.Model):
    """What the decisions of one moment rest on, so that anybody can make them again.

    judgments: the ids of those that counted, as `estimation.facts` packs them. stops: {system
    id: position} of the samples that had ended before. protocol: the digest of the protocol.
    """

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    campaign_status = models.CharField(max_length=20)
    judgments = models.BinaryField()
    stops = models.JSONField(default=dict)
    protocol = models.CharField(max_length=64, blank=True, default="")


class CloserLook(models.Model):
    """What stands behind each estimate of a campaign: one system × criterion a row.

    A worker makes it after the estimates, as a whole; it can be thrown away. judgments: how many
    counted. content: as `estimation.deferred` describes it.
    """

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    system = models.ForeignKey("annotate.System", models.CASCADE, related_name="+")
    criterion = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    content = models.JSONField(default=dict)


class CloserLookDue(models.Model):
    """A mark that a campaign's closer look is to be made anew: by a task, which removes it."""

    campaign = models.ForeignKey("annotate.Campaign", models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)


class Decision(models.Model):
    """A stopping rule's act, with the estimates that caused it; in a ranking, the comparisons.

    evidence: null for what was decided before evidence was kept.
    """

    class Verb(models.TextChoices):
        STOP_SYSTEM = "stop_system"
        RESUME_SYSTEM = "resume_system"
        CLOSE = "close"
        RESUME = "resume"
        FINISH = "finish"

    campaign = models.ForeignKey(
        "annotate.Campaign", models.CASCADE, related_name="+", db_index=False
    )
    system = models.ForeignKey("annotate.System", models.CASCADE, null=True, related_name="+")
    verb = models.CharField(max_length=20, choices=Verb)
    reason = models.CharField(max_length=40)
    text = models.TextField()
    estimates = models.ManyToManyField(Estimate, related_name="decisions")
    comparisons = models.ManyToManyField(Comparison, related_name="decisions")
    evidence = models.ForeignKey(
        DecisionEvidence, models.RESTRICT, null=True, related_name="decisions"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["campaign", "id"], name="decision_newest")]
