"""A campaign as plain data: its plan, its log, and the rows of an export."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Case, Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import override
from numpy.typing import NDArray

from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns.facts import CampaignDesign, SystemStanding
from annotate.common import content
from annotate.common import rows as common_rows
from annotate.common.rows import Amendment
from annotate.common.text import interface_language, is_visible
from annotate.instruments import base as instruments_base
from annotate.instruments import registry
from annotate.instruments.base import Instrument
from annotate.instruments.rating.instrument import Rating, as_data, read_definition
from annotate.instruments.recorded.instrument import DEFINED, RecordedScores, definition_of
from annotate.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Authorship,
    Campaign,
    Exclusion,
    Flag,
    GoldAnswer,
    Item,
    Judgment,
    Output,
    Protocol,
    Review,
    Score,
    Slot,
)
from annotate.models.accounts import FEED
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries
from annotate.studies.queries import PageOrders


def title(given: str, instrument: Instrument, language: str) -> str:
    """Return the given title, or a neutral one in the annotators' language."""
    return " ".join(given.split()) if is_visible(given) else _said(instrument.title, language)


def about(given: str, instrument: Instrument, language: str) -> str:
    """Return the given sentence, or the instrument's description of itself."""
    return own_about(given) or _said(instrument.about, language)


def own_about(given: str) -> str:
    """Return a researcher's own sentence; "" if it has no visible characters."""
    return given.strip() if is_visible(given) else ""


def _said(words: object, language: str) -> str:
    with override(interface_language(language)):
        return str(words)


METRICS_BOUNDED = "bound_metrics"  # the verb of an amendment of the protocol: see the service

DECIDED = (
    *("name", "status", "close_reason", "created_at", "opened_at", "closed_at"),
    *("crowd", "language", "output_form", "input_form", "shows_input", "shows_reference"),
    *("tutorial_required", "tutorial_bonus", "failed_try_pay"),
    *("annotator_cap", "double_share", "raters", "named_experts", "lease_minutes"),
    *("gold_share", "seed"),
    *("screening",),
    *("reward", "fee_rate", "budget", "max_judgments", "deadline", "metric_choice", "metrics"),
    *("estimand", "level", "stop_mode", "planned_items", "protocol", "recorded"),
)


def protocol(campaign: Campaign) -> dict[str, Any]:
    """Return the plan, the questions with their scales, and where each system's sample ended."""
    widths, margins = campaigns_facts.asked(campaign)
    return {
        "campaign": campaign.public_id,
        **{name: getattr(campaign, name) for name in DECIDED},
        "targets": widths,
        "margins": margins,
        "systems": [
            {"name": one.name, "stop_position": one.stop_position}
            | ({"first": one.first, "second": one.second} if one.first else {})
            for one in campaign.systems.order_by("pk")
        ],
        "texts": asdict(studies_queries.texts_of(campaign)),
        "consent_version": studies_queries.consent_version(campaign),
        "text_amendments": _amendments(studies_queries.amended(campaign.pk)),
        "protocol_amendments": _amendments(common_rows.logged(campaign.pk, METRICS_BOUNDED)),
        "instrument": _instrument(campaign),
    }


def _amendments(rows: Iterable[Amendment]) -> list[dict[str, Any]]:
    return [{"at": one.at, "why": one.why, "changes": one.changes} for one in rows]


def _instrument(campaign: Campaign) -> dict[str, Any]:
    asked = studies_queries.instrument_of(campaign)
    return {
        "key": asked.key,
        "version": asked.version,
        "scoring": asked.scoring,
        "label": str(asked.label),
        "criteria": [criterion.as_data() for criterion in asked.criteria],
        "definition": _definition(asked),
    }


def _definition(asked: Instrument) -> dict[str, Any] | None:
    if isinstance(asked, RecordedScores) and asked.partial:
        return definition_of(asked.criteria)
    return as_data(asked.definition) if isinstance(asked, Rating) else None


