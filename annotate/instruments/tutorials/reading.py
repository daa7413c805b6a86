"""Reads tutorials, built-in or a researcher's own: whole, or with every error by its path."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from annotate.instruments.base import Criterion
from annotate.instruments.reader import Fields
from annotate.instruments.tutorials.content import Question, Tutorial
from annotate.instruments.tutorials.kinds import KINDS

MOST_QUESTIONS = 40
MOST_CHARACTERS = 200_000  # of the file
SHORT, LINE = 20, 200
DIGEST = 16  # characters of the whole's digest within the version
_BUILTIN: dict[Path, Tutorial] = {}  # files of the product do not change while it runs


def read(raw: Any, *, instrument: str, criteria: Sequence[Criterion] = ()) -> Tutorial:
    """Return the tutorial that this JSON describes, or raise `Refused` with every problem.

    `criteria`: those of the instrument; questions may take their levels by name.
    """
    fields = Fields(raw)
    tutorial = _tutorial(fields, instrument, {one.name: one for one in criteria if one.levels})
    if len(canonical(raw)) > MOST_CHARACTERS:
        fields.wrong("tutorial", f"Is longer than {MOST_CHARACTERS:,} characters.")
    fields.finish()
    return tutorial


def builtin(
    folder: Path, language: str, *, instrument: str, criteria: Sequence[Criterion] = ()
) -> Tutorial:
    """Return the tutorial in an instrument's folder: in this language, else in English."""
    known = {path.name: path for path in folder.glob("tutorial.*.json")}
    wanted = (language.lower(), language.lower().partition("-")[0], "en")
    path = next(known[name] for code in wanted if (name := f"tutorial.{code}.json") in known)
    if path not in _BUILTIN:
        raw = json.loads(path.read_text(encoding="utf-8"))
        _BUILTIN[path] = read(raw, instrument=instrument, criteria=criteria)
    return _BUILTIN[path]


def canonical(raw: Any) -> str:
    """One spelling for one content, however its file was laid out."""
    return json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(raw: Any) -> str:
    return hashlib.sha256(canonical(raw).encode("utf-8", "surrogatepass")).hexdigest()


def _tutorial(fields: Fields, instrument: str, criteria: dict[str, Criterion]) -> Tutorial:
    named = fields.text("instrument", most=SHORT * 2)
    if named and named != instrument:
        fields.wrong("instrument", f"Is for “{named}”, not for “{instrument}”.")
    version = fields.text("version", most=SHORT)
    language = fields.text("language", most=12)
    title = fields.text("title", most=LINE, needed=False)
    questions = fields.each("questions", _question(criteria), fewest=1, most=MOST_QUESTIONS)
    _keys_once(fields, questions)
    fields.nothing_else()
    whole = f"{version}-{digest(fields.raw)[:DIGEST]}"
    return Tutorial(named, whole, language, title, tuple(questions))


def _question(criteria: dict[str, Criterion]) -> Callable[[Fields], Question | None]:
    def read_one(fields: Fields) -> Question | None:
        kind = fields.text("kind", most=SHORT)
        if kind not in KINDS:
            if kind:
                fields.wrong("kind", f"Is one of {', '.join(KINDS)}.")
            return None
        common = {
            "key": fields.slug("key"),
            "section": fields.text("section", most=60),
            "prompt": fields.text("prompt", most=2 * LINE),
            "digest": digest(fields.raw),
        }
        question = KINDS[kind](fields, common, criteria)
        fields.nothing_else()
        return question

    return read_one


def _keys_once(fields: Fields, questions: Sequence[Question]) -> None:
    seen: set[str] = set()
    for number, question in enumerate(questions):
        if question.key in seen:
            fields.wrong(f"questions[{number}].key", f"“{question.key}” is taken already.")
        seen.add(question.key)
