"""The most that agreement can tell if nobody says who is careless.

Run from the checkout: python -m bench.screening.untold [campaigns]

The oracle of `bench.screening.oracle` knows that everybody else is careful. This one knows that a
fifth of the people are careless, and how, but not who. It ranks people by the probability
that they are careless, given all answers of the campaign (by Gibbs sampling of who is). Of all ways to
list so many honest people, none lists more careless ones on average (Neyman and Pearson 1933).

Latent answers are those before they are rounded to levels, less everybody's own level. With one
question, also the answers as they are given, where nobody's level is known: all 25 answers of a
person then say something, by their frequencies too.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.random import Generator
from scipy.special import softmax
from scipy.stats import norm

from bench.screening import oracle
from bench.screening.campaigns import Design, draw_places
from bench.screening.crowds import QUALITY, RATINGS
from bench.screening.oracle import LISTED
from bench.screening.studies import marginal
from bench.screening.table import CARELESS, TOGETHER
from estimation.core import Floats, Ints

SEED = 2090
CAMPAIGNS = 200
TURNS = 300  # of the sampler; the first quarter counts for nothing
ITEM, PERSON = 0.35, 0.15  # of the variance of ratings, as in `bench.screening.crowds`
GRID = 15  # levels that a person may have
BATCH = 20  # campaigns at once
OVER = 5  # turns after which the whole crowd may turn over

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Crowd:
    """What is known of P people in S states: whether they are careless, and which level they have.

    alone: (P, S) logarithms of how likely each state is by itself. pairs: (N, 2) who judged the
    same. together: (N, S, S) logarithms of how likely both answers are in the states of both.
    careless: (S,) which states are; told: (P,) who really is.
    """

    alone: Floats
    pairs: Ints
    together: Floats
    careless: Mask
    told: Mask


def latent(study: str, kind: str, rng: Generator, people: int = TOGETHER) -> Crowd:
    """A campaign whose answers are known before they are rounded, and everybody's level."""
    told = rng.random(people) < CARELESS
    pairs = _pairs(people, rng)[0]
    text, chance = oracle.parts(study)
    root, noise = np.linalg.cholesky(text), np.linalg.cholesky(chance)

    def drawn(shape: tuple[int, ...], part: Floats) -> Floats:
        return np.asarray(rng.standard_normal((*shape, len(text))) @ part.T)

    n = len(pairs)
    said = drawn((n, 1), root) + drawn((n, 2), noise)
    other = drawn((n, 2), root) + drawn((n, 2), noise)
    said = np.where(told[pairs][..., None], -said if kind == "mirrored" else other, said)
    sign = -1.0 if kind == "mirrored" else 0.0
    odds = oracle.density(study, *said.transpose(1, 0, 2), sign)
    odds -= oracle.density(study, *said.transpose(1, 0, 2), 1.0)
    apart = np.array([[0, 1], [1, 0 if kind == "mirrored" else 1]])
    prior = np.log([1 - CARELESS, CARELESS])
    careless = np.array([False, True])
    return Crowd(np.tile(prior, (people, 1)), pairs, odds[:, None, None] * apart, careless, told)


def _pairs(people: int, rng: Generator) -> tuple[Ints, Ints]:
    """(N, 2) who judged the same, and (people,) how many outputs each judged alone."""
    who, output = draw_places(Design(people=people), rng)
    twice = 2 * int((np.bincount(output) == 2).sum())
    return who[:twice].reshape(-1, 2), np.bincount(who[twice:], minlength=people)


def rounded(kind: str, rng: Generator, people: int = TOGETHER, levels: int = 5) -> Crowd:
    """A campaign with one question, of which only the answers are known, 0 to `levels` - 1.

    States are careful with each level that a person may have, then careless with each.
    """
    told = rng.random(people) < CARELESS
    pairs, lone = _pairs(people, rng)
    who = np.r_[pairs.ravel(), np.repeat(np.arange(people), lone)]
    output = np.r_[np.arange(len(pairs)).repeat(2), len(pairs) + np.arange(lone.sum())]
    cuts = marginal(levels, None).cuts()
    said = _said(kind, who, output, told[who], cuts, rng)
    one, two = chances(cuts)
    turned = np.arange(levels)[::-1] if kind == "mirrored" else np.arange(levels)
    either = np.concatenate([one, one[turned]], axis=1)  # (L, S)
    n = np.zeros((people, levels))
    np.add.at(n, (who[2 * len(pairs) :], said[2 * len(pairs) :]), 1)
    both = _both(two, either, turned, related=kind == "mirrored")
    mine, theirs = said[: 2 * len(pairs)].reshape(-1, 2).T
    careless = np.arange(2 * GRID) >= GRID
    return Crowd(_prior() + n @ either, pairs, both[mine, theirs], careless, told)


