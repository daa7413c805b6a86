"""Writes reproduction.md: the tables and figures beside the paper's, and the differences."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from extras.replication import charts, paper, tables, weighing
from extras.replication.cells import MetricLink, item_means
from extras.replication.curves import NOISELESS, PERFECT
from extras.replication.reproducing import REFERENCE_FREE
from extras.replication.tables import label, number

if TYPE_CHECKING:
    from extras.replication.reproducing import Data, Reproduction

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

OPENING = """# Reproduction of the paper

What `python manage.py reproduce FILE... --docs FOLDER` makes of the judgments released with
Chaganty, Mussmann and Liang, "The price of debiasing automatic metrics in natural language
evaluation" (ACL 2018), beside what the paper prints. The page is written by the command; the files
are not part of this repository.

In short: Table 2 comes out within 0.006 for the summaries once its definitions are known, and these
make human judgments look less noisy than they are. The conjectured data efficiencies of section 5
come out near the paper's ranges. Overlap with a reference saves little, as in the paper. A metric
that needs no reference, how much a summary repeats itself, saves more on these summaries than any
that the paper reports.
"""

TABLE_2 = """### Table 2

{table}

Over all judged outputs, reference texts included: without these every figure comes out larger than
printed (redundancy 0.29 and 0.45 for 0.26 and 0.43). Three readings:

- *As printed.* The paper's σ²_a is the mean over outputs of the **variance of each one's scores**,
  its σ²_f the **variance of the outputs' mean scores**. With two judgments an output the latter
  still holds half of σ²_a, so the paper's γ is too small and the data efficiency that a perfect
  metric could reach is overstated.
- *Unbiased.* The one-way analysis of variance takes that part out of σ²_f; its σ²_a is the mean
  square within outputs (MSW), where outputs judged more often count more. This is what Plumbline
  uses.
- *Crossed.* The moments of Gao and Owen (2017) also tell people from the rest: where σ²_people is
  not 0, judgments are not independent, and the paper's intervals (here, too, in Figure 6) are too
  narrow for people in general.
"""

FIGURE_2 = """### Figure 2

