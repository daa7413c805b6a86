"""The plan of a campaign: metrics, targets, texts, limits, and their checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from itertools import combinations
from typing import Any

from annotate.campaigns.facts import asked, experts_of
from annotate.campaigns.problems import Problems, Row, RowError
from annotate.campaigns.reading import pair_names
from annotate.campaigns.sheet import (
    LONGEST_METRIC,
    MOST_COMPARED,
    Column,
    Facts,
    Gap,
    MetricFault,
    range_for,
)
from annotate.common.content import OF_INPUTS, TextForm
from annotate.common.errors import Invalid, NotFound
from annotate.common.numbers import count, many
from annotate.common.schemas import Refused
from annotate.common.text import LONGEST as LONGEST_EXPERT
from annotate.common.text import are_one, can_be_seen, is_visible, tidy
from annotate.crowds import adapters
from annotate.crowds.adapters import CROWDS
from annotate.crowds.prices import ZERO
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Criterion, Instrument
from annotate.models import GOLD_BLOCK, Campaign, CampaignTexts
from annotate.models.base import MOST_RATERS, MetricChoice, StopMode
from annotate.pay.budget import HighestCost, cost_of_plan
from annotate.review import gold as review_gold
from annotate.screening.base import SettingsError
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries
from annotate.studies.queries import NONE, StudyTexts
from annotate.work.picking import MOST as MOST_GOLD
from estimation.core import Crossed, Scale
from estimation.core.planning import TYPICAL, Expectation, RankingForecast, Study, forecast_ranking
from estimation.metrics import Metric, MissingExtraError, available, find, vectors

AUTO = "auto"
MOST_METRICS = 50
# Of one metric, and of several.
FAULTS = {
    MetricFault.SAME: (
        "has the same value for every output of the file, so it cannot save judgments.",
        "have the same value for every output of the file, so they cannot save judgments.",
    ),
    MetricFault.OF_SYSTEM: (
        "has the same value for all outputs of each system, so it cannot save judgments.",
        "have the same value for all outputs of each system, so they cannot save judgments.",
    ),
    MetricFault.NUMBERS_ROWS: (
        "numbers the rows of the file, which says nothing about the outputs.",
        "number the rows of the file, which says nothing about the outputs.",
    ),
    MetricFault.NUMBERS_ITEMS: (
        "numbers the items of the file, which says nothing about the outputs.",
        "number the items of the file, which says nothing about the outputs.",
    ),
}


def choice(asked: Sequence[str]) -> MetricChoice:
    """Return the kind of choice that was made."""
    if AUTO in asked:
        return MetricChoice.AUTO
    return MetricChoice.NAMED if asked else MetricChoice.NONE


def metric_problem(asked: Sequence[str]) -> str:
    """Return what is wrong with the names themselves, independent of the rows; "" if nothing."""
    if AUTO in asked and len(asked) > 1:
        return "“auto” takes all available metrics: name it alone."
    if len(set(asked)) < len(asked):
        return "A metric is named twice."
    if len(asked) > MOST_METRICS:
        return f"At most {MOST_METRICS} metrics: with more of them, they help later."
    if not all(name.strip() and len(name) <= LONGEST_METRIC for name in asked):
        return f"The name of a metric has at least one and at most {LONGEST_METRIC} characters."
    return ""


def resolve(asked: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the names that the campaign keeps; `auto` becomes all metrics that every row can have.

    Raises `UploadRefused` where a named metric is unavailable for some row, and `Invalid` for
    sentence vectors without the package that computes them.
    """
    if AUTO in asked:
        return _all_there_are(facts)
    for name in asked:
        problems = Problems()
        _find_missing(name, facts, problems)
        problems.check()
    return tuple(asked)


def metric_choice_given(name: str, facts: Facts) -> Column | None:
    """Return the file's values of a metric, where the file's values are used.

    A loose column is used if the plan names it, but it does not replace a computed metric.
    """
    column = facts.column(name)
    return None if column and column.loose and find(name) else column


