"""Metrics that compare a text: with a reference, the input's paragraphs, or other systems' texts.

Libraries load on first use (slow imports).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

from estimation.metrics.base import Metric
from estimation.metrics.edits import edit_rate
from estimation.metrics.text import cut, treebank_tokens, words

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

# --- Metrics that compare a text with a reference.
#
# Nothing in common gives 0 (ter: 1 or more). An empty text or reference, or one in which the
# metric's tokenizer finds nothing (only punctuation; for ROUGE also only emoji), gives 0 for all
# similarities, even if both are empty; ter is then 0 if both are empty, else 1.


RougeKind = Literal["rouge1", "rouge2", "rougeL"]
RougePart = Literal["fmeasure", "precision", "recall"]


class _Words:
    """rouge-score's tokenizer, but letters and digits of every script are kept."""

    def tokenize(self, text: str) -> list[str]:
        return words(text, symbols=False)


@cache
def _rouge_scorer(kind: RougeKind) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], tokenizer=_Words())


@lru_cache(maxsize=1024)  # P, R and F of a pair are usually computed together
def _rouge_all(kind: RougeKind, text: str, reference: str) -> Any:
    if kind == "rougeL":
        return _rouge_l(words(text, symbols=False), words(reference, symbols=False))
    return _rouge_scorer(kind).score(reference, text)[kind]


def _rouge_l(text: list[str], reference: list[str]) -> Any:
    """As rouge-score, whose table of the longest common sequence takes seconds for long texts."""
    from rapidfuzz.distance import LCSseq
    from rouge_score.scoring import Score, fmeasure

    common = LCSseq.similarity(text, reference)
    precision, recall = common / max(len(text), 1), common / max(len(reference), 1)
    return Score(precision, recall, fmeasure(precision, recall))


def rouge(text: str, reference: str, *, kind: RougeKind, part: RougePart) -> float:
    """ROUGE of Lin (2004) with the values of rouge-score without stemming; range [0, 1]."""
    return float(getattr(_rouge_all(kind, text, reference), part))


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def bleu(text: str, reference: str) -> float:
    """Sentence BLEU, sacrebleu: 13a tokens, case kept, exponential smoothing, effective order.

    Range [0, 1] (sacrebleu's number / 100). Effective order: a text of fewer than 4 tokens is
    scored on the n-grams it has.
    """
    spaced, wanted = (" ".join(_cut(one.split())) for one in (text, reference))
    return min(float(_bleu().sentence_score(spaced, [wanted]).score) / 100, 1.0)


def _cut(tokens: list[str]) -> list[str]:
    return [one for token in tokens for one in cut(token)]


def chrf(text: str, reference: str) -> float:
    """chrF2 (Popovic 2015), sacrebleu: character 6-grams, no words; range [0, 1]."""
    return min(float(_chrf().sentence_score(text, [reference]).score) / 100, 1.0)


def ter(text: str, reference: str) -> float:
    """TER with shifts (`edit_rate`), lower case, split at white space.

    Edits / words of the reference: 0 when equal, unbounded above. `hter` (edits.py) differs: it
    keeps case and uses Treebank tokens.
    """
    return edit_rate(_cut(text.lower().split()), _cut(reference.lower().split()))


class _NoSynonyms:
    """Stands in for WordNet, which is a download: no word has a synonym."""

    def synsets(self, _word: str) -> list[Any]:
        return []


def meteor_exact_stem(text: str, reference: str) -> float:
    """METEOR (Lavie and Agarwal 2007; nltk, alpha .9, beta 3, gamma .5), exact and stem matches.

    Range [0, 1): a text of m tokens equal to its reference has 1 - .5 / m**3. Treebank tokens,
    lower case, Porter stems. Without WordNet's synonyms: hence the name.
    """
    from nltk.translate.meteor_score import single_meteor_score

    tokens, targets = (_cut(treebank_tokens(one)) for one in (text, reference))
    return float(single_meteor_score(targets, tokens, wordnet=_NoSynonyms()))


# --- Metrics that look for the text's words in the input's paragraphs.


