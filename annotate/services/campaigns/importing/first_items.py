"""The first items of an uploaded file, whole, before anything is stored of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from annotate.errors import NotFound
from annotate.models import CampaignImport
from annotate.services.campaigns.importing import files, forms
from annotate.services.campaigns.importing.pairs import paired
from annotate.services.campaigns.importing.problems import Row, RowError, UploadRefused
from annotate.services.campaigns.importing.rows import FaultyError, row_of

SHOWN = 5  # items, each with one output
LOOKED_AT = 1000  # rows of the file


@dataclass(frozen=True)
class FirstItem:
    """One output of an item, and the file's other texts for it."""

    row: Row
    others: tuple[str, ...]


def first_items(of: CampaignImport, *, compares: bool) -> list[FirstItem]:
    """Return one output of each of the first items in the file, in turn of all its systems.

    compares: one pair of outputs of each, likewise.
    Raises `NotFound` where the file is not here any more, or cannot be read.
    """
    if not of.has_file:
        raise NotFound("The file of this import is not here any more.")
    found: dict[str, list[Row]] = {}
    for row in _rows(of):
        if row.item not in found and len(found) == SHOWN:
            break
        found.setdefault(row.item, []).append(row)
    each = [list(paired(rows)) if compares else rows for rows in found.values()]
    return [_one(rows, number % len(rows)) for number, rows in enumerate(filter(None, each))]


def _one(rows: Sequence[Row], place: int) -> FirstItem:
    texts = dict.fromkeys(row.output for row in rows)  # identical texts are one
    del texts[rows[place].output]
    return FirstItem(rows[place], tuple(texts))


def _rows(of: CampaignImport) -> Iterator[Row]:
    try:
        form = forms.recognised(files.blocks(of, files.File.OUTPUTS), of.columns)
        for record in islice(form.records, LOOKED_AT):
            if not isinstance(record, RowError):
                yield row_of(record.known, record.place, record.unknown)
    except (UploadRefused, FaultyError):
        raise NotFound("The file cannot be read so far. The page of the import says why.") from None
