"""Studies with crowds of honest people of several kinds, for measuring what the screens find.

language quality: variance components, times and edits of the released judgments (docs/screening.md
says which). answers: the released sample, mixed anew. rating C×L: C criteria of L levels.
"""

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.random import Generator

from annotate.screening import Columns
from annotate.screening.joining import taken
from bench.screening import answers as sample
from bench.screening.campaigns import CRITERIA, RELEASED, TOGETHER, Design, arrivals, draw_places
from bench.screening.studies import correlated, marginal
from estimation.core import Floats, Ints, Scale
from estimation.core.simulation import Marginal, latent_share

QUALITY, ANSWERS = "language quality", "answers"
RATINGS = {"rating 1×5": (1, 5), "rating 4×5": (4, 5), "rating 6×5": (6, 5), "rating 8×7": (8, 7)}
STUDIES = (QUALITY, ANSWERS, *RATINGS)

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True)
class Person:
    """How one kind of honest people differs from the usual.

    shift: of the latent scores, in standard deviations. care: the noise's share of the usual.
    pace: the time, over the usual. alike: how much less they differ in it. edits: characters, over the usual. doubt: the share of
    judgments of answers that turn towards "no" or "neither", or (below 0) towards "yes".
    one_word: the share of highlights that are one word, at the right place.
    """

    shift: float = 0.0
    care: float = 1.0
    pace: float = 1.0
    alike: float = 1.0
    edits: float = 1.0
    doubt: float = 0.0
    one_word: float = 0.1


USUAL = Person()
HONEST = {
    "usual": USUAL,
    "fast experts": Person(care=0.6, pace=0.45, alike=0.4),
    "slow": Person(pace=3.0),
    "lenient": Person(shift=0.7, doubt=-0.25),
    "harsh": Person(shift=-0.7, doubt=0.15),
    "minimal editors": Person(edits=0.25),
    "sceptics": Person(shift=-0.4, doubt=0.35),
    "one-word highlighters": Person(one_word=0.6),
}


def kinds_of(study: str) -> list[str]:
    """The honest kinds that a study can have."""
    without = {
        QUALITY: {"sceptics", "one-word highlighters"},
        ANSWERS: {"minimal editors"},
    }.get(study, {"minimal editors", "sceptics", "one-word highlighters"})
    return [name for name in HONEST if name not in without]


def drawn(
    study: str,
    design: Design,
    people: list[Person],
    rng: Generator,
    quality: Floats | None = None,
) -> Columns:
    """One campaign of honest people, in the order of arrival.

    quality: (n, C) from `effects` of at least as many outputs as there are; drawn if not given.
    Answers have none.
    """
    if study == ANSWERS:
        return _answers(design, people, rng)
    who, output = draw_places(design, rng)
    outputs = int(output.max()) + 1
    made = _scores(study, who, output, people, rng, quality)
    scores = np.column_stack(list(made.values()))
    pace = np.array([one.pace for one in people])[who]
    alike = np.array([one.alike for one in people])
    own = 0.7 * alike * rng.standard_normal(len(people))
    time = own[who] + 0.77 * rng.standard_normal(who.size)
    levels = tuple(np.unique(scores)) if study == QUALITY else _levels(study)
    columns = Columns(
        who,
        output,
        arrivals(who, rng),
        42 * np.exp(time) * pace,
        rng.integers(30, 90, outputs).astype(np.float64)[output],
        made,
        levels=(-1.0, 0.0, 1.0) if study == QUALITY else levels,
    )
    if study == QUALITY:
        columns = _edited(columns, people, rng)
    return taken(columns, np.argsort(columns.order))


def _levels(study: str) -> tuple[float, ...]:
    return tuple(np.arange(float(RATINGS[study][1])).tolist())


def effects(study: str, n: int, rng: Generator) -> Floats:
    """(n, C) standard normal effects on the criteria of a study, correlated as its criteria are."""
    if study == QUALITY:
        return np.asarray(rng.standard_normal((n, 3)) @ np.linalg.cholesky(TOGETHER).T)
    return correlated(n, RATINGS[study][0], 0.6, rng)


