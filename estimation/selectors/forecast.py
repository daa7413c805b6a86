"""The forecast of a campaign's end as readers see it: ranges, dates and sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.campaigns.progress import Progress
from annotate.states import CampaignStatus
from annotate.text import figures
from annotate.text.figures import many, percent
from estimation.models import EndForecast
from estimation.selectors.criteria.cells import ShownCell

CLAIMED = 0.9  # coverage is claimed for at least this probability of reaching the targets
LIKELY = 0.5  # below it, more people are asked for
HOPELESS = 0.05
MORE = 100  # judgments, as the service that stores the forecast


@dataclass(frozen=True)
class StoredForecast:
    """A forecast as it is stored (`services.forecasting` describes its content)."""

    at: datetime | None = None
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Gauge:
    """Now and the forecast range on one scale from 0 to a limit.

    now, low, middle, high: percent of the scale. limit: its right end in words.
    """

    now: float
    low: float
    middle: float
    high: float
    limit: str

    @property
    def span(self) -> float:
        return max(self.high - self.low, 0.5)


@dataclass(frozen=True)
class Amount:
    """One forecast amount: the number now, the expected one and the range, in words."""

    label: str
    now: str
    about: str
    between: str
    gauge: Gauge | None = None


@dataclass(frozen=True)
class Outlook:
    """The forecast of a collecting campaign's end, for the dashboard.

    cells: the primary ones. price: of one judgment. came: people who have entered.
    """

    facts: CampaignFacts
    progress: Progress
    price: Decimal
    cells: tuple[ShownCell, ...]
    stored: StoredForecast
    active: int = 0
    came: int = 0

    @property
    def is_shown(self) -> bool:
        """Return whether the campaign collects towards widths."""
        return self.facts.status == CampaignStatus.OPEN and bool(self.facts.targets)

    @property
    def is_known(self) -> bool:
        return self.stored.content.get("judgments") is not None

    @property
    def chance(self) -> float:
        return float(self.stored.content.get("chance") or 0.0)

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """Return judgments, cost and closing day; nothing before there is a forecast."""
        if not self.is_known:
            return ()
        return (self._judgments, self._cost, self._closes)

    @property
    def _ends(self) -> tuple[float, float, float]:
        """Return (expected, low, high) judgments in all, none passed, and none beyond the last."""
        judged, most = self.progress.judged, self._most
        middle, low, high = (max(judged, min(n, most)) for n in self.stored.content["judgments"])
        return middle, low, high

    @property
    def _most(self) -> int:
        return min(self.facts.max_judgments or self.progress.planned, self.progress.planned)

    @property
    def _judgments(self) -> Amount:
        middle, low, high = (round(end) for end in self._ends)
        most = self._most
        what = "the limit" if self.facts.max_judgments else "all that is planned"
        return Amount(
            "Judgments at the end",
            figures.count(self.progress.judged),
            figures.count(middle),
            f"{figures.count(low)} to {figures.count(high)}",
            _gauge(
                self.progress.judged, (middle, low, high), most, f"{figures.count(most)}, {what}"
            ),
        )

    @property
    def _cost(self) -> Amount:
        spent, judged = float(self.progress.spent), self.progress.judged
        price = float(self.price)
        middle, low, high = (spent + (end - judged) * price for end in self._ends)
        most = float(self.facts.budget) if self.facts.budget else None
        glance = figures.money_at_a_glance
        return Amount(
            "Cost at the end",
            glance(spent),
            glance(middle),
            f"{glance(low)} to {glance(high)}",
            None
            if most is None
            else _gauge(spent, (middle, low, high), most, f"{glance(most)}, the budget"),
        )

    @property
    def _closes(self) -> Amount:
        seconds = self.stored.content.get("seconds")
        if seconds is None or self.stored.at is None:
            return Amount("Closes about", "", "not known yet", "too few judgments in the last days")
        middle, low, high = (self.stored.at + timedelta(seconds=s) for s in _bounded(seconds))
        style = "" if seconds[2] < _SOON else "day"
        first, last = (figures.moment(at, style) for at in (low, high))
        between = first if first == last else f"{first} to {last}"
        return Amount("Closes about", "", figures.moment(middle, style), between)

    @property
    def pace(self) -> str:
        """Return who works now, how fast judgments come and how long one takes."""
        said = [f"{many(self.active, 'person', 'people')} at work now"]
        hour, minutes = self.stored.content.get("per_hour"), self.stored.content.get("minutes")
        if hour is not None:
            unit = "judgments an hour on average"
            said.append(f"{figures.number(hour, 0 if hour >= 10 else 1)} {unit}")
        if minutes is not None:
            middle, low, high = (_clock(m) for m in minutes)
            said.append(f"{middle} minutes a judgment (half of them {low} to {high})")
        return "; ".join(said)

    @property
    def lacks(self) -> int | None:
        """Return how many new people would reach the targets; 0 where they rather are met.

        None where more people would not do, or where there are not so many.
        """
        if not self.is_known or self.chance >= LIKELY:
            return 0
        people = [row.get("people") for cell, row in self._known if row["chance"] < CLAIMED]
        known = [n for n in people if n is not None]
        if len(known) < len(people):
            return None
        n, have = max(known, default=0), self.facts.people
        return None if have is not None and n > have - self.came else n

    @property
    def is_hopeless(self) -> bool:
        """Return whether the targets are not met, whoever is asked."""
        return self.is_known and self.chance <= HOPELESS and self.lacks is None

    @property
    def at_end(self) -> str:
        """Return how wide the interval furthest from its target is at the end, in a sentence."""
        cell, row = self._worst
        left = row.get("at_end")
        if not left:
            return ""
        return (
            f" With every item judged, {cell.name} is about {figures.width(left[0])} wide, and its "
            f"target is {figures.width(cell.target)}."
        )

    @property
    def warning(self) -> str:
        """Return a sentence where the targets may not be met; "" where they very likely are."""
        if not self.is_known or self.chance >= CLAIMED:
            return ""
        if self.is_hopeless:
            return f"The targets cannot be met before the items run out.{self.at_end}"
        chance = percent(self.chance)
        told = f"The targets are met before the items run out with a chance of {chance}"
        n = self.lacks
        if n and self.facts.estimand == "population":
            return f"{told}; {many(n, 'new person', 'new people')} would do.{self.at_end}"
        return f"{told}.{self.at_end}"

    @property
    def _worst(self) -> tuple[ShownCell, Mapping[str, Any]]:
        return min(self._known, key=lambda one: one[1]["chance"])

    @property
    def _known(self) -> Sequence[tuple[ShownCell, Mapping[str, Any]]]:
        rows = {(row["system"], row["criterion"]): row for row in self.stored.content["cells"]}
        keyed = (
            (cell, rows.get((cell.system.system_id, cell.criterion.name))) for cell in self.cells
        )
        return [(cell, row) for cell, row in keyed if row and "chance" in row]

    @property
    def narrows(self) -> str:
        """Return what narrows the widest interval, for its target, most cheaply."""
        if not self.is_known:
            return ""
        wide = [(c, row) for c, row in self._known if c.target and "now" in row and not c.at_target]
        if not wide:
            return ""
        cell, row = max(wide, key=lambda one: one[1]["now"] / (one[0].target or 1.0))
        people = (
            float((cell.row.detail.get("parts") or {}).get("annotator", 0.0)) if cell.row else 0.0
        )
        new, same = row["new_people"], row["same_people"]
        said = (
            f"{cell.name} is the widest for its target ({figures.width(row['now'])}, target "
            f"{figures.width(cell.target)}). {MORE} more judgments of it bring it to about "
            f"{figures.width(new)} if new people give them"
        )
        if same - new < 0.0005:
            return f"{said}, or those who are here."
        share = f", because {percent(people)} of its squared error is difference between people"
        return f"{said}, and to {figures.width(same)} if those who are here do{share}."


_SOON = 2 * 86_400.0
_MOST_SECONDS = 20 * 365 * 86_400.0


def newest_forecast(campaign_id: int) -> StoredForecast:
    """Return the newest forecast; an empty one before the first."""
    rows = EndForecast.objects.filter(campaign=campaign_id).order_by("-pk")
    row = rows.values_list("at", "content").first()
    return StoredForecast(*row) if row else StoredForecast()


def _bounded(seconds: Sequence[float]) -> list[float]:
    return [min(s, _MOST_SECONDS) for s in seconds]


def _clock(minutes: float) -> str:
    """`1:38` for minutes and seconds."""
    whole = round(minutes * 60)
    return f"{whole // 60}:{whole % 60:02d}"


def _gauge(now: float, ends: Sequence[float], most: float, limit: str) -> Gauge:
    middle, low, high = ends
    end = max(most, 1e-9)
    at = [round(100 * min(value / end, 1.0), 1) for value in (now, low, middle, high)]
    return Gauge(at[0], at[1], at[2], at[3], limit)
