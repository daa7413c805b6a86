"""The form of a tutorial: its JSON from the fields of a browser, and the fields from the JSON.

The form checks nothing itself: the declared shape of tutorials does. Questions that the form has no
fields for (edits, evidence, examples, versions) are kept as they are.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from annotate.instruments.base import Criterion
from annotate.instruments.tutorials.content import MOST_QUESTIONS
from annotate.schemas import Problem, Refused, parse
from annotate.text.json_text import storable
from annotate.text.numerals import number

Content = dict[str, Any]
SHARED = ("replaces", "slots", "cases")  # fields of a tutorial that the form only keeps
HEAD = ("title", "version", "language")
WORDS = ("key", "section", "prompt", "question", "text", "second", "criterion")
FIELDS = {*WORDS, "kind", "accepted", "feedback"}
AT = re.compile(r"questions\[(\d+)\](?:\.(.*))?")


@dataclass(frozen=True)
class ShownAnswer:
    """A level of a question: whether it is right, and what is said to people who choose it."""

    value: int
    label: str
    cue: str
    is_right: bool
    why: str
    problem: str


@dataclass(frozen=True)
class ShownQuestion:
    """A question as the form shows it. kept: its JSON, where the form has no fields for it."""

    place: int
    raw: Mapping[str, Any]
    label: str = ""
    answers: Sequence[ShownAnswer] = ()
    kept: str = ""
    takes_input: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return self.place + 1

    @property
    def lacks_text(self) -> bool:
        lacks = not self.raw.get("text") or self.raw.get("second") == ""
        return not self.kept and lacks


@dataclass(frozen=True)
class ShownProblem:
    """A problem in people's words. anchor: the field, without the number sign."""

    anchor: str
    where: str
    message: str


def content_of(post: QueryDict, *, instrument: str, criteria: Mapping[str, Criterion]) -> Content:
    """Return the tutorial that a browser's fields describe; what is wrong in it is kept."""
    n = min(number(post.get("n", "")) or 0, MOST_QUESTIONS + 1)
    asked = _text(post, "asked")
    return {
        "instrument": instrument,
        **{name: _text(post, name) for name in HEAD},
        **({"asked": number(asked) or asked} if asked else {}),
        **_shared(post),
        "questions": [_question(post, place, criteria) for place in range(n)],
    }


def rows(
    content: Content, problems: Sequence[Problem], criteria: Mapping[str, Criterion]
) -> list[ShownQuestion]:
    """Return the questions for display, with their problems next to the fields."""
    found: dict[int, dict[str, str]] = {}
    for one in problems:
        if at := AT.fullmatch(one.path):
            found.setdefault(int(at[1]), {})[at[2] or ""] = one.message
    return [
        _row(place, raw, found.get(place, {}), criteria)
        for place, raw in enumerate(content["questions"])
    ]


def placed(problems: Sequence[Problem]) -> list[ShownProblem]:
    """Return problems with the number of the question and the field, for the list above."""
    return [_placed(one) for one in problems]


def shared(content: Content) -> str:
    """Return what all questions share, and the form has no fields for, as JSON; "" if nothing."""
    found = {name: content[name] for name in SHARED if content.get(name)}
    return json.dumps(found, ensure_ascii=False) if found else ""


def _text(post: QueryDict, name: str) -> str:
    return str(post.get(name, "")).replace("\r\n", "\n")


def _shared(post: QueryDict) -> Content:
    given = _parsed(_text(post, "shared"))
    return {name: given[name] for name in SHARED if name in given}


def _parsed(text: str) -> Content:
    try:
        found = parse(text)
    except Refused:
        return {}
    fine = isinstance(found, dict) and storable(json.dumps(found, ensure_ascii=False))
    return found if fine else {}  # an unpaired surrogate cannot be shown


def _question(post: QueryDict, place: int, criteria: Mapping[str, Criterion]) -> Content:
    at = f"q{place}-"
    if kept := _text(post, f"{at}kept"):
        return _parsed(kept)
    criterion = criteria.get(_text(post, f"{at}criterion"))
    levels = criterion.levels if criterion else ()
    words = {name: _text(post, at + name) for name in WORDS if at + name in post}
    right = set(post.getlist(f"{at}right"))
    return words | {
        "kind": "choice",
        "accepted": [one.value for one in levels if str(one.value) in right],
        "feedback": {str(one.value): _text(post, f"{at}why_{one.value}") for one in levels},
    }


def _row(
    place: int, raw: Any, problems: Mapping[str, str], criteria: Mapping[str, Criterion]
) -> ShownQuestion:
    if not _has_fields(raw, criteria):
        shown = raw if isinstance(raw, dict) else {}
        kept = json.dumps(raw, ensure_ascii=False)
        return ShownQuestion(place, shown, kept=kept, problems=problems)
    criterion = criteria[raw["criterion"]]
    answers = [
        ShownAnswer(
            value=one.value,
            label=str(one.label),
            cue=str(one.cue),
            is_right=one.value in raw["accepted"],
            why=raw["feedback"].get(str(one.value), ""),
            problem=problems.get(f"feedback.{one.value}", ""),
        )
        for one in criterion.levels
    ]
    return ShownQuestion(
        place,
        raw,
        label=str(criterion.label),
        answers=answers,
        takes_input="question" in raw,
        problems=problems,
    )


def _has_fields(raw: Any, criteria: Mapping[str, Criterion]) -> bool:
    """Return whether the form can show all of a question."""
    if not isinstance(raw, dict) or not set(raw) <= FIELDS or raw.get("kind") != "choice":
        return False
    words = all(isinstance(raw.get(name, ""), str) for name in WORDS)
    return words and raw.get("criterion") in criteria and _answers_fit(raw, criteria)


def _answers_fit(raw: Content, criteria: Mapping[str, Criterion]) -> bool:
    values = [one.value for one in criteria[raw["criterion"]].levels]
    accepted, feedback = raw.get("accepted"), raw.get("feedback")
    return (
        isinstance(accepted, list)
        and all(type(one) is int and one in values for one in accepted)
        and isinstance(feedback, dict)
        and set(feedback) <= set(map(str, values))
        and all(isinstance(why, str) for why in feedback.values())
    )


def _placed(problem: Problem) -> ShownProblem:
    at = AT.fullmatch(problem.path)
    if at is None:
        head = problem.path.partition(".")[0].partition("[")[0]
        anchor = head if head in (*HEAD, "asked") else "questions"
        return ShownProblem(anchor, problem.path, problem.message)
    place, name = int(at[1]), at[2] or ""
    anchor = f"q{place}-{_field(name)}" if name else f"q{place}"
    return ShownProblem(
        anchor, f"Question {place + 1}{', ' if name else ''}{_said(name)}", problem.message
    )


def _field(name: str) -> str:
    return f"why_{name.partition('.')[2]}" if name.startswith("feedback.") else name


def _said(name: str) -> str:
    kind, _point, value = name.partition(".")
    known = {"accepted": "right answer", "feedback": f"explanation of {value.replace('-', '−')}"}
    return known.get(kind, name)
