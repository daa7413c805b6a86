"""Tutorials: the words that their rules compare, their questions, rounds, and reading.

Of words, case, punctuation, hyphens and typographic forms do not count; numbers are digits, and
contractions are written out: “The bridge isn’t forty-two metres long” is
the, bridge, is, not, 42, metres, long.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, PlainValidator, PrivateAttr, ValidationError, ValidationInfo

from annotate.common.schemas import (
    PLAIN,
    Declared,
    Exact,
    Fault,
    Indented,
    OptionalIndented,
    OptionalText,
    Problem,
    Refused,
    Several,
    Slug,
    Text,
    distinct,
    refuse,
)
from annotate.common.schemas import (
    read as read_shape,
)
from annotate.instruments.base import (
    MOST_RANKED,
    VERDICTS,
    Criterion,
    Level,
    Material,
    with_others,
)
from estimation.metrics import normalise

WORD = re.compile(r"\w+(?:['’]\w+)*")
KEPT = 4096  # texts and patterns of the rules, which are short
DEEPEST = 5  # choices inside choices
_PARTS = re.compile(r"[()|]|[^()|]+")
_TOKEN = re.compile(r"\*?\w+(?:'\w+)*\*?|[£$€]")
_NUMBER = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")  # 1,000 and 1.000
_CLOCK = re.compile(r"(?<=\d)[:.]00\b")  # 9:00 and 9.00
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_])")  # 42m, 9am
_SIGNS = {"£": "pounds", "$": "dollars", "€": "euro"}

_SHORT = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
_PRONOUNS = ("i", "you", "he", "she", "we", "they", "that", "there", "who", "what")

Wording = list["str | list[Wording]"]  # words one after another, and choices between wordings


def plain(text: str) -> str:
    """Return the normalised text: single spaces, lower case, plain apostrophes."""
    return " ".join(normalise(text).replace("’", "'").casefold().split())


def same_words(one: str, other: str) -> bool:
    return words_in(one) == words_in(other)


def words_in(text: str) -> list[str]:
    """Return the words of a text as the rules compare them."""
    return list(_words(text))


@lru_cache(KEPT)
def _words(text: str) -> tuple[str, ...]:
    spelled = _UNIT.sub(" ", _CLOCK.sub("", _NUMBER.sub("", plain(text))))
    found = (part for token in _TOKEN.findall(spelled) for part in _parts(token))
    return tuple(_with_digits(found))


def count(text: str | Sequence[str], pattern: str) -> int:
    """Return at how many places of `text` the pattern occurs.

    A pattern is words with choices: `looking forward (to|towards)`; `repair*` is every word that
    begins so, `*konzert` every one that ends so.
    """
    found = words_in(text) if isinstance(text, str) else text
    wording = _wording(pattern)
    places = (_ends(wording, found, {start}) - {start} for start in range(len(found)))
    return sum(bool(ends) for ends in places)


def without(found: Sequence[str], patterns: Iterable[str]) -> list[str]:
    """Return the words that belong to no occurrence of the patterns."""
    left = list(range(len(found)))
    for pattern in patterns:
        wording = _wording(pattern)
        for start in range(len(found)):
            end = max(_ends(wording, found, {start}), default=start)
            left = [at for at in left if not start <= at < end]
    return [found[at] for at in left]


def problem(pattern: str) -> str:
    """Return what is wrong with the choices of a pattern; "" if nothing is."""
    depth = 0
    for part in _PARTS.findall(plain(pattern)):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth < 0 or (part == "|" and not depth):
            return "Choices stand between “(” and “)”, with “|” between them."
        if depth > DEEPEST:
            return f"Has choices inside choices, more than {DEEPEST} deep."
    return "Has a “(” without its “)”." if depth else ""


def akin(one: str, other: str) -> bool:
    """Return whether two words are probably forms of one: repaired and repairs, Saal and Säle."""
    if one == other:
        return True
    first, second = sorted((_folded(one), _folded(other)), key=len)
    shared = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    shared = len(first) if shared is None else shared
    return shared >= 4 and shared >= len(second) - 4


def compound(word: str, known: Iterable[str]) -> bool:
    """Return whether a word is made of two known ones: Konzertsaal of Konzert and Saal."""
    folded = _folded(word)
    parts = [_folded(one) for one in known if len(one) >= 4]
    starts = {len(one) for one in parts if folded.startswith(one)}
    ends = {len(folded) - len(one) for one in parts if folded.endswith(one)}
    return any(0 <= end - start <= 2 for start in starts for end in ends)


def _folded(word: str) -> str:
    """Return a word without accents."""
    return "".join(one for one in unicodedata.normalize("NFD", word) if one.isalnum())


def _parts(found: str) -> list[str]:
    """Return a contraction's words; a possessive is its noun, and “it's” stays as it is."""
    before, mark, after = found.partition("'")
    if found in ("cannot", "can't"):
        return ["can", "not"]
    if mark and found.endswith("n't"):
        return ["will" if found == "won't" else found[:-3], "not"]
    if mark and before in _PRONOUNS and after in _SHORT:
        return [before, _SHORT[after]]
    if mark and after == "s" and before != "it":
        return [before]
    return [_SIGNS.get(found, found)]


def _with_digits(found: Iterable[str]) -> list[str]:
    """Return the words with spelled numbers as digits, the longest first."""
    given, known, done = list(found), _numbers(), list[str]()
    at = 0
    while at < len(given):
        size = next((n for n in range(5, 0, -1) if tuple(given[at : at + n]) in known), 0)
        done.append(known[tuple(given[at : at + size])] if size else given[at])
        at += size or 1
    return done


@cache
def _numbers() -> dict[tuple[str, ...], str]:
    """Return the spelled numbers from 2 to 999, in English and German, as digits."""
    found = {}
    for n in range(2, 1000):
        for spelled in (*_english(n), *_german(n)):
            found[tuple(spelled.split())] = str(n)
    return found


_ENGLISH = (
    "- one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety"
_GERMAN = (
    "- ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
_GERMAN_TENS = "- - zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _english(n: int) -> list[str]:
    units, tens = _ENGLISH.split(), _ENGLISH_TENS.split()
    if n < 20:
        return [units[n]]
    if n < 100:
        return [tens[n // 10] + (f" {units[n % 10]}" if n % 10 else "")]
    hundreds = [units[n // 100], *(["a"] if n < 200 else [])]
    rest = [f" {join}{one}" for one in _english(n % 100) for join in ("", "and ")]
    return [f"{one} hundred{end}" for one in hundreds for end in (rest if n % 100 else [""])]


def _german(n: int) -> list[str]:
    units, tens = _GERMAN.split(), _GERMAN_TENS.split()
    if n < 20:
        return [units[n]]
    if n < 100:
        return [(f"{units[n % 10]}und" if n % 10 else "") + tens[n // 10]]
    hundreds = [units[n // 100] + "hundert", *(["hundert"] if n < 200 else [])]
    rest = ["eins" if n % 100 == 1 else one for one in _german(n % 100)] if n % 100 else [""]
    return [one + join + end for one in hundreds for end in rest for join in ("", "und")]


@lru_cache(KEPT)
def _wording(pattern: str) -> Wording:
    return _read(iter(_PARTS.findall(plain(pattern))))[0]


def _read(parts: Iterator[str]) -> list[Wording]:
    """Return the choices up to the closing bracket, or to the end."""
    choices: list[Wording] = [[]]
    for part in parts:
        if part == "(":
            choices[-1].append(_read(parts))
        elif part == "|":
            choices.append([])
        elif part == ")":
            break
        else:
            choices[-1] += words_in(part)
    return choices


def _ends(wording: Wording, found: Sequence[str], starts: set[int]) -> set[int]:
    """Return where a reading can end that begins at one of `starts`."""
    for part in wording:
        if isinstance(part, str):
            starts = {at + 1 for at in starts if at < len(found) and _fits(part, found[at])}
        else:
            starts = {end for choice in part for end in _ends(choice, found, starts)}
    return starts


def _fits(part: str, word: str) -> bool:
    middle = part.strip("*")
    if part.startswith("*") and part.endswith("*"):
        return middle in word
    if part.endswith("*"):
        return word.startswith(middle)
    return word.endswith(middle) if part.startswith("*") else word == part


# Digests of content: equal for the same JSON, whatever the layout of its file.


def canonical(raw: Any) -> str:
    """Return the same spelling for the same content."""
    return json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest_of(raw: Any) -> str:
    return hashlib.sha256(canonical(raw).encode("utf-8", "surrogatepass")).hexdigest()


# The kinds of questions of a tutorial, declared with the names of its file.


LONGEST = 4000  # characters per text
MANY = 12

Shown = Annotated[Indented, Field(max_length=LONGEST)]
OptionalShown = Annotated[OptionalIndented, Field(max_length=LONGEST)]
Phrase = Annotated[Exact, Field(max_length=LONGEST)]
Said = Annotated[Text, Field(max_length=1000)]
Reasons = Annotated[dict[str, Said], Field(max_length=2 * MANY)]  # by the chosen value


@dataclass(frozen=True)
class Studied:
    """The instrument of a tutorial, with those of its criteria that have levels.

    slots, cases: what all questions of the tutorial may use (`Family`). asked: its questions of
    all kinds, by their names.
    """

    instrument: str
    criteria: Mapping[str, Criterion]
    asked: Mapping[str, Any]
    slots: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    cases: Mapping[str, dict[str, Any]] = field(default_factory=dict)


class Option(Declared):
    """One possible answer, with the cue that says when to choose it."""

    value: int = Field(ge=-100, le=100)
    label: Annotated[Text, Field(max_length=80)]
    cue: Annotated[OptionalText, Field(max_length=200)] = ""

    @classmethod
    def of(cls, level: Level) -> Self:
        """Return a criterion's level; its words are translated when they are shown."""
        return cls.model_construct(value=level.value, label=level.label, cue=level.cue)


