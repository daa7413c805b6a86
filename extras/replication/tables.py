"""The reproduction as Markdown tables that are readable as plain text."""

from typing import TYPE_CHECKING

from extras.replication import paper
from extras.replication.cells import MetricLink, Spread
from extras.replication.curves import NOISELESS, PERFECT

if TYPE_CHECKING:
    from extras.replication.reproducing import Panel, Reproduction

LABELS = {
    "fluency": "Fluency",
    "redundancy": "Redundancy",
    "overall": "Overall",
    "edit": "Edit",
    "any_correct": "AnyCorrect",
    "avg_correct": "AvgCorrect",
    "bleu": "BLEU",
    "rouge_1_f": "ROUGE-1",
    "rouge_2_f": "ROUGE-2",
    "rouge_l_f": "ROUGE-L",
    "meteor_exact_stem": "METEOR (stems)",
    "chrf": "chrF",
    "repetition": "repetition",
    "repetition_edit": "repetition as an edit",
    "adjacent_duplicates": "doubled words",
    "unknown_tokens": "unknown words",
    "length": "length",
}


def label(name: str) -> str:
    return LABELS.get(name, name)


def text(found: "Reproduction") -> str:
    """Return every table of one file, with headings."""
    return "\n\n".join(
        [
            f"{found.instrument}: {found.n_outputs} judged outputs, {found.n_judgments} judgments "
            f"by {found.n_annotators} annotators",
            "Table 2",
            table_2(found.table),
            "Figure 5: correlation of item means with metrics"
            + ("" if found.has_references else " (against the question and the paragraphs)"),
            *(figure_5(found, criterion) for criterion in criteria(found)),
            "Figure 6: data efficiency from 80 % bootstrap intervals, beside equation (7)",
            figure_6(found),
        ]
    )


def criteria(found: "Reproduction") -> list[str]:
    """Return the criteria of the figures, in order."""
    return list(dict.fromkeys(panel.criterion for panel in found.panels))


def table_2(rows: tuple[Spread, ...]) -> str:
    head = [
        "criterion",
        "σ²_a paper",
        "mean variance",
        "σ²_f paper",
        "variance of means",
        "γ paper",
        "their ratio",
        "MSW",
        "σ²_f unbiased",
        "γ unbiased",
        "crossed: items",
        "people",
        "rest",
    ]
    return markdown(head, [_spread_row(row) for row in rows])


def _spread_row(row: Spread) -> list[str]:
    printed = paper.TABLE_2[row.criterion]
    apart = row.crossed
    return [
        label(row.criterion),
        number(printed.noise),
        number(row.mean_within, 4),
        number(printed.item),
        number(row.item_means, 4),
        number(printed.gamma),
        number(row.gamma_printed),
        number(row.noise, 4),
        number(row.item, 4),
        number(row.gamma),
        number(apart.item, 3),
        number(apart.person, 3),
        number(apart.rest, 3),
    ]


def figure_5(found: "Reproduction", criterion: str) -> str:
    links = [link for link in found.links if link.criterion == criterion]
    systems = list(dict.fromkeys(link.system for link in links))
    by_metric: dict[str, dict[str, MetricLink]] = {}
    for link in links:
        by_metric.setdefault(link.metric, {})[link.system] = link
    rows = [
        [label(metric), *(number(of[system].r) for system in systems)]
        for metric, of in by_metric.items()
    ]
    return markdown([label(criterion), *systems], rows)


def figure_6(found: "Reproduction") -> str:
    metrics = [c.label for c in found.panels[0].curves[1:] if c.label not in (NOISELESS, PERFECT)]
    head = ["system", "criterion", "outputs", "paper"]
    for metric in metrics:
        head += [label(metric), "eq. (7)"]
    head += [NOISELESS, "(1+γ)/(1−ρ²)", PERFECT, "(1+γ)/γ"]
    return markdown(head, [_panel_row(found, panel, metrics) for panel in found.panels])


def _panel_row(found: "Reproduction", panel: "Panel", metrics: list[str]) -> list[str]:
    efficiency = {curve.label: curve.efficiency for curve in panel.curves}
    links = {
        link.metric: link
        for link in found.links
        if (link.system, link.criterion) == (panel.system, panel.criterion)
    }
    printed = paper.FIGURE_6.get((panel.system, panel.criterion), {})
    row = [
        panel.system,
        label(panel.criterion),
        str(panel.n_outputs),
        ", ".join(f"{name} {value:.2f}" for name, value in printed.items()) or "–",
    ]
    for metric in metrics:
        row += [number(efficiency[metric]), number(links[metric].efficiency)]
    first = links[metrics[0]]
    return [
        *row,
        number(efficiency[NOISELESS]),
        number(without_noise(first)),
        number(efficiency[PERFECT]),
        number(first.cap),
    ]


def without_noise(link: MetricLink) -> float | None:
    """Return (1 + gamma) / (1 - rho²): noiseless judgments with this metric against noisy ones."""
    if link.rho is None or link.gamma is None or abs(link.rho) == 1:
        return None
    return (1 + link.gamma) / (1 - link.rho**2)


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a table with padded columns, so that its source is readable."""
    lines = [head, *rows]
    widths = [max(3, *(len(line[k]) for line in lines)) for k in range(len(head))]
    padded = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    return "\n".join([padded[0], rule, *padded[1:]])