def loose(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the names whose values come from loose columns."""
    found = [metric_choice_given(name, facts) for name in names]
    return tuple(column.name for column in found if column and column.loose)


def unused(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the metrics that the file has for every output and that `names` does not include."""
    whole = [column.name for column in facts.columns if column.is_whole]
    return tuple(name for name in whole if name not in names and metric_choice_given(name, facts))


def why_useless(name: str, facts: Facts) -> MetricFault | None:
    """Return why a metric is known to save nothing in this file; None if it may save something."""
    column = metric_choice_given(name, facts)
    if column is not None:
        return column.useless
    return MetricFault.SAME if name in facts.constant_metrics else None


def useful(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the unused metrics of the file that may save something."""
    return tuple(name for name in unused(names, facts) if not why_useless(name, facts))


def preselected(recommended: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return what a new campaign proposes: the file's own metrics, then the recommended ones.

    Those that are known to save nothing are left out.
    """
    found = dict.fromkeys((*unused((), facts), *recommended))
    return tuple(name for name in found if not why_useless(name, facts))[:MOST_METRICS]


def useless(names: Sequence[str], facts: Facts) -> list[str]:
    """Return a sentence for each reason for which some of these metrics save nothing."""
    found: dict[MetricFault, list[str]] = {}
    for name in names:
        if why := why_useless(name, facts):
            found.setdefault(why, []).append(f"“{name}”")
    return [
        f"{', '.join(found[why])} {one if len(found[why]) == 1 else several}"
        for why, (one, several) in FAULTS.items()
        if why in found
    ]


def averaged(names: Sequence[str], facts: Facts) -> list[str]:
    """Return a sentence for each of these metrics whose values differ for one and the same text."""
    given_here = [
        column for name in names if (column := metric_choice_given(name, facts)) and column.averaged
    ]
    return [
        f"“{one.name}” has different values for "
        f"{many(one.averaged, 'text that', 'texts that')} several systems wrote for an item. "
        "Their mean is used."
        for one in given_here
    ]


def unusable(facts: Facts) -> list[str]:
    """Return a sentence for each column of numbers that cannot be a metric, and why."""
    odd = [
        f"“{one.column}” cannot be a metric: on {facts.unit} {count(one.line)} it is no number"
        f"{range_for(one.cell)} (“{one.cell}”)."
        for one in facts.odd_cells
    ]
    return odd + [
        f"“{one.name}” cannot be a metric: {many(one.lacking.count, 'output has', 'outputs have')} "
        f"no value, such as that on {facts.unit} {count(one.lacking.lines[0])}."
        for one in facts.columns
        if not one.is_whole
    ]


def offers(names: Sequence[str], facts: Facts) -> list[str]:
    """Return sentences about the metrics that cannot be used, and those that are not used."""
    told = [*unusable(facts), *averaged(names, facts)]
    found = ", ".join(useful(names, facts))
    if not found:
        return told
    return [
        *told,
        f"Metrics of the file that are not used: {found}. To use one, name it among the metrics of "
        "the plan; they are fixed when the campaign is created.",
    ]


def _all_there_are(facts: Facts) -> tuple[str, ...]:
    """Return the computed metrics, then the file's own ones without gaps.

    A loose column must be named in the plan: it may be any number, such as a length.
    """
    own = [column for column in facts.columns if not column.loose]
    computed = available(
        has_reference=not facts.no_reference.count,
        has_paragraphs=not facts.no_input.count,
        has_others=not facts.no_others.count,
    )
    mentioned = {column.name for column in own}
    names = [metric.name for metric in computed if metric.name not in mentioned]
    return (*names, *sorted(one.name for one in own if one.is_whole))[:MOST_METRICS]


def _find_missing(name: str, facts: Facts, problems: Problems) -> None:
    """Note the rows that lack this metric. Given values are preferred to computed ones."""
    column = metric_choice_given(name, facts)
    metric = None if column else find(name)
    if column:
        gap, message = column.lacking, f"no value of the metric “{name}” for this output."
    elif metric is None:
        has = ", ".join(unused((), facts)) or "none"
        message = f"The file has no value of the metric “{name}”. Metrics that it has: {has}."
        problems.add(RowError(0, message))
        return
    else:
        if name.startswith(vectors.PREFIX):
            try:
                vectors.check_installed()
            except MissingExtraError as error:
                raise Invalid({"metrics": str(error)}) from error
        gap, message = _needed(metric, facts)
    problems.lacking(gap.lines, gap.count, message, facts.unit)


def _needed(metric: Metric, facts: Facts) -> tuple[Gap, str]:
    if metric.needs == "reference":
        return facts.no_reference, f"no reference, which {metric.name} needs."
    if metric.needs == "paragraphs":
        return facts.no_input, f"no input, whose paragraphs {metric.name} needs."
    if metric.needs == "others":
        return facts.no_others, f"no other system’s output, which {metric.name} needs."
    return Gap(), ""


# When collection suffices: a width or a margin for each primary criterion, by stopping mode.


# What is assumed of scores on a criterion of one's own, as shares of the squared scale: their sd is
# three tenths of it.
ITEM, PERSON, REST = 0.03, 0.015, 0.045


def _target_problems(plan: "Plan", criteria: Sequence[Criterion]) -> dict[str, str]:
    """Return what is wrong with what suffices, by the field of a plan."""
    known = {criterion.name: criterion for criterion in criteria}
    ranks = plan.stop_mode == StopMode.RANKING
    name, given = ("margins", plan.margins) if ranks else ("targets", plan.targets)
    found: dict[str, str] = {}
    if ranks:
        if plan.targets:
            return {"targets": "A ranking has margins in place of target widths."}
        lacks = "Name at least one criterion and the difference that does not matter."
    else:
        if plan.margins:
            found["margins"] = "Only a ranking has margins."
        if plan.planned_items is not None:
            found["planned_items"] = "Only a ranking has planned items."
        lacks = "Name at least one criterion and the width it should reach."
    if not given:
        return found | {name: lacks}
    for criterion, value in given.items():
        if criterion not in known:
            there_are = ", ".join(known)
            return found | {name: f"“{criterion}” is not a criterion; there are {there_are}."}
        one = known[criterion]
        if ranks and one.both_bad_of:
            return found | {name: f"{criterion} says nothing about which text is better."}
        if ranks and not 0 < value < one.most_apart:
            reach = f"{one.most_apart:g}"
            return found | {name: f"The margin of {criterion} lies between 0 and {reach}."}
        if not ranks and not 0 < value < max(10, one.high - one.low):
            return found | {name: f"The target width of {criterion} must be a positive number."}
    return found


def ranking_forecast(plan: "Plan", instrument: Instrument, facts: Facts) -> RankingForecast:
    """Return how many items a ranking takes on the criterion that takes most.

    By typical scores, without metrics; alpha is shared by all criteria.
    """
    shared = 1 - (1 - plan.level) / len(plan.margins)
    found = [
        forecast_ranking(
            Study(
                typical(criterion),
                max(2, facts.n_items),
                systems=facts.n_systems,
                level=shared,
                double_share=plan.double_share,
                raters=plan.raters,
            ),
            margin=plan.margins[criterion.name],
            side_by_side=instrument.compares,
        )
        for criterion in instrument.criteria
        if criterion.name in plan.margins
    ]
    return max(found, key=lambda one: one.planned_items)


def typical(criterion: Criterion) -> Expectation:
    """Return what is assumed of this criterion before any judgment."""
    reach = criterion.high - criterion.low
    usual = TYPICAL.get(criterion.name)
    if usual is not None and (usual.scale.low, usual.scale.high) == (criterion.low, criterion.high):
        return usual
    return Expectation(
        Crossed(ITEM * reach**2, PERSON * reach**2, REST * reach**2),
        Scale(criterion.low, criterion.high, criterion.bounded),
        mean=(criterion.low + criterion.high) / 2,
    )


# Checks and stores what annotators read of a new campaign, in its researcher's own words.


# The limits of the database's columns.
LONGEST_TITLE, LONGEST_ABOUT, LONGEST_ADDRESS = 120, 600, 254
LONGEST = {"consent": 10_000, "ethics": 300, "instructions": 10_000, "background": 10_000}
LABELS = {
    "consent": "The consent text",
    "ethics": "The ethics approval",
    "instructions": "The instructions",
    "background": "The text of the background questions",
}


def public_word_problems(title: str, about: str) -> dict[str, str]:
    """Return what is wrong with the public title and sentence, by field name."""
    found = {}
    if len(title) > LONGEST_TITLE:
        found["public_title"] = f"The title has at most {LONGEST_TITLE} characters."
    if len(about) > LONGEST_ABOUT:
        found["public_about"] = f"The sentence has at most {LONGEST_ABOUT} characters."
    return found


def text_problems(texts: StudyTexts) -> dict[str, str]:
    """Return what is wrong with each text, by its name in a plan, such as `texts.consent`."""
    found = {}
    for name, text in asdict(texts).items():
        if len(text) > LONGEST[name]:
            found[f"texts.{name}"] = f"{LABELS[name]} has at most {LONGEST[name]:,} characters."
        elif "\0" in text:
            found[f"texts.{name}"] = f"{LABELS[name]} contains a NUL character."
    if wrong := studies_queries.problem(texts.background):
        found.setdefault("texts.background", wrong)
    return found


def store_texts(campaign: Campaign, texts: StudyTexts) -> None:
    """Store the texts of a new campaign. One without a visible character is none."""
    own = {name: text.strip() for name, text in asdict(texts).items() if is_visible(text)}
    if own:
        CampaignTexts.objects.create(campaign=campaign, **own)


def read_study_texts(given: Mapping[str, Any]) -> StudyTexts:
    """Return the texts among the values of a form or a command, by their names."""
    return StudyTexts(**{name: given.get(name) or "" for name in LONGEST})


# The plan: what a researcher decides before any judgment, and the checks of its values.


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
    double_share: float = 0.25  # of the items, which `raters` people judge each
    raters: int = 2
    experts: tuple[str, ...] = ()  # names of those who judge everything, if they are named
    annotator_cap: int | None = 25
    people: int | None = None  # how many the researcher has, for the forecast; None: not known
    lease_minutes: int = 30
    estimand: str = Campaign.Estimand.POPULATION
    level: float = 0.95
    stop_mode: str = StopMode.PRECISION
    margins: Mapping[str, float] = field(default_factory=dict)  # of a ranking, in place of targets
    planned_items: int | None = None  # of a ranking; None: as many as are typical for its margins
    language: str = "en"
    output_form: str = ""  # how annotators see outputs, a `TextForm`; "": as the file suggests
    input_form: str = ""
    shows_input: bool | None = None  # beside the outputs; None: in comparisons
    shows_reference: bool = False  # beside the outputs
    contact: str = ""
    seed: int | None = None
    gold_share: int = 0  # how many of 25 tasks of a person are gold items
    # Gold items, as in a file; more may be added to a draft.
    gold: tuple[Mapping[str, Any], ...] = ()
    # Settings of the screens that differ from the defaults: group -> name -> value.
    screening: Mapping[str, Any] = field(default_factory=dict)
    distinct_names: bool = False  # names that look alike in the file are of different things
    join_names: bool = False  # they are of one thing, by the first of them
    planned: Planned | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "experts", tuple(map(tidy, self.experts)))
        usual = {one.name: one.default for one in fields(self)}
        for name, value in self.of_experts().items():
            if getattr(self, name) == usual[name]:  # other values are refused by `check`
                object.__setattr__(self, name, value)

    def of_experts(self) -> dict[str, Any]:
        """Return what follows for a plan that names experts, by field; nothing for any other."""
        if not self.experts:
            return {}
        return {
            "double_share": 1.0,
            "raters": len(self.experts),
            "annotator_cap": None,
            "estimand": Campaign.Estimand.PANEL,
            "crowd": "link",
        }

    @property
    def named_experts(self) -> bool:
        return bool(self.experts)

    @property
    def fee(self) -> Decimal:
        """Return the crowd's fee as a share of what people are paid."""
        return CROWDS[self.crowd].tariff.share if self.fee_rate is None else self.fee_rate


def _amount(most: int) -> Callable[[Decimal], bool]:
    """Return the test of an amount from 0 up to below `most`, in whole cents."""
    return lambda n: _is_below(n, most) and n >= 0 and n == round(Decimal(n), 2)


def _is_below(n: Decimal, most: int) -> bool:
    return Decimal(n).is_finite() and n < most


def _number(least: int, most: int) -> Callable[[int | None], bool]:
    return lambda n: n is None or least <= n <= most


# Of the fields of a plan: the test of a value, and the message for one outside its limits.
LIMITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (
        lambda name: 0 < len(name.strip()) <= LONGEST_NAME,
        f"Give the campaign a name of at most {LONGEST_NAME} characters.",
    ),
    "reward": (
        _amount(MOST_REWARD),
        "The reward lies between 0 and a million, in whole cents.",
    ),
    "tutorial_bonus": (
        _amount(10**4),
        "The bonus for the tutorial lies between 0 and 10,000, in whole cents.",
    ),
    "failed_try_pay": (
        _amount(10**4),
        "The pay for a failed try lies between 0 and 10,000, in whole cents.",
    ),
    "bonus_after": (
        _number(0, MOST_BONUS_AFTER),
        f"The bonus is due with 0 to {MOST_BONUS_AFTER} judgments.",
    ),
    "crowd": (lambda key: key in CROWDS, f"The crowd is one of {', '.join(CROWDS)}."),
    "fee_rate": (
        lambda n: n is None or (_is_below(n, MOST_FEE) and n >= 0),
        "The crowd's fee is a share, such as 0.2 for 20 %.",
    ),
    "budget": (
        lambda n: n is None or (_is_below(n, MOST_BUDGET) and n > 0),
        "The budget must be positive, and below a hundred million.",
    ),
    "max_judgments": (
        _number(1, MOST_COUNT),
        "The maximum number of judgments must be positive.",
    ),
    "level": (lambda n: 0.5 < n < 1, "The confidence level lies between 0.5 and 1."),
    "double_share": (
        lambda n: 0 <= n <= 1,
        "The share of items judged by several people lies between 0 and 1.",
    ),
    "raters": (
        _number(2, MOST_RATERS),
        f"Between 2 and {MOST_RATERS} people judge an item that several people judge.",
    ),
    "annotator_cap": (_number(1, MOST_COUNT), "The cap per annotator must be positive."),
    "people": (
        _number(FEWEST_PEOPLE, MOST_PEOPLE),
        f"The number of people lies between {FEWEST_PEOPLE} and {MOST_PEOPLE:,}.",
    ),
    "lease_minutes": (_number(1, 24 * 60), "A text is reserved for 1 minute to 24 hours."),
    "estimand": (
        lambda name: name in Campaign.Estimand.values,
        f"The estimand is one of {', '.join(Campaign.Estimand.values)}.",
    ),
    "stop_mode": (
        lambda name: name in StopMode.values,
        f"The stopping mode is one of {', '.join(StopMode.values)}.",
    ),
    "planned_items": (_number(1, MOST_COUNT), "The number of planned items must be positive."),
    "gold_share": (
        _number(0, MOST_GOLD),
        f"Of {GOLD_BLOCK} tasks, 0 to {MOST_GOLD} can be gold items.",
    ),
    "seed": (_number(0, MOST_SEED - 1), "The seed lies between 0 and 2^63 − 1."),
    "contact": (
        lambda address: len(address) <= LONGEST_ADDRESS,
        f"An e-mail address has at most {LONGEST_ADDRESS} characters.",
    ),
    "output_form": (
        lambda form: form in ("", *TextForm),
        f"The form of outputs is one of {', '.join(TextForm)}, or empty.",
    ),
    "input_form": (
        lambda form: form in ("", *OF_INPUTS),
        f"The form of inputs is one of {', '.join(OF_INPUTS)}, or empty.",
    ),
    "language": (
        lambda code: 0 < len(code) <= 12,
        "The language is a code such as en or pt-BR.",
    ),
}


