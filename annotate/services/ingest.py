"""Making a campaign from checked rows: whole, or not at all."""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from statistics import fmean

from django.db import transaction

from annotate import adapters
from annotate.errors import Invalid, NotFound
from annotate.instruments.base import Instrument
from annotate.instruments.reader import Refused
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
from annotate.selectors import instruments, tutorial_contents
from annotate.services import audit, evidence, metric_choice
from annotate.services.upload import MOST_ERRORS, Row, RowError, UploadRefused
from annotate.states import StopMode

BATCH = 2000
# What the database's columns hold.
MOST_REWARD, MOST_BUDGET, MOST_COUNT, MOST_SEED = 10**6, 10**8, 2**31 - 1, 2**63
Planned = Callable[[Row, int], int]  # (row, position) -> judgments planned for its output


@dataclass(frozen=True)
class Plan:
    """What a researcher decides about a campaign before any judgment."""

    name: str
    targets: Mapping[str, float]
    instrument: str = "language_quality"  # a key, or key@version; without one, the latest
    tutorial: bool = True  # whether annotators qualify before their first task
    tutorial_bonus: Decimal = Decimal("0.75")
    tutorial_id: int | None = None  # the researcher's own content; None: the instrument's
    metrics: tuple[str, ...] = ()  # names, or ("auto",) for all that the rows can have
    reward: Decimal = Decimal("0.40")
    crowd: str = "link"  # where people come from: a name of `adapters.LABELS`
    fee_rate: Decimal | None = None  # the crowd's; None: what it usually is
    budget: Decimal | None = None
    max_judgments: int | None = None
    deadline: datetime | None = None
    double_share: float = 0.25
    annotator_cap: int | None = 25
    lease_minutes: int = 30
    estimand: str = Campaign.Estimand.POPULATION
    level: float = 0.95
    stop_mode: str = StopMode.PRECISION
    language: str = "en"
    contact: str = ""
    seed: int | None = None
    planned: Planned | None = field(default=None, compare=False)

    @property
    def fee(self) -> Decimal:
        """The share that the crowd adds to what people are paid."""
        return adapters.USUAL_FEES[self.crowd] if self.fee_rate is None else self.fee_rate


def create(plan: Plan, rows: Sequence[Row], *, owner_id: int | None) -> Campaign:
    """Create a draft campaign with all its items, outputs and places, in one transaction.

    Raises `Invalid` for a plan that cannot be, `UploadRefused` for rows that the metric cannot
    be had for.
    """
    instrument = check(plan)
    metrics = check_rows(plan, rows)
    seed = plan.seed if plan.seed is not None else random.SystemRandom().getrandbits(63)
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


def check(plan: Plan) -> Instrument:
    """Return the plan's instrument, or raise `Invalid` with what to mend in each field."""
    errors: dict[str, str] = {}
    try:
        instrument = instruments.named(plan.instrument)
    except KeyError as error:
        raise Invalid({"instrument": str(error.args[0])}) from None
    known = {criterion.name: criterion for criterion in instrument.criteria}
    if not plan.targets:
        errors["targets"] = "Name at least one criterion and the width it should reach."
    for name, width in plan.targets.items():
        if name not in known:
            errors["targets"] = f"“{name}” is not a criterion; there are {', '.join(known)}."
        elif not 0 < width < max(10, known[name].high - known[name].low):
            errors["targets"] = f"The target width of {name} must be a positive number."
    if problem := _tutorial_problem(plan, instrument):
        errors["tutorial_id"] = problem
    if problem := metric_choice.problem(plan.metrics):
        errors["metrics"] = problem
    errors |= _check_numbers(plan)
    if errors:
        raise Invalid(errors)
    return instrument


def _tutorial_problem(plan: Plan, instrument: Instrument) -> str:
    """Say why the researcher's own tutorial cannot be used; "" where it can, or none is named."""
    if plan.tutorial_id is None:
        return ""
    try:
        tutorial_contents.of(plan.tutorial_id, instrument)
    except NotFound as error:
        return error.message
    except Refused as refused:
        return f"This tutorial does not fit the instrument: {refused}"
    return ""


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


def _check_numbers(plan: Plan) -> dict[str, str]:
    checks = {
        "name": (
            0 < len(plan.name.strip()) <= 120,
            "Give the campaign a name of at most 120 characters.",
        ),
        "reward": (
            0 <= plan.reward < MOST_REWARD and plan.reward == round(plan.reward, 2),
            "The reward lies between 0 and a million, in whole cents.",
        ),
        "tutorial_bonus": (
            0 <= plan.tutorial_bonus < 10**4
            and plan.tutorial_bonus == round(plan.tutorial_bonus, 2),
            "The bonus for the tutorial lies between 0 and 10,000, in whole cents.",
        ),
        "crowd": (
            plan.crowd in adapters.LABELS,
            f"The crowd is one of {', '.join(adapters.LABELS)}.",
        ),
        "fee_rate": (
            plan.fee_rate is None or 0 <= plan.fee_rate < 10,
            "The crowd's fee is a share, such as 0.2 for 20 %.",
        ),
        "budget": (
            plan.budget is None or 0 < plan.budget < MOST_BUDGET,
            "The budget must be positive, and below a hundred million.",
        ),
        "max_judgments": (
            plan.max_judgments is None or 0 < plan.max_judgments <= MOST_COUNT,
            "The maximum number of judgments must be positive.",
        ),
        "level": (0.5 < plan.level < 1, "The confidence level lies between 0.5 and 1."),
        "double_share": (
            0 <= plan.double_share <= 1,
            "The share of items judged twice lies between 0 and 1.",
        ),
        "annotator_cap": (
            plan.annotator_cap is None or 0 < plan.annotator_cap <= MOST_COUNT,
            "The cap per annotator must be positive.",
        ),
        "lease_minutes": (
            1 <= plan.lease_minutes <= 24 * 60,
            "A text is reserved for 1 minute to 24 hours.",
        ),
        "estimand": (
            plan.estimand in Campaign.Estimand.values,
            f"The estimand is one of {', '.join(Campaign.Estimand.values)}.",
        ),
        "stop_mode": (
            plan.stop_mode in StopMode.values,
            f"The stopping mode is one of {', '.join(StopMode.values)}.",
        ),
        "seed": (
            plan.seed is None or 0 <= plan.seed < MOST_SEED,
            "The seed lies between 0 and 2^63 − 1.",
        ),
        "language": (0 < len(plan.language) <= 12, "The language is a code such as en or pt-BR."),
    }
    return {name: message for name, (fine, message) in checks.items() if not fine}


def _campaign(plan: Plan, instrument: Instrument, seed: int, metrics: tuple[str, ...]) -> Campaign:
    campaign = Campaign.objects.create(
        name=plan.name.strip(),
        instrument=instrument.key,
        instrument_version=instrument.version,
        tutorial_required=plan.tutorial and _has_tutorial(plan, instrument),
        tutorial_id=plan.tutorial_id,
        tutorial_bonus=plan.tutorial_bonus,
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


def _has_tutorial(plan: Plan, instrument: Instrument) -> bool:
    return plan.tutorial_id is not None or instrument.tutorial(plan.language) is not None


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
    shuffle = random.Random(campaign.seed).shuffle
    systems = {name: System(campaign=campaign, name=name) for name in {r.system: 0 for r in rows}}
    System.objects.bulk_create(systems.values())
    grouped = [
        list(group)
        for _key, group in groupby(sorted(rows, key=lambda row: row.item), lambda row: row.item)
    ]
    shuffle(grouped)
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
        shuffle(group)  # so that no system's output is always the first to be judged
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
