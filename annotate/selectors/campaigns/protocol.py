"""The decisions about a campaign as plain data, and the texts that annotators read of it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import override

from annotate.instruments import registry
from annotate.instruments.base import Instrument
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.reading import read
from annotate.instruments.rating.writing import as_data
from annotate.models import Campaign, Protocol, System
from annotate.selectors import amendments
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief
from annotate.selectors.studies import amended_texts, instruments, texts
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


METRICS_BOUNDED = "bound_metrics"  # the verb of an amendment of the protocol: see the service

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
    "failed_try_pay",
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
        "systems": [_system(system) for system in campaign.systems.order_by("pk")],
        "texts": asdict(texts.of(campaign)),
        "consent_version": texts.consent_version(campaign),
        "text_amendments": [
            {"at": one.at, "why": one.why, "changes": one.changes}
            for one in amended_texts.amended(campaign.pk)
        ],
        "protocol_amendments": [
            {"at": one.at, "why": one.why, "changes": one.changes}
            for one in amendments.logged(campaign.pk, METRICS_BOUNDED)
        ],
        "instrument": _instrument(campaign),
    }


def _system(system: System) -> dict[str, Any]:
    """Return its name and where its sample ended; in a comparison the two systems, too."""
    told = {"name": system.name, "stop_position": system.stop_position}
    both = {"first": system.first, "second": system.second}
    return told | both if system.first else told


def _instrument(campaign: Campaign) -> dict[str, Any]:
    asked = instruments.of(campaign)
    return {
        "key": asked.key,
        "version": asked.version,
        "scoring": asked.scoring,
        "label": str(asked.label),
        "criteria": [criterion.as_data() for criterion in asked.criteria],
        "definition": as_data(asked.definition) if isinstance(asked, Rating) else None,
    }


def instrument_in(told: Mapping[str, Any]) -> Instrument:
    """Return the instrument of a plan that `protocol` wrote, without a database.

    ValueError where a built-in one has another version here; others for what is no plan.
    """
    about = told["instrument"]
    if about["definition"] is not None:
        return Rating(read(about["definition"], version=str(about["version"])))
    found = registry.get(about["key"])
    if found.version != about["version"]:
        raise ValueError(
            f"version {about['version']} of {found.key} was used; {found.version} runs here"
        )
    return found


def protocols_in(told: Mapping[str, Any]) -> Iterator[Protocol]:
    """Yield the protocol of a plan that `protocol` wrote, then those before each amendment of it.

    Raises KeyError, TypeError or ValueError for what is no plan.
    """
    stored = dict(told["protocol"])
    yield Protocol.from_data(stored)
    for amendment in told.get("protocol_amendments", ()):
        for name, (was, _now) in amendment["changes"].items():
            stored.pop(name, None)
            stored |= {} if was is None else {name: was}
        yield Protocol.from_data(stored)


def brief_in(told: Mapping[str, Any], instrument: Instrument) -> Brief | None:
    """Return what was decided by a plan that `protocol` wrote; None before the opening."""
    if told["protocol"] is None:
        return None
    return Brief(
        campaign_id=0,
        status=str(told["status"]),
        close_reason=told["close_reason"],
        metrics=tuple(map(str, told["metrics"])),
        stop_mode=told["stop_mode"],
        estimand=told["estimand"],
        level=float(told["level"]),
        targets={str(name): float(width) for name, width in told["targets"].items()},
        margins={str(name): float(margin) for name, margin in told["margins"].items()},
        planned_items=told["planned_items"],
        criteria=instrument.criteria,
        compares=instrument.compares,
        n_pairs=len(told["systems"]) if instrument.compares else 0,
        protocol=Protocol.from_data(told["protocol"]),
    )