class Question(Declared):
    """The fields of every kind of question."""

    kind: Annotated[Text, Field(max_length=20)]
    key: Annotated[Slug, Field(max_length=40)]
    section: Annotated[Text, Field(max_length=60)]
    prompt: Annotated[Text, Field(max_length=400)]
    _digest: str = PrivateAttr(default="")

    @property
    def digest(self) -> str:
        """Return the digest of the content: an unchanged question stays answered."""
        return self._digest

    def completed(self, given: Any, context: Any) -> Self:
        self._digest = digest_of(given)
        return self


class Choice(Question):
    """A text (or a question and its answer) to judge, with the reason for every level.

    second: the text beside it, where two are compared.
    Its levels are those of a criterion, or its own: `options`, asked by `ask`.
    """

    text: OptionalShown = ""
    second: OptionalShown = ""
    question: OptionalShown = ""
    answer: OptionalShown = ""
    reference: OptionalShown = ""
    criterion: Annotated[OptionalText, Field(max_length=40)] = ""
    ask: Annotated[OptionalText, Field(max_length=1000)] = ""
    options: Several[Option] = Field(default=(), min_length=1, max_length=MANY)
    accepted: Several[int] = Field(min_length=1, max_length=MANY)
    feedback: Reasons

    def completed(self, given: Any, context: Studied) -> Self:
        own = super().completed(given, context)
        if self.options:
            return own
        criterion = context.criteria[self.criterion]
        options = tuple(Option.of(level) for level in criterion.levels)
        return own.model_copy(update={"ask": criterion.question, "options": options})

    def faults(self, context: Studied) -> Iterator[Fault]:
        if not (self.text or self.question or self.answer):
            yield ("text",), "Missing: show a text, or a question and its answer."
        known = context.criteria.get(self.criterion)
        if known is not None and known.compares and not self.second:
            yield ("second",), "Missing: two texts are compared."
        yield from self._levels_faults(context)
        values = self._values(context)
        for value in self.accepted if values else ():
            if value not in values:
                yield ("accepted",), f"{value} is not one of the levels {values}."
        if values:
            yield from _reasons_faults(self.feedback, values)

    def _values(self, context: Studied) -> list[int]:
        known = context.criteria.get(self.criterion)
        return [one.value for one in self.options or (known.levels if known else ())]

    def _levels_faults(self, context: Studied) -> Iterator[Fault]:
        values = {option.value for option in self.options}
        if self.options and len(values) < max(2, len(self.options)):
            yield ("options",), "Needs at least two levels of different values."
        if self.options and self.criterion:
            yield ("criterion",), "Unknown field beside “options”. Give one of the two."
        if self.options:
            return
        if self.ask:
            yield ("ask",), "Unknown field without “options”: a criterion has its own question."
        if not self.criterion:
            yield ("criterion",), "Missing. Name a criterion, or give “options”."
        elif self.criterion not in context.criteria:
            known = ", ".join(context.criteria) or "none; give “options”"
            message = f"“{self.criterion}” has no levels here; those that do: {known}."
            yield ("criterion",), message


