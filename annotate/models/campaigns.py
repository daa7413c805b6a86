"""Campaigns, systems, items and outputs, who may see them, and their imports."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.base import (
    MOST_RATERS,
    CampaignStatus,
    CloseReason,
    Estimand,
    Fact,
    ImportStatus,
    MemberRole,
    MetricChoice,
    StopMode,
    new_public_id,
    newest_of_campaign,
)
from estimation.metrics import HTER_VERSION

# Researchers' own instruments, and tutorials that replace the built-in ones.


class InstrumentDefinition(Fact):
    """One version of a researcher's own instrument; a change is a new version.

    The key belongs to its first owner, so key and version name one wording permanently.
    hter_version: the rule by which its edits are scored, `estimation.metrics.HTER_VERSION` of its
    time.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    key = models.SlugField(max_length=40)
    version = models.PositiveIntegerField()
    definition = models.JSONField()
    digest = models.CharField(max_length=64)
    hter_version = models.CharField(max_length=20, default=HTER_VERSION)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["key", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="instrument_version_once")
        ]


class TutorialContent(Fact):
    """A researcher's own tutorial for an instrument, checked; used by campaigns that name it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    instrument = models.CharField(max_length=40)
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "instrument", "digest"], name="tutorial_content_once"
            )
        ]


class Campaign(models.Model):
    """One study: a question put to people about the outputs of some systems."""

    Status = CampaignStatus
    Reason = CloseReason
    Estimand = Estimand

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=120)  # shown to researchers only
    public_title = models.CharField(max_length=120)  # what annotators and crowds read instead
    public_about = models.CharField(max_length=600, blank=True)  # "": the instrument's own sentence
    instrument = models.CharField(max_length=40)
    instrument_version = models.CharField(max_length=20)
    # A tutorial is passed once per annotator and version; null: the instrument's own content.
    tutorial_required = models.BooleanField(default=True)
    tutorial = models.ForeignKey(TutorialContent, models.PROTECT, null=True)
    tutorial_bonus = models.DecimalField(max_digits=6, decimal_places=2, default=Decimal("0.75"))
    # Passing promises the bonus: due after so many counting judgments, or if no tasks are left.
    bonus_after = models.PositiveSmallIntegerField(default=3)
    # Due to a person who completes both rounds and passes neither, once, unless listed for speed.
    failed_try_pay = models.DecimalField(max_digits=6, decimal_places=2, default=Decimal("0.25"))
    open_link_bonus = models.BooleanField(default=False)  # one person may come by it many times
    crowd = models.CharField(max_length=20, default="link")
    language = models.CharField(max_length=12, default="en")
    # How annotators see texts (`TextForm`), and what of the item stands beside them.
    output_form = models.CharField(max_length=10, default="plain", db_default="plain")
    input_form = models.CharField(max_length=10, default="plain", db_default="plain")
    shows_input = models.BooleanField(default=False, db_default=False)
    shows_reference = models.BooleanField(default=False, db_default=False)
    contact = models.EmailField(blank=True)
    links_number = models.PositiveIntegerField(default=0, db_default=0)  # lower links are shut
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    close_reason = models.CharField(max_length=20, choices=Reason, blank=True)

    seed = models.PositiveBigIntegerField()
    planned = models.PositiveIntegerField(default=0, db_default=0, editable=False)  # its slots
    planned_outputs = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    planned_twice = models.PositiveIntegerField(default=0, db_default=0, editable=False)  # of these
    double_share = models.FloatField(default=0.25)  # of the items, judged by `raters` people each
    raters = models.PositiveSmallIntegerField(default=2, db_default=2)
    # All items are judged by all of its experts (`Expert`), so `raters` is their number.
    named_experts = models.BooleanField(default=False, db_default=False)
    annotator_cap = models.PositiveIntegerField(null=True, default=25)
    people = models.PositiveIntegerField(null=True)  # how many the researcher has; null: not known
    lease_minutes = models.PositiveIntegerField(default=30)
    # Of every 25 tasks of a person, how many are gold items while there are new ones.
    gold_share = models.PositiveSmallIntegerField(default=0, db_default=0)

    # The screens' thresholds that differ from the defaults, and the state last screened.
    screening = models.JSONField(default=dict, blank=True)
    screened = models.CharField(max_length=64, blank=True)

    reward = models.DecimalField(max_digits=8, decimal_places=2)
    fee_rate = models.DecimalField(max_digits=5, decimal_places=4, default=0)
    currency = models.CharField(max_length=3, default="USD")  # of the account that pays: ISO 4217
    budget = models.DecimalField(max_digits=10, decimal_places=2, null=True)
    max_judgments = models.PositiveIntegerField(null=True)
    deadline = models.DateTimeField(null=True)

    # The choice, and the resulting names; fixed before any judgment.
    metric_choice = models.CharField(max_length=10, choices=MetricChoice, default=MetricChoice.NONE)
    metrics = models.JSONField(default=list, blank=True)
    estimand = models.CharField(max_length=12, choices=Estimand, default=Estimand.POPULATION)
    level = models.FloatField(default=0.95)
    stop_mode = models.CharField(max_length=12, choices=StopMode, default=StopMode.PRECISION)
    planned_items = models.PositiveIntegerField(null=True)  # of a ranking: what its sequence is for
    # How estimates are made (`Protocol`): written once, when the campaign opens.
    protocol = models.JSONField(null=True, editable=False)
    # Of judgments that were made elsewhere: how many outputs each system had (`outputs`, null:
    # the judged ones were not chosen at random) and how they were chosen (`chosen`).
    recorded = models.JSONField(null=True, editable=False)

    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=Q(level__gt=0.5, level__lt=1), name="campaign_level"),
            models.CheckConstraint(
                condition=Q(double_share__gte=0, double_share__lte=1), name="campaign_double_share"
            ),
            models.CheckConstraint(
                condition=Q(raters__gte=2, raters__lte=MOST_RATERS), name="campaign_raters"
            ),
            models.CheckConstraint(
                condition=Q(reward__gte=0, fee_rate__gte=0, tutorial_bonus__gte=0),
                name="campaign_money",
            ),
            models.CheckConstraint(
                condition=Q(failed_try_pay__gte=0), name="campaign_failed_try_pay"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Target(models.Model):
    """A primary criterion, and what suffices: the width of each system's interval or, in a ranking,
    the largest difference of two systems that does not matter."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="targets")
    criterion = models.CharField(max_length=40)
    width = models.FloatField(null=True)
    margin = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "criterion"], name="target_once"),
            models.CheckConstraint(condition=Q(width__gt=0), name="target_positive"),
            models.CheckConstraint(condition=Q(margin__gt=0), name="margin_positive"),
            models.CheckConstraint(
                condition=Q(width__isnull=False, margin=None) | Q(width=None, margin__isnull=False),
                name="width_or_margin",
            ),
        ]


