"""The states of a campaign and the reasons for them: words that models and rules share."""

from django.db.models import TextChoices


class CampaignStatus(TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSING = "closing"
    CLOSED = "closed"
    ARCHIVED = "archived"


class CloseReason(TextChoices):
    """Why a campaign left `open`."""

    TARGET = "target", "every interval reached its target width"
    RANKED = "ranked", "every pair of systems was decided"
    EXHAUSTED = "exhausted", "every planned judgment was collected"
    MAX_JUDGMENTS = "max_judgments", "the maximum number of judgments was reached"
    BUDGET = "budget", "the budget does not pay for another judgment"
    DEADLINE = "deadline", "the deadline passed"
    HAND = "hand", "closed by hand"


class ImportStatus(TextChoices):
    """Where an uploaded file stands on its way to a campaign."""

    READING = "reading", "waits for a worker, or is read by one"
    REFUSED = "refused", "cannot be imported as it is"
    READY = "ready", "was read and waits for its owner"
    CREATING = "creating", "becomes a campaign"
    DONE = "done", "is a campaign"
    CANCELLED = "cancelled", "was given up"
    FAILED = "failed", "was stopped by an error of ours"


class MemberRole(TextChoices):
    """What a member is in a campaign (docs/roles.md)."""

    OWNER = "owner"
    COLLABORATOR = "collaborator"
    REVIEWER = "reviewer"
    VIEWER = "viewer"


class MetricChoice(TextChoices):
    """What was asked for; `Campaign.metrics` holds the names that it came to."""

    NONE = "none"
    NAMED = "named"
    AUTO = "auto"


class NotificationChannel(TextChoices):
    """How somebody is told of what happens in a campaign."""

    MAIL = "mail"
    WEBHOOK = "webhook"


class StopMode(TextChoices):
    """How an interval is made that a campaign may stop on (docs/statistics.md, stopping)."""

    PRECISION = "precision", "automatically, at the target width"
    ANYTIME = "anytime", "automatically or by hand, on intervals valid at every look"
    RANKING = "ranking", "automatically, when every pair of systems is decided"


class Estimand(TextChoices):
    """For whom an estimate speaks."""

    POPULATION = "population", "people in general"
    PANEL = "panel", "exactly these annotators"


class ItemMeasure(TextChoices):
    """A figure by which items are ordered (`ItemOrder`)."""

    JUDGED = "judged", "how many judgments count, by place"
    DISAGREEMENT = "disagreement", "the largest standard deviation of the answers to one text"
    WORST = "worst", "the mean of the text with the worst mean"
    EDITED = "edited", "the largest mean edit"
    RESIDUAL = "residual", "the largest difference of a mean and what the metrics predict"
