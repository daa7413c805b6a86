"""The zip of an export, made while it is sent: it is never whole in memory or on a disk."""

import io
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils import timezone

from annotate.errors import NotFound
from annotate.selectors.campaigns import counting, exports
from annotate.selectors.campaigns.exports import Moment
from annotate.selectors.campaigns.protocol import protocol
from annotate.tables import moment
from estimation.exporting import contents, manifest, pictures
from estimation.exporting.tables import FILES, JUDGMENTS, OUTPUTS, PLAN, README, File
from estimation.selectors import exports as numbers

SENT_AT_ONCE = 1 << 16  # bytes
PACKED_AT_ONCE = 1 << 15  # bytes, before compression
Progress = Callable[[str, int, int | None], None]


def name(public_id: str) -> str:
    """Return what the file of a campaign's export is called."""
    return f"plumbline-{public_id}.zip"


def stream(public_id: str, *, progress: Progress = lambda *_: None) -> Iterator[bytes]:
    """Yield the export of a campaign, some bytes at a time; `NotFound` before the first.

    It is of one moment: what may change is read first, at once.
    progress: called with the name of a file, how many of its lines are packed, and how many there
        will be (None: not known); first of all for those where that is known.
    """
    campaign_id = counting.campaign_id_of(public_id)
    if campaign_id is None:
        raise NotFound(f"There is no campaign {public_id!r}.")
    newest = numbers.newest_estimate(campaign_id)
    now, at = exports.moment(campaign_id), timezone.now()
    waits = bool(counting.marks(campaign_id))
    known = {JUDGMENTS.name: now.judgment.size, OUTPUTS.name: now.output.size}
    for file, total in known.items():
        progress(file, 0, total)
    files = _files(now, at, known, progress)
    # An estimate that is made from here on may rest on more than what was read.
    sums = manifest.Checksums(lambda: not waits and newest == numbers.newest_estimate(campaign_id))
    return _zipped(sums.over(files), folder=f"plumbline-{public_id}", at=at)


def _files(
    now: Moment, at: datetime, known: dict[str, int], progress: Progress
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """What is short comes first, so that the download begins at once."""
    counted: dict[str, int] = {}
    yield PLAN, [contents.as_json(protocol(now.campaign), indent=2)]
    for file in FILES:
        blocks = _counting(file, now, counted)
        yield file.name, _watched(blocks, file, counted, known.get(file.name), progress)
    yield from pictures.files(now.campaign)
    yield README, [readme(now, counted, at=at).encode()]


def _counting(file: File, now: Moment, counted: dict[str, int]) -> Iterator[bytes]:
    """Yield the lines of a file in blocks, which take less time to pack than single lines."""
    counted[file.name] = -1 if file.is_table else 0  # a table's first line names its columns
    held, size = [], 0
    for line in contents.encoded(file, contents.ROWS[file.name](now)):
        counted[file.name] += 1
        held.append(line)
        size += len(line)
        if size >= PACKED_AT_ONCE:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _watched(
    blocks: Iterable[bytes],
    file: File,
    counted: dict[str, int],
    total: int | None,
    progress: Progress,
) -> Iterator[bytes]:
    for block in blocks:
        yield block
        progress(file.name, max(0, counted[file.name]), total)


def readme(now: Moment, counted: dict[str, int], *, at: datetime) -> str:
    """Return what is in the export, file by file and column by column."""
    campaign = now.campaign
    parts = [
        f"# {campaign.name}",
        f"Campaign {campaign.public_id}, {campaign.get_status_display()}; exported at "
        f"{moment(at)} from Plumbline.",
        ABOUT,
        *(_described(file, counted[file.name]) for file in FILES),
        f"## {PLAN}\n\n{DECIDED}",
        f"## {pictures.FOLDER}/\n\n{pictures.ABOUT}",
        f"## {manifest.NAME}\n\n{manifest.ABOUT}",
    ]
    return "\n\n".join(parts) + "\n"


ABOUT = """Tables are CSV in UTF-8, and their first line names the columns; what holds texts or
lists is JSON lines, one object a line. Times are ISO 8601 in UTC. In tables yes and no are 1 and 0,
what is not known is empty, and several names in one cell are joined by ` + `. A text in a table
that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or the end of a line)
has a ' in front; JSON lines have it as it is. Annotators are called by pseudonyms: nothing here
says who they are at their crowd."""
DECIDED = """What was decided: the instrument with its criteria and scales, targets, stopping rule
and limits; when the campaign was opened and closed; and for each system the position at which its
sample ended (null: at the last)."""


def _described(file: File, n: int) -> str:
    rows = "row" if n == 1 else "rows"
    head = f"## {file.name}\n\n{file.what} {n:,} {rows}.\n\n| name | meaning |\n|---|---|\n"
    return head + "\n".join(f"| `{name}` | {what} |" for name, what in file.columns.items())


class _Sent(io.RawIOBase):
    """What the zip is written to. Its bytes are sent as they come, so it cannot seek."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self._parts.append(bytes(data))
        self.size += len(data)
        return len(data)

    def take(self) -> bytes:
        parts, self._parts, self.size = self._parts, [], 0
        return b"".join(parts)


def _zipped(
    files: Iterable[tuple[str, Iterable[bytes]]], *, folder: str, at: datetime
) -> Iterator[bytes]:
    sent, stamp = _Sent(), at.astimezone(UTC).timetuple()[:6]
    with ZipFile(sent, "w", ZIP_DEFLATED) as zipped:
        for file, lines in files:
            about = ZipInfo(f"{folder}/{file}", stamp)
            about.compress_type, about.external_attr = ZIP_DEFLATED, 0o644 << 16
            with zipped.open(about, "w", force_zip64=True) as entry:
                for line in lines:
                    entry.write(line)
                    if sent.size >= SENT_AT_ONCE:
                        yield sent.take()
            yield sent.take()
    yield sent.take()
