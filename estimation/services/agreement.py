"""Agreement between people: measured after the estimates, where its judgments changed.

The refresh that decides only notes that it is due, because resampling and leaving out take longer.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, Scores
from annotate.states import CampaignStatus
from estimation.core import (
    NoVariationError,
    alpha_without_each,
    distinct,
    fleiss_kappa,
    intraclass_correlation,
    krippendorff_alpha,
    observed_agreement,
)
from estimation.models import Agreement, AgreementDue
from estimation.selectors import agreement
from estimation.services.deferred import DeferredWork, Store
from estimation.signals import agreement_due

LEAST_OUTPUTS = 2  # one output judged twice says nothing about people
GROWTH = 1.05  # during collection, the growth of the judgments after which it is measured again
REPLICATES = 1000
TOLD = 100  # people without whom alpha is told: with 40,000 a row would take 3 MB
COLLECTING = (CampaignStatus.OPEN, CampaignStatus.PAUSED)
MEASURING = DeferredWork("agreement", AgreementDue, agreement_due)

Column = NDArray[np.generic]


@dataclass(frozen=True)
class _Shared:
    """The judgments (T,) of outputs that several people judged, on one criterion."""

    criterion: Criterion
    output: Column
    annotator: Column
    value: Column

    @property
    def n_outputs(self) -> int:
        return int(distinct(self.output).size)

    @property
    def digest(self) -> str:
        order = np.lexsort((self.annotator, self.output))
        columns = (self.output, self.annotator, self.value)
        return sha256(b"".join(one[order].tobytes() for one in columns)).hexdigest()[:32]


def is_due(brief: Brief, scores: Scores) -> bool:
    """Return whether the agreement on some criterion is due.

    While judgments come in, alpha is measured again after 5 % more of them; at once when rulings
    change what counts, and from closing on.
    """
    return bool(_columns_due(brief, scores))


def ask(campaign_id: int) -> None:
    """Have a separate task measure the agreement after the transaction that found it due."""
    MEASURING.ask(campaign_id)


def measure(campaign_id: int) -> bool:
    """Measure what is due and store it; False if nothing was due or another task is measuring."""

    def make() -> Store:
        brief = counting.brief(campaign_id)
        due = _columns_due(brief, counting.scores(campaign_id))
        excluded = counting.excluded(campaign_id)
        rows = [_row(brief, shared, excluded=excluded) for shared in due]
        return lambda: Agreement.objects.bulk_create(rows)

    return MEASURING.carry_out(campaign_id, make)


def catch_up() -> int:
    """Measure where it has been due for a while, the longest first; return for how many."""
    return MEASURING.catch_up(measure, doing="measuring agreement in")


def _columns_due(brief: Brief, scores: Scores) -> list[_Shared]:
    before = {row.criterion: row for row in agreement.newest(brief.campaign_id)}
    excluded = counting.excluded(brief.campaign_id)
    return [
        shared
        for criterion in brief.criteria
        for shared in [_shared(criterion, scores)]
        if _due(before.get(criterion.name), shared, excluded=excluded, status=brief.status)
    ]


def _shared(criterion: Criterion, scores: Scores) -> _Shared:
    value = scores.value.get(criterion.name)
    known = np.zeros(scores.output.size, bool) if value is None else ~np.isnan(value)
    _, which, times = np.unique(scores.output[known], return_inverse=True, return_counts=True)
    kept = np.flatnonzero(known)[times[which] > 1]
    score = np.empty(0) if value is None else value[kept]
    return _Shared(criterion, scores.output[kept], scores.annotator[kept], score)


def _due(before: Agreement | None, now: _Shared, *, excluded: int, status: str) -> bool:
    if before is None:
        return now.n_outputs >= LEAST_OUTPUTS
    collects = status in COLLECTING and before.excluded == excluded
    if collects and before.n_judgments <= now.value.size < GROWTH * before.n_judgments:
        return False
    return before.digest != now.digest


def _row(brief: Brief, shared: _Shared, *, excluded: int) -> Agreement:
    row = Agreement(
        campaign_id=brief.campaign_id,
        criterion=shared.criterion.name,
        distance=shared.criterion.distance,
        level=brief.level,
        n_outputs=shared.n_outputs,
        n_judgments=shared.value.size,
        n_annotators=distinct(shared.annotator).size,
        excluded=excluded,
        digest=shared.digest,
    )
    if row.n_outputs < LEAST_OUTPUTS:
        row.detail = {"why": "Fewer than two outputs have two judgments that count."}
        return row
    _measured(row, shared)
    return row


def _measured(row: Agreement, shared: _Shared) -> None:
    columns, distance = (shared.output, shared.annotator, shared.value), shared.criterion.distance
    try:
        found = krippendorff_alpha(
            *columns, distance=distance, level=row.level, replicates=REPLICATES
        )
    except NoVariationError:
        why = "All judgments gave the same score, so alpha is not defined."
        row.detail = {"why": why, **_observed(shared)}
        return
    row.alpha, row.low, row.high = found.alpha, found.low, found.high
    row.detail = {
        "without": _without(shared, found.alpha),
        **_observed(shared),
        **_others(shared),
    }


def _observed(shared: _Shared) -> dict[str, float]:
    """Return how often two people agreed exactly, and how often they would by chance."""
    observed, by_chance = observed_agreement(shared.output, shared.annotator, shared.value)
    return {"observed": observed, "by_chance": by_chance}


def _others(shared: _Shared) -> dict[str, float]:
    """Return what other studies report: ICC(1,1), and Fleiss' kappa where scores have levels."""
    columns = (shared.output, shared.annotator, shared.value)
    found = {"icc": intraclass_correlation(*columns)}
    if shared.criterion.distance != "interval":
        found["fleiss_kappa"] = fleiss_kappa(*columns)
    return found


def _without(shared: _Shared, alpha: float) -> list[dict[str, Any]]:
    """Return alpha without each of those who change it most, the largest change first.

    By pseudonym; alpha is None where the others have none, and these come last.
    """
    found = alpha_without_each(
        shared.output, shared.annotator, shared.value, distance=shared.criterion.distance
    )
    most = np.argsort(-np.abs(found.alpha - alpha), kind="stable")[:TOLD]
    names = counting.pseudonyms(found.annotator[most].tolist())
    columns = (found.annotator, found.alpha, found.shared)
    rows = zip(*(column[most].tolist() for column in columns), strict=True)
    return [
        {"annotator": names[who], "alpha": None if np.isnan(alpha) else alpha, "shared": n}
        for who, alpha, n in rows
    ]
