"""The recommended next step for the researcher: one act, with the reason in numbers."""

from math import ceil

from annotate.states import CampaignStatus as Status
from annotate.text.figures import count, many, money, money_at_a_glance, number, percent
from estimation.core import MIN_EFFECTIVE_ANNOTATORS
from estimation.selectors import collecting, ending
from estimation.selectors.situation import URGENT, Advice, Branch, Situation

LEAST_JUDGMENTS = 30  # with fewer, the variance components are too uncertain to ask anyone


def short_of_people(now: Situation) -> Advice | None:
    if now.facts.estimand != "population":
        return None
    if now.facts.is_ranking:
        return _ranking_short_of_people(now)
    found = _too_few(now) or _forecast_of_people(now)
    if found is None:
        return None
    n, text = found
    people = many(n, "more person", "more people")
    act = ("people", f"Invite {people}")
    if now.market:  # they come by what is published there
        act = ("batches", "Launch or extend a batch")
    return Advice("more_people", f"Ask {people}", text, *act)


def out_of_reach(now: Situation) -> Advice | None:
    """Advise where the targets are not met, whoever is asked."""
    if now.outlook is None or not now.outlook.is_hopeless:
        return None
    text = (
        f"The targets cannot be met before the items run out.{now.outlook.at_end} "
        "Collection goes on until everything is judged. Close the campaign if that is not worth "
        "its cost."
    )
    title = "Decide whether to go on: the targets cannot be met"
    return Advice("out_of_reach", title, text, "close", "Close the campaign…")


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


def _too_few(now: Situation) -> tuple[int, str] | None:
    """Return (how many more people at least, why), where too few for any interval have judged."""
    short = [
        (ceil(MIN_EFFECTIVE_ANNOTATORS - cell.row.effective_annotators), cell)
        for cell in now.cells
        if cell.row is not None and cell.target is not None and not cell.at_target
        if cell.row.n_judgments >= LEAST_JUDGMENTS
        if cell.row.effective_annotators < MIN_EFFECTIVE_ANNOTATORS
    ]
    if not short:
        return None
    n, cell = max(short, key=lambda one: one[0])
    assert cell.row is not None
    return n, (
        f"{cell.name} rests on the work of {number(cell.row.effective_annotators, 1)} effective "
        f"annotators, and an interval for people in general takes "
        f"{number(MIN_EFFECTIVE_ANNOTATORS, 0)}."
    )


def _forecast_of_people(now: Situation) -> tuple[int, str] | None:
    """Return the same, where new people would reach targets that are missed without them."""
    n = now.outlook.lacks if now.outlook else None
    if now.outlook is None or not n:
        return None
    return n, (
        "With people coming as they have so far, the targets are met before the items run out "
        f"with a chance of {percent(now.outlook.chance)}. "
        f"{many(n, 'new person', 'new people')} who share the judgments that are left would do."
        f"{now.outlook.at_end}"
    )


def advise(now: Situation) -> Advice:
    """Return the next step in this situation. Every situation has one."""
    return next(found for branch in ORDER[now.status] if (found := branch(now)))


def draft(now: Situation) -> Advice:
    enough = "every interval is as narrow as its target"
    if now.facts.is_ranking:
        enough = "every pair of systems is decided"
    text = (
        f"No one can judge yet.{_expected(now)} At most {count(now.progress.planned)} judgments "
        f"are collected for at most {money(now.most.amount)}. Collection stops automatically when "
        f"{enough}."
    )
    return Advice("draft", "Open the campaign", text, "open", "Open for judgments")


def _expected(now: Situation) -> str:
    found = now.expected
    if found is None:
        return ""
    cost = money_at_a_glance(min(found.cost.expected, float(now.most.amount)))
    judgments, people = round(found.judgments.expected), round(found.annotators.expected)
    return (
        f" It is expected to cost about {cost}: {many(judgments, 'judgment')} by "
        f"{many(people, 'person', 'people')}."
    )


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
        collecting.budget_short,
        collecting.nothing_offered,
        collecting.everything_taken,
        collecting.nobody_came,
        collecting.nobody_may,
        collecting.budget_reserved,
        collecting.silence,
        collecting.reviews_wait,
        short_of_people,
        out_of_reach,
        collecting.wait,
    ),
    Status.PAUSED: (*URGENT, paused),
    Status.CLOSING: (
        *URGENT,
        ending.last_judgments,
        collecting.budget_short,
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
