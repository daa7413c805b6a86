"""Compressed files and archives, opened block by block, in one pass and within limits.

Files that were chosen together become an archive, so several are read as one is.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import IO, NamedTuple
from zipfile import ZipFile, ZipInfo

from annotate.campaigns.problems import RowError, UploadRefused, fields_shown, head_of

GZIP, ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
MEMBER = b"PK\x03\x04"
MARKS = (MEMBER, b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06")  # what may follow a member
DESCRIPTORS = (12, 16, 20, 24)  # bytes of what may stand between
ENCRYPTED, SIZES_FOLLOW = 1, 8  # flags of a member
STORED, DEFLATED = 0, 8
NO_SIZE = 0xFFFFFFFF  # it is of 4 GB or more
BLOCK = 64 * 1024  # bytes that are unpacked together
FED = 4 * 1024  # bytes that are given to zlib at once; it gives back what it does not use
MOST_MEMBERS = 100
MOST_BYTES = 2 * 1024**3  # unpacked
MOST_RATIO = 100  # unpacked bytes to packed ones
FREE = 16 * 1024**2  # unpacked bytes before the ratio matters
DAMAGED = "This compressed file or spreadsheet cannot be read: it is damaged or incomplete."
SPREADSHEET = "This file looks like a spreadsheet, but is packed in an unusual way. Save it again."
LIBRE = "This is a spreadsheet of LibreOffice (.ods). Save it as .xlsx or as CSV."
OF_SHEETS = ("[Content_Types].xml", "_rels/", "docProps/", "customXml/", "xl/")  # its first file
EXPORT = "This is the export of a campaign. Unpack it, and import its outputs.jsonl."
EXPORT_BEGINS = "plan.json"  # its first file
NO_TABLE = "There is no file in this archive. Put the table into it."
MANY = f"More than {MOST_MEMBERS} files are in this archive. Put those of one campaign into it."
LARGE = f"Unpacked, this file is larger than {MOST_BYTES >> 30} GB. Divide it into several imports."
BOMB = (
    f"Unpacked, this file is more than {MOST_RATIO} times as large, as no texts are. Send it "
    "without compression."
)


def opened(blocks: Iterable[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield each file in a file, by its name without folders; a file that is no archive by "".

    A spreadsheet is no archive here. Take all of one before the next. Raises `UploadRefused` for
    what cannot be unpacked.
    """
    head, rest = head_of(blocks)
    if head.startswith(ZIP) and not is_sheet(head):
        yield from _unzipped(_Packed(rest))
    else:
        yield "", _joined(_gunzipped(_Packed(rest))) if head.startswith(GZIP) else rest


def pack(files: Iterable[tuple[str, Iterable[bytes]]], into: IO[bytes]) -> None:
    """Write files, by their names, into one archive; the same files give the same bytes."""
    size = 0
    with ZipFile(into, "w") as archive:
        for name, blocks in files:
            with archive.open(ZipInfo(name), "w") as member:
                for block in blocks:
                    size += len(block)
                    if size > MOST_BYTES:
                        raise refused(LARGE)
                    member.write(block)


def is_sheet(head: bytes) -> bool:
    """Return whether a file that begins so is a spreadsheet, or another file of Office."""
    n_name = int.from_bytes(head[26:28], "little")
    return head.startswith(MEMBER) and _path(head[30 : 30 + n_name]).startswith(OF_SHEETS)


