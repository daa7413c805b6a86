"""An export as somebody sent it: nothing in it is trusted, and nothing is unpacked."""

import csv
import hashlib
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from annotate.tables import FORMULA
from estimation.exporting import manifest
from estimation.exporting.tables import File

ADDED = re.compile(r"(^|/)(__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)")
LONGEST = 1 << 26  # bytes of one line
AT_ONCE = 1 << 20
LATER = {"version", "group"}  # columns that exports before 0.2.0 lack
WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, csv.Error)
BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError)


class Unreadable(Exception):
    """The file is no export, or a part cannot be read. The message says which part and why."""


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Say where something was, if it cannot be read."""
    try:
        yield
    except WRONG as error:
        raise Unreadable(f"{where} cannot be read: {type(error).__name__} {error}"[:300]) from None


class Bundle:
    """An open export: its files by their names without the folder.

    path: of the zip as it was exported, of one that was packed again, or of the unpacked folder.
    What systems add when they pack (folders, hidden files) is no part of it.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self._zip: zipfile.ZipFile | None = None
        try:
            if path.is_dir():
                found = [(one.relative_to(path).as_posix(), one) for one in path.rglob("*")]
                names = [name for name, one in found if one.is_file()]
            else:
                self._zip = zipfile.ZipFile(path)
                names = [name for name in self._zip.namelist() if not name.endswith("/")]
        except (OSError, *BROKEN) as error:
            raise Unreadable(f"{path} is no export: {error}.") from None
        self._path = path
        names = [name for name in names if not ADDED.search(name)]
        folder = _folder(names)
        self._names = {name.removeprefix(folder): name for name in names}
        if not names or len(self._names) < len(names):
            raise Unreadable(f"{path} is no export: it is empty, or a file is there twice.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._zip is not None:
            self._zip.close()

    @property
    def names(self) -> set[str]:
        return set(self._names)

    def sum_of(self, name: str) -> tuple[str, int]:
        """Return the SHA-256 of a file, in hex, and its size in bytes."""
        digest, size = hashlib.sha256(), 0
        with self._open(name) as file:
            while part := _read(file.read, AT_ONCE, name):
                digest.update(part)
                size += len(part)
        return digest.hexdigest(), size

    def value(self, name: str) -> dict[str, Any]:
        """Return the object that a file of JSON is."""
        with self._open(name) as file, reading(name):
            found = json.loads(_read(file.read, LONGEST, name))
            if not isinstance(found, dict):
                raise TypeError("an object is expected")
        return found

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a file of JSON lines."""
        with self._open(name) as file:
            number = 0
            while line := _read(file.readline, LONGEST, name):
                number += 1
                with reading(f"{name}, line {number}"):
                    found = json.loads(line)
                    if not isinstance(found, dict):
                        raise TypeError("an object is expected")
                yield found

    def table(self, file: File) -> Iterator[dict[str, str]]:
        """Yield the rows of a table, by the names of its columns; all but `LATER` are there."""
        for row in self._rows(file.name):
            if missing := file.columns.keys() - row.keys() - LATER:
                raise Unreadable(f"{file.name} has no column {min(missing)}.")
            yield row

    def _rows(self, name: str) -> Iterator[dict[str, str]]:
        csv.field_size_limit(min(sys.maxsize, LONGEST))
        with self._open(name) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
            rows = csv.DictReader(text, restkey="", restval="")
            while True:
                with reading(f"{name}, line {rows.line_num + 1}"):
                    try:
                        row = next(rows, None)
                    except BROKEN as error:
                        raise Unreadable(f"{name} is damaged: {error}.") from None
                if row is None:
                    return
                yield row

    @contextmanager
    def _open(self, name: str) -> Iterator[Any]:
        if name not in self._names:
            raise Unreadable(f"{name} is missing.")
        try:
            at = self._names[name]
            with self._zip.open(at) if self._zip else (self._path / at).open("rb") as file:
                yield file
        except (OSError, *BROKEN) as error:
            raise Unreadable(f"{name} is damaged: {error}.") from None


def _folder(names: list[str]) -> str:
    """Return the folder of the manifest, with its slash; without one, what all names begin with."""
    found = [name for name in names if name.rpartition("/")[2] == manifest.NAME]
    if not found:
        first = {name.partition("/")[0] for name in names if "/" in name}
        return f"{first.pop()}/" if len(first) == 1 else ""
    return min(found, key=lambda name: (name.count("/"), name)).removesuffix(manifest.NAME)


def plain(cell: str) -> str:
    """Return the text of a cell without the mark that keeps spreadsheets from computing it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def _read(read: Callable[[int], bytes], most: int, name: str) -> bytes:
    part = read(most)
    if len(part) == most and most == LONGEST:
        raise Unreadable(f"{name} has a line of more than {LONGEST >> 20} MB.")
    return part
