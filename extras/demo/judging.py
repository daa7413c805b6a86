"""How a simulated annotator judges and edits a text.

The judgment depends on the text, the person's leniency and the person's noise, on one scale: a
latent quality that is cut into three levels.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from extras.demo import repair
from extras.demo.corpus import Correction, clean_version

CRITERIA = ("fluency", "redundancy", "overall")

# Cost of each defect, in the order of CRITERIA.
SEVERITY: Mapping[str, tuple[float, float, float]] = {
    "repeated_sentence": (0.15, 1.45, 1.0),
    "restated": (0.05, 0.85, 0.5),
    "repeated_phrase": (0.6, 1.2, 1.0),
    "repeated_name": (0.1, 0.55, 0.3),
    "doubled_word": (0.5, 0.25, 0.4),
    "wrong_preposition": (0.55, 0.0, 0.4),
    "wrong_agreement": (0.55, 0.0, 0.35),
    "missing_article": (0.5, 0.0, 0.3),
    "unknown_token": (0.75, 0.0, 0.65),
    "scrambled": (1.3, 0.1, 1.1),
    "truncated": (0.9, 0.0, 0.8),
    "boilerplate": (0.4, 0.3, 0.55),
}

SOUND = (0.85, 0.9, 0.65)  # the latent quality of a text without defects
TASTE = 0.3  # sd of the quality that readers agree on beyond defects
CUT = 0.33


@dataclass(frozen=True)
class DemoAnswer:
    levels: Mapping[str, int]
    correction: Correction

    @property
    def edit_required(self) -> bool:
        return any(level < 1 for level in self.levels.values())


def unread(text: str) -> DemoAnswer:
    """Return the best levels, whatever the text is."""
    correction = judge(text, 0.0, 0.0, Random(0)).correction
    return DemoAnswer(dict.fromkeys(("fluency", "redundancy", "overall"), 1), correction)


def quality(text: str, defects: tuple[str, ...]) -> tuple[float, float, float]:
    """Return the latent quality per criterion, the same for every reader."""
    taste = Random(sha256(text.encode()).hexdigest())
    shared = taste.gauss(0, TASTE)
    fluency, redundancy, overall = (
        sound + 0.6 * shared + 0.6 * taste.gauss(0, TASTE) - _cost(defects, column)
        for column, sound in enumerate(SOUND)
    )
    return fluency, redundancy, overall


def _cost(defects: tuple[str, ...], column: int) -> float:
    """Return the cost of defects: the first one annoys most, and each further one adds less."""
    costs = sorted((SEVERITY[kind][column] for kind in defects), reverse=True)
    return sum(cost * 0.7**rank for rank, cost in enumerate(costs))


def judge(text: str, leniency: float, noise: float, rng: Random) -> DemoAnswer:
    correction = clean_version(text)
    mood = rng.gauss(0, noise * 0.6)
    levels = {
        criterion: level(value + leniency + mood + rng.gauss(0, noise))
        for criterion, value in zip(CRITERIA, quality(text, correction.defects), strict=True)
    }
    return DemoAnswer(levels, correction)


def level(latent: float) -> int:
    return (latent > CUT) - (latent < -CUT)


def sensible_edit(text: str, correction: Correction, rng: Random) -> str:
    """Return an edit of all defects, sometimes only of the last ones; sound texts are polished."""
    if len(correction.versions) > 2 and rng.random() < 0.15:
        return rng.choice(correction.versions[1:-1])
    if correction.text != text:
        return correction.text
    return repair.polished(text)