class Membership(models.Model):
    """Who may see a campaign, and what they may do there (docs/roles.md).

    unblinded: this reviewer could see results before they were hidden from reviewers.
    """

    Role = MemberRole
    RUN = (Role.OWNER, Role.COLLABORATOR)  # may change the campaign and its state
    SEE_RESULTS = (*RUN, Role.VIEWER)  # while the campaign collects; afterwards all of them
    REVIEW = (*RUN, Role.REVIEWER)  # may look at annotators and rule

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    role = models.CharField(max_length=12, choices=Role)
    unblinded = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "user"], name="membership_once")]


class Expert(models.Model):
    """One of the named people who judge every output of a campaign.

    They enter by a personal link for this name, and nobody else does. Only members of the campaign
    see the name. A released expert stays here, so that the name is not given again.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="experts")
    name = models.CharField(max_length=80)
    released_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="expert_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class System(models.Model):
    """A text-generation system under evaluation.

    Its sample is the items before `stop_position`, once that is set (data rule 8). In a comparison
    it is two systems, `first` and `second`.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)
    first = models.CharField(max_length=80, blank=True, default="", db_default="")
    second = models.CharField(max_length=80, blank=True, default="", db_default="")
    stop_position = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="system_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """One input. `position` is its place in the seeded random order, fixed at import (rule 7).

    group: the document, prompt or dialogue that it belongs to, as uploaded; "" where none was
    given. The items of a group have positions in a row; group_start is the first of them, null
    without a group.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="items", db_index=False)
    key = models.CharField(max_length=120)
    position = models.PositiveIntegerField()
    input = models.TextField(blank=True)  # an article, or a question
    words = models.PositiveIntegerField(default=0)  # of `input` alone
    paragraphs = models.JSONField(default=list)  # where annotators look for the answer
    reference = models.TextField(blank=True)
    group = models.CharField(max_length=120, blank=True, default="", db_default="")
    group_start = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "key"], name="item_key_once"),
            models.UniqueConstraint(fields=["campaign", "position"], name="item_position_once"),
        ]
        indexes = [newest_of_campaign("item_newest")]

    @property
    def number(self) -> int:
        """Return its place in the order of collecting, from 1."""
        return self.position + 1


