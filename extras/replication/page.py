"""Writes reproduction.md: the tables and figures beside the paper's, and the differences."""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean

import numpy as np

from extras.replication import charts
from extras.replication.reproducing import (
    LEVEL,
    NOISELESS,
    PAIRS,
    PERFECT,
    REFERENCE_FREE,
    WAYS,
    Data,
    MetricLink,
    Panel,
    Reproduction,
    Spread,
    WeighedRow,
    item_means,
    label,
    markdown,
    number,
)

# The page's prose by the name of its part: of each, `<!-- NAME -->` and what follows.
_PARTS = re.split(
    r"^<!-- (\w+) -->\n", Path(__file__).with_name("reproduction.md").read_text(), flags=re.M
)
PROSE = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))


# Of the paper: annotator variance, human metric variance, and their ratio.
PRINTED_TABLE_2 = {
    "fluency": (0.32, 0.26, 1.23),
    "redundancy": (0.26, 0.43, 0.61),
    "overall": (0.28, 0.28, 1.00),
    "edit": (0.07, 0.18, 0.36),
    "any_correct": (0.14, 0.15, 0.95),
    "avg_correct": (0.12, 0.13, 0.91),
}
# (system, criterion) -> data efficiency by metric: the captions of Figure 6.
PRINTED_FIGURE_6 = {
    ("seq2seq", "overall"): {"VecSim": 1.06},
    ("seq2seq", "edit"): {"VecSim": 1.15},
    ("fastqa_ext", "any_correct"): {"VecSim": 1.03, "ROUGE-1": 1.16},
}
PRINTED_NOISELESS = (1.42, 1.69)  # data efficiencies without annotator variance, section 5
PRINTED_PERFECT = (2.38, 7.25)  # with a metric of perfect correlation, section 5


def text(found: Reproduction) -> str:
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


def criteria(found: Reproduction) -> list[str]:
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
    noise, item, gamma = PRINTED_TABLE_2[row.criterion]
    apart = row.crossed
    return [
        label(row.criterion),
        number(noise),
        number(row.mean_within, 4),
        number(item),
        number(row.item_means, 4),
        number(gamma),
        number(row.gamma_printed),
        number(row.noise, 4),
        number(row.item, 4),
        number(row.gamma),
        number(apart.item, 3),
        number(apart.person, 3),
        number(apart.rest, 3),
    ]


def figure_5(found: Reproduction, criterion: str) -> str:
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


def figure_6(found: Reproduction) -> str:
    metrics = [c.label for c in found.panels[0].curves[1:] if c.label not in (NOISELESS, PERFECT)]
    head = ["system", "criterion", "outputs", "paper"]
    for metric in metrics:
        head += [label(metric), "eq. (7)"]
    head += [NOISELESS, "(1+γ)/(1−ρ²)", PERFECT, "(1+γ)/γ"]
    return markdown(head, [_panel_row(found, panel, metrics) for panel in found.panels])


def _panel_row(found: Reproduction, panel: Panel, metrics: list[str]) -> list[str]:
    efficiency = {curve.label: curve.efficiency for curve in panel.curves}
    links = {
        link.metric: link
        for link in found.links
        if (link.system, link.criterion) == (panel.system, panel.criterion)
    }
    printed = PRINTED_FIGURE_6.get((panel.system, panel.criterion), {})
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


def section(rows: Sequence[WeighedRow], metric: str) -> str:
    """Return the section of the page, the geometric means over all rows first."""
    return PROSE["ESTIMATES"].format(
        level=round(100 * LEVEL),
        metric=metric,
        n=len(rows),
        summary=_summary(rows),
        rows=_table(rows),
    )


def _summary(rows: Sequence[WeighedRow]) -> str:
    lines = []
    for first, second in PAIRS:
        values = [row.efficiency(first, second) for row in rows]
        span = f"{number(min(values))} to {number(max(values))}"
        lines.append([f"{first} / {second}", number(geometric_mean(values)), span])
    return markdown(["", "geometric mean", "range"], lines)


def _table(rows: Sequence[WeighedRow]) -> str:
    head = ["system", "criterion", *WAYS, *(f"{first} / {second}" for first, second in PAIRS)]
    return markdown(
        head,
        [
            [
                row.system,
                label(row.criterion),
                *(
                    f"{number(one.estimate)} [{number(one.low)}, {number(one.high)}]"
                    for one in row.found
                ),
                *(number(row.efficiency(*pair)) for pair in PAIRS),
            ]
            for row in rows
        ],
    )