class Defect(Declared):
    """What must be removed: any of these patterns, beyond `at_most` occurrences of all of them.

    unless: patterns with which it is no defect.
    """

    strings: Several[Phrase] = Field(min_length=1, max_length=MANY)
    feedback: Said
    at_most: int = Field(default=0, ge=0, le=100)
    unless: Several[Phrase] = Field(default=(), max_length=MANY)


class Meaning(Declared):
    """What must stay: at least one of these patterns (`count`)."""

    any_of: Several[Phrase] = Field(min_length=1, max_length=MANY)
    feedback: Said


class Edit(Question):
    """A text to improve, graded by rule (`grading`).

    defects: the text's errors. slips: errors that people make while they improve it. meaning: the
    facts. alternatives: good improvements; the first is shown. allowed: patterns of words that are
    no news. distance, references: of tutorials written before these rules. They are not used, and
    what was accepted then stays accepted.
    """

    text: Shown
    defects: Several[Defect] = Field(min_length=1, max_length=MANY)
    slips: Several[Defect] = Field(default=(), max_length=MANY)
    meaning: Several[Meaning] = Field(min_length=1, max_length=MANY)
    alternatives: Several[Shown] = Field(default=(), max_length=MANY)
    allowed: Several[Phrase] = Field(default=(), max_length=MANY)
    feedback: Said
    distance: Any = None
    references: Any = None

    def faults(self, context: Studied) -> Iterator[Fault]:
        """Check that the text has the defects and the meaning that the rules name."""
        if self.distance is not None:
            return
        yield from self._patterns_faults()
        for number, defect in enumerate(self.defects):
            if sum(count(self.text, string) for string in defect.strings) <= defect.at_most:
                yield ("defects", number, "strings"), "The text does not have this defect."
        for number, meaning in enumerate(self.meaning):
            if not any(count(self.text, string) for string in meaning.any_of):
                yield ("meaning", number, "any_of"), "The text has none of these words itself."
        for number, alternative in enumerate(self.alternatives):
            if same_words(alternative, self.text):
                yield ("alternatives", number), "Is the text itself."

    def _patterns_faults(self) -> Iterator[Fault]:
        patterns: dict[tuple[str | int, ...], Sequence[str]] = {("allowed",): self.allowed}
        for name in ("defects", "slips"):
            for number, one in enumerate(getattr(self, name)):
                patterns[(name, number, "strings")] = one.strings
        for number, fact in enumerate(self.meaning):
            patterns[("meaning", number, "any_of")] = fact.any_of
        for place, given in patterns.items():
            for number, pattern in enumerate(given):
                if said := problem(pattern):
                    yield (*place, number), said


