"""Declared shapes of data that researchers write; what is wrong with such data, in sentences.

A shape is a class of `Declared`. `read` makes one from parsed JSON, or raises `Refused` with every
problem by its path. All shapes share the kinds of text below and the sentences of
`problem_sentences`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, Self, TypeVar

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

from annotate.text import json_text
from annotate.text.json_text import NO_TEXT, storable
from annotate.text.problem_sentences import TOLD, limit, sentence, shown

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
        return json_text.parse(text, text=str)
    except json_text.NotJson as error:
        raise Refused([Problem("", str(error))]) from None


def written(path: Path) -> str:
    """Return a path as people read it, such as `levels[0].cue`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in path)
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
