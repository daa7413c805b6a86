"""The demonstration's texts: news stories, a reference for each, and three systems' faulty texts.

Everything is drawn from one seed, so two runs of the demo show the same texts.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

# Invented places and people, and the words that the stories share.
WORDS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("words.json").read_text(encoding="utf-8")
)
WOMEN, MEN, LAST_NAMES = WORDS["WOMEN"], WORDS["MEN"], WORDS["LAST_NAMES"]

TEXTS = Path(__file__).parent / "texts"
# <it|the library>: the pronoun a writer would use, and the name a clumsy system repeats.
PRONOUN = re.compile(r"<([^<>|]*)\|([^<>|]*)>")


@dataclass(frozen=True)
class Story:
    """A file of `texts/`.

    Each position of article and summary holds sentences with the same meaning. A name in braces is
    a gap, filled from `slots` or from the facts drawn for every story. A slot holds texts, or the
    numbers from `from` below `below` in steps of `step`; it may use the slots before it. The third
    wording of a summary's first sentence is the line under the headline.
    """

    topic: str
    slots: Mapping[str, Sequence[str] | Mapping[str, int]]
    article: Sequence[Sequence[str]]
    summary: Sequence[Sequence[str]]


def read_stories(folder: Path = TEXTS) -> tuple[Story, ...]:
    """Return the stories of a folder, in the order of the files' names."""
    return tuple(
        Story(**json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.json"))
    )


def fill_slots(schema: Story, rng: Random) -> dict[str, str]:
    """Draw one set of facts: places, people and dates, then the schema's own."""
    facts = _common_facts(rng)
    for name, choices in schema.slots.items():
        options: Sequence[str | int] = (
            range(choices["from"], choices["below"], choices.get("step", 1))
            if isinstance(choices, Mapping)
            else choices
        )
        facts[name] = _written(rng.choice(options)).format_map(facts)
    return facts


def _written(value: str | int) -> str:
    """Write numbers as newspapers do: small ones in words, large ones with a comma."""
    if isinstance(value, str):
        return value
    return WORDS["SMALL_NUMBERS"][value] if value < 10 else f"{value:,}"


def _common_facts(rng: Random) -> dict[str, str]:
    place, other = rng.sample(WORDS["PLACES"], 2)
    day, day2 = rng.sample(WORDS["DAYS"], 2)
    last, last2, last3 = rng.sample(LAST_NAMES, 3)
    female = rng.random() < 0.5
    return {
        "place": place,
        "other": other,
        "day": day,
        "day2": day2,
        "month": rng.choice(WORDS["MONTHS"]),
        "person": f"{rng.choice(WOMEN if female else MEN)} {last}",
        "she": "she" if female else "he",
        "her": "her" if female else "his",
        "him": "her" if female else "him",
        "person2": f"{rng.choice(WOMEN + MEN)} {last2}",
        "girl": f"{rng.choice(WOMEN)} {last3}",
    }


def render(template: str, facts: Mapping[str, str], repeat_names: bool = False) -> str:
    chosen = PRONOUN.sub(r"\2" if repeat_names else r"\1", template)
    sentence = chosen.format_map(facts)
    start = 1 if sentence.startswith('"') else 0
    return sentence[:start] + sentence[start].upper() + sentence[start + 1 :]


Sentences = tuple[str, ...]

# Pairs that are wrong in almost any sentence, so every reader sees the fault.
WRONG_PREPOSITIONS = (
    (r"\bon (?=[A-Z][a-z]+day)", "at "),
    (r"\bin (?=(?:Jan|Febr|March|April|May|June|July|August|Septem|Octo|Novem|Decem))", "on "),
    (r"\bfrom (?=[A-Z])", "of "),
    (r"\b[Aa]ccording to\b", "according from"),
    (r"\bbecause of\b", "because from"),
    (r"\bof (?=[a-z£\d])", "from "),
    (r"\bfor (?=[a-z£\d])", "of "),
    (r"\bby (?=[a-z])", "at "),
    (r"\binto\b", "at"),
    (r"\bto (?=the\b)", "of "),
    (r"\bin (?=[A-Z])", "to "),
    (r"\bafter\b", "since"),
)

WRONG_VERBS = {
    "was": "were",
    "were": "was",
    "has": "have",
    "have": "has",
    "is": "are",
    "are": "is",
    "does": "do",
    "costs": "cost",
    "says": "say",
}

DOUBLED = ("the", "a", "of", "to", "in", "and", "for", "by", "that", "will", "has", "with", "on")

UNKNOWN = "<unk>"


@dataclass(frozen=True)
class DraftText:
    """One story with its facts drawn, before any text about it.

    reworded, named: other wordings of a sentence, and wordings with repeated names, for faults.
    """

    article: Sentences
    headline: str
    summary: tuple[Sentences, ...]
    reworded: Mapping[str, str]
    named: Mapping[str, str]


Fault = Callable[[Sentences, DraftText, Random], Sentences | None]


def _swap(sentences: Sentences, index: int, *replacement: str) -> Sentences:
    return sentences[:index] + replacement + sentences[index + 1 :]


def repeated_sentence(said: Sentences, _draft: DraftText, rng: Random) -> Sentences:
    index = rng.randrange(len(said))
    return _swap(said, index, *(said[index],) * rng.choice((2, 2, 2, 2, 3)))


def restated(said: Sentences, draft: DraftText, rng: Random) -> Sentences | None:
    options = [i for i, s in enumerate(said) if s in draft.reworded]
    if not options:
        return None
    index = rng.choice(options)
    return _swap(said, index, said[index], draft.reworded[said[index]])


def repeated_name(said: Sentences, draft: DraftText, rng: Random) -> Sentences | None:
    options = [i for i, s in enumerate(said) if s in draft.named]
    if not options:
        return None
    index = rng.choice(options)
    return _swap(said, index, draft.named[said[index]])


def repeated_phrase(said: Sentences, _draft: DraftText, rng: Random) -> Sentences | None:
    """Add a loop: the decoder repeats three to six words."""
    index = rng.randrange(len(said))
    words = said[index].rstrip(".").split()
    length = rng.randint(3, 6)
    if len(words) < length + 4:
        return None
    start = rng.randint(3, len(words) - length)
    loop = [word.rstrip(",;:") for word in words[start : start + length]]
    times = rng.choice((1, 1, 2))
    looped = words[: start + length] + loop * times + words[start + length :]
    return _swap(said, index, " ".join(looped) + ".")


def scrambled(said: Sentences, _draft: DraftText, rng: Random) -> Sentences | None:
    index = rng.randrange(len(said))
    words = said[index].rstrip(".").split()
    if len(words) < 10:
        return None
    start = rng.randint(2, len(words) - 7)
    window = words[start : start + 7]
    moved = window[3:5] + window[6:] + window[:2] + window[5:6] + window[2:3]
    return _swap(said, index, " ".join(words[:start] + moved + words[start + 7 :]) + ".")


def truncated(said: Sentences, _draft: DraftText, rng: Random) -> Sentences | None:
    words = said[-1].split()
    if len(words) < 7:
        return None
    kept = rng.randint(4, len(words) - 2)
    return _swap(said, len(said) - 1, " ".join(words[:kept]).rstrip(",;:"))


def wrong_preposition(said: Sentences, draft: DraftText, rng: Random) -> Sentences | None:
    candidates = list(WRONG_PREPOSITIONS)
    rng.shuffle(candidates)
    for pattern, wrong in candidates:
        changed = _replacing(pattern, wrong)(said, draft, rng)
        if changed:
            return changed
    return None


def _replacing(pattern: str, replacement: str | Callable[[str], str]) -> Fault:
    """Return the fault that replaces one match of a pattern, by a text or what it becomes."""

    def fault(said: Sentences, _draft: DraftText, rng: Random) -> Sentences | None:
        hits = [(i, hit) for i, s in enumerate(said) for hit in re.finditer(pattern, s)]
        if not hits:
            return None
        index, hit = rng.choice(hits)
        new = replacement if isinstance(replacement, str) else replacement(hit[0])
        return _swap(said, index, hit.string[: hit.start()] + new + hit.string[hit.end() :])

    return fault


FAULTS: Mapping[str, Fault] = {
    "repeated_sentence": repeated_sentence,
    "restated": restated,
    "repeated_name": repeated_name,
    "repeated_phrase": repeated_phrase,
    "scrambled": scrambled,
    "doubled_word": _replacing(rf"(?<= )({'|'.join(DOUBLED)}) ", lambda word: word * 2),
    "missing_article": _replacing(r"(?<= )(?:the|a|an) ", ""),
    # Rare words, mostly names and numbers, that a small vocabulary lacks.
    "unknown_token": _replacing(
        r"(?<= )(?!\w+day)(?:[A-Z][a-z]{3,}|£?\d[\d,.]*\d|[a-z]{10,})", UNKNOWN
    ),
    "wrong_agreement": _replacing(
        rf"(?<= )(?:{'|'.join(WRONG_VERBS)})\b", lambda word: WRONG_VERBS[word]
    ),
    "wrong_preposition": wrong_preposition,
    "truncated": truncated,
}


SENTENCE_END = re.compile(r'(?<=[.!?"])\s+(?=["A-Z0-9£<])')


def split_sentences(text: str) -> list[str]:
    return [sentence for sentence in SENTENCE_END.split(text) if sentence]


# Changes of taste, tried in turn, for texts without faults.
POLISHES = (
    (r" because of\b", " owing to"),
    (r", and (?=[a-z])", ", while "),
    (r"\bis to be\b", "will be"),
    (r"\bis to\b", "will"),
    (r" after\b", " following"),
    (r"\babout (?=\d)", "around "),
    (r"\bwill be able to\b", "can"),
    (r"\balready ", ""),
    (r"\bagain\b", "once more"),
    (r"\bfor the first time in\b", "for the first time in more than"),
    (r"\bpeople\b", "residents"),
    (r"\bhas been\b", "was"),
)


def polished(text: str) -> str:
    """Return a slightly different wording of a sound text, never the text itself."""
    for pattern, replacement in POLISHES:
        better = re.sub(pattern, replacement, text, count=1)
        if better != text:
            return better
    sentences = split_sentences(text)
    if len(sentences) > 1:
        return " ".join(sentences[:-1])
    return "In short: " + text


STORIES = read_stories()
SYSTEMS = ("lead-3", "abstractive-base", "abstractive-large")
DEFAULT_SEED = 20240613

# A lead system stops after this number of words, even within a sentence.
LEAD_WORDS = 52


@dataclass(frozen=True)
class CorpusOutput:
    """versions[0] is what a careful reader would make of it; versions[-1] is what was written."""

    versions: tuple[str, ...]
    defects: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.versions[-1]

    @property
    def corrected(self) -> str:
        return self.versions[0]


@dataclass(frozen=True)
class CorpusRow:
    item: str
    topic: str
    input: str
    reference: str
    outputs: Mapping[str, CorpusOutput]


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


@lru_cache(maxsize=4)
def _known(seed: int, items: int) -> dict[str, CorpusOutput]:
    known: dict[str, CorpusOutput] = {}
    for row in sample_outputs(seed, items):
        for output in row.outputs.values():
            known.setdefault(normalised(output.text), output)
    return known


def known_output(text: str, seed: int = DEFAULT_SEED, items: int = 260) -> CorpusOutput:
    """Return the output with this text, whose correction is known; other texts count as sound."""
    sound = normalised(text)
    return _known(seed, items).get(sound) or CorpusOutput((sound,), ())


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
    return DraftText(article, summary[0][2], summary, reworded, named)


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
        changed = FAULTS[kind](sentences, draft, rng)
        if changed and changed != sentences:
            sentences = changed
            versions.append(" ".join(sentences))
            done.append(kind)
    return CorpusOutput(tuple(versions) if done else (" ".join(sentences),), tuple(done))


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
        opening, defects = (rng.choice(WORDS["BOILERPLATE"]), *draft.article), ["boilerplate"]
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
