"""What to do while a campaign is closing, and after: why it waits, and what would end that."""

from annotate.selectors.gaps import Gaps
from annotate.states import CloseReason
from estimation.selectors.cells import Cell, signed
from estimation.selectors.situation import Advice, Situation

FINISH = {"also": "finish", "also_label": "Finish now…"}


def closing(now: Situation) -> Advice:
    missing, running = now.missing, now.progress.running
    if missing or running:
        if not running and missing == now.gaps.for_nobody:
            return _nobody_may(now)
        return _last_judgments(now)
    if now.waiting:
        return _reviews(now)
    text = "Everything that was begun is finished. The final estimates follow in a moment."
    return Advice("Wait a moment", text)


def closed(now: Situation) -> Advice:
    wide = [cell for cell in now.cells if not cell.at_target]
    if now.widened:
        text = (
            "Reopening collects what was excluded again, from other people and for "
            f"${now.price:,.2f} a judgment, and goes on until the targets are reached. It asks for "
            "a reason, which stays in the log. Or leave it closed, and report the wider interval."
        )
        return Advice("Decide whether to reopen", text, "reopen", "Reopen…")
    if wide and now.facts.close_reason == CloseReason.TARGET:
        text = (
            f"{wide[0].name} is not at its target, though the campaign closed because every "
            "interval was. You may reopen it and collect the rest."
        )
        return Advice("Decide whether to reopen", text, "reopen", "Reopen…")
    text = f"It closed because {now.facts.why_closed}. These estimates are final."
    if wide:
        text += f" {len(wide)} of {len(now.cells)} intervals are wider than asked for."
    return Advice("Read the results", f"{text}{_best(now.cells)}")


def _reviews(now: Situation) -> Advice:
    text = (
        f"Everything that was begun is finished. {_waiting(now)} for a review: "
        "the campaign is final after it, because an exclusion would change what counts."
    )
    return Advice("Rule on what is waiting", text, "reviews", "Review them", **FINISH)


def _nobody_may(now: Situation) -> Advice:
    text = (
        f"{_places(now.missing)} in items already begun can still be judged, but by nobody who has "
        f"come: {_why_nobody(now)}. The campaign waits for somebody new, or for you to finish it "
        "now: unfinished items are then counted and shown."
    )
    if now.waiting:
        text += f" {_waiting(now)} for a review, and may go on if cleared."
        return Advice("Rule on what is waiting", text, "reviews", "Review them", **FINISH)
    return Advice("Invite somebody new, or finish", text, "people", "Get the link", **FINISH)


def _why_nobody(now: Situation) -> str:
    gaps: Gaps = now.gaps
    reasons = []
    if gaps.at_cap:
        reasons.append(f"{_people(gaps.at_cap)} done the {now.facts.annotator_cap} allowed")
    if gaps.left_out:
        reasons.append(f"{_people(gaps.left_out)} been left out or stopped for a review")
    others = now.progress.annotators - gaps.at_cap - gaps.left_out
    if others > 0 or not reasons:
        reasons.append("the others have had these already" if reasons else "all have had these")
    return ", ".join(reasons)


def _people(n: int) -> str:
    return "1 person has" if n == 1 else f"{n} people have"


def _last_judgments(now: Situation) -> Advice:
    missing, running = now.missing, now.progress.running
    text = (
        f"Items already begun are finished first, because the slow ones are not like the others. "
        f"{_places(missing)} can still be judged and {_places(running)} "
        f"{'is' if running == 1 else 'are'} being judged. Finish now only if nobody comes any "
        "more: unfinished items are then counted and shown."
    )
    return Advice("Wait for the last judgments", text, "finish", "Finish now…")


def _waiting(now: Situation) -> str:
    return "1 annotator waits" if now.waiting == 1 else f"{now.waiting} annotators wait"


def _places(n: int) -> str:
    return "1 place" if n == 1 else f"{n:,} places"


def _best(cells: tuple[Cell, ...]) -> str:
    """Name the best system by the first primary criterion, as a reading aid, not as a test."""
    known = [cell for cell in cells if cell.row and cell.criterion == cells[0].criterion]
    if len(known) < 2:
        return ""
    sign = 1 if known[0].criterion.higher_is_better else -1
    top = max(known, key=lambda cell: sign * (cell.row.estimate if cell.row else 0.0))
    assert top.row is not None
    return (
        f" {top.system.name} comes first on {top.criterion.name} with {signed(top.row.estimate)}; "
        "whether it is ahead of another is told by the differences below."
    )