def _scores(
    study: str,
    who: Ints,
    output: Ints,
    people: list[Person],
    rng: Generator,
    quality: Floats | None,
) -> dict[str, Floats]:
    shift = np.array([one.shift for one in people])[who]
    care = np.array([one.care for one in people])[who]
    item = effects(study, int(output.max()) + 1, rng) if quality is None else quality
    person, rest = (effects(study, n, rng) for n in (len(people), who.size))
    found = {}
    if study == QUALITY:
        for c, (name, (shares, parts)) in enumerate(zip(CRITERIA, RELEASED.values(), strict=True)):
            scale = Marginal((-1.0, 0.0, 1.0), shares, Scale(-1, 1))
            mine, theirs = (latent_share(scale, part / sum(parts)) for part in parts[:2])
            latent = np.sqrt(mine) * item[output, c] + np.sqrt(theirs) * person[who, c]
            latent += care * np.sqrt(1 - mine - theirs) * rest[:, c] + shift
            found[name] = scale.scores(latent)
        return found
    criteria, levels = RATINGS[study]
    latent = np.sqrt(0.35) * item[output] + np.sqrt(0.15) * person[who]
    latent = latent + (care * np.sqrt(0.5))[:, None] * rest + shift[:, None]
    scores = marginal(levels, None).scores(latent)
    return {f"c{c}": scores[:, c] for c in range(criteria)}


def _edited(columns: Columns, people: list[Person], rng: Generator) -> Columns:
    """Edits as released: 43 characters in the middle; larger for worse ratings (log slope 1.65);
    log sd .5 between people and 1.1 within, of which outputs make .24."""
    bad = 1 - columns.answers.mean(axis=1)
    noise = [0.5, 1.1 * np.sqrt(0.24), 1.1 * np.sqrt(0.76)]
    parts = (len(people), int(columns.output.max()) + 1, bad.size)
    person, output, rest = (sd * rng.standard_normal(n) for sd, n in zip(noise, parts, strict=True))
    size = np.array([one.edits for one in people])[columns.who]
    log = 3.6 + 1.65 * (bad - 0.75) + person[columns.who] + output[columns.output] + rest
    distance = np.maximum(np.ceil(size * np.exp(log)), 1)
    required = (columns.answers < 1).any(axis=1)
    return replace(
        columns,
        edit_distance=np.where(required, distance, np.nan),
        edit_text=np.where(required, np.arange(bad.size), -1),
    )


@cache
def released() -> list[sample.Output]:
    """The released sample of answer correctness."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    return sample.load(Path(os.environ.get("PLUMBLINE_DATA") or default) / sample.FILE)


def _answers(design: Design, people: list[Person], rng: Generator) -> Columns:
    outputs = released()
    who, place = draw_places(design, rng)
    shown = rng.integers(0, len(outputs), int(place.max()) + 1)
    truth = rng.random((shown.size, sample.MOST))
    order = {k: rng.permutation(len(outputs[o].judgments)) for k, o in enumerate(shown)}
    own = np.exp(0.5 * rng.standard_normal(len(people)))
    used: dict[int, int] = {}
    responses = []
    for person, k in zip(who.tolist(), place.tolist(), strict=True):
        output = outputs[shown[k]]
        said = output.judgments[order[k][used.get(k, 0)]]
        used[k] = used.get(k, 0) + 1
        said = _turned(said, people[person].doubt, rng)
        said = replace(said, seconds=said.seconds * people[person].pace * own[person])
        response = sample.honest(output, said, truth[k], rng)
        responses.append(_one_word(response, output, truth[k], people[person].one_word - 0.1, rng))
    return sample.columns_of(who, place, [outputs[o] for o in shown], responses, rng)


def _turned(said: sample.Judgment, doubt: float, rng: Generator) -> sample.Judgment:
    if doubt > 0 and rng.random() < doubt:
        if rng.random() < 0.5:
            return replace(said, plausible=False, verdicts=())
        return replace(said, verdicts=tuple(min(v, 0) for v in said.verdicts))
    if doubt < 0 and rng.random() < -doubt:
        return replace(said, verdicts=tuple(max(v, 0) for v in said.verdicts))
    return said


def _one_word(
    response: sample.Response, output: sample.Output, truth: Floats, share: float, rng: Generator
) -> sample.Response:
    """One word where the evidence is, in a share of the highlights."""
    spans = []
    for paragraph, start, end in response.spans:
        if rng.random() < share:
            start = min(
                int(truth[paragraph] * output.words[paragraph]), output.words[paragraph] - 1
            )
            end = start + 1
        spans.append((paragraph, start, end))
    return replace(response, spans=tuple(spans))