def at_most(plan: Plan, planned: int) -> HighestCost:
    """Return the most that `planned` judgments can cost, as the campaign displays it."""
    return cost_of_plan(
        adapters.tariffs_of(plan.crowd, plan.fee),
        reward=plan.reward,
        judgments=min(planned, plan.max_judgments or planned),
        cap=plan.annotator_cap,
        bonus=plan.tutorial_bonus if has_tutorial(plan) else ZERO,
        budget=plan.budget,
        gold_share=plan.gold_share,
        people=plan.raters if plan.named_experts else None,
    )


# What else a plan cannot say where it names experts, by field.
NOT_OF_EXPERTS = {
    "double_share": "Experts who are named judge every item: leave the share of items out.",
    "raters": "As many people judge each item as there are experts: leave their number out.",
    "annotator_cap": "Experts who are named judge everything: leave the cap out.",
    "estimand": "The results are about the experts who are named: choose exactly these annotators.",
    "crowd": "Experts who are named come by links of their own: choose the link.",
    "people": "The people you have are the experts who are named: leave their number out.",
}


def expert_problem(names: Sequence[str]) -> str:
    """Return what is wrong with the names of experts; "" if nothing is."""
    for name in names:
        if len(name) > LONGEST_EXPERT or not can_be_seen(name):
            return f"The name of an expert has 1 to {LONGEST_EXPERT} characters."
    for first, second in combinations(names, 2):
        if are_one(first, second):
            return f"“{first}” and “{second}” are the same name, or look like it."
    return ""


