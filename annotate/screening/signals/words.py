"""The evidence of signals in plain words, for reviewers."""

from collections.abc import Callable

from annotate.screening.signals.finding import AWAY, DOUBLE, PACE, TYPING, SignalEvidence
from annotate.text.figures import count, many, percent, seconds

TITLES = {
    TYPING: "Typing and pasting",
    PACE: "Even pace",
    AWAY: "Other windows",
    DOUBLE: "Another account",
}


def told(evidence: SignalEvidence, partner: str = "") -> str:
    """Return one or two sentences. partner: the other account's pseudonym."""
    if evidence.value is None and evidence.kind != DOUBLE:
        return _NOTHING[evidence.kind]
    return _DOUBLE(evidence, partner) if evidence.kind == DOUBLE else _SAID[evidence.kind](evidence)


def _typing(said: SignalEvidence) -> str:
    numbers = said.numbers
    characters = numbers.get("characters") or 1.0
    parts = [
        f"{name} {percent(numbers.get(key, 0) / characters)}"
        for name, key in (
            ("Pasted", "pasted"),
            ("typed", "typed"),
            ("put in by corrections of the browser", "replaced"),
            ("put in by a script", "placed"),
        )
        if key in ("pasted", "typed") or numbers.get(key)
    ]
    edits = f"the {count(round(characters))} characters in {many(said.n, 'edit')}"
    keys = many(round(numbers.get("keys", 0)), "key press", "key presses")
    return (
        f"{parts[0]} of {edits}; {', '.join(parts[1:])}. {percent(said.value)} of these edits were "
        f"typed less than half. {keys}."
    )


def _pace(said: SignalEvidence) -> str:
    usual, ratio = said.numbers.get("seconds"), said.value or 0.0
    return f"Each task takes about {seconds(usual)}, give or take {percent(ratio)}."


def _away(said: SignalEvidence) -> str:
    times, away = said.numbers.get("times", 0), said.numbers.get("seconds", 0)
    return (
        f"Left the page in {percent(said.value)} of {many(said.n, 'task')}, "
        f"{many(round(times), 'time')}, {seconds(away)} in total."
    )


def _double(said: SignalEvidence, partner: str) -> str:
    accounts = round(said.numbers.get("accounts", 2))
    shares = f"{many(accounts, 'account')} share this network and this kind of device. "
    if said.value is None:
        return f"{shares}There is too little work to compare their rhythms."
    rhythm = "typing and working" if said.n > 2 else "working"
    return (
        f"{shares}The rhythm of {rhythm} is most like that of {partner or 'one of them'}: two "
        f"different people are this alike with a probability of about {_chance(said.value)}."
    )


def _chance(value: float) -> str:
    return "1 in 1,000 or less" if value <= 0.001 else f"{value:.2g}"


_SAID: dict[str, Callable[[SignalEvidence], str]] = {TYPING: _typing, PACE: _pace, AWAY: _away}
_DOUBLE = _double
_NOTHING = {
    TYPING: "There is no edit of some length yet whose writing the page saw.",
    PACE: "There are too few tasks to say how much the times vary.",
    AWAY: "The page has counted nothing yet.",
}
