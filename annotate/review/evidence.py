"""Evidence about annotators, without systems or estimates: screens, signals and judgments."""

import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from statistics import mean
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum, TextField, Value
from django.db.models.functions import Cast, Length
from django.utils.crypto import salted_hmac
from numpy.typing import NDArray

from annotate.campaigns import facts
from annotate.common import rows as common_rows
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Edges, Instrument, Key, Material, Observed, Question
from annotate.models import (
    Annotator,
    Assignment,
    Calibration,
    Campaign,
    Item,
    Judgment,
    Output,
    Participation,
    Review,
    Ruling,
    Score,
    ScreenedAnnotator,
    Screening,
    SignalFinding,
    Slot,
)
from annotate.screening import signals as screening_signals
from annotate.screening.base import UNCALIBRATED, Columns, Cutoffs, Verdict, joined
from annotate.screening.signals import (
    PageCounts,
    SignalEvidence,
    TaskTrace,
    new_characters,
    signals_on,
)
from annotate.studies import queries as studies_queries
from estimation.metrics import word_spans

Ints = NDArray[np.int64]
Row = tuple[Any, ...]

_FACTS = ("pk", "annotator", "output", "taken", "text")
CHUNK = 5000  # judgments whose responses are in memory at once
# What `json.loads` does with a text that begins with its value, in half the time.
_JSON: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def state(campaign_id: int) -> str:
    """Return a text that changes whenever the screens may find something new."""
    seen = _known_of(campaign_id).aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    return f"{seen['n']}:{seen['last'] or 0}:{seen['sum'] or 0}"


def columns(campaign: Campaign) -> Columns | None:
    """Return the campaign's judgments without those of excluded annotators; None without any.

    Late judgments that do not count are included, because they are a person's work too. Unconfirmed
    judgments are not, because anyone may have sent them under any name. Work that a reviewer has
    cleared has another label, the negative of the annotator's: it is a yardstick, and only newer
    work can raise new flags.
    """
    instrument = studies_queries.instrument_of(campaign)
    if not instrument.template:
        return None
    rows = _known_of(campaign.pk).annotate(taken=Judgment.TAKEN, text=Cast("response", TextField()))
    reads_input = "input" in instruments_base.beside(instrument, campaign)
    material = _Material(campaign.pk, reads_input=reads_input, reads_all=instrument.ranks)
    parts = [
        _part(instrument, part, material)
        for part in common_rows.parts(rows.order_by("pk"), *_FACTS, size=CHUNK)
    ]
    return _rearmed(joined(parts), _cleared(campaign.pk)) if parts else None


def _rearmed(columns: Columns, cleared: Ints) -> Columns:
    if not cleared.size:
        return columns
    before = np.isin(columns.order.astype(np.int64), cleared)
    return replace(columns, annotator=np.where(before, -columns.annotator, columns.annotator))


def screening_seconds(active: float | None, elapsed: float) -> float:
    """Return the same as `Judgment.TAKEN`."""
    return elapsed if active is None else min(active, elapsed)


def screening_known() -> QuerySet[Judgment]:
    """Select the judgments of people whom their crowd has confirmed."""
    return Judgment.objects.filter(assignment__status=Assignment.Status.VERIFIED)


def _known_of(campaign_id: int) -> QuerySet[Judgment]:
    out = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    return (
        screening_known()
        .filter(campaign=campaign_id)
        .exclude(annotator__in=out.values("annotator"))
    )


def _cleared(campaign_id: int) -> Ints:
    """Return the ids of judgments up to the last ruling that their annotator's work counts."""
    rulings = Ruling.objects.filter(
        review__campaign=campaign_id, act__in=(Ruling.Act.CLEAR, Ruling.Act.RESTORE)
    )
    later = rulings.filter(
        review__annotator=OuterRef("annotator"), at__gte=OuterRef("submitted_at")
    )
    people = rulings.order_by().values("review__annotator")
    mine = _known_of(campaign_id).filter(Exists(later.order_by()), annotator__in=people)
    return np.array(mine.values_list("pk", flat=True), dtype=np.int64)


