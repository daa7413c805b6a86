"""The report of a campaign: a page to read and print, LaTeX, and BibTeX."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import researcher_page, with_results
from annotate.text import figures
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.criteria.forest import ForestLine, ScoreAxis, picture
from estimation.selectors.criteria.rows import CriterionRow
from estimation.selectors.report import facts, latex
from estimation.selectors.report.checklist import checklist
from estimation.selectors.report.facts import CampaignReport
from estimation.selectors.report.methods import methods
from estimation.views import downloads

FILES = {
    "tex": (latex.document, "application/x-tex"),
    "bib": (latex.bibliography, "application/x-bibtex"),
}


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = with_results(request.user, public_id)
    return render(request, "estimates/report.html", _context(facts.build(campaign)))


@require_safe
@never_cache
@researcher_page
def download(request: HttpRequest, public_id: str, kind: str) -> HttpResponseBase:
    """Return one of `FILES`."""
    write, content_type = FILES[kind]
    report = facts.build(with_results(request.user, public_id))
    headers = {"Content-Disposition": f'attachment; filename="{report.name}.{kind}"'}
    return HttpResponse(
        write(report), content_type=f"{content_type}; charset=utf-8", headers=headers
    )


@dataclass(frozen=True)
class DrawnRow:
    """A criterion's row of the report: its intervals on one scale, each with its cell."""

    row: CriterionRow
    axis: ScoreAxis | None
    lines: tuple[tuple[ShownCell, ForestLine | None], ...]


def _drawn(row: CriterionRow) -> DrawnRow:
    found = picture(row.cells)
    lines = {line.cell.system.system_id: line for line in found.lines} if found else {}
    told = tuple((cell, lines.get(cell.system.system_id)) for cell in row.cells)
    return DrawnRow(row, found.axis if found else None, told)


def _context(report: CampaignReport) -> dict[str, Any]:
    answers = checklist(report)
    return {
        "report": report,
        "board": report.board,
        "facts": report.facts,
        "methods": methods(report),
        "rows": list(map(_drawn, [*report.board.primary_rows, *report.board.secondary_rows])),
        "stops": [row.criterion.name for row in report.board.primary_rows if row.is_shown],
        "kinds": tuple(downloads.KINDS),
        "adjusting": "",
        "pairs": [
            (table, [(one, latex.interval_of(one), _p(one.p)) for one in pairs])
            for table, pairs in report.pairs
            if pairs
        ],
        "answers": answers,
        "n_answered": sum(not one.is_open for one in answers),
        "seconds": figures.seconds(report.work.pay.seconds),
        "bib": latex.bibliography(report),
        "section": "campaigns",
    }


def _p(value: float | None) -> str:
    return "–" if value is None else latex.p_value(value)
