"""What counts in a campaign, for estimates: outputs, protocol, scores, systems."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, cast

import numpy as np
from django.db.models import (
    Case,
    Exists,
    Min,
    OuterRef,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from annotate.common import content
from annotate.common import rows as common_rows
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Criterion, Instrument, Material, input_as_text
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Campaign,
    ChangeMark,
    CriterionProtocol,
    Exclusion,
    GoldItem,
    Item,
    Judgment,
    Output,
    PendingScore,
    Protocol,
    Score,
    Slot,
    System,
)
from annotate.models.base import StopMode
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries
from estimation.core import Estimand

CHUNK = 1000  # outputs that are read together


@dataclass(frozen=True)
class OutputText:
    """One output with its item's reference and the metric values given at upload.

    input: the item's whole input including paragraphs, if requested; otherwise "".
    others: what the other systems wrote for the item, if requested; a system that wrote the same
    text is one of them.
    second: of a pair, the text that `text` is compared with.
    """

    output_id: int
    text: str
    reference: str
    given: dict[str, float]
    input: str = ""
    others: tuple[str, ...] = ()
    second: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its text, or both of a pair."""
        return (self.text,) if self.second is None else (self.text, self.second)


def total(campaign_id: int) -> int:
    """Return how many different outputs the campaign has."""
    return Output.objects.filter(campaign=campaign_id).count()


def total_given(campaign_id: int, metric: str) -> int:
    """Return how many outputs have an uploaded value of this metric."""
    return Output.objects.filter(campaign=campaign_id, given_metrics__has_key=metric).count()


def texts(
    campaign_id: int, *, with_input: bool = False, with_others: bool = False, paired: bool = False
) -> Iterator[OutputText]:
    """Yield every output by ascending id, as people see it, without holding all in memory.

    paired: they are pairs, which are not compared with other systems' outputs.
    """
    columns = ["pk", "item_id", "text", "item__reference", "given_metrics"]
    if with_input:  # inputs are long, and every system's output repeats them
        columns += ["item__input", "item__paragraphs"]
    forms = Campaign.objects.values_list("output_form", "input_form").get(pk=campaign_id)
    outputs = Output.objects.filter(campaign=campaign_id).order_by("pk").values_list(*columns)
    rows = (
        (item, OutputText(pk, text, reference, given, _input(inputs, forms[1])))
        for pk, item, text, reference, given, *inputs in outputs.iterator(chunk_size=CHUNK)
    )
    found = _with_others(rows) if with_others and not paired else (row for _item, row in rows)
    return (_visible(row, forms[0], paired=paired) for row in found)


def _input(given: Sequence[Any], form: str) -> str:
    return input_as_text(content.visible(given[0], form), given[1]) if given else ""


def _visible(row: OutputText, form: str, *, paired: bool) -> OutputText:
    if paired:
        first, second = instruments_base.visible(row.text, form)
        return replace(row, text=first, second=second)
    others = tuple(content.visible(one, form) for one in row.others)
    return replace(row, text=content.visible(row.text, form), others=others)


def _with_others(rows: Iterator[tuple[int, OutputText]]) -> Iterator[OutputText]:
    """Add the other systems' outputs: one query for each chunk."""
    while chunk := list(islice(rows, CHUNK)):
        written: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        found = Authorship.objects.filter(item__in={item for item, _row in chunk})
        of_items = found.order_by("system_id").values_list("item_id", "output_id", "output__text")
        for item, output, text in of_items:
            written[item].append((output, text))
        for item, row in chunk:
            others = list(written[item])
            others.remove((row.output_id, row.text))
            yield replace(row, others=tuple(text for _output, text in others))


def material(output: Output, form: str = "plain") -> Material:
    """Return what annotators are shown of an output. Its item must be loaded.

    form: the campaign's; highlights count by it.
    """
    return _material(output.text, output.item, form)


def shown(
    annotator_id: int,
    key: str,
    text: str,
    of: Item | GoldItem,
    form: str = "plain",
    words: int = 0,
) -> Material:
    """Return what this annotator is shown: a pair in one of its two orders.

    key: the id of the output, or that of a gold item after `gold `. form: the campaign's.
    words: of the text, if they are counted.
    """
    is_pair = instruments_base.MARK in text
    turned = is_pair and instruments_base.is_turned(annotator_id, key)
    return replace(_material(text, of, form), turned=turned, words=words)


