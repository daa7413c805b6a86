"""What comes before anything else: decisions that a crowd or people wait for, and a worker that
does not run."""

from annotate.text.figures import lasting, many, moment
from estimation.selectors.situation import Advice, Situation


def crowd_pays_soon(now: Situation) -> Advice | None:
    if now.near is None:
        return None
    units, one = many(now.near.units, "unit"), now.near.units == 1
    text = (
        f"{units} under review or in doubt {'is' if one else 'are'} approved by {now.market} "
        f"automatically from {moment(now.near.first)}. Pay that was approved there can no longer "
        "be refused."
    )
    act, label = ("batches", "Decide") if now.in_doubt else ("reviews", "Review them")
    return Advice("pays_soon", f"Decide about {units} before the crowd pays", text, act, label)


def crowd_wants_money(now: Situation) -> Advice | None:
    n = now.offered.unfunded
    if not n:
        return None
    text = (
        f"{many(n, 'operation')} at {now.market} {'waits' if n == 1 else 'wait'}, because the "
        "account there does not hold enough money. Nothing is lost: what was refused is tried "
        "again as soon as you say so."
    )
    title = f"Top up the account at {now.market}"
    return Advice("unfunded", title, text, "batches", "See what waits")


def crowd_waits(now: Situation) -> Advice | None:
    n = now.offered.stuck
    if not n:
        return None
    text = (
        f"{many(n, 'operation')} at {now.market} {'was' if n == 1 else 'were'} refused, or may or "
        "may not have happened. Plumbline does not try again until you decide."
    )
    return Advice("stuck", f"Decide about {many(n, 'operation')}", text, "batches", "Decide")


def units_in_doubt(now: Situation) -> Advice | None:
    n = now.in_doubt
    if not n:
        return None
    text = (
        f"What was handed in with {'it' if n == 1 else 'them'} does not agree with what is known "
        "here, and people wait for their pay."
    )
    return Advice("in_doubt", f"Decide whether to pay {many(n, 'unit')}", text, "batches", "Decide")


def worker_is_late(now: Situation) -> Advice | None:
    if not now.liveness.behind:
        return None
    text = (
        f"New judgments have waited for their estimates for {lasting(now.liveness.behind)}; "
        "usually that takes seconds. Meanwhile no interval is checked, and nothing stops at its "
        "target. See that the worker and beat are running, and read their logs."
    )
    return Advice("worker", "See why no estimates are computed", text)


URGENT = (crowd_pays_soon, crowd_wants_money, crowd_waits, units_in_doubt, worker_is_late)
