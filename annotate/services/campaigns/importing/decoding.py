"""Yields a file as UTF-8 blocks and lines. Refuses files that are not text and names their type."""

import codecs
from collections.abc import Iterable, Iterator

from annotate.services.campaigns.importing.problems import RowError, UploadRefused

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
        "This is a spreadsheet (.xlsx) or a zip archive. Save the table as CSV, or "
        "unpack the archive.",
    ),
    (b"\xd0\xcf\x11\xe0", "This is a spreadsheet of an old kind (.xls). Save the table as CSV."),
    (
        b"\x1f\x8b",
        "This file is compressed. Unpack it first, or use the command line, which reads .gz files.",
    ),
    (b"BZh", "This file is compressed. Unpack it first."),
    (b"\xfd7zXZ", "This file is compressed. Unpack it first."),
    (b"(\xb5/\xfd", "This file is compressed. Unpack it first."),
    (b"%PDF", "This is a PDF document. Save the table as CSV, or write JSON lines."),
    (b"PAR1", "This is a Parquet file. Write it as JSON lines or as CSV."),
]


def head_of(blocks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes, and all blocks once more."""
    rest = iter(blocks)
    head = b""
    for block in rest:
        head += block
        if len(head) >= HEAD:
            break
    return head, _before(head, rest)


def _before(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def as_utf8(blocks: Iterable[bytes]) -> tuple[str, Iterator[bytes]]:
    """Return the name of the encoding, and the text as UTF-8 without a byte order mark.

    UTF-8 itself is passed on unchecked. Raises `UploadRefused` for a file that is not text.
    """
    head, whole = head_of(blocks)
    encoding, mark = _encoding(head)
    if encoding == "utf-8":
        return "UTF-8", _without(mark, whole)
    return encoding[:6].upper(), _transcoded(_without(mark, whole), encoding)


def _encoding(head: bytes) -> tuple[str, bytes]:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, mark
    for magic, message in _NO_TEXT:
        if head.startswith(magic):
            raise UploadRefused([RowError(0, message)])
    return _guessed(head), b""


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


def _without(mark: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(blocks)[len(mark) :]
    yield from blocks


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
    for block in blocks:
        parts = (kept + block).splitlines(keepends=True)
        # The last line may continue in the next block, and a CR may be followed by its LF there.
        kept = parts.pop() if parts and not parts[-1].endswith(b"\n") else b""
        for part in parts:
            number += 1
            yield number, None if too_long or len(part) > LONGEST_LINE else part
            too_long = False
        if len(kept) > LONGEST_LINE:
            kept, too_long = kept[-1:], True
    if kept:
        yield number + 1, None if too_long else kept


def not_utf8(number: int, error: UnicodeDecodeError) -> RowError:
    message = f"not UTF-8 at byte {error.start + 1}. Save the file with the encoding UTF-8."
    return RowError(number, message, kind="utf-8")
