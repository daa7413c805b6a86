"""Declared shapes of data that people write, and what is wrong with it in plain sentences."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, NoReturn, Self, TypeVar

from django.utils.translation import gettext_noop, ngettext_lazy
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from annotate.common import json
from annotate.common.json import NO_TEXT, storable

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


def problem_sentences_shown(name: str) -> str:
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
    return f"“{problem_sentences_shown(str(given))}” is not {possible}.{hint}"


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


# Declared shapes of data that researchers write; what is wrong with such data, in sentences.
#
# A shape is a class of `Declared`. `read` makes one from parsed JSON, or raises `Refused` with
# every problem by its path. All shapes share the kinds of text below and the sentences
# above.


SLUG = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*\Z")
MOST_PROBLEMS = 100  # of one object
BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
SHORTEST_IDENTIFIER = 30  # characters that every kind of identifier may have
Path = tuple[int | str, ...]
Fault = tuple[Path, str]  # where, beginning at the object that finds it, and what is wrong
T = TypeVar("T")
D = TypeVar("D", bound="Declared")


@dataclass(frozen=True)
class Problem:
    """What is wrong at one path, such as `criteria[1].levels[0].cue`, and what to do."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Refused(ValueError):
    """Data that cannot be what it should; `problems` says where and why."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def errors(self, whole: str) -> dict[str, str]:
        """Return what is wrong by its path; `whole` names what has no path."""
        return {problem.path or whole: problem.message for problem in self.problems}


class Declared(BaseModel):
    """An object whose fields are declared: others are refused, and null is the same as absent.

    `faults` yields what its fields must agree on; it runs where each of them is right.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def faults(self, context: Any) -> Iterator[Fault]:
        """Yield what does not fit together; `context`: what `read` was given."""
        yield from ()

    def completed(self, given: Any, context: Any) -> Self:
        """Return the object as it is used; `given`: the JSON that it was made from."""
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _told(
        cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        known = cls.model_fields
        try:
            made = handler(_prepared(value, known))
        except ValidationError as violations:
            found = [one for one in violations.errors(include_url=False) if _holds(one, value)]
            refuse((one["loc"], sentence(one, value, known)) for one in found[:MOST_PROBLEMS])
        if faults := list(made.faults(info.context)):
            refuse(faults)
        return made.completed(value, info.context)


def read(shape: type[D], value: Any, *, context: Any = None, at: Path = ()) -> D:
    """Return the object that `value` describes, or raise `Refused` with its problems.

    context: what `faults` may need. at: the path of the value in the whole.
    """
    try:
        return shape.model_validate(value, context=context)
    except ValidationError as violations:
        messages: dict[str, str] = {}
        for error in violations.errors(include_url=False):
            messages.setdefault(written((*at, *error["loc"])), error["msg"])
        raise Refused(Problem(path, message) for path, message in messages.items()) from None


def parse(text: str | bytes) -> Any:
    """Return the data of a JSON text, or raise `Refused`; shapes find odd characters in it."""
    try:
        return json.parse_json(text, text=str)
    except json.NotJson as error:
        raise Refused([Problem("", str(error))]) from None


def written(path: Path) -> str:
    """Return a path as people read it, such as `levels[0].cue`."""
    steps = (
        f"[{step}]" if isinstance(step, int) else f".{problem_sentences_shown(step)}"
        for step in path
    )
    return "".join(steps).removeprefix(".")


def fault(message: str) -> PydanticCustomError:
    """Return the error of a field, for its validators to raise."""
    return PydanticCustomError(TOLD, message)


def refuse(faults: Iterable[Fault]) -> NoReturn:
    """Raise the faults of an object, from a validator."""
    errors = [InitErrorDetails(type=fault(told), loc=path, input=None) for path, told in faults]
    raise ValidationError.from_exception_data("", errors)


def distinct(name: str, members: Sequence[Any], what: str) -> Iterator[Fault]:
    """Yield the second of two members of the list `name` that have the same `what`."""
    first: dict[Any, int] = {}
    for number, member in enumerate(members):
        earlier = first.setdefault(getattr(member, what), number)
        if earlier != number:
            yield (name, number, what), f"The same {what} as {name}[{earlier}]."


def without_blank_lines(text: str) -> str:
    """Return a text without the blank lines before it, and the white space after it."""
    return BLANK_LINES.sub("", text.rstrip())


def _storable(text: str) -> str:
    if not storable(text):
        raise fault(NO_TEXT)
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise fault("Is empty.")
    return text


def _slug(text: str) -> str:
    if not SLUG.match(text):
        raise fault("Takes small letters, digits, hyphens and underscores.")
    return text


def _identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise fault(
            "Takes small letters a–z, digits and _, and begins with a letter, such as "
            f"“{identifier_from(text, otherwise='helpful')}”."
        )
    return text


def identifier_from(text: str, *, otherwise: str = "") -> str:
    """Return an identifier made of a text's words; `otherwise` where it has no Latin letters."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    name = "_".join(words).lstrip("0123456789_")[:SHORTEST_IDENTIFIER]
    return name.rstrip("_") or otherwise


# Kinds of text; each field declares its limit. An indented text keeps the space before its first
# words, which code may have; an exact one keeps all white space.
_Any = Annotated[str, AfterValidator(_storable)]
Exact = Annotated[_Any, AfterValidator(_filled)]
Text = Annotated[Exact, AfterValidator(str.strip)]
Indented = Annotated[Exact, AfterValidator(without_blank_lines)]
OptionalText = Annotated[_Any, AfterValidator(str.strip)]
OptionalIndented = Annotated[_Any, AfterValidator(without_blank_lines)]
Slug = Annotated[Text, AfterValidator(_slug)]
Identifier = Annotated[Text, AfterValidator(_identifier)]
Several = Annotated[tuple[T, ...], Field(strict=False)]  # of a list, which strictly is no tuple


def _prepared(value: Any, known: Mapping[str, FieldInfo]) -> Any:
    """Leave out what is null, and most of a list that is far too long: it is refused as it is."""
    if not isinstance(value, dict):
        return value
    prepared = dict(value)
    for name, field in known.items():
        given, most = value.get(name), limit(field, "max_length")
        if given is None:
            prepared.pop(name, None)
        elif isinstance(given, list) and most is not None:
            prepared[name] = given[: most + 1]
    return prepared


def _holds(error: ErrorDetails, given: Any) -> bool:
    """Return False for a list that is too short only without its faulty members."""
    if error["type"] != "too_short":
        return True
    return len(given[error["loc"][0]]) < int(error["ctx"]["min_length"])


# The sentences of Django and DRF about a field that was filled in wrongly, in no order.
#
# What we say instead stands in the catalogues, `locale/en` too: a sentence of a framework is
# translated into English as into German. They are named here so that `make messages` keeps them.


SENTENCES = (
    gettext_noop("This field is required."),
    gettext_noop("Enter a whole number."),
    gettext_noop("Enter a number."),
    gettext_noop("Enter a valid date."),
    gettext_noop("Enter a valid time."),
    gettext_noop("Enter a valid date/time."),
    gettext_noop("Enter a valid URL."),
    gettext_noop("Enter a valid email address."),
    gettext_noop("Enter a valid value."),
    gettext_noop("Enter a valid JSON."),
    gettext_noop("Enter a valid UUID."),
    gettext_noop("Enter a list of values."),
    gettext_noop("Enter a complete value."),
    gettext_noop("Ensure this value is less than or equal to %(limit_value)s."),
    gettext_noop("Ensure this value is greater than or equal to %(limit_value)s."),
    gettext_noop("Ensure this value is a multiple of step size %(limit_value)s."),
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
    ),
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit in total.",
        "Ensure that there are no more than %(max)s digits in total.",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s decimal place.",
        "Ensure that there are no more than %(max)s decimal places.",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit before the decimal point.",
        "Ensure that there are no more than %(max)s digits before the decimal point.",
    ),
    gettext_noop("Null characters are not allowed."),
    gettext_noop("No file was submitted. Check the encoding type on the form."),
    gettext_noop("No file was submitted."),
    gettext_noop("The submitted file is empty."),
    ngettext_lazy(
        "Ensure this filename has at most %(max)d character (it has %(length)d).",
        "Ensure this filename has at most %(max)d characters (it has %(length)d).",
    ),
    gettext_noop("Please either submit a file or check the clear checkbox, not both."),
    gettext_noop("Select a valid choice. %(value)s is not one of the available choices."),
    gettext_noop("Select a valid choice. That choice is not one of the available choices."),
    gettext_noop("“%(pk)s” is not a valid value."),
    gettext_noop("The two password fields didn’t match."),
    gettext_noop("Your old password was entered incorrectly. Please enter it again."),
    gettext_noop("This account is inactive."),
    gettext_noop(
        "Please enter a correct %(username)s and password. Note that both fields may be "
        "case-sensitive."
    ),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("This password is too common."),
    gettext_noop("This password is entirely numeric."),
    gettext_noop("This field may not be null."),
    gettext_noop("Must be a valid boolean."),
    gettext_noop("Not a valid string."),
    gettext_noop("This field may not be blank."),
    gettext_noop("Ensure this field has no more than {max_length} characters."),
    gettext_noop("Ensure this field has at least {min_length} characters."),
    gettext_noop("This value does not match the required pattern."),
    gettext_noop("Must be a valid UUID."),
    gettext_noop("A valid integer is required."),
    gettext_noop("A valid number is required."),
    gettext_noop("Ensure this value is less than or equal to {max_value}."),
    gettext_noop("Ensure this value is greater than or equal to {min_value}."),
    gettext_noop("String value too large."),
    gettext_noop("Integer value too large to convert to float"),
    gettext_noop("Ensure that there are no more than {max_digits} digits in total."),
    gettext_noop("Ensure that there are no more than {max_decimal_places} decimal places."),
    gettext_noop(
        "Ensure that there are no more than {max_whole_digits} digits before the decimal point."
    ),
    gettext_noop("Datetime has wrong format. Use one of these formats instead: {format}."),
    gettext_noop("Expected a datetime but got a date."),
    gettext_noop('Invalid datetime for the timezone "{timezone}".'),
    gettext_noop("Datetime value out of range."),
    gettext_noop("Date has wrong format. Use one of these formats instead: {format}."),
    gettext_noop("Expected a date but got a datetime."),
    gettext_noop('"{input}" is not a valid choice.'),
    gettext_noop('Expected a list of items but got type "{input_type}".'),
    gettext_noop("This list may not be empty."),
    gettext_noop("This selection may not be empty."),
    gettext_noop("Ensure this field has no more than {max_length} elements."),
    gettext_noop("Ensure this field has at least {min_length} elements."),
    gettext_noop('Expected a dictionary of items but got type "{input_type}".'),
    gettext_noop("This dictionary may not be empty."),
    gettext_noop("Value must be valid JSON."),
    gettext_noop("Invalid data. Expected a dictionary, but got {datatype}."),
    gettext_noop("The submitted data was not a file. Check the encoding type on the form."),
    gettext_noop("No filename could be determined."),
    gettext_noop("Ensure this filename has at most {max_length} characters (it has {length})."),
    gettext_noop("Surrogate characters are not allowed: U+{code_point:X}."),
    gettext_noop("This field must be unique."),
)
