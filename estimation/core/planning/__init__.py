"""What a collection takes: judgments, people and money for a width, or the width for a budget."""

from estimation.core.planning.cost import affordable, forecast
from estimation.core.planning.expected import TargetBelowFloorError
from estimation.core.planning.order import RankingForecast, forecast_ranking
from estimation.core.planning.study import Forecast, Participation, Prices, Purchase, Range, Study
from estimation.core.planning.typical import TYPICAL, Expectation

__all__ = [
    "TYPICAL",
    "Expectation",
    "Forecast",
    "Participation",
    "Prices",
    "Purchase",
    "Range",
    "RankingForecast",
    "Study",
    "TargetBelowFloorError",
    "affordable",
    "forecast",
    "forecast_ranking",
]
