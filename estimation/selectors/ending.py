"""Advice while a campaign is closing, and after: why it waits, and what would end the wait."""

from dataclasses import replace

from annotate.selectors.campaigns.progress import SEEN
from annotate.states import CloseReason
from annotate.text.figures import lasting, many, moment, money, number
from estimation.selectors.collecting import confirming, why_nobody
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.situation import Advice, Situation

COUNTED = "unfinished items are then counted and shown"


def last_judgments(now: Situation) -> Advice | None:
    """Advise while people work on the last judgments, or may start in a moment."""
    if not (now.missing or now.liveness.leases or now.unconfirmed) or not _coming(now):
        return None
    text = (
        "Items already begun are finished first, because the slow ones are not like the others."
        f"{_left(now)}{confirming(now)} Finish now only if no judgment comes any more: {COUNTED}."
    )
    return Advice("last", "Wait for the last judgments", text, "finish", "Finish now…", waits=True)


def _left(now: Situation) -> str:
    told = ""
    if now.missing:
        told += f" {_slots(now.missing)} can still be judged."
    if now.liveness.leases:
        told += f" {many(now.liveness.leases, 'text is', 'texts are')} being judged."
    return told


def _coming(now: Situation) -> bool:
    if now.liveness.active or now.unconfirmed:
        return True
    if now.market:
        return now.can_come
    return now.can_come and not now.silent(SEEN)


def gaps_not_offered(now: Situation) -> Advice | None:
    if not now.is_gap:
        return None
    text = (
        f"{_slots(now.missing)} in items already begun can still be judged, and nothing is "
        f"offered on {now.market} now. Launch a batch for them, or finish now: {COUNTED}."
    )
    title = "Launch a batch for the gaps, or finish"
    return _or_finish(Advice("gaps", title, text, "launch", "Prepare a batch"))


def nobody_may_fill(now: Situation) -> Advice | None:
    """Advise by link when no one who came may fill the gaps."""
    if not now.missing or now.can_come:
        return None
    text = (
        f"{_slots(now.missing)} in items already begun can still be judged, but by no one who has "
        f"entered: {why_nobody(now)}. The campaign waits for new people, or for you to finish it "
        f"now: {COUNTED}."
    )
    if now.waiting:
        text += f" {_waiting(now)} for a review, and may go on if cleared."
        title = "Rule on what is waiting"
        return _or_finish(Advice("gaps_reviews", title, text, "reviews", "Review them"))
    title = "Invite new people, or finish"
    return _or_finish(Advice("gaps_nobody", title, text, "people", "Get the link"))


def nobody_fills(now: Situation) -> Advice | None:
    """Advise by link when people may fill the gaps, but have not been seen for a while."""
    if not now.missing:
        return None
    seen, able = now.liveness.silence, now.availability.able
    text = (
        f"{_slots(now.missing)} in items already begun can still be judged, and "
        f"{many(able, 'person', 'people')} who came may take them, but no one has been at work for "
        f"{lasting(seen) if seen else 'a while'}. Send them the link again, or finish now: "
        f"{COUNTED}."
    )
    title = "Ask people to come back, or finish"
    return _or_finish(Advice("gaps_silence", title, text, "people", "Get the link"))


def reserved(now: Situation) -> Advice | None:
    """Advise on leases of pages that are not in use: they expire."""
    leases, until = now.liveness.leases, now.liveness.first_end
    if not leases:
        return None
    text = (
        f"{many(leases, 'text is', 'texts are')} still reserved on a page that is not in use; "
        f"{'it' if leases == 1 else 'the first of them'} is free again from {moment(until)}. Or "
        f"finish now: {COUNTED}."
    )
    return Advice(
        "last_reserved", "Wait for the last judgments", text, "finish", "Finish now…", waits=True
    )


def last_reviews(now: Situation) -> Advice | None:
    if not now.waiting:
        return None
    text = (
        f"Everything that was begun is finished. {_waiting(now)} for a review: "
        "the campaign is final after it, because an exclusion would change what counts."
    )
    title = "Rule on what is waiting"
    return _or_finish(Advice("last_reviews", title, text, "reviews", "Review them"))