def _material(text: str, of: Item | GoldItem, form: str) -> Material:
    return Material(text, of.input, tuple(of.paragraphs), form, reference=of.reference)


# The protocol of a campaign's estimates: that of its opening, or the one it would open with.


ESTIMATOR = "balanced"
METRIC_TRANSFORM = "normal_scores"
OF_PAIRS = "signed_scores"  # there a metric is the difference of two texts


def protocol_of(campaign: Campaign) -> Protocol:
    """Return what the campaign opened with; of a draft, what it would open with now."""
    if campaign.protocol is not None:
        return Protocol.from_data(campaign.protocol)
    return planned(campaign, studies_queries.instrument_of(campaign))


def planned(campaign: Campaign, instrument: Instrument) -> Protocol:
    """Return the protocol with which the campaign would open now."""
    widths, margins = asked(campaign)
    is_plain = campaign.output_form == campaign.input_form == content.TextForm.PLAIN
    found = Protocol(
        estimator=ESTIMATOR,
        estimand=campaign.estimand,
        level=campaign.level,
        metrics=tuple(campaign.metrics),
        metric_transform=bounded_transform(instrument),
        seed=campaign.seed % 2**32,
        rule=campaign.stop_mode,
        targets=widths,
        margins=margins,
        planned_items=campaign.planned_items,
        criteria={
            one.name: CriterionProtocol(balance=one.balance, person_share=one.person_share)
            for one in instrument.criteria
        },
        screening=Settings.from_dict(campaign.screening).to_dict(),
    )
    return found if is_plain else found.model_copy(update={"visible_text": content.VERSION})


def takes_raw_metrics(campaign: Campaign) -> bool:
    """Return whether extreme values of the campaign's metrics may move its estimates."""
    if not campaign.metrics or campaign.protocol is None:
        return False
    return Protocol.from_data(campaign.protocol).metric_transform == "raw"


def bounded_transform(instrument: Instrument) -> str:
    """Return how metrics enter the estimates of new campaigns: no value is extreme then."""
    return OF_PAIRS if instrument.compares else METRIC_TRANSFORM


# The scores of judgments, and which of them have none yet, or those of an earlier definition.


Ints = NDArray[np.int64]


def unscored_judgments(campaign_id: int) -> QuerySet[Judgment]:
    """Select the judgments without any score, except those that wait for the separate task."""
    # `scores=None` would join every score of the campaign; this looks up one per judgment.
    scored = Exists(Score.objects.filter(judgment=OuterRef("pk")))
    return _with_material(Judgment.objects.filter(~scored, ~_pending(), campaign=campaign_id))


def outdated(campaign_id: int, *, version: str) -> QuerySet[Judgment]:
    """Select the judgments with a score of another version, except those that wait."""
    other = Exists(Score.objects.filter(judgment=OuterRef("pk")).exclude(version=version))
    return _with_material(Judgment.objects.filter(other, ~_pending(), campaign=campaign_id))


def waiting(campaign_id: int) -> int:
    """Return how many counting judgments wait for the separate task."""
    holds = Slot.objects.filter(
        assignment=OuterRef("judgment__assignment"), assignment__status=Assignment.Status.VERIFIED
    )
    pending = PendingScore.objects.filter(Exists(holds), campaign=campaign_id)
    return pending.filter(judgment__superseded_at=None).count()


def values(
    campaign_id: int, judgment: Ints, names: list[str], *, version: str
) -> NDArray[np.float64]:
    """Return the scores (C, T) of these judgments (T,), ids ascending.

    A score of another version than `version` is NaN, because a sample must not mix two definitions.
    """
    value = np.full((len(names), judgment.size), np.nan)
    if not judgment.size:
        return value
    cases = (When(criterion=name, then=Value(i)) for i, name in enumerate(names))
    found = _scores_of(campaign_id, judgment).filter(version=version)
    found = found.annotate(number=Case(*cases, default=Value(-1)))
    pk, row, score = common_rows.columns(found.order_by(), judgment="i8", number="i4", value="f8")
    column = common_rows.places(judgment, wanted=pk)
    known = np.flatnonzero((column >= 0) & (row >= 0))
    value[row[known], column[known]] = score[known]
    return value