def _said(kind: str, who: Ints, output: Ints, careless: Mask, cuts: Floats, rng: Generator) -> Ints:
    """(T,) answers, of which some (T,) are careless."""
    item, person, rest, other = rng.standard_normal((4, who.size))
    seen = np.where(careless & (kind == "usual"), other, item[output])
    latent = np.sqrt(ITEM) * seen + np.sqrt(PERSON) * person[who] + _noise() * rest
    said = np.searchsorted(cuts, latent)
    return np.where(careless & (kind == "mirrored"), cuts.size - said, said)


def _prior() -> Floats:
    """(S,) logarithms of how likely each state is, before anybody has answered."""
    level = norm.logpdf(_grid() / np.sqrt(PERSON))
    level -= np.logaddexp.reduce(level)
    return np.concatenate([level + np.log(1 - CARELESS), level + np.log(CARELESS)])


def _grid() -> Floats:
    return np.asarray(np.sqrt(PERSON) * np.linspace(-2.8, 2.8, GRID))


def chances(cuts: Floats) -> tuple[Floats, Floats]:
    """(L, G) logarithms of how likely each answer is, and (L, L, G, G) two answers to one output.

    G levels of a person, or of two.
    """
    item, weight = hermegauss(40)
    middle = np.sqrt(ITEM) * item + _grid()[:, None]
    below = norm.cdf((np.r_[-np.inf, cuts, np.inf][:, None, None] - middle) / _noise())
    each = np.diff(below, axis=0)
    weight = weight / weight.sum()
    return np.log(each @ weight), np.log(np.einsum("agk,bhk,k->abgh", each, each, weight))


def _noise() -> float:
    return float(np.sqrt(1 - ITEM - PERSON))


def _both(two: Floats, either: Floats, turned: Ints, *, related: bool) -> Floats:
    """(L, L, S, S) logarithms of how likely two answers to one output are, in the states of both.

    related: whether careless people's answers are related to others', the other way round.
    """
    found = either[:, None, :, None] + either[None, :, None, :]
    found[:, :, :GRID, :GRID] = two
    if related:
        found[:, :, GRID:, :GRID] = two[turned]
        found[:, :, :GRID, GRID:] = two[:, turned]
        found[:, :, GRID:, GRID:] = two[turned][:, turned]
    return found


@dataclass(frozen=True, eq=False)
class _Places:
    """Partners (P, K, D) of P people in K campaigns, and (P, K, D, S, S) what they say together."""

    partner: Ints
    together: Floats

    @classmethod
    def of(cls, crowds: Sequence[Crowd]) -> "_Places":
        people, states = crowds[0].alone.shape
        size = (people, len(crowds), Design().shared)
        partner, together = np.zeros(size, dtype=np.int64), np.zeros((*size, states, states))
        for k, crowd in enumerate(crowds):
            filled = np.zeros(people, dtype=np.int64)
            for (one, other), both in zip(crowd.pairs.tolist(), crowd.together, strict=True):
                for mine, theirs, said in ((one, other, both), (other, one, both.T)):
                    partner[mine, k, filled[mine]] = theirs
                    together[mine, k, filled[mine]] = said
                    filled[mine] += 1
        return cls(partner, together)


