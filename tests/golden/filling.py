"""Fills a database: campaigns of every kind, from their import to the last cent."""

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client

from tests.crowds.far_side import FarSide, NoPlace
from tests.golden import crowd, seams
from tests.golden.crowd import Answer, Person

API = "/api/v1/"
REASON = (
    "Every answer was the same, whatever the text said, and none took longer than three seconds: "
    "nobody can have read them."
)
TERMS = {"title": "Rate news", "description": "Read a short text and rate it.", "tasks": 3}
RECIPES = {
    "key": "golden_recipes",
    "label": "Recipes",
    "task": "Read the text, say whether it would work.",
    "about": "You read short texts and say whether they work.",
    "steps": ["Read the text.", "Say how far it would get you."],
    "minutes": "1–2",
    "criteria": [
        {
            "name": "works",
            "label": "Would it work?",
            "question": "How far would it get you?",
            "evidence": "Highlight what would go wrong.",
            "levels": [
                {"value": 2, "label": "As it stands", "cue": "At once"},
                {"value": 1, "label": "With a guess", "cue": "One thing is open"},
                {"value": 0, "label": "With luck", "cue": "Several things are open"},
                {
                    "value": -1,
                    "label": "Hardly",
                    "cue": "A step is wrong",
                    "requires": ["evidence"],
                },
                {"value": -2, "label": "Not at all", "cue": "No", "requires": ["evidence"]},
            ],
        },
        {
            "name": "clear",
            "label": "Clarity",
            "question": "Is it easy to follow?",
            "levels": [
                {"value": 1, "label": "Yes", "cue": "Read once"},
                {"value": 0, "label": "No", "cue": "Read twice", "requires": ["edit"]},
            ],
        },
    ],
    "example": {"text": "Boil the eggs eight minutes. Cold water then, and peel."},
}


