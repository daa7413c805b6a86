"""The items of a campaign by what people said of them, and one item with every judgment."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean, stdev
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import (
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Left
from numpy.typing import NDArray

from annotate.campaigns import facts
from annotate.common import content
from annotate.common import lists as common_lists
from annotate.common import rows as common_rows
from annotate.common.content import TextForm
from annotate.common.errors import NotFound
from annotate.common.lists import Filter, FixedOrder, Listing, Places, SortedColumns, asked
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Criterion, Instrument
from annotate.models import (
    Assignment,
    Authorship,
    Campaign,
    Exclusion,
    Item,
    ItemOrder,
    Judgment,
    Output,
    Score,
    Slot,
    System,
)
from annotate.models.base import ItemMeasure
from annotate.review import evidence
from annotate.review.evidence import EDIT, SUPERSEDED, Judged
from annotate.studies import queries as studies_queries

ROWS = 50
EXCLUDED, JUDGED, UNJUDGED = "excluded", "judged", "unjudged"
PARTS = {
    "all": "All",
    JUDGED: "With judgments",
    UNJUDGED: "Without judgments",
    EXCLUDED: "With excluded work",
    SUPERSEDED: "With corrected answers",
}
PLAIN = {"order": "As collected", "longest": "Longest input", "name": "Name"}
# Orders by a figure that a worker finds beforehand.
RANKED = {
    ItemMeasure.DISAGREEMENT.value: "Disagreement",
    ItemMeasure.WORST.value: "Worst judged",
    ItemMeasure.EDITED.value: "Most edited",
    ItemMeasure.RESIDUAL.value: "Metric residual",
}
UNCONFIRMED = "not confirmed by the crowd"


def wanted_items(
    campaign: Campaign, query: Mapping[str, str], *, systems: bool, size: int = ROWS
) -> Listing:
    """Read what is asked from an address; `systems`: whether one sees systems and metrics.

    Its filters: `system`, the id of one that wrote for the items, "" for all and for people who do
    not see systems; `criterion`, which scores the figures are of.
    """
    every = studies_queries.instrument_of(campaign).criteria
    names = [one.name for one in criteria_of_figures(campaign, every)]
    known = _systems(campaign.pk) if systems else ()
    system, criterion = _named(query.get("system", ""), known), query.get("criterion", "")
    return asked(
        query,
        sorts=orders(campaign, every, systems=systems),
        choices=PARTS,
        size=size,
        anchor="items",
        filters=(
            Filter("system", "System" if known else "", (("", "All"), *known), system),
            Filter(
                "criterion",
                "Criterion" if len(names) > 1 else "",
                tuple((name, name) for name in names),
                criterion if criterion in names else names[0],
                usual=names[0],
                narrows=False,
            ),
        ),
    )


def asked_criterion(campaign: Campaign, listing: Listing) -> Criterion:
    every = studies_queries.instrument_of(campaign).criteria
    return next(one for one in every if one.name == listing.chosen("criterion"))


def orders(campaign: Campaign, every: tuple[Criterion, ...], *, systems: bool) -> dict[str, str]:
    """Return the orders that exist here. Nobody who sees no metrics can sort by a residual."""
    has = {
        ItemMeasure.EDITED.value: any(one.name == EDIT for one in every),
        ItemMeasure.RESIDUAL.value: systems and bool(campaign.metrics),
    }
    ranked = {name: label for name, label in RANKED.items() if has.get(name, True)}
    return PLAIN | ranked


def criteria_of_figures(campaign: Campaign, every: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    """Return the criteria with orders: the primary ones, or the first one."""
    names = {name for found in facts.asked(campaign) for name in found}
    return tuple(one for one in every if one.name in names) or every[:1]


def _named(asked: str, known: tuple[tuple[str, str], ...]) -> str:
    """Return the id of the system with this id or, for the API, this name; "" without one."""
    by_name = {name: pk for pk, name in known}
    return asked if asked in dict(known) else by_name.get(asked, "")


def _systems(campaign_id: int) -> tuple[tuple[str, str], ...]:
    rows = System.objects.filter(campaign=campaign_id).values_list("pk", "name")
    return tuple((str(pk), name) for pk, name in rows)


# The stored orders of items, and those that need every item's place: arrays, never rows.


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StoredOrder:
    """positions, figures: (n,), in order. at: when it was made, from how many judgments."""

    positions: Ints
    figures: Floats
    at: datetime | None
    judgments: int


NOTHING = StoredOrder(np.empty(0, np.int64), np.empty(0), None, 0)


def sort_keys(measure: str, figures: Floats, *, higher_is_better: bool) -> Floats:
    """Return what items are sorted by, ascending; equal ones are in the order of collecting."""
    if measure == ItemMeasure.RESIDUAL:
        return -np.abs(figures)
    return figures if measure == ItemMeasure.WORST and higher_is_better else -figures


def orders_stored(
    campaign_id: int, measure: str, *, criterion: str, system_id: int | None
) -> StoredOrder:
    """Return the order by this figure; an empty one where none was made yet."""
    found = ItemOrder.objects.filter(
        campaign=campaign_id, measure=measure, criterion=criterion, system=system_id
    ).first()
    if found is None:
        return NOTHING
    return StoredOrder(
        np.frombuffer(found.positions, "<i4").astype(np.int64),
        np.frombuffer(found.figures, "<f4").astype(np.float64),
        found.at,
        found.judgments,
    )


def needs_stored_order(listing: Listing) -> bool:
    """Return whether a stored order is needed for what is asked."""
    return listing.sort in RANKED or listing.choice in (JUDGED, UNJUDGED)


def stored_items(
    campaign: Campaign, listing: Listing, rows: QuerySet[Item], *, only: Ints | None = None
) -> tuple[StoredOrder, Places]:
    """Return the items that are asked for, in order; `rows`: those that the search leaves.

    only: the places of those that a filter leaves, in any order and perhaps several times.
    Items without the figure of the order are left out of it.
    """
    measure = listing.sort if listing.sort in RANKED else ItemMeasure.JUDGED
    criterion, system = asked_criterion(campaign, listing), listing.chosen("system")
    known = orders_stored(
        campaign.pk,
        measure,
        criterion=criterion.name,
        system_id=int(system) if system else None,
    )
    if listing.sort in RANKED:
        return _ranked(known, listing, rows, only, criterion)
    return _by_judgment(known, listing, rows)


def _ranked(
    known: StoredOrder,
    listing: Listing,
    rows: QuerySet[Item],
    only: Ints | None,
    criterion: Criterion,
) -> tuple[StoredOrder, Places]:
    """Return the items of a stored order that are asked for."""
    fits = np.full(known.positions.size, listing.choice != UNJUDGED)
    if _leaves_out(listing):
        (left,) = common_rows.columns(rows.order_by(), position="i4")
        fits = _among(known.positions, left)
    if only is not None:
        fits &= _among(known.positions, only)
    chosen = np.flatnonzero(fits)[:: -1 if listing.backwards else 1]
    found = replace(known, positions=known.positions[chosen], figures=known.figures[chosen])
    best = criterion.higher_is_better
    columns = (sort_keys(listing.sort, found.figures, higher_is_better=best), found.positions)
    return found, SortedColumns(tuple(-one if listing.backwards else one for one in columns))


def _by_judgment(
    judged: StoredOrder, listing: Listing, rows: QuerySet[Item]
) -> tuple[StoredOrder, Places]:
    """Return the items that are judged, or are not, in an order that needs no figure."""
    every = _plain(rows, listing.sort)[:: -1 if listing.backwards else 1]
    kept = _among(every, judged.positions) == (listing.choice == JUDGED)
    found = replace(judged, positions=every[kept], figures=np.full(np.count_nonzero(kept), np.nan))
    return found, FixedOrder(every, kept)


def _leaves_out(listing: Listing) -> bool:
    """Return whether the search does, of a stored order: it is already one system's."""
    return bool(listing.search) or listing.choice not in ("all", JUDGED, UNJUDGED, EXCLUDED)