def _scores_of(campaign_id: int, judgment: Ints) -> QuerySet[Score]:
    first, last = int(judgment[0]), int(judgment[-1])
    if last - first < 2 * judgment.size:
        # Few judgments of other campaigns lie in this range, so it is read without a join.
        return Score.objects.filter(judgment__gte=first, judgment__lte=last)
    return Score.of(campaign_id)


def not_begun(campaign_id: int, lacking: Ints) -> Ints:
    """Return which of these judgments (L,), ids ascending, nobody has begun to score."""
    if not lacking.size:
        return lacking
    (found,) = common_rows.columns(
        unscored_judgments(campaign_id).filter(pk__gte=int(lacking[0])).order_by(), id="i8"
    )
    return lacking[np.isin(lacking, found)]


def _pending() -> Exists:
    return Exists(PendingScore.objects.filter(judgment=OuterRef("pk")))


def _with_material(judgments: QuerySet[Judgment]) -> QuerySet[Judgment]:
    return judgments.select_related("output__item").order_by("pk")


# What counts in a campaign, as plain values and arrays: the input of `estimation`.


JUDGED_ONLY = 0  # as the number of outputs: those that are judged on a criterion


def outputs_of(recorded: Mapping[str, Any] | None) -> int | None:
    """Return the number of outputs of a design, from what a campaign says of its judgments."""
    return None if recorded is None else recorded["outputs"] or JUDGED_ONLY


@dataclass(frozen=True)
class CampaignDesign:
    """What was decided about a campaign before any judgment, and its state.

    outputs: of each system, where judgments were made elsewhere on a random sample of them and the
    rest is not stored; `JUDGED_ONLY` where they are not a random sample of anything.
    """

    campaign_id: int
    status: str
    close_reason: str
    metrics: tuple[str, ...]
    stop_mode: str
    estimand: Estimand
    level: float
    targets: dict[str, float]  # widths, by criterion; none in a ranking
    margins: dict[str, float]  # of a ranking
    planned_items: int | None
    criteria: tuple[Criterion, ...]
    protocol: Protocol
    cap: int | None = None  # judgments of one annotator
    compares: bool = False  # a system is two systems, whose texts are judged side by side
    n_pairs: int = 0  # of such systems; a ranking divides alpha among them
    ranks: bool = False  # a judgment scores all outputs of an item, so all systems leave together
    outputs: int | None = None

    @property
    def primary(self) -> tuple[Criterion, ...]:
        """The criteria that decide when collection stops."""
        names = {**self.targets, **self.margins}
        if not names:  # judgments that were made elsewhere
            return self.criteria
        return tuple(criterion for criterion in self.criteria if criterion.name in names)

    @property
    def is_ranking(self) -> bool:
        return self.stop_mode == StopMode.RANKING

    @property
    def is_final(self) -> bool:
        return self.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


@dataclass(frozen=True)
class SystemStanding:
    """A system, and where its sample ends (None: it continues).

    first, second: the two systems of a comparison; "" otherwise.
    """

    system_id: int
    name: str
    stop_position: int | None
    first: str = ""
    second: str = ""


@dataclass(frozen=True, kw_only=True)
class SystemOutputs(SystemStanding):
    """A system's N outputs by ascending id: ids and positions are (N,) ints.

    group: (N,) numbers of the groups of their items; None where no item has one.
    """

    output: NDArray[np.int64]
    position: NDArray[np.int64]
    group: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Scores:
    """The counting judgments in order of arrival, with their scores on all criteria.

    output, annotator: (T,) database keys. A ranking is there once for each output of its item.
    value: {criterion: (T,)}, NaN where a judgment has no score on it. Criteria without scores are
        left out.
    waiting: how many judgments lack a score, because it is still being computed or has an earlier
        definition.
    judgment: (J,) their ids, ascending.
    unscored: (U,) ids of judgments that nobody had begun to score when they were read. They came
        just now; they are left out of all others, and have a change mark for the next refresh.
    """

    output: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: dict[str, NDArray[np.float64]]
    waiting: int
    judgment: NDArray[np.int64]
    unscored: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def is_whole(self) -> bool:
        """Return whether every judgment that counts has its scores."""
        return not self.waiting and not self.unscored.size


