"""What happened in a review, in sentences."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotate.selectors.review_effects import Done
from annotate.selectors.reviews import Logged
from annotate.templatetags.plumbline import count, money
from annotate.views.review_words import title

_VERBS = {
    "review": "Opened this review by hand.",
    "clear": "Cleared: the work counts.",
    "exclude": "Excluded the work: {done}.",
    "restore": "Brought the work back: {done}.",
    "refuse": "Refused pay: ${done}.",
    "repay": "Restored pay: ${done}.",
    "block": "Blocked from future work.",
    "unblock": "Lifted the block.",
    "appeal": "Appealed.",
    "dismiss_appeal": "Answered the appeal without changing the ruling.",
}


@dataclass(frozen=True)
class Entry:
    at: datetime
    who: str
    text: str


def trail(logged: Iterable[Logged], *, pseudonym: str) -> list[Entry]:
    """Return the audit trail, the newest first."""
    return [Entry(one.at, _who(one, pseudonym), _text(one)) for one in logged]


def _who(one: Logged, pseudonym: str) -> str:
    if one.verb == "appeal":
        return pseudonym
    return one.actor or ("Screens" if one.verb == "flag" else "Plumbline")


def _text(one: Logged) -> str:
    if one.verb == "flag":
        names = ", ".join(title(screen).lower() for screen in one.detail.get("screens", ()))
        return f"Flagged: {names}. New tasks paused."
    said = _VERBS.get(one.verb, one.verb.replace("_", " ").capitalize() + ".")
    return said.format_map({"done": one.detail.get("done", "")})


def happened(done: Done, *, codes: Iterable[str], collecting: bool, due: str) -> str:
    """What a ruling has done to judgments and pay, in words; nothing about scores."""
    told = list(filter(None, (_SAID.get(code, "") for code in codes)))
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
    return " ".join(told)


_SAID = {
    "clear": "Cleared: the work counts, and new tasks are given out again.",
    "exclude": "Excluded.",
    "restore": "Brought back.",
    "block": "Blocked from future work.",
    "unblock": "The block is lifted.",
}


def _n(judgments: int) -> str:
    return f"{count(judgments)} judgment{'' if judgments == 1 else 's'}"
