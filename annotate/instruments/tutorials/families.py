"""Families of questions: versions of one question, with slots whose values are drawn.

A person who remembers an earlier drawing does not know the next one: another version has another
right answer, and the values of the slots differ.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from annotate.instruments.tutorials.digests import digest
from annotate.instruments.tutorials.questions import KINDS, Question, Studied
from annotate.schemas import Fault, refuse
from annotate.text.problem_sentences import PLAIN

# {town}; {town:2} is another town in the same question; {pair.2} the second part of a value.
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)(?::(2))?(?:\.([1-9]))?\}")
ONE_OF = "one_of"  # {"one_of": [...]} stands for one of its members
MOST_VERSIONS = 12
MOST_VALUES = 1000  # of a slot
CHECKED = 10  # drawings of each version that are checked when a tutorial is read
TRIES = 20  # drawings, if the values of some do not fit together
DEEPEST = 3  # slots inside the values of slots

Value = tuple[str, ...]
Slots = Mapping[str, tuple[Value, ...]]
Pick = Callable[[str, int], int]  # the slot and how many values it has -> the number of one

Written = tuple[tuple[str | int, ...], Mapping[str, Any]]  # a version's path, and what it says


@dataclass(frozen=True)
class Version:
    """One version of a question as it stands in the file, with the values of its slots."""

    raw: Mapping[str, Any]
    slots: Slots

    def filled(self, pick: Pick) -> dict[str, Any]:
        return {name: _filled(value, self.slots, pick) for name, value in self.raw.items()}


@dataclass(frozen=True)
class Family:
    """The versions of one question; `samples` shows each of them once."""

    key: str
    kind: str
    section: str
    digest: str
    versions: tuple[Version, ...]
    samples: tuple[Question, ...]
    studied: Studied

    @property
    def is_graded(self) -> bool:
        return self.kind != "example"

    def question(self, number: int) -> Question:
        """Return the question of this drawing; the same number draws the same one."""
        place = number % len(self.versions)
        for attempt in range(TRIES):
            raw = self.versions[place].filled(_drawing(f"{number}:{attempt}"))
            try:
                return KINDS[self.kind].model_validate(raw, context=self.studied)
            except ValidationError:
                continue
        return self.samples[place]


def read(given: Any, studied: Studied) -> Family:
    """Return the family that a question of a file describes; raises what pydantic's fields do."""
    if not isinstance(given, dict):
        refuse([((), PLAIN["dict_type"])])
    versions = [Version(raw, slots) for raw, slots in _versions(given, studied)]
    samples = [_checked(one, number, given, studied) for number, one in enumerate(versions)]
    first = samples[0]
    return Family(
        key=first.key,
        kind=first.kind,
        section=first.section,
        digest=digest(given),
        versions=tuple(versions),
        samples=tuple(samples),
        studied=studied,
    )


def slots(given: Any) -> dict[str, tuple[Value, ...]]:
    """Return the values of slots; raises what pydantic's fields do."""
    if not isinstance(given, dict):
        refuse([((), PLAIN["dict_type"])])
    return {name: _values(name, given[name]) for name in given}


def _versions(given: Mapping[str, Any], studied: Studied) -> Iterator[tuple[dict[str, Any], Slots]]:
    """Yield each version with the fields that it shares with the others, and its slots."""
    shared = {name: given[name] for name in given if name not in ("versions", "slots")}
    own = _at(("slots",), given.get("slots") or {})
    versions = given.get("versions") or [{}]
    if not isinstance(versions, list) or len(versions) > MOST_VERSIONS:
        refuse([(("versions",), f"Must be a list of at most {MOST_VERSIONS} versions.")])
    for number, one in enumerate(versions):
        place = ("versions", number)
        if not isinstance(one, dict):
            refuse([(place, PLAIN["dict_type"])])
        extra = _at((*place, "slots"), one.get("slots") or {})
        case = _case(one, studied, place)
        rest = {name: one[name] for name in one if name not in ("slots", "case")}
        yield {**shared, **case, **rest}, {**studied.slots, **own, **extra}


def _case(one: Mapping[str, Any], studied: Studied, place: tuple[str | int, ...]) -> dict[str, Any]:
    name = one.get("case")
    if name is None:
        return {}
    found = studied.cases.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(studied.cases) or "none"
        refuse([((*place, "case"), f"There is no such case; there are {known}.")])
    return found


def _at(place: tuple[str | int, ...], given: Any) -> dict[str, tuple[Value, ...]]:
    try:
        return slots(given)
    except ValidationError as error:
        refuse(((*place, *one["loc"]), one["msg"]) for one in error.errors(include_url=False))


