"""What is wrong with a file, the names of its fields, and its bytes as text, lines and values."""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from typing import Any

from annotate.common.numbers import count, series
from annotate.instruments.base import input_as_text

REQUIRED = ("item", "system", "output")
OPTIONAL = ("reference", "input", "paragraphs", "group", "metrics")
FIELDS = REQUIRED + OPTIONAL
# What columns may be beside our fields: chats with an output each, the outputs of a system each.
CHAT, SYSTEMS, NUMBERS, UNUSED = "chat", "systems", "numbers", "unused"
METRIC = "metrics."  # the prefix of a column that holds a metric
MOST_UNKNOWN = 50  # unknown names that are reported; a file may have a new one on every line
MOST_SHAPES = 100
MOST_FIELDS = 1000  # per record
MANY_FIELDS = f"more than {MOST_FIELDS:,} fields."
SHOWN_FIELDS = 60  # characters of a name that comes from the file
LONGEST_COLUMN = 200  # characters of a name that somebody types

_USUAL = {
    "item": "itemid itemkey id docid documentid articleid exampleid sampleid sourceid questionid "
    "qid promptid segmentid segid index key",
    "system": "systemid systemname model modelid modelname engine llm",
    "output": "outputtext systemoutput modeloutput modelresponse generated generatedtext "
    "generation generations summary answer response prediction predicted hypothesis candidate "
    "completion translation",
    "reference": "references ref referencetext gold goldsummary goldanswer target groundtruth",
    "input": "inputtext source sourcetext src document article question query prompt context",
    "paragraphs": "passages",
    "group": "groupid cluster clusterid dialogueid dialogid conversationid threadid",
    "metrics": "scores",
}
USUAL = {alias: name for name, aliases in _USUAL.items() for alias in aliases.split()}


class AmbiguousError(ValueError):
    """Several fields could be the same required one."""


