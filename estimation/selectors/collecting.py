"""Advice while a campaign is open: who is missing, and what prevents judgments."""

from datetime import timedelta
from math import ceil

from annotate.selectors.campaigns.progress import SEEN
from annotate.text.figures import count, lasting, many, moment, money, width
from estimation.selectors.situation import Advice, Situation

AT_A_CROWD = timedelta(hours=3)  # without anyone at work, before a check is advised
BATCHES = ("batches", "Look at the batches")
FIRST_AT_A_CROWD = timedelta(days=1)  # the same, until the first person accepts a unit


def limit_reached(now: Situation) -> Advice | None:
    if now.limit is None:
        return None
    text = f"No one gets a new text, because {now.limit.label}. Texts being judged are finished."
    return Advice("limit", "Wait: the campaign is about to close", text, waits=True)


def targets_reached(now: Situation) -> Advice | None:
    if not now.is_enough:
        return None
    known = "Every interval is at its target."
    if now.facts.is_ranking:
        known = "Every pair of systems is decided."
    text = f"{known} The campaign closes automatically."
    return Advice("targets", "Wait: the campaign is about to close", text, waits=True)


def nothing_launched(now: Situation) -> Advice | None:
    if not now.market or now.offered.launched:
        return None
    text = (
        f"The campaign is open, but nothing is published on {now.market}. You see what people see, "
        "and what it costs, before anything is published."
    )
    return Advice("launch", "Launch a batch", text, "launch", "Prepare a batch")


def not_published(now: Situation) -> Advice | None:
    """Advise on postings that are planned here but not at the crowd yet."""
    offered = now.offered
    if not offered.publishing or offered.untaken or offered.at_work or now.liveness.leases:
        return None
    if offered.retried or (offered.waited or timedelta(0)) >= SEEN:
        text = (
            f"What was launched does not appear on {now.market} yet. The page of batches says "
            "what was answered there."
        )
        return Advice("unpublished", "See why nothing is published", text, "batches", "Batches")
    text = f"The batch is on its way to {now.market}. People can take its submissions in a moment."
    return Advice(
        "publishing", "Wait until it is published", text, "batches", "Batches", waits=True
    )


def everything_taken(now: Situation) -> Advice | None:
    """Advise when every planned judgment is given or reserved."""
    if now.missing:
        return None
    act = BATCHES if now.market else ("", "")
    text = f"Every planned judgment is given or reserved.{_reserved(now)}{confirming(now)}"
    return Advice(
        "taken",
        "Wait for the last judgments",
        f"{text} The campaign closes automatically after the last one.",
        *act,
        waits=True,
    )


def budget_short(now: Situation) -> Advice | None:
    """Advise when nothing is offered and the budget does not pay for another place."""
    if not now.short or (nothing_offered(now) is None and not now.is_gap):
        return None
    text = (
        f"{many(now.missing, 'judgment')} {_be(now.missing)} still missing, and nothing is offered "
        f"on {now.market} now. The budget of {money(now.facts.budget)} does not pay for another "
        f"place: {money(now.short)} more pays for one submission with one task, bonus and fees "
        "included."
    )
    end, label = ("finish", "Finish now…") if now.is_gap else ("close", "Close the campaign…")
    title = "Raise the budget, or end the collection"
    return Advice("budget_short", title, text, "budget", "Raise the budget…", end, label)


def nothing_offered(now: Situation) -> Advice | None:
    """Advise when nothing is offered: stopped and full postings do not continue."""
    short = now.missing - now.offered.promised
    if not now.market or now.offered.is_offered or short <= 0:
        return None
    verb = "is" if short == 1 else "are"
    text = (
        f"{many(short, 'judgment')} {verb} still missing, and nothing is offered on {now.market} "
        "now: what was published before is stopped or taken, and does not go on. A new batch "
        "starts from what is missing; you see what it costs before anything is published."
    )
    return Advice("launch_again", "Launch another batch", text, "launch", "Prepare a batch")


