"""A picture as SVG or PNG, and its data as CSV: one answer for all pictures."""

import csv
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from annotate.errors import NotFound

KINDS = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv; charset=utf-8"}
PNG_SCALE = 3.0  # for print


def answer(
    kind: str,
    *,
    name: str,
    spec: Callable[[], dict[str, Any]],
    header: Sequence[str],
    rows: Callable[[], Iterable[Sequence[Any]]],
    inline: bool = False,
) -> HttpResponse:
    """Return the picture or its data.

    kind: "svg", "png" or "csv". name: of the file. spec: makes the Vega-Lite specification.
    header, rows: of the CSV. inline: to be shown in a page, not saved.
    """
    if kind not in KINDS:
        raise NotFound("Pictures come as svg, png or csv.")
    response = HttpResponse(content_type=KINDS[kind])
    if not inline:
        response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    if kind == "csv":
        writer = csv.writer(response)
        writer.writerow(header)
        writer.writerows(rows())
    else:
        response.write(_drawn(kind, spec()))
    return response


def _drawn(kind: str, spec: dict[str, Any]) -> bytes:
    import vl_convert

    if kind == "png":
        # On white paper: a transparent picture is unreadable on a dark page.
        drawn: bytes = vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=PNG_SCALE)
        return drawn
    return str(vl_convert.vegalite_to_svg(spec)).encode()
