"""The forms of a file's entries, and how each becomes entries with item, system and output."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any

from annotate.campaigns.problems import (
    CHAT,
    DECODER,
    FIELDS,
    LONGEST_COLUMN,
    METRIC,
    MOST_UNKNOWN,
    NUMBERS,
    REQUIRED,
    SYSTEMS,
    UNUSED,
    FieldNames,
    fields_shown,
    folded,
)
from annotate.common import content
from annotate.common.errors import Invalid
from annotate.common.numbers import count, series

LOOKED_AT = 20  # entries from which the form is recognised
ONE_SYSTEM = "system"  # its name, where no name is given
PAIR = ("chosen", "rejected")
TURNS = {"messages", "conversation", "conversations"}
EXPORTED = {"output", "item", "systems", "text"}  # the fields of outputs.jsonl in an export
LONGEST_SYSTEM, LONGEST_START = 80, 60
FEW = 4  # texts; fewer do not repeat enough to be names
MISSPELT = 0.75  # how much a name must have of ours to be proposed for it
PARAGRAPH = re.compile(r"paragraphs?[ _.-]?(\d{1,2})", re.IGNORECASE)
NO_NAME = re.compile(r"[\s\d.,;:%+-]*|column \d+")  # what is in a first line that names nothing
NUMBERS_ALONE = re.compile(r"[\s\d.,%+-]*")
# Columns that describe a text. They are no systems, whatever they hold.
REMARKS = {"note", "notes", "comment", "comments", "remark", "remarks", "feedback", "rationale"}
_DESCRIBES = (
    "text title url link date time category topic domain language lang label split type author "
    "name instruction annotator reason explanation status"
)
DESCRIBES = {*REMARKS, *_DESCRIBES.split()}

# What a column may be, and how menus call it.
ROLES = {
    "": "not used",
    "item": "item (its name)",
    "system": "system (its name)",
    "output": "output",
    SYSTEMS: "outputs of one system",
    CHAT: "chat; its last turn is the output",
    "input": "input",
    "reference": "reference",
    "paragraphs": "paragraphs",
    "group": "group of items",
    NUMBERS: "number, for metrics",
    "metrics": "metrics (an object)",
}
ALTERNATIVES = {"output", SYSTEMS, CHAT}  # a table has one of these

Entry = dict[str, Any]
Split = Callable[[Entry], Iterable[Entry]]


class ShapeError(ValueError):
    """An entry is not as the form of its file demands."""


def _whole(entry: Entry) -> Iterable[Entry]:
    return (entry,)


@dataclass(frozen=True)
class Shape:
    """What the entries of a file are.

    told: what was read as what. split: gives the usual entries of one. system: of entries that name
    none. item: what stands for it where none is named, "number" (of the entry) or "input".
    """

    told: tuple[str, ...] = ()
    split: Split = field(default=_whole, compare=False)
    system: str = ""
    item: str = ""

    def filled(self, known: Entry, number: int) -> Entry:
        """Return the known fields of an entry, with chats as texts, and none of its names missing.

        number: of the entry in its file, from 1.
        """
        found = _with_texts(known)
        if self.system and found.get("system") is None:
            found["system"] = self.system
        if self.item and found.get("item") is None:
            given = found.get("input")
            if self.item == "number":
                found["item"] = str(number)
            elif given and isinstance(given, str):
                found["item"] = _named_by(given)
        return found


USUAL = Shape()


def shape_of(
    fields: Collection[str], first: Sequence[Entry], names: FieldNames, file: str = ""
) -> Shape | None:
    """Return what the entries of a file are; None where they lack what no form lacks.

    fields: the names in its first entries. file: its name in an archive, which is its system where
    no entry names one.
    """
    found = {ours: names.candidates(ours, fields) for ours in FIELDS}
    if all(found[ours] for ours in REQUIRED) or not fields:
        return USUAL
    chosen = [*names.systems, *([chat] if (chat := names.columns.get(CHAT)) else [])]
    if not set(chosen) <= set(fields):
        return None
    if any(ours in names.named and not found[ours] for ours in REQUIRED):
        return None
    if EXPORTED.issubset(fields) and not found["system"]:
        return Shape(("Read as the outputs of an export.",), _exported)
    unknown = _unknown(found, fields, names)
    if any(_is_misspelt(ours, unknown) for ours in REQUIRED if not found[ours]):
        return None
    split, told = _split(found, fields, first, unknown)
    if chosen:
        split, told = partial(_chat, chat) if chat else partial(_by_system, names.systems), []
    if split is None:
        return None
    by_column = isinstance(split, partial) and split.func is _by_system
    system, item = "", ""
    if not (found["system"] or by_column):
        if _repeat(first, found["item"]):
            return None
        system = file or ONE_SYSTEM
        told.append(
            "The name of each file is its system."
            if file
            else f"No system is named, so all outputs are of one, “{ONE_SYSTEM}”."
        )
    if not found["item"]:
        item = "input" if found["system"] and not by_column else "number"
        if item == "input" and not (found["input"] or isinstance(split, partial)):
            return None
        told.append(
            "No item is named: outputs with the same input are of one item."
            if item == "input"
            else "No item is named, so the items are numbered."
        )
    return Shape(tuple(told), split, system, item)


def roles(fields: Sequence[str], first: Sequence[Entry], names: FieldNames) -> dict[str, str]:
    """Return what each column is, as it was said or is proposed; "" for one that is not used.

    That is one of our fields, or a word that `FieldNames` takes.
    """
    found = {ours: names.candidates(ours, fields) for ours in FIELDS}
    read = {several[0]: ours for ours, several in found.items() if several}
    unknown = _unknown(found, fields, names)
    read |= dict.fromkeys(names.systems, SYSTEMS)
    read |= {name: CHAT for name in fields if name == names.columns.get(CHAT)}
    if not (names.columns or (found["system"] and found["output"])):
        split, _told = _split(found, fields, first, unknown)
        if isinstance(split, partial):
            chosen = split.args[0]
            read |= {chosen: CHAT} if split.func is _chat else dict.fromkeys(chosen, SYSTEMS)
        for ours in REQUIRED:
            close = get_close_matches(ours, [folded(name) for name in unknown], 1, MISSPELT)
            for name in unknown:
                if not found[ours] and close == [folded(name)]:
                    read.setdefault(name, ours)
    for name in unknown:
        values = [value for one in first if (value := one.get(name)) not in (None, "")]
        if values and name not in read and all(map(_is_number, values)):
            read[name] = NUMBERS
    return {name: read.get(name, "") for name in fields}


def said(chosen: Mapping[str, str], *, whole: bool = False) -> dict[str, Any]:
    """Return what somebody chose for each column, as `FieldNames` takes it.

    chosen: of some columns, or of all (`whole`), a key of `ROLES`. Raises `Invalid` for choices
    that contradict each other.
    """
    for name, role in chosen.items():
        if role not in ROLES:
            raise Invalid({"columns": f"A column is one of {', '.join(filter(None, ROLES))}."})
        if not is_name(name):
            raise Invalid({"columns": f"“{fields_shown(name)}” is no name of a column."})
    several: dict[str, list[str]] = {SYSTEMS: [], NUMBERS: [], UNUSED: []}
    singles: dict[str, str] = {}
    for name, role in chosen.items():
        if (key := role or UNUSED) in several:
            several[key].append(name)
        elif role in singles:
            raise Invalid({"columns": f"Two columns are chosen as “{ROLES[role]}”. Choose one."})
        else:
            singles[role] = name
    found = ALTERNATIVES.intersection(chosen.values())
    if len(found) > 1 or (whole and not found):
        either = " or ".join(f"“{ROLES[role]}”" for role in ROLES if role in ALTERNATIVES)
        raise Invalid({"columns": f"Choose which columns hold the outputs: {either}."})
    if SYSTEMS in found and "system" in singles:
        message = "Choose either a column for each system, or one that names the system."
        raise Invalid({"columns": message})
    return {**singles, **{key: names for key, names in several.items() if names}}


def is_name(name: str) -> bool:
    """Return whether a column can be chosen by its name: it can be stored and typed."""
    plain = name == name.encode(errors="replace").decode() and "\0" not in name
    return plain and 0 < len(name) <= LONGEST_COLUMN


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return bool(NUMBERS_ALONE.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unknown(
    found: Mapping[str, Sequence[str]], fields: Collection[str], names: FieldNames
) -> list[str]:
    taken = {name for several in found.values() for name in several}
    return [name for name in fields if name not in taken and name not in names.others]


def _split(
    found: Mapping[str, Sequence[str]],
    fields: Collection[str],
    first: Sequence[Entry],
    unknown: Sequence[str],
) -> tuple[Split | None, list[str]]:
    """Return how each entry is split, and what is told of it; None for no known form."""
    pair = [name for wanted in PAIR for name in fields if folded(name) == wanted]
    if len(pair) == len(PAIR):
        return partial(_by_system, pair), [_told_of(pair)]
    if found["output"]:
        return _whole, []
    if turns := [name for name in fields if folded(name) in TURNS]:
        told = f"“{fields_shown(turns[0])}” as chats: the last turn is the output, the others are"
        return partial(_chat, turns[0]), [f"Read {told} the input."]
    systems = [] if found["system"] else _systems(unknown, first, alone=len(unknown) == len(fields))
    if not systems or _repeat(first, found["item"]):
        return None, []
    told = f"{_told_of(systems)} Remove a column that is no system."
    return partial(_by_system, systems), [told]


def _told_of(systems: Sequence[str]) -> str:
    shown = series(f"“{fields_shown(name)}”" for name in systems[:MOST_UNKNOWN])
    more = f" and {count(rest)} more" if (rest := len(systems) - MOST_UNKNOWN) > 0 else ""
    return f"Read as a column for each system: {shown}{more}."


def _systems(names: Sequence[str], first: Sequence[Entry], *, alone: bool) -> list[str]:
    """Return the columns that hold the texts of a system each; none if it may be another table.

    alone: no other column has a known name, so perhaps the first line names nothing.
    """
    values = {name: [v for one in first if (v := one.get(name)) is not None] for name in names}
    filled = {name: sum(map(bool, found)) for name, found in values.items()}
    most = max(filled.values(), default=0)
    if alone and any(NO_NAME.fullmatch(name) or name in values[name] for name in names):
        return []
    found = [
        name
        for name in names
        if _may_be_system(name) and _are_texts(values[name]) and 2 * filled[name] >= most
    ]
    return found if len(found) > 1 else []


def _may_be_system(name: str) -> bool:
    known = PARAGRAPH.fullmatch(name) or name.startswith(METRIC) or folded(name) in DESCRIBES
    known = known or not REMARKS.isdisjoint(re.findall(r"[a-z]+", name.casefold()))
    return not known and not NO_NAME.fullmatch(name) and len(name) <= LONGEST_SYSTEM


def _are_texts(values: Sequence[Any]) -> bool:
    """Return whether these are texts of a system: neither numbers nor names that come again."""
    if any(not isinstance(one, str) and not _is_chat(one) for one in values):
        return False
    seen = {json.dumps(one) for one in values}
    comes_again = len(values) >= FEW and len(seen) <= len(values) / 2
    numbers = all(isinstance(one, str) and NUMBERS_ALONE.fullmatch(one) for one in values)
    return not comes_again and not numbers


def _is_misspelt(wanted: str, names: Sequence[str]) -> bool:
    """Return whether one may be a misspelling. Two of a kind, such as system 1 and 2, are not."""
    folded_names = [one for name in names[:MOST_UNKNOWN] if (one := folded(name)) not in DESCRIBES]
    close = get_close_matches(wanted, folded_names, n=MOST_UNKNOWN)
    of_a_kind = [name for name in close if wanted in name]
    return len(of_a_kind) == 1 or len(close) > len(of_a_kind)


def _repeat(first: Sequence[Entry], items: Sequence[str]) -> bool:
    """Return whether an item comes twice, so that something else tells its outputs apart."""
    found = [str(one.get(items[0])) for one in first] if items else []
    return len(set(found)) < len(found)


# How entries are split.


def _exported(entry: Entry) -> Iterator[Entry]:
    systems = entry.get("systems")
    if not isinstance(systems, list):
        raise ShapeError("“systems” is no list of names.")
    for system in systems:
        yield {"item": entry.get("item"), "system": system, "output": entry.get("text")}


def _by_system(systems: Sequence[str], entry: Entry) -> Iterator[Entry]:
    shared = {name: value for name, value in entry.items() if name not in systems}
    for system in systems:
        if (text := entry.get(system)) is None:
            message = f"no text of “{fields_shown(system)}”, which the first entries have."
            raise ShapeError(f'{message} Write "" for an empty one.')
        yield shared | {"system": system, "output": text}


def _chat(name: str, entry: Entry) -> Iterator[Entry]:
    turns = entry.get(name)
    if isinstance(turns, str):  # in a cell
        try:
            turns = DECODER.decode(turns.strip())
        except (json.JSONDecodeError, RecursionError):
            turns = None
    if not isinstance(turns, list):
        raise ShapeError(f"“{fields_shown(name)}” is no list of turns with “role” and “content”.")
    if not turns:
        raise ShapeError(f"“{fields_shown(name)}” has no turns.")
    yield {key: value for key, value in entry.items() if key != name} | {"output": turns}


def _named_by(text: str) -> str:
    """Return a name for the item with this input: its beginning, and a digest of all of it."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    return f"{' '.join(text[:LONGEST_START].split())} #{digest}"


