"""Checks a plan against its file, and creates the campaign with its items, outputs and slots."""

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db import models, transaction
from django.db.models import F

from annotate.campaigns import exports, life, plans
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import Problems, Row
from annotate.campaigns.reading import Differing, Pairs, pair_names
from annotate.campaigns.sheet import Facts, Gap, Sheet
from annotate.common import audit, content, locks, marks
from annotate.common import rows as common_rows
from annotate.common.content import TextForm
from annotate.common.errors import Conflict, Invalid
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument
from annotate.models import (
    Authorship,
    Campaign,
    CampaignImport,
    CampaignTexts,
    CampaignTotals,
    ChangeMark,
    Expert,
    Item,
    Membership,
    Output,
    Slot,
    System,
    Target,
)
from annotate.models.base import CampaignStatus, StopMode
from annotate.review import gold
from annotate.studies import queries as studies_queries
from estimation.core.planning import RankingForecast
from estimation.metrics import reading_length

# Positions of items and where their groups begin (None: no group), and the rows of each.
Chunk = list[tuple[int, int | None, list[Row]]]


def every_so_many(plan: Plan, seed: int) -> Callable[[int], int]:
    """Return a function that spreads the items with several raters evenly over the random order.

    Every prefix of the sample then holds the same share of them. Which items they are is as random
    as the order, and fixed before the first judgment.
    """
    start = random.Random(seed + 1).random()
    share, more = plan.double_share, plan.raters - 1

    def planned(position: int) -> int:
        is_shared = int((position + 1) * share + start) - int(position * share + start)
        return 1 + more * is_shared

    return planned


def store(campaign: Campaign, plan: Plan, chunk: Chunk) -> None:
    """Store items with their outputs and slots. Call it in a transaction."""
    every = every_so_many(plan, campaign.seed)
    planned = plan.planned or (lambda _row, position: every(position))
    systems = dict(campaign.systems.values_list("name", "pk"))
    form = campaign.input_form
    rows = [(campaign.pk, *_item(at, begins, group[0], form)) for at, begins, group in chunk]
    items = _add(Item, ITEM, rows)
    alike = [
        (item, position, same)
        for item, (position, _begins, group) in zip(items, chunk, strict=True)
        for same in _by_text(group)
    ]
    form = campaign.output_form
    texts = [(campaign.pk, item, *_output(same, form)) for item, _position, same in alike]
    outputs = list(zip(_add(Output, OUTPUT, texts), alike, strict=True))
    written = [
        (systems[row.system], item, output)
        for output, (item, _position, same) in outputs
        for row in same
    ]
    _add(Authorship, ("system_id", "item_id", "output_id"), written)
    # Where all texts of an item are one task, the first of them has its slots.
    judged = outputs
    if studies_queries.instrument_of(campaign).ranks:
        first_of: dict[int, Any] = {}
        for one in outputs:
            first_of.setdefault(one[1][0], one)
        judged = list(first_of.values())
    slots = [
        (campaign.pk, output, position, number)
        for output, (_item, position, same) in judged
        for number in range(1, planned(same[0], position) + 1)
    ]
    _add(Slot, ("campaign_id", "output_id", "position", "number"), slots)
    Campaign.objects.filter(pk=campaign.pk).update(
        planned=F("planned") + len(slots),
        planned_outputs=F("planned_outputs") + len(judged),
        planned_twice=F("planned_twice") + sum(number == 2 for *_slot, number in slots),
    )


