"""What was decided about a campaign, as plain data: enough to say how its judgments came about."""

from typing import Any

from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.reading import as_data
from annotate.models import Campaign
from annotate.selectors.campaigns import counting
from annotate.selectors.studies import instruments

DECIDED = (
    "name",
    "status",
    "close_reason",
    "created_at",
    "opened_at",
    "closed_at",
    "crowd",
    "language",
    "tutorial_required",
    "tutorial_bonus",
    "annotator_cap",
    "double_share",
    "lease_minutes",
    "seed",
    "screening",
    "reward",
    "fee_rate",
    "budget",
    "max_judgments",
    "deadline",
    "metric_choice",
    "metrics",
    "estimand",
    "level",
    "stop_mode",
)


def protocol(campaign: Campaign) -> dict[str, Any]:
    """Return the plan, what was asked on which scales, and where each system's sample ended."""
    return {
        "campaign": campaign.public_id,
        **{name: getattr(campaign, name) for name in DECIDED},
        "targets": counting.brief(campaign.pk).targets,
        "systems": [
            {"name": system.name, "stop_position": system.stop_position}
            for system in counting.standings(campaign.pk)
        ],
        "instrument": _instrument(campaign),
    }


def _instrument(campaign: Campaign) -> dict[str, Any]:
    asked = instruments.of(campaign)
    return {
        "key": asked.key,
        "version": asked.version,
        "label": str(asked.label),
        "criteria": [criterion.as_data() for criterion in asked.criteria],
        "definition": as_data(asked.definition) if isinstance(asked, Rating) else None,
    }
