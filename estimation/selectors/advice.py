"""What the researcher had best do next: one act, with the reason in numbers."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil

from annotate.states import CampaignStatus as Status
from estimation.core.stopping import (
    MIN_EFFECTIVE_ANNOTATORS,
    annotators_needed,
    width_floor,
)
from estimation.selectors.cells import Cell
from estimation.selectors.ending import closed, closing
from estimation.selectors.situation import Advice, Situation


def advise(now: Situation) -> Advice:
    return _where_people_come_from(_BY_STATUS[Status(now.facts.status)](now), now)


def _where_people_come_from(found: Advice, now: Situation) -> Advice:
    """More people come by link, or by what is published on the campaign's crowd."""
    if found.act != "people" or not now.facts.marketplace:
        return found
    return replace(found, act="batches", label="Launch or extend a batch")


def _draft(now: Situation) -> Advice:
    text = (
        f"Nobody can judge yet. Once open, at most {now.progress.planned:,} judgments are "
        f"collected for at most ${now.most.amount:,.2f}, and collection stops by itself when every "
        f"interval is as narrow as its target."
    )
    return Advice("Open the campaign", text, "open", "Open for judgments")


def _open(now: Situation) -> Advice:
    if now.facts.marketplace and not now.offered:
        return _launch(now)
    if now.progress.annotators == 0 and now.facts.marketplace:
        text = f"A batch is published on {now.facts.marketplace}, and nobody has come yet."
        return Advice("Wait for the first people", text, "batches", "Look at the batches")
    if now.progress.annotators == 0:
        text = "The campaign is open, and nobody has come yet. Give people its link."
        return Advice("Invite people", text, "people", "Get the link")
    return _ask_for_people(now) or _wait(now)


def _launch(now: Situation) -> Advice:
    if now.launched:
        return _launch_again(now)
    text = (
        f"The campaign is open, but nothing is published on {now.facts.marketplace}. You see "
        "what people see, and what it costs, before anything is."
    )
    return Advice("Launch a batch", text, "launch", "Prepare a batch")


def _launch_again(now: Situation) -> Advice:
    """What a pause or the closing has stopped stays stopped; what is used up is used up."""
    if not now.missing:
        text = "Every planned judgment is given or under way. The campaign closes by itself."
        return Advice("Wait for the last judgments", text, "batches", "Look at the batches")
    judgments = f"{now.missing:,} judgment{'s are' if now.missing != 1 else ' is'}"
    text = (
        f"{judgments} still missing, and nothing is offered on {now.facts.marketplace} now: what "
        "was published before is stopped or taken, and does not go on. A new batch starts from "
        "what is missing; you see what it costs before anything is published."
    )
    return Advice("Launch another batch", text, "launch", "Prepare a batch")


def _ask_for_people(now: Situation) -> Advice | None:
    """More people, where they are what keeps an interval wide or the work from going on."""
    if now.facts.estimand == "population":
        short = [found for cell in now.cells if (found := _short_of_people(cell, now.facts.level))]
        if short:
            more, text = max(short)
            return _more_people(more, text)
    left = now.progress.planned - now.progress.judged - now.progress.running
    room, cap = now.progress.room, now.facts.annotator_cap
    if room is not None and cap and room < left:
        text = (
            f"Those who came may give {room:,} more judgments; nobody may give more than {cap}. "
            f"{left:,} are still planned, so more people are needed unless the targets are "
            "reached before."
        )
        return _more_people(ceil((left - room) / cap), text) if room == 0 else None
    return None


def _more_people(n: int, text: str) -> Advice:
    people = f"{n} more people" if n > 1 else "one more person"
    return Advice(f"Ask {people}", text, "people", f"Invite {people}")


def _short_of_people(cell: Cell, level: float) -> tuple[int, str] | None:
    """Return (how many more at least, why), if people are what this cell lacks."""
    row = cell.row
    if row is None or cell.target is None or cell.at_target or row.n_judgments < 30:
        return None
    effective = row.effective_annotators
    if effective < MIN_EFFECTIVE_ANNOTATORS:
        return ceil(MIN_EFFECTIVE_ANNOTATORS - effective), (
            f"{cell.name} rests on the work of {effective:.1f} effective annotators, and an "
            f"interval for people in general takes {MIN_EFFECTIVE_ANNOTATORS:.0f}."
        )
    share = float(row.detail.get("parts", {}).get("annotator", 0.0))
    person = share * (row.std_error or 0.0) ** 2 * effective
    floor = float(width_floor(person_variance=person, effective_annotators=effective, level=level))
    if floor <= cell.target:
        return None
    needed = annotators_needed(
        target_width=cell.target, level=level, person_variance=person,
        evenness=min(1.0, effective / row.n_annotators),
    )  # fmt: skip
    if needed is None or needed <= row.n_annotators:
        return None
    return needed - row.n_annotators, (
        f"More judgments by the same people cannot narrow {cell.name} enough: "
        f"{share * 100:.0f}\u00a0% of its squared error is difference between people, "
        f"and with these {row.n_annotators} it cannot get below {floor:.3f}. "
        f"At least {needed - row.n_annotators} more are needed for {cell.target:.3f}."
    )


def _wait(now: Situation) -> Advice:
    wide = [cell for cell in now.cells if not cell.at_target]
    if not wide:
        return Advice("Wait", "Every interval is at its target. The campaign closes by itself.")
    worst = max(wide, key=lambda cell: cell.too_wide or 0.0)
    why = (
        f"{worst.name} is the widest: {worst.too_wide:.3f} above its target."
        if worst.too_wide
        else f"{worst.name} has too few judgments for a decision yet."
    )
    title, text = (
        "Nothing: judgments are coming in",
        (
            f"{why} Judgments come in, and collection stops by itself when all {len(now.cells)} "
            "intervals are at their target."
        ),
    )
    if now.facts.marketplace:
        return Advice(title, text, "batches", "Look at the batches")
    return Advice(title, f"{text} More people make it faster.", "people", "Invite more people")


_PAUSED = Advice(
    "Go on collecting",
    "Nobody gets a new text while the campaign is paused. Running ones may still be sent in.",
    "open",
    "Go on",
)
_PAUSED_AT_A_CROWD = replace(
    _PAUSED,
    text="Nobody gets a new text while the campaign is paused, and its batches are stopped for "
    "good. Running work may still be sent in, and is paid. Once you go on, launch another batch "
    "for what is missing.",
)
_ARCHIVED = Advice("Nothing", "This campaign is archived. Its numbers stay as they are.")
_BY_STATUS: dict[Status, Callable[[Situation], Advice]] = {
    Status.DRAFT: _draft,
    Status.OPEN: _open,
    Status.PAUSED: lambda now: _PAUSED_AT_A_CROWD if now.launched else _PAUSED,
    Status.CLOSING: closing,
    Status.CLOSED: closed,
    Status.ARCHIVED: lambda _now: _ARCHIVED,
}
