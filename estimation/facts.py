"""Facts of a campaign as samples of `estimation.core`, and estimates by its protocol."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np
from django.db.models import Case, Value, When
from numpy.typing import NDArray

from annotate.campaigns import facts
from annotate.campaigns.facts import CampaignDesign, Scores, SystemOutputs
from annotate.common import rows as common_rows
from annotate.instruments.base import Criterion
from estimation import core
from estimation.models import MetricScore

Ints = NDArray[np.int64]
KIND = "<i8"  # the same bytes on every machine


def packed(ids: Ints) -> bytes:
    """Return these (T,) ascending ids as compressed steps: about twelve kilobytes for a million."""
    return zlib.compress(np.diff(ids, prepend=0).astype(KIND).tobytes())


def unpacked(data: bytes | memoryview) -> Ints:
    return np.cumsum(np.frombuffer(zlib.decompress(data), KIND), dtype=np.int64)


def runs(ids: Ints, among: Ints) -> list[list[int]]:
    """Return (R, 2) the first and last id of each run of neighbours within `among`.

    ids, among: ascending; `among` holds all of `ids`.
    """
    if not ids.size:
        return []
    place = among.searchsorted(ids)
    ends = np.flatnonzero(np.diff(place, append=place[-1] + 2) != 1)
    starts = np.concatenate(([0], ends[:-1] + 1))
    return [[int(first), int(last)] for first, last in zip(ids[starts], ids[ends], strict=True)]


def chosen(found: Iterable[Sequence[int]], among: Ints) -> NDArray[np.bool_]:
    """Return (T,) which of the ascending ids `among` lie in one of these runs."""
    within = np.zeros(among.size, dtype=bool)
    for first, last in found:
        within[among.searchsorted(first) : among.searchsorted(last, side="right")] = True
    return within


# Estimates by a campaign's protocol: what it opened with decides how each of them is made.


# The estimators whose weights make people count by all of their work.
BY_WORK = ("mean", "regression", "multi", "algorithm_1")


def estimated(design: CampaignDesign, criterion: Criterion, sample: core.Sample) -> core.Estimate:
    return core.estimate(sample, _method(design, criterion, sample))


def without_metrics(
    design: CampaignDesign, criterion: Criterion, sample: core.Sample
) -> core.Estimate:
    """Return the same protocol without metrics, to compute what they save."""
    return estimated(design, criterion, sample.without_metric())


def compared(
    design: CampaignDesign, criterion: Criterion, first: core.Sample, second: core.Sample
) -> core.Difference:
    """Return by how much the first system exceeds the second; see `difference` for its errors."""
    return core.difference(first, second, _method(design, criterion, first))


def estimator_for(design: CampaignDesign, sample: core.Sample) -> str:
    """Return the protocol's estimator, or the mean while the metric that it takes is not known."""
    asked = design.protocol.estimator
    return "mean" if sample.metric is None and asked in BY_WORK else asked


def _method(design: CampaignDesign, criterion: Criterion, sample: core.Sample) -> core.Method:
    constants = design.protocol.of(criterion.name)
    return core.Method(
        estimator_for(design, sample),
        estimand=design.estimand,
        balance=constants.balance,
        person_share=constants.person_share,
    )


# From annotate's queries to the samples of `estimation.core`: the one bridge.


@dataclass(frozen=True)
class Cell:
    """The judgments of one system on one criterion that enter its estimate."""

    system: SystemOutputs
    criterion: Criterion
    sample: core.Sample


@dataclass(frozen=True)
class Pair:
    """Two systems on one criterion: samples over the items that both have, in one numbering.

    same: whether they wrote the same text for each of these items, judged or not.
    """

    first: SystemOutputs
    second: SystemOutputs
    criterion: Criterion
    samples: tuple[core.Sample, core.Sample]
    same: bool


@dataclass(frozen=True)
class Metrics:
    """The campaign's p metrics of its outputs: ids (M,), ascending, and values (M, p).

    transform: how they enter estimates, as the protocol has it.
    """

    output: Ints
    value: NDArray[np.float64]
    transform: str


@dataclass(frozen=True)
class Evidence:
    """All that counts in a campaign, read once: judgments with scores, and metrics if any.

    entered: what enters of the metrics of each system's outputs, by its id.
    everybody: the scores with the excluded judgments in them; None where none is excluded.
    """

    scores: Scores
    metrics: Metrics | None
    systems: list[SystemOutputs]
    entered: Mapping[int, NDArray[np.float64]]
    everybody: Scores | None = None


def evidence(design: CampaignDesign) -> Evidence:
    campaign_id = design.campaign_id
    scores, metrics = facts.scores(campaign_id), metric_values(design)
    systems = facts.systems(campaign_id)
    everybody = None
    if facts.excluded(campaign_id):
        everybody = facts.scores(campaign_id, with_excluded=True)
    entered = entering_of(systems, metrics, ranks=design.ranks)
    return Evidence(scores, metrics, systems, entered, everybody)


def cells(design: CampaignDesign, seen: Evidence) -> Iterator[Cell]:
    for system in seen.systems:
        stop = system.stop_position
        samples = _samples(system, None, stop, seen, design.criteria, design.outputs)
        for criterion in design.criteria:
            if criterion.name in samples:
                sample = samples[criterion.name]
                if design.outputs == facts.JUDGED_ONLY:
                    (sample,) = _only_judged(sample)
                yield Cell(system, criterion, sample)