def pseudonyms(annotators: Collection[int]) -> dict[int, str]:
    """Return the pseudonyms of these annotators."""
    found = Annotator.objects.filter(pk__in=annotators)
    return dict(found.values_list("pk", "pseudonym"))


def changes(campaign_id: int) -> dict[int, str]:
    """Return the reasons of the change marks that no estimate has removed yet, by id."""
    return dict(ChangeMark.objects.filter(campaign=campaign_id).values_list("pk", "reason"))


def marked_campaigns(*, before: datetime) -> list[int]:
    """Return the campaigns with marks older than `before`, the longest waiting first."""
    old = ChangeMark.objects.filter(at__lt=before).order_by().values("campaign")
    waiting = old.annotate(first=Min("at")).order_by("first", "campaign")
    return list(waiting.values_list("campaign", flat=True))


def design(campaign_id: int) -> CampaignDesign:
    campaign = Campaign.objects.get(pk=campaign_id)
    instrument = studies_queries.instrument_of(campaign)
    widths, margins = asked(campaign)
    return CampaignDesign(
        campaign_id=campaign_id,
        status=campaign.status,
        close_reason=campaign.close_reason,
        metrics=tuple(campaign.metrics),
        stop_mode=campaign.stop_mode,
        estimand=cast(Estimand, campaign.estimand),
        level=campaign.level,
        cap=campaign.annotator_cap,
        targets=widths,
        margins=margins,
        planned_items=campaign.planned_items,
        criteria=instrument.criteria,
        compares=instrument.compares,
        n_pairs=System.objects.filter(campaign=campaign).count() if instrument.compares else 0,
        ranks=instrument.ranks,
        protocol=protocol_of(campaign),
        outputs=outputs_of(campaign.recorded),
    )


def closed_at(campaign_id: int) -> datetime | None:
    """Return when the campaign was closed; None while it is not."""
    return Campaign.objects.values_list("closed_at", flat=True).get(pk=campaign_id)


def asked(campaign: Campaign) -> tuple[dict[str, float], dict[str, float]]:
    """Return the target widths and the margins of the primary criteria, by name."""
    rows = sorted(campaign.targets.all(), key=lambda one: one.pk)
    return (
        {one.criterion: one.width for one in rows if one.width is not None},
        {one.criterion: one.margin for one in rows if one.margin is not None},
    )


def experts_of(campaign: Campaign) -> list[str]:
    """Return the names of the experts who judge everything, as long as they are not released."""
    if not campaign.named_experts:
        return []
    return list(campaign.experts.filter(released_at=None).values_list("name", flat=True))


def standings(campaign_id: int) -> list[SystemStanding]:
    """Return the systems in the order of their upload."""
    found = System.objects.filter(campaign=campaign_id)
    names = ("pk", "name", "stop_position", "first", "second")
    return [SystemStanding(*row) for row in found.values_list(*names)]


def systems(campaign_id: int) -> list[SystemOutputs]:
    """Return every system with its outputs, in the order of their upload."""
    rows = Authorship.objects.filter(item__campaign=campaign_id).order_by()
    author, output, position, group = common_rows.columns(
        rows.annotate(group=Coalesce("item__group_start", "item__position")),
        system="i8",
        output="i8",
        item__position="i4",
        group="i4",
    )
    order = np.argsort(output, kind="stable")
    author, output, position, group = (
        values[order] for values in (author, output, position, group)
    )
    alone = np.array_equal(group, position)
    return [
        SystemOutputs(
            **vars(one),
            output=output[mine],
            position=position[mine],
            group=None if alone else group[mine],
        )
        for one in standings(campaign_id)
        for mine in [author == one.system_id]
    ]


def excluded(campaign_id: int) -> int:
    """Return how many judgments are excluded."""
    return exclusions(campaign_id).count()


