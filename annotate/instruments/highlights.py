"""The words that annotators marked: the highlights in a stored response of any instrument."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotate.instruments.base import Instrument


def are_taken(instrument: Instrument) -> bool:
    """Return whether this instrument asks for highlights."""
    definition = getattr(instrument, "definition", None)
    return instrument.needs_paragraphs or getattr(definition, "takes_evidence", False)


def marked(
    response: Mapping[str, Any], *, text: str, paragraphs: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each highlight of a response: its position and its words.

    `text`: the output; `paragraphs`: of its item. Highlights of the output name the `criterion`
    that they explain, those of a paragraph its `number`, from 1. `start` and `end` count code
    points from 0; the end is excluded.
    """
    found = [
        {"criterion": criterion, "paragraph": None, **one}
        for criterion, spans in _mapping(response.get("evidence")).items()
        for one in _words(spans, text)
    ]
    verdicts = zip(_list(response.get("verdicts")), paragraphs, strict=False)
    for number, (verdict, paragraph) in enumerate(verdicts, start=1):
        spans = _list(_mapping(verdict).get("spans"))
        found += [
            {"criterion": None, "paragraph": number, **one} for one in _words(spans, paragraph)
        ]
    return found


def _words(spans: Iterable[Sequence[int]], text: str) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "text": text[start:end]} for start, end in spans]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