class Output(models.Model):
    """What was written for an item; identical texts are one output of several systems."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="outputs", db_index=False)
    item = models.ForeignKey(Item, models.CASCADE, related_name="outputs")
    text = models.TextField()
    digest = models.CharField(max_length=64)
    given_metrics = models.JSONField(default=dict)
    words = models.PositiveIntegerField(default=0)  # for the reading time that screens expect

    class Meta:
        indexes = [newest_of_campaign("output_newest")]
        constraints = [models.UniqueConstraint(fields=["item", "digest"], name="output_text_once")]


class Authorship(models.Model):
    """`system` wrote `output` for `item`."""

    system = models.ForeignKey(System, models.CASCADE, related_name="authorships")
    item = models.ForeignKey(Item, models.CASCADE)
    output = models.ForeignKey(Output, models.CASCADE, related_name="authorships")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["system", "item"], name="one_output_per_system_item")
        ]


class CampaignImport(models.Model):
    """A file from which a user creates a campaign; a worker reads it and makes the campaign.

    `claim` names the worker that processes it until `claimed_until`. During creation, its campaign
    has no members, so no page shows it.
    """

    Status = ImportStatus
    RUNNING = (ImportStatus.READING, ImportStatus.CREATING)
    WAITING = (ImportStatus.READY, ImportStatus.REFUSED, ImportStatus.FAILED)  # wait for a person

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True)
    # The same form sent again (same key, same plan, same files) is the same import.
    key = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    plan = models.JSONField()
    revision = models.PositiveIntegerField(default=0)  # of the plan
    at_once = models.BooleanField(default=False)  # create it without asking if the file is right
    columns = models.JSONField(default=dict, db_default={})  # by our names, where theirs differ
    # How many of the four steps of the form its owner has been through.
    steps_done = models.PositiveSmallIntegerField(default=4, db_default=4)

    outputs_name = models.CharField(max_length=200)
    outputs_size = models.PositiveBigIntegerField(default=0)
    metrics_name = models.CharField(max_length=200, blank=True)
    metrics_size = models.PositiveBigIntegerField(default=0)

    status = models.CharField(max_length=10, choices=Status, default=Status.READING)
    facts = models.JSONField(null=True)
    problems = models.JSONField(null=True)
    done = models.PositiveBigIntegerField(default=0)  # bytes while reading, items while creating
    total = models.PositiveBigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)
    campaign = models.OneToOneField(Campaign, models.PROTECT, null=True, related_name="imported")

    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)  # by a person or by a change of status

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "key", "digest"],
                condition=~Q(status=ImportStatus.CANCELLED),
                name="import_once",
            ),
        ]
        indexes = [models.Index(fields=["status"], name="import_status")]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_direct(self) -> bool:
        """Return whether the process that has the file imports it, so that no file is stored."""
        return self.outputs_size == 0

    @property
    def is_running(self) -> bool:
        return self.status in self.RUNNING

    @property
    def percent(self) -> int | None:
        return min(100, 100 * self.done // self.total) if self.total else None

    @property
    def can_change(self) -> bool:
        """Return whether its plan may still change."""
        return self.status == self.Status.READING or self.status in self.WAITING

    @property
    def may_be_corrected(self) -> bool:
        """Return whether a refused file may be read if somebody says which column is which."""
        is_asked = self.status == self.Status.REFUSED and not self.at_once
        return is_asked and bool((self.problems or {}).get("columns"))

    @property
    def has_file(self) -> bool:
        """Return whether the outputs are still stored."""
        if self.status == self.Status.REFUSED:
            return self.may_be_corrected and self.chunks.exists()
        return self.can_change


class ImportChunk(models.Model):
    """A piece of an uploaded file. It is stored here because web and worker share no disk."""

    class File(models.TextChoices):
        OUTPUTS = "outputs"
        METRICS = "metrics"
        FIRST = "first"  # items, as JSON: written by the worker that has read the file

    campaign_import = models.ForeignKey(CampaignImport, models.CASCADE, related_name="chunks")
    file = models.CharField(max_length=8, choices=File)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign_import", "file", "number"], name="import_chunk_once"
            )
        ]