def scores(campaign_id: int, *, with_excluded: bool = False, of: int | None = None) -> Scores:
    """Return the judgments that hold a slot and are verified, with their scores.

    Where experts are named, only those of outputs that all of them have judged.
    with_excluded: include excluded judgments, to see their effect.
    of: only the judgments of this annotator.

    It reads three tables one after the other, without a join. Anything written between the reads
    has its own change mark, so another estimate follows.
    """
    verified = Slot.objects.filter(
        campaign=campaign_id, assignment__status=Assignment.Status.VERIFIED
    )
    (held,) = common_rows.columns(verified.order_by(), assignment="i8")
    if with_excluded:
        excluded = exclusions(campaign_id)
        if of is not None:
            excluded = excluded.filter(judgment__annotator=of)
        (out,) = common_rows.columns(excluded, judgment__assignment="i8")
        held = np.union1d(held, out)
    every = Judgment.objects.filter(campaign=campaign_id).order_by()
    rows = np.stack(
        common_rows.columns(every, id="i8", assignment="i8", output="i8", annotator="i8")
    )
    rows = rows[:, np.argsort(rows[0], kind="stable")]
    counts = common_rows.places(np.sort(held), wanted=rows[1]) >= 0
    campaign = Campaign.objects.get(pk=campaign_id)
    counts[counts] = answered_by_all(campaign, rows[2, counts])
    pk, _assignment, output, annotator = rows[:, counts]
    asked = studies_queries.instrument_of(campaign)
    names = stored_names(asked)
    value = values(campaign_id, pk, names, version=asked.scoring)
    missing = np.isnan(value)
    partial = asked.partial or asked.ranks
    lacks = missing.all(axis=0) if partial else missing.any(axis=0)
    left = not_begun(campaign_id, pk[lacks])
    kept = ~np.isin(pk, left)
    found = Scores(
        output[kept],
        annotator[kept],
        dict(zip(names, value[:, kept], strict=True)),
        waiting=int(lacks.sum()) - left.size,
        judgment=pk[kept],
        unscored=left,
    )
    if asked.ranks:
        outputs = Output.objects.filter(campaign=campaign_id).order_by()
        found = by_output(found, *common_rows.columns(outputs, id="i8", item="i8"))
    return with_scores(found)


def with_scores(found: Scores) -> Scores:
    """Return the same without the criteria that no judgment has a score on."""
    value = {name: row for name, row in found.value.items() if not np.isnan(row).all()}
    return replace(found, value=value)


def stored_names(asked: Instrument) -> list[str]:
    """Return the names of an instrument's scores as they are stored."""
    names = [criterion.name for criterion in asked.criteria]
    if not asked.ranks:
        return names
    return [each for name in names for each in instruments_base.score_names(name)]


def by_output(rankings: Scores, output: Ints, item: Ints) -> Scores:
    """Return each ranking once for each output of its item, with the score of that output.

    rankings: as they are stored, with the names of `score_names`. output, item: (N,) every output
    of the campaign, and its item.
    """
    order = np.lexsort((output, item))
    output, item = output[order], item[order]
    by_id = np.argsort(output)
    of = item[by_id[output[by_id].searchsorted(rankings.output)]]
    first, end = item.searchsorted(of), item.searchsorted(of, side="right")
    row = np.repeat(np.arange(of.size), end - first)
    number = np.arange(row.size) - np.repeat(np.cumsum(end - first) - (end - first), end - first)
    criteria = dict.fromkeys(instruments_base.text_of_score(name)[0] for name in rankings.value)
    value = {
        name: np.stack([rankings.value[one] for one in instruments_base.score_names(name)])
        for name in criteria
    }
    return replace(
        rankings,
        output=output[first[row] + number],
        annotator=rankings.annotator[row],
        value={name: each[number, row] for name, each in value.items()},
    )


def answered_by_all(campaign: Campaign, output: Ints) -> NDArray[np.bool_]:
    """Return (T,) which judgments are of outputs that all named experts have judged.

    output: (T,) of the judgments that hold a slot, which only experts who are not released do.
    Without named experts all count.
    """
    if not campaign.named_experts:
        return np.ones(output.size, dtype=bool)
    _outputs, place, n = np.unique(output, return_inverse=True, return_counts=True)
    return np.asarray(n[place] >= campaign.raters)


def exclusions(campaign_id: int) -> QuerySet[Exclusion]:
    """Select the exclusions of verified judgments that are in force."""
    return Exclusion.objects.filter(
        judgment__campaign=campaign_id,
        judgment__assignment__status=Assignment.Status.VERIFIED,
        restored_at=None,
    ).order_by()


def campaign_id_of(public_id: str) -> int | None:
    """Return the id of the campaign with this public id; None if there is none."""
    return Campaign.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