class _Material:
    """The items and lengths of a campaign's outputs (N,), ids ascending, and of its items (M,).

    reads_all: with a text, people read all others of its item.
    """

    def __init__(self, campaign_id: int, *, reads_input: bool, reads_all: bool) -> None:
        self.reads_input = reads_input
        outputs = Output.objects.filter(campaign=campaign_id).order_by("pk")
        items = Item.objects.filter(campaign=campaign_id).order_by("pk")
        kinds = {"id": "i8", "item": "i8", "words": "i4"}
        self.output, self.item, self.words = common_rows.columns(outputs, **kinds)
        if reads_all:
            _items, at = np.unique(self.item, return_inverse=True)
            self.words = np.bincount(at, self.words).astype(np.int64)[at]
        self._items, self._item_words = common_rows.columns(items, id="i8", words="i4")

    def of(self, outputs: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the item of each output, the words of its text, and those of its shown input."""
        at = common_rows.places(self.output, wanted=outputs)
        item = self.item[at]
        words = self._item_words[common_rows.places(self._items, wanted=item)]
        return item, self.words[at], words * self.reads_input


def _part(instrument: Instrument, chunk: list[Row], material: _Material) -> Columns:
    """Return the columns of some judgments; their responses are forgotten with the chunk."""
    ids, annotators, outputs, seconds, texts = zip(*chunk, strict=True)
    output = np.array(outputs, dtype=np.int64)
    item, text_words, input_words = material.of(output)
    edges = _edges_of(set(item.tolist())) if instrument.needs_paragraphs else {}
    lengths = zip(item.tolist(), text_words.tolist(), input_words.tolist(), strict=True)
    observed = [
        Observed(_JSON(text, 0)[0], words, more, edges.get(key, []))
        for text, (key, words, more) in zip(texts, lengths, strict=True)
    ]
    return Columns(
        annotator=np.array(annotators, dtype=np.int64),
        output=output,
        item=item,
        order=np.array(ids, dtype=np.float64),
        seconds=np.array(seconds, dtype=np.float64),
        **instrument.columns(observed),
    )


def _edges_of(items: set[int]) -> dict[int, Edges]:
    """Return where the words of each item's paragraphs begin and end."""
    texts = Item.objects.filter(pk__in=items).values_list("pk", "paragraphs")
    return {pk: [word_spans(paragraph) for paragraph in own] for pk, own in texts}


# Every screen's verdict on one annotator, among those on all others of the campaign.
#
# A worker keeps the verdicts (`annotate.review.reviews`); here they are read.


@dataclass(frozen=True)
class Screened:
    """One screen: its verdict on this annotator, and the values of the others, ascending."""

    verdict: Verdict
    others: tuple[float, ...]


@dataclass(frozen=True)
class Look:
    """The screens' results for one annotator; empty if the campaign has no task page.

    seconds: active time of this annotator's judgments, in order. others_seconds: the median over
    the others'; None if not known. at: when the screens looked at this work; None: not yet.
    awaited: the screens have not looked at all judgments, and will.
    """

    screens: tuple[Screened, ...] = ()
    seconds: tuple[float, ...] = ()
    others_seconds: float | None = None
    at: datetime | None = None
    awaited: bool = False


def look(campaign: Campaign, annotator_id: int) -> Look:
    """Return what the screens found on one annotator; four queries at most."""
    own = _own_times(campaign.pk, annotator_id)
    if not own or not studies_queries.instrument_of(campaign).template:
        return Look()
    mine = ScreenedAnnotator.objects.filter(campaign=campaign, annotator=annotator_id).first()
    run = Screening.objects.filter(campaign=campaign).first()
    if mine is None or run is None:
        return Look(seconds=own, awaited=True)
    with np.load(io.BytesIO(run.values), allow_pickle=False) as kept:
        others = {name: kept[name].tolist() for name in kept.files}
    inside = mine.state == run.state
    return Look(
        tuple(_screened(said, others, inside=inside) for said in mine.verdicts),
        own,
        mine.others_seconds,
        mine.at,
        awaited=inside and campaign.screened != run.state,
    )


def _own_times(campaign_id: int, annotator_id: int) -> tuple[float, ...]:
    rows = screening_known().filter(campaign=campaign_id, annotator=annotator_id).order_by("pk")
    times = rows.values_list("active_seconds", "elapsed_seconds")
    return tuple(screening_seconds(active, elapsed) for active, elapsed in times)


def _screened(
    said: Mapping[str, object], values: Mapping[str, Sequence[float]], *, inside: bool
) -> Screened:
    """Return one screen. inside: the values of all people include this person's."""
    verdict = Verdict(**said)  # type: ignore[arg-type]
    others = list(values.get(verdict.screen, ()))
    if inside and verdict.value is not None:
        others.remove(verdict.value)
    return Screened(verdict, tuple(others))


# The tasks of people as the signals look at them: times, lengths and counts, no texts.


FACTS = (
    *("annotator", "active_seconds", "elapsed_seconds"),
    *("response__edit", "response__distance", "before", "assignment__signals"),
)

OVERLAP = timedelta(minutes=2)  # longer than a transaction takes


def people_after(campaign_id: int, judgment_id: int, *, most: int) -> tuple[list[int], int]:
    """Return who has handed in work after a judgment, and the last judgment that this covers.

    most: how many judgments are looked at.
    """
    rows = _of(campaign_id).filter(pk__gt=judgment_id).order_by("pk")
    last = rows[:most].aggregate(last=Max("pk"))["last"] or judgment_id
    new = rows.filter(pk__lte=last).order_by().values_list("annotator", flat=True)
    return sorted(new.distinct()), last


def confirmed_since(campaign_id: int, at: datetime | None) -> list[int]:
    """Return whom a marketplace has confirmed since then, or shortly before.

    Work counts from then on, under an id that may be far below the last one.
    """
    rows = Participation.objects.filter(campaign=campaign_id, posting__isnull=False)
    rows = rows.filter(verified_at__isnull=False)
    if at is not None:
        rows = rows.filter(verified_at__gte=at - OVERLAP)
    return sorted(rows.values_list("annotator", flat=True).distinct())


def traces(campaign_id: int, people: Collection[int]) -> dict[int, list[TaskTrace]]:
    """Return the tasks of these people in the order in which they came."""
    rows = _of(campaign_id).filter(annotator__in=people).annotate(before=Length("output__text"))
    found: defaultdict[int, list[TaskTrace]] = defaultdict(list)
    for who, active, elapsed, edit, distance, before, signals in rows.order_by("pk").values_list(
        *FACTS
    ):
        edited = isinstance(edit, str) and isinstance(distance, int)
        found[who].append(
            TaskTrace(
                screening_seconds(active, elapsed),
                new_characters(distance, before, len(edit)) if edited else None,
                None if signals is None else PageCounts.stored(signals),
            )
        )
    return dict(found)


def _of(campaign_id: int) -> QuerySet[Judgment]:
    return screening_known().filter(campaign=campaign_id, assignment__signals__isnull=False)


# The evidence of signals on one annotator, and who is listed by it.


@dataclass(frozen=True)
class SignalLine:
    """One kind of signal in a sentence. partner: pseudonym of the account that it names, or ""."""

    evidence: SignalEvidence
    text: str
    partner: str

    @property
    def title(self) -> str:
        return screening_signals.TITLES[self.evidence.kind]


@dataclass(frozen=True)
class SignalLook:
    """What is shown of one person's signals.

    at: when they were looked at; None: not yet. waits: whether evidence lists this person that no
    reviewer has put aside.
    """

    at: datetime | None = None
    waits: bool = False
    lines: Sequence[SignalLine] = ()


def look_at_signals(campaign: Campaign, annotator_id: int) -> SignalLook | None:
    """Return the signals of one annotator; None where the campaign counts none."""
    if not signals_on(campaign.screening):
        return None
    row = SignalFinding.objects.filter(campaign=campaign, annotator=annotator_id).first()
    if row is None:
        return SignalLook()
    return SignalLook(row.at, waiting(row), _lines(evidence_of(row), _partners([row])))


def reasons(keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[SignalLine]]:
    """Return why signals list these people, by campaign and pseudonym; two queries.

    What was put aside is left out.
    """
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
        key: _lines(
            [one for one in evidence_of(row) if one.listed and one.kind not in row.aside], partners
        )
        for key, row in asked.items()
    }