def _expert_problems(plan: Plan) -> dict[str, str]:
    """Return what is wrong with the experts of a plan, and what contradicts them, by field."""
    if not plan.experts:
        return {}
    needed = plan.of_experts()
    found = {name: NOT_OF_EXPERTS[name] for name in needed if getattr(plan, name) != needed[name]}
    if plan.people not in (None, len(plan.experts)):
        found["people"] = NOT_OF_EXPERTS["people"]
    if not 2 <= len(plan.experts) <= MOST_RATERS:
        found["experts"] = f"Name 2 to {MOST_RATERS} experts, or none."
        found.pop("raters", None)
    elif wrong := expert_problem(plan.experts):
        found["experts"] = wrong
    return found


def has_tutorial(plan: Plan) -> bool:
    """Return whether annotators qualify first: the plan asks for it and there is a tutorial."""
    if not plan.tutorial:
        return False
    instrument = studies_queries.named(plan.instrument)
    return plan.tutorial_id is not None or instrument.tutorial(plan.language) is not None


def check(plan: Plan) -> Instrument:
    """Return the plan's instrument, or raise `Invalid` with what to correct in each field."""
    errors: dict[str, str] = {}
    try:
        instrument = studies_queries.named(plan.instrument)
    except KeyError as error:
        raise Invalid({"instrument": str(error.args[0])}) from None
    if not instrument.template and plan.planned is None:
        raise Invalid({"instrument": "Nobody can be asked by it: it holds recorded scores."})
    errors |= _target_problems(plan, instrument.criteria)
    if problem := _tutorial_problem(plan, instrument):
        errors["tutorial_id"] = problem
    if problem := screening_problem(plan.screening):
        errors["screening"] = problem
    if problem := metric_problem(plan.metrics):
        errors["metrics"] = problem
    errors |= public_word_problems(plan.public_title, plan.public_about) | text_problems(plan.texts)
    if plan.double_share > 0 and plan.people is not None and plan.raters > plan.people:
        errors["raters"] = (
            f"You have {many(plan.people, 'person', 'people')}, so {plan.raters} cannot judge one "
            "item. Let fewer judge it, or say that you have more people."
        )
    errors |= {
        name: message for name, (fits, message) in LIMITS.items() if not fits(getattr(plan, name))
    }
    experts = _expert_problems(plan)
    if "experts" in experts:  # not also their number, which follows
        errors.pop("raters", None)
    errors |= experts
    if problem := _gold_problem(plan, instrument):
        errors["gold"] = problem
    if plan.stop_mode == StopMode.RANKING and instrument.ranks:
        errors["stop_mode"] = (
            "People who rank all texts at once rank all systems until the end, so no system leaves "
            "early. Choose target widths, or compare texts in pairs."
        )
    if plan.gold_share and instrument.shows_all:
        errors["gold_share"] = review_gold.NO_GOLD_BESIDE
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
        found = review_gold.problems(
            instrument, review_gold.from_data({"gold": list(plan.gold)}), set()
        )
    except Refused as refused:
        return str(refused)
    return " ".join(f"{name}: {text}" for name, text in found.items())


