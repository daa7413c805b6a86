"""Which questions a round of a tutorial asks: of every section its share, in a drawn order."""

import hashlib
from collections.abc import Mapping, Sequence, Set

from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.families import Family
from annotate.instruments.tutorials.questions import Question

Drawn = list[list[str | int]]  # [key, number of the draw]
NUMBERS = 2**31


def mark(asked: int) -> int:
    """Return how many of the questions of a round must be right at first: four in five."""
    return -(-4 * asked // 5)


def draw(
    tutorial: Tutorial, seed: str, *, seen: Set[str] = frozenset(), known: Set[str] = frozenset()
) -> Drawn:
    """Draw the questions of a round.

    seen: keys of the questions of an earlier round; they come only where others are lacking. There
        are no worked examples then. known: digests of questions that are not asked any more.
    """
    families = [one for one in tutorial.questions if one.digest not in known]
    if seen:
        families = [one for one in families if one.is_graded]
    return [[one.key, _number(seed, one.key)] for one in _chosen(tutorial, families, seed, seen)]


def questions(tutorial: Tutorial, drawn: Drawn) -> tuple[Question, ...]:
    """Return the questions of a round; those that the tutorial does not have are left out."""
    found = ((tutorial.family(str(key)), int(number)) for key, number in drawn)
    return tuple(family.question(number) for family, number in found if family is not None)


def shares(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Return how many of `total` questions each section has, by its size: largest remainders."""
    whole = max(1, sum(sizes.values()))
    total = min(total, whole)
    exact = {name: total * size / whole for name, size in sizes.items()}
    found = {name: int(share) for name, share in exact.items()}
    rest = sorted(exact, key=lambda name: found[name] - exact[name])
    for name in rest[: total - sum(found.values())]:
        found[name] += 1
    return found


def lacking(tutorial: Tutorial) -> dict[str, int]:
    """Return how many questions each section lacks for a second round of other questions."""
    sizes = _sizes(tutorial.graded)
    wanted = shares(sizes, tutorial.n_asked)
    lacks = {name: 2 * wanted[name] - size for name, size in sizes.items()}
    return {name: n for name, n in lacks.items() if n > 0}


def _sizes(families: Sequence[Family]) -> dict[str, int]:
    names = dict.fromkeys(one.section for one in families)
    return {name: sum(one.section == name for one in families) for name in names}


def _chosen(
    tutorial: Tutorial, families: Sequence[Family], seed: str, seen: Set[str]
) -> list[Family]:
    graded = [one for one in families if one.is_graded]
    wanted = shares(_sizes(graded), tutorial.n_asked)
    if tutorial.asked is None:
        return list(families)
    found: list[Family] = []
    for section in dict.fromkeys(one.section for one in families):
        here = [one for one in families if one.section == section]
        order = sorted(here, key=lambda one: (one.key in seen, _number(seed, f"order:{one.key}")))
        found += [one for one in here if not one.is_graded]
        found += [one for one in order if one.is_graded][: wanted.get(section, 0)]
    return found


def _number(seed: str, what: str) -> int:
    drawn = hashlib.sha256(f"{seed}:{what}".encode()).digest()
    return int.from_bytes(drawn[:8], "big") % NUMBERS
