"""The result of reading a file: rows, or its errors grouped by kind."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from annotate.instruments.base import whole_input
from annotate.text.figures import count

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
        return whole_input(self.input, self.paragraphs)


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


class Problems:
    """Collects errors by kind. Its size does not grow with the file."""

    def __init__(self, errors: Iterable[RowError] = ()) -> None:
        self.count = 0
        self.left_out = False
        self._kinds: dict[tuple[str, str], RowProblem] = {}
        for error in errors:
            self.add(error)

    def add(self, error: RowError) -> None:
        self.count += 1
        key = (error.kind or error.message, error.unit)
        known = self._kinds.get(key)
        if known is not None:
            known.count += 1
            known.alike &= error.message == known.message
            if len(known.examples) < MOST_EXAMPLES:
                known.examples.append(error)
        elif len(self._kinds) < MOST_KINDS:
            self._kinds[key] = RowProblem([error])
        else:
            self.left_out = True

    def lacking(self, lines: list[int], count: int, message: str, unit: str = "line") -> None:
        """Add the same error for `count` rows. `lines` are the first of them."""
        if count:
            errors = [RowError(line, message, unit=unit) for line in lines]
            self._kinds[message, unit] = RowProblem(errors, count)
            self.count += count

    @property
    def full(self) -> bool:
        """Return whether there are enough errors to stop reading."""
        return self.count >= MOST_FAULTS

    def listed(self) -> list[RowProblem]:
        return sorted(self._kinds.values(), key=lambda problem: problem.examples[0].line)

    def check(self) -> None:
        """Raise `UploadRefused` if there are any."""
        if self.count:
            raise UploadRefused(self)


@dataclass
class Refusal:
    """All messages about a file that cannot be imported.

    cut: there are further kinds of errors, or the rest of the file was not read.
    """

    problems: list[RowProblem]
    cut: bool = False

    @property
    def errors(self) -> list[RowError]:
        """Return the examples, in the order of the file."""
        found = (error for problem in self.problems for error in problem.examples)
        return sorted(found, key=lambda error: error.line)

    @property
    def more(self) -> bool:
        """Return whether there are more errors than the examples."""
        return self.cut or any(one.count > len(one.examples) for one in self.problems)

    @property
    def lacks_columns(self) -> bool:
        """Return whether it may help to say which column is which."""
        return any(one.kind == NO_COLUMN for one in self.errors)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), *([CUT] if self.cut else [])])


class UploadRefused(ValueError):
    """The file cannot be imported as it is. No row of it was stored."""

    def __init__(self, found: Problems | Iterable[RowError]) -> None:
        problems = found if isinstance(found, Problems) else Problems(found)
        self.refusal = Refusal(problems.listed(), problems.full or problems.left_out)
        super().__init__(str(self.refusal))

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
    unit = named[0].unit if total == 1 else _plural(named[0].unit)
    return f"{unit} {_listed(numbers)}"


def _plural(unit: str) -> str:
    return unit.removesuffix("y") + "ies" if unit.endswith("y") else f"{unit}s"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
