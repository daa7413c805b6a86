"""The cells: which campaigns are drawn, and the width that each is to reach."""

from dataclasses import dataclass

from bench.coverage.intervals import Protocol
from estimation.core import BALANCE, MIN_ITEMS, MIN_ITEMS_UNBOUNDED, PERSON_SHARE, Scale
from estimation.core.simulation import BINARY, HTER_LIKE, TERNARY, Marginal, Plan, marginal

GOOD = Marginal((-1.0, 0.0, 1.0), (0.02, 0.08, 0.90), Scale(-1.0, 1.0))
# Shares of correct paragraphs, as in the released answers: most are none or all.
PROPORTION = Marginal((0.0, 0.25, 0.5, 0.75, 1.0), (0.36, 0.07, 0.08, 0.06, 0.43), Scale(0.0, 1.0))
# Five levels for two texts, of which the first is a little better, and how often it wins.
PREFERENCE = Marginal((-1.0, -0.5, 0.0, 0.5, 1.0), (0.12, 0.22, 0.18, 0.28, 0.20), Scale(-1.0, 1.0))
WINS = Marginal((0.0, 0.5, 1.0), (0.34, 0.18, 0.48), Scale(0.0, 1.0))
# A slider: people heap at its ends, its middle and the tens. Most texts are fairly good.
SLIDER = Marginal(
    (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 67.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0),
    (0.05, 0.03, 0.04, 0.05, 0.05, 0.13, 0.07, 0.05, 0.11, 0.12, 0.06, 0.11, 0.04, 0.09),
    Scale(0.0, 100.0),
)
# Weighted errors for 100 words: half of the texts have none, and a few have many or critical ones.
MQM = Marginal(
    (0.0, 1.5, 3.0, 6.0, 8.0, 12.0, 18.0, 30.0, 60.0),
    (0.50, 0.12, 0.10, 0.09, 0.07, 0.05, 0.04, 0.02, 0.01),
    Scale(0.0, 25.0, bounded=False),
)


@dataclass(frozen=True, slots=True)
class Criterion:
    """Scores of one kind: their distribution, the shares of item and person in their variance
    as released, and what the protocol fixes for them."""

    name: str
    marginal: Marginal
    item: float
    person: float
    balance: float
    person_share: float

    @property
    def protocol(self) -> Protocol:
        """The scale, λ and π."""
        return Protocol(self.marginal.scale, self.balance, self.person_share)