@dataclass
class FieldNames:
    """Sorts the fields of records and collects the messages about their names.

    columns: which column is which, where somebody said so, or the names of files do: one of them
    by our name, or `CHAT`; several as `SYSTEMS`, `NUMBERS` or `UNUSED`. said: somebody did.
    """

    columns: Mapping[str, Any] = field(default_factory=dict)
    said: bool = True
    read_as: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    unclear: dict[str, tuple[str, ...]] = field(default_factory=dict)  # optional field -> names
    # By the names of a record: ours by the file's, and the unknown ones.
    _shapes: dict[tuple[str, ...], tuple[dict[str, str], list[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.named: dict[str, str] = {
            ours: self.columns[ours] for ours in FIELDS if ours in self.columns
        }
        self.systems: list[str] = list(self.columns.get(SYSTEMS, ()))
        self.unused = set(self.columns.get(UNUSED, ()))
        # They are none of our fields, whatever they are called.
        self.others = {*self.systems, *self.unused, *self.columns.get(NUMBERS, ())}
        if chat := self.columns.get(CHAT):
            self.others.add(chat)

    def sort(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the known fields under our names, and the unknown ones.

        Raises `AmbiguousError` where several fields could be the same required one.
        """
        names = tuple(record)
        if names not in self._shapes:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            self._shapes[names] = self._shape(names)
        shape, unknown = self._shapes[names]
        known = {ours: record[theirs] for theirs, ours in shape.items()}
        return known, {name: record[name] for name in unknown}

    def _shape(self, names: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
        ours: dict[str, str] = {}
        for wanted in FIELDS:
            found = self.candidates(wanted, names)
            if len(found) == 1:
                ours[found[0]] = wanted
            elif found and wanted in REQUIRED:
                both = " and ".join(f"“{fields_shown(name)}”" for name in found)
                raise AmbiguousError(
                    f"{both} could each be the {wanted}. Rename the one that you mean to "
                    f"“{wanted}”."
                )
            elif found:
                self.unclear[wanted] = found
        self.read_as |= {theirs: name for theirs, name in ours.items() if theirs != name}
        unknown = [name for name in names if name not in ours and name not in self.unused]
        for name in unknown:
            if len(self.unknown) < MOST_UNKNOWN and not name.startswith(METRIC):
                self.unknown[name] = None
        return ours, unknown

    def candidates(self, wanted: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that may mean this field.

        They are the named one, or its own in any spelling, or else its usual ones.
        """
        if wanted in self.named:
            return tuple(name for name in names if name == self.named[wanted])
        taken = {*self.named.values(), *self.others}
        names = tuple(name for name in names if name not in taken)
        if wanted in names:
            return (wanted,)
        alike = tuple(name for name in names if folded(name) == wanted)
        return alike or tuple(name for name in names if USUAL.get(folded(name)) == wanted)

    def means_something(self, names: Iterable[str]) -> int:
        """Return how many of our fields these names stand for."""
        names = tuple(names)
        return sum(bool(self.candidates(wanted, names)) for wanted in FIELDS)


def folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def usual_names() -> dict[str, list[str]]:
    """Return the names, folded, that are understood for each of our fields."""
    return {name: [name, *_USUAL.get(name, "").split()] for name in FIELDS}


def looks_like(wanted: str, names: Iterable[str]) -> str:
    """Return the name that may be a misspelling of `wanted`; "" if there is none."""
    return next(iter(get_close_matches(wanted, list(names)[:MOST_UNKNOWN], n=1)), "")


def fields_shown(name: str) -> str:
    """Return a name from a file, shortened and cleaned for use in a sentence."""
    short = name if len(name) <= SHOWN_FIELDS else name[: SHOWN_FIELDS - 1] + "…"
    return short.encode(errors="replace").decode().replace("\0", "?")


# The result of reading a file: rows, or its errors grouped by kind.


NO_COLUMN = "no column"  # the kind of error where the file does not name what is needed
MOST_EXAMPLES = 5  # places of one kind of error that are kept, with their messages
MOST_KINDS = 50
MOST_FAULTS = 10_000  # errors after which reading stops
SHOWN = 3  # places that are named where there are more than the examples
CUT = "There are more errors than these."


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
    line: int = field(default=0, compare=False)  # its line in the file
    group: str = ""

    @property
    def whole_input(self) -> str:
        return input_as_text(self.input, self.paragraphs)


@dataclass(frozen=True)
class RowError:
    """What is wrong at one place (0: the whole file), and what to do.

    unit: what `line` counts: lines of a file, or entries of a list.
    kind: errors of one kind are shown together; without a kind, errors with the same words.
    """

    line: int
    message: str
    kind: str = field(default="", compare=False)
    unit: str = field(default="line", compare=False)

    def __str__(self) -> str:
        return f"{self.unit} {self.line}: {self.message}" if self.line else self.message


@dataclass
class RowProblem:
    """One kind of error: its places, its first examples and its number."""

    examples: list[RowError]
    count: int = 1
    alike: bool = True  # all have the same message

    @property
    def message(self) -> str:
        return self.examples[0].message

    @property
    def title(self) -> str:
        """Return “line 3”, “lines 3 and 7”, “lines 3, 4, 9 and 1,204 more”; "" for a whole file."""
        if self.alike:
            return _places(self.examples, self.count)
        return _places(self.examples[:1], 1)

    @property
    def others(self) -> str:
        """Return the places of errors of this kind with other words, as in `title`; "" if none."""
        return "" if self.alike else _places(self.examples[1:], self.count - 1)

    def __str__(self) -> str:
        start = f"{self.title}: " if self.title else ""
        others = f" (the same kind of error: {self.others})" if self.others else ""
        return f"{start}{self.message}{others}"


@dataclass
class Column:
    """A column of a table: its name, what it was or may be read as, and its first cells."""

    name: str
    role: str
    cells: list[str]


@dataclass
class Problems:
    """The errors of a file by kind. Its size does not grow with the file.

    cut: there are further kinds of errors, or the rest of the file was not read.
    columns: of the file, where it may help to say which is which.
    """

    problems: list[RowProblem] = field(default_factory=list)
    cut: bool = False
    columns: list[Column] = field(default_factory=list)

    def add(self, error: RowError) -> None:
        kind = error.kind or error.message
        for known in self.problems:
            first = known.examples[0]
            if (first.kind or first.message, first.unit) == (kind, error.unit):
                known.count += 1
                known.alike &= error.message == known.message
                if len(known.examples) < MOST_EXAMPLES:
                    known.examples.append(error)
                break
        else:
            if len(self.problems) < MOST_KINDS:
                self.problems.append(RowProblem([error]))
            else:
                self.cut = True

    def lacking(self, lines: list[int], count: int, message: str, unit: str = "line") -> None:
        """Add the same error for `count` rows. `lines` are the first of them."""
        if count:
            errors = [RowError(line, message, unit=unit) for line in lines]
            self.problems.append(RowProblem(errors, count))

    @property
    def full(self) -> bool:
        """Return whether there are enough errors to stop reading."""
        return sum(problem.count for problem in self.problems) >= MOST_FAULTS

    def check(self) -> None:
        """Raise `UploadRefused` if there are any."""
        if self.problems:
            raise UploadRefused(self)

    @property
    def errors(self) -> list[RowError]:
        """Return the examples, in the order of the file."""
        found = (error for problem in self.problems for error in problem.examples)
        return sorted(found, key=lambda error: error.line)

    @property
    def more(self) -> bool:
        """Return whether there are more errors than the examples."""
        return self.cut or any(one.count > len(one.examples) for one in self.problems)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), *([CUT] if self.cut else [])])


class UploadRefused(ValueError):
    """The file cannot be imported as it is. No row of it was stored."""

    def __init__(self, found: Problems | Iterable[RowError]) -> None:
        if not isinstance(found, Problems):
            errors, found = found, Problems()
            for error in errors:
                found.add(error)
        found.problems.sort(key=lambda problem: problem.examples[0].line)
        found.cut |= found.full
        self.refusal = found
        super().__init__(str(found))

    @property
    def errors(self) -> list[RowError]:
        return self.refusal.errors


def _places(named: list[RowError], total: int) -> str:
    if not named[0].line:
        return ""
    if total > len(named):
        named = named[:SHOWN]
    numbers = [count(error.line) for error in named]
    if rest := total - len(named):
        numbers.append(f"{count(rest)} more")
    unit = named[0].unit
    if total > 1:
        unit = unit.removesuffix("y") + "ies" if unit.endswith("y") else f"{unit}s"
    return f"{unit} {series(numbers)}"


# Yields a file as UTF-8 blocks and lines. Refuses files that are not text and names their type.


HEAD = 64 * 1024  # bytes; enough to recognise a file's type
LONGEST_LINE = 8 * 1024 * 1024  # bytes; more than the longest valid row takes in any spelling
TOO_LONG = f"longer than {LONGEST_LINE >> 20} MB."

_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16, so it is tested first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
]
_NO_TEXT = [
    (
        b"PK\x03\x04",
        "This is an archive or a spreadsheet. Unpack it, or save the table as CSV.",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "This is a spreadsheet of an old kind (.xls), or with a password. Save the table as CSV.",
    ),
    (b"\x1f\x8b", "This is a compressed file in a compressed file. Unpack it first."),
    (b"BZh", "This file is compressed. Unpack it first."),
    (b"\xfd7zXZ", "This file is compressed. Unpack it first."),
    (b"(\xb5/\xfd", "This file is compressed. Unpack it first."),
    (b"%PDF", "This is a PDF document. Save the table as CSV, or write JSON lines."),
]