def _values(name: Any, given: Any) -> tuple[Value, ...]:
    if isinstance(given, dict) and set(given) == {"from", "to"}:
        first, last = given["from"], given["to"]
        if type(first) is int and type(last) is int and 0 <= last - first < MOST_VALUES:
            return tuple((str(number),) for number in range(first, last + 1))
    if isinstance(given, list) and 0 < len(given) <= MOST_VALUES:
        found = [_value(one) for one in given]
        if all(found) and len({len(one) for one in found}) == 1:
            return tuple(found)
    message = "Must be a list of texts, of equally long lists of texts, or “from” and “to”."
    return refuse([((str(name),), message)])


def _value(given: Any) -> Value:
    parts = given if isinstance(given, list) else [given]
    return tuple(parts) if all(isinstance(part, str) and part for part in parts) else ()


def _checked(version: Version, number: int, given: Mapping[str, Any], studied: Studied) -> Question:
    """Return the first drawing of a version, after some of its drawings were checked."""
    place = ("versions", number) if given.get("versions") else ()
    kind = version.raw.get("kind")
    if not isinstance(kind, str) or kind.strip() not in KINDS:
        refuse([((*place, "kind"), f"Must be one of {', '.join(KINDS)}.")])
    if unknown := _unknown(version):
        refuse([((*place, "slots"), f"There is no slot “{unknown}”.")])
    own = given["versions"][number] if place else given
    made = [_one(version, turn, (place, own), studied) for turn in range(_turns(version))]
    return made[0]


def _one(version: Version, turn: int, at: Written, studied: Studied) -> Question:
    raw = version.filled(lambda slot, n: (turn + (":2" in slot)) % n)
    try:
        return KINDS[raw["kind"].strip()].model_validate(raw, context=studied)
    except ValidationError as error:
        refuse(_faults(error, at))


def _faults(error: ValidationError, at: Written) -> Iterator[Fault]:
    """Yield the faults by their paths: in the version if it has the field, else in the question."""
    place, own = at
    for one in error.errors(include_url=False):
        before = place if one["loc"] and one["loc"][0] in own else ()
        yield (*before, *one["loc"]), one["msg"]


def _turns(version: Version) -> int:
    return min(CHECKED, max((len(values) for values in version.slots.values()), default=1))


def _unknown(version: Version) -> str:
    """Return a slot of the version that has no values; "" where it uses no slots at all."""
    if not version.slots:
        return ""
    used = SLOT.findall(str(version.raw))
    return next((name for name, _second, _part in used if name not in version.slots), "")


def _drawing(number: str) -> Pick:
    def pick(slot: str, n: int) -> int:
        drawn = hashlib.sha256(f"{number}:{slot}".encode()).digest()
        return int.from_bytes(drawn[:8], "big") % n

    return pick


def _filled(value: Any, slots: Slots, pick: Pick, depth: int = 0) -> Any:
    """Return the value with the slots in its texts filled."""
    if isinstance(value, list):
        return [_filled(one, slots, _numbered(pick, n)) for n, one in enumerate(value)]
    if isinstance(value, dict) and set(value) == {ONE_OF} and value[ONE_OF]:
        choices = value[ONE_OF]
        chosen = choices[pick(ONE_OF, len(choices))] if isinstance(choices, list) else choices
        return _filled(chosen, slots, pick)
    if isinstance(value, dict):
        return {name: _filled(one, slots, pick) for name, one in value.items()}
    if not slots or not isinstance(value, str) or depth > DEEPEST:
        return value

    def put(found: re.Match[str]) -> str:
        name, second, part = found.groups()
        if name not in slots:
            return found[0]
        chosen = slots[name][_place(name, len(slots[name]), bool(second), pick)]
        return chosen[min(int(part or 1), len(chosen)) - 1]

    done = SLOT.sub(put, value)
    return done if done == value else _filled(done, slots, pick, depth + 1)


def _numbered(pick: Pick, place: int) -> Pick:
    """Return a pick that draws among choices anew in each member of a list."""
    return lambda slot, n: pick(f"{slot}:{place}" if slot.startswith(ONE_OF) else slot, n)


def _place(name: str, n: int, second: bool, pick: Pick) -> int:
    """Return the number of the drawn value; the second one of a question is another."""
    first = pick(name, n)
    if not second or n < 2:
        return first
    return (first + 1 + pick(f"{name}:2", n - 1)) % n
