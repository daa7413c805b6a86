"""Scripted people at the annotator's pages, and the texts that they judge.

What somebody answers depends on the person and the text alone, so a text that somebody else gets
changes one answer and not all that follow.
"""

import json
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from html import unescape
from typing import Any

from django.test import Client

from tests.golden.seams import Clock

SUBJECTS = (
    "The council", "The old bridge", "The school garden", "A baker", "The harbour museum",
    "The ferry", "A choir", "The fire brigade", "The library", "A farmer",
)  # fmt: skip
ENDINGS = (
    "opens again on Saturday after two years of work", "asks for money for a new roof",
    "has found three boxes of letters in the cellar", "will close for the winter from Monday on",
    "looks for forty helpers until the end of the month", "wins the prize of the district again",
)  # fmt: skip
MARK = "⁂⁂⁂"  # between the two texts of a pair


def chance(*of: object) -> float:
    """Return a number from 0 to 1 that is always the same for the same names."""
    digest = blake2b("|".join(map(str, of)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def gauss(*of: object) -> float:
    """Return about a standard normal number, the same for the same names."""
    return (sum(chance(i, *of) for i in range(12))) - 6


QUALITY: dict[str, float] = {}  # of a text
PARAGRAPHS: dict[str, list[str]] = {}  # of an answer


def outputs(name: str, items: int, systems: Mapping[str, float], **more: Any) -> list[dict]:
    """Return rows of an import; better systems repeat and garble less. Systems may agree."""
    return [
        _output(name, i, system, level, **more)
        for i in range(items)
        for system, level in systems.items()
    ]


def _output(
    name: str, i: int, system: str, level: float, *, paragraphs: int = 0, group: int = 0
) -> dict[str, Any]:
    subject, ending = SUBJECTS[i % len(SUBJECTS)], ENDINGS[i // len(SUBJECTS) % len(ENDINGS)]
    right = f"{subject} of {name} {i} {ending}, as the mayor said on Tuesday in the town hall."
    quality = level + 0.5 * gauss("item", name, i) + 0.6 * gauss("text", name, i, system)
    text = right
    if quality < 0.4:
        text = f"{right} {subject} {ending.split()[0]} {ending.split()[0]} again, {system} says."
    if quality < -0.4:
        text = f"{text.replace('the ', '')} And {subject.lower()} of of it."
    row: dict[str, Any] = {"item": f"{name}-{i}", "system": system, "output": text}
    if paragraphs:
        row["input"] = f"What does {subject.lower()} of {name} {i} do?"
        row["paragraphs"] = [
            f"Part {p}: {subject} of {name} {i} {ENDINGS[(i + p) % len(ENDINGS)]}. Nobody knows."
            for p in range(paragraphs)
        ]
        PARAGRAPHS[text] = row["paragraphs"]
    else:
        row["reference"] = right
    if group:
        row["group"] = f"{name}-{i // group}"
    QUALITY[text] = quality
    return row


Answer = Callable[["Person", str], dict[str, Any]]


def level(value: float, cuts: tuple[float, ...], lowest: int) -> int:
    return lowest + sum(value > cut for cut in cuts)


def of_language(who: "Person", text: str) -> dict[str, Any]:
    names = ("fluency", "redundancy", "overall")
    found = {one: level(who.finds(text, one), (-0.5, 0.3), -1) for one in names}
    poor = min(found.values()) < 1
    return {**found, "edit": _edited(text) if poor else None}


def of_recipes(who: "Person", text: str) -> dict[str, Any]:
    works = level(who.finds(text, "works"), (-1.2, -0.4, 0.3, 1.1), -2)
    clear = level(who.finds(text, "clear"), (0.0,), 0)
    evidence = {"works": _highlighted(text, 3)} if works < 0 else {}
    return {
        "works": works,
        "clear": clear,
        "evidence": evidence,
        "edit": None if clear else _edited(text),
    }


def of_answers(who: "Person", text: str) -> dict[str, Any]:
    if who.finds(text, "plausible") < -1.3:
        return {"plausible": False, "verdicts": []}
    verdicts = []
    for paragraph in PARAGRAPHS[text]:
        value = level(who.finds(text, paragraph), (-0.8, 0.4), -1)
        spans = _highlighted(paragraph, 8) if value else []
        verdicts.append({"value": value, "spans": spans, "confirmed": bool(value)})
    return {"plausible": True, "verdicts": verdicts}


def of_pairs(who: "Person", text: str) -> dict[str, Any]:
    """In the order in which the page shows them."""
    first, second = (part.strip() for part in text.split(MARK))
    apart = who.finds(first, "pair") - who.finds(second, "pair")
    return {"preference": level(apart, (-1.2, -0.3, 0.3, 1.2), -2)}


def _highlighted(text: str, words: int) -> list[dict[str, Any]]:
    """Highlight so many words at the beginning."""
    part = " ".join(text.split(" ")[:words])
    return [{"start": 0, "end": len(part), "text": part}]


def _edited(text: str) -> str:
    words = text.rstrip(".").split()
    kept = [word for word, before in zip(words, ["", *words], strict=False) if word != before]
    return " ".join([*kept[: max(6, len(kept) - 3)], "today"]) + "."


class Person:
    """Somebody with a browser. Careless people take three seconds and find everything perfect."""

    def __init__(self, name: str, clock: Clock, answer: Answer, *, careless: bool = False) -> None:
        self.name, self.clock, self.answer, self.careless = name, clock, answer, careless
        self.client = Client(REMOTE_ADDR=f"10.0.{int(chance(name) * 250)}.7")
        self.page, self.token, self.last = "", "", 0
        self.message = ""

    def finds(self, text: str, what: str) -> float:
        if self.careless:
            return 9.0
        own = 0.25 * gauss(self.name)
        return QUALITY[text] + own + 0.4 * gauss(self.name, text, what)

    def join(self, link: str) -> None:
        """Come by a personal link."""
        self.enter(self.client.post(link, {"name": self.name}))

    def enter(self, answer: Any) -> None:
        assert answer.status_code in (302, 303), answer.content.decode()
        self.page = answer["Location"]

    def open(self, more: str = "") -> str:
        """Return the markup of the page of the work, or of one beside it."""
        answer = self.client.get(self.page + more)
        return str(answer.content.decode())

    def data(self, more: str = "") -> dict[str, Any]:
        """Return what the page tells its script; {} where it has none."""
        found = re.search(r'id="work-data"[^>]*>(.*?)</script>', self.open(more), re.DOTALL)
        data: dict[str, Any] = json.loads(unescape(found[1])) if found else {}
        self.token = data.get("token", self.token)
        return data

    def judge(self) -> bool:
        """Judge the text that the page shows; False and its message where there is none."""
        data = self.data()
        if not data.get("assignment"):
            self.message = (data.get("finished") or {}).get("message", "no task")
            return False
        self._send(data["urls"]["submit"], data["assignment"])
        return True

    def _send(self, url: str, task: dict[str, Any], **more: Any) -> None:
        text = task["text"].replace("\r\n", "\n")
        spent = 3.0 if self.careless else 15 + 40 * chance(self.name, text, "seconds")
        self.clock.pass_(seconds=round(spent, 1) + 1)
        body = {
            "response": self.answer(self, text),
            "active_seconds": round(spent, 1),
            "version": task["version"],
        }
        answer = self.post(url, {**body, **more})
        assert answer.status_code == 200, (answer.content.decode(), body)

    def correct(self) -> None:
        """Find the text submitted last perfect after all."""
        data, usual = self.data("correct/"), self.careless
        self.careless = True
        after = data["correcting"]["after"]
        self._send(data["urls"]["submit"], data["assignment"], after=after)
        self.careless = usual

    def give_back(self) -> None:
        data = self.data()
        self.post(data["urls"]["return"], {})

    def post(self, url: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.client.post(url, body, content_type="application/json", headers=headers)