def nobody_came(now: Situation) -> Advice | None:
    if now.availability.came:
        return None
    if not now.market:
        text = "The campaign is open, and no one has entered yet. Send people its link."
        return Advice("invite", "Invite people", text, "people", "Get the link")
    waited = now.offered.waited or timedelta(0)
    if waited >= FIRST_AT_A_CROWD:
        text = (
            f"A batch was launched on {now.market} {lasting(waited)} ago, and no one has taken a "
            "submission. Compare its reward, time and title with other work there, and see who may "
            "take it. Another batch can have other terms."
        )
        return Advice(
            "nobody_takes", "See why no one enters", text, "batches", "Look at the batches"
        )
    text = f"A batch is published on {now.market}, and no one has entered yet."
    return Advice("first_people", "Wait for the first people", text, *BATCHES, waits=True)


def nobody_may(now: Situation) -> Advice | None:
    """Advise when no annotator may continue, so that someone must be cleared or invited."""
    if now.can_come:
        return None
    if now.availability.under_review:
        return _all_under_review(now)
    n = ceil(now.missing / now.facts.annotator_cap) if now.facts.annotator_cap else 1
    people = many(n, "more person", "more people")
    text = (
        f"{many(now.missing, 'judgment')} {_be(now.missing)} still missing, and no one who entered "
        f"may give another: {why_nobody(now)}."
    )
    return Advice("nobody_may", f"Invite {people}", text, "people", f"Invite {people}")


def _all_under_review(now: Situation) -> Advice:
    n, came = now.availability.under_review, now.availability.came
    who = "Everybody who came" if n == came else f"{count(n)} of the {count(came)} people who came"
    others = "" if n == came else f" Of the others, {why_nobody(now, reviewed=False)}."
    verb = "waits" if n == came or n == 1 else "wait"
    text = (
        f"{who} {verb} for a ruling and gets no new text until then.{others} No judgment comes in "
        "before you rule or new people enter."
    )
    return Advice("all_reviewed", f"Rule on {_annotators(n)}", text, "reviews", "Review them")


def why_nobody(now: Situation, *, reviewed: bool = True) -> str:
    """Return why no one who came may judge more, as the end of a sentence."""
    who, reasons = now.availability, []
    if who.at_cap:
        allowed = many(now.facts.annotator_cap or 0, "text")
        reasons.append(f"{_have(who.at_cap)} done the {allowed} allowed")
    if who.left_out:
        reasons.append(f"{_have(who.left_out)} been excluded or blocked")
    if reviewed and who.under_review:
        reasons.append(f"{many(who.under_review, 'waits', 'wait')} for a ruling")
    if who.able > 0 or not reasons:
        reasons.append("the others have had these already" if reasons else "all have had these")
    return ", ".join(reasons)


def budget_reserved(now: Situation) -> Advice | None:
    if not now.reserved or now.liveness.active:
        return None
    text = (
        "The rest of the budget is kept for tutorials and submissions in progress. What is left "
        "undone is free for others after at most an hour."
    )
    return Advice("reserved", "Wait: the budget is reserved", text, waits=True)


def silence(now: Situation) -> Advice | None:
    if now.market:
        return _silent_crowd(now)
    if not now.silent(SEEN):
        return None
    who = now.availability
    seen = now.liveness.silence
    title = "Ask people to come back, or invite more"
    text = (
        f"{_last_judgment(now)} No one has been at work for {_for(seen)}. "
        f"{_who_may(who.came, who.able)}{_reserved(now)}"
    )
    return Advice("silence", title, text, "people", "Get the link")


def _silent_crowd(now: Situation) -> Advice | None:
    if not now.silent(AT_A_CROWD) or now.offered.at_work or now.liveness.leases:
        return None
    text = (
        f"{_last_judgment(now)} {many(now.offered.untaken, 'submission is', 'submissions are')} "
        f"free on {now.market}, and no one is working on one. Compare the reward, time and title "
        "with other work there, and see who may take it."
    )
    return Advice("silence", "See why no one enters", text, *BATCHES)


