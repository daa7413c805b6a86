"""The numbers that the paper prints, for comparison with the released data's."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A row of Table 2: annotator variance, human metric variance, and their ratio."""

    noise: float
    item: float
    gamma: float


TABLE_2 = {
    "fluency": Printed(0.32, 0.26, 1.23),
    "redundancy": Printed(0.26, 0.43, 0.61),
    "overall": Printed(0.28, 0.28, 1.00),
    "edit": Printed(0.07, 0.18, 0.36),
    "any_correct": Printed(0.14, 0.15, 0.95),
    "avg_correct": Printed(0.12, 0.13, 0.91),
}
# (system, criterion) -> data efficiency by metric: the captions of Figure 6.
FIGURE_6 = {
    ("seq2seq", "overall"): {"VecSim": 1.06},
    ("seq2seq", "edit"): {"VecSim": 1.15},
    ("fastqa_ext", "any_correct"): {"VecSim": 1.03, "ROUGE-1": 1.16},
}
NOISELESS = (1.42, 1.69)  # data efficiencies without annotator variance, section 5
PERFECT = (2.38, 7.25)  # with a metric of perfect correlation, section 5
FIGURE_1B = 0.31  # correlation of ROUGE-L and AnyCorrect for fastqa