def instrument_in(told: Mapping[str, Any]) -> Instrument:
    """Return the instrument of a plan that `protocol` wrote, without a database.

    ValueError where a built-in one has another version here; others for what is no plan.
    """
    about = told["instrument"]
    if about["definition"] is not None and DEFINED in about["definition"]:
        return RecordedScores.defined(about["key"], about["definition"])
    if about["definition"] is not None:
        return Rating(read_definition(about["definition"], version=str(about["version"])))
    found = registry.get(about["key"])
    if found.version != about["version"]:
        raise ValueError(
            f"version {about['version']} of {found.key} was used; {found.version} runs here"
        )
    return found


def protocols_in(told: Mapping[str, Any]) -> Iterator[Protocol]:
    """Yield the protocol of a plan that `protocol` wrote, then those before each amendment of it.

    Raises KeyError, TypeError or ValueError for what is no plan.
    """
    stored = dict(told["protocol"])
    yield Protocol.from_data(stored)
    for amendment in told.get("protocol_amendments", ()):
        for name, (was, _now) in amendment["changes"].items():
            stored.pop(name, None)
            stored |= {} if was is None else {name: was}
        yield Protocol.from_data(stored)


def design_in(told: Mapping[str, Any], instrument: Instrument) -> CampaignDesign | None:
    """Return what was decided by a plan that `protocol` wrote; None before the opening."""
    if told["protocol"] is None:
        return None
    return CampaignDesign(
        campaign_id=0,
        status=str(told["status"]),
        close_reason=told["close_reason"],
        metrics=tuple(map(str, told["metrics"])),
        stop_mode=told["stop_mode"],
        estimand=told["estimand"],
        level=float(told["level"]),
        targets={str(name): float(width) for name, width in told["targets"].items()},
        margins={str(name): float(margin) for name, margin in told["margins"].items()},
        planned_items=told["planned_items"],
        criteria=instrument.criteria,
        compares=instrument.compares,
        n_pairs=len(told["systems"]) if instrument.compares else 0,
        ranks=instrument.ranks,
        protocol=Protocol.from_data(told["protocol"]),
        outputs=campaigns_facts.outputs_of(told.get("recorded")),
    )


# The log of a campaign: acts of people, and automatic ones that are not routine.


def acts_of(campaign_id: int, *, verbs: Collection[str] | None = None) -> QuerySet[Any]:
    """Select acts, the newest first, without automatic acts on single things.

    Each has a further attribute `who`: the name of its actor, "" for automatic ones.
    verbs: only these acts.
    """
    found = AuditEntry.objects.filter(FEED, campaign=campaign_id)
    if verbs is not None:
        found = found.filter(verb__in=list(verbs))
    rows: QuerySet[Any] = found.annotate(who=Coalesce("actor__username", Value("")))
    return rows.order_by("-pk")


# The settings of a campaign's screens: those in use, those it opened with, and the amendments.


AMENDED = "amend_screens"  # the verb of the log


def screens_in_use(campaign: Campaign) -> dict[str, dict[str, Any]]:
    """Return every setting of the campaign's screens: group -> name -> value."""
    return Settings.from_dict(campaign.screening).to_dict()


def screens_amended(campaign_id: int) -> tuple[Amendment, ...]:
    """Return the changes of these settings after the opening, the newest first."""
    return common_rows.logged(campaign_id, AMENDED)


# The contents of an export, row by row: texts, judgments and decisions of a campaign.
#
# The number of queries is constant. Memory is constant except for a few numbers per judgment and
# output. Annotators appear by pseudonym only.


