"""The plan: what a researcher decides before any judgment, and the checks of its values."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from annotate.crowds import tariffs
from annotate.crowds.registry import CROWDS
from annotate.crowds.tariffs import ZERO
from annotate.errors import Invalid, NotFound
from annotate.instruments.base import Instrument
from annotate.models import GOLD_BLOCK, Campaign
from annotate.schemas import Refused, fault
from annotate.screening.base import SettingsError
from annotate.screening.screens import Settings
from annotate.selectors.pay.budget import AtMost, cost_of_plan
from annotate.selectors.studies import instruments, tutorial_contents
from annotate.selectors.studies.texts import NONE, StudyTexts
from annotate.selectors.work.gold import MOST as MOST_GOLD
from annotate.services.campaigns import enough, gold, gold_sources, metric_choice
from annotate.services.campaigns.importing.problems import Row
from annotate.services.campaigns.study_texts import (
    LONGEST_ADDRESS,
    problems,
    public_word_problems,
)
from annotate.states import StopMode

# The limits of the database's columns.
MOST_REWARD, MOST_BUDGET, MOST_COUNT, MOST_SEED = 10**6, 10**8, 2**31 - 1, 2**63
LONGEST_NAME = 120
FEWEST_PEOPLE, MOST_PEOPLE = 3, 100_000  # that a forecast is made for
MOST_BONUS_AFTER, MOST_FEE = 100, 10
Planned = Callable[[Row, int], int]  # (row, position) -> judgments planned for its output


@dataclass(frozen=True)
class Plan:
    """What a researcher decides about a campaign before any judgment."""

    name: str  # shown to researchers only
    targets: Mapping[str, float]
    public_title: str = ""  # what annotators read; "": the instrument's neutral title
    public_about: str = ""  # a sentence on the task; "": the instrument's own
    texts: StudyTexts = NONE  # consent, ethics approval, own instructions
    instrument: str = "language_quality"  # a key, or key@version; without one, the latest
    tutorial: bool = True  # whether annotators qualify before their first task
    tutorial_bonus: Decimal = Decimal("0.75")  # promised for passing it
    bonus_after: int = 3  # number of counting judgments after which the bonus is due; 0: at once
    failed_try_pay: Decimal = Decimal("0.25")  # for both rounds completed and not passed
    open_link_bonus: bool = False  # whether people who come by the open link are promised it too
    tutorial_id: int | None = None  # the researcher's own content; None: the instrument's
    metrics: tuple[str, ...] = ()  # names, or ("auto",) for all metrics that the rows can have
    reward: Decimal = Decimal("0.40")
    crowd: str = "link"  # where people come from: a key of `CROWDS`
    fee_rate: Decimal | None = None  # the crowd's; None: its usual rate
    budget: Decimal | None = None
    max_judgments: int | None = None
    deadline: datetime | None = None
    double_share: float = 0.25
    annotator_cap: int | None = 25
    people: int | None = None  # how many the researcher has, for the forecast; None: not known
    lease_minutes: int = 30
    estimand: str = Campaign.Estimand.POPULATION
    level: float = 0.95
    stop_mode: str = StopMode.PRECISION
    margins: Mapping[str, float] = field(default_factory=dict)  # of a ranking, in place of targets
    planned_items: int | None = None  # of a ranking; None: as many as are typical for its margins
    language: str = "en"
    contact: str = ""
    seed: int | None = None
    gold_share: int = 0  # how many of 25 tasks of a person are gold items
    # Gold items, as in a file; more may be added to a draft.
    gold: tuple[Mapping[str, Any], ...] = ()
    # Settings of the screens that differ from the defaults: group -> name -> value.
    screening: Mapping[str, Any] = field(default_factory=dict)
    distinct_names: bool = False  # names that look alike in the file are of different things
    planned: Planned | None = field(default=None, compare=False)

    @property
    def fee(self) -> Decimal:
        """Return the crowd's fee as a share of what people are paid."""
        return tariffs.usual_share(self.crowd) if self.fee_rate is None else self.fee_rate


def _name(name: str) -> str:
    if not 0 < len(name.strip()) <= LONGEST_NAME:
        raise fault(f"Give the campaign a name of at most {LONGEST_NAME} characters.")
    return name


def _one_of(names: Collection[str], what: str) -> AfterValidator:
    def check(name: str) -> str:
        if name not in names:
            raise fault(f"{what} is one of {', '.join(names)}.")
        return name

    return AfterValidator(check)


