"""Text files of one output a line: those of several systems, of the source and of a reference."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count as numbers
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import Any

from annotate.campaigns.problems import (
    HEAD,
    MOST_UNKNOWN,
    SYSTEMS,
    TOO_LONG,
    UNUSED,
    RowError,
    UploadRefused,
    as_utf8,
    fields_shown,
    lines,
    not_utf8,
)
from annotate.common.numbers import count, series

FORM = "text files, aligned by line"
NO_SYSTEM = (
    "no file has the outputs of a system: the names of all say that they are sources or references."
)
SHOWN = 6  # files that a message names
# What a word of a file's name makes of the file. All other files are of systems.
WORDS = {
    "input": {"source", "sources", "src", "input", "inputs"},
    "reference": {"reference", "references", "ref", "refs"},
}


def rows_of_files(
    files: Iterable[tuple[str, Iterable[bytes]]],
) -> Iterator[tuple[int, dict[str, str] | RowError]]:
    """Yield the lines of one number in all files, by the names of the files.

    Files come one after the other, so they are kept on disk until all are there.
    """
    with ExitStack() as stack:
        names, columns = [], []
        for name, content in files:
            file = stack.enter_context(TemporaryFile())
            try:
                file.writelines(as_utf8(content)[1])
            except UploadRefused as refused:
                message = f"{fields_shown(name)}: {refused}"
                raise UploadRefused([RowError(0, message)]) from None
            file.seek(0)
            names.append(name)
            columns.append(lines(iter(partial(file.read, HEAD), b"")))
        shown = [PurePosixPath(name).stem for name in names]
        if len(set(shown)) < len(names):
            shown = names
        if twice := next((name for name in shown if shown.count(name) > 1), None):
            message = f"two files are called “{fields_shown(twice)}”. Rename one."
            raise UploadRefused([RowError(0, message)])
        for number in numbers(1):
            row = [next(column, None) for column in columns]
            if None in row:
                break
            texts = [_text(name, number, line) for name, line in zip(names, row, strict=True)]
            faults = [one for one in texts if isinstance(one, RowError)]
            for fault in faults:
                yield number, fault
            if not faults:
                yield number, dict(zip(shown, map(str, texts), strict=True))
        sizes = [
            number - 1 if one is None else number + sum(1 for _line in column)
            for one, column in zip(row, columns, strict=True)
        ]
        if len(set(sizes)) > 1:
            yield 0, RowError(0, _unequal(names, sizes))


def _text(name: str, number: int, line: tuple[int, bytes | None] | None) -> str | RowError:
    unit = f"{fields_shown(name)}, line"
    if line is None or line[1] is None:
        return RowError(number, TOO_LONG, "long", unit)
    try:
        return line[1].rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        return RowError(number, not_utf8(number, error).message, "utf-8", unit)


def _unequal(names: Sequence[str], sizes: Sequence[int]) -> str:
    each = [
        f"“{fields_shown(name)}” has {count(size)}" for name, size in zip(names, sizes, strict=True)
    ]
    more = [f"{count(len(each) - SHOWN)} more files"] if len(each) > SHOWN else []
    return (
        f"the files do not have the same number of lines: {series([*each[:SHOWN], *more])}. Each "
        "line is an output, and lines of the same number are of one item. Leave out what is no "
        "such file."
    )


def proposed(names: Sequence[str]) -> dict[str, Any]:
    """Return what each file is, by its name, as `FieldNames` takes it."""
    found: dict[str, Any] = {SYSTEMS: [], UNUSED: []}
    for name in names:
        words = set(re.findall(r"[a-z]+", name.casefold()))
        field = next((ours for ours, known in WORDS.items() if words & known), SYSTEMS)
        if field == SYSTEMS:
            found[SYSTEMS].append(name)
        elif field in found:
            found[UNUSED].append(name)  # an item has one of each
        else:
            found[field] = name
    return found


def told(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the files were taken for."""
    systems = [f"“{fields_shown(name)}”" for name in columns[SYSTEMS][:MOST_UNKNOWN]]
    more = [f"{count(rest)} more"] if (rest := len(columns[SYSTEMS]) - MOST_UNKNOWN) > 0 else []
    if systems:
        yield f"Each line of a file is an output. The systems are {series([*systems, *more])}."
    for ours in WORDS:
        if ours in columns:
            yield f"“{fields_shown(columns[ours])}” has the {ours} of each item, by its name."
    for name in columns[UNUSED]:
        yield f"“{fields_shown(name)}” is not used: an item has one input and one reference."