# The plotted panels: those of the paper that the released file allows.
PANELS = {
    "language_quality": (("seq2seq", "overall"), ("seq2seq", "edit")),
    "answer_correctness": (("fastqa_ext", "any_correct"), ("fastqa", "any_correct")),
}
IN_FIGURE_5 = {"language_quality": "edit", "answer_correctness": "any_correct"}
HEADINGS = {
    "language_quality": "Language quality of summaries (CNN/Daily Mail)",
    "answer_correctness": "Answer correctness (MS MARCO, sample)",
}


def write(
    folder: Path, found: list[tuple[Data, Reproduction]], *, replicates: int, seed: int
) -> None:
    """Write `reproduction.md` and its images into a folder of documentation."""
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    for data, one in found:
        for name, svg in _images(data, one).items():
            (images / f"reproduction-{name}.svg").write_text(svg, encoding="utf-8")
    parts = [PROSE["OPENING"], *(_section(one) for _, one in found)]
    parts.append(PROSE["DIFFERENCES"].format(replicates=replicates, seed=seed))
    (folder / "reproduction.md").write_text("\n".join(parts), encoding="utf-8")


def _images(data: Data, one: Reproduction) -> dict[str, str]:
    """Return the figures by name; 2 and 3 for the summaries only."""
    criterion, wanted = IN_FIGURE_5[one.instrument], PANELS[one.instrument]
    by_name = {(panel.system, panel.criterion): panel.curves for panel in one.panels}
    drawn = {
        f"5-{criterion}": charts.figure_5([x for x in one.links if x.criterion == criterion]),
        f"6-{one.instrument}": charts.figure_6(
            [(f"{system}, {label(name)}", by_name[system, name]) for system, name in wanted]
        ),
    }
    if one.instrument == "language_quality":
        drawn["2"] = _figure_2(data)
        drawn["3"] = charts.figure_3(
            [x for x in one.links if x.metric in ("rouge_1_f", "repetition")]
        )
    return drawn


def _figure_2(data: Data) -> str:
    sample = data.sample("edit", system="seq2seq", metric="repetition")
    items, mean = item_means(sample)
    x = sample.standardised_metric()[items]
    slope = float(np.cov(mean, x)[0, 1])
    return charts.figure_2(mean, mean - slope * x, title="edit (HTER) of seq2seq's outputs")


def _section(one: Reproduction) -> str:
    criterion = IN_FIGURE_5[one.instrument]
    metric = REFERENCE_FREE[one.instrument]
    parts = [
        f"## {HEADINGS[one.instrument]}\n",
        f"{one.n_outputs:,} judged outputs, {one.n_judgments:,} judgments by {one.n_annotators} "
        "annotators.\n",
        section(one.estimates, label(metric)),
        PROSE["TABLE_2"].format(table=table_2(one.table))
        if one.has_references
        else f"### Table 2\n\n{table_2(one.table)}\n",
        *((PROSE["FIGURE_2"], PROSE["FIGURE_3"]) if one.instrument == "language_quality" else ()),
        PROSE["FIGURE_5"].format(
            name=label(criterion),
            criterion=criterion,
            remark=_about_links(one),
            tables="\n\n".join(figure_5(one, name) for name in criteria(one)),
        ),
        PROSE["FIGURE_6"].format(
            instrument=one.instrument, table=figure_6(one), remark=_conjectures(one)
        ),
    ]
    return "\n".join(parts)


def _about_links(one: Reproduction) -> str:
    if not one.has_references:
        return (
            "BLEU to chrF are against the question and its\nparagraphs, here and in Figure 6 (why: "
            "see below); the paper's are against the reference answer."
        )
    edits = [x for x in one.links if x.criterion == "edit"]
    overlap = [x for x in edits if x.metric in ("bleu", "rouge_1_f", "rouge_2_f", "rouge_l_f")]
    return (
        f"Edit is better when lower, hence the signs. Overlap with the\nreference stays between "
        f"{_span(overlap)} for Edit: low, as the paper says (its figure prints no\nnumbers); "
        f"repetition lies between {_span([x for x in edits if x.metric == 'repetition'])}."
    )


def _span(links: list[MetricLink]) -> str:
    values = [link.r for link in links if link.r is not None]
    return f"{number(min(values))} and {number(max(values))}"


def _conjectures(one: Reproduction) -> str:
    def span(name: str) -> str:
        values = [c.efficiency for panel in one.panels for c in panel.curves if c.label == name]
        return f"{min(values):.2f} to {max(values):.2f}"

    printed = [f"{low} to {high}" for low, high in (PRINTED_NOISELESS, PRINTED_PERFECT)]
    text = PROSE["CONJECTURES"].format(
        noiseless=span(NOISELESS),
        paper_noiseless=printed[0],
        perfect=span(PERFECT),
        paper_perfect=printed[1],
    )
    return text if one.has_references else text.split("\n\n")[0]