class Overlap(Declared):
    """The feedback to a highlight: none of the evidence, more than its sentence, or right."""

    none: Said
    poor: Said
    good: Said


class Paragraph(Declared):
    """A paragraph, its correct verdict, and the words that justify it."""

    text: Shown
    verdict: int = Field(ge=-1, le=1)
    feedback: Reasons
    evidence: Several[Annotated[Text, Field(max_length=LONGEST)]] = Field(
        default=(), max_length=MANY
    )
    highlight: Overlap | None = None

    def faults(self, context: Studied) -> Iterator[Fault]:
        for number, quote in enumerate(self.evidence):
            if self.text.count(quote) != 1:
                times = "does not occur" if quote not in self.text else "occurs more than once"
                yield ("evidence", number), f"“{quote[:40]}” {times} in the paragraph."
        yield from _reasons_faults(self.feedback, [level.value for level in VERDICTS])
        for name in ("evidence", "highlight"):
            if self.verdict and not getattr(self, name):
                yield (name,), "Missing: a verdict of 1 or −1 needs it."
            elif not self.verdict and getattr(self, name):
                yield (name,), "Belongs to a verdict of 1 or −1 only."


class Evidence(Question):
    """A question, an answer, and paragraphs that may show whether it is right."""

    options: ClassVar = VERDICTS  # of each paragraph
    question: Shown
    answer: Shown
    reference: OptionalShown = ""
    paragraphs: Several[Paragraph] = Field(min_length=1, max_length=MANY)


class Step(Declared):
    """One step of a worked example: a text, and its interpretation."""

    title: Said
    text: OptionalShown = ""
    quote: Annotated[OptionalText, Field(max_length=LONGEST)] = ""

    def faults(self, context: Studied) -> Iterator[Fault]:
        if self.quote and self.quote not in self.text:
            yield ("quote",), "Does not occur in the step's text."


class Example(Question):
    """A worked example to read; nothing is graded."""

    question: OptionalShown = ""
    answer: OptionalShown = ""
    reference: OptionalShown = ""
    steps: Several[Step] = Field(min_length=1, max_length=MANY)


class RightOrWrong(Declared):
    right: Said
    wrong: Said


