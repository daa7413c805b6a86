"""One annotator's answers and others' on the same outputs. No system is named."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from statistics import mean
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.utils.crypto import salted_hmac

from annotate.instruments.answers import Key, Question
from annotate.instruments.base import Instrument, Material
from annotate.models import Assignment, Campaign, Judgment, Output, Review, Score, Slot
from annotate.selectors.campaigns import outputs
from annotate.selectors.review import screening
from annotate.selectors.studies import instruments, page_orders

EDIT = "edit"
PAGE = 5  # outputs per page
_FACTS = (
    *("pk", "output", "annotator__pseudonym", "submitted_at", "active_seconds"),
    *("elapsed_seconds", "response", "counting", "annotator"),
)


@dataclass(frozen=True)
class Judged:
    """One judgment. hter: None if nothing was edited or its score is not computed yet."""

    id: int
    output_id: int
    pseudonym: str
    submitted_at: datetime
    seconds: float
    counts: bool
    answers: Mapping[Key, float]
    response: Mapping[str, Any]
    hter: float | None = None

    @property
    def edit(self) -> str | None:
        return self.response.get(EDIT)


@dataclass(frozen=True)
class ComparedJudgment:
    """One output with this annotator's judgment and the others'.

    distance: 0 where all agree, 1 at the largest possible distance; None without others.
    earlier: answers that their annotators corrected, the latest first. They are compared with
        nothing. Only what a page shows has them.
    """

    mine: Judged
    others: tuple[Judged, ...]
    distance: float | None
    material: Material | None = None
    earlier: tuple[Judged, ...] = ()

    def corrected_by(self, one: Judged) -> list[Judged]:
        """Return the earlier answers of this judgment's annotator."""
        return [each for each in self.earlier if each.pseudonym == one.pseudonym]

    @property
    def name(self) -> str:
        """Return the name of this output for reviewers.

        Unlike ids, neither the name nor its order follows the order of the systems.
        """
        return salted_hmac("annotate.reviewed-output", str(self.mine.output_id)).hexdigest()[:12]

    def alone(self, key: Key) -> bool:
        """Return whether only this annotator gave this answer."""
        theirs = [other.answers[key] for other in self.others if key in other.answers]
        return key in self.mine.answers and bool(theirs) and self.mine.answers[key] not in theirs

    @property
    def alone_in_editing(self) -> bool:
        """Return whether only this annotator edited, or all except this annotator."""
        edited = {other.edit is not None for other in self.others}
        return bool(edited) and (self.mine.edit is not None) not in edited


@dataclass(frozen=True)
class Matrix:
    """How often this annotator gave one level where another gave another, for one question.

    rows: this annotator's levels, in the question's order; columns: the others'.
    """

    question: Question
    counts: tuple[tuple[int, ...], ...]

    @property
    def n(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def same(self) -> int:
        return sum(row[i] for i, row in enumerate(self.counts))


@dataclass(frozen=True)
class AnnotatorWork:
    """All judgments of one annotator in one campaign, the most different from the others' first."""

    campaign_id: int
    instrument: Instrument
    questions: tuple[Question, ...]
    takes_edits: bool
    all: tuple[ComparedJudgment, ...]
    annotator_id: int = 0  # only `asked` leaves it

    @cached_property
    def shared(self) -> int:
        """Return how many outputs others have judged too."""
        return sum(bool(one.others) for one in self.all)

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.all) // PAGE))

    def page(self, number: int) -> list[ComparedJudgment]:
        """Return the outputs of one page, from 1, with what the annotators were shown.

        And with answers that were corrected; two queries, and one for texts side by side.
        """
        chosen = self.all[(number - 1) * PAGE : number * PAGE]
        keys = [one.mine.output_id for one in chosen]
        found = Output.objects.filter(pk__in=keys)
        shown = {output.pk: outputs.material(output) for output in found.select_related("item")}
        if self.instrument.shows_others:
            for key, texts in page_orders.pages(self.annotator_id, keys).items():
                shown[key] = replace(shown[key], side_by_side=texts)
        earlier: defaultdict[int, list[Judged]] = defaultdict(list)
        for one in _corrected(self.campaign_id, keys, self.instrument):
            earlier[one.output_id].append(one)
        return [
            replace(one, material=shown[key], earlier=tuple(earlier[key]))
            for key, one in zip(keys, chosen, strict=True)
        ]

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        pairs: Counter[tuple[str, float, float]] = Counter(
            (key[0], value, other.answers[key])
            for one in self.all
            for other in one.others
            for key, value in one.mine.answers.items()
            if key in other.answers
        )
        found = (_matrix(question, pairs) for question in self.questions)
        return tuple(matrix for matrix in found if matrix.n)


