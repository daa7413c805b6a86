"""The forecast of a campaign's end, and the recommended next step, as readers see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, Any

from annotate.campaigns.progress import SEEN, Liveness
from annotate.common import numbers
from annotate.common.numbers import (
    count,
    lasting,
    many,
    moment,
    money_at_a_glance,
    money_text,
    number,
    percent,
    series,
    width,
)
from annotate.models.base import CampaignStatus, CloseReason
from estimation.core import MIN_EFFECTIVE_ANNOTATORS
from estimation.models import EndForecast
from estimation.pages.criteria import ShownCell

if TYPE_CHECKING:
    from estimation.pages.dashboard import Dashboard

CLAIMED = 0.9  # coverage is claimed for at least this probability of reaching the targets
LIKELY = 0.5  # below it, more people are asked for
HOPELESS = 0.05
MORE = 100  # judgments, as the service that stores the forecast


@dataclass(frozen=True)
class Amount:
    """One forecast amount: the number now, the expected one and the range, in words.

    limit: what ends it, in words; "" for nothing. share_now, low, middle, high: percent of it.
    """

    label: str
    now: str
    about: str
    between: str
    limit: str = ""
    share_now: float = 0.0
    low: float = 0.0
    middle: float = 0.0
    high: float = 0.0

    @property
    def span(self) -> float:
        return max(self.high - self.low, 0.5)


@dataclass(frozen=True)
class Outlook:
    """The forecast of a collecting campaign's end, for the dashboard.

    stored: the newest one, None before the first (`estimation.deferred` describes its content).
    """

    board: Dashboard
    stored: EndForecast | None

    @property
    def is_shown(self) -> bool:
        return self.board.status == CampaignStatus.OPEN and bool(self.board.facts.targets)

    @property
    def content(self) -> Mapping[str, Any]:
        return self.stored.content if self.stored else {}

    @property
    def is_known(self) -> bool:
        return self.content.get("judgments") is not None

    @property
    def chance(self) -> float:
        return float(self.content.get("chance") or 0.0)

    @property
    def amounts(self) -> tuple[Amount, ...]:
        if not self.is_known:
            return ()
        facts, progress = self.board.facts, self.board.progress
        judged, spent, price = progress.judged, float(progress.spent), float(self.board.price)
        most = min(facts.max_judgments or progress.planned, progress.planned)
        # None are passed, and none is beyond the last.
        ends = [max(judged, min(n, most)) for n in self.content["judgments"]]
        return (
            _amount(
                "Judgments at the end",
                judged,
                [round(end) for end in ends],
                (most, "the limit" if facts.max_judgments else "all that is planned"),
                numbers.count,
            ),
            _amount(
                "Cost at the end",
                spent,
                [spent + (end - judged) * price for end in ends],
                (float(facts.budget), "the budget") if facts.budget else None,
                numbers.money_at_a_glance,
            ),
            self._closes,
        )

    @property
    def _closes(self) -> Amount:
        seconds = self.content.get("seconds")
        if seconds is None or self.stored is None:
            return Amount("Closes about", "", "not known yet", "too few judgments in the last days")
        middle, low, high = (
            self.stored.at + timedelta(seconds=min(one, _MOST_SECONDS)) for one in seconds
        )
        style = "" if seconds[2] < _SOON else "day"
        first, last = (numbers.moment(at, style) for at in (low, high))
        between = first if first == last else f"{first} to {last}"
        return Amount("Closes about", "", numbers.moment(middle, style), between)

    @property
    def pace(self) -> str:
        said = [f"{many(self.board.liveness.active, 'person', 'people')} at work now"]
        hour, minutes = self.content.get("per_hour"), self.content.get("minutes")
        if hour is not None:
            unit = "judgments an hour on average"
            said.append(f"{numbers.number(hour, 0 if hour >= 10 else 1)} {unit}")
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
        n, have = max(known, default=0), self.board.facts.people
        came = self.board.availability.came
        return None if have is not None and n > have - came else n

    @property
    def is_hopeless(self) -> bool:
        return self.is_known and self.chance <= HOPELESS and self.lacks is None

    @property
    def at_end(self) -> str:
        cell, row = self._worst
        left = row.get("at_end")
        if not left:
            return ""
        return (
            f" With every item judged, {cell.name} is about {numbers.width(left[0])} wide, and its "
            f"target is {numbers.width(cell.target)}."
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
        if n and self.board.facts.estimand == "population":
            return f"{told}; {many(n, 'new person', 'new people')} would do.{self.at_end}"
        return f"{told}.{self.at_end}"

    @property
    def _worst(self) -> tuple[ShownCell, Mapping[str, Any]]:
        return min(self._known, key=lambda one: one[1]["chance"])

    @property
    def _known(self) -> Sequence[tuple[ShownCell, Mapping[str, Any]]]:
        rows = {(row["system"], row["criterion"]): row for row in self.content["cells"]}
        keyed = (
            (cell, rows.get((cell.system.system_id, cell.criterion.name)))
            for cell in self.board.primary
        )
        return [(cell, row) for cell, row in keyed if row and "chance" in row]

    @property
    def narrows(self) -> str:
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
            f"{cell.name} is the widest for its target ({numbers.width(row['now'])}, target "
            f"{numbers.width(cell.target)}). {MORE} more judgments of it bring it to about "
            f"{numbers.width(new)} if new people give them"
        )
        if self.board.facts.named_experts:
            return f"{said.removesuffix(' if new people give them')}."
        if same - new < 0.0005:
            return f"{said}, or those who are here."
        share = f", because {percent(people)} of its squared error is difference between people"
        return f"{said}, and to {numbers.width(same)} if those who are here do{share}."


_SOON = 2 * 86_400.0
_MOST_SECONDS = 20 * 365 * 86_400.0


def _clock(minutes: float) -> str:
    """`1:38` for minutes and seconds."""
    whole = round(minutes * 60)
    return f"{whole // 60}:{whole % 60:02d}"


def _amount(
    label: str,
    now: float,
    ends: Sequence[float],
    limit: tuple[float, str] | None,
    write: Callable[[Any], str],
) -> Amount:
    """Return an amount; ends: the expected one, the lowest, the highest. limit: what, and why."""
    middle, low, high = ends
    said = label, write(now), write(middle), f"{write(low)} to {write(high)}"
    if limit is None:
        return Amount(*said)
    most, why = limit
    at = [round(100 * min(n / max(most, 1e-9), 1.0), 1) for n in (now, low, middle, high)]
    return Amount(*said, f"{write(most)}, {why}", *at)


# Advice with precedence over all other.


@dataclass(frozen=True)
class Advice:
    """One act, with its reason in numbers. key: the name of the branch that gave it.

    act: the button's act: a verb of the campaign, "people", "batches", "launch", "reviews", "pay",
        or "" (none).
    also: a second, less important act of the same kind, such as to finish now.
    waits: nothing has to be done, because what is missing comes automatically.
    """

    key: str
    title: str
    text: str
    act: str = ""
    label: str = ""
    also: str = ""
    also_label: str = ""
    waits: bool = False


# A branch: its advice, or None if it does not apply.
Branch = Callable[["Dashboard"], Advice | None]


def crowd_pays_soon(now: Dashboard) -> Advice | None:
    if now.near is None:
        return None
    units, one = many(now.near.units, "unit"), now.near.units == 1
    text = (
        f"{units} under review or in doubt {'is' if one else 'are'} approved by {now.market} "
        f"automatically from {moment(now.near.first)}. Pay that was approved there can no longer "
        "be refused."
    )
    act, label = ("batches", "Decide") if now.n_in_doubt else ("reviews", "Review them")
    return Advice("pays_soon", f"Decide about {units} before the crowd pays", text, act, label)


def crowd_wants_money(now: Dashboard) -> Advice | None:
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


def crowd_waits(now: Dashboard) -> Advice | None:
    n = now.offered.stuck
    if not n:
        return None
    text = (
        f"{many(n, 'operation')} at {now.market} {'was' if n == 1 else 'were'} refused, or may or "
        "may not have happened. Plumbline does not try again until you decide."
    )
    return Advice("stuck", f"Decide about {many(n, 'operation')}", text, "batches", "Decide")


def units_in_doubt(now: Dashboard) -> Advice | None:
    n = now.n_in_doubt
    if not n:
        return None
    text = (
        f"What was handed in with {'it' if n == 1 else 'them'} does not agree with what is known "
        "here, and people wait for their pay."
    )
    return Advice("in_doubt", f"Decide whether to pay {many(n, 'unit')}", text, "batches", "Decide")


def worker_is_late(now: Dashboard) -> Advice | None:
    if not now.liveness.behind:
        return None
    return Advice("worker", "Estimates are behind: is the worker running?", told_late(now.liveness))


def told_late(liveness: Liveness) -> str:
    return (
        f"New judgments have waited for their estimates for {lasting(liveness.behind)}; usually "
        "that takes seconds. Until they are computed, no interval is checked and nothing stops at "
        "its target. Check that the worker and beat are running, and read their logs."
    )


def off_the_scale(now: Dashboard) -> Advice | None:
    wrong = [cell.name for cell in now.primary if cell.shown and cell.off_scale]
    if not wrong:
        return None
    text = (
        f"{series(wrong)} cannot be right: no mean of scores lies off the scale. Extreme values of "
        "a metric do this. Collection does not stop because of such an estimate. "
    )
    title = f"{many(len(wrong), 'estimate lies', 'estimates lie')} off the scale"
    if not now.facts.raw_metrics:
        return Advice("off_scale", title, text + "More judgments bring it back.", waits=True)
    text += "Let the metrics enter bounded: by their ranks, which no value can stretch."
    if now.status == CampaignStatus.CLOSED:
        text += " To do so, reopen the campaign first."
        return Advice("off_scale", title, text, "reopen", "Reopen…")
    return Advice("off_scale", title, text, "bound_metrics", "Use bounded metrics…")


URGENT = (
    crowd_pays_soon,
    crowd_wants_money,
    crowd_waits,
    units_in_doubt,
    worker_is_late,
    off_the_scale,
)


# Advice while a campaign is open: who is missing, and what prevents judgments.


AT_A_CROWD = timedelta(hours=3)  # without anyone at work, before a check is advised
BATCHES = ("batches", "Look at the batches")
FIRST_AT_A_CROWD = timedelta(days=1)  # the same, until the first person accepts a unit


def limit_reached(now: Dashboard) -> Advice | None:
    if now.limit is None:
        return None
    text = f"No one gets a new text, because {now.limit.label}. Texts being judged are finished."
    return Advice("limit", "Wait: the campaign is about to close", text, waits=True)


def targets_reached(now: Dashboard) -> Advice | None:
    if not now.is_enough:
        return None
    known = "Every interval is at its target."
    if now.facts.is_ranking:
        known = "Every pair of systems is decided."
    text = f"{known} The campaign closes automatically."
    return Advice("targets", "Wait: the campaign is about to close", text, waits=True)


def nothing_launched(now: Dashboard) -> Advice | None:
    if not now.market or now.offered.launched:
        return None
    text = (
        f"The campaign is open, but nothing is published on {now.market}. You see what people see, "
        "and what it costs, before anything is published."
    )
    return Advice("launch", "Launch a batch", text, "launch", "Prepare a batch")


def not_published(now: Dashboard) -> Advice | None:
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


def everything_taken(now: Dashboard) -> Advice | None:
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


def budget_short(now: Dashboard) -> Advice | None:
    """Advise when nothing is offered and the budget does not pay for another place."""
    if not now.short or (nothing_offered(now) is None and not now.is_gap):
        return None
    text = (
        f"{many(now.missing, 'judgment')} {_be(now.missing)} still missing, and nothing is offered "
        f"on {now.market} now. The budget of {money_text(now.facts.budget)} does not "
        "pay for another "
        f"place: {money_text(now.short)} more pays for one submission with one task, "
        "bonus and fees "
        "included."
    )
    end, label = ("finish", "Finish now…") if now.is_gap else ("close", "Close the campaign…")
    title = "Raise the budget, or end the collection"
    return Advice("budget_short", title, text, "budget", "Raise the budget…", end, label)


def nothing_offered(now: Dashboard) -> Advice | None:
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


def experts_wait(now: Dashboard) -> Advice | None:
    """Advise where named experts do not go on: nobody else can take their place by a link."""
    if not now.facts.named_experts or now.availability.under_review or not now.missing:
        return None
    if n := now.n_experts_excluded:
        text = (
            f"A ruling has excluded the work of {many(n, 'expert')}, and an output counts when all "
            "of them have judged it: nothing counts until another expert takes the place, or this "
            "one is released."
        )
        return Advice("expert_out", "Replace or release an expert", text, "people", "The experts")
    if now.can_come and not now.silent(SEEN):
        return None
    text = (
        f"{_last_judgment(now)} {many(now.missing, 'judgment')} of the {now.facts.raters} experts "
        f"{_be(now.missing)} missing, and an output counts when all of them have judged it. Send "
        "them their links again, or release one who does not come."
    )
    return Advice("experts", "Ask the experts to go on", text, "people", "Their links")


def experts_fill(now: Dashboard) -> Advice | None:
    advice = experts_wait(now)
    return advice and _or_finish(advice)


def nobody_came(now: Dashboard) -> Advice | None:
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


def nobody_may(now: Dashboard) -> Advice | None:
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


def _all_under_review(now: Dashboard) -> Advice:
    n, came = now.availability.under_review, now.availability.came
    who = "Everybody who came" if n == came else f"{count(n)} of the {count(came)} people who came"
    others = "" if n == came else f" Of the others, {why_nobody(now, reviewed=False)}."
    verb = "waits" if n == came or n == 1 else "wait"
    text = (
        f"{who} {verb} for a ruling and gets no new text until then.{others} No judgment comes in "
        "before you rule or new people enter."
    )
    return Advice("all_reviewed", f"Rule on {many(n, 'annotator')}", text, "reviews", "Review them")


def why_nobody(now: Dashboard, *, reviewed: bool = True) -> str:
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


def budget_reserved(now: Dashboard) -> Advice | None:
    if not now.reserved or now.liveness.active:
        return None
    text = (
        "The rest of the budget is kept for tutorials and submissions in progress. What is left "
        "undone is free for others after at most an hour."
    )
    return Advice("reserved", "Wait: the budget is reserved", text, waits=True)


def silence(now: Dashboard) -> Advice | None:
    if now.market:
        return _silent_crowd(now)
    if not now.silent(SEEN):
        return None
    who = now.availability
    seen = now.liveness.silence
    title = "Ask people to come back, or invite more"
    text = (
        f"{_last_judgment(now)} No one has been at work for "
        f"{lasting(seen) if seen else 'a while'}. "
        f"{_who_may(who.came, who.able)}{_reserved(now)}"
    )
    return Advice("silence", title, text, "people", "Get the link")


def _silent_crowd(now: Dashboard) -> Advice | None:
    if not now.silent(AT_A_CROWD) or now.offered.at_work or now.liveness.leases:
        return None
    text = (
        f"{_last_judgment(now)} {many(now.offered.untaken, 'submission is', 'submissions are')} "
        f"free on {now.market}, and no one is working on one. Compare the reward, time and title "
        "with other work there, and see who may take it."
    )
    return Advice("silence", "See why no one enters", text, *BATCHES)


def reviews_wait(now: Dashboard) -> Advice | None:
    if not now.n_waiting:
        return None
    n = now.n_waiting
    text = (
        f"{many(n, 'annotator')} {'waits' if n == 1 else 'wait'} for a ruling. Their work counts "
        "until then, they get no new texts, and the campaign cannot become final."
    )
    return Advice("reviews", f"Rule on {many(n, 'annotator')}", text, "reviews", "Review them")


def wait(now: Dashboard) -> Advice:
    text = f"{_pulse(now)} {_widest(now)} {_ends(now)}{_limits(now)}"
    links = "Their links" if now.facts.named_experts else "Invite more people"
    act = BATCHES if now.market else ("people", links)
    return Advice("wait", _waiting_for(now), text, *act, waits=True)


def _waiting_for(now: Dashboard) -> str:
    live = now.liveness
    if live.judged_ago is None:
        return "Wait for the first judgments"
    if live.active or now.offered.at_work or live.judged_ago < SEEN:
        return "Wait: judgments are coming in"
    return "Wait for more judgments"


def _pulse(now: Dashboard) -> str:
    n = now.liveness.active
    if n:
        return f"{many(n, 'text is', 'texts are')} being judged now."
    if now.market and now.offered.at_work:
        return f"{many(now.offered.at_work, 'submission is', 'submissions are')} being worked on."
    return _last_judgment(now)


def _last_judgment(now: Dashboard) -> str:
    ago = now.liveness.judged_ago
    if ago is None:
        return "No judgment has come yet."
    if ago < SEEN:
        return f"The last judgment came less than {lasting(SEEN)} ago."
    return f"The last judgment came {lasting(ago)} ago."


def _widest(now: Dashboard) -> str:
    if now.facts.is_ranking:
        return now.ranking.settles
    worst = max(now.wide, key=lambda cell: cell.too_wide or 0.0)
    if worst.too_wide and not worst.awaited:
        return f"{worst.name} is the widest: {width(worst.too_wide)} above its target."
    return f"{worst.name} rests on too few judgments for a decision yet."


def _ends(now: Dashboard) -> str:
    if now.facts.is_ranking:
        return "Collection stops automatically when every pair of systems is decided."
    n = len(now.primary)
    intervals = (
        "the interval is at its target" if n == 1 else (f"all {n} intervals are at their targets")
    )
    return f"Collection stops automatically when {intervals}."


def _limits(now: Dashboard) -> str:
    told = ""
    if now.facts.budget is not None and now.price:
        n = max(0, int((now.facts.budget - now.progress.spent) / now.price))
        if n < now.missing:
            told += f" The budget pays for about {many(n, 'more judgment')}."
    if now.facts.deadline is not None and now.deadline_soon:
        told += f" The deadline is {moment(now.facts.deadline)}."
    return told


def _reserved(now: Dashboard) -> str:
    n = now.liveness.leases
    if not n or now.liveness.first_end is None:
        return ""
    until = moment(now.liveness.first_end)
    if n == 1:
        return f" 1 text is reserved for an annotator until {until}."
    return f" {count(n)} texts are reserved, the first of them until {until}."


def confirming(now: Dashboard) -> str:
    n = now.unconfirmed
    waits = many(n, "judgment waits", "judgments wait")
    return f" {waits} until {now.market} has confirmed what was handed in." if n else ""


def _have(n: int) -> str:
    return many(n, "person has", "people have")


def _be(n: int) -> str:
    return "is" if n == 1 else "are"


def _who_may(came: int, able: int) -> str:
    if came == 1:
        return f"1 person has come, and may {'still' if able else 'not'} judge."
    of_them = "none" if able == 0 else "all" if able == came else count(able)
    return f"{count(came)} people have come, and {of_them} of them may still judge."


# Advice while a campaign is closing, and after: why it waits, and what would end the wait.


COUNTED = "unfinished items are then counted and shown"


def last_judgments(now: Dashboard) -> Advice | None:
    if not (now.missing or now.liveness.leases or now.unconfirmed) or not _coming(now):
        return None
    text = (
        "Items already begun are finished first, because the slow ones are not like the others."
        f"{_left(now)}{confirming(now)} Finish now only if no judgment comes any more: {COUNTED}."
    )
    return Advice("last", "Wait for the last judgments", text, "finish", "Finish now…", waits=True)


def _left(now: Dashboard) -> str:
    told = ""
    if now.missing:
        told += f" {many(now.missing, 'slot')} can still be judged."
    if now.liveness.leases:
        told += f" {many(now.liveness.leases, 'text is', 'texts are')} being judged."
    return told


def _coming(now: Dashboard) -> bool:
    if now.liveness.active or now.unconfirmed:
        return True
    if now.market:
        return now.can_come
    return now.can_come and not now.silent(SEEN)


def gaps_not_offered(now: Dashboard) -> Advice | None:
    if not now.is_gap:
        return None
    text = (
        f"{many(now.missing, 'slot')} in items already begun can still be judged, and nothing is "
        f"offered on {now.market} now. Launch a batch for them, or finish now: {COUNTED}."
    )
    title = "Launch a batch for the gaps, or finish"
    return _or_finish(Advice("gaps", title, text, "launch", "Prepare a batch"))


def nobody_may_fill(now: Dashboard) -> Advice | None:
    if not now.missing or now.can_come:
        return None
    text = (
        f"{many(now.missing, 'slot')} in items already begun can still be judged, but by no one "
        f"who has entered: {why_nobody(now)}. The campaign waits for new people, or for you to "
        f"finish it now: {COUNTED}."
    )
    if now.n_waiting:
        text += f" {_waiting(now)} for a review, and may go on if cleared."
        title = "Rule on what is waiting"
        return _or_finish(Advice("gaps_reviews", title, text, "reviews", "Review them"))
    title = "Invite new people, or finish"
    return _or_finish(Advice("gaps_nobody", title, text, "people", "Get the link"))


def nobody_fills(now: Dashboard) -> Advice | None:
    if not now.missing:
        return None
    seen, able = now.liveness.silence, now.availability.able
    text = (
        f"{many(now.missing, 'slot')} in items already begun can still be judged, and "
        f"{many(able, 'person', 'people')} who came may take them, but no one has been at work for "
        f"{lasting(seen) if seen else 'a while'}. Send them the link again, or finish now: "
        f"{COUNTED}."
    )
    title = "Ask people to come back, or finish"
    return _or_finish(Advice("gaps_silence", title, text, "people", "Get the link"))


def reserved(now: Dashboard) -> Advice | None:
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


def last_reviews(now: Dashboard) -> Advice | None:
    if not now.n_waiting:
        return None
    text = (
        f"Everything that was begun is finished. {_waiting(now)} for a review: "
        "the campaign is final after it, because an exclusion would change what counts."
    )
    title = "Rule on what is waiting"
    return _or_finish(Advice("last_reviews", title, text, "reviews", "Review them"))


def last_scores(now: Dashboard) -> Advice | None:
    if not now.n_pending:
        return None
    text = (
        "Everything that was begun is finished. "
        f"{many(now.n_pending, 'judgment waits', 'judgments wait')} for a score, which takes "
        "longer for long texts; the final estimates follow."
    )
    return Advice("scores", "Wait for the last scores", text, waits=True)


def in_a_moment(_now: Dashboard) -> Advice:
    text = "Everything that was begun is finished. The final estimates follow in a moment."
    return Advice("moment", "Wait a moment", text, waits=True)


def widened(now: Dashboard) -> Advice | None:
    if not now.widened:
        return None
    text = (
        "Reopening collects what was excluded again, from other people and for "
        f"{money_text(now.price)} a judgment, and goes on until the targets "
        "are reached. It asks for "
        "a reason, which stays in the log. Or leave it closed, and report the wider interval."
    )
    return Advice("widened", "Decide whether to reopen", text, "reopen", "Reopen…")


def missed(now: Dashboard) -> Advice | None:
    if now.facts.close_reason == CloseReason.RANKED and now.ranking.open_pairs:
        return _open_again(now)
    if not now.wide or now.facts.close_reason != CloseReason.TARGET:
        return None
    text = (
        f"{now.wide[0].name} is not at its target, though the campaign closed because every "
        "interval was. You may reopen it and collect the rest."
    )
    return Advice("missed", "Decide whether to reopen", text, "reopen", "Reopen…")


def _open_again(now: Dashboard) -> Advice:
    found = now.ranking.open_pairs
    text = (
        f"{many(len(found), 'pair is', 'pairs are')} open, first {found[0].name}, though the "
        "campaign closed because every pair was decided. You may reopen it and collect the rest."
    )
    return Advice("missed", "Decide whether to reopen", text, "reopen", "Reopen…")


def late_reviews(now: Dashboard) -> Advice | None:
    if not now.n_waiting:
        return None
    text = (
        f"The campaign is closed. {_waiting(now)} for a ruling; excluding work now changes these "
        "estimates, and people wait for the answer."
    )
    title = "Rule on what is waiting"
    return Advice("late_reviews", title, text, "reviews", "Review them")


def made_elsewhere(now: Dashboard) -> Advice | None:
    """Imported judgments had no target here, so none was missed."""
    if not now.facts.recorded:
        return None
    if now.at is None:
        text = "The judgments are stored. A worker computes the estimates now."
        return Advice("estimating", "Wait a moment", text, waits=True)
    return results(now)


def results(now: Dashboard) -> Advice:
    why = f"It closed because {now.facts.why_closed}. " if now.facts.close_reason else ""
    text = f"{why}These estimates are final."
    if now.facts.is_ranking:
        text += _ranked(now)
    elif now.wide and now.facts.targets:
        n, of = len(now.wide), len(now.primary)
        text += f" {n} of {many(of, 'interval')} {'is' if n == 1 else 'are'} wider than asked for."
    text += "" if now.facts.is_ranking else _best(now.primary)
    if now.due > 0:
        text += f" {money_text(now.due)} is due to people and not marked as paid."
        return Advice("results_due", "Read the results", text, "pay", f"Pay {money_text(now.due)}")
    return Advice("results", "Read the results", text)


def _or_finish(advice: Advice) -> Advice:
    return replace(advice, also="finish", also_label="Finish now…")


def _waiting(now: Dashboard) -> str:
    return f"{many(now.n_waiting, 'annotator')} {'waits' if now.n_waiting == 1 else 'wait'}"


def _ranked(now: Dashboard) -> str:
    told = "".join(f" By {one.criterion.name}: {one.in_words}." for one in now.ranking.each)
    n = len(now.ranking.open_pairs)
    return f"{told} {many(n, 'pair stays', 'pairs stay')} open." if n else told


def _best(cells: tuple[ShownCell, ...]) -> str:
    known = [cell for cell in cells if cell.shown and cell.criterion == cells[0].criterion]
    if len(known) < 2:
        return ""
    sign = 1 if known[0].criterion.higher_is_better else -1
    top = max(known, key=lambda cell: sign * (cell.estimate or 0.0))
    return (
        f" {top.system.name} comes first on {top.criterion.name} with {number(top.estimate)}; "
        "the differences below say whether it is ahead of the others."
    )


# The recommended next step for the researcher: one act, with the reason in numbers.


LEAST_JUDGMENTS = 30  # with fewer, the variance components are too uncertain to ask anyone


def short_of_people(now: Dashboard) -> Advice | None:
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


def out_of_reach(now: Dashboard) -> Advice | None:
    if not now.outlook.is_hopeless:
        return None
    text = (
        f"The targets cannot be met before the items run out.{now.outlook.at_end} "
        "Collection goes on until everything is judged. Close the campaign if that is not worth "
        "its cost."
    )
    title = "Decide whether to go on: the targets cannot be met"
    return Advice("out_of_reach", title, text, "close", "Close the campaign…")


def _ranking_short_of_people(now: Dashboard) -> Advice | None:
    """Where more items by the same people do not settle the ranking."""
    if now.progress.judged < LEAST_JUDGMENTS:
        return None
    if not any(pair.needs_people for pair in now.ranking.open_pairs):
        return None
    act = ("people", "Invite more people")
    if now.market:
        act = ("batches", "Launch or extend a batch")
    return Advice("more_people", "Ask more people", now.ranking.settles, *act)


def _too_few(now: Dashboard) -> tuple[int, str] | None:
    """Return (how many more people at least, why), where too few for any interval have judged."""
    short = [
        (ceil(MIN_EFFECTIVE_ANNOTATORS - cell.row.effective_annotators), cell)
        for cell in now.primary
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


def _forecast_of_people(now: Dashboard) -> tuple[int, str] | None:
    """Return the same, where new people would reach targets that are missed without them."""
    n = now.outlook.lacks
    if not n:
        return None
    return n, (
        "With people coming as they have so far, the targets are met before the items run out "
        f"with a chance of {percent(now.outlook.chance)}. "
        f"{many(n, 'new person', 'new people')} who share the judgments that are left would do."
        f"{now.outlook.at_end}"
    )


def advise(now: Dashboard) -> Advice:
    """Return the next step in this situation. Every situation has one."""
    return next(found for branch in ORDER[now.status] if (found := branch(now)))


def draft(now: Dashboard) -> Advice:
    enough = "every interval is as narrow as its target"
    if now.facts.is_ranking:
        enough = "every pair of systems is decided"
    text = (
        f"No one can judge yet.{_expected(now)} At most {count(now.progress.planned)} judgments "
        f"are collected for at most {money_text(now.most.amount)}. "
        "Collection stops automatically when "
        f"{enough}."
    )
    return Advice("draft", "Open the campaign", text, "open", "Open for judgments")


def _expected(now: Dashboard) -> str:
    found = now.expected
    if found is None:
        return ""
    cost = money_at_a_glance(min(found.cost.expected, float(now.most.amount)))
    judgments, people = round(found.judgments.expected), round(found.annotators.expected)
    return (
        f" It is expected to cost about {cost}: {many(judgments, 'judgment')} by "
        f"{many(people, 'person', 'people')}."
    )


def paused(now: Dashboard) -> Advice:
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


def archived(_now: Dashboard) -> Advice:
    text = "This campaign is archived. Its numbers stay as they are."
    return Advice("archived", "Nothing", text)


ORDER: dict[CampaignStatus, tuple[Branch, ...]] = {
    CampaignStatus.DRAFT: (draft,),
    CampaignStatus.OPEN: (
        *URGENT,
        limit_reached,
        targets_reached,
        nothing_launched,
        not_published,
        budget_short,
        nothing_offered,
        everything_taken,
        experts_wait,
        nobody_came,
        nobody_may,
        budget_reserved,
        silence,
        reviews_wait,
        short_of_people,
        out_of_reach,
        wait,
    ),
    CampaignStatus.PAUSED: (*URGENT, paused),
    CampaignStatus.CLOSING: (
        *URGENT,
        last_judgments,
        budget_short,
        gaps_not_offered,
        experts_fill,
        nobody_may_fill,
        nobody_fills,
        reserved,
        last_reviews,
        last_scores,
        in_a_moment,
    ),
    CampaignStatus.CLOSED: (
        *URGENT,
        made_elsewhere,
        widened,
        missed,
        late_reviews,
        results,
    ),
    CampaignStatus.ARCHIVED: (archived,),
}
