"""Simulated annotators: how they judge and edit, and how they work on the pages, over HTTP."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any
from urllib.parse import urlencode, urljoin

from extras.demo import corpus, schooling
from extras.demo.browser import (
    Browser,
    Data,
    Document,
    InterruptedVisitError,
    Page,
    PageForm,
)
from extras.demo.corpus import CorpusOutput, known_output

CRITERIA = ("fluency", "redundancy", "overall")

# Cost of each defect, in the order of CRITERIA.
SEVERITY: Mapping[str, tuple[float, float, float]] = {
    "repeated_sentence": (0.15, 1.45, 1.0),
    "restated": (0.05, 0.85, 0.5),
    "repeated_phrase": (0.6, 1.2, 1.0),
    "repeated_name": (0.1, 0.55, 0.3),
    "doubled_word": (0.5, 0.25, 0.4),
    "wrong_preposition": (0.55, 0.0, 0.4),
    "wrong_agreement": (0.55, 0.0, 0.35),
    "missing_article": (0.5, 0.0, 0.3),
    "unknown_token": (0.75, 0.0, 0.65),
    "scrambled": (1.3, 0.1, 1.1),
    "truncated": (0.9, 0.0, 0.8),
    "boilerplate": (0.4, 0.3, 0.55),
}

SOUND = (0.85, 0.9, 0.65)  # the latent quality of a text without defects
TASTE = 0.3  # sd of the quality that readers agree on beyond defects
CUT = 0.33


@dataclass(frozen=True)
class DemoAnswer:
    levels: Mapping[str, int]
    output: CorpusOutput

    @property
    def edit_required(self) -> bool:
        return any(level < 1 for level in self.levels.values())


def unread(text: str) -> DemoAnswer:
    """Return the best levels, whatever the text is."""
    return DemoAnswer(dict.fromkeys(CRITERIA, 1), known_output(text))


def quality(text: str, defects: tuple[str, ...]) -> tuple[float, float, float]:
    """Return the latent quality per criterion, the same for every reader."""
    taste = Random(sha256(text.encode()).hexdigest())
    shared = taste.gauss(0, TASTE)
    fluency, redundancy, overall = (
        sound + 0.6 * shared + 0.6 * taste.gauss(0, TASTE) - _cost(defects, column)
        for column, sound in enumerate(SOUND)
    )
    return fluency, redundancy, overall


def _cost(defects: tuple[str, ...], column: int) -> float:
    """Return the cost of defects: the first one annoys most, and each further one adds less."""
    costs = sorted((SEVERITY[kind][column] for kind in defects), reverse=True)
    return sum(cost * 0.7**rank for rank, cost in enumerate(costs))


def judge(text: str, leniency: float, noise: float, rng: Random) -> DemoAnswer:
    output = known_output(text)
    mood = rng.gauss(0, noise * 0.6)
    levels = {
        criterion: level(value + leniency + mood + rng.gauss(0, noise))
        for criterion, value in zip(CRITERIA, quality(text, output.defects), strict=True)
    }
    return DemoAnswer(levels, output)


def level(latent: float) -> int:
    return (latent > CUT) - (latent < -CUT)


def sensible_edit(text: str, output: CorpusOutput, rng: Random) -> str:
    """Return an edit of all defects, sometimes only of the last ones; sound texts are polished."""
    if len(output.versions) > 2 and rng.random() < 0.15:
        return rng.choice(output.versions[1:-1])
    if output.corrected != text:
        return output.corrected
    return corpus.polished(text)


FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
CARELESS = 5  # the position in the cast of the person who does not read
USUAL_SPEED = 230.0  # words per minute
LEARNING = 0.05  # the time for a tutorial's question, as a share of the time for a text
Say = Callable[[str], None]
Turn = Callable[[], object]  # called before each text; it may block


@dataclass
class Tally:
    """The results of a person's visit."""

    submitted: int = 0
    refused: int = 0
    returned: int = 0
    lost: int = 0
    handed_in: int = 0  # paid units of a marketplace
    given_back: int = 0
    end: str = ""


@dataclass(frozen=True)
class Habits:
    """How often a person acts like real people: forgets the edit, returns work, pauses."""

    forgets_edit: float = 0.06
    touches_only_whitespace: float = 0.03
    returns: float = 0.02
    pauses: float = 0.04


