"""The evidence of signals on one annotator, and who is listed by it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.models import Annotator, Campaign, SignalFinding
from annotate.screening import signals as words
from annotate.screening.signals import SignalEvidence, signals_on


@dataclass(frozen=True)
class SignalLook:
    """What is shown of one person's signals.

    at: when they were looked at; None: not yet. waits: whether evidence lists this person that no
    reviewer has put aside. partners: pseudonyms of the accounts that
    `evidence` names.
    """

    at: datetime | None
    waits: bool
    evidence: tuple[SignalEvidence, ...]
    partners: dict[int, str]


@dataclass(frozen=True)
class SignalReason:
    """The evidence that lists somebody, without what was put aside; partners as in `SignalLook`."""

    evidence: tuple[SignalEvidence, ...]
    partners: Mapping[int, str]


def look(campaign: Campaign, annotator_id: int) -> SignalLook | None:
    """Return the signals of one annotator; None where the campaign counts none."""
    if not signals_on(campaign.screening):
        return None
    row = SignalFinding.objects.filter(campaign=campaign, annotator=annotator_id).first()
    if row is None:
        return SignalLook(None, False, (), {})
    found = evidence_of(row)
    return SignalLook(row.at, waiting(row), tuple(found), _partners([row]))


def partner(one: SignalEvidence, partners: Mapping[int, str]) -> str:
    """Return the pseudonym of the account that this evidence names, or ""."""
    return partners.get(round(one.numbers.get("partner", 0)), "")


def told(campaign: Campaign, annotator_id: int) -> list[dict[str, Any]]:
    """Return the signals of one annotator with their sentences. Other accounts by pseudonym."""
    found = look(campaign, annotator_id)
    if found is None:
        return []
    return [
        vars(one) | {"text": words.told(one, partner(one, found.partners))}
        for one in found.evidence
    ]


def reasons(keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], SignalReason]:
    """Return why signals list these people, by campaign and pseudonym; two queries."""
    rows = SignalFinding.objects.filter(
        listed=True,
        campaign__public_id__in={campaign for campaign, _ in keys},
        annotator__pseudonym__in={pseudonym for _, pseudonym in keys},
    ).select_related("campaign", "annotator")
    found = {
        (row.campaign.public_id, row.annotator.pseudonym): row
        for row in rows
        if signals_on(row.campaign.screening) and waiting(row)
    }
    asked = {key: found[key] for key in keys if key in found}
    partners = _partners(list(asked.values()))
    return {
        key: SignalReason(
            tuple(one for one in evidence_of(row) if one.listed and one.kind not in row.aside),
            partners,
        )
        for key, row in asked.items()
    }


def sentences(reason: SignalReason) -> list[dict[str, str]]:
    """Return the kinds of signals that list somebody, each in a sentence."""
    return [
        {"kind": one.kind, "text": words.told(one, partner(one, reason.partners))}
        for one in reason.evidence
    ]


def listing(row: SignalFinding) -> set[str]:
    """Return the kinds of evidence that list this person."""
    return {one.kind for one in evidence_of(row) if one.listed}


def waiting(row: SignalFinding) -> bool:
    """Return whether evidence lists this person that no reviewer has put aside."""
    return bool(listing(row) - set(row.aside))


def evidence_of(row: SignalFinding) -> list[SignalEvidence]:
    """Return the stored evidence."""
    return [SignalEvidence(**one) for one in row.evidence]


def _partners(rows: list[SignalFinding]) -> dict[int, str]:
    named = {
        round(one.numbers["partner"])
        for row in rows
        for one in evidence_of(row)
        if "partner" in one.numbers
    }
    # No id is 0, and a query that names none would not be sent: always as many queries.
    people = Annotator.objects.filter(pk__in=named or {0})
    return dict(people.values_list("pk", "pseudonym"))
