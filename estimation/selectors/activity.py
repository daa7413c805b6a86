"""The activity log in sentences: acts of people, and decisions of stopping rules."""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from string import Formatter
from typing import Any

from annotate.selectors.campaigns import listing
from annotate.selectors.campaigns.listing import LoggedAct
from annotate.states import CloseReason
from annotate.text.figures import many, money
from estimation.models import Decision
from estimation.selectors import history

SHOWN = 12
LOOKED_AT = 120  # entries that are read; repeated ones are merged

_VERBS = {
    "create": "created the campaign with {outputs:output}",
    "open": "opened it for judgments",
    "pause": "paused it",
    "close": "ended collection: {why}",
    "finish": "closed it",
    "resume": "went on collecting",
    "reopen": "reopened it: {why}",
    "archive": "archived it",
    "flag": "stopped an annotator for a review",
    "review": "began to review an annotator",
    "clear": "cleared an annotator",
    "exclude": "excluded an annotator’s work",
    "restore": "brought an annotator’s work back",
    "refuse": "refused an annotator’s pay",
    "repay": "restored an annotator’s pay",
    "block": "blocked an annotator from future work",
    "unblock": "lifted the block on an annotator",
    "launch": "launched a batch of {places:place} for at most {cost:$}",
    "extend": "added {places:place} to a batch for at most {cost:$}",
    "stop_batch": "stopped a batch",
    "fee": "changed its fee from {was} to {now}",
    "tutorial_bonuses_due": "let the promised bonuses of {people:person,people} fall due",
    "refill": "offered {gaps:gap} to new people",
    "operation_decided": "said whether an operation at the crowd happened ({kind})",
    "operation_retried": "retried an operation at the crowd ({kind})",
    "operation_dropped": "dropped an operation at the crowd ({kind})",
    "look": "compared its postings with the crowd",
    "retitle": "changed what annotators read: “{title}”",
    "add_reviewer": "added {name} as a reviewer",
}
_ICONS: dict[str, str] = {
    Decision.Verb.STOP_SYSTEM: "check",
    Decision.Verb.CLOSE: "stop",
    Decision.Verb.FINISH: "check",
}
# A rule's acts are shown by its decisions, which say more than the log.
_OF_RULES = {"close", "finish", "resume", "stop_system", "resume_system"}


@dataclass(frozen=True)
class ActivityLine:
    at: datetime
    icon: str
    who: str
    text: str
    times: int = 1  # consecutive repetitions; the last one is shown


def lines(campaign_id: int, *, limit: int = SHOWN) -> tuple[ActivityLine, ...]:
    """Return the last acts and decisions in one order, the newest first."""
    acts = [
        _act(act)
        for act in listing.activity(campaign_id, limit=LOOKED_AT)
        if act.actor or act.verb not in _OF_RULES
    ]
    decided = [
        ActivityLine(decision.at, _ICONS.get(decision.verb, "info"), "Plumbline", decision.text)
        for decision in history.decisions(campaign_id, limit=LOOKED_AT)
    ]
    ordered = sorted([*acts, *decided], key=lambda line: line.at, reverse=True)
    return tuple(_told_once(ordered)[:limit])


def _told_once(ordered: list[ActivityLine]) -> list[ActivityLine]:
    """Merge consecutive lines with the same text and person."""
    runs = (list(run) for _, run in groupby(ordered, key=lambda line: (line.who, line.text)))
    return [replace(run[0], times=len(run)) for run in runs]


def _act(act: LoggedAct) -> ActivityLine:
    return ActivityLine(act.at, "", act.actor or "Plumbline", _text(act))


def _text(act: LoggedAct) -> str:
    sentence = _VERBS.get(act.verb)
    if sentence is None:  # a subject may be a name with braces, so it is not formatted
        return f"{act.verb.replace('_', ' ')} {act.subject}".rstrip()
    return _Sentence().vformat(sentence, (), _Details(act.detail))


class _Sentence(Formatter):
    """Formats counts and amounts.

    `{places:place}` gives a number with its noun (`person,people` for an irregular plural),
    `{cost:$}` an amount.
    """

    def format_field(self, value: Any, form: str) -> str:
        if not form or not isinstance(value, int | str | Decimal) or value == "":
            return str(value)
        return money(Decimal(value)) if form == "$" else many(int(value), *form.split(","))


class _Details(dict[str, Any]):
    """The details of a log entry; values that an old entry lacks are left out."""

    def __missing__(self, key: str) -> str:
        reason = self.get("reason", "")
        if key == "why" and reason in CloseReason.values:
            return str(CloseReason(reason).label)
        return str(reason)
