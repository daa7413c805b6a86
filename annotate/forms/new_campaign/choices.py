"""The choices of a new campaign (metrics, instruments, tutorials, crowds), and its hints."""

from typing import Any

from annotate.crowds.registry import CROWDS
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import files
from annotate.selectors.studies import instruments, tutorial_contents
from annotate.text.figures import percent
from estimation.metrics import METRICS, Metric

BUILT_IN, NO_TUTORIAL = "built-in", "none"
RECOMMENDED = tuple(one.name for one in METRICS.values() if one.efficiency)
CURRENCY = "In $, or in the currency of the crowd’s account."

HINTS = {
    "language": "A code such as en, de or pt-BR. In German, annotators read German pages.",
    "outputs": "Up to {limit} MB; import larger files on the command line.",
    "name": "For you and your reviewers. Annotators never see it.",
    "public_title": (
        "What they read in place of its name. Empty: a neutral title, such as “Rate short texts”."
    ),
    "instructions": "What people should know in this study beyond the instrument’s instructions. "
    "Shown before they join and beside every task.",
    "consent": "Who does not accept it gets no task. Leave it empty if none is needed.",
    "ethics": "The approval’s number, or why none was needed. Shown under the consent text and in "
    "the report.",
    "background": "Asked once, before the first task, for the report and the export. One question "
    "a line, then its answers: Question? | answer | answer. “I would rather not say” is always "
    "offered, too.",
    "public_about": "What the work is. Empty: the instrument’s own sentence.",
    "metrics_file": "Columns: system,item,metric,value",
    "tutorial_bonus": "Each person gets it once, for passing. {currency}",
    "failed_try_pay": "Once a person, for completing both rounds of the tutorial at reading speed "
    "and passing neither. People by link only. {currency}",
    "bonus_after": "Counting judgments of one person. Due earlier if no more are offered.",
    "fee": "Empty: the usual rate ({fees}). The budget includes it.",
    "reward": "Paid for each judgment; 0 if people are not paid. {currency}",
    "budget": "Fees included. Empty: no limit. {currency}",
    "max_judgments": "Empty: all planned judgments.",
    "deadline": "Empty: none. In {zone}.",
    "annotator_cap": (
        "An interval depends on how many different people were asked. Above 25, its "
        "coverage at the stop is not warranted."
    ),
    "people": "For forecasts and advice. Empty: not known yet; the plan then says what it assumes.",
    "planned_items": (
        "How many would do if you looked only once. Empty: what is usual for these margins. The "
        "ranking is right with any number; with a good one it takes fewest judgments."
    ),
    "gold_share": (
        "Tasks whose right answer you know, mixed in blind. {usual} is usual, 0 is none. They are "
        "paid, and in the cost and the budget. You add them on the campaign’s page Gold before it "
        "opens."
    ),
    "double_share": "To learn how much people disagree.",
    "contact": "Shown to annotators. Optional.",
}


def metrics_offered() -> list[tuple[str, Any]]:
    groups = {
        "nothing": "From the text alone",
        "reference": "Against the references",
        "paragraphs": "Against the inputs",
        "others": "Against the other systems' outputs",
    }
    return [
        (title, [(m.name, _described(m)) for m in METRICS.values() if m.needs == needs])
        for needs, title in groups.items()
    ]


def _described(metric: Metric) -> str:
    """Return the name and description, without remarks in brackets."""
    plain = metric.description.split(" (")[0].split(": ", 1)[-1]
    return f"{metric.name}: {plain.rstrip('.')}"


def instruments_offered() -> list[tuple[str, Any]]:
    """Return the built-in instruments, then the versions of those that researchers defined."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in instruments.listed(None):
        version = "" if one.built_in else f", version {one.instrument.version}"
        group = "Built in" if one.built_in else "Defined by researchers"
        groups.setdefault(group, []).append((one.reference, f"{one.instrument.label}{version}"))
    return list(groups.items())


def tutorials_offered(instrument: Instrument) -> list[tuple[str, str]]:
    """Return the instrument's own tutorial, those that researchers supplied for it, and none."""
    own = (
        "The built-in one" if files.languages(instrument.key) else "None: there is no built-in one"
    )
    supplied = [
        (str(one.id), f"{one.title or 'Without a title'} ({one.language}, number {one.id})")
        for one in tutorial_contents.listed(instrument.key, None)
    ]
    none = (
        [(NO_TUTORIAL, "None: the first task at once")] if files.languages(instrument.key) else []
    )
    return [(BUILT_IN, own), *supplied, *none]


def crowds_offered() -> list[tuple[str, str]]:
    """Return the key and label of each registered crowd."""
    return [(crowd.key, f"{crowd.label}: {crowd.offer}") for crowd in CROWDS.values()]


def usual_fees() -> str:
    """Return the usual fees: `Amazon Mechanical Turk 20 %, Prolific 40 %`."""
    charging = [crowd for crowd in CROWDS.values() if crowd.publishes]
    return ", ".join(f"{one.label} {percent(float(one.tariff.share))}" for one in charging)