def head_of(blocks: Iterable[bytes], size: int = HEAD) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes, and all blocks once more."""
    rest = iter(blocks)
    head = b""
    for block in rest:
        head += block
        if len(head) >= size:
            break
    return head, chain([head], rest)


def as_utf8(blocks: Iterable[bytes]) -> tuple[str, Iterator[bytes]]:
    """Return the name of the encoding, and the text as UTF-8 without a byte order mark.

    UTF-8 itself is passed on unchecked. Raises `UploadRefused` for a file that is not text.
    """
    head, rest = head_of(blocks)
    marks = [(mark, name) for mark, name in _MARKS if head.startswith(mark)]
    for magic, message in _NO_TEXT:
        if not marks and head.startswith(magic):
            raise UploadRefused([RowError(0, message)])
    mark, encoding = marks[0] if marks else (b"", _guessed(head))
    next(rest)
    text = chain([head[len(mark) :]], rest)
    if encoding == "utf-8":
        return "UTF-8", text
    return encoding[:6].upper(), _transcoded(text, encoding)


def _guessed(head: bytes) -> str:
    """Recognise UTF-16 without a byte order mark by its zeros: every other byte of ASCII text."""
    start = head[:4096]
    half = len(start) // 2
    even, odd = start[::2].count(0), start[1::2].count(0)
    if odd > 0.4 * half > 0 and not even:
        return "utf-16-le"
    if even > 0.4 * half > 0 and not odd:
        return "utf-16-be"
    return "utf-8"


def _transcoded(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError:
        message = f"The file begins like {encoding[:6].upper()}, but is damaged further on."
        raise UploadRefused([RowError(0, f"{message} Save it with the encoding UTF-8.")]) from None


def lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number from 1 and its ending; None for a line that is too long.

    A line ends with LF, CR LF or CR, as in text files of any system.
    """
    number, kept, too_long = 0, b"", False
    begun: list[bytes] = []  # blocks without an end of a line
    size = 0
    for block in blocks:
        begun.append(block)
        size += len(block)
        if size <= LONGEST_LINE and b"\n" not in block and b"\r" not in block:
            continue
        parts = b"".join(begun).splitlines(keepends=True)
        # The last line may continue in the next block, and a CR may be followed by its LF there.
        kept = parts.pop() if parts and not parts[-1].endswith(b"\n") else b""
        for part in parts:
            number += 1
            yield number, None if too_long or len(part) > LONGEST_LINE else part
            too_long = False
        if len(kept) > LONGEST_LINE:
            kept, too_long = kept[-1:], True
        begun, size = [kept], len(kept)
    for part in b"".join(begun).splitlines(keepends=True):
        number += 1
        yield number, None if too_long else part
        too_long = False


