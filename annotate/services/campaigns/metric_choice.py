"""Which automatic metrics a campaign uses: chosen by name or as `auto`, fixed at creation."""

from collections.abc import Sequence

from annotate.errors import Invalid
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.metric_columns import Column, Gap
from annotate.services.campaigns.importing.problems import Problems, RowError
from annotate.services.campaigns.importing.rows import LONGEST_METRIC, range_for
from annotate.services.campaigns.importing.useless import Useless
from annotate.states import MetricChoice
from annotate.text.figures import count, many
from estimation.metrics import Metric, MissingExtraError, available, find, vectors

AUTO = "auto"
MOST_METRICS = 50
# Of one metric, and of several.
_USELESS = {
    Useless.SAME: (
        "has the same value for every output of the file, so it cannot save judgments.",
        "have the same value for every output of the file, so they cannot save judgments.",
    ),
    Useless.OF_SYSTEM: (
        "has the same value for all outputs of each system, so it cannot save judgments.",
        "have the same value for all outputs of each system, so they cannot save judgments.",
    ),
    Useless.NUMBERS_ROWS: (
        "numbers the rows of the file, which says nothing about the outputs.",
        "number the rows of the file, which says nothing about the outputs.",
    ),
    Useless.NUMBERS_ITEMS: (
        "numbers the items of the file, which says nothing about the outputs.",
        "number the items of the file, which says nothing about the outputs.",
    ),
}


def choice(asked: Sequence[str]) -> MetricChoice:
    """Return the kind of choice that was made."""
    if AUTO in asked:
        return MetricChoice.AUTO
    return MetricChoice.NAMED if asked else MetricChoice.NONE


def problem(asked: Sequence[str]) -> str:
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


def given(name: str, facts: Facts) -> Column | None:
    """Return the file's values of a metric, where the file's values are used.

    A loose column is used if the plan names it, but it does not replace a computed metric.
    """
    column = facts.column(name)
    return None if column and column.loose and find(name) else column


def loose(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the names whose values come from loose columns."""
    found = [given(name, facts) for name in names]
    return tuple(column.name for column in found if column and column.loose)


def unused(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Return the metrics that the file has for every output and that `names` does not include."""
    whole = [column.name for column in facts.columns if column.is_whole]
    return tuple(name for name in whole if name not in names and given(name, facts))


def why_useless(name: str, facts: Facts) -> Useless | None:
    """Return why a metric is known to save nothing in this file; None if it may save something."""
    column = given(name, facts)
    if column is not None:
        return column.useless
    return Useless.SAME if name in facts.constant_metrics else None


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
    found: dict[Useless, list[str]] = {}
    for name in names:
        if why := why_useless(name, facts):
            found.setdefault(why, []).append(f"“{name}”")
    return [
        f"{', '.join(found[why])} {one if len(found[why]) == 1 else several}"
        for why, (one, several) in _USELESS.items()
        if why in found
    ]


def averaged(names: Sequence[str], facts: Facts) -> list[str]:
    """Return a sentence for each of these metrics whose values differ for one and the same text."""
    given_here = [column for name in names if (column := given(name, facts)) and column.averaged]
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
    column = given(name, facts)
    metric = None if column else find(name)
    if column:
        gap, message = column.lacking, f"no value of the metric “{name}” for this output."
    elif metric is None:
        problems.add(RowError(0, _unknown(name, facts)))
        return
    else:
        if name.startswith(vectors.PREFIX):
            _check_vectors()
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


def _unknown(name: str, facts: Facts) -> str:
    has = ", ".join(unused((), facts)) or "none"
    return f"The file has no value of the metric “{name}”. Metrics that it has: {has}."


def _check_vectors() -> None:
    try:
        vectors.check_installed()
    except MissingExtraError as error:
        raise Invalid({"metrics": str(error)}) from error
