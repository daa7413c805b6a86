"""The interval that the command line asks for, whichever way it is computed."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from math import ceil, isfinite
from typing import Any, TypeVar

from annotate.common.numbers import many, short, signed
from estimation import from_files
from estimation.core import (
    BALANCE,
    ESTIMATORS,
    ITEMS_FACTOR,
    MIN_ITEMS,
    MIN_ITEMS_UNBOUNDED,
    PERSON_SHARE,
    REGISTERED,
    BootstrapInterval,
    Difference,
    Estimand,
    Estimate,
    Interval,
    IntervalUnavailableError,
    InvalidOptionError,
    Pair,
    PairState,
    PairVerdict,
    RankingVerdict,
    ReplicatesNeededError,
    Sample,
    Scale,
    TooFewJudgmentsError,
    bootstrap,
    check_level,
    confidence_sequence,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    difference,
    estimate,
    human_metric_correlation,
    normalised_annotator_variance,
    one_way,
    pigeonhole,
    places,
    ranking,
    variance_of_item_means,
)
from estimation.from_files import KNOWN_CRITERIA, FileCell, FileError, FilePair, Selection, Table

BOOTSTRAPS = {"bootstrap": bootstrap, "pigeonhole": pigeonhole}
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
RESAMPLED = tuple(name for name in ESTIMATORS if name != "balanced")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How to estimate. balance, person_share: by criterion.

    metric_transform: how metrics entered the samples; "" without metrics.
    """

    estimator: str
    interval: str = "two_way"
    estimand: Estimand = "population"
    level: float = 0.95
    finite_population: bool = True
    seed: int = 0
    metric_transform: str = ""
    balance: Mapping[str, float] = field(default_factory=dict)
    person_share: Mapping[str, float] = field(default_factory=dict)

    def options(self, criterion: str) -> dict[str, Any]:
        """Return the library's options for a criterion: as given, else by its name if it is one of
        ours, else the usual ones."""
        known = KNOWN_CRITERIA.get(criterion)
        usual = (known.balance, known.person_share) if known else (BALANCE, PERSON_SHARE)
        return {
            "estimand": self.estimand,
            "finite_population": self.finite_population,
            "balance": self.balance.get(criterion, usual[0]),
            "person_share": self.person_share.get(criterion, usual[1]),
        }


@dataclass(frozen=True)
class Ends:
    """An interval's ends, not cut to the scale; all None where the data admit none.

    df: degrees of freedom; None for an interval that is not a t interval.
    """

    low: float | None = None
    high: float | None = None
    std_error: float | None = None
    df: float | None = None


def about(asked: Asked) -> tuple[str, ...]:
    """Notes about the interval that do not depend on the data."""
    own = REGISTERED[asked.estimator].notice
    return (*([own] if own else []), *INTERVAL_NOTICES.get(asked.interval, ()))


def ends_of(found: Estimate | Difference, sample: Sample | None, asked: Asked) -> Ends:
    """The interval of an estimate, or of a difference, which has no sample of its own.

    Raises InvalidOptionError for an interval that the estimator does not have.
    """
    check_level(asked.level)
    try:
        ends = _interval(found, sample, asked)
    except IntervalUnavailableError:
        return Ends(std_error=found.std_error)
    if isinstance(ends, BootstrapInterval):
        return Ends(ends.low, ends.high, ends.std_error)
    return Ends(ends.low, ends.high, found.std_error, ends.df if isfinite(ends.df) else None)


def _interval(
    found: Estimate | Difference, sample: Sample | None, asked: Asked
) -> Interval | BootstrapInterval:
    if asked.interval == "two_way" or (asked.interval == "iid" and sample is not None):
        return found.interval(asked.level)
    if sample is None or isinstance(found, Difference):
        raise InvalidOptionError("A difference has the two_way interval only.")
    if asked.interval == "sequence":
        # N is fixed before the first judgment, as what the sequence is tuned to must be: it is
        # narrowest at the census.
        planned = found.n_population / ITEMS_FACTOR
        return confidence_sequence(found, level=asked.level, planned_items=planned)
    return _resampled(sample, asked)


def _resampled(sample: Sample, asked: Asked) -> BootstrapInterval:
    estimator = asked.estimator
    if estimator not in RESAMPLED:
        raise InvalidOptionError(f"The {asked.interval} has no estimator {asked.estimator}.")
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
class Components:
    """Variance components of a sample, in squared score units; None where undefined.

    item, annotator, residual: crossed moments, cut at 0. one_way_item, one_way_annotator: the
    one-way analysis of variance, sigma_f² and sigma_a² (MSW). item_means: the variance of item
    means, which still contains noise.
    """

    item: float | None = None
    annotator: float | None = None
    residual: float | None = None
    one_way_item: float | None = None
    one_way_annotator: float | None = None
    item_means: float | None = None


