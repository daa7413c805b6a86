"""The report in LaTeX: methods paragraphs and tables (booktabs), and BibTeX entries."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from annotate.common.numbers import count, number, percent, series, short, signed, width
from config.version import VERSION
from estimation.pages.criteria import CriterionRow, ShownContrast
from estimation.pages.numbers import Ranking
from estimation.pages.report import CampaignReport, methods, plain

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # BibTeX counts braces, also after a backslash
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "−": "$-$",
    "–": "--",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
    "\u202f": "~",
}
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def escaped(text: str) -> str:
    """Return text that LaTeX prints as it is, in one line; control characters become spaces.

    Ligatures (`--`, `''`, `?'`) are kept apart. Half a surrogate pair becomes a replacement
    character.
    """
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    visible = "".join(" " if unicodedata.category(one) == "Cc" else one for one in whole)
    # Single spaces, where a line might end; non-breaking ones stay.
    joined = re.sub(r"[ \t\n\r\f\v\x85\u2028\u2029]+", " ", visible)
    return "".join(_apart([_ESCAPES.get(one, one) for one in joined]))


def _apart(pieces: Sequence[str]) -> Iterator[str]:
    """Yield the pieces, with `{}` between characters that TeX would join."""
    before = ""
    for piece in pieces:
        if (before == piece and piece in "-'`,") or (before, piece) in _LIGATURES:
            yield "{}"
        yield piece
        before = piece


_LIGATURES = {("?", "`"), ("!", "`")}


def document(report: CampaignReport) -> str:
    facts = report.facts
    lines = [
        f"% {_SPACES.sub(' ', facts.name.encode('utf-8', 'replace').decode())}",
        f"% Plumbline {VERSION}, protocol {report.digest or 'none'}.",
        "% Needs \\usepackage{booktabs} and an engine that reads UTF-8.",
        *(["% INTERIM: the campaign is not final."] if report.is_interim else []),
        "",
    ]
    for one in methods(report):
        lines += [escaped(plain(one)), ""]
    for row in (*report.board.primary_rows, *report.board.secondary_rows):
        lines += [*_estimates(report, row), ""]
    for table, pairs in report.pairs:
        lines += [*_differences(report, table.criterion.name, pairs), ""]
    for ranking in report.board.ranking.each:
        lines += [*_ranking(ranking), ""]
    return "\n".join(lines)


def _estimates(report: CampaignReport, row: CriterionRow) -> Iterable[str]:
    level = percent(report.facts.level)
    caption = (
        f"Estimates of {row.criterion.name} ({row.criterion.scale_text}) with {level} intervals."
    )
    heads = ["System", "Estimate", f"{level} interval", "Width", "Judgments"]
    cells = [
        [
            one.system.name,
            number(one.shown.estimate) if one.shown else "–",
            f"[{number(one.low)}, {number(one.high)}]" if one.shown and one.width else "–",
            width(one.width_shown) if one.shown else "–",
            count(one.row.n_judgments) if one.row else "–",
        ]
        for one in row.cells
    ]
    return _table(caption, heads, cells, "lrlrr")


def _differences(
    report: CampaignReport, criterion: str, pairs: Iterable[tuple[ShownContrast, float | None]]
) -> Iterable[str]:
    level = percent(report.facts.level)
    heads = ["Pair", "Difference", f"{level} interval", "p, Holm"]
    cells = [
        [
            f"{one.first} − {one.second}",
            signed(one.difference),
            interval_of(one),
            p_value(p),
        ]
        for one, p in pairs
    ]
    return _table(f"Differences of {criterion}, paired by item.", heads, cells, "lrlr")


def _ranking(one: Ranking) -> Iterable[str]:
    caption = f"Ranking by {one.criterion.name}: {one.in_words}; margin {short(one.margin)}."
    cells = [[pair.name, pair.state.word] for pair in one.pairs]
    return _table(caption, ["Pair", "Decision"], cells, "ll")


def interval_of(one: ShownContrast) -> str:
    """Return `[−0.10, +0.20]`, or a dash."""
    return "–" if one.ends is None else f"[{signed(one.ends[0])}, {signed(one.ends[1])}]"


def p_value(p: float | None) -> str:
    """Return `.021`, `< .001` or `1`; a dash for None."""
    if p is None:
        return "–"
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1"


def _table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], columns: str
) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line(heads),
        r"\midrule",
        *(_line(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _line(cells: Iterable[str]) -> str:
    # A row that begins with a bracket would be read as an option of the line break before it.
    return " & ".join("{}" + escaped(cell) for cell in cells) + r" \\"


def bibliography(report: CampaignReport) -> str:
    closed = report.facts.closed_at or report.at
    title = escaped(report.facts.name)
    systems = escaped(series([one.name for one in report.facts.systems] or ["texts"]))
    return f"""@misc{{{report.campaign.public_id},
  title = {{{{{title}}}: a human evaluation of {systems}}},
  year  = {{{closed.year}}},
  note  = {{Plumbline report, protocol sha256:{report.digest or "none"}}}
}}

@software{{plumbline,
  title   = {{Plumbline}},
  author  = {{{{The Plumbline developers}}}},
  version = {{{VERSION}}}
}}

@inproceedings{{chaganty-etal-2018-price,
  title     = {{The price of debiasing automatic metrics in natural language evaluation}},
  author    = {{Chaganty, Arun Tejasvi and Mussmann, Stephen and Liang, Percy}},
  booktitle = {{Proceedings of the 56th Annual Meeting of the Association for Computational
               Linguistics (Volume 1: Long Papers)}},
  year      = {{2018}},
  pages     = {{643--653}},
  doi       = {{10.18653/v1/P18-1060}}
}}
"""
