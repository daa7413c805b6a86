"""Any study in which people rate a text: displayed, checked and scored from its definition."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import category

import numpy as np
from django.utils.text import format_lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from pydantic import AfterValidator, Field

from annotate.common.schemas import (
    Declared,
    Fault,
    Identifier,
    Indented,
    OptionalIndented,
    OptionalText,
    Several,
    Text,
    distinct,
    fault,
)
from annotate.common.schemas import (
    read as read_shape,
)
from annotate.common.text import is_visible
from annotate.instruments import base as instruments_base
from annotate.instruments.base import (
    Criterion,
    Highlight,
    Instrument,
    InvalidResponse,
    Material,
    Observed,
    by_number,
)
from annotate.instruments.rating.questions import (
    BOTH_BAD,
    EDIT,
    EVIDENCE,
    ORDER,
    SYSTEMS,
    Answers,
    AnyQuestion,
    ChoiceShape,
    Errors,
    Question,
    QuestionShape,
    Rank,
    RankShape,
    ReasonShape,
    checked,
)
from annotate.instruments.tutorials import Tutorial, builtin
from estimation.metrics import HTER_VERSION, hter, levenshtein, normalise, takes_long

if TYPE_CHECKING:
    from annotate.instruments.base import Words


# What the form of an instrument begins with, as the JSON data of a definition.


Content = dict[str, Any]
LEVELS = (2, 1, 0)


def _ready() -> dict[str, Content]:
    """Return the definitions that a study can begin with, by `ready:` and their key."""
    files = sorted((Path(__file__).parent / "ready").glob("*.json"))
    return {f"ready:{file.stem}": json.loads(file.read_text(encoding="utf-8")) for file in files}


READY = _ready()


def instrument() -> Content:
    """Return an instrument with one question of three levels, without words."""
    return {
        "key": "",
        "label": "",
        "language": "en",
        "task": "",
        "about": "",
        "criteria": [criterion()],
        "example": {"text": ""},
    }


def criterion(kind: str = "choice") -> Content:
    """Return a question of a kind without words."""
    shared = {"name": "", "label": "", "question": ""}
    if kind == "choice":
        return shared | {"levels": [{"value": value, "label": "", "cue": ""} for value in LEVELS]}
    own: dict[str, Content] = {
        "choices": {"options": [{"label": "", "cue": "", "name": ""} for _number in range(2)]},
        "slider": {"left": "", "right": ""},
        "errors": {"categories": [{"label": "", "group": "", "name": ""}], "severities": []},
    }
    return shared | {"kind": kind} | own.get(kind, {})


def level(levels: list[Content]) -> Content:
    """Return the level after these, one step on in their direction."""
    values = [one["value"] for one in levels if type(one["value"]) is int]
    step = values[-1] - values[-2] if len(values) > 1 else -1
    value = values[-1] + (step or -1) if values else 0
    return {"value": value, "label": "", "cue": ""}


# Comparisons of two texts: answers in either order, and their scores.
#
# A stored answer is for the pair's own order: positive where the first system's text is better.


TURNED = "turned"  # of a stored answer: whether the second text was shown first
WINS = "_wins"  # ends the name of the criterion that counts wins
BAD = f"_{BOTH_BAD}"  # ends the name of the criterion that counts “Both are bad”


class PairScale(Criterion):
    """A score of two texts, counted from a tie in the middle of its scale."""

    @property
    def most_apart(self) -> float:
        return self.high - self.tie


class PreferenceScale(PairScale):
    """How far the first of two texts is preferred."""

    @property
    def compares(self) -> bool:
        return True

    @property
    def scale_text(self) -> str:
        return "from −1 (the second is always clearly better) to 1 (the first is)"


class WinScale(PairScale):
    """How often the first of two texts is better."""

    @property
    def wins_of(self) -> str:
        return self.name.removesuffix(WINS)

    @property
    def scale_text(self) -> str:
        return "from 0 to 1: the share of comparisons that the first wins; a tie counts half"


class BothBadScale(Criterion):
    """How often both texts are bad."""

    @property
    def both_bad_of(self) -> str:
        return self.name.removesuffix(BAD)

    @property
    def scale_text(self) -> str:
        return "from 0 to 1: the share of comparisons in which both texts are bad, lower is better"


def pair_scored(criteria: Sequence[Question]) -> Iterator[Criterion]:
    """Yield each question as preference, -1 to 1, then its share of wins, 0 to 1.

    And how often both texts are bad, where that can be said.
    """
    for one in criteria:
        shared = {field.name: getattr(one, field.name) for field in fields(Criterion)}
        yield PreferenceScale(**shared | {"low": -1, "high": 1})
        yield WinScale(
            one.name + WINS,
            low=0,
            high=1,
            label=format_lazy("{} ({})", one.label, _("wins")),
            question=_("How often the first text is better; a tie is half a win"),
            balance=one.balance,
            person_share=one.person_share,
        )
        if one.both_bad:
            yield BothBadScale(
                one.name + BAD,
                low=0,
                high=1,
                higher_is_better=False,
                label=format_lazy("{} ({})", one.label, _("both bad")),
                question=_("How often people say that both texts are bad, which scores as a tie"),
                is_yes_no=True,
                balance=one.balance,
                person_share=one.person_share,
            )


def _signed(answers: Answers, *, turned: bool) -> dict[str, Any]:
    """Return the answers for the other order, if the texts were turned; a reason stays."""
    signed = {name: -value for name, value in answers.items() if turned and type(value) is int}
    return dict(answers) | signed


# A rating study as data: questions with levels, what each level requires, and wording.


HTER = Criterion(
    EDIT,
    low=0,
    high=2,
    bounded=False,
    higher_is_better=False,
    label=_("Edit"),
    question=_(
        "Words changed to make the text good, as a share of its words (HTER); in scripts without "
        "blanks, characters"
    ),
    balance=0.03,
    person_share=0.03,
)


Line = Annotated[OptionalText, Field(max_length=300)]


class Example(Declared):
    """A sentence or two, the right level, and optionally the reason."""

    label: Annotated[Text, Field(max_length=80)]
    text: Annotated[Indented, Field(max_length=1000)]
    note: Line = ""


class Section(Declared):
    """One part of the instructions; blank lines separate its paragraphs."""

    title: Annotated[OptionalText, Field(max_length=200)] = ""
    text: Annotated[OptionalText, Field(max_length=5000)] = ""
    examples: Several[Example] = Field(default=(), max_length=10)

    def faults(self, context: Any) -> Iterator[Fault]:
        if not (self.title or self.text or self.examples):
            yield (), "Is empty. Give it a title, a text or examples."


class EditWording(Declared):
    """The wording about the edit: when it is required, how to do it, and why it is not required.

    Missing or empty parts have the usual wording.
    """

    title: Line = ""
    hint: Line = ""
    when: Line = ""
    needed: Line = ""
    not_needed: Line = ""


# Our own wording is translated when it is shown, so it is not checked as text.


def example(label: "Words", text: "Words", note: "Words" = "") -> Example:
    return Example.model_construct(label=label, text=text, note=note)


def section(title: "Words", text: "Words" = "", examples: tuple[Example, ...] = ()) -> Section:
    return Section.model_construct(title=title, text=text, examples=examples)


EDITING = EditWording.model_construct(
    title=_("Now improve the text as much as you can"),
    hint=_("Keep what the text says."),
    when=_("With some answers, you improve the text here."),
    needed=_("Please improve the text: one of your answers asks for it."),
    not_needed=_("These answers ask for no edit."),
)


@dataclass(frozen=True)
class Definition:
    """One version of a rating study: everything that annotators see, and what is scored.

    `language`: of its wording; "" if the wording is translated.
    `input_label`: the heading above the item's input; "" if the input is not shown.
    `compares`: people see two texts of an item; a level's value is how much better the first is.
    `shows_others`: the item's other texts stand beside the one that is rated.
    """

    key: str
    label: str
    task: "Words"
    about: "Words"
    criteria: tuple[Question, ...]
    example: Material
    version: str = "1"
    language: str = ""
    hint: "Words" = ""
    steps: tuple["Words", ...] = ()
    instructions: tuple[Section, ...] = ()
    minutes: str = "1–3"
    input_label: "Words" = ""
    edit: EditWording = EDITING
    compares: bool = False
    shows_others: bool = False

    @property
    def asks_for_edits(self) -> bool:
        return any(EDIT in criterion.required for criterion in self.criteria)

    @property
    def takes_evidence(self) -> bool:
        return any(criterion.takes_evidence for criterion in self.criteria)

    @property
    def scored(self) -> tuple[Criterion, ...]:
        """Return the criteria of its scores: those asked about, with the share of wins of each
        where texts are compared, and the edit if it is possible."""
        if self.compares:
            return tuple(pair_scored([one for one in self.criteria if one.levels]))
        asked = [scored for one in self.criteria for scored in one.scored]
        return (*asked, HTER) if self.asks_for_edits else tuple(asked)

    @property
    def digits(self) -> tuple[int, ...]:
        """Return the number keys that answer its questions."""
        return tuple(range(1, 1 + max(one.keys for one in self.criteria)))

    @property
    def marks_errors(self) -> bool:
        return any(one.kind == "errors" for one in self.criteria)

    @property
    def ranks(self) -> bool:
        """Return whether people order all texts of an item, which stand side by side."""
        return any(isinstance(one, Rank) for one in self.criteria)

    @property
    def shows_all(self) -> bool:
        return self.shows_others or self.ranks


# Reads a definition from JSON: its declared shape, and its conversion.


MOST_CRITERIA, MOST_SECTIONS = 8, 20
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def read_definition(value: Any, *, version: str = "1") -> Definition:
    """Return the definition in `value`, or raise `Refused` with its problems."""
    return read_shape(DefinitionShape, value).definition(version)


def _language(code: str) -> str:
    if code and not LANGUAGE.fullmatch(code):
        raise fault("Must be a code such as en, de or pt-BR.")
    return code


class MaterialShape(Declared):
    text: Annotated[Indented, Field(max_length=5000)]
    second: Annotated[OptionalIndented, Field(max_length=5000)] = ""
    input: Annotated[OptionalIndented, Field(max_length=20_000)] = ""
    paragraphs: Several[Annotated[Indented, Field(max_length=20_000)]] = Field(
        default=(), max_length=10
    )

    def material(self, *, compares: bool, shows_others: bool, ranks: bool) -> Material:
        text = instruments_base.joined(self.text, self.second) if compares else self.text
        found = Material(text, self.input, self.paragraphs)
        if not (shows_others or ranks):
            return found
        return instruments_base.with_others(found, [self.second], ranks=ranks)


class DefinitionShape(Declared):
    """The file of an instrument, as `docs/instruments.md` describes it."""

    key: Annotated[Identifier, Field(max_length=40)]
    label: Annotated[Text, Field(max_length=80)]
    language: Annotated[OptionalText, Field(max_length=12), AfterValidator(_language)] = ""
    task: Annotated[Text, Field(max_length=200)]
    hint: Line = ""
    about: Annotated[Text, Field(max_length=600)]
    steps: Several[Annotated[Text, Field(max_length=200)]] = Field(default=(), max_length=8)
    instructions: Several[Section] = Field(default=(), max_length=MOST_SECTIONS)
    minutes: Annotated[OptionalText, Field(max_length=20)] = ""
    input_label: Annotated[OptionalText, Field(max_length=60)] = ""
    criteria: Several[AnyQuestion] = Field(min_length=1, max_length=MOST_CRITERIA)
    edit: EditWording = EditWording()
    compares: bool = False
    shows_others: bool = False
    example: MaterialShape = Field(
        description="The preview shows it: an object with a “text”.",
    )

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("criteria", self.criteria, "name")
        yield from self._criteria_faults()
        if self.input_label and not (self.example.input or self.example.paragraphs):
            yield ("example", "input"), "Missing: “input_label” says that the input is shown."
        yield from self._pair_faults()

    def _criteria_faults(self) -> Iterator[Fault]:
        """Check when each question is asked, and that there are scores of different names."""
        used: dict[str, int] = {EDIT: -1}
        for number, one in enumerate(self.criteria):
            for path, message in one.condition_faults(self.criteria[:number]):
                yield ("criteria", number, *path), message
            for scored in one.asked().scored:
                if used.setdefault(scored.name, number) != number:
                    yield (
                        ("criteria", number, "name"),
                        f"Its score “{scored.name}” has the name of another one.",
                    )
        if len(used) == 1:
            yield ("criteria",), "Need a question that is scored."

    def _pair_faults(self) -> Iterator[Fault]:
        """Check what a comparison needs, and that nothing else is given as one."""
        if self.compares and self.shows_others:
            yield ("shows_others",), "Does not go with “compares”, which shows two texts already."
        yield from self._second_faults()
        yield from self._rank_faults()
        if not self.compares:
            for number, one in enumerate(self.criteria):
                if isinstance(one, ChoiceShape) and one.both_bad:
                    yield ("criteria", number, BOTH_BAD), "Belongs to a comparison of two texts."
            return
        for name in ("text", "second"):
            if instruments_base.MARK.strip() in getattr(self.example, name):
                yield (
                    ("example", name),
                    f"Contains {instruments_base.MARK.strip()}, which parts two texts.",
                )
        names = [one.name for one in self.criteria]
        for number, one in enumerate(self.criteria):
            for path, message in _faults_in_a_pair(one, names):
                yield ("criteria", number, *path), message

    @property
    def ranks(self) -> bool:
        return any(isinstance(one, RankShape) for one in self.criteria)

    def _rank_faults(self) -> Iterator[Fault]:
        """Check that nothing else is asked about one of the texts that are ranked."""
        if not self.ranks:
            return
        for name in ("compares", "shows_others"):
            if getattr(self, name):
                yield (name,), "Does not go with a ranking, which shows all texts of an item."
        for number, one in enumerate(self.criteria):
            if not isinstance(one, RankShape | ReasonShape):
                yield (
                    ("criteria", number, "kind"),
                    "An instrument that ranks texts has rankings, and free text.",
                )
            if one.only_if is not None:
                yield ("criteria", number, "only_if"), "A ranking asks all of its questions."
            if isinstance(one, RankShape) and not one.higher_is_better:
                yield ("criteria", number, "higher_is_better"), "The best text has place 1."
            if one.name in (ORDER, SYSTEMS):
                yield ("criteria", number, "name"), "Means something else in a ranking."

    def _second_faults(self) -> Iterator[Fault]:
        needs = self.compares or self.shows_others or self.ranks
        if needs and not self.example.second:
            yield ("example", "second"), "Missing: this instrument shows several texts."
        if self.example.second and not needs:
            yield (
                ("example", "second"),
                "Belongs to an instrument that “compares” two texts, “shows_others” or ranks.",
            )

    def definition(self, version: str) -> Definition:
        own_words = {name: words for name, words in self.edit.model_dump().items() if words}
        return Definition(
            key=self.key,
            version=version,
            language=self.language or "en",
            label=self.label,
            task=self.task,
            hint=self.hint,
            about=self.about,
            steps=self.steps,
            instructions=self.instructions,
            minutes=self.minutes or "1–3",
            input_label=self.input_label,
            criteria=tuple(one.asked() for one in self.criteria),
            edit=EDITING.model_copy(update=own_words),
            example=self.example.material(
                compares=self.compares, shows_others=self.shows_others, ranks=self.ranks
            ),
            compares=self.compares,
            shows_others=self.shows_others,
        )


def _faults_in_a_pair(one: QuestionShape, names: Sequence[str]) -> Iterator[Fault]:
    """Check a question as one about two texts; names: of all questions."""
    if one.only_if is not None:
        yield ("only_if",), "Comparisons ask all of their questions."
    if one.name == TURNED:
        yield ("name",), f"“{TURNED}” means something else in a comparison."
    if isinstance(one, ReasonShape):
        return
    if not isinstance(one, ChoiceShape):
        yield ("kind",), "Comparisons have questions with levels, and free text."
        return
    values = {level.value for level in one.levels}
    if one.both_bad and 0 not in values:
        yield (BOTH_BAD,), "Needs a level 0: that both are bad scores like it."
    if one.both_bad and {BOTH_BAD, one.name + BAD} & set(names):
        yield (BOTH_BAD,), f"Takes the names “{BOTH_BAD}” and “{one.name}{BAD}”: rename a question."
    if values != {-value for value in values}:
        yield (
            ("levels",),
            "Must mirror each other, such as 2, 1, 0, −1, −2: the two texts change places.",
        )
    if one.requires or any(level.requires for level in one.levels):
        yield ("requires",), "Comparisons take no edits and no evidence."
    if not one.higher_is_better:
        yield ("higher_is_better",), "Positive levels mean that the first text is better."
    if one.name + WINS in names:
        yield ("name",), f"“{one.name}{WINS}” is the name of its share of wins."


# Writes a definition as JSON data that `read_definition` accepts.


EDIT_WORDING = tuple(EditWording.model_fields)
# The fields that are written as they are, in the order of the file.
PLAIN = (
    *("key", "label", "language", "task", "hint", "about", "steps", "minutes", "input_label"),
    "instructions",
)


def as_data(definition: Definition) -> dict[str, Any]:
    """Return a definition as JSON data, with its wording in the active language."""
    plain = {name: _plain(getattr(definition, name)) for name in PLAIN}
    # Of the usual wording, which is translated when it is shown, only what differs is written.
    own = [n for n in EDIT_WORDING if getattr(definition.edit, n) is not getattr(EDITING, n)]
    return _filled(
        **plain | {"language": definition.language or "en"},
        criteria=[one.declaration() for one in definition.criteria],
        edit=_filled(**{name: str(getattr(definition.edit, name)) for name in own})
        if definition.asks_for_edits
        else {},
        compares=definition.compares or "",
        shows_others=definition.shows_others or "",
        example=_filled(
            **_texts(definition),
            input=definition.example.input,
            paragraphs=list(definition.example.paragraphs),
        ),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Declared):
        fields = type(value).model_fields
        return _filled(**{name: _plain(getattr(value, name)) for name in fields})
    return str(value)


def _texts(definition: Definition) -> dict[str, str]:
    """Return the text of the example, or both of them."""
    shown: tuple[str, ...] = (definition.example.text,)
    if definition.compares:
        shown = definition.example.pair
    elif definition.shows_all:
        shown = tuple(one.text for one in definition.example.side_by_side)
    return dict(zip(("text", "second"), shown, strict=False))


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", [], {})}


# Checks of a rating's response: levels, and the edit and highlights that they require.


KEPT_SHARE = 0.1  # an edit shorter than this share of the text deletes nearly everything
LONGEST = 3  # times the text's length, plus a sentence; limits the cost of TER
ROOM = 200


def required(answers: Answers, criteria: Sequence[Question]) -> frozenset[str]:
    """Return everything that the chosen levels require."""
    chosen = [one.choice(answers[one.name]) for one in criteria if _has_level(one, answers)]
    return frozenset(what for level in chosen for what in level.requires)


def _has_level(one: Question, answers: Answers) -> bool:
    return bool(one.levels) and one.name in answers


def has_words(text: str) -> bool:
    """Return whether there is anything to highlight, by the same rule as `static/js/spans.js`."""
    return any(is_visible(one) and category(one)[0] != "P" for one in text)


def checked_edit(given: Any, *, text: str, needed: str) -> str:
    """Return the edit as it was typed, including tabs, or raise with its problem."""
    if given is None or not isinstance(given, str):
        raise InvalidResponse({"edit": needed})
    original = normalise(text)
    if len(given) > LONGEST * len(original) + ROOM:
        raise InvalidResponse(
            {"edit": gettext("This edit is far longer than the text it improves.")}
        )
    edited = normalise(given)
    if len(edited.strip()) < max(1, KEPT_SHARE * len(original.strip())):
        raise InvalidResponse(
            {"edit": gettext("This edit deletes nearly everything. Keep what the text says.")}
        )
    if edited.split() == original.split():
        raise InvalidResponse(
            {
                "edit": gettext(
                    "Nothing but spaces has changed. Improve the words, or change the answers."
                )
            }
        )
    return given


def _label(text: str) -> int:
    """Return a number for a text, the same in every part of a campaign: 63 bits of its digest.

    Among a million different texts two share a number with a probability of 5 in 100 million.
    """
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()) >> 1


# The texts of the page's script.


def rating(definition: Definition) -> dict[str, Any]:
    return {
        "choice": gettext("“%(level)s” for “%(criterion)s”"),
        "no_answer": gettext("“%(criterion)s” has no answer"),
        "not_answered": gettext("Not answered yet"),
        "no_edit": gettext("the improved text"),
        "edit_unchanged": gettext(
            "The wording has not changed yet. Improve it, or change the answers."
        ),
        **(editing() if definition.asks_for_edits else {}),
        **(highlighting() if definition.takes_evidence or definition.marks_errors else {}),
        "edit_hint": str(definition.edit.hint),
        "edit_not_needed": str(definition.edit.not_needed),
    }


def editing() -> dict[str, Any]:
    return {
        "changed": by_number(
            lambda n: ngettext("%(n)s character changed", "%(n)s characters changed", n)
        ),
        "unchanged": gettext("Nothing changed yet"),
        "spaces_only": gettext("Nothing but spaces changed yet"),
        "why": gettext("Asked because you chose %(choices)s."),
        "taken_out": gettext("removed:"),
        "put_in": gettext("added:"),
        "too_long": gettext("The text is too long to show the changes word by word."),
        "edit_opened": gettext("An edit is needed now: improve the text in the text box."),
        "edit_closed": gettext("No edit is needed now."),
        "reset": gettext("Start again from the original"),
        "restore": gettext("Bring my edit back"),
        "was_reset": gettext("This is the original again. The button brings your edit back."),
        "was_restored": gettext("Your edit is back."),
    }


def highlighting() -> dict[str, Any]:
    return {
        "highlighting": instruments_base.strings(),
        "now_highlight": gettext("Now highlight the words that show it."),
        "no_evidence": gettext("highlights for “%(criterion)s”"),
        "evidence_missing": gettext("Nothing highlighted yet"),
        "error_open": gettext("Choose the category and the severity of each error"),
        "remove": gettext("Remove"),
        "remove_words": gettext("Remove the highlight “%(words)s”"),
    }


class Rating(Instrument):
    """hter_version: the rule by which edits are scored."""

    title: "Words" = _("Rate texts")
    template = "work/rating.html"

    def __init__(self, definition: Definition, hter_version: str = HTER_VERSION) -> None:
        self.definition = definition
        self.hter_version = hter_version
        self.key = definition.key
        self.version = definition.version
        self.scoring = hter_version if definition.asks_for_edits else "1"
        self.label = definition.label
        self.criteria = definition.scored
        self.about = definition.about
        self.minutes = definition.minutes
        self.needs_input = bool(definition.input_label)
        self.compares = definition.compares
        self.shows_others = definition.shows_others
        self.ranks = definition.ranks

    @property
    def example(self) -> Material:
        return self.definition.example

    @property
    def asked(self) -> Sequence[Question]:
        return self.definition.criteria

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        answers, errors = checked(raw, self.definition.criteria, material)
        if errors:
            raise InvalidResponse(errors)
        if self.definition.compares:
            asked = [one for one in self.definition.criteria if one.both_bad]
            bad = [one.name for one in asked if answers[one.name] == BOTH_BAD]
            ties = _signed(answers | dict.fromkeys(bad, 0), turned=material.turned)
            return {**ties, TURNED: material.turned, **({BOTH_BAD: bad} if bad else {})}
        if self.ranks:
            return self._by_output(answers, material)
        return {
            **answers,
            **self._evidence(raw.get("evidence"), answers, material),
            **self._edit(raw.get("edit"), answers, material),
        }

    def _by_output(self, answers: Answers, material: Material) -> dict[str, Any]:
        """Return a ranking as it is stored: its places in the order of the item's outputs."""
        page = [one.number for one in material.side_by_side]
        by_output = sorted(range(len(page)), key=page.__getitem__)
        places = {
            one.name: [answers[one.name][at] for at in by_output]
            for one in self.definition.criteria
            if isinstance(one, Rank)
        }
        wrote = [material.side_by_side[at].systems for at in by_output]
        return {**answers, **places, ORDER: page, SYSTEMS: wrote}

    def _evidence(self, raw: Any, answers: Answers, material: Material) -> dict[str, Any]:
        """Return the highlights of each criterion whose level requires some."""
        if not self.definition.takes_evidence:
            return {}
        given = raw if isinstance(raw, Mapping) else {}
        found: dict[str, list[instruments_base.Span]] = {}
        errors: dict[str, str] = {}
        for one in self.definition.criteria:
            if EVIDENCE not in required(answers, [one]):
                continue
            try:
                spans = instruments_base.read_spans(given.get(one.name, []), material.visible)
            except instruments_base.InvalidSpans as problem:
                errors[f"evidence.{one.name}"] = str(problem)
                continue
            found[one.name] = spans
            if not spans and has_words(material.visible):
                errors[f"evidence.{one.name}"] = gettext(
                    "Please highlight the words that led you to your answer to “%(label)s”."
                ) % {"label": one.label}
        if errors:
            raise InvalidResponse(errors)
        return {"evidence": found}

    def _edit(self, raw: Any, answers: Answers, material: Material) -> dict[str, Any]:
        if not self.definition.asks_for_edits:
            return {}
        if EDIT not in required(answers, self.definition.criteria):
            return {"edit": None, "distance": 0}
        needed = str(self.definition.edit.needed)
        edit = checked_edit(raw, text=material.text, needed=needed)
        return {"edit": edit, "distance": levenshtein(normalise(material.text), edit)}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return the levels, and as `edit` the HTER: 0 without a required edit, unbounded above."""
        if self.definition.compares:
            found = {}
            for one in self.definition.criteria:
                if not one.levels:
                    continue
                value = response[one.name] / max(level.value for level in one.levels)
                found[one.name] = value  # how far the first is preferred, −1 to 1
                found[one.name + WINS] = (1 + (value > 0) - (value < 0)) / 2
                if one.both_bad:
                    found[one.name + BAD] = float(one.name in response.get(BOTH_BAD, ()))
            return found
        scores: dict[str, float] = {}
        if self.ranks:
            for one in self.definition.criteria:
                if isinstance(one, Rank):
                    scores |= one.ranked(response[one.name], response[SYSTEMS])
            return scores
        for one in self.definition.criteria:
            scores |= one.scores(response.get(one.name), material)
        if self.definition.asks_for_edits:
            edit = response["edit"]
            scores[EDIT] = 0.0
            if edit is not None:
                text = normalise(material.text)
                scores[EDIT] = hter(text, edit, version=self.hter_version)
        return scores

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        edit = response.get(EDIT)
        return edit is not None and takes_long(material.text, edit)

    def highlights(self, response: Mapping[str, Any], material: Material) -> list[Highlight]:
        labels = {one.name: str(one.label) for one in self.definition.criteria}
        found = [
            Highlight(labels.get(name, name), material.visible, spans)
            for name, spans in response.get(EVIDENCE, {}).items()
        ]
        marked = [one for one in self.definition.criteria if isinstance(one, Errors)]
        return found + [
            Highlight(
                f"{labels[one.name]}: {one.said([error])}",
                material.visible,
                [[error["start"], error["end"]]],
            )
            for one in marked
            for error in response.get(one.name, ())
        ]

    def of_text(self, response: Mapping[str, Any], number: int) -> dict[str, Any]:
        ranked = [one.name for one in self.definition.criteria if isinstance(one, Rank)]
        return dict(response) | {name: response[name][number] for name in ranked}

    def recalled(self, response: Mapping[str, Any]) -> str:
        return self.answered(self.reopened(response))

    def answered(self, response: Mapping[str, Any]) -> str:
        given = self._given(response)
        asked = [one for one in self.definition.criteria if one.name in given]
        return ", ".join(f"{one.label}: {one.said(given[one.name])}" for one in asked)

    def said(self, asked: instruments_base.Question, response: Mapping[str, Any]) -> str:
        own = next(one for one in self.definition.criteria if one.name == asked.name)
        return own.said(self._given(response)[own.name])

    def _given(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to each question, for a pair's own order."""
        return {
            one.name: BOTH_BAD
            if one.both_bad and one.name in response.get(BOTH_BAD, ())
            else response[one.name]
            for one in self.definition.criteria
            if one.name in response
        }

    def other_answers(self, response: Mapping[str, Any]) -> list[tuple[str, str]]:
        return [
            (str(one.label), one.said(response[one.name]) if one.name in response else "–")
            for one in self.definition.criteria
            if not one.is_compared
        ]

    def reopened(self, response: Mapping[str, Any]) -> dict[str, Any]:
        if self.ranks:
            on_page = {
                one.name: [response[one.name][number] for number in response[ORDER]]
                for one in self.definition.criteria
                if isinstance(one, Rank)
            }
            rest = {name: one for name, one in response.items() if name not in (ORDER, SYSTEMS)}
            return rest | on_page
        if not self.compares:
            return dict(response)
        return _signed(self._given(response), turned=response[TURNED])

    def columns(self, judgments: Sequence[Observed]) -> dict[str, Any]:
        if self.compares:
            turned = [one.response[TURNED] for one in judgments]
            return super().columns(judgments) | {"turned": np.array(turned, dtype=float)}
        edits = [one.response.get(EDIT) for one in judgments]
        distance = [
            np.nan if edit is None else one.response["distance"]
            for one, edit in zip(judgments, edits, strict=True)
        ]
        same = [-1 if edit is None else _label(" ".join(edit.split())) for edit in edits]
        return super().columns(judgments) | {
            "edit_distance": np.array(distance, dtype=np.float64),
            "edit_text": np.array(same, dtype=np.int64),
        }

    def shown(self, material: Material) -> str:
        return (
            instruments_base.joined(*material.pair) if self.definition.compares else material.text
        )

    def page(self, material: Material) -> dict[str, Any]:
        texts = {"texts": len(material.side_by_side)} if self.ranks else {}
        return {"criteria": [one.shown() for one in self.definition.criteria], **texts}

    def strings(self) -> dict[str, Any]:
        return rating(self.definition)

    def tutorial(self, language: str) -> Tutorial | None:
        if self.folder is None:
            return None
        return builtin(self.folder, language, instrument=self.key, criteria=self.criteria)
