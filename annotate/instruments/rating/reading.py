"""Reads a definition from JSON: its declared shape, and its conversion."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from annotate.instruments import pairs, side_by_side
from annotate.instruments.base import Material
from annotate.instruments.rating.comparing import TURNED, WINS
from annotate.instruments.rating.definition import (
    EDITING,
    REQUIREMENTS,
    Choice,
    Definition,
    EditWording,
    Example,
    Question,
    Section,
    question,
)
from annotate.schemas import (
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
from annotate.schemas import read as read_shape
from estimation.core import BALANCE, PERSON_SHARE

FARTHEST = 100
MOST_CRITERIA, MOST_LEVELS, MOST_SECTIONS = 8, 7, 20
MOST_BALANCE = 10  # beyond it people count equally whatever they did
# Names that a stored response or a draft uses for something else.
TAKEN = ("edit", "distance", "evidence", "active_seconds")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def read(value: Any, *, version: str = "1") -> Definition:
    """Return the definition in `value`, or raise `Refused` with its problems."""
    return read_shape(DefinitionShape, value).definition(version)


def _free(name: str) -> str:
    if name in TAKEN:
        raise fault(f"“{name}” means something else here. Choose another name.")
    return name


def _language(code: str) -> str:
    if code and not LANGUAGE.fullmatch(code):
        raise fault("Must be a code such as en, de or pt-BR.")
    return code


Line = Annotated[OptionalText, Field(max_length=300)]
Requirements = Annotated[Several[Literal["edit", "evidence"]], Field(max_length=len(REQUIREMENTS))]


class ExampleShape(Declared):
    label: Annotated[Text, Field(max_length=80)]
    text: Annotated[Indented, Field(max_length=1000)]
    note: Line = ""


class SectionShape(Declared):
    title: Annotated[OptionalText, Field(max_length=200)] = ""
    text: Annotated[OptionalText, Field(max_length=5000)] = ""
    examples: Several[ExampleShape] = Field(default=(), max_length=10)

    def faults(self, context: Any) -> Iterator[Fault]:
        if not (self.title or self.text or self.examples):
            yield (), "Is empty. Give it a title, a text or examples."

    def section(self) -> Section:
        return Section(
            self.title,
            self.text,
            tuple(Example(one.label, one.text, one.note) for one in self.examples),
        )


class LevelShape(Declared):
    value: int = Field(ge=-FARTHEST, le=FARTHEST)
    label: Annotated[Text, Field(max_length=60)]
    cue: Annotated[Text, Field(max_length=200)]
    requires: Requirements = ()

    def choice(self, always: tuple[str, ...]) -> Choice:
        """Return the level. `always`: what every level of the criterion requires."""
        required = {*always, *self.requires}
        sorted_out = tuple(one for one in REQUIREMENTS if one in required)
        return Choice(self.value, self.label, self.cue, sorted_out)


class CriterionShape(Declared):
    name: Annotated[Identifier, Field(max_length=30), AfterValidator(_free)]
    label: Annotated[Text, Field(max_length=60)]
    question: Annotated[Text, Field(max_length=300)]
    higher_is_better: bool = True
    evidence: Annotated[OptionalText, Field(max_length=200)] = ""
    requires: Requirements = ()
    balance: float = Field(default=BALANCE, ge=0, le=MOST_BALANCE)
    person_share: float = Field(default=PERSON_SHARE, ge=0, le=1)
    levels: Several[LevelShape] = Field(min_length=2, max_length=MOST_LEVELS)

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("levels", self.levels, "value")
        yield from distinct("levels", self.levels, "label")

    def pair_faults(self, names: Sequence[str]) -> Iterator[Fault]:
        """Check it as a question about two texts; names: of all criteria."""
        values = {level.value for level in self.levels}
        if values != {-value for value in values}:
            yield (
                ("levels",),
                "Must mirror each other, such as 2, 1, 0, −1, −2: the two texts change places.",
            )
        if self.requires or any(level.requires for level in self.levels):
            yield ("requires",), "Comparisons take no edits and no evidence."
        if not self.higher_is_better:
            yield ("higher_is_better",), "Positive levels mean that the first text is better."
        if self.name == TURNED:
            yield ("name",), f"“{TURNED}” means something else in a comparison."
        if self.name + WINS in names:
            yield ("name",), f"“{self.name}{WINS}” is the name of its share of wins."

    def asked(self) -> Question:
        return question(
            self.name,
            *(level.choice(self.requires) for level in self.levels),
            label=self.label,
            ask=self.question,
            higher_is_better=self.higher_is_better,
            evidence=self.evidence,
            balance=self.balance,
            person_share=self.person_share,
        )


class EditShape(Declared):
    """The wording about the edit. Missing or empty parts have the default wording."""

    title: Line = ""
    hint: Line = ""
    when: Line = ""
    needed: Line = ""
    not_needed: Line = ""

    def wording(self) -> EditWording:
        return EditWording(
            **{name: own or getattr(EDITING, name) for name, own in self.model_dump().items()}
        )


class MaterialShape(Declared):
    text: Annotated[Indented, Field(max_length=5000)]
    second: Annotated[OptionalIndented, Field(max_length=5000)] = ""
    input: Annotated[OptionalIndented, Field(max_length=20_000)] = ""
    paragraphs: Several[Annotated[Indented, Field(max_length=20_000)]] = Field(
        default=(), max_length=10
    )

    def material(self, *, compares: bool, shows_others: bool) -> Material:
        text = pairs.joined(self.text, self.second) if compares else self.text
        found = Material(text, self.input, self.paragraphs)
        return side_by_side.with_others(found, [self.second]) if shows_others else found


class DefinitionShape(Declared):
    """The file of an instrument, as `docs/instruments.md` describes it."""

    key: Annotated[Identifier, Field(max_length=40)]
    label: Annotated[Text, Field(max_length=80)]
    language: Annotated[OptionalText, Field(max_length=12), AfterValidator(_language)] = ""
    task: Annotated[Text, Field(max_length=200)]
    hint: Line = ""
    about: Annotated[Text, Field(max_length=600)]
    steps: Several[Annotated[Text, Field(max_length=200)]] = Field(default=(), max_length=8)
    instructions: Several[SectionShape] = Field(default=(), max_length=MOST_SECTIONS)
    minutes: Annotated[OptionalText, Field(max_length=20)] = ""
    input_label: Annotated[OptionalText, Field(max_length=60)] = ""
    criteria: Several[CriterionShape] = Field(min_length=1, max_length=MOST_CRITERIA)
    edit: EditShape = EditShape()
    compares: bool = False
    shows_others: bool = False
    example: MaterialShape = Field(
        description="The preview shows it: an object with a “text”.",
    )

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("criteria", self.criteria, "name")
        if self.input_label and not (self.example.input or self.example.paragraphs):
            yield ("example", "input"), "Missing: “input_label” says that the input is shown."
        yield from self._pair_faults()

    def _pair_faults(self) -> Iterator[Fault]:
        """Check what a comparison needs, and that nothing else is given as one."""
        if self.compares and self.shows_others:
            yield ("shows_others",), "Does not go with “compares”, which shows two texts already."
        yield from self._second_faults()
        if not self.compares:
            return
        for name in ("text", "second"):
            if pairs.MARK.strip() in getattr(self.example, name):
                yield ("example", name), f"Contains {pairs.MARK.strip()}, which parts two texts."
        names = [one.name for one in self.criteria]
        for number, one in enumerate(self.criteria):
            for path, message in one.pair_faults(names):
                yield ("criteria", number, *path), message

    def _second_faults(self) -> Iterator[Fault]:
        which = "compares" if self.compares else "shows_others"
        if getattr(self, which) and not self.example.second:
            yield ("example", "second"), f"Missing: “{which}” says that two texts are shown."
        if self.example.second and not getattr(self, which):
            yield (
                ("example", "second"),
                "Belongs to an instrument that “compares” two texts, or “shows_others”.",
            )

    def definition(self, version: str) -> Definition:
        return Definition(
            key=self.key,
            version=version,
            language=self.language or "en",
            label=self.label,
            task=self.task,
            hint=self.hint,
            about=self.about,
            steps=self.steps,
            instructions=tuple(one.section() for one in self.instructions),
            minutes=self.minutes or "1–3",
            input_label=self.input_label,
            criteria=tuple(one.asked() for one in self.criteria),
            edit=self.edit.wording(),
            example=self.example.material(compares=self.compares, shows_others=self.shows_others),
            compares=self.compares,
            shows_others=self.shows_others,
        )