@dataclass
class Filled:
    """Names of campaigns -> their public ids; pages that people saw on the way; who is whom."""

    clock: seams.Clock
    ada: Client
    campaigns: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    people: dict[str, list[Person]] = field(default_factory=dict)

    def call(self, path: str, body: Any = None, *, ok: Sequence[int] = (200, 201, 202)) -> Any:
        """Ask the API as the owner: GET, or POST with a body."""
        url = path if path.startswith("/") else API + path
        send = self.ada.get(url) if body is None else self.ada.post(url, body, "application/json")
        assert send.status_code in ok, (path, send.status_code, send.content.decode()[:2000])
        return send.json()

    def of(self, name: str, path: str = "", body: Any = None) -> Any:
        return self.call(f"campaigns/{self.campaigns[name]}/{path}", body)

    def create(self, name: str, outputs: list[dict], *options: str) -> None:
        """Import by the command, and open."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "outputs.jsonl")
            file.write_text("".join(json.dumps(row) + "\n" for row in outputs))
            said = StringIO()
            usual = ("--owner", "ada", "--seed", "7", "--no-tutorial", "--open", "--json")
            call_command(
                "create_campaign", str(file), "--name", name, *usual, *options, stdout=said
            )
        # Its public id draws where gold items are asked.
        self.campaigns[name] = public_id = name.ljust(10, "0")
        made = seams.rows("Campaign").filter(public_id=json.loads(said.getvalue())["id"])
        made.update(public_id=public_id)

    def invite(
        self, name: str, n: int, answer: Answer, careless: Sequence[str] = ()
    ) -> list[Person]:
        names = [f"{name}-p{i}" for i in range(n)]
        links = {
            one["name"]: one["link"]
            for one in self.of(name, "links/", {"names": names})["personal"]
        }
        people = [Person(one, self.clock, answer, careless=one in careless) for one in names]
        self.people[name] = people
        self.pages[f"{name}/join"] = people[0].client.get(_path(links[names[0]])).content.decode()
        for one in people:
            one.join(_path(links[one.name]))
        self.pages[f"{name}/first"] = people[0].open()
        return people

    def work(self, people: list[Person], most: int, *, every: int = 20) -> int:
        """Let people judge by turns, and workers work after each `every` judgments."""
        done, active = 0, list(people)
        while active and done < most:
            for one in list(active):
                if done >= most or not one.judge():
                    active.remove(one)
                    continue
                done += 1
                if done % every == 0:
                    seams.work_through(self.clock)
        seams.work_through(self.clock)
        return done

    def ends(self, name: str) -> None:
        """Keep what people see when it is over."""
        people = self.people[name]
        for page in ("", "me/"):
            self.pages[f"{name}/last {page}"] = people[0].open(page)

    def pseudonym(self, person: str) -> str:
        return str(seams.rows("Annotator").get(external_id=person).pseudonym)

    def rule(self, name: str, person: str, acts: list[str], reason: str = REASON) -> None:
        case = f"reviews/{self.pseudonym(person)}/"
        seen = self.of(name, case)["seen"]
        self.clock.pass_(minutes=1)
        body = {"acts": acts, "reason": reason, "seen": seen, "beyond_budget": True}
        self.of(name, f"{case}rule/", body)


def _path(link: str) -> str:
    return re.sub(r"^https?://[^/]+", "", link)


def fill(clock: seams.Clock) -> Filled:
    user = seams.model("User").objects.create_user("ada", password="long enough to be fine")
    eve = seams.model("User").objects.create_user("eve", password="long enough to be fine")
    filled = Filled(clock, Client())
    for step in (reviewed, mturk, prolific, quality, rating, answers, pairs, draft):
        filled.ada.force_login(user)  # a log-in lasts for two weeks
        step(filled)
        clock.pass_(hours=20)
        seams.work_through(clock)
    filled.ada.force_login(user)
    seams.model("Membership").objects.create(
        campaign=seams.rows("Campaign").get(public_id=filled.campaigns["reviewed"]),
        user=eve,
        role="reviewer",
    )
    return filled


def quality(filled: Filled) -> None:
    """Language quality, which stops at its targets; a metric, one correction, one return."""
    outputs = crowd.outputs("news", 40, {"alpha": 0.9, "beta": 0.3})
    filled.create(
        "quality", outputs, "--target", "overall=0.7", "--metric", "auto", "--reward", "0.40"
    )
    people = filled.invite("quality", 10, crowd.of_language)
    filled.work(people, 10)
    people[1].judge()
    people[1].correct()
    people[2].give_back()
    filled.work(people, 60)
    filled.ends("quality")


def rating(filled: Filled) -> None:
    """A researcher's own instrument, valid at every look, in groups, until the most judgments."""
    filled.call("instruments/", RECIPES)
    outputs = crowd.outputs("dish", 24, {"alpha": 1.0, "beta": 0.2, "gamma": -0.4}, group=2)
    filled.create(
        "rating", outputs, "--instrument", "golden_recipes", "--target", "works=0.9",
        "--stop-mode", "anytime", "--max-judgments", "45", "--metric", "rouge_l_f",
        "--reward", "0.25", "--consent", "You may stop at any time.", "--ethics", "2026/1",
        "--background", "How often do you cook? | often | seldom",
    )  # fmt: skip
    people = filled.invite("rating", 8, crowd.of_recipes)
    filled.pages["rating/consent"] = people[0].open()
    for one in people:
        one.client.post(f"{one.page}consent/", {"accept": "yes", "version": "1"})
        one.client.post(f"{one.page}background/", {"answer0": str(int(crowd.chance(one.name) * 2))})
    filled.work(people, 90)
    filled.ends("rating")


def answers(filled: Filled) -> None:
    """Answer correctness with paragraphs, panel estimand, until everything is collected."""
    outputs = crowd.outputs("question", 14, {"alpha": 0.6, "beta": -0.2}, paragraphs=2)
    filled.create(
        "answers", outputs, "--instrument", "answer_correctness", "--target", "any_correct=0.1",
        "--estimand", "panel", "--reward", "0.30", "--cap", "12", "--double-share", "0.3",
    )  # fmt: skip
    filled.work(filled.invite("answers", 7, crowd.of_answers), 90)
    filled.ends("answers")


