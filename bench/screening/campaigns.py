"""Campaigns of honest people and spammers, for measuring what the screens of `annotate` find.

Honest people are the annotators of the released judgments, each with at most `cap` of them, or
drawn from the variance components that these judgments have. Spammers hold the same places.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from annotate.screening import Columns
from estimation.core import Floats, Ints, Scale
from estimation.core.simulation import Marginal, latent_share

CRITERIA = ("fluency", "redundancy", "overall")
HONEST = ""
# Shares of −1, 0, 1 and (item, person, rest) of the released judgments; docs/statistics.md.
RELEASED = {
    "fluency": ((0.098, 0.454, 0.448), (0.105, 0.056, 0.267)),
    "redundancy": ((0.160, 0.274, 0.566), (0.290, 0.035, 0.240)),
    "overall": ((0.117, 0.505, 0.378), (0.139, 0.059, 0.232)),
}
# Correlations of the criteria, which items, people and the rest are given alike.
TOGETHER = np.array([[1, 0.45, 0.75], [0.45, 1, 0.62], [0.75, 0.62, 1]])


@dataclass(frozen=True)
class Design:
    """cap: judgments each. double: the share of outputs that are judged twice.

    spam: the share of people who are spammers, all of one `kind`. people: how many in all where
    they are drawn; the released data have as many as they have. good: outputs of which 85 % of
    the answers are the best one. every: judgments of the campaign between two looks.
    """

    kind: str = HONEST
    spam: float = 0.1
    cap: int = 25
    double: float = 0.25
    people: int = 40
    good: bool = False
    every: int = 20

    @property
    def shared(self) -> int:
        """How many of an annotator's judgments are of outputs that another one judges too."""
        return round(self.cap * 2 * self.double / (1 + self.double))


@dataclass(frozen=True, eq=False)
class Judgments:
    """Judgments of language quality; (T,) each, distance NaN where none is known."""

    annotator: Ints
    output: Ints
    scores: Floats
    distance: Floats
    seconds: Floats
    words: Floats


@dataclass(frozen=True, eq=False)
class Judged(Judgments):
    """What the honest made of their places. spam: which places a spammer holds."""

    spam: "np.ndarray[tuple[int], np.dtype[np.bool_]]"


@dataclass(frozen=True, eq=False)
class Campaign:
    """The columns in order of arrival, and who is a spammer, by position in `columns.people`."""

    columns: Columns
    spammer: "np.ndarray[tuple[int], np.dtype[np.bool_]]"


# --- places ---------------------------------------------------------------------------------


class Quotas:
    """How many shared and lone places each person may still take."""

    def __init__(self, people: int, design: Design) -> None:
        self.shared = np.full(people, design.shared)
        self.lone = np.full(people, design.cap - design.shared)

    def take(self, who: list[int], kind: str) -> bool:
        """Take a place for each of them, or none if one of them has no place left."""
        left = getattr(self, kind)
        if len(set(who)) < len(who) or any(left[w] <= 0 for w in who):
            return False
        left[who] -= 1
        return True


