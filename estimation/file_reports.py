"""What `manage.py estimate` tells: estimates, differences and places from plain files."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from math import ceil, isfinite
from typing import Any, TypeVar

from annotate.common.numbers import many, short, signed
from estimation import core, from_files
from estimation.from_files import KNOWN_CRITERIA, FileError, Selection, Table

BOOTSTRAPS = {"bootstrap": core.bootstrap, "pigeonhole": core.pigeonhole}
INTERVAL_NAMES = ("two_way", "iid", *BOOTSTRAPS, "sequence")
_INDEPENDENT = (
    "The interval treats every judgment as an independent draw: it is too narrow where people "
    "differ, and is offered for comparison only.",
)
INTERVAL_NOTICES = {
    "iid": _INDEPENDENT,
    "bootstrap": _INDEPENDENT,
    "pigeonhole": (
        "The pigeonhole bootstrap errs on the safe side: its interval may be too wide.",
    ),
}
REPLICATES = 2000
RESAMPLED = tuple(name for name in core.ESTIMATORS if name != "balanced")


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    """How to estimate. balance, person_share: by criterion.

    metric_transform: how metrics entered the samples; "" without metrics.
    items_known: whether it is known how many outputs there are, judged or not.
    """

    estimator: str
    interval: str = "two_way"
    estimand: core.Estimand = "population"
    level: float = 0.95
    finite_population: bool = True
    seed: int = 0
    metric_transform: str = ""
    items_known: bool = False
    balance: Mapping[str, float] = field(default_factory=dict)
    person_share: Mapping[str, float] = field(default_factory=dict)

    def options(self, criterion: str) -> dict[str, Any]:
        """Return the library's options for a criterion: as given, else by its name if it is one of
        ours, else the usual ones. No share of the outputs is known where their number is not."""
        known = KNOWN_CRITERIA.get(criterion)
        usual = (known.balance, known.person_share) if known else (core.BALANCE, core.PERSON_SHARE)
        return {
            "estimand": self.estimand,
            "finite_population": self.finite_population and self.items_known,
            "balance": self.balance.get(criterion, usual[0]),
            "person_share": self.person_share.get(criterion, usual[1]),
        }


def about(asked: EstimateOptions) -> tuple[str, ...]:
    """Notes about the interval that do not depend on the data."""
    own = core.REGISTERED[asked.estimator].notice
    return (*([own] if own else []), *INTERVAL_NOTICES.get(asked.interval, ()))


def ends_of(
    found: core.Estimate | core.Difference, sample: core.Sample | None, asked: EstimateOptions
) -> dict[str, float | None]:
    """Return low, high, std_error and df of the interval, not cut to the scale.

    Of an estimate, or of a difference, which has no sample of its own. low, high: None where the
    data admit none. df: None for an interval that is not a t interval.
    Raises InvalidOptionError for an interval that the estimator does not have.
    """
    core.check_level(asked.level)
    low = high = df = None
    std_error = found.std_error
    try:
        ends = _interval(found, sample, asked)
    except core.IntervalUnavailableError:
        pass
    else:
        low, high = ends.low, ends.high
        if isinstance(ends, core.BootstrapInterval):
            std_error = ends.std_error
        elif isfinite(ends.df):
            df = ends.df
    return {"low": low, "high": high, "std_error": std_error, "df": df}


def _interval(
    found: core.Estimate | core.Difference, sample: core.Sample | None, asked: EstimateOptions
) -> core.Interval | core.BootstrapInterval:
    if asked.interval == "two_way" or (asked.interval == "iid" and sample is not None):
        return found.interval(asked.level)
    if sample is None or isinstance(found, core.Difference):
        raise core.InvalidOptionError("A difference has the two_way interval only.")
    if asked.interval == "sequence":
        # N is fixed before the first judgment, as what the sequence is tuned to must be: it is
        # narrowest at the census.
        planned = found.n_population / core.ITEMS_FACTOR
        return core.confidence_sequence(found, level=asked.level, planned_items=planned)
    estimator = asked.estimator
    if estimator not in RESAMPLED:
        raise core.InvalidOptionError(f"The {asked.interval} has no estimator {asked.estimator}.")
    return BOOTSTRAPS[asked.interval](
        sample,
        estimator=estimator,  # type: ignore[arg-type]  # just checked
        level=asked.level,
        replicates=REPLICATES,
        seed=asked.seed,
    )


# An estimate, or a difference, with all that the command line tells about it, as plain data.


T = TypeVar("T")

ITEMS_KNOWN = "The interval is corrected for the share of all outputs that was judged."
ITEMS_UNKNOWN = (
    "How many outputs there are is not known, so the interval is not corrected for the share that "
    "was judged: say --items N, or list all outputs in a metrics file."
)
ITEMS_A_SAMPLE = (
    "The outputs count as a sample themselves: no finite-population correction, as was asked."
)


@dataclass(frozen=True)
class Report:
    """One system, or one pair, on one criterion: its estimate, the interval, and the rest.

    scale: what an interval is cut to for display; None for a difference. components: as
    `components` tells them; none of a difference. rho: the metric's correlation with the human
    metric; gamma: normalised annotator variance.
    """

    system: str
    criterion: str
    asked: EstimateOptions
    found: core.Estimate | core.Difference
    n_judgments: int
    scale: core.Scale | None
    components: Mapping[str, float | None]
    rho: float | None
    gamma: float | None
    notices: tuple[str, ...]
    low: float | None
    high: float | None
    std_error: float | None
    df: float | None

    @property
    def groups(self) -> list[int] | None:
        """How many groups of items are judged, of how many; None without groups."""
        found = self.found
        if found.n_units_population == found.n_population:
            return None
        return [found.n_units, found.n_units_population]

    @property
    def data_efficiency(self) -> float | None:
        """Equation (7); None where unknown or infinite."""
        if self.rho is None or self.gamma is None:
            return None
        return _finite(core.data_efficiency(rho=self.rho, gamma=self.gamma))

    @property
    def cap(self) -> float | None:
        """The data efficiency of a perfect metric; None where unknown or infinite."""
        return None if self.gamma is None else _finite(core.data_efficiency_cap(gamma=self.gamma))

    def as_data(self) -> dict[str, Any]:
        found, method = self.found, self.found.method
        return {
            "system": self.system,
            "criterion": self.criterion,
            "estimator": self.asked.estimator,
            "estimate": found.estimate,
            "std_error": self.std_error,
            "low": self.low,
            "high": self.high,
            "level": self.asked.level,
            "df": self.df,
            "estimand": self.asked.estimand,
            "n_items": found.n_items,
            "n_population": found.n_population if self.asked.items_known else None,
            "finite_population": method.finite_population,
            "groups": self.groups,
            "n_judgments": self.n_judgments,
            "n_annotators": found.n_annotators,
            "effective_annotators": found.effective_annotators,
            "variance": dict(self.components),
            "rho": self.rho,
            "gamma": self.gamma,
            "data_efficiency": self.data_efficiency,
            "data_efficiency_cap": self.cap,
            "notices": list(self.notices),
            # What another program needs to compute the same numbers.
            "centre": found.centre,
            "A_eff": found.effective_annotators,
            "balance": method.balance if method.estimator == "balanced" else None,
            "person_share": method.person_share,
            "s3_factor": found.variance.s3_factor,
            "pull": found.variance.pulled,
            "squared_error": asdict(found.variance),
            "metric_transform": self.asked.metric_transform or None,
            "off_scale": found.off_scale,
            "ridge": None if found.penalty is None else {"penalty": _finite(found.penalty)},
        }


def report(system: str, criterion: str, sample: core.Sample, asked: EstimateOptions) -> Report:
    """Estimate one system; raises an `EstimationError` for options that cannot be met."""
    found = core.estimate(
        sample,
        estimator=asked.estimator,
        interval="iid" if asked.interval == "iid" else "two_way",
        **asked.options(criterion),
    )
    told = (notice.text for notice in found.notices)
    return Report(
        system=system,
        criterion=criterion,
        asked=asked,
        found=found,
        n_judgments=found.n_judgments,
        scale=sample.scale,
        components=components(sample),
        rho=_rho(sample),
        gamma=_known(core.normalised_annotator_variance, sample),
        notices=(*about_items(asked), *about(asked), *told),
        **ends_of(found, sample, asked),
    )


def compare(
    systems: tuple[str, str],
    criterion: str,
    first: core.Sample,
    second: core.Sample,
    asked: EstimateOptions,
) -> Report:
    found = _difference(criterion, first, second, asked)
    return Report(
        system=f"{systems[0]} - {systems[1]}",
        criterion=criterion,
        asked=asked,
        found=found,
        n_judgments=sum(found.n_judgments),
        scale=None,
        components=dict.fromkeys(COMPONENTS),
        rho=None,
        gamma=None,
        notices=(*about_items(asked), *(notice.text for notice in found.notices)),
        **ends_of(found, None, asked),
    )


def _difference(
    criterion: str, first: core.Sample, second: core.Sample, asked: EstimateOptions
) -> core.Difference:
    return core.difference(first, second, estimator=asked.estimator, **asked.options(criterion))


def about_items(asked: EstimateOptions) -> tuple[str, ...]:
    """Whether the share of the outputs that was judged narrows the interval, and why."""
    if asked.interval not in ("two_way", "sequence"):
        return ()
    if not asked.finite_population:
        return (ITEMS_A_SAMPLE,)
    return (ITEMS_KNOWN if asked.items_known else ITEMS_UNKNOWN,)


COMPONENTS = ("item", "annotator", "residual", "one_way_item", "one_way_annotator", "item_means")


def components(sample: core.Sample) -> dict[str, float | None]:
    """Return variance components, in squared score units; None where the incidence tells none.

    item, annotator, residual: crossed moments, cut at 0. one_way_item, one_way_annotator: the
    one-way analysis of variance, sigma_f² and sigma_a² (MSW). item_means: the variance of item
    means, which still contains noise.
    """
    apart, by_item = _known(core.crossed, sample), _known(core.one_way, sample)
    cut = apart.truncated() if apart else None
    found = (
        *((cut.item, cut.person, cut.rest) if cut else (None, None, None)),
        *((by_item.item, by_item.noise) if by_item else (None, None)),
        _known(core.variance_of_item_means, sample),
    )
    return dict(zip(COMPONENTS, found, strict=True))


def _known(function: Callable[[core.Sample], T], sample: core.Sample) -> T | None:
    try:
        return function(sample)
    except core.ReplicatesNeededError:
        return None


def _rho(sample: core.Sample) -> float | None:
    if sample.metric is None or sample.metric.ndim != 1:
        return None
    return _known(core.human_metric_correlation, sample)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


# The places of systems from plain files, by the rule of a ranking campaign.


NOTHING = core.PairState(0.0, None, 0)
SAID = {
    "first": "{first} is higher",
    "second": "{second} is higher",
    "close": "closer than the margin",
    "open": "open",
}


@dataclass(frozen=True)
class RankedSystems:
    """All systems on one criterion. differences: None where a pair has no item in common."""

    criterion: str
    margin: float
    planned_items: int
    level: float
    differences: Mapping[core.Pair, core.Difference | None]
    verdict: core.RankingVerdict

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Place 1 has the highest score: a file does not say whether that is the best."""
        return core.places({pair: one.outcome for pair, one in self.verdict.pairs.items()})

    def as_data(self) -> dict[str, Any]:
        return {
            "criterion": self.criterion,
            "ranking": [
                {"system": name, "best": best, "worst": worst}
                for name, (best, worst) in self.places.items()
            ],
            "pairs": [self._pair(pair, one) for pair, one in self.verdict.pairs.items()],
            "margin": self.margin,
            "planned_items": self.planned_items,
            "level": self.level,
            "stop": self.verdict.stop,
        }

    def _pair(self, pair: core.Pair, said: core.PairVerdict) -> dict[str, Any]:
        found = self.differences[pair]
        return {
            "first": pair[0],
            "second": pair[1],
            "outcome": said.outcome,
            "difference": found.estimate if found else None,
            "low": said.low,
            "high": said.high,
            "n_items": found.n_items if found else 0,
            "effective_annotators": found.effective_annotators if found else None,
        }

    def in_words(self) -> str:
        ordered = sorted(self.places.items(), key=lambda one: one[1])
        told = ", ".join(
            f"{best if best == worst else f'{best}–{worst}'} {name}"
            for name, (best, worst) in ordered
        )
        head = f"Ranking by {self.criterion}, margin {short(self.margin)}, highest first: "
        lines = ["", f"{head}{told}."]
        for pair, one in self.verdict.pairs.items():
            lines.append(f"  {pair[0]} - {pair[1]}: {self._said(pair, one)}")
        return "\n".join([*lines, f"  {self.verdict.reason}"])

    def _said(self, pair: core.Pair, said: core.PairVerdict) -> str:
        found = self.differences[pair]
        outcome = SAID[said.outcome].format(first=pair[0], second=pair[1])
        if found is None or said.low is None:
            return outcome
        return (
            f"{signed(found.estimate, 3)} [{signed(said.low, 3)}, {signed(said.high, 3)}], "
            f"{many(found.n_items, 'item')}: {outcome}"
        )


