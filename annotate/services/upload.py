"""Reading what a researcher uploads: JSON lines, checked whole, with line numbers.

One line per system output: `item`, `system`, `output`, and optionally `reference`, `input`,
`paragraphs` (a list of texts), `metrics` (an object of numbers). Nothing is stored here;
`ingest` takes the checked rows.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from annotate.instruments.base import whole_input

REQUIRED = ("item", "system", "output")
OPTIONAL = ("reference", "input", "paragraphs", "metrics")
MOST_PARAGRAPHS = 10
MOST_ERRORS = 50
LONGEST_METRIC = 60
LONGEST = {"item": 120, "system": 80, "output": 50_000, "reference": 50_000, "input": 200_000}
LONGEST_PARAGRAPH = 20_000


@dataclass(frozen=True)
class Row:
    """One output of one system for one item."""

    item: str
    system: str
    output: str
    reference: str = ""
    input: str = ""
    paragraphs: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    line: int = field(default=0, compare=False)  # where it stood in the file

    @property
    def whole_input(self) -> str:
        return whole_input(self.input, self.paragraphs)


@dataclass(frozen=True)
class RowError:
    """What is wrong on one line (0: the file as a whole), and what to do."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class UploadRefused(ValueError):
    """The file as it is cannot be imported; nothing was."""

    def __init__(self, errors: list[RowError], *, more: bool = False) -> None:
        shown = "\n".join(str(error) for error in errors)
        tail = f"\n(only the first {MOST_ERRORS} errors are shown)" if more else ""
        super().__init__(shown + tail)
        self.errors = errors
        self.more = more


@dataclass
class _Reading:
    """What has been seen so far, for checks between lines."""

    rows: list[Row] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)
    first_line: dict[tuple[str, str], int] = field(default_factory=dict)
    of_item: dict[tuple[str, str], tuple[Any, int]] = field(default_factory=dict)


def read(lines: Iterable[bytes]) -> list[Row]:
    """Return the rows of a UTF-8 JSON-lines file, or raise `UploadRefused` with every error.

    Streams: one line is held at a time beside the rows themselves.
    """
    reading = _Reading()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            _read_line(line, number, reading)
        if len(reading.errors) > MOST_ERRORS:
            raise UploadRefused(reading.errors[:MOST_ERRORS], more=True)
    if not reading.rows and not reading.errors:
        reading.errors.append(
            RowError(0, "The file is empty. It needs one JSON object a line, one for each output.")
        )
    if reading.errors:
        raise UploadRefused(reading.errors)
    return reading.rows


def _read_line(line: bytes, number: int, reading: _Reading) -> None:
    try:
        row = _row(_object(line, first=number == 1), number)
        _check_against_others(row, number, reading)
    except ValueError as problem:
        reading.errors.append(RowError(number, str(problem)))
    else:
        reading.rows.append(row)


def _object(line: bytes, *, first: bool) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"not UTF-8 at byte {error.start + 1}. Save the file with the encoding UTF-8."
        ) from None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}.") from None
    except RecursionError:
        raise ValueError("not such an object: it is nested far too deep.") from None
    if not isinstance(value, dict):
        raise ValueError(
            'not an object. Each line looks like {"item": …, "system": …, "output": …}.'
        )
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number. Leave the metric out, or correct it.")


def _row(value: dict[str, Any], line: int) -> Row:
    for name in value:
        if name not in REQUIRED + OPTIONAL:
            close = get_close_matches(name, REQUIRED + OPTIONAL, n=1)
            hint = f" Did you mean “{close[0]}”?" if close else ""
            shown = name[:80].encode(errors="replace").decode()
            raise ValueError(f"unknown field “{shown}”.{hint}")
    texts = {name: _text(value, name) for name in (*REQUIRED, "reference", "input")}
    return Row(
        **texts,
        paragraphs=_paragraphs(value.get("paragraphs", [])),
        metrics=_metrics(value.get("metrics", {})),
        line=line,
    )