@dataclass(frozen=True)
class Report:
    """One system, or one pair, on one criterion: its estimate, the interval, and the rest.

    items_known: whether it is known how many outputs there are. scale: what an interval is cut to
    for display; None for a difference. rho: the metric's correlation with the human metric; gamma:
    normalised annotator variance.
    """

    system: str
    criterion: str
    asked: Asked
    found: Estimate | Difference
    n_judgments: int
    scale: Scale | None
    ends: Ends
    items_known: bool
    components: Components
    rho: float | None
    gamma: float | None
    notices: tuple[str, ...]

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
        return _finite(data_efficiency(rho=self.rho, gamma=self.gamma))

    @property
    def cap(self) -> float | None:
        """The data efficiency of a perfect metric; None where unknown or infinite."""
        return None if self.gamma is None else _finite(data_efficiency_cap(gamma=self.gamma))

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON values; whatever is not known is None."""
        found, ends = self.found, self.ends
        return {
            "system": self.system,
            "criterion": self.criterion,
            "estimator": self.asked.estimator,
            "estimate": found.estimate,
            "std_error": ends.std_error,
            "low": ends.low,
            "high": ends.high,
            "level": self.asked.level,
            "df": ends.df,
            "estimand": self.asked.estimand,
            "n_items": found.n_items,
            "n_population": found.n_population if self.items_known else None,
            "finite_population": found.method.finite_population,
            "groups": self.groups,
            "n_judgments": self.n_judgments,
            "n_annotators": found.n_annotators,
            "effective_annotators": found.effective_annotators,
            "variance": asdict(self.components),
            "rho": self.rho,
            "gamma": self.gamma,
            "data_efficiency": self.data_efficiency,
            "data_efficiency_cap": self.cap,
            "notices": list(self.notices),
            **self._protocol(),
        }

    def _protocol(self) -> dict[str, Any]:
        """What another program needs to compute the same numbers."""
        found, method = self.found, self.found.method
        return {
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


def report(cell: FileCell, asked: Asked) -> Report:
    """Estimate one cell; raises an `EstimationError` for options that cannot be met."""
    sample, library = cell.sample, asked.estimator
    found = estimate(
        sample,
        estimator=library,
        interval="iid" if asked.interval == "iid" else "two_way",
        **options_for(asked, cell),
    )
    told = (notice.text for notice in found.notices)
    return Report(
        system=cell.system,
        criterion=cell.criterion,
        asked=asked,
        found=found,
        n_judgments=found.n_judgments,
        scale=sample.scale,
        ends=ends_of(found, sample, asked),
        items_known=cell.items_known,
        components=components(sample),
        rho=_rho(sample),
        gamma=_known(normalised_annotator_variance, sample),
        notices=(*about_items(asked, cell), *about(asked), *told),
    )


def compare(pair: FilePair, asked: Asked) -> Report:
    """Estimate by how much the first system exceeds the second, item by item."""
    estimator = asked.estimator
    found = difference(
        pair.first,
        pair.second,
        estimator=estimator,  # type: ignore[arg-type]  # the library names those it does not have
        **options_for(asked, pair),
    )
    return Report(
        system=f"{pair.systems[0]} - {pair.systems[1]}",
        criterion=pair.criterion,
        asked=asked,
        found=found,
        n_judgments=sum(found.n_judgments),
        scale=None,
        ends=ends_of(found, None, asked),
        items_known=pair.items_known,
        components=Components(),
        rho=None,
        gamma=None,
        notices=(*about_items(asked, pair), *(notice.text for notice in found.notices)),
    )


def options_for(asked: Asked, of: FileCell | FilePair) -> dict[str, Any]:
    """The library's options; no share of the outputs is known where their number is not."""
    corrected = asked.finite_population and of.items_known
    return asked.options(of.criterion) | {"finite_population": corrected}


def about_items(asked: Asked, of: FileCell | FilePair) -> tuple[str, ...]:
    """Whether the share of the outputs that was judged narrows the interval, and why."""
    if asked.interval not in ("two_way", "sequence"):
        return ()
    if not asked.finite_population:
        return (ITEMS_A_SAMPLE,)
    return (ITEMS_KNOWN if of.items_known else ITEMS_UNKNOWN,)


def components(sample: Sample) -> Components:
    """The components under each definition; None where the incidence cannot tell them."""
    apart, by_item = _known(crossed, sample), _known(one_way, sample)
    cut = apart.truncated() if apart else None
    return Components(
        item=cut.item if cut else None,
        annotator=cut.person if cut else None,
        residual=cut.rest if cut else None,
        one_way_item=by_item.item if by_item else None,
        one_way_annotator=by_item.noise if by_item else None,
        item_means=_known(variance_of_item_means, sample),
    )


