"""How each kind of question is read; what its fields must agree on among themselves."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotate.instruments.answer_correctness.criteria import VERDICTS
from annotate.instruments.base import Criterion
from annotate.instruments.reader import Fields
from annotate.instruments.tutorials.content import (
    Bounds,
    Choice,
    Defect,
    Edit,
    Evidence,
    Example,
    Meaning,
    Option,
    Overlap,
    Paragraph,
    Question,
    Step,
)
from annotate.instruments.tutorials.words import count, same_words

SAID = 1000  # characters of one feedback
MANY = 12
Criteria = Mapping[str, Criterion]
Reader = Callable[[Fields, dict[str, Any], Criteria], Question]


def _choice(fields: Fields, common: dict[str, Any], criteria: Criteria) -> Choice:
    shown = {
        name: fields.text(name, needed=False, indented=True)
        for name in ("text", "question", "answer")
    }
    if not any(shown.values()):
        fields.wrong("text", "Missing: show a text, or a question and its answer.")
    ask, options = _levels(fields, criteria)
    values = [option.value for option in options]
    accepted = fields.wholes("accepted", most=MANY)
    for value in accepted:
        if options and value not in values:
            fields.wrong("accepted", f"{value} is none of the levels {values}.")
    feedback = _said_by_value(fields, values)
    return Choice(**common, **shown, ask=ask, options=options, accepted=accepted, feedback=feedback)


def _levels(fields: Fields, criteria: Criteria) -> tuple[Any, tuple[Option, ...]]:
    """The question and its levels: a criterion's by its name, or given inline."""
    if fields.has("options"):
        options = tuple(fields.each("options", _option, fewest=1, most=MANY))
        if len({option.value for option in options}) < max(2, len(options)):
            fields.wrong("options", "Needs at least two levels of different values.")
        return fields.text("ask", most=SAID, needed=False), options
    name = fields.text("criterion", most=40)
    if name and name not in criteria:
        known = ", ".join(criteria) or "none; give “options”"
        fields.wrong("criterion", f"“{name}” has no levels here; those that do: {known}.")
    if name not in criteria:
        return "", ()
    levels = criteria[name].levels
    options = tuple(Option(level.value, level.label, level.cue) for level in levels)
    return criteria[name].question, options


def _option(fields: Fields) -> Option:
    option = Option(
        fields.whole("value", least=-100, most=100),
        fields.text("label", most=80),
        fields.text("cue", most=200, needed=False),
    )
    fields.nothing_else()
    return option


def _said_by_value(fields: Fields, values: Iterable[int]) -> dict[int, str]:
    """Feedback for every value: it says why the answer is right or wrong."""
    inner = fields.inner("feedback")
    if inner is None:
        return {}
    said = {value: inner.text(str(value), most=SAID) for value in values}
    if said:
        inner.nothing_else()
    return said


def _edit(fields: Fields, common: dict[str, Any], _criteria: Criteria) -> Edit:
    edit = Edit(
        **common,
        text=fields.text("text", indented=True),
        defects=tuple(fields.each("defects", _defect, fewest=1, most=MANY)),
        meaning=tuple(fields.each("meaning", _meaning, fewest=1, most=MANY)),
        bounds=_bounds(fields),
        alternatives=fields.texts("alternatives", most=MANY, indented=True),
        feedback=fields.text("feedback", most=SAID),
    )
    _edit_agrees(fields, edit)
    return edit


def _defect(fields: Fields) -> Defect:
    defect = Defect(
        fields.texts("strings", fewest=1, most=MANY, exact=True),
        fields.text("feedback", most=SAID),
        fields.whole("at_most", least=0, most=100, default=0),
    )
    fields.nothing_else()
    return defect


def _meaning(fields: Fields) -> Meaning:
    meaning = Meaning(
        fields.texts("any_of", fewest=1, most=MANY, exact=True), fields.text("feedback", most=SAID)
    )
    fields.nothing_else()
    return meaning


def _bounds(fields: Fields) -> Bounds:
    inner = fields.inner("distance")
    if inner is None:
        return Bounds(0, 0, "", "")
    least = inner.whole("least", least=1, most=10_000)
    bounds = Bounds(
        least,
        inner.whole("most", least=least, most=10_000),
        inner.text("too_little", most=SAID),
        inner.text("too_much", most=SAID),
    )
    inner.nothing_else()
    return bounds


def _edit_agrees(fields: Fields, edit: Edit) -> None:
    """The text must have the defects and the meaning that the rules speak of."""
    for number, defect in enumerate(edit.defects):
        if sum(count(edit.text, string) for string in defect.strings) <= defect.at_most:
            fields.wrong(f"defects[{number}].strings", "The text does not have this defect.")
    for number, meaning in enumerate(edit.meaning):
        if not any(count(edit.text, string) for string in meaning.any_of):
            fields.wrong(f"meaning[{number}].any_of", "The text has none of these words itself.")
    for number, alternative in enumerate(edit.alternatives):
        if same_words(alternative, edit.text):
            fields.wrong(f"alternatives[{number}]", "Is the text itself.")


def _evidence(fields: Fields, common: dict[str, Any], _criteria: Criteria) -> Evidence:
    return Evidence(
        **common,
        question=fields.text("question", indented=True),
        answer=fields.text("answer", indented=True),
        paragraphs=tuple(fields.each("paragraphs", _paragraph, fewest=1, most=MANY)),
    )


def _paragraph(fields: Fields) -> Paragraph:
    verdict = fields.whole("verdict", least=-1, most=1)
    text = fields.text("text", indented=True)
    evidence = fields.texts("evidence", fewest=int(verdict != 0), most=MANY)
    for number, quote in enumerate(evidence):
        if text.count(quote) != 1:
            times = "does not occur" if quote not in text else "occurs more than once"
            fields.wrong(f"evidence[{number}]", f"“{quote[:40]}” {times} in the paragraph.")
    if not verdict and evidence:
        fields.wrong("evidence", "Belongs to a verdict of 1 or −1 only.")
    feedback = _said_by_value(fields, [level.value for level in VERDICTS])
    highlight = _overlap(fields) if verdict else None
    fields.nothing_else()
    return Paragraph(text, verdict, feedback, evidence, highlight)


def _overlap(fields: Fields) -> Overlap | None:
    inner = fields.inner("highlight")
    if inner is None:
        return None
    overlap = Overlap(*(inner.text(name, most=SAID) for name in ("none", "poor", "good")))
    inner.nothing_else()
    return overlap


def _example(fields: Fields, common: dict[str, Any], _criteria: Criteria) -> Example:
    return Example(
        **common,
        question=fields.text("question", needed=False, indented=True),
        answer=fields.text("answer", needed=False, indented=True),
        steps=tuple(fields.each("steps", _step, fewest=1, most=MANY)),
    )


def _step(fields: Fields) -> Step:
    step = Step(
        fields.text("title", most=SAID),
        fields.text("text", needed=False, indented=True),
        fields.text("quote", needed=False),
    )
    if step.quote and step.quote not in step.text:
        fields.wrong("quote", "Does not occur in the step's text.")
    fields.nothing_else()
    return step


KINDS: dict[str, Reader] = {
    "choice": _choice,
    "edit": _edit,
    "evidence": _evidence,
    "example": _example,
}
