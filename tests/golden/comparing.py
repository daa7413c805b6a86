"""Keeps records as lines of JSON, and tells two of them apart; floats are equal to 1e-9."""

import difflib
import gzip
import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDED = Path(os.environ.get("RECORDS") or Path(__file__).parent / "recorded")
SAME = {"rel_tol": 1e-9, "abs_tol": 1e-9}
NUMBER = re.compile(r"-?\d+\.\d{6,}(e-?\d+)?|-?\d+(\.\d+)?e-?\d+")
SHORT = 120  # characters of a value that stays in one line
MANY = 40_000  # bytes from which a record is packed


def lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield JSON whose short values stand in one line each, for differences that people read."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) <= SHORT or not isinstance(value, dict | list) or not value:
        yield indent + whole
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield indent + opening
    pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
    for n, (key, one) in enumerate(pairs, start=1):
        inner = list(lines(one, indent + " "))
        if key is not None:
            inner[0] = f"{indent} {json.dumps(key, ensure_ascii=False)}: {inner[0].lstrip()}"
        inner[-1] += "," * (n < len(value))
        yield from inner
    yield indent + closing


def record_all(found: dict[str, Any]) -> None:
    for old in RECORDED.glob("*.json*"):
        old.unlink()
    for name, value in found.items():
        _record(name, value)


def _record(name: str, value: Any) -> None:
    text = "\n".join(lines(value)) + "\n"
    if len(text) < MANY:
        (RECORDED / f"{name}.json").write_text(text)
    else:
        packed = gzip.compress(text.encode(), mtime=0)
        (RECORDED / f"{name}.json.gz").write_bytes(packed)


def recorded(name: str) -> Any:
    """Return what was recorded; None where nothing was."""
    if (path := RECORDED / f"{name}.json").exists():
        return json.loads(path.read_text())
    if (path := RECORDED / f"{name}.json.gz").exists():
        return json.loads(gzip.decompress(path.read_bytes()))
    return None


def names() -> set[str]:
    return {path.name.split(".json")[0] for path in RECORDED.glob("*.json*")}


def differences(name: str, now: Any) -> list[str]:
    """Return a unified difference from what was recorded; [] where they agree."""
    then = recorded(name)
    now = _adopted(then, json.loads(json.dumps(now)))
    if then == now:
        return []
    found = difflib.unified_diff(
        list(lines(then)), list(lines(now)), f"recorded/{name}", f"now/{name}", n=1, lineterm=""
    )
    return list(found)


def _adopted(then: Any, now: Any) -> Any:
    """Return `now` with the recorded number in place of each that is equal but for rounding."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {key: _adopted(then.get(key), one) for key, one in now.items()}
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [_adopted(*both) for both in zip(then, now, strict=True)]
    if isinstance(then, float) and isinstance(now, int | float):
        return then if math.isclose(then, now, **SAME) else now
    if isinstance(then, str) and isinstance(now, str) and then != now:
        olds, news = (list(NUMBER.finditer(text)) for text in (then, now))
        close = len(olds) == len(news) and all(
            math.isclose(float(old[0]), float(new[0]), **SAME)
            for old, new in zip(olds, news, strict=True)
        )
        return then if close and NUMBER.sub("#", then) == NUMBER.sub("#", now) else now
    return now