def reviews_wait(now: Situation) -> Advice | None:
    if not now.waiting:
        return None
    n = now.waiting
    text = (
        f"{_annotators(n)} {'waits' if n == 1 else 'wait'} for a ruling. Their work counts until "
        "then, they get no new texts, and the campaign cannot become final."
    )
    return Advice("reviews", f"Rule on {_annotators(n)}", text, "reviews", "Review them")


def wait(now: Situation) -> Advice:
    text = f"{_pulse(now)} {_widest(now)} {_ends(now)}{_limits(now)}"
    act = BATCHES if now.market else ("people", "Invite more people")
    return Advice("wait", _waiting_for(now), text, *act, waits=True)


def _waiting_for(now: Situation) -> str:
    live = now.liveness
    if live.judged_ago is None:
        return "Wait for the first judgments"
    if live.active or now.offered.at_work or live.judged_ago < SEEN:
        return "Wait: judgments are coming in"
    return "Wait for more judgments"


def _pulse(now: Situation) -> str:
    n = now.liveness.active
    if n:
        return f"{many(n, 'text is', 'texts are')} being judged now."
    if now.market and now.offered.at_work:
        return f"{many(now.offered.at_work, 'submission is', 'submissions are')} being worked on."
    return _last_judgment(now)


def _last_judgment(now: Situation) -> str:
    ago = now.liveness.judged_ago
    if ago is None:
        return "No judgment has come yet."
    if ago < SEEN:
        return f"The last judgment came less than {lasting(SEEN)} ago."
    return f"The last judgment came {lasting(ago)} ago."


def _widest(now: Situation) -> str:
    if now.facts.is_ranking:
        return now.ranking.settles
    worst = max(now.wide, key=lambda cell: cell.too_wide or 0.0)
    if worst.too_wide and not worst.awaited:
        return f"{worst.name} is the widest: {width(worst.too_wide)} above its target."
    return f"{worst.name} rests on too few judgments for a decision yet."


def _ends(now: Situation) -> str:
    if now.facts.is_ranking:
        return "Collection stops automatically when every pair of systems is decided."
    n = len(now.cells)
    intervals = (
        "the interval is at its target" if n == 1 else (f"all {n} intervals are at their targets")
    )
    return f"Collection stops automatically when {intervals}."


def _limits(now: Situation) -> str:
    """Return the limits that may end the collection before."""
    told = ""
    if now.facts.budget is not None and now.price:
        n = max(0, int((now.facts.budget - now.progress.spent) / now.price))
        if n < now.missing:
            told += f" The budget pays for about {many(n, 'more judgment')}."
    if now.facts.deadline is not None and now.deadline_soon:
        told += f" The deadline is {moment(now.facts.deadline)}."
    return told


def _reserved(now: Situation) -> str:
    n = now.liveness.leases
    if not n or now.liveness.first_end is None:
        return ""
    until = moment(now.liveness.first_end)
    if n == 1:
        return f" 1 text is reserved for an annotator until {until}."
    return f" {count(n)} texts are reserved, the first of them until {until}."


def confirming(now: Situation) -> str:
    n = now.unconfirmed
    waits = many(n, "judgment waits", "judgments wait")
    return f" {waits} until {now.market} has confirmed what was handed in." if n else ""


def _for(silence: timedelta | None) -> str:
    return lasting(silence) if silence else "a while"


def _annotators(n: int) -> str:
    return many(n, "annotator")


def _have(n: int) -> str:
    return many(n, "person has", "people have")


def _be(n: int) -> str:
    return "is" if n == 1 else "are"


def _who_may(came: int, able: int) -> str:
    if came == 1:
        return f"1 person has come, and may {'still' if able else 'not'} judge."
    of_them = "none" if able == 0 else "all" if able == came else count(able)
    return f"{count(came)} people have come, and {of_them} of them may still judge."