def _plain(rows: QuerySet[Item], sort: str) -> Ints:
    """Return the places of these items in an order that needs no figure."""
    if sort == "name":
        (found,) = common_rows.columns(rows.order_by(F("key").asc()), position="i4")
        return np.asarray(found)
    if sort == "longest":
        place, words = common_rows.columns(rows.order_by(), position="i4", words="i4")
        return np.asarray(place[np.lexsort((place, -words))])
    (found,) = common_rows.columns(rows.order_by(), position="i4")
    return np.sort(found)


def _among(places: Ints, others: Ints) -> NDArray[np.bool_]:
    """Return which of these places are among the others."""
    return common_rows.places(np.sort(others), wanted=places) >= 0


# Items by their places, and who wrote what for one of them, as plain rows.


BEGINNING = 160  # characters of the input
LARGEST = 2**31 - 1  # of a position


@dataclass(frozen=True)
class ItemText:
    """One text of an item, with the systems that wrote it and the metrics of the upload."""

    output_id: int
    systems: tuple[str, ...]
    given: Mapping[str, float]


def item_names(campaign_id: int, places: Collection[int]) -> dict[int, Any]:
    """Return the items at these places (from 0), for `beginning`; one query."""
    rows = Item.objects.filter(campaign=campaign_id, position__in=set(places))
    return {item.position: item for item in _begun(rows)}