def _paragraphs(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ValueError("“paragraphs” must be a list of texts.")
    if len(given) > MOST_PARAGRAPHS:
        raise ValueError(f"more than {MOST_PARAGRAPHS} paragraphs.")
    for one in given:
        if not one.strip():
            raise ValueError("a paragraph is empty.")
        _check_text(one, "paragraphs", LONGEST_PARAGRAPH)
    return tuple(given)


def _text(value: dict[str, Any], name: str) -> str:
    given = value.get(name)
    if given is None or given == "":
        if name in REQUIRED and (given is None or name != "output"):
            raise ValueError(f"“{name}” is missing.")
        return ""
    if name == "item" and isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    if not isinstance(given, str):
        raise ValueError(f"“{name}” must be text.")
    _check_text(given, name, LONGEST[name])
    return given


def _check_text(given: str, name: str, longest: int) -> None:
    if len(given) > longest:
        raise ValueError(f"“{name}” is longer than {longest:,} characters.")
    if "\x00" in given:
        raise ValueError(f"“{name}” contains a NUL character, which no text has.")
    if not _encodable(given):
        raise ValueError(f"“{name}” contains half a character (a lone surrogate such as \\ud800).")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _metrics(given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        raise ValueError('“metrics” must be an object of numbers, such as {"comet": 0.71}.')
    for name, number in given.items():
        _check_metric_name(name)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"metric “{name}” is not a number.")
        if not _finite(number):
            raise ValueError(f"metric “{name}” is not finite.")
    return {name: float(number) for name, number in given.items()}


def _check_metric_name(name: str) -> None:
    if not 0 < len(name) <= LONGEST_METRIC:
        raise ValueError(f"the name of a metric has 1 to {LONGEST_METRIC} characters.")
    if "\x00" in name or not _encodable(name):
        raise ValueError("the name of a metric contains a character that no text has.")


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number beyond every float
        return False


def _check_against_others(row: Row, number: int, reading: _Reading) -> None:
    pair = (row.item, row.system)
    if pair in reading.first_line:
        raise ValueError(
            f"system “{row.system}” already has an output for item “{row.item}” "
            f"on line {reading.first_line[pair]}. Keep one of them."
        )
    reading.first_line[pair] = number
    for name in ("reference", "input", "paragraphs"):
        given = getattr(row, name)
        before, line = reading.of_item.setdefault((row.item, name), (given, number))
        if given != before:
            raise ValueError(
                f"another {name} for item “{row.item}” than on line {line}. "
                "All outputs of an item share one."
            )


def read_metrics(lines: Iterable[bytes], rows: list[Row]) -> list[Row]:
    """Return `rows` with the values of a CSV file `system,item,metric,value` added.

    Raises `UploadRefused` for unknown outputs, values that are no numbers, and duplicates.
    """
    by_pair = {(row.system, row.item): row for row in rows}
    errors: list[RowError] = []
    for number, record in _csv(lines):
        try:
            _add_value(record, by_pair)
        except ValueError as problem:
            errors.append(RowError(number, str(problem)))
        if len(errors) > MOST_ERRORS:
            raise UploadRefused(errors[:MOST_ERRORS], more=True)
    if errors:
        raise UploadRefused(errors)
    return rows


def _csv(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, str]]]:
    import csv

    try:
        reader = csv.DictReader(line.decode("utf-8-sig") for line in lines)
        if sorted(reader.fieldnames or []) != ["item", "metric", "system", "value"]:
            raise UploadRefused([RowError(1, "The columns must be: system,item,metric,value.")])
        for record in reader:
            yield reader.line_num, record
    except UnicodeDecodeError:
        raise UploadRefused([RowError(0, "The metrics file is not UTF-8.")]) from None
    except csv.Error as error:
        raise UploadRefused([RowError(0, f"The metrics file is not CSV: {error}.")]) from None


def _add_value(record: dict[str, str], by_pair: dict[tuple[str, str], Row]) -> None:
    if None in record or None in record.values():
        raise ValueError("not four columns.")
    row = by_pair.get((record["system"], record["item"]))
    if row is None:
        raise ValueError(
            f"there is no output of system “{record['system']}” for item “{record['item']}”."
        )
    name = record["metric"]
    _check_metric_name(name)
    if name in row.metrics:
        raise ValueError(f"metric “{name}” of this output was given twice.")
    try:
        number = float(record["value"])
    except (TypeError, ValueError):
        raise ValueError(f"“{record['value']}” is not a number.") from None
    if not math.isfinite(number):
        raise ValueError(f"“{record['value']}” is not a finite number.")
    row.metrics[name] = number