CHUNK, ANSWERS, TEXTS = 1000, 200, 50  # rows at once: of numbers, with answers, with long texts
COUNTS, EXCLUDED, SUPERSEDED = 1, 2, 4
FACTS = {
    "judgment": "pk",
    "output": "output",
    "item": "output__item__key",
    "position": "output__item__position",
    "group": "output__item__group",
    "annotator": "annotator__pseudonym",
    **{name: name for name in ("submitted_at", "elapsed_seconds", "active_seconds")},
    **{name: name for name in ("instrument", "instrument_version", "supersedes")},
}

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Moment:
    """The changeable part of a campaign, read at one moment.

    All other rows are only added, so what existed at this moment can be read afterwards.
    judgment, annotator: (T,) the judgments so far, ids ascending, and their annotators.
    state: (T,) `COUNTS` where the judgment holds a slot and is verified (and all named experts have
        judged its output, where experts are named), plus `EXCLUDED` where it is excluded;
        `SUPERSEDED` where a correction has taken its place.
    output, team: (N,) outputs, ids ascending, and the index in `teams` of who wrote each.
    amendments: what was changed in the settings of the screens, the oldest first.
    """

    campaign: Campaign
    amendments: tuple[common_rows.Amendment, ...]
    judgment: Ints
    annotator: Ints
    state: Ints
    output: Ints
    team: Ints
    teams: tuple[tuple[SystemStanding, ...], ...]

    @property
    def last(self) -> int:
        """Return the id of the last judgment; 0 if there is none."""
        return int(self.judgment[-1]) if self.judgment.size else 0

    def of(self, judgment_id: int) -> tuple[int, int] | None:
        """Return a judgment's annotator and state; None: stored later under an earlier id."""
        place = int(self.judgment.searchsorted(judgment_id))
        known = place < self.judgment.size and self.judgment[place] == judgment_id
        return (int(self.annotator[place]), int(self.state[place])) if known else None

    def authors(self, output_id: int) -> tuple[SystemStanding, ...]:
        """Return the systems that wrote this output."""
        return self.teams[self.team[self.output.searchsorted(output_id)]]


def moment(campaign_id: int) -> Moment:
    """Return the state that the other functions read by; six queries."""
    campaign = Campaign.objects.get(pk=campaign_id)
    amended = common_rows.logged(campaign_id, AMENDED)[::-1]
    judgment, annotator, state = _judged(campaign)
    output, team, teams = _teams(campaign_id)
    return Moment(campaign, amended, judgment, annotator, state, output, team, teams)