class Practice(Question):
    """A question of the instrument about a text, answered as at work: of any kind but levels.

    others: beside the text, where texts are ranked. right: what the kind of question calls right.
    """

    text: Shown
    others: Several[Shown] = Field(default=(), max_length=MOST_RANKED - 1)
    question: OptionalShown = ""
    reference: OptionalShown = ""
    criterion: Annotated[Text, Field(max_length=40)]
    right: Annotated[dict[str, Any], Field(max_length=MANY)]
    feedback: RightOrWrong
    _asked: Any = PrivateAttr(default=None)
    _right: Any = PrivateAttr(default=None)

    @property
    def asked(self) -> Any:
        """Return the question of the instrument."""
        return self._asked

    @property
    def material(self) -> Material:
        """Return what is shown: a text, or all that are ranked."""
        own = Material(self.text)
        return with_others(own, self.others, ranks=True) if self.others else own

    @property
    def definition(self) -> dict[str, Any]:
        """Return what the template of marked errors takes of a definition."""
        return {"criteria": [self._asked], "marks_errors": True, "language": ""}

    @property
    def right_in_words(self) -> str:
        return str(self._right.said(self._asked))

    def fits(self, answer: Any) -> bool:
        """Return whether an answer that was checked is right."""
        return bool(self._right.fits(answer, self.material))

    def completed(self, given: Any, context: Studied) -> Self:
        own = super().completed(given, context)
        own._asked = context.asked[self.criterion]
        own._right = own._asked.right.model_validate(self.right)
        return own

    def faults(self, context: Studied) -> Iterator[Fault]:
        known = {name: one for name, one in context.asked.items() if one.right is not None}
        asked = known.get(self.criterion)
        if asked is None:
            told = ", ".join(known) or "none"
            message = f"Must be a question without levels that has a right answer: {told}."
            yield ("criterion",), message
            return
        if (asked.kind == "rank") != bool(self.others):
            yield ("others",), "Belongs to a ranking, which needs it: the texts beside the first."
            return
        if len({self.text, *self.others}) <= len(self.others):
            yield ("others",), "Two of the texts are the same."
            return
        try:
            right = asked.right.model_validate(self.right)
        except ValidationError as error:
            for one in error.errors(include_url=False):
                yield ("right", *one["loc"]), one["msg"]
            return
        for path, message in right.problems(asked, self.material):
            yield ("right", *path), message


KINDS: dict[str, type[Question]] = {
    "choice": Choice,
    "practice": Practice,
    "edit": Edit,
    "evidence": Evidence,
    "example": Example,
}


def _reasons_faults(reasons: Mapping[str, str], values: list[int]) -> Iterator[Fault]:
    """Check that every value has a reason, which says why the answer is right or wrong."""
    expected = [str(value) for value in values]
    for value in expected:
        if value not in reasons:
            yield ("feedback", value), "Missing."
    for value in reasons:
        if value not in expected:
            yield ("feedback", value), "Unknown field."


# Families of questions: versions of one question, with slots whose values are drawn.
#
# A person who remembers an earlier drawing does not know the next one: another version has another
# right answer, and the values of the slots differ.


# {town}; {town:2} is another town in the same question; {pair.2} the second part of a value.
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)(?::(2))?(?:\.([1-9]))?\}")
ONE_OF = "one_of"  # {"one_of": [...]} stands for one of its members
MOST_VERSIONS = 12
MOST_VALUES = 1000  # of a slot
CHECKED = 10  # drawings of each version that are checked when a tutorial is read
TRIES = 20  # drawings, if the values of some do not fit together
DEEPEST_SLOTS = 3  # slots inside the values of slots

Value = tuple[str, ...]
Slots = Mapping[str, tuple[Value, ...]]
Pick = Callable[[str, int], int]  # the slot and how many values it has -> the number of one

Written = tuple[tuple[str | int, ...], Mapping[str, Any]]  # a version's path, and what it says


@dataclass(frozen=True)
class Version:
    """One version of a question as it stands in the file, with the values of its slots."""

    raw: Mapping[str, Any]
    slots: Slots

    def filled(self, pick: Pick) -> dict[str, Any]:
        return {name: _filled(value, self.slots, pick) for name, value in self.raw.items()}


@dataclass(frozen=True)
class Family:
    """The versions of one question; `samples` shows each of them once."""

    key: str
    kind: str
    section: str
    digest: str
    versions: tuple[Version, ...]
    samples: tuple[Question, ...]
    studied: Studied

    @property
    def is_graded(self) -> bool:
        return self.kind != "example"

    def question(self, number: int) -> Question:
        """Return the question of this drawing; the same number draws the same one."""
        place = number % len(self.versions)
        for attempt in range(TRIES):
            raw = self.versions[place].filled(_drawing(f"{number}:{attempt}"))
            try:
                return KINDS[self.kind].model_validate(raw, context=self.studied)
            except ValidationError:
                continue
        return self.samples[place]


def read_families(given: Any, studied: Studied) -> Family:
    """Return the family that a question of a file describes; raises what pydantic's fields do."""
    if not isinstance(given, dict):
        refuse([((), PLAIN["dict_type"])])
    versions = [Version(raw, slots) for raw, slots in _versions(given, studied)]
    samples = [_checked(one, number, given, studied) for number, one in enumerate(versions)]
    first = samples[0]
    return Family(
        key=first.key,
        kind=first.kind,
        section=first.section,
        digest=digest_of(given),
        versions=tuple(versions),
        samples=tuple(samples),
        studied=studied,
    )