def pairs(filled: Filled) -> None:
    """Comparisons of three systems, until every pair is decided."""
    outputs = crowd.outputs("pair", 18, {"alpha": 1.4, "beta": 0.2, "gamma": -1.2})
    filled.create(
        "pairs", outputs, "--instrument", "preference", "--stop-mode", "ranking",
        "--margin", "preference=0.2", "--planned-items", "16", "--reward", "0.20",
    )  # fmt: skip
    filled.work(filled.invite("pairs", 8, crowd.of_pairs), 90)
    filled.ends("pairs")


def reviewed(filled: Filled) -> None:
    """Own gold items, careless people, rulings of every kind, appeals, pay-outs; closed by hand."""
    name = "reviewed"
    outputs = crowd.outputs("story", 40, {"alpha": 0.8, "beta": 0.0})
    gold = [
        {
            "item": f"gold-{i}",
            "output": f"The town hall of gold {i} is is is broken and and it not opens the never.",
            "expected": {"fluency": [-1], "overall": [-1, 0]},
        }
        for i in range(4)
    ]
    for row in gold:
        crowd.QUALITY[row["output"]] = -2.0
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(gold, file)
        file.flush()
        filled.create(
            name, outputs, "--target", "overall=0.2", "--gold", file.name, "--reward", "0.40",
            "--tutorial-bonus", "0.50", "--bonus-after", "3", "--budget", "60",
        )  # fmt: skip
    careless = [f"{name}-p{i}" for i in (1, 4, 6)]
    people = filled.invite(name, 9, crowd.of_language, careless)
    filled.work(people, 50)
    people[0].judge()
    people[0].correct()
    people[2].judge()
    seams.work_through(filled.clock)
    filled.rule(name, careless[0], ["exclude", "refuse"])
    filled.rule(name, careless[1], ["exclude"])
    filled.rule(name, careless[2], ["exclude", "refuse", "block"])
    filled.rule(name, f"{name}-p3", ["clear"], "")
    seams.work_through(filled.clock)
    for n in (1, 6):
        filled.pages[f"{name}/refused {n}"] = people[n].open("me/")
        people[n].data("me/")
        assert people[n].post("/work/appeal", {"text": "I have read all."}).status_code == 200
    filled.rule(name, careless[0], ["repay", "restore"], "The appeal is right.")
    filled.of(name, f"reviews/{filled.pseudonym(careless[2])}/dismiss/", {"answer": "No."})
    filled.pages[f"{name}/answered"] = people[6].open("me/")
    gift = {"kind": "bonus", "amount": "1.00", "reason": "For the care.", "key": "gift-1"}
    filled.of(name, "extra-pay/", {**gift, "annotator": filled.pseudonym(f"{name}-p0")})
    filled.work([one for one in people if one.name not in careless], 12)
    first = filled.of(name, "payouts/", {})
    filled.of(name, f"payouts/{first['id']}/paid/", {})
    undo = {"annotators": [first["lines"][0]["annotator"]], "reason": "The bank sent it back."}
    filled.of(name, f"payouts/{first['id']}/undo/", undo)
    filled.of(name, "close/", {})
    seams.work_through(filled.clock)
    filled.work([one for one in people if one.name not in careless], 20)
    filled.of(name, "payouts/", {})
    filled.ends(name)


def mturk(filled: Filled) -> None:
    with seams.mturk(filled.clock) as far:
        _market(filled, "mturk", far, _by_form)


def prolific(filled: Filled) -> None:
    with seams.prolific(filled.clock) as far:
        _market(filled, "prolific", far, lambda far, unit, _page: far.submit(unit, receipt=""))