def work(campaign: Campaign, annotator_id: int) -> AnnotatorWork:
    """Return the judgments of this annotator, in a constant number of queries.

    The comparison leaves out excluded work of others, and work that no crowd has confirmed, because
    its author is unknown.
    """
    empty = asked(campaign)
    rows = judged(_rows(campaign.pk, annotator_id), empty.instrument)
    others: defaultdict[int, list[Judged]] = defaultdict(list)
    mine = []
    for owner, one in rows:
        mine.append(one) if owner == annotator_id else others[one.output_id].append(one)
    compared = [_compared(one, others[one.output_id], empty.questions) for one in mine]
    compared.sort(key=lambda one: (one.distance is None, -(one.distance or 0), one.name))
    return replace(empty, all=tuple(compared), annotator_id=annotator_id)


def asked(campaign: Campaign) -> AnnotatorWork:
    """Return what the campaign asks, without any judgment."""
    instrument = instruments.of(campaign)
    questions = tuple(instrument.questions()) if instrument.template else ()
    takes_edits = any(criterion.name == EDIT for criterion in instrument.criteria)
    return AnnotatorWork(campaign.pk, instrument, questions, takes_edits, ())


def judged(found: QuerySet[Judgment], instrument: Instrument) -> list[tuple[int, Judged]]:
    """Return these judgments in their order, each with its annotator's id, in two queries."""
    counting = Exists(
        Slot.objects.filter(
            assignment=OuterRef("assignment"), assignment__status=Assignment.Status.VERIFIED
        )
    )
    rows = list(found.annotate(counting=counting).order_by("pk").values_list(*_FACTS))
    edits = Score.objects.filter(judgment__in=[row[0] for row in rows], criterion=EDIT)
    hter = dict(edits.values_list("judgment", "value"))
    return [(row[-1], _judged(row[:-1], instrument, hter)) for row in rows]


def _judged(row: Sequence[Any], instrument: Instrument, hter: Mapping[int, float]) -> Judged:
    """Return one judgment from its facts without the annotator's id."""
    pk, output, name, at, active, elapsed, response, counts = row
    return Judged(
        pk,
        output,
        name,
        at,
        screening.seconds(active, elapsed),
        counts,
        instrument.answers(response) if instrument.template else {},
        response,
        hter.get(pk) if response.get(EDIT) is not None else None,
    )


def _corrected(campaign_id: int, outputs: Sequence[int], instrument: Instrument) -> list[Judged]:
    """Return the answers that later ones supersede, the latest first. They have no scores."""
    rows = Judgment.every.filter(campaign=campaign_id, output__in=outputs)
    early = rows.filter(superseded_at__isnull=False).annotate(counting=Value(False))
    found = early.order_by("-pk").values_list(*_FACTS)
    return [_judged(row[:-1], instrument, {}) for row in found]


def _rows(campaign_id: int, annotator_id: int) -> QuerySet[Judgment]:
    known = screening.known().filter(campaign=campaign_id)
    mine = known.filter(annotator=annotator_id)
    out = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    # Read first: in one statement, Postgres reads all judgments for a person with hundreds.
    outputs = list(mine.values_list("output", flat=True))
    beside = known.filter(output__in=outputs)
    return beside.filter(Q(annotator=annotator_id) | ~Q(annotator__in=out.values("annotator")))


def _compared(
    mine: Judged, others: Sequence[Judged], asked: tuple[Question, ...]
) -> ComparedJudgment:
    spread = {question.name: question.spread for question in asked}
    apart = [
        abs(value - mean(theirs)) / spread[key[0]]
        for key, value in mine.answers.items()
        if (theirs := [other.answers[key] for other in others if key in other.answers])
    ]
    return ComparedJudgment(
        mine, tuple(others), mean(apart) if apart else (0.0 if others else None)
    )


def _matrix(question: Question, pairs: Mapping[tuple[str, float, float], int]) -> Matrix:
    values = [value for value, _label in question.levels]
    counts = tuple(
        tuple(pairs.get((question.name, own, other), 0) for other in values) for own in values
    )
    return Matrix(question, counts)
