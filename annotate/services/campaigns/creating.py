"""Creates a campaign from checked rows, in full or not at all."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotate.errors import Invalid
from annotate.instruments.base import Instrument
from annotate.models import (
    Campaign,
    CampaignTotals,
    Membership,
    System,
    Target,
)
from annotate.selectors.campaigns import protocol
from annotate.services import audit, change_marks
from annotate.services.campaigns import (
    comparing,
    enough,
    gold,
    gold_sources,
    metric_choice,
    plans,
    study_texts,
)
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.metric_columns import Gap
from annotate.services.campaigns.importing.pairs import Pairs, Source, names
from annotate.services.campaigns.importing.problems import Problems, Row
from annotate.services.campaigns.importing.sheet import Sheet
from annotate.services.campaigns.plans import Plan
from annotate.services.campaigns.storing import Chunk, every_so_many, store
from annotate.states import StopMode
from estimation.core.planning import RankingForecast

NO_QUESTION = "no question (“input”) or no “paragraphs”, which this instrument needs."
ALIKE = (
    "Correct the file, or say that these are different systems and items (`distinct_names`, "
    "`--distinct-names`)."
)
NO_INPUT = "no “input”, which this instrument shows beside the text."
MOST_OUTPUTS, MOST_TEXT = 500, 2_000_000  # per chunk: outputs and characters


@dataclass(frozen=True)
class Checked:
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


def create(plan: Plan, rows: Iterable[Row], *, owner_id: int | None) -> Campaign:
    """Create a draft campaign with all its items, outputs and slots, in one transaction.

    It takes rows that fit into memory; files go through `importing.running`. Raises `Invalid` for
    an impossible plan and `UploadRefused` for rows that lack what the metric needs.
    """
    with Sheet() as sheet:
        for row in rows:
            sheet.add(row)
        checked = check(plan, sheet.facts())
        with transaction.atomic():
            campaign = begin(checked, sheet)
            for chunk in chunks(campaign, source(checked, sheet), checked.loose):
                store(campaign, plan, chunk)
            finish(campaign, owner_id=owner_id, outputs=checked.facts.n_rows)
    return campaign


def check(plan: Plan, facts: Facts) -> Checked:
    """Return the plan together with what the file adds to it.

    Raises `Invalid` for an impossible plan and `UploadRefused` where rows lack what it needs.
    """
    instrument = plans.check(plan)
    problems = lacking(instrument, facts)
    if instrument.compares:
        facts = comparing.facts(plan, facts, problems)
    problems.check()
    metrics = metric_choice.resolve(plan.metrics, facts)
    return Checked(
        plan,
        instrument,
        metrics,
        metric_choice.loose(metrics, facts),
        facts,
        _ranking(plan, instrument, facts),
    )


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


def _ranking(plan: Plan, instrument: Instrument, facts: Facts) -> RankingForecast | None:
    if plan.stop_mode != StopMode.RANKING:
        return None
    if facts.n_systems < 2 and not instrument.compares:
        raise Invalid({"stop_mode": "A ranking takes at least two systems; the file has one."})
    return enough.outlook(
        plan.margins,
        instrument.criteria,
        systems=facts.n_systems,
        items=facts.n_items,
        level=plan.level,
        double_share=plan.double_share,
        compares=instrument.compares,
    )


def source(checked: Checked, sheet: Sheet) -> Source:
    """Return the rows of the campaign: those of the sheet, or its pairs."""
    return Pairs(sheet) if checked.instrument.compares else sheet


def count_planned(plan: Plan, facts: Facts) -> int:
    """Return how many judgments are planned for this file. The plan has its seed."""
    assert plan.seed is not None, "which items are judged twice depends on it"
    planned = every_so_many(plan, plan.seed)
    texts = facts.texts_of_items()
    order = order_of(len(texts), facts.groups, random.Random(plan.seed).shuffle)
    return sum(planned(position) * texts[place] for position, place in enumerate(order))


def begin(checked: Checked, sheet: Sheet) -> Campaign:
    """Create the campaign. It has no members before `finish`, so no page shows it."""
    plan = checked.plan
    seed = plan.seed if plan.seed is not None else random.SystemRandom().getrandbits(63)
    campaign = _campaign(checked, seed)
    study_texts.store(campaign, plan.texts)
    System.objects.bulk_create(_systems(checked, campaign, sheet))
    if plan.gold:
        gold.store(campaign, gold_sources.from_data({"gold": list(plan.gold)}))
    return campaign


def _systems(checked: Checked, campaign: Campaign, sheet: Sheet) -> list[System]:
    """Return the systems, or every two of them that are compared."""
    if not checked.instrument.compares:
        return [System(campaign=campaign, name=name) for name in sheet.systems]
    return [
        System(campaign=campaign, name=name, first=first, second=second)
        for name, (first, second) in names(sheet.systems).items()
    ]


def finish(campaign: Campaign, *, owner_id: int | None, outputs: int) -> None:
    """Show the campaign to its owner, log it and announce it. Call it in a transaction."""
    if owner_id is not None:
        Membership.objects.create(campaign=campaign, user_id=owner_id, role=Membership.Role.OWNER)
    audit.record("create", campaign_id=campaign.pk, actor_id=owner_id, outputs=outputs)
    change_marks.mark(campaign.pk, "imported")


def chunks(
    campaign: Campaign, rows: Source, loose: Sequence[str] = (), *, start: int = 0
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


def _campaign(checked: Checked, seed: int) -> Campaign:
    plan, instrument = checked.plan, checked.instrument
    campaign = Campaign.objects.create(
        name=plan.name.strip(),
        public_title=protocol.title(plan.public_title, instrument, plan.language),
        public_about=protocol.own_about(plan.public_about),
        instrument=instrument.key,
        instrument_version=instrument.version,
        tutorial_required=plans.has_tutorial(plan),
        tutorial_id=plan.tutorial_id,
        tutorial_bonus=plan.tutorial_bonus,
        bonus_after=plan.bonus_after,
        failed_try_pay=plan.failed_try_pay,
        open_link_bonus=plan.open_link_bonus,
        language=plan.language,
        contact=plan.contact,
        seed=seed,
        double_share=plan.double_share,
        annotator_cap=plan.annotator_cap,
        people=plan.people,
        lease_minutes=plan.lease_minutes,
        reward=plan.reward,
        crowd=plan.crowd,
        fee_rate=plan.fee,
        budget=plan.budget,
        max_judgments=plan.max_judgments,
        deadline=plan.deadline,
        metric_choice=metric_choice.choice(plan.metrics),
        metrics=list(checked.metrics),
        estimand=plan.estimand,
        level=plan.level,
        stop_mode=plan.stop_mode,
        planned_items=checked.planned_items,
        screening=dict(plan.screening),
        gold_share=plan.gold_share,
    )
    CampaignTotals.objects.create(campaign=campaign)
    widths = [{"criterion": name, "width": width} for name, width in plan.targets.items()]
    margins = [{"criterion": name, "margin": margin} for name, margin in plan.margins.items()]
    Target.objects.bulk_create(Target(campaign=campaign, **one) for one in widths + margins)
    return campaign
