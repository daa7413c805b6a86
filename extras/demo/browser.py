"""All contact with the annotator's pages: addresses, forms, JSON and status codes."""

import json
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin

import urllib3

RETRIES, FIRST_DELAY = 6, 0.25
HAND_IN = "hand-in"  # the id of the form that submits a paid unit
FORM = "application/x-www-form-urlencoded"
TIMEOUT = urllib3.Timeout(connect=5, read=30)


Data = Mapping[str, Any]


class UnexpectedResponseError(RuntimeError):
    def __init__(self, method: str, url: str, response: urllib3.BaseHTTPResponse) -> None:
        start = response.data[:300].decode(errors="replace")
        super().__init__(f"{method} {url} answered {response.status}: {start}")
        self.status = response.status


class InterruptedVisitError(Exception):
    """The person was told to stop while waiting for the server."""


@dataclass
class PageForm:
    """What a button posts, and where."""

    action: str
    name: str = ""  # its id
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page of work: what its data hold, and the form that submits a paid unit that is done.

    finished: `final` where no more work will come; otherwise look again later.
    """

    token: str
    urls: Mapping[str, str]
    assignment: Data | None
    question: Data | None
    finished: Data
    hand_in: PageForm | None = None


class Document(HTMLParser):
    """The forms that post, with hidden fields, and the links, framed page and work data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[PageForm] = []
        self.links: list[str] = []
        self.frame = ""
        self.work_data = ""
        self._in_form = self._in_data = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._in_form = values.get("method", "").lower() == "post"
            if self._in_form:
                self.forms.append(PageForm(values.get("action", ""), values.get("id", "")))
        elif tag == "input" and self._in_form and values.get("type") == "hidden":
            self.forms[-1].fields[values.get("name", "")] = values.get("value", "")
        elif tag == "a":
            self.links.append(values.get("href", ""))
        elif tag == "iframe":
            self.frame = values.get("src", "")
        self._in_data = tag == "script" and values.get("id") == "work-data"

    def handle_endtag(self, tag: str) -> None:
        self._in_form = self._in_form and tag != "form"
        self._in_data = self._in_data and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.work_data += data


def read_page(html: str, url: str) -> Page:
    document = Document(html)
    data = json.loads(document.work_data)
    urls = {name: urljoin(url, target) for name, target in data["urls"].items() if target}
    return Page(
        data["token"],
        urls,
        data["assignment"],
        data.get("tutorial"),
        data["finished"] or {},
        next((form for form in document.forms if form.name == HAND_IN), None),
    )


class Browser:
    """One person's browser. It keeps no cookies and follows no redirects."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop
        self._pool = urllib3.PoolManager(retries=False, timeout=TIMEOUT)

    def accept_invitation(self, url: str, name: str) -> str:
        landing = self.request("GET", url, {200})
        forms = Document(landing.data.decode()).forms
        if not forms:
            raise UnexpectedResponseError("GET", url, landing)
        forms[0].fields["name"] = name
        return self.follow(url, forms[0]) or url

    def follow(self, url: str, form: PageForm, refused: Collection[int] = ()) -> str | None:
        """Post a form of the page at `url`; return where it leads, or None where it is refused."""
        target = urljoin(url, form.action)
        answer = self.post(target, form, {303, *refused})
        return urljoin(target, answer.headers["Location"]) if answer.status == 303 else None

    def post(self, target: str, form: PageForm, allowed: set[int]) -> urllib3.BaseHTTPResponse:
        fields = urlencode(form.fields).encode()
        return self.request("POST", target, allowed, fields, {"Content-Type": FORM})

    def open(self, url: str) -> Page:
        response = self.request("GET", url, {200})
        try:
            return read_page(response.data.decode(), url)
        except (ValueError, KeyError, TypeError) as error:
            raise UnexpectedResponseError("GET", url, response) from error

    def save_draft(self, page: Page, assignment: Data, data: Data) -> None:
        """Save a draft. A late draft is no loss, because the following submit reports it."""
        revision = int((assignment.get("draft") or {}).get("revision", 0))
        body = {"revision": revision, "data": data}
        self._send("PUT", page.urls["draft"], page, body, {200, 409, 410})

    def submit(
        self, page: Page, answer: Data, seconds: float, last_try: bool = False
    ) -> dict[str, str] | None:
        """Return {} on success, the errors to correct, or None if the work is no longer theirs."""
        assert page.assignment is not None, "a page without a task submits nothing"
        body = {
            "response": answer,
            "active_seconds": seconds,
            "version": page.assignment["version"],
        }
        allowed = {200, 409, 410} if last_try else {200, 409, 410, 422}
        response = self._send("POST", page.urls["submit"], page, body, allowed)
        if response.status == 422:
            errors: dict[str, str] = json.loads(response.data)["errors"]
            return errors or {"response": "refused without a reason"}
        return {} if response.status == 200 else None

    def answer_tutorial(self, page: Page, question: Data, answer: Data, seconds: float) -> bool:
        """Return whether the answer was right; a late answer is not."""
        body = {
            "version": question["version"],
            "question": question["question"],
            "response": answer,
            "active_seconds": seconds,
        }
        response = self._send("POST", page.urls["answer"], page, body, {200, 409})
        return bool(response.status == 200 and json.loads(response.data)["correct"])

    def give_back(self, page: Page) -> None:
        self._send("POST", page.urls["return"], page, {}, {200, 204, 409, 410})

    def _send(
        self, method: str, url: str, page: Page, body: Data, allowed: set[int]
    ) -> urllib3.BaseHTTPResponse:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {page.token}"}
        return self.request(method, url, allowed, json.dumps(body).encode(), headers)

    def request(
        self,
        method: str,
        url: str,
        allowed: set[int],
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """Send a request, again where the server is busy or away, as people reload a page.

        That is safe: the server stores one judgment for an assignment.
        """
        for attempt in range(RETRIES):
            is_last = attempt == RETRIES - 1
            try:
                response = self._pool.request(
                    method, url, body=body, headers=headers, redirect=False
                )
            except urllib3.exceptions.HTTPError:
                if is_last:
                    raise
            else:
                if response.status in allowed:
                    return response
                if response.status != 503 or is_last:
                    raise UnexpectedResponseError(method, url, response)
            if self.stop.wait(FIRST_DELAY * 2**attempt):
                raise InterruptedVisitError from None
        raise AssertionError("unreachable")
