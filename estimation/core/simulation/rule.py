"""What is done with a campaign: how it is estimated, when it stops, what is reported."""

from dataclasses import dataclass
from typing import Literal, get_args

from estimation.core.data.errors import InvalidOptionError
from estimation.core.estimators.fit import ESTIMATORS, Estimator
from estimation.core.estimators.parts import ESTIMANDS, INTERVALS, Estimand, IntervalMethod
from estimation.core.intervals.interval import check_level
from estimation.core.stopping.sequence import check_planned_items

Look = Literal["precision", "anytime"]
Report = Literal["drained", "at_once", "spill"]
Weighing = Literal["work", "equal"]
LOOKS: tuple[str, ...] = get_args(Look)
REPORTS: tuple[str, ...] = get_args(Report)
WEIGHINGS: tuple[str, ...] = get_args(Weighing)


@dataclass(frozen=True, slots=True)
class Rule:
    """A stopping rule, checked after every judgment, and the report that follows.

    target_width: full width in score units. estimator, interval, estimand, finite_population,
    pseudo_rows: as in `estimate`.
    look: by which width it stops, and what it reports: "precision" the interval's, "anytime" that
    of the confidence sequence, planned for `planned_items` (see `confidence_sequence`).
    report: "drained" finishes what is leased at the stop, and goes on should the interval then
    be too wide; "at_once" takes only what is finished; "spill" adds to the drained sample all
    later judgments of shared outputs, as if another system had gone on to its last output.
    weighing: the people of the truth that a population interval must cover: by the "work" that
    they are expected to do until then, or "equal". A panel's truth is always by its own work.

    Raises InvalidOptionError.
    """

    target_width: float
    level: float = 0.95
    estimator: Estimator = "regression"
    interval: IntervalMethod = "two_way"
    estimand: Estimand = "population"
    finite_population: bool = True
    pseudo_rows: bool = True
    report: Report = "drained"
    weighing: Weighing = "work"
    look: Look = "precision"
    planned_items: float = 200.0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_planned_items(self.planned_items)
        if not self.target_width > 0:
            raise InvalidOptionError(
                f"A target width is a positive number; got {self.target_width}."
            )
        for given, known in (
            (self.estimator, ESTIMATORS),
            (self.interval, INTERVALS),
            (self.estimand, ESTIMANDS),
            (self.report, REPORTS),
            (self.weighing, WEIGHINGS),
            (self.look, LOOKS),
        ):
            if given not in known:
                raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
