"""Paid units: simulated annotators find, do and submit them on the local MTurk endpoint's site.

They see what its workers see, over HTTP, and nothing else.
"""

from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin

from extras.demo import people
from extras.demo.browser import Browser, Document, Page, PageForm

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


class OnSite(people.DemoVisit):
    """A visit that continues from unit to unit."""

    def run(self, start: str) -> None:
        """Do the work that the site at `start` lists."""
        site, wait = Site(self.browser, start, self.person.name), people.FIRST_WAIT
        while not self.stop.is_set():
            self.turn()
            unit = site.accept()
            page = self._do(site, unit) if unit else None
            if page and page.hand_in:
                wait = people.FIRST_WAIT
            elif page and page.over and page.reason not in AGAIN:
                self.end(page.reason, page.message)
                return
            else:
                self.stop.wait(wait)
                wait = min(2 * wait, people.LONGEST_WAIT)
        self.end("stopped", "")

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
