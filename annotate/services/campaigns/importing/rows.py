"""The schema of one row, and the messages about rows that do not fit it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic import ValidationError as Violations
from pydantic_core import ErrorDetails, PydanticCustomError

from annotate.services.campaigns.importing.fields import REQUIRED, looks_like, shown
from annotate.services.campaigns.importing.json_values import Constant
from annotate.services.campaigns.importing.problems import Row

MOST_PARAGRAPHS = 10
LONGEST_METRIC = 60

Told = tuple[str, str]  # kind, message


def _no_nul(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError("nul", "a NUL character")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "nothing but space")
    return text


NO_NUL = AfterValidator(_no_nul)  # after the limits, which apply to plain text only
Item = Annotated[str, Field(strict=True, min_length=1, max_length=120), NO_NUL]
System = Annotated[str, Field(strict=True, min_length=1, max_length=80), NO_NUL]
Text = Annotated[str, Field(strict=True, max_length=50_000), NO_NUL]
Input = Annotated[str, Field(strict=True, max_length=200_000), NO_NUL]
Group = Annotated[str, Field(strict=True, max_length=120), NO_NUL]
Paragraph = Annotated[
    str, Field(strict=True, max_length=20_000), NO_NUL, AfterValidator(_not_blank)
]
Paragraphs = Annotated[list[Paragraph], Field(strict=True, max_length=MOST_PARAGRAPHS)]
MetricName = Annotated[str, Field(min_length=1, max_length=LONGEST_METRIC), NO_NUL]
LARGEST = 1e100  # what is larger is a mistake, and its square may be infinite
RANGE = "between −10^100 and 10^100"
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]


class _Output(BaseModel):
    """One output of one system for one item, as read from a file."""

    model_config = ConfigDict(extra="ignore")

    item: Item
    system: System
    output: Text
    reference: Text = ""
    input: Input = ""
    paragraphs: Paragraphs = []
    group: Group = ""
    metrics: dict[MetricName, Number] = {}


_read = _Output.__pydantic_validator__.validate_python


class FaultyError(ValueError):
    """A row that cannot be imported. `told` holds one message per fault."""

    def __init__(self, told: Iterable[Told]) -> None:
        self.told = list(told)
        super().__init__("; ".join(message for _kind, message in self.told))


def row_of(known: Mapping[str, Any], line: int, unknown: Iterable[str] = ()) -> Row:
    """Return the row, or raise `FaultyError`.

    unknown: names in the record that may be misspelt fields.
    """
    try:
        read = _read(_prepared(known))
    except Violations as violations:
        raise FaultyError(_told(violations, unknown)) from None
    return Row(
        item=read.item,
        system=read.system,
        output=read.output,
        reference=read.reference,
        input=read.input,
        paragraphs=tuple(read.paragraphs),
        group=read.group.strip(),
        metrics=read.metrics,
        line=line,
    )


def _prepared(known: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out nulls, which mean the same as absent; whole numbers of items become text."""
    fields = {name: value for name, value in known.items() if value is not None}
    metrics = fields.get("metrics")
    for name in ("item", "group"):
        if isinstance(number := fields.get(name), int) and not isinstance(number, bool):
            fields[name] = str(number)
    if isinstance(metrics, dict) and None in metrics.values():
        fields["metrics"] = {name: value for name, value in metrics.items() if value is not None}
    return fields


def _told(violations: Violations, unknown: Iterable[str]) -> Iterator[Told]:
    for error in violations.errors(include_url=False):
        name, *inside = error["loc"]
        if name == "metrics" and inside:
            yield _of_metric(error, str(inside[0]), of_name=inside[-1] == "[key]")
        elif name == "paragraphs":
            yield _of_paragraphs(error)
        else:
            yield f"{name} {error['type']}", _of_text(error, str(name), unknown)


def _of_text(error: ErrorDetails, name: str, unknown: Iterable[str]) -> str:
    if error["type"] in ("missing", "string_too_short"):
        close = looks_like(name, unknown) if name in REQUIRED else ""
        hint = f" Did you mean “{shown(close)}”? Then rename it to “{name}”." if close else ""
        return f"“{name}” is missing.{hint}"
    if error["type"] == "dict_type":
        return '“metrics” must be an object of numbers, such as {"comet": 0.71}.'
    return _of_string(error, name) or f"“{name}” must be text."


def _of_string(error: ErrorDetails, name: str) -> str:
    """Return what is wrong with a text; "" where the value is not a text."""
    if error["type"] == "string_too_long":
        return f"“{name}” is longer than {error['ctx']['max_length']:,} characters."
    if error["type"] == "nul":
        return f"“{name}” contains a NUL character, which no text has."
    if error["type"] == "string_unicode":
        return f"“{name}” contains an incomplete character (a lone surrogate such as \\ud800)."
    return ""


def _of_paragraphs(error: ErrorDetails) -> Told:
    if error["type"] == "too_long":
        return "paragraphs many", f"more than {MOST_PARAGRAPHS} paragraphs."
    if error["type"] == "blank":
        return "paragraphs blank", "a paragraph is empty."
    message = _of_string(error, "paragraphs") or "“paragraphs” must be a list of texts."
    return f"paragraphs {error['type']}", message


def _of_metric(error: ErrorDetails, name: str, *, of_name: bool) -> Told:
    value = error["input"]
    if of_name and error["type"] in ("string_too_short", "string_too_long"):
        message = f"the name of a metric has 1 to {LONGEST_METRIC} characters."
    elif of_name:
        message = "the name of a metric contains a character that no text has."
    elif isinstance(value, Constant):
        message = f"{value.name} is not a number. Leave the metric out, or correct it."
    elif isinstance(value, int | float) and not isinstance(value, bool):
        message = f"metric “{shown(name)}” is not {RANGE}."
    else:
        message = f"metric “{shown(name)}” is not a number."
    return f"metric {error['type']}", message


def range_for(text: str) -> str:
    """Return what “no number” lacks: the range, where the text is a number or NaN; else ""."""
    try:
        float(text)
    except ValueError:
        return ""
    return f" {RANGE}"
