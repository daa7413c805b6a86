"""Whether a campaign reached its targets earlier than nine of ten campaigns like it.

95 % is an average over early and late stops: the intervals of campaigns that stop so early hold
less often, because they stop where the spread happens to look small. What is early is told by the
plan: campaigns with usual scores, drawn as the page Plan draws them.
"""

from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean

from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.services.campaigns.enough import typical
from annotate.states import CloseReason, StopMode
from annotate.text.figures import count, percent
from estimation.core import EstimationError
from estimation.core.planning import Prices, Study, forecast
from estimation.selectors.criteria.cells import ShownCell

DRAWN = 60  # campaigns for each criterion
TOLD = (
    "Collection ended early: after {judged} judgments, where nine of ten campaigns with usual "
    "scores take more than {usual}. {level} is an average over early and late stops; intervals at "
    "stops as early as this one held in 83 to 92 of 100 simulated campaigns, at a level of 95 %."
)


def told(facts: CampaignFacts, cells: Sequence[ShownCell], *, judged: int) -> str:
    """Return what readers must know of an early end; "" where the end was not early.

    cells: the primary ones. judged: the judgments of the campaign. Only ends by the rule of widths
    are early or late: a budget does not look at the data, and a sequence holds at every look.
    """
    if facts.close_reason != CloseReason.TARGET or facts.stop_mode != StopMode.PRECISION:
        return ""
    usual = [_least(facts, name, cells) for name in facts.targets]
    # The slowest criterion decides when a campaign ends.
    most = max((one for one in usual if one is not None), default=0.0)
    if judged >= most:
        return ""
    return TOLD.format(judged=count(judged), usual=count(int(most)), level=percent(facts.level))


def _least(facts: CampaignFacts, name: str, cells: Sequence[ShownCell]) -> float | None:
    """The judgments that nine of ten campaigns exceed before they reach this target."""
    rows = [one.row for one in cells if one.criterion.name == name and one.row is not None]
    criterion = next(one for one in facts.criteria if one.name == name)
    if not rows:
        return None
    known = [one.detail.get("correlation") or 0.0 for one in rows] if facts.metrics else [0.0]
    study = Study(
        typical(criterion),
        max(2, *(one.n_population for one in rows)),
        rho=round(fmean(known), 2),
        systems=len(facts.systems),
        level=facts.level,
        cap=facts.annotator_cap,
        double_share=facts.double_share,
        estimand=facts.estimand,  # type: ignore[arg-type]  # a campaign has one of these
        balance=criterion.balance,
        person_share=criterion.person_share,
    )
    return _tenth(study, facts.targets[name])


@lru_cache(maxsize=256)
def _tenth(study: Study, width: float) -> float | None:
    try:
        found = forecast(study, target_width=width, prices=Prices(0.0), replicates=DRAWN)
    except EstimationError:  # people alone leave more, or too few items for any interval
        return None
    return found.judgments.low
