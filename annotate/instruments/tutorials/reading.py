"""Reads tutorials, built in or a researcher's own, and reports all problems by path."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotate.instruments.base import Criterion
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.digests import canonical
from annotate.instruments.tutorials.questions import Studied
from annotate.schemas import Problem, Refused
from annotate.schemas import read as read_shape

MOST_CHARACTERS = 200_000  # per file
_BUILTIN: dict[Path, Tutorial] = {}  # the product's files do not change while it runs


def read(raw: Any, *, instrument: str, criteria: Sequence[Criterion] = ()) -> Tutorial:
    """Return the tutorial that this JSON describes, or raise `Refused` with its problems.

    `criteria`: those of the instrument; questions may use their levels by name.
    """
    if len(canonical(raw)) > MOST_CHARACTERS:
        raise Refused([Problem("tutorial", f"Is longer than {MOST_CHARACTERS:,} characters.")])
    studied = Studied(instrument, {one.name: one for one in criteria if one.levels})
    return read_shape(Tutorial, raw, context=studied)


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
