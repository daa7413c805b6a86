"""What the researcher had best do next: one act, with the reason in numbers.

`ORDER` is the order of urgency, and all of it: the first branch that applies speaks
(docs/decisions/022). The last branch of every status always applies.
"""

from annotate.states import CampaignStatus as Status
from annotate.text.figures import count, money
from estimation.selectors import collecting, ending
from estimation.selectors.annotator_shortage import short_of_people
from estimation.selectors.situation import Advice, Branch, Situation
from estimation.selectors.urgent import URGENT


def advise(now: Situation) -> Advice:
    """Return what to do next in this situation; every situation has an answer."""
    return next(found for branch in ORDER[now.status] if (found := branch(now)))


def draft(now: Situation) -> Advice:
    text = (
        f"No one can judge yet. Once open, at most {count(now.progress.planned)} judgments are "
        f"collected for at most {money(now.most.amount)}, and collection stops automatically when "
        "every interval is as narrow as its target."
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