CRITERIA = {
    found.name: found
    for found in (
        Criterion("ternary", TERNARY, 0.139 / 0.43, 0.059 / 0.43, 0.16, 0.08),
        Criterion("ternary .88", GOOD, 0.139 / 0.43, 0.059 / 0.43, 0.16, 0.08),
        Criterion("proportion", PROPORTION, 0.34, 0.09, 0.10, 0.08),
        Criterion("binary .5", marginal("binary", mean=0.5), 0.35, 0.12, 0.14, 0.08),
        Criterion("binary .9", BINARY, 0.35, 0.12, 0.14, 0.08),
        Criterion("preference", PREFERENCE, 0.25, 0.13, BALANCE, PERSON_SHARE),
        Criterion("wins", WINS, 0.25, 0.13, BALANCE, PERSON_SHARE),
        Criterion("slider", SLIDER, 0.25, 0.13, BALANCE, PERSON_SHARE),
        Criterion("MQM", MQM, 0.25, 0.13, BALANCE, PERSON_SHARE),
        Criterion("HTER", HTER_LIKE, 0.143 / 0.21, 0.006 / 0.21, 0.03, 0.03),
    )
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the table.

    places, sd: how many people work at a time, and the sd of their log activity. replaced:
    whether a new person takes the place of one who reaches the cap. person: their share of the
    variance, None as released. width: the target; 0 where there is none.
    """

    scores: str
    places: int
    sd: float
    width: float
    replaced: bool = True
    cap: int | None = 25
    doubles: float = 0.25
    raters: int = 2
    rho: float = 0.5
    person: float | None = None
    outputs: int = 1500
    level: float = 0.95
    judged: float = 1.0

    @property
    def criterion(self) -> Criterion:
        """The scores' distribution and protocol."""
        return CRITERIA[self.scores]

    @property
    def plan(self) -> Plan:
        """How its campaigns are drawn."""
        scores = self.criterion
        return Plan(
            scores.marginal,
            scores.item,
            scores.person if self.person is None else self.person,
            rho=self.rho,
            n_population=self.outputs,
            cap=self.cap,
            double_share=self.doubles,
            raters=self.raters,
            places=self.places,
            unevenness=self.sd,
            replaced=self.replaced,
        )

    @property
    def least_items(self) -> int:
        """With fewer items the rule does not stop."""
        return MIN_ITEMS if self.criterion.marginal.scale.bounded else MIN_ITEMS_UNBOUNDED

    @property
    def crowd(self) -> str:
        """In words."""
        kind = "pool of " if not self.replaced else ""
        return f"{kind}{self.places} {'even' if self.sd == 0 else f'sd {self.sd:g}'}"


STOPPING = (
    Cell("ternary", 40, 1, 0.25),
    Cell("ternary", 40, 2, 0.25),
    Cell("ternary", 100, 1, 0.20),
    Cell("ternary", 130, 1, 0.15, rho=0.8),
    Cell("ternary", 15, 1, 0.25),
    Cell("ternary", 20, 1, 0.25, rho=0.0, level=0.90),
    Cell("ternary", 10, 0, 0.25),
    Cell("ternary", 300, 1, 0.20, replaced=False, doubles=0.0),
    Cell("ternary", 300, 2, 0.25, replaced=False, person=0.30),
    Cell("ternary", 40, 1, 0.20, cap=10),
    Cell("ternary", 100, 1, 0.20, cap=None),
    Cell("ternary", 40, 1, 0.25, doubles=0.0, rho=0.0),
    Cell("ternary", 40, 1, 0.30, person=0.30),
    Cell("ternary", 40, 1, 0.20, person=0.0, outputs=300),
    Cell("ternary .88", 40, 1, 0.12),
    Cell("ternary .88", 100, 2, 0.10, cap=10, person=0.0, outputs=300),
    Cell("ternary .88", 15, 1, 0.12, rho=0.0, level=0.90),
    Cell("proportion", 40, 1, 0.15),
    Cell(
        "proportion", 300, 1, 0.15, replaced=False, doubles=0.0, rho=0.8, person=0.30, outputs=300
    ),
    Cell("proportion", 20, 2, 0.15, cap=10, rho=0.0, level=0.90),
    Cell("binary .5", 40, 1, 0.15),
    Cell("binary .5", 100, 1, 0.15, cap=None, outputs=300),
    Cell("binary .5", 15, 1, 0.12, person=0.0, level=0.90),
    Cell("binary .9", 40, 1, 0.10),
    Cell("binary .9", 10, 0, 0.08, cap=10, doubles=0.0, rho=0.0, person=0.0),
    Cell("HTER", 40, 1, 0.12),
    Cell("HTER", 130, 2, 0.10, rho=0.8, person=0.0),
    Cell("HTER", 100, 1, 0.10, cap=10, outputs=300, level=0.90),
)

# Of comparisons, which the tests look at; the table of the page does not hold them.
PAIRS = (
    Cell("preference", 40, 1, 0.20),
    Cell("wins", 40, 1, 0.12),
    Cell("preference", 40, 1, 0.20, person=0.0, outputs=300),
)

# Of sliders, marked errors, and three raters, which the tests look at.
OWN_KINDS = (
    Cell("slider", 40, 1, 11.0),
    Cell("slider", 15, 1, 12.0, person=0.0),
    Cell("MQM", 40, 1, 3.5),
    Cell("MQM", 40, 1, 3.5, person=0.0, rho=0.0),
    Cell("ternary", 40, 1, 0.25, raters=3),
    Cell("slider", 40, 1, 11.0, doubles=1.0, raters=3, person=0.0),
)

CENSUS = (
    Cell("ternary .88", 60, 1, 0, outputs=60),
    Cell("ternary .88", 60, 1, 0, outputs=60, doubles=0.05, person=0.0),
    Cell("ternary .88", 40, 1, 0, outputs=100, judged=0.75, doubles=0.02),
    Cell("ternary .88", 40, 1, 0, outputs=200, judged=0.5, person=0.0),
    Cell("ternary", 60, 1, 0, outputs=60, doubles=0.10),
    Cell("ternary", 40, 1, 0, outputs=100, person=0.0),
    Cell("ternary", 100, 1, 0, outputs=200, doubles=0.02),
    Cell("ternary", 40, 2, 0, outputs=200, judged=0.75, doubles=0.05),
    Cell("HTER", 60, 1, 0, outputs=100),
    Cell("HTER", 40, 1, 0, outputs=100, doubles=0.02, person=0.0),
    Cell("HTER", 40, 1, 0, outputs=200, judged=0.75, doubles=0.10),
    Cell("binary .9", 60, 1, 0, outputs=60, doubles=0.10, person=0.0),
    Cell("binary .9", 40, 1, 0, outputs=100, judged=0.5),
    Cell("binary .9", 100, 1, 0, outputs=200, doubles=0.05),
)
