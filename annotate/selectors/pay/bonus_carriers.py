"""Which unit an extra payment is attached to: crowds pay bonuses for handed-in units only."""

from dataclasses import dataclass

from annotate.models import Participation

Status = Participation.Status
PREFERRED = (Status.CONFIRMED, Status.APPROVED)
POSSIBLE = (*PREFERRED, Status.REJECTED)


@dataclass(frozen=True)
class Carrier:
    """A unit that its person has handed in, as the crowd names it."""

    participation: int
    listing: str
    unit: str
    person: str


def carrier(participation: Participation) -> Carrier | None:
    """Return the unit for extra pay of this participation; None until there is one.

    Its own; otherwise the latest that the same person has handed in in the same environment,
    in any campaign. Rejected units come last.
    """
    annotator = participation.annotator_id
    units = Participation.objects.filter(annotator=annotator, status__in=POSSIBLE)
    rows = units.exclude(posting=None).order_by("-submitted_at", "-pk")
    found = [
        (status in PREFERRED, pk == participation.pk, Carrier(pk, listing, unit, person))
        for pk, status, listing, unit, person in rows.values_list(
            "pk", "status", "posting__external_id", "external_key", "annotator__external_id"
        )
    ]
    best = max(found, key=lambda one: one[:2], default=None)
    return best[2] if best else None
