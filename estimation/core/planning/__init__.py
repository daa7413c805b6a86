"""What a collection takes, before it begins and while it goes on."""

from estimation.core.planning.closing import Arrivals, ClosingForecast, closing, pace
from estimation.core.planning.cost import affordable, forecast
from estimation.core.planning.deciding import PairForecast, forecast_pairs
from estimation.core.planning.expected import TargetBelowFloorError
from estimation.core.planning.narrowing import Narrowing, narrowing, people_to_reach
from estimation.core.planning.order import RankingForecast, forecast_ranking
from estimation.core.planning.reach import WidthCurve, reachable_target, width_curve
from estimation.core.planning.remaining import Ahead, StopDraws, stops_ahead
from estimation.core.planning.study import (
    FEWEST_PLACES,
    MOST_PLACES,
    Forecast,
    Participation,
    Prices,
    Purchase,
    Range,
    Study,
)
from estimation.core.planning.typical import TYPICAL, Expectation

__all__ = [
    "FEWEST_PLACES",
    "MOST_PLACES",
    "TYPICAL",
    "Ahead",
    "Arrivals",
    "ClosingForecast",
    "Expectation",
    "Forecast",
    "Narrowing",
    "PairForecast",
    "Participation",
    "Prices",
    "Purchase",
    "Range",
    "RankingForecast",
    "StopDraws",
    "Study",
    "TargetBelowFloorError",
    "WidthCurve",
    "affordable",
    "closing",
    "forecast",
    "forecast_pairs",
    "forecast_ranking",
    "narrowing",
    "pace",
    "people_to_reach",
    "reachable_target",
    "stops_ahead",
    "width_curve",
]
