"""Tables as files that spreadsheets open, sent line by line."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse

from annotate.tables import lines


def csv_file(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    """Return a download that names its columns in the first line."""
    response = StreamingHttpResponse(lines(columns, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
