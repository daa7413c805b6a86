"""One item: its texts, and every judgment of each, those that do not count marked."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.utils.crypto import salted_hmac

from annotate.errors import NotFound
from annotate.instruments.base import Material
from annotate.models import Assignment, Authorship, Campaign, Exclusion, Item, Judgment, Output
from annotate.selectors.campaigns import outputs
from annotate.selectors.review import judgments
from annotate.selectors.review.judgments import AnnotatorWork, Judged

LARGEST = 2**31 - 1  # of a position


class JudgmentStanding(StrEnum):
    """Whether a judgment counts, or why not."""

    COUNTS = ""
    SUPERSEDED = "superseded"
    EXCLUDED = "excluded"
    UNCONFIRMED = "not confirmed by the crowd"
    NO_SLOT = "does not count"


JudgmentsByOutput = dict[int, tuple[tuple[Judged, JudgmentStanding], ...]]


@dataclass(frozen=True)
class JudgedOutput:
    """One output. systems: who wrote it, none for people who do not see them.

    metrics: the values of the uploaded file, also only for those who see systems.
    """

    name: str
    systems: tuple[str, ...]
    metrics: Mapping[str, float]
    material: Material
    judged: tuple[tuple[Judged, JudgmentStanding], ...]


@dataclass(frozen=True)
class ItemPage:
    """One item, from 1 in the order of collecting; before and after: its neighbours, or 0."""

    number: int
    key: str
    input: str
    paragraphs: tuple[str, ...]
    reference: str
    before: int
    after: int
    work: AnnotatorWork
    outputs: tuple[JudgedOutput, ...]


def of(campaign: Campaign, number: int, *, systems: bool) -> ItemPage:
    """Return an item in a constant number of queries; `NotFound` where there is none.

    Without systems the outputs stand in an order that follows neither ids nor systems.
    """
    places = [place for place in range(number - 2, number + 1) if 0 <= place <= LARGEST]
    found = Item.objects.filter(campaign=campaign.pk, position__in=places)
    items = {item.position: item for item in found}
    if number - 1 not in items:
        raise NotFound("There is no item of this number in the campaign.")
    item = items[number - 1]
    return ItemPage(
        number,
        item.key,
        item.input,
        tuple(item.paragraphs),
        item.reference,
        number - 1 if number - 2 in items else 0,
        number + 1 if number in items else 0,
        (asked := judgments.asked(campaign)),
        _outputs(item, asked, systems=systems),
    )


def _outputs(item: Item, work: AnnotatorWork, *, systems: bool) -> tuple[JudgedOutput, ...]:
    judged = _judged(item, work)
    wrote = _systems(item) if systems else {}
    rows = [
        JudgedOutput(
            salted_hmac("annotate.reviewed-output", str(output.pk)).hexdigest()[:12],
            wrote.get(output.pk, ()),
            output.given_metrics if systems else {},
            outputs.material(output),
            judged.get(output.pk, ()),
        )
        for output in Output.objects.filter(item=item).select_related("item").order_by("pk")
    ]
    return tuple(rows if systems else sorted(rows, key=lambda row: row.name))


def _systems(item: Item) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    rows = Authorship.objects.filter(item=item).order_by("system")
    for output, name in rows.values_list("output", "system__name"):
        found[output] = (*found.get(output, ()), name)
    return found


def _judged(item: Item, work: AnnotatorWork) -> JudgmentsByOutput:
    rows = Judgment.every.filter(output__item=item)
    out = Exclusion.objects.filter(judgment__output__item=item, restored_at=None)
    excluded = set(out.values_list("judgment", flat=True))
    states = {
        pk: (superseded_at is not None, status == Assignment.Status.VERIFIED)
        for pk, superseded_at, status in rows.values_list(
            "pk", "superseded_at", "assignment__status"
        )
    }
    found: defaultdict[int, tuple[tuple[Judged, JudgmentStanding], ...]] = defaultdict(tuple)
    for _annotator, one in judgments.judged(rows, work.instrument):
        superseded, verified = states.get(one.id, (False, True))
        standing = _standing(one, superseded, one.id in excluded, verified)
        found[one.output_id] += ((one, standing),)
    return found


def _standing(one: Judged, superseded: bool, excluded: bool, verified: bool) -> JudgmentStanding:
    if superseded:
        return JudgmentStanding.SUPERSEDED
    if excluded:
        return JudgmentStanding.EXCLUDED
    if not verified:
        return JudgmentStanding.UNCONFIRMED
    return JudgmentStanding.COUNTS if one.counts else JudgmentStanding.NO_SLOT
