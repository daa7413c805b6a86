"""How the screens share out the honest people who may be listed, or paused."""

from collections.abc import Collection

from annotate.screening.registry import SCREENS
from annotate.screening.settings import Settings

# Screens that no other one can replace get more of what the settings allow, and those that many
# people of one habit are near to get less.
SHARES = {
    "too_fast": 2.6,
    "low_agreement": 5.2,
    "own_consistency": 7.5,
    "no_variation": 3.0,
    "random_answers": 1.6,
    "answer_pattern": 0.4,
    "several_signs": 1.8,
}
# Who takes over the part of a screen that has nothing to go by, because it finds the same people:
# answers without a look at the output go neither with one's own edits nor with others' answers.
HEIRS = {"own_consistency": "low_agreement"}
# Who takes over what `no_variation` does not need: these find the fewest of whom they look for.
NEEDY = ("low_agreement", "own_consistency")
# Highlights are not simulated.
ASSUMED = {"thin_evidence": (2.5, 4.0)}


def allocated(active: Collection[str], settings: Settings, needed: float = 1.0) -> dict[str, float]:
    """Return the parts of the active screens; together at most 1.

    needed: the part of its own part with which `no_variation` finds whom it looks for.
    """
    # A screen that somebody switched off leaves its part to nobody.
    there = {*active, *settings.flags.off}
    found = {screen: _part(screen, there) for screen in active}
    whole = sum(_part(screen, there) for screen in NEEDY if screen in there)
    left = found.get("no_variation", 0.0) * (1 - needed)
    if not left or not whole:
        return found
    more = {screen: found[screen] * (1 + left / whole) for screen in NEEDY if screen in found}
    return found | more | {"no_variation": found["no_variation"] - left}


def _part(screen: str, there: Collection[str]) -> float:
    """Return a screen's part of those whom all screens may touch.

    there: those that keep their parts. Any other screen leaves its part to its heir, if it has one:
    a study that shows less of people's work also shows less of their carelessness, and screens of
    other things would take honest people for it.
    """
    others = [name for name in SCREENS if name not in ASSUMED]
    left = [name for name, heir in HEIRS.items() if heir == screen and name not in there]
    mine = sum(SHARES.get(name, 1.0) for name in (screen, *left))
    return mine / sum(SHARES.get(name, 1.0) for name in others)