def slots_of(given: Any) -> dict[str, tuple[Value, ...]]:
    """Return the values of slots; raises what pydantic's fields do."""
    if not isinstance(given, dict):
        refuse([((), PLAIN["dict_type"])])
    return {name: _values(name, given[name]) for name in given}


def _versions(given: Mapping[str, Any], studied: Studied) -> Iterator[tuple[dict[str, Any], Slots]]:
    """Yield each version with the fields that it shares with the others, and its slots."""
    shared = {name: given[name] for name in given if name not in ("versions", "slots")}
    own = _at(("slots",), given.get("slots") or {})
    versions = given.get("versions") or [{}]
    if not isinstance(versions, list) or len(versions) > MOST_VERSIONS:
        refuse([(("versions",), f"Must be a list of at most {MOST_VERSIONS} versions.")])
    for number, one in enumerate(versions):
        place = ("versions", number)
        if not isinstance(one, dict):
            refuse([(place, PLAIN["dict_type"])])
        extra = _at((*place, "slots"), one.get("slots") or {})
        case = _case(one, studied, place)
        rest = {name: one[name] for name in one if name not in ("slots", "case")}
        yield {**shared, **case, **rest}, {**studied.slots, **own, **extra}


def _case(one: Mapping[str, Any], studied: Studied, place: tuple[str | int, ...]) -> dict[str, Any]:
    name = one.get("case")
    if name is None:
        return {}
    found = studied.cases.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(studied.cases) or "none"
        refuse([((*place, "case"), f"There is no such case; there are {known}.")])
    return found


def _at(place: tuple[str | int, ...], given: Any) -> dict[str, tuple[Value, ...]]:
    try:
        return slots_of(given)
    except ValidationError as error:
        refuse(((*place, *one["loc"]), one["msg"]) for one in error.errors(include_url=False))


def _values(name: Any, given: Any) -> tuple[Value, ...]:
    if isinstance(given, dict) and set(given) == {"from", "to"}:
        first, last = given["from"], given["to"]
        if type(first) is int and type(last) is int and 0 <= last - first < MOST_VALUES:
            return tuple((str(number),) for number in range(first, last + 1))
    if isinstance(given, list) and 0 < len(given) <= MOST_VALUES:
        parts = (one if isinstance(one, list) else [one] for one in given)
        found = [tuple(one) if all(isinstance(p, str) and p for p in one) else () for one in parts]
        if all(found) and len({len(one) for one in found}) == 1:
            return tuple(found)
    message = "Must be a list of texts, of equally long lists of texts, or “from” and “to”."
    return refuse([((str(name),), message)])


def _checked(version: Version, number: int, given: Mapping[str, Any], studied: Studied) -> Question:
    """Return the first drawing of a version, after some of its drawings were checked."""
    place = ("versions", number) if given.get("versions") else ()
    kind = version.raw.get("kind")
    if not isinstance(kind, str) or kind.strip() not in KINDS:
        refuse([((*place, "kind"), f"Must be one of {', '.join(KINDS)}.")])
    if unknown := _unknown(version):
        refuse([((*place, "slots"), f"There is no slot “{unknown}”.")])
    own = given["versions"][number] if place else given
    turns = min(CHECKED, max((len(values) for values in version.slots.values()), default=1))
    made = [_one(version, turn, (place, own), studied) for turn in range(turns)]
    return made[0]


def _one(version: Version, turn: int, at: Written, studied: Studied) -> Question:
    raw = version.filled(lambda slot, n: (turn + (":2" in slot)) % n)
    try:
        return KINDS[raw["kind"].strip()].model_validate(raw, context=studied)
    except ValidationError as error:
        refuse(_faults(error, at))


def _faults(error: ValidationError, at: Written) -> Iterator[Fault]:
    """Yield the faults by their paths: in the version if it has the field, else in the question."""
    place, own = at
    for one in error.errors(include_url=False):
        before = place if one["loc"] and one["loc"][0] in own else ()
        yield (*before, *one["loc"]), one["msg"]


def _unknown(version: Version) -> str:
    """Return a slot of the version that has no values; "" where it uses no slots at all."""
    if not version.slots:
        return ""
    used = SLOT.findall(str(version.raw))
    return next((name for name, _second, _part in used if name not in version.slots), "")


def _drawing(number: str) -> Pick:
    def pick(slot: str, n: int) -> int:
        drawn = hashlib.sha256(f"{number}:{slot}".encode()).digest()
        return int.from_bytes(drawn[:8], "big") % n

    return pick