def _tutorial_problem(plan: Plan, instrument: Instrument) -> str:
    """Return why the researcher's own tutorial cannot be used; "" if it can or none is named."""
    if plan.tutorial_id is None:
        return ""
    try:
        studies_queries.tutorial_of(plan.tutorial_id, instrument)
    except NotFound as error:
        return error.message
    except Refused as refused:
        return f"This tutorial does not fit the instrument: {refused}"
    return ""


# What a comparison of two systems needs of a plan and its file.


MARKED = (
    f"the output contains {instruments_base.MARK.strip()}, which stands between two texts here."
)


def pair_facts(plan: Plan, found: Facts, problems: Problems) -> Facts:
    """Return the facts of every two systems; note the rows that cannot be compared.

    Raises `Invalid` for a file or a plan that compares nothing.
    """
    if found.pairs is None:
        raise Invalid(
            {
                "instrument": f"A comparison takes 2 to {MOST_COMPARED} systems; the file has "
                f"{found.n_systems}."
            }
        )
    if not found.pairs.n_rows:
        raise Invalid(
            {"instrument": "There is nothing to compare: no item has two different texts."}
        )
    for name in plan.metrics:
        metric = find(name)
        if metric is not None and metric.needs == "others":
            raise Invalid(
                {
                    "metrics": f"“{name}” compares a text with those of all other systems. A "
                    "comparison of two takes metrics of one text each."
                }
            )
    pair_names([one.name for one in found.systems])
    marked = found.pairs.marked
    problems.lacking(marked.lines, marked.count, MARKED, found.unit)
    return found.of_pairs(found.pairs)


