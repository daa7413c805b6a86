"""The demonstration's texts: short news stories, a reference for each, and three systems' texts.

Everything is drawn from one seed, so two runs of the demo show the same texts.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from extras.demo import repair, vocabulary
from extras.demo.defects import FAULTS, DefectMaterial, Sentences
from extras.demo.story import Story, fill_slots, read_stories, render

STORIES = read_stories()
SYSTEMS = ("lead-3", "abstractive-base", "abstractive-large")
DEFAULT_SEED = 20240613

# A lead system stops after this number of words, even within a sentence.
LEAD_WORDS = 52


@dataclass(frozen=True)
class CorpusOutput:
    """versions[0] is the corrected text; versions[-1] is what the system wrote."""

    versions: tuple[str, ...]
    defects: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.versions[-1]


@dataclass(frozen=True)
class CorpusRow:
    item: str
    topic: str
    input: str
    reference: str
    outputs: Mapping[str, CorpusOutput]


@dataclass(frozen=True)
class Correction:
    """How a careful reader would correct a text, and its defects."""

    text: str
    defects: tuple[str, ...]
    versions: tuple[str, ...]


@dataclass(frozen=True)
class ErrorProfile:
    """How often a system makes errors, and of which kinds (relative weights)."""

    flawed: float
    again: float
    weights: Mapping[str, int]


BASE = ErrorProfile(
    flawed=0.78,
    again=0.42,
    weights={
        "repeated_sentence": 9,
        "restated": 7,
        "repeated_phrase": 9,
        "repeated_name": 12,
        "doubled_word": 4,
        "wrong_preposition": 3,
        "wrong_agreement": 3,
        "missing_article": 2,
        "unknown_token": 4,
        "scrambled": 2,
        "truncated": 2,
    },
)
LARGE = ErrorProfile(
    flawed=0.36,
    again=0.12,
    weights={
        "repeated_sentence": 2,
        "restated": 7,
        "repeated_phrase": 4,
        "repeated_name": 12,
        "doubled_word": 1,
        "wrong_preposition": 2,
        "wrong_agreement": 2,
        "missing_article": 1,
        "unknown_token": 1,
        "truncated": 1,
    },
)


@dataclass(frozen=True)
class DraftText:
    """One story with its facts drawn, before any text about it."""

    article: Sentences
    headline: str
    summary: tuple[Sentences, ...]
    material: DefectMaterial


def sample_outputs(seed: int = DEFAULT_SEED, items: int = 260) -> list[CorpusRow]:
    """Return the rows of the demo. Topics alternate, so that neighbours differ."""
    rng = Random(f"{seed}/topics")
    rows: list[CorpusRow] = []
    seen: set[str] = set()
    turn: list[Story] = []
    for number in range(1, items + 1):
        turn = turn or rng.sample(STORIES, len(STORIES))
        if rows and turn[-1].topic == rows[-1].topic:
            turn.insert(0, turn.pop())
        rows.append(_new_row(turn.pop(), number, seed, seen))
    return rows


def rows_for_upload(
    seed: int = DEFAULT_SEED, items: int = 260, systems: tuple[str, ...] = SYSTEMS
) -> Iterator[dict[str, str]]:
    """Yield one dict per system output, in the product's upload format."""
    for row in sample_outputs(seed, items):
        for system in systems:
            yield {
                "item": row.item,
                "system": system,
                "output": row.outputs[system].text,
                "reference": row.reference,
                "input": row.input,
            }


def normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def corrections(rows: list[CorpusRow]) -> dict[str, Correction]:
    """Return the known correction of every output text of these rows."""
    known: dict[str, Correction] = {}
    for row in rows:
        for output in row.outputs.values():
            correction = Correction(output.versions[0], output.defects, output.versions)
            known.setdefault(normalised(output.text), correction)
    return known


@lru_cache(maxsize=4)
def _known(seed: int, items: int) -> dict[str, Correction]:
    return corrections(sample_outputs(seed, items))


def clean_version(text: str, seed: int = DEFAULT_SEED, items: int = 260) -> Correction:
    """Return the recorded correction; for other texts, a correction of their visible faults."""
    known = _known(seed, items).get(normalised(text))
    if known:
        return known
    repaired, defects = repair.repaired(normalised(text))
    return Correction(repaired, defects, (repaired, normalised(text)))


def _new_row(schema: Story, number: int, seed: int, seen: set[str]) -> CorpusRow:
    """Return a row, drawn again until no text repeats one of another item."""
    for attempt in range(100):
        row = _row(schema, number, Random(f"{seed}/{number}/{attempt}"))
        texts = {row.input, row.reference, *(output.text for output in row.outputs.values())}
        if not texts & seen and row.reference not in {o.text for o in row.outputs.values()}:
            seen |= texts
            return row
    raise ValueError(f"too few variants of {schema.topic} for this many items")