class PlanLimits(BaseModel):
    """The limits of a plan's fields. Each description is the message for a value outside them.

    A stored plan may exceed them. It is read unchanged, and checked before it is used.
    """

    name: Annotated[str, AfterValidator(_name)]
    reward: Decimal = Field(
        ge=0,
        lt=MOST_REWARD,
        decimal_places=2,
        description="The reward lies between 0 and a million, in whole cents.",
    )
    tutorial_bonus: Decimal = Field(
        ge=0,
        lt=10**4,
        decimal_places=2,
        description="The bonus for the tutorial lies between 0 and 10,000, in whole cents.",
    )
    failed_try_pay: Decimal = Field(
        ge=0,
        lt=10**4,
        decimal_places=2,
        description="The pay for a failed try lies between 0 and 10,000, in whole cents.",
    )
    bonus_after: int = Field(
        ge=0,
        le=MOST_BONUS_AFTER,
        description=f"The bonus is due with 0 to {MOST_BONUS_AFTER} judgments.",
    )
    crowd: Annotated[str, _one_of(CROWDS, "The crowd")]
    fee_rate: Decimal | None = Field(
        ge=0, lt=MOST_FEE, description="The crowd's fee is a share, such as 0.2 for 20 %."
    )
    budget: Decimal | None = Field(
        gt=0,
        lt=MOST_BUDGET,
        description="The budget must be positive, and below a hundred million.",
    )
    max_judgments: int | None = Field(
        gt=0, le=MOST_COUNT, description="The maximum number of judgments must be positive."
    )
    level: float = Field(gt=0.5, lt=1, description="The confidence level lies between 0.5 and 1.")
    double_share: float = Field(
        ge=0, le=1, description="The share of items judged twice lies between 0 and 1."
    )
    annotator_cap: int | None = Field(
        gt=0, le=MOST_COUNT, description="The cap per annotator must be positive."
    )
    people: int | None = Field(
        ge=FEWEST_PEOPLE,
        le=MOST_PEOPLE,
        description=f"The number of people lies between {FEWEST_PEOPLE} and {MOST_PEOPLE:,}.",
    )
    lease_minutes: int = Field(
        ge=1, le=24 * 60, description="A text is reserved for 1 minute to 24 hours."
    )
    estimand: Annotated[str, _one_of(Campaign.Estimand.values, "The estimand")]
    stop_mode: Annotated[str, _one_of(StopMode.values, "The stopping mode")]
    planned_items: int | None = Field(
        gt=0, le=MOST_COUNT, description="The number of planned items must be positive."
    )
    gold_share: int = Field(
        ge=0,
        le=MOST_GOLD,
        description=f"Of {GOLD_BLOCK} tasks, 0 to {MOST_GOLD} can be gold items.",
    )
    seed: int | None = Field(
        ge=0, lt=MOST_SEED, description="The seed lies between 0 and 2^63 − 1."
    )
    contact: str = Field(
        max_length=LONGEST_ADDRESS,
        description=f"An e-mail address has at most {LONGEST_ADDRESS} characters.",
    )
    language: str = Field(
        min_length=1, max_length=12, description="The language is a code such as en or pt-BR."
    )


def at_most(plan: Plan, planned: int) -> AtMost:
    """Return the most that `planned` judgments can cost, as the campaign displays it."""
    return cost_of_plan(
        tariffs.of(plan.crowd, plan.fee),
        reward=plan.reward,
        judgments=min(planned, plan.max_judgments or planned),
        cap=plan.annotator_cap,
        bonus=plan.tutorial_bonus if has_tutorial(plan) else ZERO,
        budget=plan.budget,
        gold_share=plan.gold_share,
    )


def has_tutorial(plan: Plan) -> bool:
    """Return whether annotators qualify first: the plan asks for it and there is a tutorial."""
    if not plan.tutorial:
        return False
    instrument = instruments.named(plan.instrument)
    return plan.tutorial_id is not None or instrument.tutorial(plan.language) is not None


def check(plan: Plan) -> Instrument:
    """Return the plan's instrument, or raise `Invalid` with what to correct in each field."""
    errors: dict[str, str] = {}
    try:
        instrument = instruments.named(plan.instrument)
    except KeyError as error:
        raise Invalid({"instrument": str(error.args[0])}) from None
    errors |= enough.problems(
        plan.stop_mode, plan.targets, plan.margins, plan.planned_items, instrument.criteria
    )
    if problem := _tutorial_problem(plan, instrument):
        errors["tutorial_id"] = problem
    if problem := screening_problem(plan.screening):
        errors["screening"] = problem
    if problem := metric_choice.problem(plan.metrics):
        errors["metrics"] = problem
    errors |= public_word_problems(plan.public_title, plan.public_about) | problems(plan.texts)
    errors |= _beyond_limits(plan)
    if problem := _gold_problem(plan, instrument):
        errors["gold"] = problem
    if plan.gold_share and instrument.shows_others:
        errors["gold_share"] = gold.NO_GOLD_BESIDE
    if errors:
        raise Invalid(errors)
    return instrument


def screening_problem(given: Mapping[str, Any]) -> str:
    """Return what is wrong with settings of the screens; "" if nothing is."""
    try:
        Settings.from_dict(given)
    except SettingsError as refused:
        return str(refused)
    return ""


def _gold_problem(plan: Plan, instrument: Instrument) -> str:
    """Return what is wrong with the plan's gold items; "" if nothing is, or there are none."""
    if not plan.gold:
        return ""
    if not plan.gold_share:
        return f"Say how many of {GOLD_BLOCK} tasks are gold items, in gold_share."
    try:
        found = gold.problems(instrument, gold_sources.from_data({"gold": list(plan.gold)}), set())
    except Refused as refused:
        return str(refused)
    return " ".join(f"{name}: {text}" for name, text in found.items())


def _tutorial_problem(plan: Plan, instrument: Instrument) -> str:
    """Return why the researcher's own tutorial cannot be used; "" if it can or none is named."""
    if plan.tutorial_id is None:
        return ""
    try:
        tutorial_contents.of(plan.tutorial_id, instrument)
    except NotFound as error:
        return error.message
    except Refused as refused:
        return f"This tutorial does not fit the instrument: {refused}"
    return ""


def _beyond_limits(plan: Plan) -> dict[str, str]:
    try:
        PlanLimits.model_validate(vars(plan))
    except ValidationError as violations:
        found = violations.errors(include_url=False)
        return {str(one["loc"][0]): _said(str(one["loc"][0]), one["msg"]) for one in found}
    return {}


def _said(name: str, otherwise: str) -> str:
    return PlanLimits.model_fields[name].description or otherwise