def draw_places(design: Design, rng: Generator) -> tuple[Ints, Ints]:
    """(annotator, output): everybody fills their cap, shared outputs with random others."""
    people, shared = design.people, design.shared
    slots = rng.permutation(np.repeat(np.arange(people), shared))
    slots = slots[: slots.size // 2 * 2]
    pairs = slots.reshape(-1, 2)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    lone = np.repeat(np.arange(people), design.cap - shared)
    who = np.r_[pairs.ravel(), lone]
    output = np.r_[np.repeat(np.arange(len(pairs)), 2), len(pairs) + np.arange(lone.size)]
    return who, output


# --- honest people --------------------------------------------------------------------------


def simulated(design: Design, rng: Generator) -> Judged:
    """Honest people from the variance components; times and distances lognormal."""
    spammers = round(design.spam * design.people) if design.kind else 0
    who, output = draw_places(design, rng)
    size = (int(output.max()) + 1, design.people, who.size)
    root = np.linalg.cholesky(TOGETHER)
    item, person, rest = (rng.standard_normal((n, 3)) @ root.T for n in size)
    scores = np.empty((who.size, 3))
    for c, (probabilities, parts) in enumerate(RELEASED.values()):
        chances = (0.03, 0.12, 0.85) if design.good else probabilities
        scale = Marginal((-1.0, 0.0, 1.0), chances, Scale(-1, 1))
        own, theirs = (latent_share(scale, part / sum(parts)) for part in parts[:2])
        latent = np.sqrt(own) * item[output, c] + np.sqrt(theirs) * person[who, c]
        scores[:, c] = scale.scores(latent + np.sqrt(1 - own - theirs) * rest[:, c])
    # Released: medians of 42 s and 43 characters, log sd .70 between and .77 within people.
    pace = 0.7 * rng.standard_normal(design.people)[who] + 0.77 * rng.standard_normal(who.size)
    distance = np.ceil(np.exp(3.76 + 1.1 * rng.standard_normal(who.size)))
    words = rng.integers(30, 90, size[0]).astype(np.float64)[output]
    return Judged(who, output, scores, distance, 60 * np.exp(pace), words, who < spammers)


@dataclass(frozen=True, eq=False)
class Released(Judgments):
    """The released judgments of language quality."""

    def campaign(self, design: Design, rng: Generator) -> Judged:
        """A campaign from these judgments: everybody's cap kept, pairs as they really were.

        A spammer takes the place of one of an output's judges, so the other one stays honest as
        often as chance has it.
        """
        people = int(self.annotator.max()) + 1
        # As many spammers as make up their share beside the ~45 people that a campaign holds.
        spammers = round(design.spam / (1 - design.spam) * 45) if design.kind else 0
        quotas = Quotas(people + spammers, design)
        rows, who = self._shared(design, quotas, people, spammers, rng)
        more_rows, more_who = self._lone(quotas, rows, people, spammers, rng)
        rows, who = np.r_[rows, more_rows], np.r_[who, more_who]
        spam = who >= people
        distance = self.filled_distance(rng)
        return Judged(
            who,
            self.output[rows],
            self.scores[rows],
            distance[rows],
            self.seconds[rows],
            self.words[rows],
            spam,
        )

    def filled_distance(self, rng: Generator) -> Floats:
        """(T,) the distances, one of the same annotator's where an edit was left out.

        The released form allowed that; here an edit is required. Of anybody's, where the
        annotator has none.
        """
        filled, known = self.distance.copy(), np.isfinite(self.distance)
        for person in np.unique(self.annotator):
            mine = self.annotator == person
            source = self.distance[mine & known] if (mine & known).any() else self.distance[known]
            gaps = mine & ~known
            filled[gaps] = rng.choice(source, gaps.sum())
        return filled

    def _shared(
        self, design: Design, quotas: Quotas, people: int, spammers: int, rng: Generator
    ) -> tuple[Ints, Ints]:
        order = rng.permutation(self.output.size)
        by_output = order[np.argsort(self.output[order], kind="stable")]
        starts = np.flatnonzero(np.r_[True, np.diff(self.output[by_output]) != 0])
        share = spammers / (45 + spammers)
        rows: list[int] = []
        who: list[int] = []
        for start in rng.permutation(starts[:-1]):
            pair = by_output[start : start + 2]
            if self.output[pair[0]] != self.output[pair[1]]:
                continue
            own = [self._holder(row, share, quotas.shared, people, rng) for row in pair]
            if quotas.take(own, "shared"):
                rows += pair.tolist()
                who += own
        return np.array(rows, dtype=np.int64), np.array(who, dtype=np.int64)

    def _holder(self, row: int, share: float, left: Ints, people: int, rng: Generator) -> int:
        free = people + np.flatnonzero(left[people:])
        if free.size and rng.random() < share:
            return int(rng.choice(free))
        return int(self.annotator[row])

    def _lone(
        self, quotas: Quotas, taken: Ints, people: int, spammers: int, rng: Generator
    ) -> tuple[Ints, Ints]:
        free = np.setdiff1d(
            np.arange(self.output.size), np.flatnonzero(np.isin(self.output, self.output[taken]))
        )
        free = rng.permutation(free)
        free = free[np.sort(np.unique(self.output[free], return_index=True)[1])]
        rows: list[int] = []
        who: list[int] = []
        waiting = np.repeat(people + np.arange(spammers), quotas.lone[people:]).tolist()
        spam_rows = set(rng.choice(free, len(waiting), replace=False).tolist())
        for row in free:
            own = waiting.pop() if row in spam_rows else int(self.annotator[row])
            if quotas.take([own], "lone"):
                rows.append(int(row))
                who.append(own)
        return np.array(rows, dtype=np.int64), np.array(who, dtype=np.int64)


# --- spammers -------------------------------------------------------------------------------

Change = Callable[[Judged, Generator], dict[str, Floats]]


def _any_triple(judged: Judged, rng: Generator) -> Floats:
    """Answers of somebody honest to some other text: they look usual and mean nothing."""
    honest = np.flatnonzero(~judged.spam)
    return judged.scores[rng.choice(honest, judged.spam.sum())]


def _dice(judged: Judged, rng: Generator) -> dict[str, Floats]:
    return {"scores": rng.integers(-1, 2, (int(judged.spam.sum()), 3)).astype(float)}


def _usual(judged: Judged, rng: Generator) -> dict[str, Floats]:
    return {"scores": _any_triple(judged, rng)}


def _best(judged: Judged, rng: Generator) -> dict[str, Floats]:
    return {"scores": np.ones((int(judged.spam.sum()), 3))}


def _middle(judged: Judged, rng: Generator) -> dict[str, Floats]:
    return {"scores": np.zeros((int(judged.spam.sum()), 3))}


def _fast(judged: Judged, rng: Generator) -> dict[str, Floats]:
    took = 3 * np.exp(0.4 * rng.standard_normal(judged.spam.sum()))
    return {"scores": _any_triple(judged, rng), "seconds": took}


def _tiny(judged: Judged, rng: Generator) -> dict[str, Floats]:
    few = rng.integers(1, 4, judged.spam.sum()).astype(float)
    return {"scores": _any_triple(judged, rng), "distance": few}


def _mostly_tiny(judged: Judged, rng: Generator) -> dict[str, Floats]:
    found = _tiny(judged, rng)
    real = rng.random(judged.spam.sum()) < 0.2
    return {**found, "distance": np.where(real, 40.0, found["distance"])}


def _paste(judged: Judged, rng: Generator) -> dict[str, Floats]:
    long_ = rng.integers(150, 300, judged.spam.sum()).astype(float)
    return {"scores": _any_triple(judged, rng), "distance": long_, "same_text": long_ * 0 + 1}


KINDS: dict[str, Change] = {
    "random (dice)": _dice,
    "random (usual answers)": _usual,
    "constant, all best": _best,
    "constant, all middle": _middle,
    "fast": _fast,
    "copy-paste, one text": _paste,
    "tiny edits": _tiny,
    "tiny edits, 4 of 5": _mostly_tiny,
}


def campaign(judged: Judged, kind: str, rng: Generator) -> Campaign:
    """Let the spammers answer, and put everything into an order of arrival."""
    parts = {name: getattr(judged, name).copy() for name in ("scores", "distance", "seconds")}
    text = np.arange(judged.annotator.size)
    if kind and judged.spam.any():
        changed = KINDS[kind](judged, rng)
        if changed.pop("same_text", None) is not None:
            text[judged.spam] = -2 - judged.annotator[judged.spam]
            text -= text.min()
        for name, values in changed.items():
            parts[name][judged.spam] = values
    required = (parts["scores"] < 1).any(axis=1)
    distance = np.where(required, parts["distance"], np.nan)
    order = arrivals(judged.annotator, rng)
    scores = {name: parts["scores"][:, c] for c, name in enumerate(CRITERIA)}
    columns = Columns(
        judged.annotator,
        judged.output,
        order,
        parts["seconds"],
        judged.words,
        scores,
        distance,
        np.where(required, text, -1),
    )
    columns = take(columns, np.argsort(order))
    people = columns.people
    return Campaign(columns, np.isin(people, judged.annotator[judged.spam]))


def arrivals(annotator: Ints, rng: Generator) -> Floats:
    """(T,) when each judgment comes: people begin at random times and work at their own pace."""
    people = int(annotator.max()) + 1
    begin, pace = 30 * rng.random(people), np.exp(0.5 * rng.standard_normal(people))
    order = np.empty(annotator.size)
    for person in range(people):
        mine = rng.permutation(np.flatnonzero(annotator == person))
        order[mine] = begin[person] + np.cumsum(pace[person] * rng.exponential(size=mine.size))
    return order


def take(columns: Columns, rows: Ints) -> Columns:
    """The columns of some judgments; highlights must follow their judgments."""
    lone = (
        "annotator",
        "output",
        "order",
        "seconds",
        "words",
        "edit_distance",
        "edit_text",
        "plausible",
        "verdicts",
    )
    cut = {name: None if (c := getattr(columns, name)) is None else c[rows] for name in lone}
    scores = {name: column[rows] for name, column in columns.scores.items()}
    found = columns.highlights
    if found is not None:
        place = np.full(len(columns.annotator), -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[found.judgment] >= 0)
        found = replace(
            found,
            judgment=place[found.judgment[kept]],
            paragraph=found.paragraph[kept],
            tokens=[found.tokens[h] for h in kept],
            length=found.length[kept],
        )
    return replace(columns, **cut, scores=scores, highlights=found)


def looks(columns: Columns, every: int) -> Iterator[Columns]:
    """The campaign as it was after every so many judgments, and at its end."""
    total = len(columns.annotator)
    for size in range(every, total, every):
        yield take(columns, np.arange(size))
    yield columns


def load_released(path: Path) -> Released:
    """Read the released judgments of language quality."""
    import gzip
    import json

    from estimation.metrics import levenshtein

    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for output, line in enumerate(file):
            record = json.loads(line)
            text, given = record["input"]["contents"]["text"], record["output"]["_responses"]
            for k, person in enumerate(given["worker_ids"]):
                scores = [given[name][k] for name in ("grammar", "redundancy", "overall")]
                edit = given["edit"][k]
                has_edit = edit is not None and min(scores) < 1
                distance = levenshtein(text, edit) if has_edit else np.nan
                rows.append(
                    (
                        person,
                        output,
                        *scores,
                        distance or np.nan,
                        given["time"][k],
                        len(text.split()),
                    )
                )
    table = np.array(rows, dtype=np.float64)
    whole = table[:, :2].astype(np.int64)
    return Released(whole[:, 0], whole[:, 1], table[:, 2:5], table[:, 5], table[:, 6], table[:, 7])