def _by_form(far: FarSide, unit: str, page: str) -> None:
    found = re.search(r'name="receipt" value="([^"]+)"', page)
    assert found, page
    far.submit(unit, receipt=unescape(found[1]))


HandIn = Callable[[FarSide, str, str], None]


def _market(filled: Filled, name: str, far: FarSide, hand_in: HandIn) -> None:
    """Launch, work in submissions, one returned and one excluded and refused; then pay and end."""
    outputs = crowd.outputs(name, 15, {"alpha": 0.8, "beta": 0.1})
    filled.create(
        name, outputs, "--crowd", name, "--target", "overall=0.1", "--reward", "0.40",
        "--budget", "90", "--tutorial-bonus", "0.30", "--bonus-after", "3",
    )  # fmt: skip
    offer = filled.of(name, "batches/offer/", {**TERMS, "places": 8})
    launch = {**TERMS, "places": 8, "confirmed": offer["total"], "key": f"{name}-1"}
    filled.of(name, "batches/", {**launch, "environment": offer["environment"]})
    seams.work_through(filled.clock)
    filled.people[name] = []
    for n in range(9):
        _unit(filled, name, far, n, hand_in)
        if n % 3 == 2:
            seams.work_through(filled.clock)
    careless = far.person(4)
    filled.rule(name, careless, ["exclude", "refuse"])
    filled.clock.pass_(hours=2)
    seams.work_through(filled.clock)
    gift = {"kind": "compensation", "amount": "0.75", "reason": "It took long.", "key": "gift"}
    filled.of(name, "extra-pay/", {**gift, "annotator": filled.pseudonym(far.person(2))})
    filled.of(name, "close/", {})
    for _day in range(4):
        filled.clock.pass_(hours=25)
        seams.work_through(filled.clock)
    filled.ends(name)
    there = {
        "paid": sorted(str(amount) for amount in far.paid().values()),
        "bonuses": sorted([who, str(amount)] for who, _unit, amount in far.bonuses()),
        "balance": str(far.balance),
    }
    filled.pages[f"{name}/the far side"] = json.dumps(there)


def _unit(filled: Filled, name: str, far: FarSide, n: int, hand_in: HandIn) -> None:
    person = Person(far.person(n), filled.clock, crowd.of_language, careless=n == 4)
    for posting in seams.rows("Posting").filter(batch__crowd=name).exclude(external_id=""):
        try:
            unit = far.accept(posting.external_id, person.name)
            break
        except NoPlace:
            continue
    else:
        return
    address = seams.entry_address(posting)
    given = {
        "mturk": {
            "assignmentId": unit,
            "hitId": posting.external_id,
            "workerId": person.name,
            "turkSubmitTo": getattr(far, "url", ""),
        },
        "prolific": {
            "PROLIFIC_PID": person.name,
            "STUDY_ID": posting.external_id,
            "SESSION_ID": unit,
        },
    }[name]
    person.enter(person.client.get(address, given))
    filled.people[name].append(person)
    if n == 0:
        filled.pages[f"{name}/first"] = person.open()
    if n == 5:
        person.judge()
        far.give_back(unit)
        return
    while person.judge():
        pass
    if n == 1:
        person.correct()
    filled.clock.pass_(minutes=1)
    page = person.open("?hand-in")
    if n == 0:
        filled.pages[f"{name}/handed in"] = page
    hand_in(far, unit, page)


def draft(filled: Filled) -> None:
    """A campaign that has not begun, by the API, and an open one with little work."""
    outputs = crowd.outputs("draft", 5, {"alpha": 0.8, "beta": 0.1})
    made = filled.call(
        "campaigns/", {"name": "draft", "targets": {"overall": 0.2}, "outputs": outputs}
    )
    filled.campaigns["draft"] = made["id"]
    filled.create("young", crowd.outputs("young", 8, {"alpha": 0.8}), "--target", "overall=0.2")
    filled.work(filled.invite("young", 3, crowd.of_language), 7)