@dataclass
class DemoPerson:
    """speed: words per minute. leniency, noise: on the latent scale of judging."""

    seed: int
    name: str
    speed: float = USUAL_SPEED
    leniency: float = 0.0
    noise: float = 0.35
    habits: Habits = Habits()
    careless: bool = False  # picks the best answers without reading
    rng: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.seed}/habits")

    def verdict(self, text: str) -> DemoAnswer:
        """Return the verdict, which is the same for the same text at any time."""
        if self.careless:
            return unread(text)
        return judge(text, self.leniency, self.noise, self._for_text(text, "verdict"))

    def edit(self, text: str, verdict: DemoAnswer) -> str:
        return sensible_edit(text, verdict.output, self._for_text(text, "edit"))

    def hasty_edit(self, text: str, edit: str) -> str | None:
        """Return the edit; at times None (forgotten), or the text with only white space changed."""
        chance = self.rng.random()
        if chance < self.habits.forgets_edit:
            return None
        if chance < self.habits.forgets_edit + self.habits.touches_only_whitespace:
            return text.replace(". ", ".  ") + "\n"
        return edit

    def seconds_for(self, text: str, edits: bool) -> float:
        reading = len(text.split()) / self.speed * 60
        if self.careless:
            return round(0.1 * reading, 1)
        return round(self.rng.uniform(0.9, 1.4) * reading + 6 + edits * self.rng.uniform(8, 25), 1)

    def _for_text(self, text: str, purpose: str) -> Random:
        return Random(f"{self.seed}/{purpose}/{text}")


def cast(n: int, seed: int) -> list[DemoPerson]:
    """Return people with different names, leniency and speed; one of them does not read."""
    rng = Random(f"{seed}/cast")
    firsts, lasts = corpus.WOMEN + corpus.MEN, corpus.LAST_NAMES
    names = rng.sample([f"{first} {last}" for first in firsts for last in lasts], n)
    return [
        DemoPerson(
            seed=rng.randrange(2**32),
            name=name,
            speed=max(150.0, min(330.0, rng.gauss(USUAL_SPEED, 40))),
            leniency=rng.gauss(0, 0.22),
            noise=rng.uniform(0.25, 0.45),
            careless=number == CARELESS,
        )
        for number, name in enumerate(names)
    ]


def work(
    person: DemoPerson,
    start: str,
    stop: threading.Event,
    pause: float,
    say: Say,
    turn: Turn = lambda: None,
    *,
    by: "type[DemoVisit] | None" = None,
) -> Tally:
    """Judge the offered work until it is over for this person, or stop is set.

    start: an invitation; with another kind of visit (`by`), where that one starts.
    """
    visit = (by or DemoVisit)(person, Browser(stop), stop, pause, say, turn)
    try:
        visit.run(start)
    except InterruptedVisitError:
        visit.tally.end = "stopped"
    return visit.tally


@dataclass
class DemoVisit:
    person: DemoPerson
    browser: Browser
    stop: threading.Event
    pause: float
    say: Say
    turn: Turn
    tally: Tally = field(default_factory=Tally)

    def run(self, start: str) -> None:
        """Do the work that an invitation leads to."""
        page = self.stay(self.browser.accept_invitation(start, self.person.name))
        self.end(page.finished if page else {"reason": "stopped"})

    def stay(self, page_url: str, *, looks: int | None = None) -> Page | None:
        """Do the offered work until none is left; return the last page, or None if stopped.

        looks: how often to look again when nothing is offered; None: without limit.
        """
        wait, looked = FIRST_WAIT, 0
        while not self.stop.is_set():
            self.turn()
            page = self.browser.open(page_url)
            if page.question:
                self._learn(page, page.question)
            elif page.assignment:
                self._work_on(page, page.assignment)
                wait, looked = FIRST_WAIT, 0
            elif page.finished.get("final") or looked == looks:
                return self.browser.open(page.urls["hand_in"]) if "hand_in" in page.urls else page
            else:
                self.stop.wait(wait)
                wait, looked = min(2 * wait, LONGEST_WAIT), looked + 1
        return None

    def end(self, finished: Data) -> None:
        self.tally.end = finished.get("reason", "")
        self.tell(f"is finished ({self.tally.end}). {finished.get('message', '')}")

    def _learn(self, page: Page, question: Data) -> None:
        """Answer one question of the tutorial, which is shorter than a text."""
        answer = schooling.answer(question["question"], question["text"], self.person.rng)
        self.stop.wait(LEARNING * self.pause)
        if self.browser.answer_tutorial(page, question, answer, seconds=8.0):
            self.tell(f"answered “{question['question']}”")

    def _work_on(self, page: Page, assignment: Data) -> None:
        rng, habits = self.person.rng, self.person.habits
        haste = 0.15 if self.person.careless else 1.0
        wait = self.pause * haste * rng.uniform(0.6, 1.4) * USUAL_SPEED / self.person.speed
        self.stop.wait(wait)
        if rng.random() < habits.pauses:
            self.stop.wait(2 * self.pause)
        if self.stop.is_set():
            return
        if rng.random() < habits.returns:
            self.browser.give_back(page)
            self.tally.returned += 1
            self.tell(f"returned assignment {assignment['id']}")
        else:
            self._judge(page, assignment)

    def _judge(self, page: Page, assignment: Data) -> None:
        verdict = self.person.verdict(assignment["text"])
        edit = self.person.edit(assignment["text"], verdict) if verdict.edit_required else None
        answer: dict[str, Any] = {**verdict.levels, "edit": edit}
        seconds = self.person.seconds_for(assignment["text"], edit is not None)
        self.browser.save_draft(page, assignment, answer)
        if self._submit(page, assignment["text"], answer, seconds):
            self.tally.submitted += 1
            self.tell(f"judged assignment {assignment['id']}")
        else:
            self.tally.lost += 1
            self.tell(f"came too late for assignment {assignment['id']}")

    def _submit(self, page: Page, text: str, answer: dict[str, Any], seconds: float) -> bool:
        """Submit, sometimes in haste; then the page says what is missing, and it is corrected."""
        if answer["edit"] is not None:
            hasty = {**answer, "edit": self.person.hasty_edit(text, answer["edit"])}
            errors = self.browser.submit(page, hasty, seconds)
            if not errors:
                return errors is not None
            self.tally.refused += 1
            self.tell(f"is asked to correct: {'; '.join(map(str, errors.values()))}")
        return self.browser.submit(page, answer, seconds, last_try=True) is not None

    def tell(self, what: str) -> None:
        self.say(f"{self.person.name} {what}")


