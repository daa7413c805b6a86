"""Batches for tests, launched through the services, and people who take their units."""

from dataclasses import replace

from annotate.crowds import batches
from annotate.crowds.contract import USUAL_AUTO_APPROVAL, Terms
from annotate.crowds.postings import by_field
from annotate.models import Batch, Campaign, Operation, Participation, Posting

Kind, OpStatus, Stage = Operation.Kind, Operation.Status, Posting.Status
TERMS = Terms("Rate news", "Read a text and rate it.", tasks=2)
STORED = replace(TERMS, auto_approval=USUAL_AUTO_APPROVAL)


def launched(made: Campaign, places: int = 20, terms: Terms = TERMS, key: str = "k") -> Batch:
    total = batches.offer(made.pk, terms, places=places).total
    return batches.launch(made.pk, terms, places=places, actor_id=None, confirmed=total, key=key)


def problems(made: Campaign, terms: Terms = TERMS, places: int = 20) -> dict[str, str]:
    return by_field(batches.offer(made.pk, terms, places=places).problems)


def came(posting: Posting, name: str, status: str = "active") -> Participation:
    """Somebody who has taken a unit of a posting."""
    from annotate.models import Annotator

    annotator = Annotator.objects.create(crowd="mturk", environment="sandbox", external_id=name)
    return Participation.objects.create(
        campaign=posting.batch.campaign,
        annotator=annotator,
        external_key=f"U-{name}",
        posting=posting,
        tasks=posting.batch.tasks,
        status=status,
    )


def stages() -> list[str]:
    return list(Posting.objects.values_list("status", flat=True))
