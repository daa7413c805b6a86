"""What happened, in sentences: acts of people, and decisions of stopping rules."""

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
LOOKED_AT = 120  # entries: what is repeated is told once

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
    "fee": "let it reckon with a fee of {now} instead of {was}",
    "tutorial_bonuses_due": "let the promised bonuses of {people:person,people} fall due",
    "refill": "offered {gaps:gap} to new people",
    "operation_decided": "said whether an operation at the crowd happened ({kind})",
    "operation_retried": "let an operation at the crowd be tried again ({kind})",
    "operation_dropped": "gave up an operation at the crowd ({kind})",
    "look": "asked the crowd how far its postings are",
    "retitle": "changed what annotators read: “{title}”",
    "add_reviewer": "gave {name} the review of its annotators",
}
_ICONS: dict[str, str] = {
    Decision.Verb.STOP_SYSTEM: "check",
    Decision.Verb.CLOSE: "stop",
    Decision.Verb.FINISH: "check",
}
# What a rule does is told by its decision, in better words than the log's.
_OF_RULES = {"close", "finish", "resume", "stop_system", "resume_system"}


@dataclass(frozen=True)
class ActivityLine:
    at: datetime
    icon: str
    who: str
    text: str
    times: int = 1  # in a row, the last of them then


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
    """Put lines in a row together that say the same of the same person."""
    runs = (list(run) for _, run in groupby(ordered, key=lambda line: (line.who, line.text)))
    return [replace(run[0], times=len(run)) for run in runs]


def _act(act: LoggedAct) -> ActivityLine:
    return ActivityLine(act.at, "", act.actor or "Plumbline", _text(act))


def _text(act: LoggedAct) -> str:
    sentence = _VERBS.get(act.verb)
    if sentence is None:  # a subject may be a name with braces in it: it is no sentence of ours
        return f"{act.verb.replace('_', ' ')} {act.subject}".rstrip()
    return _Sentence().vformat(sentence, (), _Details(act.detail))


class _Sentence(Formatter):
    """`{places:place}` says how many there are (`person,people` where the plural adds no s),
    `{cost:$}` an amount."""

    def format_field(self, value: Any, form: str) -> str:
        if not form or not isinstance(value, int | str | Decimal) or value == "":
            return str(value)
        return money(Decimal(value)) if form == "$" else many(int(value), *form.split(","))


class _Details(dict[str, Any]):
    """The detail of a log entry; what an old entry does not say is left out."""

    def __missing__(self, key: str) -> str:
        reason = self.get("reason", "")
        if key == "why" and reason in CloseReason.values:
            return str(CloseReason(reason).label)
        return str(reason)
