"""From a specification to SVG, once for each estimate."""

from dataclasses import dataclass

from django.core.cache import cache

from annotate.instruments.base import Criterion
from estimation.charts import scale, trend
from estimation.charts.theme import THEMES
from estimation.selectors import history

KEEP_SECONDS = 3600


@dataclass(frozen=True)
class Wanted:
    """Which plot: `upto` is the newest estimate of its row, so the plot never changes."""

    campaign_id: int
    criterion: Criterion
    system_id: int
    upto: int
    target: float | None
    with_metric: bool
    theme: str

    @property
    def key(self) -> str:
        row = f"{self.campaign_id}:{self.criterion.name}:{self.system_id}"
        return f"plot:{row}:{self.upto}:{self.theme}"


def svg(wanted: Wanted) -> bytes | None:
    """Return the plot; None where there is nothing to draw."""
    found: bytes | None = cache.get(wanted.key)
    if found is None:
        found = _draw(wanted)
        if found is not None:
            cache.set(wanted.key, found, KEEP_SECONDS)
    return found


def _draw(wanted: Wanted) -> bytes | None:
    import vl_convert

    points = history.points(wanted.campaign_id, wanted.criterion.name, upto=wanted.upto)
    mine = [point for point in points if point.system_id == wanted.system_id]
    if not mine:
        return None
    frame = scale.frame(points, criterion=wanted.criterion, target=wanted.target)
    spec = trend.spec(
        mine, frame, THEMES[wanted.theme], target=wanted.target, with_metric=wanted.with_metric
    )
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn.encode()
