"""What is wrong with a value that does not fit its declaration, in one plain sentence."""

import re
from collections.abc import Iterable, Mapping, Sized
from difflib import get_close_matches
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from annotate.text.json_text import NO_TEXT

TOLD = "told"  # the type of an error whose message is a sentence already
PLAIN = {
    "string_type": "Must be text.",
    "string_unicode": NO_TEXT,
    "bool_type": "Must be true or false.",
    "dict_type": "Must be an object {…}.",
    "model_type": "Must be an object {…}.",
    "tuple_type": "Must be a list.",
}
LENGTHS = ("too_long", "too_short")
NUMBERS = ("int_type", "float_type", "finite_number", "greater_than_equal", "less_than_equal")
QUOTED = re.compile(r"'([^']*)'")


def sentence(error: ErrorDetails, given: Any, known: Mapping[str, FieldInfo]) -> str:
    """Return the sentence of an error in `given`, which should be an object of these fields."""
    kind, path, value = error["type"], error["loc"], error["input"]
    if kind in PLAIN:
        return PLAIN[kind]
    if kind == "extra_forbidden":
        return f"Unknown field.{suggestion(str(path[-1]), sorted(known))}"
    if kind == "literal_error":
        return _not_one_of(value, error["ctx"]["expected"])
    if kind in ("string_too_long", "too_long") and isinstance(value, str):
        return f"Has {len(value):,} characters; at most {error['ctx']['max_length']:,} fit."
    field = known.get(str(path[0])) if len(path) == 1 else None
    if kind in NUMBERS:
        return _number(field, whole=kind == "int_type")
    if field is None or kind == TOLD:
        return error["msg"]
    return _of_field(error, given[path[0]] if kind in LENGTHS else (), field)


def _of_field(error: ErrorDetails, members: Sized, field: FieldInfo) -> str:
    if error["type"] == "missing":
        return f"Missing. {field.description}" if field.description else "Missing."
    return _members(len(members), field) if error["type"] in LENGTHS else error["msg"]


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return “ Did you mean …?” where one of the known names is close, else ""."""
    close = get_close_matches(name[:80], list(known), n=1)
    return f" Did you mean “{close[0]}”?" if close else ""


def shown(name: str) -> str:
    """Return the beginning of a name, with a mark for what no text has."""
    return name[:80].encode(errors="replace").decode()


def limit(field: FieldInfo | None, name: str) -> Any:
    """Return a limit that a field declares, such as "ge"; None where it has none."""
    limits = (getattr(one, name, None) for one in (field.metadata if field else ()))
    return next((limit for limit in limits if limit is not None), None)


def _not_one_of(given: Any, expected: str) -> str:
    """`expected`: the names as pydantic writes them, such as "'edit' or 'evidence'"."""
    names = QUOTED.findall(expected)
    possible = QUOTED.sub(r"“\1”", expected)
    hint = suggestion(given, names) if isinstance(given, str) else ""
    return f"“{shown(str(given))}” is not {possible}.{hint}"


def _members(number: int, field: FieldInfo) -> str:
    fewest, most = limit(field, "min_length"), limit(field, "max_length")
    span = f"{fewest} to {most}" if fewest else f"at most {most}"
    what = "member" if number == 1 else "members"
    return f"Has {number:,} {what}; {span} are possible."


def _number(field: FieldInfo | None, *, whole: bool) -> str:
    what = "a whole number" if whole or (field and field.annotation is int) else "a number"
    least, most = limit(field, "ge"), limit(field, "le")
    if least is None or most is None:
        return f"Must be {what}."
    return f"Must be {what} from {_figure(least)} to {_figure(most)}."


def _figure(number: float) -> str:
    figure = f"{number:,.10f}".rstrip("0").rstrip(".")
    return figure.replace("-", "−")
