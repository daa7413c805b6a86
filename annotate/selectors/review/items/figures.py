"""The judgments of a few items, from current facts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from annotate.instruments.base import Criterion
from annotate.models import Assignment, Score
from annotate.selectors.review.items import dots
from annotate.selectors.review.items.dots import AnswerDots
from annotate.selectors.review.items.wanted import EDIT


@dataclass(frozen=True)
class ItemFigures:
    """Of one item's texts: worst: the worst mean. disagreement: the largest standard deviation of
    the answers to one text. edited: the largest mean edit. None where there is nothing to tell.

    answers: those with the worst mean, as dots. opposed: one text has answers at both ends of the
    scale.
    """

    worst: float | None = None
    disagreement: float | None = None
    edited: float | None = None
    answers: AnswerDots | None = None
    opposed: bool = False


def said(items: Mapping[int, int], criterion: Criterion, *, version: str) -> dict[int, ItemFigures]:
    """Return what was said of each item, by its id; one query.

    items: {output: its item}, the texts that are looked at. version: of the scores.
    """
    texts: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for output, name, value in _scores(list(items), (criterion.name, EDIT), version):
        texts[output, name].append(value)
    found: defaultdict[int, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for (output, name), values in texts.items():
        found[items[output]][name].append(values)
    return {
        item: _of_item(by_name[criterion.name], by_name[EDIT], criterion)
        for item, by_name in found.items()
    }


def means(
    outputs: Sequence[int], names: Sequence[str], *, version: str
) -> dict[tuple[int, str], tuple[float, int]]:
    """Return (output, criterion) -> the mean of its counting answers, and how many; one query."""
    texts: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for output, name, value in _scores(outputs, names, version):
        texts[output, name].append(value)
    return {key: (fmean(values), len(values)) for key, values in texts.items()}


def _scores(
    outputs: Sequence[int], names: Sequence[str], version: str
) -> Iterable[tuple[int, str, float]]:
    counting = Score.objects.filter(
        judgment__output__in=outputs,
        judgment__superseded_at=None,
        judgment__assignment__slot__isnull=False,
        judgment__assignment__status=Assignment.Status.VERIFIED,
        criterion__in=set(names),
        version=version,
    )
    return counting.values_list("judgment__output", "criterion", "value")


def _of_item(
    scores: Sequence[list[float]], edits: Sequence[list[float]], criterion: Criterion
) -> ItemFigures:
    pick = min if criterion.higher_is_better else max
    worst = pick(scores, key=fmean, default=None)
    return ItemFigures(
        None if worst is None else fmean(worst),
        max((stdev(values) for values in scores if len(values) > 1), default=None),
        max((fmean(values) for values in edits), default=None),
        None if worst is None else _dots(worst, criterion),
        any(set(values) >= {criterion.low, criterion.high} for values in scores),
    )


def _dots(values: Sequence[float], criterion: Criterion) -> AnswerDots:
    return dots.answers(values, mean=fmean(values), low=criterion.low, high=criterion.high)