def _add(
    model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[int]:
    """Store rows, and return their new ids."""
    ids = common_rows.reserve(model, len(rows))
    numbered = ((pk, *row) for pk, row in zip(ids, rows, strict=True))
    common_rows.insert(model, ("id", *names), numbered)
    return ids


ITEM = (
    *("campaign_id", "key", "position", "input", "paragraphs", "words", "reference"),
    *("group", "group_start"),
)
OUTPUT = ("campaign_id", "item_id", "text", "words", "digest", "given_metrics")


def _item(position: int, begins: int | None, row: Row, form: str) -> tuple[Any, ...]:
    """Return the values of an item after its campaign, as in `ITEM`."""
    words = reading_length(content.visible(row.input, form))
    texts = row.input, list(row.paragraphs), words, row.reference
    return row.item, position, *texts, row.group, begins


def _by_text(group: list[Row]) -> list[list[Row]]:
    same: dict[str, list[Row]] = {}
    for row in group:
        same.setdefault(row.output, []).append(row)
    return list(same.values())


def _output(rows: list[Row], form: str) -> tuple[Any, ...]:
    """Return the values, as in `OUTPUT`, of the output that systems with the same text share.

    A metric is a function of the text, so values that differ between these rows are averaged.
    """
    text = rows[0].output
    names = set.intersection(*(set(row.metrics) for row in rows))
    metrics = {name: fmean(row.metrics[name] for row in rows) for name in sorted(names)}
    words = reading_length(" ".join(instruments_base.visible(text, form)))
    return text, words, hashlib.sha256(text.encode()).hexdigest(), metrics


# Creates a campaign from checked rows, in full or not at all.


NO_QUESTION = "no question (“input”) or no “paragraphs”, which this instrument needs."
ALIKE = (
    "Correct the file, or say that these are different systems and items (`distinct_names`, "
    "`--distinct-names`), or that they are the same (`join_names`, `--join-names`)."
)
NO_INPUT = "no “input”, which this instrument shows beside the text."
MOST_OUTPUTS, MOST_TEXT = 500, 2_000_000  # per chunk: outputs and characters


@dataclass(frozen=True)
class CheckedPlan:
    """A plan that fits its file, with what the file adds to it."""

    plan: Plan
    instrument: Instrument
    metrics: tuple[str, ...]  # with `auto` expanded; they do not change later
    loose: tuple[str, ...]  # the metrics whose values stand in columns of their own
    facts: Facts
    ranking: RankingForecast | None = None  # what it takes, where a ranking is asked for

    @property
    def planned_items(self) -> int | None:
        """Of a ranking: those given, or what is usual for its margins."""
        if self.ranking is None:
            return None
        usual = self.ranking.planned_items
        if usual is not None and self.facts.n_units < self.facts.n_items:
            usual = max(1, round(usual * self.facts.n_units / self.facts.n_items))
        return self.plan.planned_items or usual


def text_forms(plan: Plan, instrument: Instrument, facts: Facts) -> dict[str, Any]:
    """Return how texts are shown: as planned or, where that is open, as the file suggests."""
    usual = (instrument.compares or instrument.ranks) and facts.n_inputs > 0
    return {
        "output_form": plan.output_form or facts.output_form,
        "input_form": plan.input_form or facts.input_form,
        "shows_input": usual if plan.shows_input is None else plan.shows_input,
    }


FORM_WORDS = {TextForm.MARKDOWN: "Markdown", TextForm.CHAT: "chats"}


def form_notices(plan: Plan, facts: Facts) -> Iterator[str]:
    """Yield what the file suggests of texts that are not plain, where the plan leaves it open."""
    for what in ("output", "input"):
        form = getattr(facts, f"{what}_form")
        if form in FORM_WORDS and not getattr(plan, f"{what}_form"):
            yield (
                f"The {what}s look like {FORM_WORDS[form]}, and annotators see them formatted. "
                f"Choose another form in the plan (“How annotators see the texts”, `{what}_form`)."
            )


def create(plan: Plan, rows: Iterable[Row], *, owner_id: int | None) -> Campaign:
    """Create a draft campaign with all its items, outputs and slots, in one transaction.

    It takes rows that fit into memory; files go through `campaigns.imports`. Raises `Invalid` for
    an impossible plan and `UploadRefused` for rows that lack what the metric needs.
    """
    with Sheet() as sheet:
        for row in rows:
            sheet.add(row)
        checked = check(plan, sheet.facts())
        with transaction.atomic():
            campaign = begin(checked, sheet)
            for chunk in chunks(campaign, campaign_rows(checked, sheet), checked.loose):
                store(campaign, plan, chunk)
            finish(campaign, owner_id=owner_id, outputs=checked.facts.n_rows)
    return campaign


def check(plan: Plan, facts: Facts) -> CheckedPlan:
    """Return the plan together with what the file adds to it.

    Raises `Invalid` for an impossible plan and `UploadRefused` where rows lack what it needs.
    """
    instrument = plans.check(plan)
    problems = lacking(instrument, facts)
    if instrument.compares:
        facts = plans.pair_facts(plan, facts, problems)
    elif instrument.ranks:
        facts = plans.ranked_facts(facts)
    problems.check()
    metrics = plans.resolve(plan.metrics, facts)
    ranking = None
    if plan.stop_mode == StopMode.RANKING:
        if facts.n_systems < 2 and not instrument.compares:
            raise Invalid({"stop_mode": "A ranking takes at least two systems; the file has one."})
        ranking = plans.ranking_forecast(plan, instrument, facts)
    return CheckedPlan(plan, instrument, metrics, plans.loose(metrics, facts), facts, ranking)


def lacking(instrument: Instrument, facts: Facts) -> Problems:
    """Return which rows of the file lack what this instrument shows."""
    if instrument.needs_paragraphs:
        gap, message = facts.no_question, NO_QUESTION
    elif instrument.needs_input:
        gap, message = facts.no_input, NO_INPUT
    else:
        gap, message = Gap(), ""
    problems = Problems()
    problems.lacking(gap.lines, gap.count, message, facts.unit)
    return problems


def ask_about_names(facts: Facts, *, distinct: bool) -> None:
    """Raise `Invalid` where names look alike, unless their owner says that they are distinct."""
    if facts.alike and not distinct:
        raise Invalid({"distinct_names": " ".join([*facts.alike, ALIKE])})


def campaign_rows(checked: CheckedPlan, sheet: Sheet) -> Sheet | Differing:
    """Return the rows of the campaign: those of the sheet, or its pairs, or what can be ranked."""
    if checked.instrument.compares:
        return Pairs(sheet)
    return Differing(sheet) if checked.instrument.ranks else sheet


def count_planned(plan: Plan, facts: Facts) -> int:
    """Return how many judgments are planned for this file. The plan has its seed."""
    assert plan.seed is not None, "which items are judged twice depends on it"
    planned = every_so_many(plan, plan.seed)
    texts = facts.texts_of_items()
    order = order_of(len(texts), facts.groups, random.Random(plan.seed).shuffle)
    return sum(planned(position) * texts[place] for position, place in enumerate(order))


def begin(checked: CheckedPlan, sheet: Sheet) -> Campaign:
    """Create the campaign. It has no members before `finish`, so no page shows it."""
    plan = checked.plan
    seed = plan.seed if plan.seed is not None else random.SystemRandom().getrandbits(63)
    campaign = _campaign(checked, seed)
    plans.store_texts(campaign, plan.texts)
    if checked.instrument.compares:  # every two systems of the file are one
        systems = [
            System(campaign=campaign, name=name, first=first, second=second)
            for name, (first, second) in pair_names(sheet.systems).items()
        ]
    else:
        systems = [System(campaign=campaign, name=name) for name in sheet.systems]
    System.objects.bulk_create(systems)
    if plan.gold:
        gold.store(campaign, gold.from_data({"gold": list(plan.gold)}))
    return campaign


def finish(campaign: Campaign, *, owner_id: int | None, outputs: int) -> None:
    """Show the campaign to its owner, log it and announce it. Call it in a transaction."""
    if owner_id is not None:
        Membership.objects.create(campaign=campaign, user_id=owner_id, role=Membership.Role.OWNER)
    audit.record("create", campaign_id=campaign.pk, actor_id=owner_id, outputs=outputs)
    marks.mark(campaign.pk, "imported")


def chunks(
    campaign: Campaign, rows: Sheet | Differing, loose: Sequence[str] = (), *, start: int = 0
) -> Iterator[Chunk]:
    """Yield the items in the campaign's random order, from position `start` on.

    The order depends on the seed and the file alone, so an interrupted import continues at the same
    item.
    """
    shuffle = random.Random(campaign.seed).shuffle
    items, groups = rows.in_order(), rows.groups()
    begins: dict[int, int] = {}
    chunk: Chunk = []
    n_outputs = n_text = 0
    for position, place in enumerate(order_of(len(items), groups, shuffle)):
        item = items[place]
        start_of_group = begins.setdefault(groups[place], position) if groups else None
        if position < start:
            shuffle([0] * rows.size_of(item))  # items stored earlier have used these numbers
            continue
        group = rows.group(item, loose)
        shuffle(group)  # so that no system is always judged first
        chunk.append((position, start_of_group, group))
        n_outputs += len(group)
        n_text += sum(len(row.output) for row in group) + len(group[0].whole_input)
        if n_outputs >= MOST_OUTPUTS or n_text >= MOST_TEXT:
            yield chunk
            chunk, n_outputs, n_text = [], 0, 0
    if chunk:
        yield chunk


def order_of(
    items: int, groups: Sequence[int], shuffle: Callable[[list[Any]], None]
) -> Sequence[int]:
    """Return the places of all items in a random order in which each group stands together.

    groups: the number of each item's group; empty without groups.
    """
    places = list(range(items))
    if not groups:
        shuffle(places)
        return places
    members: dict[int, list[int]] = {}
    for place, group in zip(places, groups, strict=True):
        members.setdefault(group, []).append(place)
    drawn = list(members.values())
    shuffle(drawn)
    for group_of_items in drawn:
        shuffle(group_of_items)
    return [place for group_of_items in drawn for place in group_of_items]


def _campaign(checked: CheckedPlan, seed: int) -> Campaign:
    plan, instrument = checked.plan, checked.instrument
    campaign = Campaign.objects.create(
        **{name: getattr(plan, name) for name in plans.AS_THEY_ARE},
        **text_forms(plan, instrument, checked.facts),
        name=plan.name.strip(),
        public_title=exports.title(plan.public_title, instrument, plan.language),
        public_about=exports.own_about(plan.public_about),
        instrument=instrument.key,
        instrument_version=instrument.version,
        tutorial_required=plans.has_tutorial(plan),
        seed=seed,
        fee_rate=plan.fee,
        deadline=plan.deadline,
        metric_choice=plans.choice(plan.metrics),
        metrics=list(checked.metrics),
        named_experts=plan.named_experts,
        planned_items=checked.planned_items,
        screening=dict(plan.screening),
    )
    CampaignTotals.objects.create(campaign=campaign)
    Expert.objects.bulk_create(Expert(campaign=campaign, name=name) for name in plan.experts)
    widths = [{"criterion": name, "width": width} for name, width in plan.targets.items()]
    margins = [{"criterion": name, "margin": margin} for name, margin in plan.margins.items()]
    Target.objects.bulk_create(Target(campaign=campaign, **one) for one in widths + margins)
    return campaign


# Deletes a campaign that was never open: nobody has worked for it, so nothing of it is a fact.
#
# It leaves its members at once. A worker then removes its texts, in short transactions; the log
# keeps that there was a draft, and who deleted it.


AT_ONCE = 200  # items that one transaction removes, with all their rows
NAME = "Deleted draft"


def delete(campaign_id: int, *, actor_id: int) -> None:
    """Delete a draft permanently. Raises `Conflict` for any other campaign."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != CampaignStatus.DRAFT:
            raise Conflict("Only a draft can be deleted. Close this campaign, then archive it.")
        life.end_draft(campaign, actor_id=actor_id, name=NAME, public_title=NAME, public_about="")
        Membership.objects.filter(campaign=campaign_id).delete()
        # The same form, sent again, is to make a new campaign.
        CampaignImport.objects.filter(campaign=campaign_id).delete()
        ChangeMark.objects.filter(campaign=campaign_id).delete()


def clear_due() -> int:
    """Remove what was in deleted drafts; return how many there were. Safe to run twice."""
    due = Campaign.objects.filter(
        status=CampaignStatus.ARCHIVED, opened_at=None, memberships=None, systems__isnull=False
    )
    drafts = list(due.order_by("pk").distinct())
    for campaign in drafts:
        remove_items(campaign.pk)
        with transaction.atomic():
            rows = ("gold", "targets", "experts", "invitations", "subscriptions", "change_marks")
            for name in rows:
                getattr(campaign, name).all().delete()
            CampaignTexts.objects.filter(campaign=campaign).delete()
            campaign.systems.all().delete()  # last: without systems it is not due any more
    return len(drafts)


def remove_items(campaign_id: int) -> None:
    """Remove items with all their rows, in short transactions."""
    items = Item.objects.filter(campaign=campaign_id)
    while keys := list(items.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        items.filter(pk__in=keys).delete()