def ranked_facts(found: Facts) -> Facts:
    """Return the facts of a ranking of all texts of each item, or raise `Invalid`."""
    if not 2 <= found.n_systems <= instruments_base.MOST_RANKED:
        raise Invalid(
            {
                "instrument": "A ranking shows the texts of 2 to "
                f"{instruments_base.MOST_RANKED} systems; the file has {found.n_systems}."
            }
        )
    missing = found.n_items * found.n_systems - found.n_rows
    if missing:
        raise Invalid(
            {
                "instrument": "A ranking shows the texts of all systems; "
                f"{many(missing, 'text is', 'texts are')} missing. Add them, or leave out the "
                "items or the system that they are missing of."
            }
        )
    ranked = found.of_rankings()
    if not ranked.n_items:
        raise Invalid({"instrument": "There is nothing to rank: no item has different texts."})
    return ranked


# The plan of a campaign that exists, as the start of another one.


# What a campaign stores as the plan says.
AS_THEY_ARE = (
    *("tutorial_id", "tutorial_bonus", "bonus_after", "failed_try_pay", "open_link_bonus"),
    *("reward", "crowd", "budget", "max_judgments", "double_share", "raters"),
    *("annotator_cap", "people", "lease_minutes", "estimand", "level", "stop_mode"),
    *("language", "shows_reference", "contact", "gold_share"),
)
# What is taken from the file where the plan leaves it open.
OPEN = ("output_form", "input_form", "shows_input")


def plan_of(campaign: Campaign) -> Plan:
    """Return what was decided for this campaign, for other texts.

    Its deadline has passed or will, its seed belongs to its items, and so do its gold items: these
    three are left out. A usual fee stays the usual one, whichever crowd is chosen then.
    """
    widths, margins = asked(campaign)
    key, version = campaign.instrument, campaign.instrument_version
    is_auto = campaign.metric_choice == MetricChoice.AUTO
    usual_fee = CROWDS[campaign.crowd].tariff.share
    return Plan(
        name=f"Copy of {campaign.name}"[:LONGEST_NAME],
        public_title=campaign.public_title,
        public_about=campaign.public_about,
        planned_items=campaign.planned_items,
        screening=campaign.screening,
        instrument=key if studies_queries.is_built_in(key) else f"{key}@{version}",
        texts=studies_queries.texts_of(campaign),
        tutorial=campaign.tutorial_required,
        fee_rate=None if campaign.fee_rate == usual_fee else campaign.fee_rate,
        metrics=(AUTO,) if is_auto else tuple(campaign.metrics),
        targets=widths,
        margins=margins,
        experts=tuple(experts_of(campaign)),
        **{name: getattr(campaign, name) for name in (*AS_THEY_ARE, *OPEN)},
    )