@dataclass(eq=False)
class _Sampler:
    """The states (K, P) of the people of K campaigns, drawn by turns; places, alone: (K, P, S)."""

    places: _Places
    alone: Floats
    state: Ints
    rng: Generator

    def around(self) -> Floats:
        """Draw everybody's state given the others'; (K, P, S) how likely each was."""
        chance = np.empty_like(self.alone)
        for i in range(self.state.shape[1]):
            chance[:, i] = softmax(self.alone[:, i] + self._said(i, self.state), axis=1)
            drawn = chance[:, i].cumsum(axis=1) < self.rng.random((len(self.state), 1))
            self.state[:, i] = np.minimum(drawn.sum(axis=1), chance.shape[2] - 1)
        return chance

    def turn_over(self) -> None:
        """Propose that all careful people are careless, and the other way round (Metropolis).

        Upside down, everybody's answers are related as before.
        """
        opposite = self.alone.shape[2] - 1 - self.state
        gain = self._likely(opposite) - self._likely(self.state)
        taken = np.log(self.rng.random(gain.size)) < gain
        self.state[taken] = opposite[taken]

    def _said(self, i: int, state: Ints) -> Floats:
        """(K, S) logarithms of how likely what a person and others said of the same is."""
        theirs = state[np.arange(len(state))[:, None], self.places.partner[i]]
        said = np.take_along_axis(self.places.together[i], theirs[..., None, None], axis=3)
        return np.asarray(said[..., 0].sum(axis=1))

    def _likely(self, state: Ints) -> Floats:
        """(K,) logarithms of how likely the states of all people together are."""
        each = self.alone + np.stack([self._said(i, state) for i in range(state.shape[1])], 1) / 2
        return np.asarray(np.take_along_axis(each, state[..., None], axis=2).sum(axis=(1, 2)))


def posterior(crowds: Sequence[Crowd], rng: Generator, turns: int = TURNS) -> Floats:
    """(K, P) how likely each person of K campaigns of P people is careless, by Gibbs sampling.

    It begins with who really is. If it does not forget that soon enough, it finds too many.
    """
    alone = np.stack([crowd.alone for crowd in crowds])
    really = np.stack([crowd.told[:, None] == crowd.careless for crowd in crowds])
    state = np.where(really, alone, -np.inf).argmax(axis=2)
    sampler = _Sampler(_Places.of(crowds), alone, state, rng)
    first, total = turns // 4, np.zeros(alone.shape[:2])
    for turn in range(turns):
        chance = sampler.around()
        if turn % OVER == 0:
            sampler.turn_over()
        if turn >= first:
            total += chance @ crowds[0].careless
    return total / (turns - first)


Draw = Callable[[Generator], Crowd]


def found(draw: Draw, campaigns: int, rng: Generator) -> list[float]:
    """The share of careless people that is listed, for each share of honest people in `LISTED`."""
    likely, told = [], []
    for start in range(0, campaigns, BATCH):
        crowds = [draw(rng) for _ in range(min(BATCH, campaigns - start))]
        likely.append(posterior(crowds, rng).ravel())
        told.append(np.concatenate([crowd.told for crowd in crowds]))
    ranked, careless = np.concatenate(likely), np.concatenate(told)
    cuts = (np.quantile(ranked[~careless], 1 - share) for share in LISTED)
    return [float((ranked[careless] > cut).mean()) for cut in cuts]


ROUNDED = "rating 1×5, as given"
ANSWERS = (*(f"{study}, before rounding" for study in (QUALITY, *RATINGS)), ROUNDED)


def drawing(answers: str, kind: str) -> Draw:
    """What draws a campaign of one row of the table."""
    if answers == ROUNDED:
        return partial(rounded, kind)
    return partial(latent, answers.split(",")[0], kind)


def main() -> None:
    """Print the table: percent found."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGNS
    rng = np.random.default_rng(SEED)
    names = [
        f"{name}, {100 * share:.1f} % listed" for name in ("random", "mirrored") for share in LISTED
    ]
    print(f"| answers | {' | '.join(names)} |\n{'|---' * (1 + len(names))}|")
    for name in ANSWERS:
        draws = [drawing(name, kind) for kind in ("usual", "mirrored")]
        shares = [one for draw in draws for one in found(draw, campaigns, rng)]
        print(f"| {name} | {' | '.join(f'{100 * one:.0f}' for one in shares)} |", flush=True)


if __name__ == "__main__":
    main()