# Chats: JSON, as `annotate.common.content` draws it.


def _is_chat(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(turn, dict) for turn in value)


def _with_texts(known: Entry) -> Entry:
    """Return the fields with a text for each chat. The last turn of an output is its text.

    The turns before it are the input, unless there is another one.
    """
    if not (isinstance(known.get("output"), list) or isinstance(known.get("input"), list)):
        return known
    found = dict(known)
    if _is_chat(found.get("output")):
        *before, last = _turns(found["output"])
        if last["role"].casefold() not in content.JUDGED:
            raise ShapeError(
                f"the chat ends with a turn of “{fields_shown(last['role'])}”. Its last turn must "
                "be of “assistant”: it is the output."
            )
        if last.get("content") is None:
            raise ShapeError("the last turn of the chat has no text as its “content”.")
        found["output"] = content.said(last)
        if before and found.get("input") is None:
            found["input"] = json.dumps(before, ensure_ascii=False)
    if _is_chat(found.get("input")):
        found["input"] = json.dumps(_turns(found["input"]), ensure_ascii=False)
    return found


def _turns(chat: Iterable[Any]) -> list[Entry]:
    return [_turn(number, turn) for number, turn in enumerate(chat, start=1)]


def _turn(number: int, turn: Any) -> Entry:
    if not isinstance(turn, dict) or not isinstance(turn.get("role"), str):
        raise ShapeError(
            f"turn {number} of the chat has no “role”. A turn looks like "
            '{"role": "user", "content": …}.'
        )
    said = turn.get("content")
    parts = said if isinstance(said, list) else []
    texts = (isinstance(one, dict) and isinstance(one.get("text"), str) for one in parts)
    if not isinstance(said, str | list | None) or not all(texts):
        raise ShapeError(
            f"turn {number} of the chat has no text as its “content”. Pictures and sounds cannot "
            "be judged here."
        )
    return turn


# Tables that are written column by column.


def is_by_columns(value: Any) -> bool:
    """Return whether this is a whole table: a list, or an object of the same kind, per column."""
    if not isinstance(value, dict) or len(value) < 2:
        return False
    columns = list(value.values())
    lists = all(isinstance(one, list) and not _is_chat(one) for one in columns)
    return lists or all(isinstance(one, dict) and all(map(str.isdecimal, one)) for one in columns)


def rows_of_columns(value: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the rows of such a table; raises `ShapeError` where its columns differ."""
    columns = {
        name: one if isinstance(one, dict) else dict(enumerate(one)) for name, one in value.items()
    }
    first, *others = columns
    for other in others:
        if columns[other].keys() != columns[first].keys():
            both = (
                f"“{fields_shown(name)}” has {count(len(columns[name]))}" for name in (first, other)
            )
            raise ShapeError(f"the columns are not of the same rows: {series(both)}.")
    for row in columns[first]:
        yield {name: column[row] for name, column in columns.items()}