def item_texts(campaign_id: int, number: int) -> list[ItemText]:
    """Return the texts of the item with this number; `NotFound` where there is none."""
    item, _before, _after = item_at(campaign_id, number)
    given = dict(Output.objects.filter(item=item).values_list("pk", "given_metrics"))
    return [
        ItemText(output, names, given[output]) for output, names in _systems_of_item(item).items()
    ]


def _systems_of_item(item: Item) -> dict[int, tuple[str, ...]]:
    """Return the names of the systems that wrote each output."""
    found: dict[int, tuple[str, ...]] = {}
    rows = Authorship.objects.filter(item=item).order_by("system")
    for output, name in rows.values_list("output", "system__name"):
        found[output] = (*found.get(output, ()), name)
    return found


# Small drawings: answers as dots on their scale, and a mean with its prediction.


WIDTH, EDGE = 72, 6
FLOOR, CEILING = 21.0, 5.0  # the lowest dot of a column, and the highest
STEP = 7.5  # between two dots of a column; more than three stand closer
COLUMN = 6.0  # answers nearer to each other than this stand above each other


@dataclass(frozen=True)
class AnswerDots:
    """dots: (x, y) of each answer. mark: x of their mean, or of what is predicted; None if not
    known. values: the answers, from low to high."""

    dots: tuple[tuple[float, float], ...]
    mark: float | None
    values: tuple[float, ...]

    @property
    def below(self) -> str:
        """Return the triangle below the axis that shows the mean."""
        return "" if self.mark is None else f"M{self.mark:.1f} 26l3.5 4h-7Z"

    @property
    def diamond(self) -> str:
        """Return the diamond on the axis that shows a prediction."""
        return "" if self.mark is None else f"M{self.mark:.1f} 16.5l4.5 4.5-4.5 4.5-4.5-4.5Z"


def answers(values: Iterable[float], *, mean: float, low: float, high: float) -> AnswerDots:
    """Return dots for single answers on a scale, and a mark below for their mean."""
    found = tuple(sorted(values))
    places = [_x(value, low, high) for value in found]
    columns = [round((x - EDGE) / COLUMN) for x in places]
    high_are, seen = Counter(columns), Counter[int]()
    dots = []
    for x, column in zip(places, columns, strict=True):
        step = min(STEP, (FLOOR - CEILING) / max(1, high_are[column] - 1))
        dots.append((x, round(FLOOR - step * seen[column], 1)))
        seen[column] += 1
    return AnswerDots(tuple(dots), _x(mean, low, high), found)


def beside(mean: float, predicted: float | None, *, low: float, high: float) -> AnswerDots:
    """Return a dot for what people said on average, and a diamond for what metrics predict."""
    mark = None if predicted is None else _x(predicted, low, high)
    return AnswerDots(((_x(mean, low, high), FLOOR),), mark, (mean,))


def _x(value: float, low: float, high: float) -> float:
    share = (min(max(value, low), high) - low) / (high - low)
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 1)