def _lines(found: Iterable[SignalEvidence], partners: Mapping[int, str]) -> list[SignalLine]:
    named = ((one, partners.get(round(one.numbers.get("partner", 0)), "")) for one in found)
    return [
        SignalLine(one, screening_signals.told(one, partner), partner) for one, partner in named
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


# One annotator's answers and others' on the same outputs. No system is named.


EDIT = "edit"
SUPERSEDED = "superseded"
PAGE = 5  # outputs per page
_JUDGMENT_FACTS = (
    *("pk", "output", "annotator", "annotator__pseudonym", "submitted_at", "active_seconds"),
    *("elapsed_seconds", "response", "counting"),
)


@dataclass(frozen=True)
class Judged:
    """One judgment. hter: None if nothing was edited or its score is not computed yet.

    standing: why it does not count, as far as that was asked; "" otherwise.
    """

    id: int
    output_id: int
    annotator_id: int
    pseudonym: str
    submitted_at: datetime
    seconds: float
    counts: bool
    answers: Mapping[Key, float]
    response: Mapping[str, Any]
    hter: float | None = None
    standing: str = ""

    @property
    def edit(self) -> str | None:
        return self.response.get(EDIT)


def output_name(output_id: int) -> str:
    """Return the name of an output for reviewers.

    Unlike ids, neither the name nor its order follows the order of the systems.
    """
    return salted_hmac("annotate.reviewed-output", str(output_id)).hexdigest()[:12]


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
        return output_name(self.mine.output_id)

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

    @property
    def rows(self) -> list[tuple[str, list[tuple[int, bool]]]]:
        """Return each level's label with its counts, and whether each is of the same answer."""
        return [
            (label, [(n, i == j) for j, n in enumerate(self.counts[i])])
            for i, (_value, label) in enumerate(self.question.levels)
        ]


@dataclass(frozen=True)
class AnnotatorWork:
    """All judgments of one annotator in one campaign, the most different from the others' first."""

    campaign_id: int
    instrument: Instrument
    questions: tuple[Question, ...]
    takes_edits: bool
    all: tuple[ComparedJudgment, ...]
    annotator_id: int = 0  # only `without_judgments` leaves it
    form: str = "plain"  # how the campaign shows outputs

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
        rows = Output.objects.filter(pk__in=keys).select_related("item")
        shown = {output.pk: facts.material(output, self.form) for output in rows}
        if self.instrument.shows_all:
            found = studies_queries.pages(self.annotator_id, keys, ranks=self.instrument.ranks)
            for key, texts in found.items():
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
    empty = without_judgments(campaign)
    others: defaultdict[int, list[Judged]] = defaultdict(list)
    mine = []
    for one in judged(_rows(campaign.pk, annotator_id), empty.instrument):
        mine.append(one) if one.annotator_id == annotator_id else others[one.output_id].append(one)
    compared = [_compared(one, others[one.output_id], empty.questions) for one in mine]
    compared.sort(key=lambda one: (one.distance is None, -(one.distance or 0), one.name))
    return replace(empty, all=tuple(compared), annotator_id=annotator_id)


def without_judgments(campaign: Campaign) -> AnnotatorWork:
    """Return what the campaign asks, without any judgment."""
    instrument = studies_queries.instrument_of(campaign)
    questions = tuple(instrument.questions()) if instrument.template else ()
    takes_edits = any(criterion.name == EDIT for criterion in instrument.criteria)
    form = campaign.output_form
    return AnnotatorWork(campaign.pk, instrument, questions, takes_edits, (), form=form)


def judged(found: QuerySet[Judgment], instrument: Instrument) -> list[Judged]:
    """Return these judgments in their order, in two queries."""
    counting = Exists(
        Slot.objects.filter(
            assignment=OuterRef("assignment"), assignment__status=Assignment.Status.VERIFIED
        )
    )
    rows = list(found.annotate(counting=counting).order_by("pk").values_list(*_JUDGMENT_FACTS))
    edits = Score.objects.filter(judgment__in=[row[0] for row in rows], criterion=EDIT)
    hter = dict(edits.values_list("judgment", "value"))
    return [_judged(row, instrument, hter) for row in rows]


def _judged(row: Sequence[Any], instrument: Instrument, hter: Mapping[int, float]) -> Judged:
    pk, output, annotator, name, at, active, elapsed, response, counts = row
    return Judged(
        pk,
        output,
        annotator,
        name,
        at,
        screening_seconds(active, elapsed),
        counts,
        instrument.answers(response) if instrument.template else {},
        response,
        hter.get(pk) if response.get(EDIT) is not None else None,
    )


def _corrected(campaign_id: int, outputs: Sequence[int], instrument: Instrument) -> list[Judged]:
    """Return the answers that later ones supersede, the latest first. They have no scores."""
    rows = Judgment.every.filter(campaign=campaign_id, output__in=outputs)
    early = rows.filter(superseded_at__isnull=False).annotate(counting=Value(False))
    found = early.order_by("-pk").values_list(*_JUDGMENT_FACTS)
    return [replace(_judged(row, instrument, {}), standing=SUPERSEDED) for row in found]


def _rows(campaign_id: int, annotator_id: int) -> QuerySet[Judgment]:
    known = screening_known().filter(campaign=campaign_id)
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


# The cut-offs of a campaign's screens, as a worker has calibrated them.


def cutoffs(campaign_id: int) -> Cutoffs:
    """Return the kept cut-offs; those that are safe in most campaigns before there are any."""
    kept = Calibration.objects.filter(campaign=campaign_id).values_list("cutoffs", flat=True)
    found = kept.first()
    return UNCALIBRATED if found is None else Cutoffs.from_dict(found)