def _filled(value: Any, slots: Slots, pick: Pick, depth: int = 0) -> Any:
    """Return the value with the slots in its texts filled."""
    if isinstance(value, list):
        return [_filled(one, slots, _numbered(pick, n)) for n, one in enumerate(value)]
    if isinstance(value, dict) and set(value) == {ONE_OF} and value[ONE_OF]:
        choices = value[ONE_OF]
        chosen = choices[pick(ONE_OF, len(choices))] if isinstance(choices, list) else choices
        return _filled(chosen, slots, pick)
    if isinstance(value, dict):
        return {name: _filled(one, slots, pick) for name, one in value.items()}
    if not slots or not isinstance(value, str) or depth > DEEPEST_SLOTS:
        return value

    def put(found: re.Match[str]) -> str:
        name, second, part = found.groups()
        if name not in slots:
            return found[0]
        chosen = slots[name][_place(name, len(slots[name]), bool(second), pick)]
        return chosen[min(int(part or 1), len(chosen)) - 1]

    done = SLOT.sub(put, value)
    return done if done == value else _filled(done, slots, pick, depth + 1)


def _numbered(pick: Pick, place: int) -> Pick:
    """Return a pick that draws among choices anew in each member of a list."""
    return lambda slot, n: pick(f"{slot}:{place}" if slot.startswith(ONE_OF) else slot, n)


def _place(name: str, n: int, second: bool, pick: Pick) -> int:
    """Return the number of the drawn value; the second one of a question is another."""
    first = pick(name, n)
    if not second or n < 2:
        return first
    return (first + 1 + pick(f"{name}:2", n - 1)) % n


# The declared form of a tutorial: graded questions, with the names of its file.


MOST_QUESTIONS = 40
MOST_SHARED = 40  # slots, cases
Case = Annotated[dict[str, Any], Field(max_length=MOST_SHARED)]  # fields of a version
WHOLE_DIGEST = 16  # characters of the content's digest in the version


def _family(given: Any, info: ValidationInfo) -> Family:
    studied = info.context
    assert isinstance(studied, Studied), "a tutorial is read for an instrument"
    return read_families(given, studied)


# No schema is made of the class itself, which refers to words that are translated when shown.
if TYPE_CHECKING:
    _Family = Family
else:
    _Family = Annotated[Any, PlainValidator(_family)]


class Tutorial(Declared):
    """The questions that qualify an annotator for an instrument, in their order.

    `version` is the file's own name for it; after reading, with a digest of the content.
    `replaces`: whole earlier versions; who passed one of them has passed this one. `asked`: how
    many graded questions a round has; without it, all of them in their order. `slots` and
    `cases` are what the questions share (`Family`).
    """

    instrument: Annotated[Text, Field(max_length=40)]
    version: Annotated[Text, Field(max_length=20)]
    language: Annotated[Text, Field(max_length=12)]
    title: Annotated[OptionalText, Field(max_length=200)] = ""
    replaces: Several[Annotated[Text, Field(max_length=64)]] = Field(
        default=(), max_length=MOST_QUESTIONS
    )
    asked: int | None = Field(default=None, ge=1, le=MOST_QUESTIONS)
    slots: Annotated[dict[str, Any], Field(max_length=MOST_SHARED), PlainValidator(slots_of)] = {}
    cases: Annotated[dict[str, Case], Field(max_length=MOST_SHARED)] = {}
    questions: Several[_Family] = Field(min_length=1, max_length=MOST_QUESTIONS)

    def completed(self, given: Any, context: Studied) -> Self:
        whole = f"{self.version}-{digest_of(given)[:WHOLE_DIGEST]}"
        return self.model_copy(update={"version": whole})

    def faults(self, context: Studied) -> Iterator[Fault]:
        if self.instrument != context.instrument:
            yield ("instrument",), f"Is for “{self.instrument}”, not for “{context.instrument}”."
        yield from distinct("questions", self.questions, "key")
        if self.asked is not None and self.asked > len(self.graded):
            yield ("asked",), f"Is more than the {len(self.graded)} questions that are graded."

    @property
    def graded(self) -> list[Family]:
        return [one for one in self.questions if one.is_graded]

    @property
    def n_asked(self) -> int:
        """Return how many graded questions a round has."""
        return self.asked or len(self.graded)

    @property
    def samples(self) -> tuple[Question, ...]:
        """Return every version of every question once, for researchers."""
        return tuple(sample for family in self.questions for sample in family.samples)

    @property
    def minutes(self) -> int:
        """Return the approximate time of a round: half a minute per question, a minute for those
        with work."""
        long = sum(one.kind in ("edit", "evidence") for one in self.questions)
        share = self.n_asked / max(1, len(self.graded))
        return max(1, ceil((len(self.questions) + long) * share / 2))

    def family(self, key: str) -> Family | None:
        return next((one for one in self.questions if one.key == key), None)

    def is_graded(self, key: str) -> bool:
        family = self.family(key)
        return family is not None and family.is_graded


