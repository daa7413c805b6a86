"""What gold items showed: of each person, of each item, and of one person's answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db.models import Count, Max, Q, QuerySet, Sum

from annotate.common import lists as common_lists
from annotate.common.lists import Listing
from annotate.common.text import DiffRun, word_diff
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument
from annotate.models import Assignment, Campaign, GoldAnswer, GoldFinding, GoldItem, GoldLook
from annotate.screening import gold
from annotate.screening.gold import GoldVerdict, KnownAnswers
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries

NONE = "0:0:0"  # the state without an answer
CHUNK = 5000  # rows read at a time
BY_LISTED = ("-listed", "by_honest", "annotator_id")  # the order of an index


@dataclass(frozen=True)
class ShownGold:
    """A gold item as its researcher sees it.

    expected: each question with its right answers, in words; asked: the same as values.
    chance: that a guess gives all of them.
    diff: of a planted one, what was changed. answered, right: counts; None of a draft.
    """

    name: str
    kind: str
    text: str
    expected: tuple[tuple[str, str], ...]
    asked: Mapping[str, list[float]]
    chance: float
    is_confirmed: bool
    diff: tuple[DiffRun, ...]
    answered: int = 0
    right: int = 0


@dataclass(frozen=True)
class GoldTask:
    """One answer of a person to a gold item."""

    item: ShownGold
    said: str
    right: bool
    submitted_at: datetime
    seconds: float


@dataclass(frozen=True)
class GoldOfPerson:
    """What gold says of a person (None without an answer), and their answers."""

    verdict: GoldFinding | None
    tasks: tuple[GoldTask, ...]

    @property
    def right(self) -> int:
        return sum(one.right for one in self.tasks)


def items(campaign: Campaign) -> list[ShownGold]:
    """Return all gold items with what came of them at the last look; two queries."""
    instrument, kept = studies_queries.instrument_of(campaign), _kept(campaign)
    rows = GoldItem.objects.filter(campaign=campaign)
    return [_shown(instrument, one, *kept.get(str(one.pk), (0, 0))) for one in rows]


def items_page(campaign: Campaign, listing: Listing) -> tuple[Listing, list[ShownGold]]:
    """Return a page of the same, in their order; three queries."""
    instrument, kept = studies_queries.instrument_of(campaign), _kept(campaign)
    rows = GoldItem.objects.filter(campaign=campaign)
    listing, shown = common_lists.page_beside(rows, ("position", "pk"), listing)
    return listing, [_shown(instrument, one, *kept.get(str(one.pk), (0, 0))) for one in shown]


def people(campaign: Campaign) -> QuerySet[GoldFinding]:
    """Select what gold says of people, those who are listed first."""
    findings = GoldFinding.objects.filter(campaign=campaign).select_related("annotator")
    return findings.order_by(*BY_LISTED)


def n_people(campaign: Campaign) -> tuple[int, int]:
    """Return about how many people gold says something, and how many of them it lists."""
    rows = GoldFinding.objects.filter(campaign=campaign)
    found = rows.aggregate(n=Count("pk"), listed=Count("pk", filter=Q(listed=True)))
    return found["n"], found["listed"]


def of_person(campaign: Campaign, annotator_id: int) -> GoldOfPerson:
    """Return one person's answers to gold items, in their order; at most three queries."""
    if not GoldItem.objects.filter(campaign=campaign).exists():
        return GoldOfPerson(None, ())
    instrument = studies_queries.instrument_of(campaign)
    mine = _known(campaign.pk).filter(annotator=annotator_id).select_related("item").order_by("pk")
    tasks = tuple(
        GoldTask(
            _shown(instrument, one.item),
            instrument.answered(one.response),
            one.right,
            one.submitted_at,
            one.elapsed_seconds
            if one.active_seconds is None
            else min(one.active_seconds, one.elapsed_seconds),
        )
        for one in mine
    )
    row = GoldFinding.objects.filter(campaign=campaign, annotator=annotator_id).first()
    return GoldOfPerson(row, tasks)


def thresholds(campaign: Campaign) -> KnownAnswers:
    """Return from where on gold lists people in this campaign."""
    return Settings.from_dict(campaign.screening).gold


def examples(limits: KnownAnswers) -> list[tuple[int, int]]:
    """Return how many misses of so many answers list somebody."""
    counts = sorted({limits.minimum, 5, 10})
    found = [(gold.fewest(n, limits), n) for n in counts if n >= limits.minimum]
    return [(misses, n) for misses, n in found if misses <= n]


def state(campaign: Campaign) -> str:
    """Return a text that changes whenever gold may say something new; `NONE` without an answer.

    That is after new answers, and after a change of the thresholds.
    """
    seen = _known(campaign.pk).aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    if not seen["n"]:
        return NONE
    limits = sha256(thresholds(campaign).model_dump_json().encode()).hexdigest()[:12]
    return f"{seen['n']}:{seen['last']}:{seen['sum']}:{limits}"


def counts(campaign_id: int) -> dict[str, tuple[int, int]]:
    """Return of each item, by its id, the answers and how many of them are right."""
    right = Count("pk", filter=Q(right=True))
    rows = _known(campaign_id).order_by().values_list("item").annotate(n=Count("pk"), right=right)
    return {str(item): (n, good) for item, n, good in rows}


def verdicts(
    campaign: Campaign, cleared: Mapping[int, datetime] | None = None
) -> list[GoldVerdict]:
    """Return the verdict on everybody, from all answers.

    cleared: when people were cleared. Their answers until then have the negative of their id; they
    still show which items most people miss.
    """
    at = cleared or {}
    rows = _known(campaign.pk).order_by("pk")
    facts = [
        (-who if who in at and when <= at[who] else who, item, right)
        for who, item, right, when in rows.values_list(
            "annotator", "item", "right", "submitted_at"
        ).iterator(chunk_size=CHUNK)
    ]
    if not facts:
        return []
    instrument = studies_queries.instrument_of(campaign)
    given = GoldItem.objects.filter(campaign=campaign).values_list("pk", "expected")
    chance = {pk: instruments_base.chance(instrument, answers) for pk, answers in given}
    who, what, right = zip(*facts, strict=True)
    chances = [chance[item] for item in what]
    return gold.find(who, what, right, chances, thresholds(campaign))


def _kept(campaign: Campaign) -> Mapping[str, tuple[int, int]]:
    """Return how often each item was answered, and answered right, at the last look."""
    kept = GoldLook.objects.filter(campaign=campaign).values_list("counts", flat=True)
    return kept.first() or {}


def _known(campaign_id: int) -> QuerySet[GoldAnswer]:
    """Select the answers of people whom their crowd has confirmed."""
    sure = Assignment.Status.VERIFIED
    return GoldAnswer.objects.filter(campaign=campaign_id, assignment__status=sure)


def _shown(instrument: Instrument, item: GoldItem, answered: int = 0, right: int = 0) -> ShownGold:
    planted = (
        instruments_base.parts(item.text)[1] or item.text
    )  # of a pair, the first text is the clean one
    return ShownGold(
        item.name,
        item.kind,
        item.text,
        tuple(instruments_base.said(instrument, item.expected)),
        item.expected,
        instruments_base.chance(instrument, item.expected),
        item.confirmed_at is not None,
        tuple(word_diff(item.clean_text, planted)) if item.clean_text else (),
        answered,
        right,
    )