def ranked_systems(
    judgments: Table,
    metrics: Table | None,
    wanted: Selection,
    asked: EstimateOptions,
    *,
    margin: float,
    planned_items: int | None,
) -> list[RankedSystems]:
    """Rank the wanted systems on every wanted criterion; raises a `FileError` for fewer than two.

    The interval is the ranking rule's own, whatever `asked` names. margin, planned_items: of the
    rule, fixed before the first judgment; None plans a share of the items.
    """
    named = wanted.systems or tuple(from_files.judged_systems(judgments))
    if len(set(named)) < 2:
        raise FileError(judgments.path, 0, "A ranking takes at least two systems.")
    by_criterion: dict[str, dict[core.Pair, tuple[core.Sample, core.Sample]]] = {}
    for pair in combinations(dict.fromkeys(named), 2):
        for criterion, *samples in from_files.pairs(judgments, metrics, wanted, pair):
            by_criterion.setdefault(criterion, {})[pair] = (samples[0], samples[1])
    asked = replace(asked, interval="two_way")
    return [
        _ranked(criterion, found, asked, margin, planned_items)
        for criterion, found in by_criterion.items()
    ]


def _ranked(
    criterion: str,
    found: Mapping[core.Pair, tuple[core.Sample, core.Sample]],
    asked: EstimateOptions,
    margin: float,
    planned_items: int | None,
) -> RankedSystems:
    differences: dict[core.Pair, core.Difference | None] = {}
    for pair, (first, second) in found.items():
        try:
            differences[pair] = _difference(criterion, first, second, asked)
        except core.TooFewJudgmentsError:
            differences[pair] = None
    samples = [first for first, _second in found.values()]
    planned = planned_items or ceil(max(s.n_population for s in samples) / core.ITEMS_FACTOR)
    verdict = core.ranking(
        {pair: _state(one, asked) for pair, one in differences.items()},
        margin=margin,
        level=asked.level,
        planned_items=planned,
        min_items=core.MIN_ITEMS if samples[0].scale.bounded else core.MIN_ITEMS_UNBOUNDED,
    )
    return RankedSystems(criterion, margin, planned, asked.level, differences, verdict)


def _state(found: core.Difference | None, asked: EstimateOptions) -> core.PairState:
    """What two systems have been judged alike on is not all that they wrote, unless all of it is
    judged."""
    if found is None:
        return NOTHING
    state = core.PairState.of(found)
    whole = asked.items_known and found.n_items == found.n_population
    alike = state.std_error == 0 and not whole
    return replace(state, std_error=None) if alike else state