# Which questions a round of a tutorial asks: of every section its share, in a drawn order.


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


# Reads tutorials, built in or a researcher's own, and reports all problems by path.


MOST_CHARACTERS = 200_000  # per file
MOST_KEPT = 64  # tutorials in a process, of a few hundred kilobytes each
_BUILTIN: dict[Path, Tutorial] = {}  # the product's files do not change while it runs
_STORED: dict[tuple[Any, ...], Tutorial] = {}


def read_tutorial(
    raw: Any, *, instrument: str, criteria: Sequence[Criterion] = (), asked: Sequence[Any] = ()
) -> Tutorial:
    """Return the tutorial that this JSON describes, or raise `Refused` with its problems.

    criteria: those of the instrument; questions may use their levels by name. asked: its questions
    of all kinds (`Instrument.asked`).
    """
    if len(canonical(raw)) > MOST_CHARACTERS:
        raise Refused([Problem("tutorial", f"Is longer than {MOST_CHARACTERS:,} characters.")])
    known = {one.name: one for one in criteria if one.levels}
    by_name = {one.name: one for one in asked}
    studied = Studied(instrument, known, by_name, *_shared(raw))
    return read_shape(Tutorial, raw, context=studied)


def complete(
    raw: Any, *, instrument: str, criteria: Sequence[Criterion] = (), asked: Sequence[Any] = ()
) -> Tutorial:
    """Return what `read` does; refuse questions without a text, and too few for two rounds."""
    found = read_tutorial(raw, instrument=instrument, criteria=criteria, asked=asked)
    if problems := [*_without_text(found), *_lacking(found)]:
        raise Refused(problems)
    return found


def _without_text(found: Tutorial) -> Iterator[Problem]:
    for number, family in enumerate(found.questions):
        choices = [one for one in family.samples if isinstance(one, Choice)]
        if any(not (one.text or one.answer) for one in choices):
            yield Problem(f"questions[{number}].text", "Missing: the text that people judge.")


def _lacking(found: Tutorial) -> Iterator[Problem]:
    if not found.graded:
        yield Problem("questions", "No question is graded. Add two for each round.")
    if lacks := lacking(found):
        which = ", ".join(f"{n} in “{section}”" for section, n in lacks.items())
        yield Problem(
            "asked",
            f"The second round asks other questions, and too few are left: add {which}, "
            "or ask fewer in a round.",
        )


def stored_tutorial(
    raw: Any, *, instrument: str, criteria: Sequence[Criterion] = (), asked: Sequence[Any] = ()
) -> Tutorial:
    """Return what `read` does; a process that has read the same content keeps it.

    Reading takes about 200 ms for a long tutorial, and every page of an annotator needs it.
    """
    declared = (canonical(one.declaration()) for one in asked)
    key = (digest_of(raw), instrument, *map(_spelled, criteria), *declared)
    if key not in _STORED:
        if len(_STORED) >= MOST_KEPT:
            _STORED.clear()
        _STORED[key] = read_tutorial(raw, instrument=instrument, criteria=criteria, asked=asked)
    return _STORED[key]


def _spelled(one: Criterion) -> tuple[Any, ...]:
    """Return what a tutorial's questions take from a criterion."""
    levels = tuple((level.value, str(level.label), str(level.cue)) for level in one.levels)
    return one.name, str(one.question), levels


def _shared(raw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the slots and cases of a tutorial; faulty ones are reported by their own fields."""
    given = raw if isinstance(raw, dict) else {}
    cases = given.get("cases")
    known = cases if isinstance(cases, dict) else {}
    try:
        found = slots_of(given.get("slots") or {})
    except ValidationError:
        found = {}
    return found, {name: one for name, one in known.items() if isinstance(one, dict)}


def builtin(
    folder: Path, language: str, *, instrument: str, criteria: Sequence[Criterion] = ()
) -> Tutorial:
    """Return the tutorial in an instrument's folder: in this language, otherwise in English."""
    known = {path.name: path for path in folder.glob("tutorial.*.json")}
    wanted = (language.lower(), language.lower().partition("-")[0], "en")
    path = next(known[name] for code in wanted if (name := f"tutorial.{code}.json") in known)
    if path not in _BUILTIN:
        raw = json.loads(path.read_text(encoding="utf-8"))
        _BUILTIN[path] = read_tutorial(raw, instrument=instrument, criteria=criteria)
    return _BUILTIN[path]