![Item means before and after the metric's share is taken out](images/reproduction-2.svg)

The paper's figure is a sketch; this is the data: mean edit scores of seq2seq's outputs, and the
same less α·g for the metric *repetition*, standardised over all of them. The mean (dashed) stays,
the variance falls.
"""

FIGURE_3 = """### Figure 3

![Contours of the inverse data efficiency](images/reproduction-3.svg)

Lines: the share of judgments that is left to collect, 1/DE from equation (7). Points: system ×
criterion of the summaries, with the unbiased γ and ρ freed from the judgments' noise.
"""

FIGURE_5 = """### Figure 5

![Correlations with {name}](images/reproduction-5-{criterion}.svg)

Pearson's correlation of an output's mean score with the metric; "–" where the metric does not
vary. {remark}

{tables}
"""

FIGURE_6 = """### Figure 6

![Widths of 80 % bootstrap intervals](images/reproduction-6-{instrument}.svg)

Data efficiency: squared width for human judgments alone over squared width with the metric
(Algorithm 1), averaged over 50, 100, …, 500 judgments. "eq. (7)" is the analytic value with the
unbiased γ.

{table}

{remark}
"""

CONJECTURES = """- **Noiseless judgments** (with ROUGE-1) come out at {noiseless}, the paper has
  {paper_noiseless}.
- **A perfect metric** comes out at {perfect}, the paper has {paper_perfect}.

Both follow the paper's recipe, and both are biased by it. The mean of two judgments is not
noiseless: it keeps half of σ²_a, so the first is too small; (1+γ)/(1−ρ²) beside it is what
judgments without noise would give. And a "perfect" metric made of the very judgments that it is
to explain also explains their noise, so the second is too large; the cap (1+γ)/γ beside it is
what a metric can reach.
"""

DIFFERENCES = """## What differs from the paper, and why

- **VecSim is missing.** It needs a sent2vec model, which is neither released with the data nor
  downloaded by Plumbline. The paper's 1.06 (Overall) and 1.15 (Edit) for seq2seq are for VecSim;
  they stand beside ROUGE-1 here only to give the order of magnitude.
- **METEOR** matches exact words and stems, not WordNet's synonyms, and so is named `(stems)`.
  BLEU, chrF: sacrebleu, per sentence; ROUGE: rouge-score, F-measure. The paper does not say which
  tools and settings it used.
- **Answers: a sample.** 156 of the 1,861 released outputs are at hand, 35 to 46 a system: a
  correlation has a standard error of about 0.15 there, so these rows show that the code runs, not
  what is true.
- **Answers: no references.** In this sample the list `answers` of every output holds that output
  itself, and the reference answer is there only where it was judged too. Metrics against a
  reference are therefore computed against the question and its paragraphs, which is another
  quantity; the paper's 1.16 for ROUGE-1 and its ρ = 0.31 for ROUGE-L (Figure 1b) cannot be checked.
- **What is estimated over.** Correlations and data efficiencies are per system, over all of its
  judged outputs, an output that two systems share counting for both; Table 2 counts it once. One
  summary has no judgments; one item has two outputs of `ml+rl`, both of which count.
- **Released judgments.** Annotators are numbers in the file. They are taken to be the same person
  wherever the number recurs, on which only the crossed components depend. What is left of the
  differences in Table 2 (0.424 for a printed 0.43, and γ 0.01 to 0.02 above the printed one
  throughout) is within what a few judgments more or less would do; whether the table was made from
  exactly these is not known.
- **Sampling.** A bootstrap sample draws an output with replacement and then one of its judgments,
  so that every judgment is independent, as in the paper's model; the paper does not describe its
  sampling further. {replicates:,} samples, seed {seed}; another seed moves the data efficiencies
  by a few per cent.
- **No finite population, no annotators.** The paper's bootstrap knows neither. On these judgments
  a 95 % interval that ignores annotators covers far less (docs/statistics.md), which is why
  Plumbline's own intervals are wider: see docs/measurements.md for what its rule saves.
- **Repetition was chosen with this file in view.** That it correlates with these judgments was
  known from the same data; the figure shows what it saves here, not elsewhere.
"""


def write(
    folder: Path, found: list[tuple["Data", "Reproduction"]], *, replicates: int, seed: int
) -> None:
    """Write `reproduction.md` and its images into a folder of documentation."""
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    for data, one in found:
        for name, svg in _images(data, one).items():
            (images / f"reproduction-{name}.svg").write_text(svg, encoding="utf-8")
    parts = [OPENING, *(_section(one) for _, one in found)]
    parts.append(DIFFERENCES.format(replicates=replicates, seed=seed))
    (folder / "reproduction.md").write_text("\n".join(parts), encoding="utf-8")


def _images(data: "Data", one: "Reproduction") -> dict[str, str]:
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


def _figure_2(data: "Data") -> str:
    sample = data.sample("edit", system="seq2seq", metric="repetition")
    items, mean = item_means(sample)
    x = sample.standardised_metric()[items]
    slope = float(np.cov(mean, x)[0, 1])
    return charts.figure_2(mean, mean - slope * x, title="edit (HTER) of seq2seq's outputs")


def _section(one: "Reproduction") -> str:
    criterion = IN_FIGURE_5[one.instrument]
    metric = REFERENCE_FREE[one.instrument]
    parts = [
        f"## {HEADINGS[one.instrument]}\n",
        f"{one.n_outputs:,} judged outputs, {one.n_judgments:,} judgments by {one.n_annotators} "
        "annotators.\n",
        weighing.section(one.estimates, label(metric)),
        TABLE_2.format(table=tables.table_2(one.table))
        if one.has_references
        else f"### Table 2\n\n{tables.table_2(one.table)}\n",
        *((FIGURE_2, FIGURE_3) if one.instrument == "language_quality" else ()),
        FIGURE_5.format(
            name=label(criterion),
            criterion=criterion,
            remark=_about_links(one),
            tables="\n\n".join(tables.figure_5(one, name) for name in tables.criteria(one)),
        ),
        FIGURE_6.format(
            instrument=one.instrument, table=tables.figure_6(one), remark=_conjectures(one)
        ),
    ]
    return "\n".join(parts)


def _about_links(one: "Reproduction") -> str:
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


def _conjectures(one: "Reproduction") -> str:
    def span(name: str) -> str:
        values = [c.efficiency for panel in one.panels for c in panel.curves if c.label == name]
        return f"{min(values):.2f} to {max(values):.2f}"

    printed = [f"{low} to {high}" for low, high in (paper.NOISELESS, paper.PERFECT)]
    text = CONJECTURES.format(
        noiseless=span(NOISELESS),
        paper_noiseless=printed[0],
        perfect=span(PERFECT),
        paper_perfect=printed[1],
    )
    return text if one.has_references else text.split("\n\n")[0]
