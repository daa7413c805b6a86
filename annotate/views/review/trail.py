"""The history of a review, in sentences."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotate.screening.base import LISTED
from annotate.selectors.review.effects import PastEffects
from annotate.selectors.review.reviews import Logged
from annotate.text.figures import count, money
from annotate.views.review.words import title

_VERBS = {
    "review": "Opened this review by hand.",
    "clear": "Cleared: the work counts.",
    "exclude": "Excluded the work: {done}.",
    "restore": "Brought the work back: {done}.",
    "refuse": "Refused pay: {done}.",
    "repay": "Restored pay: {done}.",
    "block": "Blocked from future work.",
    "unblock": "Lifted the block.",
    "appeal": "Appealed.",
    "list": "Listed by signals of the page. Nothing was paused.",
    "unlist": "Left the queue without a ruling.",
    "put_signals_aside": "Looked at the signals of the page, and put them aside.",
    "dismiss_appeal": "Answered the appeal without changing the ruling.",
}
_AMOUNT = re.compile(r"\d+\.\d\d\b")
_DECIDE = ("clear", "exclude", "restore")  # whether work counts


@dataclass(frozen=True)
class TrailEntry:
    at: datetime
    who: str
    text: str


def trail(logged: Iterable[Logged], *, pseudonym: str) -> list[TrailEntry]:
    """Return the audit trail, the newest first."""
    return [TrailEntry(one.at, _who(one, pseudonym), _text(one)) for one in logged]


def _who(one: Logged, pseudonym: str) -> str:
    if one.verb == "appeal":
        return pseudonym
    return one.actor or ("Screens" if one.verb == "flag" else "Plumbline")


def _text(one: Logged) -> str:
    if one.verb == "flag":
        names = ", ".join(title(screen).lower() for screen in one.detail.get("screens", ()))
        if one.detail.get("tier") == LISTED:
            return f"Listed: {names}. Nothing was paused."
        return f"Flagged: {names}. New tasks paused."
    said = _VERBS.get(one.verb, one.verb.replace("_", " ").capitalize() + ".")
    said = said.format_map({"done": _with_money(str(one.detail.get("done", "")))})
    if one.verb in _DECIDE and "blind" in one.detail:
        said += " Blind." if one.detail["blind"] else " Not blind."
    return said + " Undone after it was final." * bool(one.detail.get("late"))


def _with_money(done: str) -> str:
    """The log holds amounts as bare numbers, which alone in it have cents."""
    return _AMOUNT.sub(lambda found: money(Decimal(found[0])), done)


def happened(
    done: PastEffects, *, codes: Collection[str], collecting: bool, blocked: bool, due: str
) -> str:
    """The effect of a ruling on judgments and pay, in words; nothing about scores.

    blocked: whether this annotator is, after it.
    """
    told = list(filter(None, (_SAID.get(code, "") for code in codes)))
    if {"clear", "restore"} & set(codes):
        told.append(_BLOCK_STAYS if blocked else _GO_ON if collecting else "")
    if done.out:
        told.append(f"{_n(done.out)} left the estimates.")
        told.append(
            f"{count(done.out)} output{'' if done.out == 1 else 's'} went back to the queue."
            if collecting
            else "The campaign collects no more, so nothing is asked again unless it is reopened."
        )
    if done.back:
        told.append(f"{_n(done.back)} count{'s' if done.back == 1 else ''} again.")
    if done.refused:
        told.append(f"{money(done.refused)} is withheld.")
    elif done.restored:
        told.append(f"{money(done.restored)} is due again.")
    else:
        told.append(f"Pay stays as it is: {due} due.")
    return " ".join(filter(None, told))


_GO_ON = "New tasks are given out again."
_BLOCK_STAYS = "The block stays: no new tasks are given out in the owner’s campaigns."
_SAID = {
    "clear": "Cleared: the work counts.",
    "exclude": "Excluded.",
    "restore": "Brought back.",
    "block": "Blocked from future work.",
    "unblock": "The block is lifted.",
}


def _n(judgments: int) -> str:
    return f"{count(judgments)} judgment{'' if judgments == 1 else 's'}"