def pairs(design: CampaignDesign, seen: Evidence) -> Iterator[Pair]:
    """Yield every pair of systems × primary criterion, over their common prefix (rule 8)."""
    for first, second in combinations(seen.systems, 2):
        _, *at = np.intersect1d(first.position, second.position, return_indices=True)
        stops = [s.stop_position for s in (first, second) if s.stop_position is not None]
        one, other = (
            _samples(system, places, min(stops, default=None), seen, design.primary, design.outputs)
            for system, places in zip((first, second), at, strict=True)
        )
        same = np.array_equal(first.output[at[0]], second.output[at[1]])
        for criterion in design.primary:
            if criterion.name in one and criterion.name in other:
                samples = one[criterion.name], other[criterion.name]
                if design.outputs == facts.JUDGED_ONLY:
                    try:
                        a, b = _only_judged(*samples)
                    except core.TooFewJudgmentsError:
                        continue
                    samples = a, b
                yield Pair(first, second, criterion, samples, same)


def metric_values(design: CampaignDesign) -> Metrics | None:
    """Return the values of the campaign's metrics; None where it uses none or has none yet."""
    if not design.metrics:
        return None
    cases = (When(metric=name, then=Value(i)) for i, name in enumerate(design.metrics))
    rows = MetricScore.objects.filter(campaign=design.campaign_id, metric__in=design.metrics)
    numbered = rows.annotate(number=Case(*cases, default=Value(-1))).order_by()
    output, number, value = common_rows.columns(numbered, output="i8", number="i4", value="f8")
    outputs, row = np.unique(output, return_inverse=True)
    values = np.full((outputs.size, len(design.metrics)), np.nan)
    values[row, number] = value
    if not outputs.size:
        return None
    return Metrics(outputs, values, design.protocol.metric_transform)


def metric_of(output: Ints, metrics: Metrics | None) -> NDArray[np.float64] | None:
    """(N,) the metric of these outputs, (N, p) of several; NaN where it is not known."""
    if metrics is None:
        return None
    place = common_rows.places(metrics.output, wanted=output)
    values = np.where(place[:, None] >= 0, metrics.value[place], np.nan)
    return values[:, 0] if values.shape[1] == 1 else values


def scale_of(criterion: Criterion) -> core.Scale:
    return core.Scale(criterion.low, criterion.high, criterion.bounded)


def _samples(
    system: SystemOutputs,
    places: Ints | None,
    stop: int | None,
    seen: Evidence,
    criteria: Iterable[Criterion],
    outputs: int | None,
) -> dict[str, core.Sample]:
    """The judgments of the system's outputs at these places, numbered in that order, before `stop`.

    places: None for all of its outputs. stop: a position, None for no end. outputs: how many there
    are; None or 0 for those at these places.
    A system's own estimate ends at its own stop, a comparison at the earlier of two (rule 8).
    Criteria with fewer than two judgments are left out.
    """
    at = np.arange(system.output.size) if places is None else places
    number = np.full(system.output.size + 1, -1)  # the last one: of outputs that are not its own
    number[at] = np.arange(at.size)
    place = common_rows.places(system.output, wanted=seen.scores.output)
    item = number[place]
    belongs = item >= 0
    if stop is not None:
        belongs &= system.position[place] < stop
    chosen = np.flatnonzero(belongs)
    group = None if system.group is None else system.group[at]
    n = outputs or at.size
    incidence = core.Incidence(item[chosen], seen.scores.annotator[chosen], n, group)
    metric = seen.entered.get(system.system_id)
    if metric is not None and places is not None:
        metric = metric[at]
    samples = {}
    for criterion in criteria:
        if criterion.name not in seen.scores.value:
            continue
        score, shared = seen.scores.value[criterion.name][chosen], incidence
        known = ~np.isnan(score)
        if not known.all():  # otherwise all criteria share the incidence
            score = score[known]
            shared = core.Incidence(
                shared.item[known], shared.annotator[known], shared.n_population, shared.group
            )
        with suppress(core.TooFewJudgmentsError):
            samples[criterion.name] = core.Sample.on(
                shared, score=score, scale=scale_of(criterion), metric=metric
            )
    return samples


def _only_judged(*samples: core.Sample) -> tuple[core.Sample, ...]:
    """Return the judgments of the items that all of these samples judge, as all that there are.

    Raises TooFewJudgmentsError.
    """
    items = reduce(np.intersect1d, (np.unique(one.item) for one in samples))
    at = [np.isin(one.item, items) for one in samples]
    return tuple(
        core.Sample(
            score=one.score[of],
            item=np.searchsorted(items, one.item[of]),
            annotator=one.annotator[of],
            n_population=items.size,
            scale=one.scale,
            group=None if one.group is None else one.group[items],
        )
        for one, of in zip(samples, at, strict=True)
    )


def entering_of(
    systems: Sequence[SystemOutputs], metrics: Metrics | None, *, ranks: bool = False
) -> dict[int, NDArray[np.float64]]:
    """Return what enters estimates of each system's metrics, by its id: (N,), or (N, p).

    Read-only, so that samples share it; nothing without metrics. An output that several systems
    wrote counts once for each of them, as in a file of metrics. ranks: a score says how good a text
    is among those of its item, and so does the metric: its value minus the mean of the others.
    """
    if metrics is None:
        return {}
    outputs = np.concatenate([one.output for one in systems])
    values = np.asarray(metric_of(outputs, metrics))
    if ranks:
        place = np.concatenate([one.position for one in systems])
        at = np.argsort(place, kind="stable")  # every system has every item
        of_item = values[at].reshape(-1, len(systems), *values.shape[1:])
        others = (of_item.sum(axis=1, keepdims=True) - of_item) / (len(systems) - 1)
        values[at] = (of_item - others).reshape(values.shape)
    entered = core.entering(values, transform=metrics.transform)
    ends = np.cumsum([one.output.size for one in systems])[:-1]
    parts = [part.copy() for part in np.split(entered, ends)]
    for part in parts:
        part.flags.writeable = False
    return {one.system_id: part for one, part in zip(systems, parts, strict=True)}
