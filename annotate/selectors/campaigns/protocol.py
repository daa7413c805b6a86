"""The decisions about a campaign as plain data, and the texts that annotators read of it."""

from typing import Any

from django.utils.translation import override

from annotate.instruments.base import Instrument
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.writing import as_data
from annotate.models import Campaign
from annotate.selectors.campaigns import counting
from annotate.selectors.studies import instruments
from annotate.text.languages import interface_language
from annotate.text.visible import is_visible


def title(given: str, instrument: Instrument, language: str) -> str:
    """Return the given title, or a neutral one in the annotators' language."""
    return " ".join(given.split()) if is_visible(given) else _said(instrument.title, language)


def about(given: str, instrument: Instrument, language: str) -> str:
    """Return the given sentence, or the instrument's description of itself."""
    return own_about(given) or _said(instrument.about, language)


def own_about(given: str) -> str:
    """Return a researcher's own sentence; "" if it has no visible characters."""
    return given.strip() if is_visible(given) else ""


def _said(words: object, language: str) -> str:
    with override(interface_language(language)):
        return str(words)


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
    "gold_share",
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
    "planned_items",
    "protocol",
)


def protocol(campaign: Campaign) -> dict[str, Any]:
    """Return the plan, the questions with their scales, and where each system's sample ended."""
    return {
        "campaign": campaign.public_id,
        **{name: getattr(campaign, name) for name in DECIDED},
        **counting.asked(campaign.pk),
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