# The judgments of a few items, from current facts.


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


def what_people_said(
    items: Mapping[int, int], criterion: Criterion, *, asked: Instrument
) -> dict[int, ItemFigures]:
    """Return what was said of each item, by its id; one query.

    items: {output: its item}, the texts that are looked at. asked: whose scores these are.
    """
    texts: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for output, name, value in _scores(list(items), (criterion.name, EDIT), asked):
        texts[output, name].append(value)
    found: defaultdict[int, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for (output, name), values in texts.items():
        found[items[output]][name].append(values)
    return {
        item: _of_item(by_name[criterion.name], by_name[EDIT], criterion)
        for item, by_name in found.items()
    }


def means(
    outputs: Sequence[int], names: Sequence[str], *, asked: Instrument
) -> dict[tuple[int, str], tuple[float, int]]:
    """Return (output, criterion) -> the mean of its counting answers, and how many; one query."""
    texts: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for output, name, value in _scores(outputs, names, asked):
        texts[output, name].append(value)
    return {key: (fmean(values), len(values)) for key, values in texts.items()}


def _scores(
    outputs: Sequence[int], names: Sequence[str], asked: Instrument
) -> Iterator[tuple[int, str, float]]:
    counting = Score.objects.filter(
        judgment__superseded_at=None,
        judgment__assignment__slot__isnull=False,
        judgment__assignment__status=Assignment.Status.VERIFIED,
        version=asked.scoring,
    )
    if not asked.ranks:
        found = counting.filter(judgment__output__in=outputs, criterion__in=set(names))
        yield from found.values_list("judgment__output", "criterion", "value")
        return
    items, texts = Output.objects.filter(pk__in=outputs).values("item"), defaultdict(list)
    for pk, item in Output.objects.filter(item__in=items).order_by("pk").values_list("pk", "item"):
        texts[item].append(pk)
    stored = [one for name in names for one in instruments_base.score_names(name)]
    found = counting.filter(judgment__output__item__in=items, criterion__in=stored)
    for item, name, value in found.values_list("judgment__output__item", "criterion", "value"):
        criterion, number = instruments_base.text_of_score(name)
        if (output := texts[item][number]) in outputs:
            yield output, criterion, value


def _of_item(
    scores: Sequence[list[float]], edits: Sequence[list[float]], criterion: Criterion
) -> ItemFigures:
    pick = min if criterion.higher_is_better else max
    worst = pick(scores, key=fmean, default=None)
    return ItemFigures(
        None if worst is None else fmean(worst),
        max((stdev(values) for values in scores if len(values) > 1), default=None),
        max((fmean(values) for values in edits), default=None),
        None
        if worst is None
        else answers(worst, mean=fmean(worst), low=criterion.low, high=criterion.high),
        any(set(values) >= {criterion.low, criterion.high} for values in scores),
    )


# The items of a campaign, page by page.


@dataclass(frozen=True)
class ItemLine:
    """One item. judgments: without superseded ones; excluded: those of them that do not count.

    words: of the input; number: its place in the order of collecting, from 1. residual: in the
    order by it alone, as it was when that was made.
    """

    number: int
    key: str
    beginning: str
    words: int
    outputs: int
    judgments: int
    excluded: int
    superseded: int
    said: ItemFigures
    residual: float | None


Page = tuple[Listing, tuple[ItemLine, ...], StoredOrder | None]


def items_page(campaign: Campaign, listing: Listing) -> Page:
    """Return one page, in a constant number of queries, and the order that it rests on, if any."""
    rows = _matching(campaign.pk, listing)
    if needs_stored_order(listing):
        return _ordered(campaign, listing, rows)
    if listing.choice == EXCLUDED:
        rows = rows.filter(position__in=_excluded_places(campaign.pk).distinct())
    found, shown = common_lists.page_beside(_begun(rows), _ordering(listing), listing)
    return found, _lines(campaign, found, shown, {}), None


def _ordered(campaign: Campaign, listing: Listing, rows: QuerySet[Item]) -> Page:
    """Return a page of an order that a worker has made."""
    only = None
    if listing.choice == EXCLUDED:
        (only,) = common_rows.columns(_excluded_places(campaign.pk), place="i4")
    order, ranks = stored_items(campaign, listing, rows, only=only)
    found, part = common_lists.cut(ranks, listing)
    places = order.positions[part].tolist()
    shown = Item.objects.filter(campaign=campaign.pk, position__in=places)
    by_place = {item.position: item for item in _begun(shown)}
    residual = {}
    if found.sort == ItemMeasure.RESIDUAL:
        residual = dict(zip(places, order.figures[part].tolist(), strict=True))
    here = [by_place[place] for place in places if place in by_place]
    return found, _lines(campaign, found, here, residual), order


def _begun(rows: QuerySet[Item]) -> QuerySet[Item]:
    """Read of these items no more than a list shows; of chats, the whole input."""
    start = Left("input", content.ROOM * BEGINNING, output_field=TextField())
    begun = rows.annotate(
        form=F("campaign__input_form"),
        source=Case(When(form=TextForm.CHAT, then="input"), default=start),
    )
    return begun.only("position", "key", "words")


def beginning(item: Any) -> str:
    """Return what readers see first of the input of an item of `_begun`."""
    return content.beginning(item.source, item.form, BEGINNING)[:BEGINNING]


def _matching(campaign_id: int, listing: Listing) -> QuerySet[Item]:
    """Select the items that are asked for, whether they have excluded work or not."""
    rows = Item.objects.filter(campaign=campaign_id)
    if listing.search:
        named = rows.annotate(name=F("key"))  # the researcher's own name for it
        rows = named.filter(name__icontains=listing.search)
    if system := listing.chosen("system"):
        wrote = Authorship.objects.filter(system=int(system))
        rows = rows.filter(pk__in=wrote.values("item"))
    if listing.choice == SUPERSEDED:
        later = Judgment.every.filter(campaign=campaign_id, supersedes__isnull=False)
        rows = rows.filter(pk__in=later.values("output__item"))
    return rows


def _excluded_places(campaign_id: int) -> QuerySet[Exclusion, Any]:
    """Select the places of the items with excluded work.

    Each exclusion looks at a slot of its output: in a join, Postgres would read the judgments of
    all campaigns.
    """
    output = Judgment.every.filter(pk=OuterRef(OuterRef("judgment"))).values("output")
    slots = Slot.objects.filter(output=Subquery(output)).order_by()
    out = Exclusion.objects.filter(restored_at=None, ruling__review__campaign=campaign_id)
    place = Subquery(slots.values("position")[:1])
    return out.order_by().annotate(place=place).values("place")


def _ordering(listing: Listing) -> list[str]:
    """Return the names that sort the items."""
    order = {"order": ["position"], "longest": ["-words", "position"], "name": ["key"]}
    return common_lists.turned(order[listing.sort]) if listing.backwards else order[listing.sort]


def _lines(
    campaign: Campaign, listing: Listing, rows: Sequence[Any], residual: Mapping[int, float]
) -> tuple[ItemLine, ...]:
    """Return the lines of these rows of `_begun`."""
    written = dict(Output.objects.filter(item__in=rows).values_list("pk", "item"))
    outputs = Counter(written.values())
    counts = _counts(written)
    asked = studies_queries.instrument_of(campaign)
    said = what_people_said(
        _theirs(written, listing), asked_criterion(campaign, listing), asked=asked
    )
    return tuple(
        ItemLine(
            number=item.number,
            key=item.key,
            beginning=beginning(item),
            words=item.words,
            outputs=outputs[item.pk],
            judgments=counts[item.pk][0],
            excluded=counts[item.pk][1],
            superseded=counts[item.pk][2],
            said=said.get(item.pk, ItemFigures()),
            residual=residual.get(item.position),
        )
        for item in rows
    )


def _theirs(written: Mapping[int, int], listing: Listing) -> dict[int, int]:
    """Return the texts, with their items, that the figures are about: of one system or all."""
    if not (system := listing.chosen("system")):
        return dict(written)
    rows = Authorship.objects.filter(system=int(system), output__in=list(written))
    mine = set(rows.values_list("output", flat=True))
    return {output: item for output, item in written.items() if output in mine}


def _counts(items: Mapping[int, int]) -> dict[int, list[int]]:
    """Return by item how many judgments there are, how many are excluded and superseded."""
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    judged = Judgment.every.filter(output__in=list(items))
    out = Exclusion.objects.filter(restored_at=None, judgment__output__in=list(items))
    excluded = set(out.values_list("judgment", flat=True))
    for pk, output, superseded_at in judged.values_list("pk", "output", "superseded_at"):
        counts = found[items[output]]
        counts[2 if superseded_at else 0] += 1
        counts[1] += pk in excluded and not superseded_at
    return found


# One item: its texts, and every judgment of each, those that do not count marked.


def item_at(campaign_id: int, number: int) -> tuple[Item, int, int]:
    """Return the item of this number, from 1 in the order of collecting, and its neighbours'.

    Their numbers are 0 where there is none. Raises `NotFound`.
    """
    places = [place for place in range(number - 2, number + 1) if 0 <= place <= LARGEST]
    found = Item.objects.filter(campaign=campaign_id, position__in=places)
    items = {item.position + 1: item for item in found}
    if number not in items:
        raise NotFound("There is no item of this number in the campaign.")
    before, after = (one if one in items else 0 for one in (number - 1, number + 1))
    return items[number], before, after


def judged_outputs(
    item: Item, instrument: Instrument, *, systems: bool, awaited: Collection[int] = ()
) -> list[tuple[Output, tuple[str, ...], list[Judged]]]:
    """Return the outputs of an item, who wrote each, and every judgment with why it does not count.

    awaited: outputs that do not count before other experts have judged them.
    Without systems nobody is named, and the outputs stand in an order that follows neither ids nor
    systems. Always the same number of queries. A ranking is there for each output, with its place.
    """
    rows = Judgment.every.filter(output__item=item)
    excluded = Exclusion.objects.filter(judgment=OuterRef("pk"), restored_at=None)
    standing = Case(
        When(superseded_at__isnull=False, then=Value(SUPERSEDED)),
        When(Exists(excluded), then=Value(EXCLUDED)),
        When(~Q(assignment__status=Assignment.Status.VERIFIED), then=Value(UNCONFIRMED)),
        default=Value(""),
    )
    standings = dict(rows.annotate(standing=standing).values_list("pk", "standing"))
    judged: defaultdict[int, list[Judged]] = defaultdict(list)
    for one in evidence.judged(rows, instrument):
        why = standings.get(one.id) or ("" if one.counts else "does not count")
        if not why and one.output_id in awaited:
            why = "waits for other experts"
        judged[one.output_id].append(replace(one, standing=why))
    outputs = list(Output.objects.filter(item=item).select_related("item").order_by("pk"))
    if not systems:
        outputs.sort(key=lambda one: evidence.output_name(one.pk))
    wrote = _systems_of_item(item) if systems else {}
    if instrument.ranks:
        every = [one for found in judged.values() for one in found]
        for number, pk in enumerate(sorted(one.pk for one in outputs)):
            judged[pk] = [
                replace(one, response=instrument.of_text(one.response, number)) for one in every
            ]
    return [(one, wrote.get(one.pk, ()), judged[one.pk]) for one in outputs]


# Stores the orders of a campaign's items, all of one moment. Only `estimation` makes them.


def new_order(
    system_id: int | None, criterion: str, measure: ItemMeasure, positions: Ints, figures: Floats
) -> ItemOrder:
    """Return an order to be stored. system_id: None for all texts. positions, figures: (n,)."""
    return ItemOrder(
        system_id=system_id,
        criterion=criterion,
        measure=measure,
        positions=positions.astype("<i4").tobytes(),
        figures=figures.astype("<f4").tobytes(),
    )


def store(campaign_id: int, orders: Iterable[ItemOrder], *, judgments: int) -> None:
    """Replace the campaign's orders by these; judgments: how many they rest on."""
    with transaction.atomic():
        ItemOrder.objects.filter(campaign=campaign_id).delete()
        for one in orders:
            one.campaign_id, one.judgments = campaign_id, judgments
            one.save(force_insert=True)