def not_utf8(number: int, error: UnicodeDecodeError) -> RowError:
    message = f"not UTF-8 at byte {error.start + 1}. Save the file with the encoding UTF-8."
    return RowError(number, message, kind="utf-8")


# Reads JSON of any length: one value after the other, each of bounded length.


TOO_DEEP = "not such an object: it is nested far too deep."
NEAR_THE_END = 10  # characters: as long as the longest word of JSON, -Infinity
SPACE = " \t\n\r"


@dataclass(frozen=True)
class Constant:
    """NaN, Infinity or -Infinity. Python writes them, but JSON does not allow them."""

    name: str


def _integer(digits: str) -> int | float:
    # Python refuses very long whole numbers. As a float such a number is infinite and reported.
    return int(digits) if len(digits) < 400 else float(digits)


DECODER = json.JSONDecoder(parse_constant=Constant, parse_int=_integer)


class Values:
    """Reads values and the marks between them from blocks of UTF-8."""

    def __init__(self, blocks: Iterable[bytes], decoder: json.JSONDecoder = DECODER) -> None:
        self._blocks, self._json = iter(blocks), decoder
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at = "", 0
        self._line = 1  # of the start of `_text`
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not white space; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, mark: str) -> bool:
        """Skip this character if it comes next."""
        if self.peek() != mark:
            return False
        self._at += 1
        return True

    def value(self) -> Any:
        """Return the next value; raises `UploadRefused` where there is none."""
        self.peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._is_cut_off(error) or not self._more():
                    raise self.refused(error.msg, error.pos) from None
            except RecursionError:
                raise UploadRefused([RowError(self._line_at(self._at), TOO_DEEP)]) from None
            else:
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value

    def refused(self, why: str, at: int | None = None) -> UploadRefused:
        at = self._at if at is None else at
        column = at - self._text.rfind("\n", 0, at)
        return UploadRefused([RowError(self._line_at(at), not_json(why, column), kind="json")])

    def _line_at(self, at: int) -> int:
        return self._line + self._text.count("\n", 0, at)

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        """Return whether the error may come from a value that has not been read completely."""
        unterminated = error.msg.startswith("Unterminated")
        return unterminated or error.pos >= len(self._text) - NEAR_THE_END

    def _more(self) -> bool:
        """Read at least as much again as is in memory; return False at the end of the text."""
        if self._ended:
            return False
        self._line = self._line_at(self._at)
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > LONGEST_LINE:
            raise UploadRefused(
                [RowError(self._line, f"an entry is longer than {LONGEST_LINE >> 20} MB.")]
            )
        parts, wanted = [self._text], max(1, len(self._text))
        for block in self._blocks:
            parts.append(self._decoded(block))
            wanted -= len(parts[-1])
            if wanted <= 0:
                break
        else:
            parts.append(self._decoded(b"", final=True))
            self._ended = True
        self._text = "".join(parts)
        return True

    def _decoded(self, block: bytes, *, final: bool = False) -> str:
        try:
            return self._decoder.decode(block, final)
        except UnicodeDecodeError:
            message = "The file is not UTF-8. Save it with the encoding UTF-8."
            raise UploadRefused([RowError(0, message)]) from None


def not_json(why: str, column: int) -> str:
    return f"not JSON: {why.removesuffix(' at')} at column {count(column)}."


def entries(blocks: Iterable[bytes]) -> Iterator[Any]:
    """Yield the entries of one list, or values that follow each other without a list."""
    values = Values(blocks)
    if values.take("["):
        yield from listed(values)
        if values.peek():
            raise values.refused("something follows the list")
    while values.peek():
        yield values.value()


def listed(values: Values) -> Iterator[Any]:
    """Yield the entries of a list whose first bracket was taken; raises `UploadRefused`."""
    if values.take("]"):
        return
    yield values.value()
    while values.take(","):
        yield values.value()
    if not values.take("]"):
        raise values.refused("a comma or the end of the list is missing")
