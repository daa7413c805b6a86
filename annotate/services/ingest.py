"""Making a campaign from checked rows: whole, or not at all."""

import hashlib
import random
from collections.abc import Sequence
from itertools import groupby
from statistics import fmean

from django.db import transaction

from annotate.instruments.base import Instrument
from annotate.models import (
    Authorship,
    Campaign,
    Item,
    Membership,
    Output,
    Place,
    System,
    Target,
)
from annotate.selectors import instruments
from annotate.services import audit, evidence, metric_choice, plans
from annotate.services.plans import Plan, Planned
from annotate.services.upload import MOST_ERRORS, Row, RowError, UploadRefused

BATCH = 2000


def create(plan: Plan, rows: Sequence[Row], *, owner_id: int | None) -> Campaign:
    """Create a draft campaign with all its items, outputs and places, in one transaction.

    Raises `Invalid` for a plan that cannot be, `UploadRefused` for rows that the metric cannot
    be had for.
    """
    instrument = plans.check(plan)
    metrics = check_rows(plan, rows)
    seed = plan.seed if plan.seed is not None else new_seed()
    with transaction.atomic():
        campaign = _campaign(plan, instrument, seed, metrics)
        _outputs(campaign, rows, planned=plan.planned or _every_so_many(plan, seed))
        if owner_id is not None:
            Membership.objects.create(
                campaign=campaign, user_id=owner_id, role=Membership.Role.OWNER
            )
        audit.record("create", campaign_id=campaign.pk, actor_id=owner_id, outputs=len(rows))
        evidence.mark(campaign.pk, "imported")
    return campaign


def new_seed() -> int:
    """Return a seed that nobody can foresee."""
    return random.SystemRandom().getrandbits(63)


def count_planned(plan: Plan, rows: Sequence[Row]) -> int:
    """Return how many judgments `create` will plan for these rows; the plan has a seed."""
    assert plan.seed is not None, "which items are judged twice depends on it"
    planned = plan.planned or _every_so_many(plan, plan.seed)
    return sum(
        planned(same[0], position)
        for position, group in enumerate(_in_order(rows, random.Random(plan.seed)))
        for same in _by_text(group)
    )


def check_rows(plan: Plan, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the campaign's metrics, `auto` expanded: fixed from here on.

    Raises `UploadRefused` where one of them cannot be had for every row.
    """
    instrument = instruments.named(plan.instrument)
    if instrument.needs_paragraphs:
        _check_paragraphs(rows)
    elif instrument.needs_input:
        _check_inputs(rows)
    return metric_choice.resolve(plan.metrics, rows)


def _check_paragraphs(rows: Sequence[Row]) -> None:
    errors = [
        RowError(row.line, "no question (“input”) or no “paragraphs”, which this instrument needs.")
        for row in rows
        if not row.input.strip() or not row.paragraphs
    ]
    _refuse(errors)


def _check_inputs(rows: Sequence[Row]) -> None:
    message = "no “input”, which this instrument shows beside the text."
    _refuse([RowError(row.line, message) for row in rows if not row.whole_input.strip()])


def _refuse(errors: list[RowError]) -> None:
    if errors:
        raise UploadRefused(errors[:MOST_ERRORS], more=len(errors) > MOST_ERRORS)


def _campaign(plan: Plan, instrument: Instrument, seed: int, metrics: tuple[str, ...]) -> Campaign:
    campaign = Campaign.objects.create(
        name=plan.name.strip(),
        instrument=instrument.key,
        instrument_version=instrument.version,
        tutorial_required=plans.has_tutorial(plan),
        tutorial_id=plan.tutorial_id,
        tutorial_bonus=plan.tutorial_bonus,
        bonus_after=plan.bonus_after,
        open_link_bonus=plan.open_link_bonus,
        language=plan.language,
        contact=plan.contact,
        seed=seed,
        double_share=plan.double_share,
        annotator_cap=plan.annotator_cap,
        lease_minutes=plan.lease_minutes,
        reward=plan.reward,
        crowd=plan.crowd,
        fee_rate=plan.fee,
        budget=plan.budget,
        max_judgments=plan.max_judgments,
        deadline=plan.deadline,
        metric_choice=metric_choice.choice(plan.metrics),
        metrics=list(metrics),
        estimand=plan.estimand,
        level=plan.level,
        stop_mode=plan.stop_mode,
    )
    Target.objects.bulk_create(
        Target(campaign=campaign, criterion=name, width=width)
        for name, width in plan.targets.items()
    )
    return campaign


def _every_so_many(plan: Plan, seed: int) -> Planned:
    """Spread the items that are judged twice evenly over the random order.

    Every prefix of the sample then holds the same share of them; which items they are is as
    random as the order, and fixed before the first judgment.
    """
    start = random.Random(seed + 1).random()
    share = plan.double_share

    def planned(row: Row, position: int) -> int:
        return 1 + int((position + 1) * share + start) - int(position * share + start)

    return planned


def _outputs(campaign: Campaign, rows: Sequence[Row], *, planned: Planned) -> None:
    drawn = random.Random(campaign.seed)
    systems = {name: System(campaign=campaign, name=name) for name in {r.system: 0 for r in rows}}
    System.objects.bulk_create(systems.values())
    grouped = _in_order(rows, drawn)
    items = [
        Item(
            campaign=campaign, key=group[0].item, position=position,
            input=group[0].input, paragraphs=list(group[0].paragraphs),
            words=len(group[0].input.split()),
            reference=group[0].reference,
        )
        for position, group in enumerate(grouped)
    ]  # fmt: skip
    Item.objects.bulk_create(items, batch_size=BATCH)
    outputs: list[Output] = []
    authorships: list[Authorship] = []
    places: list[Place] = []
    for item, group in zip(items, grouped, strict=True):
        drawn.shuffle(group)  # so that no system's output is always the first to be judged
        for same in _by_text(group):
            output = _output(campaign, item, same)
            outputs.append(output)
            authorships += [
                Authorship(system=systems[row.system], item=item, output=output) for row in same
            ]
            places += [
                Place(campaign=campaign, output=output, position=item.position, number=number)
                for number in range(1, planned(same[0], item.position) + 1)
            ]
    Output.objects.bulk_create(outputs, batch_size=BATCH)
    Authorship.objects.bulk_create(authorships, batch_size=BATCH)
    Place.objects.bulk_create(places, batch_size=BATCH)


def _in_order(rows: Sequence[Row], drawn: random.Random) -> list[list[Row]]:
    """Return the rows of each item, the items in the random order in which they are judged."""
    in_turn = sorted(rows, key=lambda row: row.item)
    grouped = [list(group) for _key, group in groupby(in_turn, lambda row: row.item)]
    drawn.shuffle(grouped)
    return grouped


def _by_text(group: list[Row]) -> list[list[Row]]:
    same: dict[str, list[Row]] = {}
    for row in group:
        same.setdefault(row.output, []).append(row)
    return list(same.values())


def _output(campaign: Campaign, item: Item, rows: list[Row]) -> Output:
    """One output of the systems that wrote the same text.

    A metric is a function of the text, so values that differ between these rows are averaged.
    """
    names = set.intersection(*(set(row.metrics) for row in rows))
    return Output(
        campaign=campaign,
        item=item,
        text=rows[0].output,
        words=len(rows[0].output.split()),
        digest=hashlib.sha256(rows[0].output.encode()).hexdigest(),
        given_metrics={name: fmean(row.metrics[name] for row in rows) for name in sorted(names)},
    )
