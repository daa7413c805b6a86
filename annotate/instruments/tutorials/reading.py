"""Reads tutorials, built in or a researcher's own, and reports all problems by path."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from annotate.instruments.base import Criterion
from annotate.instruments.tutorials import drawing, families
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.digests import canonical, digest
from annotate.instruments.tutorials.questions import Choice, Studied
from annotate.schemas import Problem, Refused
from annotate.schemas import read as read_shape

MOST_CHARACTERS = 200_000  # per file
MOST_KEPT = 64  # tutorials in a process, of a few hundred kilobytes each
_BUILTIN: dict[Path, Tutorial] = {}  # the product's files do not change while it runs
_STORED: dict[tuple[Any, ...], Tutorial] = {}


def read(raw: Any, *, instrument: str, criteria: Sequence[Criterion] = ()) -> Tutorial:
    """Return the tutorial that this JSON describes, or raise `Refused` with its problems.

    `criteria`: those of the instrument; questions may use their levels by name.
    """
    if len(canonical(raw)) > MOST_CHARACTERS:
        raise Refused([Problem("tutorial", f"Is longer than {MOST_CHARACTERS:,} characters.")])
    known = {one.name: one for one in criteria if one.levels}
    return read_shape(Tutorial, raw, context=Studied(instrument, known, *_shared(raw)))


def complete(raw: Any, *, instrument: str, criteria: Sequence[Criterion] = ()) -> Tutorial:
    """Return what `read` does; refuse questions without a text, and too few for two rounds."""
    found = read(raw, instrument=instrument, criteria=criteria)
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
    if lacks := drawing.lacking(found):
        which = ", ".join(f"{n} in “{section}”" for section, n in lacks.items())
        yield Problem(
            "asked",
            f"The second round asks other questions, and too few are left: add {which}, "
            "or ask fewer in a round.",
        )


def stored(raw: Any, *, instrument: str, criteria: Sequence[Criterion] = ()) -> Tutorial:
    """Return what `read` does; a process that has read the same content keeps it.

    Reading takes about 200 ms for a long tutorial, and every page of an annotator needs it.
    """
    key = (digest(raw), instrument, *map(_spelled, criteria))
    if key not in _STORED:
        if len(_STORED) >= MOST_KEPT:
            _STORED.clear()
        _STORED[key] = read(raw, instrument=instrument, criteria=criteria)
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
        found = families.slots(given.get("slots") or {})
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
        _BUILTIN[path] = read(raw, instrument=instrument, criteria=criteria)
    return _BUILTIN[path]
