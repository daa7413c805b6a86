"""Which automatic metrics a campaign uses: asked for by name or as `auto`, fixed at creation."""

from collections.abc import Iterator, Sequence

from annotate.errors import Invalid
from annotate.services.upload import LONGEST_METRIC, MOST_ERRORS, Row, RowError, UploadRefused
from annotate.states import MetricChoice
from estimation.metrics import MissingExtraError, available, find, vectors

AUTO = "auto"
MOST_METRICS = 50


def choice(asked: Sequence[str]) -> MetricChoice:
    """Return what was asked for, in one word."""
    if AUTO in asked:
        return MetricChoice.AUTO
    return MetricChoice.NAMED if asked else MetricChoice.NONE


def problem(asked: Sequence[str]) -> str:
    """Return what is wrong with the names themselves, whatever the rows are; "" if nothing."""
    if AUTO in asked and len(asked) > 1:
        return "“auto” takes every metric there is: name it alone."
    if len(set(asked)) < len(asked):
        return "A metric is named twice."
    if len(asked) > MOST_METRICS:
        return f"At most {MOST_METRICS} metrics; the more, the later they help."
    if not all(name.strip() and len(name) <= LONGEST_METRIC for name in asked):
        return f"The name of a metric has at least one and at most {LONGEST_METRIC} characters."
    return ""


def resolve(asked: Sequence[str], rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names that the campaign keeps; `auto` becomes all that every row can have.

    Raises `UploadRefused` where a named metric cannot be had for every row, `Invalid` for
    sentence vectors without the package that makes them.
    """
    if AUTO in asked:
        return _all_there_are(rows)
    for name in asked:
        errors = list(_missing(name, rows))
        if errors:
            raise UploadRefused(errors[:MOST_ERRORS], more=len(errors) > MOST_ERRORS)
    return tuple(asked)


def _all_there_are(rows: Sequence[Row]) -> tuple[str, ...]:
    """Computed metrics first, then the file's own columns, but for those with gaps."""
    mentioned = set().union(*(row.metrics for row in rows))
    whole = set.intersection(*(set(row.metrics) for row in rows)) if rows else set()
    computed = available(
        has_reference=all(row.reference for row in rows),
        has_paragraphs=all(row.whole_input.strip() for row in rows),
    )
    names = [metric.name for metric in computed if metric.name not in mentioned]
    return (*names, *sorted(whole))[:MOST_METRICS]


def _missing(name: str, rows: Sequence[Row]) -> Iterator[RowError]:
    """The rows that this metric cannot be had for, given values before computed ones."""
    given = any(name in row.metrics for row in rows)
    metric = None if given else find(name)
    if metric is not None and name.startswith(vectors.PREFIX):
        _check_vectors()
    for row in rows:
        if metric is None and name not in row.metrics:
            yield RowError(row.line, f"no value of the metric “{name}” for this output.")
        elif metric is not None and metric.needs == "reference" and not row.reference:
            yield RowError(row.line, f"no reference, which {name} needs.")
        elif metric is not None and metric.needs == "paragraphs" and not row.whole_input.strip():
            yield RowError(row.line, f"no input, whose paragraphs {name} needs.")


def _check_vectors() -> None:
    try:
        vectors.check_installed()
    except MissingExtraError as error:
        raise Invalid({"metrics": str(error)}) from error