def _row(schema: Story, number: int, rng: Random) -> CorpusRow:
    draft = _draft(schema, rng)
    article, lead = _lead(draft, rng)
    outputs = {"lead-3": lead, "abstractive-base": _abstract(draft, BASE, 1, rng)}
    outputs["abstractive-large"] = _abstract(draft, LARGE, 2, rng)
    copied = rng.random()
    if copied < 0.03:  # abstractive systems sometimes only copy the lead
        outputs["abstractive-large"] = lead
    elif copied < 0.05:
        outputs["abstractive-base"] = outputs["abstractive-large"]
    reference = " ".join(_summary(draft, 0, rng))
    return CorpusRow(f"{schema.topic}-{number:03d}", schema.topic, article, reference, outputs)


def _draft(schema: Story, rng: Random) -> DraftText:
    facts = fill_slots(schema, rng)
    article = tuple(render(rng.choice(position), facts) for position in schema.article)
    orders = [rng.sample(position, len(position)) for position in schema.summary]
    summary = tuple(tuple(render(variant, facts) for variant in order) for order in orders)
    named = {
        render(variant, facts): render(variant, facts, repeat_names=True)
        for order in orders
        for variant in order
        if "<" in variant
    }
    reworded = {sentence: order[i - 1] for order in summary[:2] for i, sentence in enumerate(order)}
    return DraftText(article, summary[0][2], summary, DefectMaterial(reworded, named))


def _summary(draft: DraftText, turn: int, rng: Random) -> Sentences:
    """Return two sentences, or three if the third adds something; wordings differ by writer."""
    first = draft.summary[0][turn % len(draft.summary[0])]
    second = _second(first, draft.summary[1], turn)
    third = min(draft.summary[2], key=lambda s: len(_content(s) & _content(first + " " + second)))
    news = _content(third) - _content(first + " " + second)
    wanted = rng.random() < 0.6 and len(news) >= 3
    return (first, second, third) if wanted else (first, second)


def _second(first: str, order: Sentences, turn: int) -> str:
    """Return the writer's own wording, unless it repeats the first sentence."""
    choices = order[turn % len(order) :] + order[: turn % len(order)]
    fresh = (choice for choice in choices if len(_content(first) & _content(choice)) < 4)
    return next(fresh, choices[0])


def _content(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\d+|\w{4,}", text)}


def _abstract(draft: DraftText, profile: ErrorProfile, turn: int, rng: Random) -> CorpusOutput:
    sentences = _summary(draft, turn, rng)
    kinds = _draw_kinds(profile, rng)
    versions = [" ".join(sentences)]
    done: list[str] = []
    if "truncated" in kinds and len(sentences) > 2:
        versions = [" ".join(sentences[:-1])]  # a reader can only remove an unfinished sentence
    for kind in kinds:
        changed = FAULTS[kind](sentences, draft.material, rng)
        if changed and changed != sentences:
            sentences = changed
            versions.append(" ".join(sentences))
            done.append(kind)
    return (
        CorpusOutput(tuple(versions), tuple(done))
        if done
        else CorpusOutput((" ".join(sentences),), ())
    )


def _draw_kinds(profile: ErrorProfile, rng: Random) -> list[str]:
    kinds: list[str] = []
    chance = profile.flawed
    while rng.random() < chance:
        kinds += rng.choices(list(profile.weights), list(profile.weights.values()))
        chance = profile.again
    # Cutting comes first, so that other faults occur in the remaining text.
    return sorted(dict.fromkeys(kinds), key=lambda kind: kind != "truncated")


def _lead(draft: DraftText, rng: Random) -> tuple[str, CorpusOutput]:
    """Return the published article, and its first three sentences up to a number of words."""
    opening, defects, sound = draft.article, [], draft.article[:3]
    chance = rng.random()
    if chance < 0.2:
        opening, defects = (rng.choice(vocabulary.BOILERPLATE), *draft.article), ["boilerplate"]
        sound = draft.article[:2]
    elif chance < 0.42:  # the line under the headline already tells the story
        opening, defects = (draft.headline, *draft.article), ["restated"]
        sound = draft.article[:2]
    words = " ".join(opening[:3]).split()
    if len(words) > LEAD_WORDS:
        defects, words, sound = [*defects, "truncated"], words[:LEAD_WORDS], sound[:2]
    lead = " ".join(words)
    versions = (" ".join(sound), lead) if defects else (lead,)
    return " ".join(opening), CorpusOutput(versions, tuple(defects))
