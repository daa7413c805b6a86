"""Judgments that were made elsewhere, from a file to a closed campaign with estimates."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from django.utils.dateparse import parse_date, parse_datetime

from annotate.campaigns import recording
from annotate.campaigns.recording import LONGEST_CRITERION, MOST_SCORES, Recorded
from annotate.campaigns.sheet import wrong_text
from annotate.common.errors import Invalid
from annotate.instruments.base import Criterion
from annotate.models import Campaign
from estimation import from_files
from estimation.from_files import GROUP, KNOWN_CRITERIA, FileError, Table, TooManyRows

TIME = "time"
UNBOUNDED, LOWER = "unbounded", "lower"
LIKE = "style 1 5"
FURTHEST = 1e6  # that the table of scores takes


def import_judgments(
    path: Path,
    *,
    blocks: Iterable[bytes] | None = None,
    name: str,
    owner_id: int | None,
    chosen: str,
    outputs: int | None = None,
    scales: Iterable[str] = (),
    estimand: str = "population",
    most: int = MOST_SCORES,
) -> Campaign:
    """Store the judgments of a file as a closed campaign; a worker estimates it.

    path: a table `system,item,annotator,criterion,score`, and perhaps `time` and `group`, of any
    format that imports read. blocks: its contents, where they are no file. outputs, chosen: see
    `recording.create`. scales: lines such as `style 1 5`, of the criteria that are not built in.
    most: of its rows. Raises `Invalid`.
    """
    try:
        table = from_files.read_judgments(
            path, from_files.vocabulary(), blocks=blocks, also=[TIME], most=most
        )
        _check_scores(table)
        groups = _groups(table)
        keys = _keys(table)
        judgments = _judgments(table, keys)
    except FileError as refused:
        where = f"Line {refused.line}: " if refused.line else ""
        said = refused.message[:1].upper() + refused.message[1:]
        said = said.encode(errors="replace").decode()  # it may quote half a character
        if most < MOST_SCORES and isinstance(refused, TooManyRows):
            said += f" The command import_judgments takes {MOST_SCORES:,}."
        raise Invalid({"file": where + said}) from None
    return recording.create(
        name,
        judgments,
        criteria=_criteria(table, keys, scales),
        owner_id=owner_id,
        chosen=chosen,
        outputs=outputs,
        groups=groups,
        estimand=estimand,
    )


def _check_scores(table: Table) -> None:
    far = np.flatnonzero(np.abs(table.value) > FURTHEST)
    if far.size:
        raise FileError(
            table.path,
            int(table.line[far[0]]),
            f"the score {table.value[far[0]]:g} is further from 0 than a million.",
        )


def _keys(table: Table) -> list[str]:
    """Return the name of each criterion as addresses have it. Raises `FileError`."""
    names = list(table.names["criterion"])
    keys = ["_".join(re.findall(r"\w+", name)) for name in names]
    for place, (name, key) in enumerate(zip(names, keys, strict=True)):
        if wrong := next(wrong_text("criterion", name, LONGEST_CRITERION), None):
            raise FileError(table.path, 0, wrong[1])
        if not key or key in keys[:place]:
            told = "has no letter" if not key else f"looks like {names[keys.index(key)]!r}"
            raise FileError(table.path, 0, f"the criterion {name[:60]!r} {told}. Rename it.")
    return keys


def _judgments(table: Table, keys: Sequence[str]) -> list[Recorded]:
    """Return what each person said about each output, in the order of the first rows about it.

    keys: of the criteria, by their numbers.
    """
    names = {column: list(known) for column, known in table.names.items()}
    columns = [table.columns[name].tolist() for name in ("system", "item", "annotator")]
    times = _times(table)
    found: dict[tuple[int, int, int], Recorded] = {}
    rows = zip(*columns, table.columns["criterion"].tolist(), table.value.tolist(), strict=True)
    for row, (system, item, annotator, criterion, score) in enumerate(rows):
        scores: dict[str, float] = {keys[criterion]: score}
        key = system, item, annotator
        if key in found:
            found[key].scores.update(scores)  # type: ignore[attr-defined]
        else:
            at = times[row] if times else None
            found[key] = Recorded(
                names["system"][system],
                names["item"][item],
                names["annotator"][annotator],
                scores,
                at,
            )
    return list(found.values())


def _times(table: Table) -> list[datetime | None]:
    if TIME not in table.columns:
        return []
    read = [_time(text) for text in table.names[TIME]]
    numbers = table.columns[TIME].tolist()
    for row, number in enumerate(numbers):
        if number >= 0 and read[number] is None:
            raise FileError(
                table.path,
                int(table.line[row]),
                f"the time {table.name(TIME, row)[:40]!r} is no date; write it like 2026-03-31 or "
                "2026-03-31T14:05:00Z.",
            )
    return [read[number] if number >= 0 else None for number in numbers]


def _time(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
        day = parse_date(text) if found is None else None
    except ValueError:  # such as February 30th
        return None
    if day is not None:
        found = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if found is None or not 1900 < found.year < 2200:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _groups(table: Table) -> dict[str, str]:
    """Return the group of each item that has one. Raises `FileError`."""
    if GROUP not in table.columns:
        return {}
    items, groups = list(table.names["item"]), list(table.names[GROUP])
    found: dict[str, str] = {}
    told = np.flatnonzero(table.columns[GROUP] >= 0).tolist()
    for row in told:
        item = items[table.columns["item"][row]]
        group = groups[table.columns[GROUP][row]]
        if found.setdefault(item, group) != group:
            raise FileError(
                table.path,
                int(table.line[row]),
                f"item {item} is in group {group} here, and in {found[item]} before.",
            )
    return found


def _criteria(table: Table, keys: Sequence[str], scales: Iterable[str]) -> list[Criterion]:
    """Return the criteria of the file with their scales: those that are said, or built-in ones."""
    said = dict(map(_scale, filter(str.strip, scales)))
    names = [" ".join(name.split()) for name in table.names["criterion"]]
    if unknown := [name for name in said if name not in names]:
        raise Invalid(
            {"scales": f"The file has no criterion “{unknown[0]}”; it has {', '.join(names)}."}
        )
    found, lacking = [], []
    for number, (name, key) in enumerate(zip(names, keys, strict=True)):
        score = table.value[table.columns["criterion"] == number]
        known = said.get(name) or KNOWN_CRITERIA.get(name)
        if known is None:
            lacking.append(f"{name} {score.min():g} {score.max():g}")
            continue
        if known.bounded and not (known.low <= score.min() and score.max() <= known.high):
            raise Invalid(
                {
                    "scales": f"Scores on “{name}” reach from {score.min():g} to {score.max():g}, "
                    f"and its scale from {known.low:g} to {known.high:g}. Correct the scale, or "
                    f"add the word {UNBOUNDED}."
                }
            )
        found.append(replace(known, name=key, label=known.label or (name if name != key else "")))
    if lacking:
        raise Invalid(
            {
                "scales": f"The scale of “{lacking[0].rsplit(' ', 2)[0]}” is not known. Say the "
                "lowest and the highest score that it allows. In the file, they are: "
                + "; ".join(lacking)
            }
        )
    return found


def _scale(line: str) -> tuple[str, Criterion]:
    """Read a line such as `style 1 5`, or `errors 0 25 unbounded lower`."""
    words, options = line.split(), set[str]()
    while words and words[-1] in (UNBOUNDED, LOWER):
        options.add(words.pop())
    try:
        *name, low, high = words
        numbers = float(low), float(high)
    except ValueError:
        name, numbers = [], (0.0, 0.0)
    if not name or not -FURTHEST <= numbers[0] < numbers[1] <= FURTHEST:
        raise Invalid({"scales": f"“{line.strip()[:60]}” is no scale. Write it like: {LIKE}"})
    usual = KNOWN_CRITERIA.get(" ".join(name), Criterion("", *numbers))
    return " ".join(name), Criterion(
        " ".join(name),
        *numbers,
        bounded=UNBOUNDED not in options,
        higher_is_better=usual.higher_is_better and LOWER not in options,
        label=usual.label,
        balance=usual.balance,
        person_share=usual.person_share,
    )
