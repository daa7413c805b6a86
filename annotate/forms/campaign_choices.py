"""What the form of a new campaign offers: metrics, instruments, tutorials; and its hints."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from annotate.crowds.registry import CROWDS
from annotate.instruments.base import Criterion, Instrument
from annotate.instruments.tutorials import files
from annotate.selectors.studies import instruments, tutorial_contents
from annotate.text.figures import percent
from estimation.metrics import METRICS, Metric

BUILT_IN, NO_TUTORIAL = "built-in", "none"


HINTS = {
    "language": "A code such as en, de or pt-BR. In German, annotators read German pages.",
    "outputs": "Up to {limit} MB; larger files go through the command line.",
    "name": "For you and your reviewers. Annotators never see it.",
    "public_title": "What they read instead. Empty: a neutral one, such as “Rate short texts”.",
    "public_about": "What the work is. Empty: what the instrument says of itself.",
    "metric_columns": (
        "Names separated by commas, such as comet, judge. The preview offers those of the file."
    ),
    "metrics_file": "Columns: system,item,metric,value",
    "tutorial_bonus": "Once to each person: passing promises it.",
    "bonus_after": "Of one person, and that count. It is due earlier if no more are offered.",
    "fee": "Empty: what it usually is ({fees}). The budget reckons with it.",
    "reward": "Paid for each judgment.",
    "budget": "Fees included. Empty: no limit.",
    "max_judgments": "Empty: all that are planned.",
    "deadline": "Empty: none. In {zone}.",
    "annotator_cap": (
        "An interval rests on how many different people were asked; above 25 its "
        "coverage at the stop is not warranted."
    ),
    "double_share": "To learn how much people disagree.",
    "contact": "Shown to annotators; may stay empty.",
}


def metrics_offered() -> list[tuple[str, Any]]:
    groups = {
        "nothing": "From the text alone",
        "reference": "Against the references",
        "paragraphs": "Against the inputs",
    }
    return [
        (title, [(m.name, _described(m)) for m in METRICS.values() if m.needs == needs])
        for needs, title in groups.items()
    ]


def _described(metric: Metric) -> str:
    """The name, and what it is without the remarks in brackets."""
    plain = metric.description.split(" (")[0].split(": ", 1)[-1]
    return f"{metric.name}: {plain.rstrip('.')}"


def instruments_offered() -> list[tuple[str, Any]]:
    """Those built in, then the versions of each one that researchers defined."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in instruments.listed(None):
        version = "" if one.built_in else f", version {one.instrument.version}"
        group = "Built in" if one.built_in else "Defined by researchers"
        groups.setdefault(group, []).append((one.reference, f"{one.instrument.label}{version}"))
    return list(groups.items())


def tutorials_offered(instrument: Instrument) -> list[tuple[str, str]]:
    """The instrument's own, those that researchers supplied for it, and none."""
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


def main_criterion(instrument: Instrument) -> Criterion:
    """Return the criterion whose target has a default: `overall`, or the first."""
    named = [criterion for criterion in instrument.criteria if criterion.name == "overall"]
    return (named or list(instrument.criteria))[0]


def split_names(names: str) -> list[str]:
    """Names between commas or on lines; one that contains a comma stands in quotation marks."""
    line = ",".join(names.splitlines())
    cells = next(csv.reader([line], skipinitialspace=True), [])
    return [name.strip() for name in cells if name.strip()]


def joined_names(names: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue().replace(",", ", ") if '"' not in line.getvalue() else line.getvalue()


def crowds_offered() -> list[tuple[str, str]]:
    """Return the key of each registered crowd, and what it offers."""
    return [(crowd.key, f"{crowd.label}: {crowd.offer}") for crowd in CROWDS.values()]


def usual_fees() -> str:
    """Return the usual fees: `Amazon Mechanical Turk 20 %, Prolific 40 %`."""
    charging = [crowd for crowd in CROWDS.values() if crowd.publishes]
    return ", ".join(f"{one.label} {percent(float(one.tariff.share))}" for one in charging)