def judgments(now: Moment, *, answers: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the judgments in order of arrival; without `answers`, the answers are not read.

    position: of the item, in the order of leasing. systems: as `SystemStanding`. superseded: a
    later one has taken its place; it does not count, and has no scores. page: the outputs side by
    side on this annotator's page, in order. ranked: those of the item in the order of the scores.
    """
    instrument, form = studies_queries.instrument_of(now.campaign), now.campaign.output_form
    with_texts = answers and instruments_base.are_taken(instrument)
    is_beside = instrument.ranks or (answers and instrument.shows_others)
    orders = PageOrders(now.campaign.pk) if is_beside else None
    scores = _Scores(now)
    for row in _rows(now, answers=answers, with_texts=with_texts):
        *facts, response, text, paragraphs = row
        told = dict(zip(FACTS, facts, strict=True))
        if (known := now.of(told["judgment"])) is None:
            continue
        who, state = known
        ranked = orders.beside(told["output"]) if orders and instrument.ranks else None
        wrote = [one for output in ranked or [told["output"]] for one in now.authors(output)]
        yield told | {
            "systems": sorted(wrote, key=lambda one: one.system_id),
            "ranked": ranked,
            "response": response,
            "highlights": instruments_base.marked(
                response, text=content.visible(text, form), paragraphs=paragraphs
            )
            if with_texts
            else [],
            "scores": scores.of(told["judgment"]),
            "counts": bool(state & COUNTS),
            "excluded": bool(state & EXCLUDED),
            "superseded": bool(state & SUPERSEDED),
            "page": orders and orders.of(who, told["output"]),
        }


def scores(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the judgments once for each score: of one output, on one criterion.

    output, systems: what has this score, and who wrote it.
    """
    for one in judgments(now, answers=False):
        for name, score in one["scores"].items():
            row = one | {"criterion": name, "score": score}
            if one["ranked"]:
                criterion, number = instruments_base.text_of_score(name)
                output = one["ranked"][number]
                row |= {"criterion": criterion, "output": output, "systems": now.authors(output)}
            yield row


def items(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the systems' inputs, in the order in which they are judged."""
    rows = Item.objects.filter(campaign=now.campaign).order_by("position")
    names = ("key", "position", "group", "input", "paragraphs", "reference")
    for row in rows.values_list(*names).iterator(chunk_size=TEXTS):
        yield dict(zip(("item", *names[1:]), row, strict=True))


def outputs(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the outputs. Identical texts for one item are one output of several systems."""
    rows = Output.objects.filter(campaign=now.campaign).order_by("pk")
    chosen = rows.values_list("pk", "item__key", "text", "words")
    form = now.campaign.output_form
    for pk, item, text, words in chosen.iterator(chunk_size=TEXTS):
        names = [system.name for system in now.authors(pk)]
        row = {"output": pk, "item": item, "systems": names, "text": text, "words": words}
        yield row if form == content.TextForm.PLAIN else row | _as_seen(text, form)


def _as_seen(text: str, form: str) -> dict[str, Any]:
    if instruments_base.MARK in text:  # a pair
        seen = instruments_base.joined(*instruments_base.visible(text, form))
        return {"visible": seen, "blocks": []}
    seen, blocks = content.with_blocks(text, form)
    return {"visible": seen, "blocks": blocks}


def people(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the annotators with what they contributed, in the order of their entry.

    review: "" where there is no flag and no review. Four queries.
    """
    mine = Judgment.objects.filter(campaign=now.campaign)
    judges = Annotator.objects.filter(pk__in=mine.values("annotator"))
    known = dict(judges.values_list("pk", "pseudonym"))
    reviews = dict(Review.objects.filter(campaign=now.campaign).values_list("annotator", "status"))
    screens: dict[int, list[str]] = defaultdict(list)
    flags = Flag.objects.filter(review__campaign=now.campaign).order_by("pk")
    for who, screen in flags.values_list("review__annotator", "screen"):
        screens[who].append(screen)
    times = mine.filter(pk__lte=now.last).order_by()
    rows = times.values_list("annotator").annotate(
        first=Min("submitted_at"), last=Max("submitted_at"), active=Sum("active_seconds")
    )
    work = _work_by_person(now)
    for who, first, last, active in rows.order_by("first", "annotator"):
        if who in work:
            n, counting, excluded = work[who]
            yield {
                "annotator": known[who],
                "judgments": n,
                "counting": counting,
                "excluded": excluded,
                "first_at": first,
                "last_at": last,
                "active_seconds": active,
                "review": reviews.get(who, ""),
                "screens": tuple(screens[who]),
            }


def exclusions(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the exclusions and restorations, in their order."""
    rows = Exclusion.objects.filter(judgment__campaign=now.campaign).order_by("pk")
    names = {
        "judgment": "judgment",
        "annotator": "judgment__annotator__pseudonym",
        "reason": "ruling__reason",
        "excluded_at": "ruling__at",
        "restored_at": "restored_at",
    }
    for row in rows.values_list(*names.values()).iterator(chunk_size=CHUNK):
        yield dict(zip(names, row, strict=True))


def _work_by_person(now: Moment) -> dict[int, tuple[int, int, int]]:
    """Return how many judgments each annotator made, how many count, how many are excluded."""
    current = now.state & SUPERSEDED == 0
    state = now.state[current]
    people, who = np.unique(now.annotator[current], return_inverse=True)
    kinds = (None, state & COUNTS > 0, state & EXCLUDED > 0)
    columns = [np.bincount(who, kind, people.size).astype(int).tolist() for kind in kinds]
    return dict(zip(people.tolist(), zip(*columns, strict=True), strict=True))


def _judged(campaign: Campaign) -> tuple[Ints, Ints, Ints]:
    counting = Slot.objects.filter(
        assignment=OuterRef("assignment"), assignment__status=Assignment.Status.VERIFIED
    )
    out = Exclusion.objects.filter(judgment=OuterRef("pk"), restored_at=None)
    superseded = Q(superseded_at__isnull=False)
    rows = Judgment.every.filter(campaign=campaign).annotate(
        state=_if(Q(Exists(counting)) & ~superseded, COUNTS)
        + _if(Q(Exists(out)), EXCLUDED)
        + _if(superseded, SUPERSEDED)
    )
    ids, annotator, output, state = common_rows.columns(
        rows.order_by("pk"), id="i8", annotator="i8", output="i8", state="i4"
    )
    holding = np.flatnonzero(state & COUNTS)
    state[holding[~campaigns_facts.answered_by_all(campaign, output[holding])]] -= COUNTS
    return ids, annotator, state


def _if(condition: Q, value: int) -> Case:
    return Case(When(condition, then=Value(value)), default=Value(0))


def _teams(campaign_id: int) -> tuple[Ints, Ints, tuple[tuple[SystemStanding, ...], ...]]:
    """Return the sets of systems that wrote outputs, and each output's set: there are few sets."""
    standing = {one.system_id: one for one in campaigns_facts.standings(campaign_id)}
    rows = Authorship.objects.filter(system__campaign=campaign_id).order_by("output", "system")
    author = common_rows.columns(rows, output="i8", system="i8")
    outputs = np.unique(author[0])
    number: dict[tuple[int, ...], int] = {}
    wrote = groupby(zip(*author, strict=True), key=itemgetter(0))
    found = (
        number.setdefault(tuple(int(system) for _, system in systems), len(number))
        for _, systems in wrote
    )
    team = np.fromiter(found, np.int64, outputs.size)
    return outputs, team, tuple(tuple(standing[system] for system in one) for one in number)


def _rows(now: Moment, *, answers: bool, with_texts: bool) -> Iterator[tuple[Any, ...]]:
    """Yield the judgments' columns; texts are read only for judgments with highlights."""
    rows = Judgment.every.filter(campaign=now.campaign, pk__lte=now.last).order_by("pk")
    more = ("response", "output__text", "output__item__paragraphs")[: answers + 2 * with_texts]
    none: tuple[Any, ...] = ({}, "", ())[len(more) :]
    size = TEXTS if with_texts else ANSWERS if answers else CHUNK
    found = rows.values_list(*FACTS.values(), *more).iterator(chunk_size=size)
    return ((*row, *none) for row in found)


class _Scores:
    """The scores of judgments, read in the order of the judgments."""

    def __init__(self, now: Moment) -> None:
        mine = Score.of(now.campaign.pk).filter(judgment__lte=now.last)
        rows = mine.order_by("judgment", "pk").values_list("judgment", "criterion", "value")
        self._groups = groupby(rows.iterator(chunk_size=4 * CHUNK), key=itemgetter(0))
        self._next: tuple[int, dict[str, float]] | None = self._read()

    def of(self, judgment: int) -> dict[str, float]:
        """Return {criterion: score}; empty where they are not computed yet."""
        while self._next is not None and self._next[0] < judgment:
            self._next = self._read()
        if self._next is None or self._next[0] != judgment:
            return {}
        return self._next[1]

    def _read(self) -> tuple[int, dict[str, float]] | None:
        judgment, rows = next(self._groups, (0, ()))
        return (judgment, {name: value for _, name, value in rows}) if judgment else None


# The answers to gold items, for exports.


def answers(now: Moment) -> Iterator[dict[str, Any]]:
    """Yield the answers to gold items, in order of arrival. They are no judgments."""
    rows = GoldAnswer.objects.filter(campaign=now.campaign).order_by("pk")
    rows = rows.annotate(n=Count("corrections"))
    names = {
        "gold": "item__name",
        "kind": "item__kind",
        "annotator": "annotator__pseudonym",
        "submitted_at": "submitted_at",
        "elapsed_seconds": "elapsed_seconds",
        "active_seconds": "active_seconds",
        "text": "item__text",
        "expected": "item__expected",
        "response": "response",
        "right": "right",
        "corrections": "n",
    }
    for row in rows.values_list(*names.values()).iterator(chunk_size=TEXTS):
        yield dict(zip(names, row, strict=True))
