"""The recommended next step for the researcher: one act, with the reason in numbers."""

from math import ceil

from annotate.states import CampaignStatus as Status
from annotate.text.figures import count, many, money, number, percent, width
from estimation.core import MIN_EFFECTIVE_ANNOTATORS, annotators_needed, width_floor
from estimation.selectors import collecting, ending
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.situation import URGENT, Advice, Branch, Situation

LEAST_JUDGMENTS = 30  # with fewer, the variance components are too uncertain to ask anyone


def short_of_people(now: Situation) -> Advice | None:
    if now.facts.estimand != "population":
        return None
    if now.facts.is_ranking:
        return _ranking_short_of_people(now)
    short = [found for cell in now.cells if (found := _short(cell, now.facts.level))]
    if not short:
        return None
    n, text = max(short)
    people = many(n, "more person", "more people")
    act = ("people", f"Invite {people}")
    if now.market:  # they come by what is published there
        act = ("batches", "Launch or extend a batch")
    return Advice("more_people", f"Ask {people}", text, *act)


def _ranking_short_of_people(now: Situation) -> Advice | None:
    """Where more items by the same people do not settle the ranking."""
    if now.progress.judged < LEAST_JUDGMENTS:
        return None
    if not any(pair.needs_people for pair in now.ranking.open_pairs):
        return None
    act = ("people", "Invite more people")
    if now.market:
        act = ("batches", "Launch or extend a batch")
    return Advice("more_people", "Ask more people", now.ranking.settles, *act)


def _short(cell: ShownCell, level: float) -> tuple[int, str] | None:
    """Return (how many more people at least, why), if this cell lacks people."""
    row = cell.row
    if row is None or cell.target is None or cell.at_target or row.n_judgments < LEAST_JUDGMENTS:
        return None
    effective = row.effective_annotators
    if effective < MIN_EFFECTIVE_ANNOTATORS:
        return ceil(MIN_EFFECTIVE_ANNOTATORS - effective), (
            f"{cell.name} rests on the work of {number(effective, 1)} effective annotators, and an "
            f"interval for people in general takes {number(MIN_EFFECTIVE_ANNOTATORS, 0)}."
        )
    return _above_floor(cell, cell.target, level)


def _above_floor(cell: ShownCell, target: float, level: float) -> tuple[int, str] | None:
    """Return the same, if the differences between people alone keep it wider than its target."""
    row = cell.row
    assert row is not None
    effective = row.effective_annotators
    share = float(row.detail.get("parts", {}).get("annotator", 0.0))
    person = share * (row.std_error or 0.0) ** 2 * effective
    floor = float(width_floor(person_variance=person, effective_annotators=effective, level=level))
    if floor <= target:
        return None
    needed = annotators_needed(
        target_width=target,
        level=level,
        person_variance=person,
        evenness=min(1.0, effective / row.n_annotators),
    )
    if needed is None or needed <= row.n_annotators:
        return None
    return needed - row.n_annotators, (
        f"More judgments by the same people cannot narrow {cell.name} enough: {percent(share)} of "
        f"its squared error is difference between people, and with these {row.n_annotators} it "
        f"cannot get below {width(floor)}. At least {needed - row.n_annotators} more are needed "
        f"for {width(target)}."
    )


def advise(now: Situation) -> Advice:
    """Return the next step in this situation. Every situation has one."""
    return next(found for branch in ORDER[now.status] if (found := branch(now)))


def draft(now: Situation) -> Advice:
    enough = "every interval is as narrow as its target"
    if now.facts.is_ranking:
        enough = "every pair of systems is decided"
    text = (
        f"No one can judge yet. Once open, at most {count(now.progress.planned)} judgments are "
        f"collected for at most {money(now.most.amount)}, and collection stops automatically when "
        f"{enough}."
    )
    return Advice("draft", "Open the campaign", text, "open", "Open for judgments")


def paused(now: Situation) -> Advice:
    text = "No one gets a new text while the campaign is paused. "
    if now.offered.launched:
        text += (
            "Its batches are stopped for good. Running work may still be sent in, and is paid. "
            "Once you go on, launch another batch for what is missing."
        )
    else:
        text += "Running ones may still be sent in."
    if now.limit:
        text += f" If you go on, it closes at once, because {now.limit.label}."
    return Advice("paused", "Go on collecting", text, "open", "Go on")


def archived(_now: Situation) -> Advice:
    text = "This campaign is archived. Its numbers stay as they are."
    return Advice("archived", "Nothing", text)


ORDER: dict[Status, tuple[Branch, ...]] = {
    Status.DRAFT: (draft,),
    Status.OPEN: (
        *URGENT,
        collecting.limit_reached,
        collecting.targets_reached,
        collecting.nothing_launched,
        collecting.not_published,
        collecting.nothing_offered,
        collecting.everything_taken,
        collecting.nobody_came,
        collecting.nobody_may,
        collecting.budget_reserved,
        collecting.silence,
        collecting.reviews_wait,
        short_of_people,
        collecting.wait,
    ),
    Status.PAUSED: (*URGENT, paused),
    Status.CLOSING: (
        *URGENT,
        ending.last_judgments,
        ending.gaps_not_offered,
        ending.nobody_may_fill,
        ending.nobody_fills,
        ending.reserved,
        ending.last_reviews,
        ending.last_scores,
        ending.in_a_moment,
    ),
    Status.CLOSED: (
        *URGENT,
        ending.widened,
        ending.missed,
        ending.late_reviews,
        ending.results,
    ),
    Status.ARCHIVED: (archived,),
}
