"""Which instrument a campaign uses: built in, or defined by a researcher."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from annotate.instruments import registry
from annotate.instruments.base import Instrument
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.reading import read
from annotate.models import Campaign, InstrumentDefinition
from annotate.schemas import SLUG

NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True)
class ListedInstrument:
    """One version of an instrument that a campaign can use."""

    instrument: Instrument
    owner: str  # "" for built-in ones
    created_at: datetime | None
    campaigns: int
    mine: bool = False

    @property
    def built_in(self) -> bool:
        return self.created_at is None

    @property
    def is_definition(self) -> bool:
        """Return whether it can be downloaded as JSON."""
        return isinstance(self.instrument, Rating)

    @property
    def reference(self) -> str:
        """Return the name by which a plan chooses it."""
        key, version = self.instrument.key, self.instrument.version
        return key if self.built_in else f"{key}@{version}"


def of(campaign: Campaign) -> Instrument:
    """Return the instrument of a campaign, in the campaign's version."""
    return get(campaign.instrument, campaign.instrument_version)


def compares(campaign_id: int) -> bool:
    """Return whether the campaign's outputs are pairs of texts."""
    rows = Campaign.objects.filter(pk=campaign_id).values_list("instrument", "instrument_version")
    return get(*rows.get()).compares


def criteria_of(campaign_ids: Collection[int]) -> list[str]:
    """Return the names of all criteria that are asked about in these campaigns."""
    asked = Campaign.objects.filter(pk__in=campaign_ids).order_by()
    used = asked.values_list("instrument", "instrument_version").distinct()
    return sorted({one.name for which in used for one in get(*which).criteria})


def named(reference: str) -> Instrument:
    """Return the instrument that `key` or `key@version` names; KeyError as for `get`.

    A built-in one has one version: another is refused, and never read as this one.
    """
    key, at, version = reference.partition("@")
    found = get(key, version)
    if at and version != found.version:
        raise KeyError(f"No version {version[:80]!r} of {key}; there is {found.version}.")
    return found


def get(key: str, version: str = "") -> Instrument:
    """Return an instrument, the latest version if none is named.

    Raises KeyError with the existing names.
    """
    if key in registry.INSTRUMENTS:
        return registry.get(key, version)
    if not SLUG.match(key):
        raise KeyError(_unknown(key))
    rows = InstrumentDefinition.objects.filter(key=key)  # the newest first
    if version:
        rows = rows.filter(version=int(version) if NUMBER.fullmatch(version) else 0)
    row = rows.first()
    if row is None:
        raise KeyError(_unknown(f"{key}@{version}" if version else key))
    return _rating(row)


def _rating(row: InstrumentDefinition) -> Rating:
    return Rating(read(row.definition, version=str(row.version)), row.hter_version)


def _unknown(reference: str) -> str:
    defined = InstrumentDefinition.objects.order_by("key").values_list("key", flat=True).distinct()
    known = ", ".join([*registry.INSTRUMENTS, *defined])
    return f"No instrument {reference[:80]!r}; there are {known}."


def is_built_in(key: str) -> bool:
    return key in registry.INSTRUMENTS


def listed(user_id: int | None) -> list[ListedInstrument]:
    """Return all instruments that a campaign can use: built-in ones, then the newest versions."""
    used = Counter(Campaign.objects.values_list("instrument", "instrument_version"))
    built_in = [
        ListedInstrument(one, "", None, sum(n for (key, _v), n in used.items() if key == one.key))
        for one in registry.asked()
    ]
    rows = InstrumentDefinition.objects.select_related("owner").order_by("key", "-version")
    defined = [
        ListedInstrument(
            _rating(row),
            row.owner.get_username() if row.owner else "",
            row.created_at,
            used[row.key, str(row.version)],
            mine=row.owner_id == user_id,
        )
        for row in rows
    ]
    return [*built_in, *defined]
