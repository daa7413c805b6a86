"""Tables as files that spreadsheets open, written line by line."""

import csv
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse


class _Line:
    """What csv writes to: it hands each line on."""

    def write(self, line: str) -> str:
        return line


def csv_file(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    """Return a download that names its columns in the first line."""
    writer = csv.writer(_Line())
    lines = (writer.writerow([_safe(value) for value in row]) for row in _with(columns, rows))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _with(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    yield columns
    yield from rows


def _safe(value: Any) -> Any:
    """Keep spreadsheets from taking a text that somebody typed for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