@lru_cache(maxsize=2048)  # all systems' outputs for an item share its paragraphs
def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    tokens = words(text)
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def support_n(text: str, paragraphs: Sequence[str], *, n: int) -> float:
    """Share of the text's n-grams found in the one paragraph that has most of them; range [0, 1].

    N-gram precision as in BLEU (Papineni et al. 2002): an n-gram counts at most as often as the
    paragraph has it. 0 where the text is shorter than n words or there are no paragraphs.
    """
    wanted = _grams(text, n)
    total = wanted.total()
    if not total:
        return 0.0
    found = ((wanted & _grams(paragraph, n)).total() for paragraph in paragraphs)
    return max(found, default=0) / total


# --- Metrics that compare a text with what the other systems wrote for the same item.
#
# Two systems that wrote the same text agree: it is among the others of either. A campaign's outputs
# are fixed when it is created, so the others of an output never change.


@lru_cache(maxsize=256)  # the outputs of an item, each compared with the others, come together
def _bag(text: str) -> Counter[str]:
    return Counter(words(text))


def consensus_f1(text: str, others: Sequence[str]) -> float:
    """Mean over the other texts of the F-measure of shared words (as ROUGE-1); range [0, 1].

    0 for two texts without words, and where there are no others.
    """
    return sum(_f1(_bag(text), _bag(other)) for other in others) / max(len(others), 1)


def _f1(first: Counter[str], second: Counter[str]) -> float:
    both = first.total() + second.total()
    return 2 * (first & second).total() / both if both else 0.0


def consensus_length(text: str, others: Sequence[str]) -> float:
    """By how many words the text is longer or shorter than the others on average; 0 or more."""
    if not others:
        return 0.0
    return abs(_bag(text).total() - sum(_bag(other).total() for other in others) / len(others))


_KINDS: tuple[tuple[str, RougeKind, str], ...] = (
    ("rouge_1", "rouge1", "words"),
    ("rouge_2", "rouge2", "pairs of words"),
    ("rouge_l", "rougeL", "longest common sequence of words"),
)
_PARTS: tuple[tuple[str, RougePart, str], ...] = (
    ("f", "fmeasure", "F-measure"),
    ("p", "precision", "precision (share of the text found in the reference)"),
    ("r", "recall", "recall (share of the reference found in the text)"),
)

_reference = partial(Metric, needs="reference", higher_is_better=True)
_others = partial(Metric, version="2", needs="others", higher_is_better=None)

METRICS: tuple[Metric, ...] = (
    *(
        _reference(
            name=f"{name}_{letter}",
            version="2",
            description=f"ROUGE on {what}, {part_words} (0 to 1).",
            function=partial(rouge, kind=kind, part=part),
        )
        for name, kind, what in _KINDS
        for letter, part, part_words in _PARTS
    ),
    _reference(
        name="bleu",
        version="2",
        description="Sentence BLEU, smoothed (sacrebleu; 0 to 1).",
        function=bleu,
    ),
    _reference(
        name="chrf",
        version="1",
        description="chrF: overlap of character n-grams (sacrebleu; 0 to 1).",
        function=chrf,
    ),
    _reference(
        name="ter",
        version="3",
        description="Translation edit rate: word edits and shifts that turn the text into the "
        "reference, per word of the reference (0 = equal, unbounded).",
        higher_is_better=False,
        function=ter,
    ),
    _reference(
        name="meteor_exact_stem",
        version="2",
        description="METEOR with exact and stem matches, no synonyms (nltk; 0 to 1).",
        function=meteor_exact_stem,
    ),
    *(
        Metric(
            name=f"support_{n}",
            version="2",
            needs="paragraphs",
            description=f"Support: share of the text's {what} found in the input's best matching "
            "paragraph (0 to 1).",
            higher_is_better=True,
            function=partial(support_n, n=n),
        )
        for n, what in ((1, "words"), (2, "pairs of words"), (3, "3-grams of words"))
    ),
    _others(
        name="consensus_f1",
        description="Consensus: mean F-measure of the words shared with each of the other systems' "
        "outputs for the item (0 to 1).",
        function=consensus_f1,
    ),
    _others(
        name="consensus_length",
        description="Consensus: by how many words the text is longer or shorter than the other "
        "systems' outputs for the item on average (0 = as long, unbounded).",
        function=consensus_length,
    ),
)
