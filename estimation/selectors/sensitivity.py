"""Every primary estimate with and without the excluded work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.review import ruling_statistics
from annotate.selectors.review.ruling_statistics import BY_HAND, Conduct, ExcludedCounts
from annotate.text.figures import count, many
from estimation.selectors import history
from estimation.selectors.criteria import rows
from estimation.selectors.criteria.cells import ShownCell, State

# The words for a screen, if they are not its name without the underscores.
_WORDS = {BY_HAND: "no screen, by hand"}


@dataclass(frozen=True)
class ComparedEstimate:
    """One system × criterion; `whole` is its estimate without exclusions, if there are any."""

    cell: ShownCell

    @property
    def whole(self) -> Mapping[str, Any] | None:
        found = self.cell.row.detail.get("with_excluded") if self.cell.row else None
        return found or None

    @property
    def shift(self) -> float | None:
        """Return by how much the exclusions have moved the estimate."""
        if self.whole is None or self.cell.row is None:
            return None
        return float(self.cell.row.estimate - self.whole["estimate"])

    @property
    def whole_low(self) -> float | None:
        return self.cell.clipped(self.whole["low"]) if self.whole else None

    @property
    def whole_high(self) -> float | None:
        return self.cell.clipped(self.whole["high"]) if self.whole else None

    @property
    def moves(self) -> bool:
        """Return whether they move the estimate by more than its interval's half-width."""
        width = self.cell.row.width if self.cell.row else None
        return self.shift is not None and width is not None and abs(self.shift) > width / 2

    @property
    def left_out(self) -> int | None:
        """Return how many judgments of this system are excluded."""
        if self.whole is None or self.cell.row is None:
            return None
        return int(self.whole["n_judgments"]) - self.cell.row.n_judgments

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON values; the reported estimate is None if no judgment counts."""
        names = ("estimate", "low", "high", "width", "n_judgments")
        row = self.cell.row
        return {
            "system": self.cell.system.name,
            "criterion": self.cell.criterion.name,
            "without": {name: getattr(row, name) for name in names} if row else None,
            "with_excluded": dict(self.whole) if self.whole else None,
            "shift": self.shift,
            "moves": self.moves,
        }

    @property
    def state(self) -> State:
        if self.cell.row is None:
            return State("warn", "warning", "no estimate is left")
        if self.cell.awaited:
            return State("", "clock", "too few items")
        if self.whole is None:
            return State("", "clock", "follows with the next estimate")
        if self.moves:
            return State("warn", "warning", "shift beyond the half-width")
        if self.cell.row.width is None:
            return State("", "clock", "no interval to compare with")
        return State("good", "check", "shift within the half-width")


@dataclass(frozen=True)
class Sensitivity:
    excluded: ExcludedCounts
    conduct: Conduct
    rows: tuple[ComparedEstimate, ...]

    @property
    def moved(self) -> tuple[ComparedEstimate, ...]:
        return tuple(row for row in self.rows if row.moves)

    @property
    def lost(self) -> tuple[ComparedEstimate, ...]:
        """Return those without an estimate, which may have one with the excluded work."""
        return tuple(row for row in self.rows if row.cell.row is None)

    @property
    def summary(self) -> str:
        """Return what is excluded and its effect, in a sentence or two."""
        if not self.excluded.judgments:
            return "No work is excluded: every judgment that counts is in these estimates."
        return f"{_left_out(self.excluded)} {self._effect()}"

    @property
    def rulings(self) -> tuple[str, ...]:
        """Return how the rulings were made, in sentences."""
        return tuple(_conduct(self.conduct))

    def as_data(self) -> dict[str, Any]:
        out = self.excluded
        return {
            "excluded": {
                "judgments": out.judgments,
                "annotators": out.annotators,
                "reasons": [asdict(reason) for reason in out.reasons],
            },
            "rulings": asdict(self.conduct),
            "summary": self.summary,
            "estimates": [row.as_data() for row in self.rows],
        }

    def _effect(self) -> str:
        if self.moved:
            names = "; ".join(row.cell.name for row in self.moved)
            return (
                f"Leaving them out moves {len(self.moved)} of {len(self.rows)} estimates by more "
                f"than the half-width of the interval ({names}). Report both numbers, and why the "
                "work was excluded."
            )
        if self.lost:
            names = "; ".join(row.cell.name for row in self.lost)
            return f"Nothing is left of {len(self.lost)} of {len(self.rows)} estimates ({names})."
        if all(row.shift is not None for row in self.rows):
            return "Leaving them out moves no estimate by more than the half-width of its interval."
        return "What that changes is known for the estimates below that show both numbers."


def of(facts: CampaignFacts) -> Sensitivity:
    """Return the effect of a campaign's exclusions, in a constant number of queries."""
    newest = history.latest(facts.campaign_id, facts.criterion_names)
    found = rows.rows(facts, newest, price=Decimal(0))
    primary = [cell for row in found if row.is_primary for cell in row.cells]
    excluded = ruling_statistics.excluded(facts.campaign_id, since=facts.closed_at)
    return compare(primary, excluded, ruling_statistics.of(facts.campaign_id))


def compare(primary: Sequence[ShownCell], excluded: ExcludedCounts, how: Conduct) -> Sensitivity:
    return Sensitivity(excluded, how, tuple(ComparedEstimate(cell) for cell in primary))


def reason_name(screen: str) -> str:
    return _WORDS.get(screen, screen.replace("_", " "))


def _left_out(excluded: ExcludedCounts) -> str:
    judgments = many(excluded.judgments, "judgment")
    verb = "is" if excluded.judgments == 1 else "are"
    people = many(excluded.annotators, "annotator")
    reasons = "; ".join(f"{reason_name(r.screen)}: {r.annotators}" for r in excluded.reasons)
    return f"{judgments} of {people} {verb} excluded ({reasons})."


def _conduct(how: Conduct) -> Iterator[str]:
    if not how.rulings:
        yield "There are no rulings yet."
        return
    rest = f"{count(how.blind)} of them blind"
    if how.not_blind:
        rest += f", {count(how.not_blind)} by people who could see results or had seen them"
    verb = "has" if how.rulings == 1 else "have"
    yield f"{many(how.rulings, 'ruling')} {verb} decided whether work counts: {rest}."
    if how.looks:
        yield (
            f"People who ruled looked at results {many(how.looks, 'time')}, counted once between "
            f"two rulings; {many(how.looked, 'ruling')} followed such a look."
        )
    if how.undone:
        yield (
            f"{many(how.undone, 'exclusion')} {'was' if how.undone == 1 else 'were'} undone: "
            f"{count(how.undone_looked)} by a reviewer who had looked at results since the "
            f"exclusion, {count(how.undone_late)} after it was final."
        )
    if how.again:
        verb = "was" if how.again == 1 else "were"
        yield f"{many(how.again, 'exclusion')} {verb} of an annotator who had been excluded before."
    if how.unopened:
        verb = "was" if how.unopened == 1 else "were"
        yield f"{many(how.unopened, 'ruling')} {verb} made without opening the annotator’s case."
    if how.own_appeals:
        verb = "was" if how.own_appeals == 1 else "were"
        yield (
            f"{many(how.own_appeals, 'appeal')} {verb} answered by the person whose ruling it was "
            "against, because there was no other reviewer."
        )
