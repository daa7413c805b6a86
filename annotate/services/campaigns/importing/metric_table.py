"""A table of metrics, `system,item,metric,value`, added to the rows of a sheet."""

from collections.abc import Iterable

from annotate.services.campaigns.importing import decoding, tables
from annotate.services.campaigns.importing.fields import shown
from annotate.services.campaigns.importing.problems import Problems, RowError, UploadRefused
from annotate.services.campaigns.importing.rows import LONGEST_METRIC, FaultyError
from annotate.services.campaigns.importing.sheet import Sheet

COLUMNS = ["item", "metric", "system", "value"]
UNIT = "metrics file, line"


def add(sheet: Sheet, blocks: Iterable[bytes]) -> None:
    """Add the values to their outputs; raises `UploadRefused` for those that have none."""
    try:
        _encoding, text = decoding.as_utf8(blocks)
        head, text = decoding.head_of(text)
        problems = _values(sheet, tables.header_of(head), text)
    except UploadRefused as refused:
        raise UploadRefused([_of_metrics(error) for error in refused.errors]) from None
    problems.check()


def _values(sheet: Sheet, header: tables.Header, text: Iterable[bytes]) -> Problems:
    names = tuple(name.strip().casefold() for name in header.names)
    if sorted(names) != COLUMNS:
        raise UploadRefused([RowError(1, "the columns must be: system,item,metric,value.")])
    header = tables.Header(names, header.delimiter, header.line)
    problems = Problems()
    for line, cells in tables.records(text, header):
        try:
            if isinstance(cells, RowError):
                problems.add(_of_metrics(cells))
            else:
                _add_value(sheet, cells, comma=header.delimiter == ";")
        except FaultyError as faulty:
            for kind, message in faulty.told:
                problems.add(_of_metrics(RowError(line, message, kind)))
        if problems.full:
            break
    return problems


def _of_metrics(error: RowError) -> RowError:
    return RowError(error.line, error.message, error.kind, UNIT)


def _add_value(sheet: Sheet, cells: dict[str, str], *, comma: bool) -> None:
    metric, text = cells["metric"], cells["value"]
    if not 0 < len(metric) <= LONGEST_METRIC or "\x00" in metric:
        message = f"the name of a metric has 1 to {LONGEST_METRIC} characters, none of them NUL."
        raise FaultyError([("metric name", message)])
    number = tables.number_of(text, comma=comma)
    if number is None:
        raise FaultyError([("value", f"“{shown(text)}” is not a {_lacks(text)}number.")])
    sheet.add_value(cells["system"], cells["item"], metric, number)


def _lacks(text: str) -> str:
    """“finite ”, for what is a number of another kind."""
    try:
        float(text)
    except ValueError:
        return ""
    return "finite "
