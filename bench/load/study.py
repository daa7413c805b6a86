"""The campaign that is judged: made by the services, or with many judgments before."""

from dataclasses import dataclass

SYSTEMS = ("one", "two", "three", "four")
PACE = 400  # tasks a second at most, for which there are slots
PLAN = {
    "targets": {"overall": 1e-6},  # never reached: it does not close
    "annotator_cap": 1_000_000,
    "budget": 9_000_000,
    "max_judgments": 20_000_000,
}


@dataclass(frozen=True)
class Study:
    id: int
    tokens: list[str]  # of the annotators
    judged: int  # before


def make(annotators: int, *, seconds: float, stored: int = 0) -> Study:
    """Make an open campaign with enough slots for so many seconds, and annotators by link."""
    from django.db import connection

    from annotate import tokens
    from tests import factories

    items = int(max(annotators, PACE * seconds) / len(SYSTEMS) / 1.25) + 100
    campaign = factories.campaign(items=items, systems=SYSTEMS, **PLAN)
    people = [factories.person(campaign, f"load-{n}") for n in range(annotators)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    keys = [tokens.participation_token(who.pk) for who in people]
    return Study(campaign.pk, keys, judgments(campaign.pk))


def judgments(campaign_id: int) -> int:
    """Return how many judgments of the campaign are stored."""
    from annotate.models import Judgment

    return Judgment.objects.filter(campaign=campaign_id).count()
