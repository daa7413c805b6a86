"""The estimators that exist. A new one is a module and a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Sample
from estimation.core.estimators.components import Crossed
from estimation.core.estimators.fit import Method
from estimation.core.estimators.gls import gls
from estimation.core.estimators.ppi import ppi
from estimation.core.estimators.rows import Fitted, balanced, by_least_squares, by_sums, several

Metrics = Literal["none", "one", "several", "any"]


@dataclass(frozen=True, kw_only=True)
class Registered:
    """One estimator, with its words (CONTRIBUTING.md has the steps to add one).

    Parameters
    ----------
    key : str
        Its name, everywhere.
    about : str
        Its paragraph in the documentation.
    metrics : {"none", "one", "several", "any"}
        How many metrics it takes: "several" is one or more, "any" may also be none.
    fit : callable
        Makes the estimate from a sample, a method and variance components.
    own_interval : bool
        It has one interval, of its own.
    two_way_only : bool
        It has the two-way interval only.
    takes_components : bool
        The variance components can be given to it.
    notice : str
        What a reader is told beside each of its estimates.
    """

    key: str
    about: str
    metrics: Metrics
    fit: Callable[[Sample, Method, Crossed | None], Fitted]
    own_interval: bool = False
    two_way_only: bool = False
    takes_components: bool = False
    notice: str = ""


REGISTERED: dict[str, Registered] = {
    one.key: one
    for one in (
        Registered(
            key="balanced",
            metrics="any",
            fit=lambda sample, method, _components: balanced(sample, method),
            two_way_only=True,
            about=(
                "The default. A person's judgments weigh less the more of them there are, so a few "
                "busy people do not decide. Corrected by the metrics if there are any; several are "
                "combined by a cross-fitted ridge."
            ),
        ),
        Registered(
            key="regression",
            metrics="one",
            fit=lambda sample, method, _components: by_sums(sample, method, "regression"),
            about="Control variates by least squares. Items weigh equally.",
        ),
        Registered(
            key="multi",
            metrics="several",
            fit=lambda sample, method, _components: several(sample, method),
            two_way_only=True,
            about=(
                "Control variates with several metrics: ridge regression, cross-fitted: each item "
                "is corrected by the others. Items weigh equally. With one metric it is "
                "`regression`."
            ),
        ),
        Registered(
            key="mean",
            metrics="none",
            fit=lambda sample, method, _components: by_sums(sample, method, "mean"),
            about="The mean of item means. It needs no metric.",
        ),
        Registered(
            key="algorithm_1",
            metrics="one",
            fit=lambda sample, method, _components: by_sums(sample, method, "algorithm_1"),
            about=(
                "Control variates as in Algorithm 1 of Chaganty, Mussmann and Liang (2018), to the "
                "letter."
            ),
        ),
        Registered(
            key="gls",
            metrics="any",
            fit=gls,
            two_way_only=True,
            takes_components=True,
            about=(
                "Generalised least squares over all judgments, by the variance components of the "
                "sample, corrected by the metrics if there are any. It speaks for people counted "
                "nearly equally."
            ),
        ),
        Registered(
            key="least_squares",
            metrics="several",
            fit=lambda sample, method, _components: by_least_squares(sample, method),
            two_way_only=True,
            notice=(
                "Least squares on several metrics is for comparison: metrics that say nothing make "
                "it worse."
            ),
            about=(
                "Control variates with several metrics by ordinary least squares, for comparison "
                "only: it pays for every metric, also for those that say nothing."
            ),
        ),
        Registered(
            key="ppi",
            metrics="one",
            fit=lambda sample, method, _components: ppi(sample, method),
            own_interval=True,
            notice=(
                "The interval of PPI++ knows neither annotators nor the share of outputs judged."
            ),
            about=(
                "PPI++ (Angelopoulos, Duchi and Zrnic 2023) with its own normal interval, for "
                "comparison only."
            ),
        ),
    )
}


def registered(key: str) -> Registered:
    """Return the estimator of this key; raises InvalidOptionError for an unknown one."""
    if key not in REGISTERED:
        raise InvalidOptionError(f"{key!r} is not one of {', '.join(REGISTERED)}.")
    return REGISTERED[key]


def checked(method: Method) -> Registered:
    """The estimator of a method; raises InvalidOptionError for an option that it does not take."""
    found = registered(method.estimator)
    method.check()
    if method.interval == "iid" and found.two_way_only:
        raise InvalidOptionError(f"{method.estimator!r} has the two-way interval only.")
    return found