def _known(function: Callable[[Sample], T], sample: Sample) -> T | None:
    """What the function says of the sample; None where that takes replicates."""
    try:
        return function(sample)
    except ReplicatesNeededError:
        return None


def _rho(sample: Sample) -> float | None:
    """The metric's correlation with the human metric; None unless there is one metric."""
    if sample.metric is None or sample.metric.ndim != 1:
        return None
    return _known(human_metric_correlation, sample)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


# The places of systems from plain files, by the rule of a ranking campaign.


NOTHING = PairState(0.0, None, 0)
SAID = {
    "first": "{first} is higher",
    "second": "{second} is higher",
    "close": "closer than the margin",
    "open": "open",
}


@dataclass(frozen=True)
class RankingRule:
    """The rule, fixed before the first judgment. planned_items: None for a share of the items."""

    margin: float
    planned_items: int | None


@dataclass(frozen=True)
class RankedSystems:
    """All systems on one criterion. differences: None where a pair has no item in common."""

    criterion: str
    rule: RankingRule
    planned_items: int
    level: float
    differences: Mapping[Pair, Difference | None]
    verdict: RankingVerdict

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Place 1 has the highest score: a file does not say whether that is the best."""
        return places({pair: one.outcome for pair, one in self.verdict.pairs.items()})

    def as_data(self) -> dict[str, Any]:
        """Return the ranking as JSON values."""
        return {
            "criterion": self.criterion,
            "ranking": [
                {"system": name, "best": best, "worst": worst}
                for name, (best, worst) in self.places.items()
            ],
            "pairs": [self._pair(pair, one) for pair, one in self.verdict.pairs.items()],
            "margin": self.rule.margin,
            "planned_items": self.planned_items,
            "level": self.level,
            "stop": self.verdict.stop,
        }

    def _pair(self, pair: Pair, said: PairVerdict) -> dict[str, Any]:
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
        """Return the places, then each pair on a line."""
        ordered = sorted(self.places.items(), key=lambda one: one[1])
        told = ", ".join(
            f"{best if best == worst else f'{best}–{worst}'} {name}"
            for name, (best, worst) in ordered
        )
        head = f"Ranking by {self.criterion}, margin {short(self.rule.margin)}, highest first: "
        lines = ["", f"{head}{told}."]
        for pair, one in self.verdict.pairs.items():
            lines.append(f"  {pair[0]} - {pair[1]}: {self._said(pair, one)}")
        return "\n".join([*lines, f"  {self.verdict.reason}"])

    def _said(self, pair: Pair, said: PairVerdict) -> str:
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
    asked: Asked,
    rule: RankingRule,
) -> list[RankedSystems]:
    """Rank the wanted systems on every wanted criterion; raises a `FileError` for fewer than two.

    The interval is the ranking rule's own, whatever `asked` names.
    """
    named = wanted.systems or tuple(from_files.judged_systems(judgments))
    if len(set(named)) < 2:
        raise FileError(judgments.path, 0, "A ranking takes at least two systems.")
    pairs = list(combinations(dict.fromkeys(named), 2))
    by_criterion: dict[str, dict[Pair, FilePair]] = {}
    for pair in pairs:
        for found in from_files.pairs(judgments, metrics, wanted, pair):
            by_criterion.setdefault(found.criterion, {})[pair] = found
    return [
        _ranked(criterion, found, replace(asked, interval="two_way"), rule)
        for criterion, found in by_criterion.items()
    ]


def _ranked(
    criterion: str, found: Mapping[Pair, FilePair], asked: Asked, rule: RankingRule
) -> RankedSystems:
    differences = {pair: _difference(one, asked) for pair, one in found.items()}
    samples = [one.first for one in found.values()]
    planned = rule.planned_items or ceil(max(s.n_population for s in samples) / ITEMS_FACTOR)
    verdict = ranking(
        {pair: _state(one, found[pair]) for pair, one in differences.items()},
        margin=rule.margin,
        level=asked.level,
        planned_items=planned,
        min_items=MIN_ITEMS if samples[0].scale.bounded else MIN_ITEMS_UNBOUNDED,
    )
    return RankedSystems(criterion, rule, planned, asked.level, differences, verdict)


def _difference(pair: FilePair, asked: Asked) -> Difference | None:
    try:
        found = compare(pair, asked).found
    except TooFewJudgmentsError:
        return None
    assert isinstance(found, Difference)
    return found


def _state(found: Difference | None, pair: FilePair) -> PairState:
    """What two systems have been judged alike on is not all that they wrote, unless all of it is
    judged."""
    if found is None:
        return NOTHING
    state = PairState.of(found)
    whole = pair.items_known and found.n_items == found.n_population
    alike = state.std_error == 0 and not whole
    return replace(state, std_error=None) if alike else state
