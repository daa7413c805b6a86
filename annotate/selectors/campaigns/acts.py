"""The log of a campaign: acts of people, and automatic ones that are not routine."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.models import AuditEntry
from annotate.models.audit import FEED
from annotate.screening.base import LISTED
from annotate.selectors import keysets
from annotate.selectors.listings import Listing

COLUMNS = ("pk", "at", "actor__username", "verb", "subject", "detail")


@dataclass(frozen=True)
class LoggedAct:
    """One line of the log."""

    id: int
    at: datetime
    actor: str  # "" for automatic acts of Plumbline
    verb: str
    subject: str
    detail: dict[str, Any]

    @property
    def is_listing(self) -> bool:
        """Return whether it is a flag that lists somebody, and stops nobody."""
        return self.verb == "flag" and self.detail.get("tier") == LISTED


def activity(
    campaign_id: int,
    *,
    limit: int,
    before: int | None = None,
    verbs: Collection[str] | None = None,
    not_by_rules: Collection[str] = (),
) -> tuple[LoggedAct, ...]:
    """Return the last acts, the newest first, without automatic acts on single things.

    before: the id of an act; only earlier ones are returned.
    verbs: only these acts. not_by_rules: acts that only people's entries are returned of.
    """
    found = AuditEntry.objects.filter(FEED, campaign=campaign_id)
    found = found.exclude(actor=None, verb__in=list(not_by_rules))
    if before is not None:
        found = found.filter(pk__lt=before)
    if verbs is not None:
        found = found.filter(verb__in=list(verbs))
    return tuple(map(_act, found.order_by("-pk").values_list(*COLUMNS, named=True)[:limit]))


def page(
    campaign_id: int, listing: Listing, *, verbs: Collection[str] | None = None
) -> tuple[Listing, list[LoggedAct]]:
    """Return a page of the same acts, those of stopping rules too; two queries. verbs: as there."""
    found = AuditEntry.objects.filter(FEED, campaign=campaign_id)
    if verbs is not None:
        found = found.filter(verb__in=list(verbs))
    listing, rows = keysets.page(found.values_list(*COLUMNS, named=True), ("-pk",), listing)
    return listing, list(map(_act, rows))


def _act(row: Any) -> LoggedAct:
    return LoggedAct(row.pk, row.at, row.actor__username or "", row.verb, row.subject, row.detail)
