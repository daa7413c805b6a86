"""An operation in words: what was to be done, how that stands, and what a person can do now."""

from dataclasses import dataclass

from annotate.selectors.marketplace.operations import OpenOperation
from annotate.text.figures import count, money

WHAT = {
    "publish": "Publish {places}",
    "add_places": "Add {places}",
    "stop": "Stop a posting",
    "archive": "Put a posting away",
    "approve": "Approve and pay the unit of {who}",
    "reject": "Reject the unit of {who}",
    "override": "Approve the rejected unit of {who}",
    "bonus": "Pay {who} {amount} extra",
    "exclude": "Keep somebody out",
    "include": "Let somebody in again",
    "message": "Write to people",
}
# (it happened, it did not): what a person says who has looked at the crowd.
ANSWERS = {
    "publish": ("It is published", "It is not there: publish it"),
    "add_places": ("The places are there", "They are not: add them"),
    "approve": ("It was paid", "It was not paid: pay it"),
    "bonus": ("It was paid", "It was not paid: send again"),
}
OTHERWISE = ("It was done", "It was not done: do it")


@dataclass(frozen=True)
class Said:
    op: OpenOperation
    what: str
    yes: str
    no: str


def said(op: OpenOperation) -> Said:
    places = "1 place" if op.places == 1 else f"{count(op.places)} places"
    what = WHAT.get(op.kind, op.kind).format(
        places=places, who=op.annotator, amount=money(op.amount)
    )
    return Said(op, what, *ANSWERS.get(op.kind, OTHERWISE))