def _joined(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in blocks that are not tiny: lines are put together from blocks."""
    kept: list[bytes] = []
    size = 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size >= BLOCK:
            yield b"".join(kept)
            kept, size = [], 0
    if kept:
        yield b"".join(kept)


class _Member(NamedTuple):
    """What an archive says of a file before its content."""

    flags: int
    method: int
    digest: int
    size: int
    n_name: int
    n_more: int


def refused(message: str, line: int = 0, unit: str = "line") -> UploadRefused:
    return UploadRefused([RowError(line, message, unit=unit)])


class _Packed:
    """The bytes of a compressed file in their order, and how many came out of how many."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._kept, self._at = blocks, b"", 0
        self._packed = self._unpacked = 0

    def peek(self, size: int) -> bytes:
        while len(self._kept) < self._at + size:
            if (block := next(self._blocks, None)) is None:
                break
            self._packed += len(block)
            self._kept, self._at = self._kept[self._at :] + block, 0
        return self._kept[self._at : self._at + size]

    def take(self, size: int) -> bytes:
        found = self.peek(size)
        if len(found) < size:
            raise refused(DAMAGED)
        self._at += size
        return found

    def stored(self, size: int) -> Iterator[bytes]:
        while size:
            block = self.take(min(size, BLOCK))
            size -= len(block)
            yield self._counted(block)

    def inflated(self, kind: int) -> Iterator[bytes]:
        """Yield what a stream unpacks to. kind: `zlib.MAX_WBITS`, with 16 more for gzip."""
        engine = zlib.decompressobj(kind)
        while not engine.eof:
            given = self.peek(FED)
            try:
                block = engine.decompress(given, BLOCK)
            except zlib.error:
                raise refused(DAMAGED) from None
            rest = engine.unused_data if engine.eof else engine.unconsumed_tail
            self._at += len(given) - len(rest)
            if not (given or block or engine.eof):
                raise refused(DAMAGED)
            yield self._counted(block)

    def _counted(self, block: bytes) -> bytes:
        self._unpacked += len(block)
        if self._unpacked > MOST_BYTES:
            raise refused(LARGE)
        if self._unpacked > FREE + MOST_RATIO * self._packed:
            raise refused(BOMB)
        return block


def _gunzipped(packed: _Packed) -> Iterator[bytes]:
    while packed.peek(1):  # files that were joined are one
        yield from packed.inflated(zlib.MAX_WBITS + 16)


def _unzipped(packed: _Packed) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the files of an archive in their order. Its directory at the end is not needed."""
    number = tables = 0
    while packed.peek(4) == MEMBER:
        number += 1
        if number > MOST_MEMBERS:
            raise refused(MANY)
        member = _Member(*struct.unpack("<6x2H4x2I4x2H", packed.take(30)))
        path = _path(packed.take(member.n_name))
        packed.take(member.n_more)
        if path == "mimetype":
            raise refused(LIBRE)
        if path.startswith(("[Content_Types].xml", "xl/")):
            raise refused(SPREADSHEET)
        content = _content(packed, member, path)
        name = PurePosixPath(path.replace("\\", "/")).name
        if name == EXPORT_BEGINS:
            raise refused(EXPORT)
        if not path.endswith("/") and not name.startswith(".") and "__MACOSX/" not in path:
            tables += 1
            yield name, _joined(content)
        for _block in content:  # the rest of it, or all of what is no table
            pass
    if packed.peek(4) not in MARKS:
        raise refused(DAMAGED)
    if not tables:
        raise refused(NO_TABLE)


def _path(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp437")


def _content(packed: _Packed, member: _Member, path: str) -> Iterator[bytes]:
    known = member.method == DEFLATED or (
        member.method == STORED and not member.flags & SIZES_FOLLOW and member.size < NO_SIZE
    )
    if member.flags & ENCRYPTED or not known:
        why = "with a password" if member.flags & ENCRYPTED else "in a way that is rarely used"
        raise refused(f"“{fields_shown(path)}” is packed {why}. Make an ordinary zip archive.")
    found, digest = 0, member.digest
    deflated = member.method == DEFLATED
    for block in packed.inflated(-zlib.MAX_WBITS) if deflated else packed.stored(member.size):
        found = zlib.crc32(block, found)
        yield block
    if member.flags & SIZES_FOLLOW:
        digest = _described(packed)
    if found != digest:
        raise refused(DAMAGED)


def _described(packed: _Packed) -> int:
    """Return the digest from what stands behind a member: with or without a mark, two lengths."""
    ahead = packed.peek(max(DESCRIPTORS) + 4)
    size = next((n for n in DESCRIPTORS if ahead[n : n + 4] in MARKS), 0)
    if not size:
        raise refused(DAMAGED)
    start = 4 if size % 8 == 0 else 0
    return int.from_bytes(packed.take(size)[start : start + 4], "little")