LOOKS = 2  # at a page without work, before the unit is returned
AGAIN = ("left", "time")  # the ends of a unit after which it is worth accepting again
REFUSED = {400, 403, 404, 409, 410, 503}


@dataclass
class Site:
    """A marketplace as one worker uses it; a unit is named by its page's address there."""

    browser: Browser
    url: str
    worker: str
    previewed: set[str] = field(default_factory=set)

    def accept(self) -> str | None:
        """Accept the first listed unit; None if none is open to this worker."""
        home = self._read(f"{self.url}/?{urlencode({'worker': self.worker})}")
        for link in home.links:
            if link.startswith("/mturk/preview?"):
                return self._accept(urljoin(self.url, link))
        return None

    def enter(self, unit: str) -> str | None:
        """Open the page that the unit's own page frames; return where it leads, if anywhere."""
        frame = self._read(unit).frame
        if not frame:
            return None
        answer = self.browser.request("GET", frame, {303, *REFUSED})
        return urljoin(frame, answer.headers["Location"]) if answer.status == 303 else None

    def hand_in(self, form: PageForm) -> None:
        """Post the form of the last page, as its script does."""
        self.browser.post(form.action, form, {200})

    def give_back(self, unit: str) -> None:
        """Return the unit. If its time has run out, there is nothing to return."""
        if form := _form(self._read(unit), "/return"):
            self.browser.follow(unit, form, refused={409})

    def _accept(self, preview: str) -> str | None:
        page = self._read(preview)
        form = _form(page, "/accept")
        if form is None:
            return None
        if preview not in self.previewed:  # people look once
            self.previewed.add(preview)
            self.browser.request("GET", page.frame, {200, *REFUSED})
        return self.browser.follow(preview, form, refused={409})

    def _read(self, url: str) -> Document:
        return Document(self.browser.request("GET", url, {200, 404, 409}).data.decode())


class OnSite(DemoVisit):
    """A visit that continues from unit to unit."""

    def run(self, start: str) -> None:
        """Do the work that the site at `start` lists."""
        site, wait = Site(self.browser, start, self.person.name), FIRST_WAIT
        while not self.stop.is_set():
            self.turn()
            unit = site.accept()
            page = self._do(site, unit) if unit else None
            if page and page.hand_in:
                wait = FIRST_WAIT
            elif page and page.finished.get("final") and page.finished["reason"] not in AGAIN:
                self.end(page.finished)
                return
            else:
                self.stop.wait(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        self.end({"reason": "stopped"})

    def _do(self, site: Site, unit: str) -> Page | None:
        """Do the work of a unit and submit it; return it if there is none."""
        start = site.enter(unit)
        page = self.stay(start, looks=LOOKS) if start else None
        if page and page.hand_in:
            site.hand_in(page.hand_in)
            self.tally.handed_in += 1
            self.tell("handed in a submission")
        else:
            site.give_back(unit)
            self.tally.given_back += 1
            self.tell("gave a submission back")
        return page


def _form(page: Document, action: str) -> PageForm | None:
    return next((form for form in page.forms if form.action == action), None)
