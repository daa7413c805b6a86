"""Many people of a campaign, written at once: what the services write for each of them."""

from decimal import Decimal

from django.utils import timezone

from annotate.campaigns import totals
from annotate.models import Annotator, Campaign, LedgerEntry, Participation, Payout


def people(made: Campaign, n: int, *, name: str = "Person {i}") -> list[Participation]:
    """Let n people enter; they have earned, were refused and paid different amounts."""
    first = Annotator.objects.count()
    who = Annotator.objects.bulk_create(
        Annotator(
            crowd=made.crowd,
            environment="live",
            external_id=name.format(i=first + i),
            pseudonym=f"p{first + i:09d}",
        )
        for i in range(n)
    )
    came = Participation.objects.bulk_create(
        Participation(campaign=made, annotator=one, verified_at=timezone.now()) for one in who
    )
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            campaign=made,
            participation=one,
            kind=kind,
            amount=amount,
            fee=0,
            key=f"{kind}:{one.pk}",
        )
        for i, one in enumerate(came)
        for kind, amount in (
            ("bonus", Decimal(100 + i * 7 % 50) / 100),
            ("refusal", -Decimal(i % 3) / 100),
        )
        if amount
    )
    Payout.objects.bulk_create(
        Payout(participation=one, amount=Decimal("0.50"), key=f"paid:{one.pk}") for one in came[::4]
    )
    totals.recount(made.pk)
    return came