def last_scores(now: Situation) -> Advice | None:
    if not now.unscored:
        return None
    text = (
        "Everything that was begun is finished. "
        f"{many(now.unscored, 'judgment waits', 'judgments wait')} for a score, which takes longer "
        "for long texts; the final estimates follow."
    )
    return Advice("scores", "Wait for the last scores", text, waits=True)


def in_a_moment(_now: Situation) -> Advice:
    text = "Everything that was begun is finished. The final estimates follow in a moment."
    return Advice("moment", "Wait a moment", text, waits=True)


def widened(now: Situation) -> Advice | None:
    if not now.widened:
        return None
    text = (
        "Reopening collects what was excluded again, from other people and for "
        f"{money(now.price)} a judgment, and goes on until the targets are reached. It asks for "
        "a reason, which stays in the log. Or leave it closed, and report the wider interval."
    )
    return Advice("widened", "Decide whether to reopen", text, "reopen", "Reopen…")


def missed(now: Situation) -> Advice | None:
    if now.facts.close_reason == CloseReason.RANKED and now.ranking.open_pairs:
        return _open_again(now)
    if not now.wide or now.facts.close_reason != CloseReason.TARGET:
        return None
    text = (
        f"{now.wide[0].name} is not at its target, though the campaign closed because every "
        "interval was. You may reopen it and collect the rest."
    )
    return Advice("missed", "Decide whether to reopen", text, "reopen", "Reopen…")


def _open_again(now: Situation) -> Advice:
    found = now.ranking.open_pairs
    text = (
        f"{many(len(found), 'pair is', 'pairs are')} open, first {found[0].name}, though the "
        "campaign closed because every pair was decided. You may reopen it and collect the rest."
    )
    return Advice("missed", "Decide whether to reopen", text, "reopen", "Reopen…")


def late_reviews(now: Situation) -> Advice | None:
    if not now.waiting:
        return None
    text = (
        f"The campaign is closed. {_waiting(now)} for a ruling; excluding work now changes these "
        "estimates, and people wait for the answer."
    )
    title = "Rule on what is waiting"
    return Advice("late_reviews", title, text, "reviews", "Review them")


def results(now: Situation) -> Advice:
    why = f"It closed because {now.facts.why_closed}. " if now.facts.close_reason else ""
    text = f"{why}These estimates are final."
    if now.facts.is_ranking:
        text += _ranked(now)
    elif now.wide:
        n, of = len(now.wide), len(now.cells)
        text += f" {n} of {many(of, 'interval')} {'is' if n == 1 else 'are'} wider than asked for."
    text += "" if now.facts.is_ranking else _best(now.cells)
    if now.due > 0:
        text += f" {money(now.due)} is due to people and not marked as paid."
        return Advice("results_due", "Read the results", text, "pay", f"Pay {money(now.due)}")
    return Advice("results", "Read the results", text)


def _or_finish(advice: Advice) -> Advice:
    return replace(advice, also="finish", also_label="Finish now…")


def _waiting(now: Situation) -> str:
    return f"{many(now.waiting, 'annotator')} {'waits' if now.waiting == 1 else 'wait'}"


def _slots(n: int) -> str:
    return many(n, "slot")


def _ranked(now: Situation) -> str:
    told = "".join(f" By {one.criterion.name}: {one.in_words}." for one in now.ranking.each)
    n = len(now.ranking.open_pairs)
    return f"{told} {many(n, 'pair stays', 'pairs stay')} open." if n else told


def _best(cells: tuple[ShownCell, ...]) -> str:
    """Name the best system on the first primary criterion: a reading aid, not a test."""
    known = [cell for cell in cells if cell.shown and cell.criterion == cells[0].criterion]
    if len(known) < 2:
        return ""
    sign = 1 if known[0].criterion.higher_is_better else -1
    top = max(known, key=lambda cell: sign * (cell.row.estimate if cell.row else 0.0))
    assert top.row is not None
    return (
        f" {top.system.name} comes first on {top.criterion.name} with {number(top.row.estimate)}; "
        "the differences below say whether it is ahead of the others."
    )
