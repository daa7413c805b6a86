"""Reads the API’s JSON with the product’s own parser; the rows of an import go into a file."""

import json
import weakref
from collections.abc import Iterator, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, cast

from django.core.files import File
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from annotate.campaigns.packed import pack
from annotate.campaigns.problems import UploadRefused, Values, listed
from annotate.common.json import DECODER, NotJson, Room, checked, parse_json, twice


class JsonParser(BaseParser):
    """Reads UTF-8 whatever encoding the request declares: JSON has no other encoding."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return parse_json(stream.read())
        except NotJson as error:
            raise ParseError(str(error)) from None


# A file as a request delivers it; `File` is generic for the type checker only.
if TYPE_CHECKING:
    Uploaded = File[bytes]
else:
    Uploaded = File

BLOCK = 64 * 1024  # bytes per read
IN_MEMORY = 1024 * 1024
MOST_ROWS, MOST_ROW_VALUES = 200_000, 4_000_000  # of one request, and values in all of them
TOO_MANY = f"“outputs” has more than {MOST_ROWS:,} rows. Send them as a file, which may have more."


class Rows(Uploaded):
    """The rows of a request as an uploaded file: a JSON list, one entry per line."""

    def __init__(self, entries: Iterator[Any]) -> None:
        file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  closed with the rows
        weakref.finalize(self, file.close)
        super().__init__(cast(Any, file), "outputs.json")
        before = b"["
        for entry in entries:
            file.write(before + json.dumps(entry).encode())
            before = b",\n"
        file.write(b"]" if before != b"[" else b"[]")
        self.size = file.tell()


def together(files: Sequence[Uploaded]) -> Uploaded:
    """Return several uploaded files as one, an archive of them; a single one as it is."""
    if len(files) == 1:
        return files[0]
    names = [tidy(file.name) for file in files]
    packed = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  closed with the file
    found = Uploaded(cast(Any, packed), tidy(", ".join(names)))
    weakref.finalize(found, packed.close)
    blocks = (file.chunks(BLOCK) for file in files)
    pack(zip(names, blocks, strict=True), cast(Any, packed))
    found.size = packed.tell()
    return found


def tidy(name: object) -> str:
    """Return a file's name in a form that the database can store."""
    return str(name or "").replace("\0", "").encode(errors="replace").decode()[:200]


class ImportParser(BaseParser):
    """Reads an object whose `outputs` may be long.

    Only so many rows are read here, where a process of the web waits for them. A file, which a
    worker reads, may hold more.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        values = Values(iter(lambda: stream.read(BLOCK), b""), DECODER)
        try:
            found = _members(values) if values.take("{") else checked(values.value())
            if values.peek():
                raise values.refused("something follows the value")
        except (NotJson, UploadRefused) as error:
            raise ParseError(str(error)) from None
        return found


def _members(values: Values) -> dict[str, Any]:
    found: dict[str, Any] = {}
    room = Room()  # of all but the rows
    if values.take("}"):
        return found
    while True:
        name = _name(values, found)
        rows = name == "outputs" and values.take("[")
        found[name] = Rows(_entries(values)) if rows else checked(values.value(), room=room)
        if values.take("}"):
            return found
        if not values.take(","):
            raise values.refused("a comma or the end of the object is missing")


def _name(values: Values, found: dict[str, Any]) -> str:
    name = checked(values.value()) if values.peek() == '"' else None
    if name is None or not values.take(":"):
        raise values.refused("a name in quotation marks and a colon are missing")
    if name in found:
        raise NotJson(twice(name))
    return str(name)


def _entries(values: Values) -> Iterator[Any]:
    """Yield rows. Their texts are checked later."""
    room = Room(MOST_ROW_VALUES)
    for number, entry in enumerate(listed(values), start=1):
        if number > MOST_ROWS:
            raise NotJson(TOO_MANY)
        yield checked(entry, text=str, room=room)
