"""Operations of every kind, intended as the services intend them."""

from decimal import Decimal

from annotate.common import intents
from annotate.models import LedgerEntry, Operation, Participation, Posting
from annotate.models.crowds import (
    AddPlacesPayload,
    ApprovePayload,
    ArchivePayload,
    BonusPayload,
    ExcludePayload,
    IncludePayload,
    MessagePayload,
    OverridePayload,
    Payload,
    PublishPayload,
    RejectPayload,
    StopPayload,
)

AMOUNT = Decimal("0.75")
ON_POSTINGS: tuple[Payload, ...] = (
    PublishPayload(places=9, url="https://plumbline.test/work/on/mturk/x/"),
    AddPlacesPayload(places=9),
    StopPayload(),
    ArchivePayload(),
)
ON_UNITS: tuple[Payload, ...] = (
    ApprovePayload(),
    RejectPayload(reason="Every answer is the same."),
    OverridePayload(),
    MessagePayload(people=("W1",), subject="About your work", text="Zeile eins\n\nthen “two”"),
)
ON_PEOPLE: tuple[Payload, ...] = (
    ExcludePayload(person="W1", group="plumbline-x"),
    IncludePayload(person="W1", group="plumbline-x"),
)
PAID = BonusPayload(listing="L", unit="U", person="W1", amount=AMOUNT, reason="Thank you!")
EVERY = (*ON_POSTINGS, *ON_UNITS, *ON_PEOPLE, PAID)


def on_posting(payload: Payload, to: Posting, *, key: str = "") -> Operation:
    return intents.intend(
        payload,
        key=key or f"{payload.kind}:{to.pk}",
        campaign_id=to.batch.campaign_id,
        crowd="mturk",
        environment=to.environment,
        batch_id=to.batch_id,
        posting_id=to.pk,
    )


def on_unit(payload: Payload, who: Participation, *, key: str = "") -> Operation:
    """A bonus pays a row of the ledger that is made for it."""
    return intents.intend(
        payload,
        key=key or f"{payload.kind}:{who.pk}",
        campaign_id=who.campaign_id,
        crowd="mturk",
        environment="sandbox",
        participation_id=who.pk,
        posting_id=who.posting_id,
        entry_id=entry(who).pk if payload.kind == PAID.kind else None,
    )


def on_person(payload: Payload, who: Participation) -> Operation:
    return intents.intend(
        payload,
        key=f"{payload.kind}:{who.pk}",
        campaign_id=who.campaign_id,
        crowd="mturk",
        environment="sandbox",
        annotator_id=who.annotator_id,
    )


def any_of(payload: Payload, to: Posting, who: Participation) -> Operation:
    """Intend it about this posting, unit or person: what its kind is about."""
    if payload in ON_POSTINGS:
        return on_posting(payload, to)
    return on_person(payload, who) if payload in ON_PEOPLE else on_unit(payload, who)


def entry(who: Participation) -> LedgerEntry:
    n = LedgerEntry.objects.count()
    return LedgerEntry.objects.create(
        campaign_id=who.campaign_id,
        participation=who,
        kind=LedgerEntry.Kind.BONUS,
        amount=AMOUNT,
        fee=Decimal("0.15"),
        key=f"made:{n}",
    )
