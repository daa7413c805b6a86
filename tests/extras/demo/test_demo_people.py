"""Simulated annotators against a server of a few lines that speaks the contract."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from annotate.instruments import registry
from annotate.instruments.grading import grade
from extras.demo import browser as browser_module
from extras.demo import corpus
from extras.demo.browser import UnexpectedResponseError
from extras.demo.people import DemoPerson, Habits, Tally, work

TEXTS = [
    o.text for o in (row.outputs["abstractive-base"] for row in corpus.sample_outputs(items=12))
]
PAGE = "/work/p/secret/"


def drawn(key: str, number: int) -> Any:
    return registry.get("language_quality").tutorial("en").family(key).question(number)


class Stub(ThreadingHTTPServer):
    """Offers each text once, then says why there is no more."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.queue = list(enumerate(TEXTS, start=1))
        self.finished: list[dict[str, str | bool]] = [
            {"reason": "closed", "message": "Thank you.", "final": True}
        ]
        self.submits: list[dict[str, Any]] = []
        self.drafts: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.override: dict[str, tuple[int, Any]] = {}
        self.drop = self.busy = 0  # answers
        self.names: list[str] = []
        self.questions: list[str] = []
        self.answers: list[dict[str, Any]] = []

    @property
    def invitation(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/join/abc/"

    def work_data(self) -> dict[str, Any]:
        assignment = None
        if self.queue:
            number, text = self.queue[0]
            draft = {"revision": 3, "data": {}}
            assignment = {"id": number, "version": "7", "text": text, "draft": draft}
        finished = None
        if not self.queue:
            finished = self.finished.pop(0) if len(self.finished) > 1 else self.finished[0]
        verbs = ("heartbeat", "draft", "submit", "return", "answer")
        urls = {name: f"{PAGE}{name}/" for name in verbs}
        if self.questions:
            key = self.questions[0]
            text = drawn(key, len(self.questions)).text
            asked = {"version": "1-abc", "question": key, "text": text}
            return {
                "token": "t0k",
                "assignment": None,
                "urls": urls,
                "finished": None,
                "tutorial": asked,
            }
        return {"token": "t0k", "assignment": assignment, "urls": urls, "finished": finished}

    def learnt(self, body: dict[str, Any]) -> tuple[int, Any]:
        question = drawn(body["question"], len(self.questions))
        correct = grade(question, body["response"]).correct
        self.answers.append({**body, "correct": correct})
        self.questions.pop(0)
        return 200, {"correct": correct}

    def judged(self, body: dict[str, Any]) -> tuple[int, Any]:
        self.submits.append(body)
        response, text = body["response"], self.queue[0][1]
        edit, below = (
            response["edit"],
            min(response[c] for c in ("fluency", "redundancy", "overall")),
        )
        if below < 1 and corpus.normalised(edit or text) == corpus.normalised(text):
            return 422, {"errors": {"edit": "Please improve the text."}}
        self.queue.pop(0)
        return 200, {"next": PAGE}


class Handler(BaseHTTPRequestHandler):
    server: Stub

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.server.drop:
            self.server.drop -= 1
            self.close_connection = True
            return
        if self.path == PAGE:
            data = json.dumps(self.server.work_data())
            script = f'<script type="application/json" id="work-data">{data}</script>'
            self.reply(200, f"<html><body><p>Hi</p>{script}</body></html>")
        else:
            form = '<form method="post" action="start/"><input type="hidden" name="k" value="v">'
            self.reply(200, f"<html>{form}<input name='name'></form></html>")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/join/abc/start/":
            self.server.names.append(body)
            self.reply(303, "", Location=PAGE)
            return
        assert self.headers["Authorization"] == "Bearer t0k"
        action = self.path.removeprefix(PAGE).strip("/")
        if self.server.busy:
            self.server.busy -= 1
            self.reply(503, "busy")
            return
        status, answer = self.server.override.get(action) or self.act(action, json.loads(body))
        self.reply(status, json.dumps(answer))

    do_PUT = do_POST  # noqa: N815

    def act(self, action: str, body: dict[str, Any]) -> tuple[int, Any]:
        if action == "answer":
            return self.server.learnt(body)
        if action == "submit":
            return self.server.judged(body)
        if action == "return":
            self.server.queue.pop(0)
            return 200, {"next": PAGE}
        self.server.drafts.append(body)
        return 200, {"revision": body["revision"] + 1}

    def reply(self, status: int, text: str, **headers: str) -> None:
        self.server.statuses.append(status)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


STEADY = Habits(forgets_edit=0, touches_only_whitespace=0, returns=0, pauses=0)


def visit(stub: Stub, habits: Habits, stop: threading.Event | None = None) -> Tally:
    person = DemoPerson(seed=4, name="Ada Trenk", habits=habits)
    return work(person, stub.invitation, stop or threading.Event(), 0, lambda line: None)


def test_a_steady_person_judges_everything_and_stops_when_the_campaign_is_closed(
    stub: Stub,
) -> None:
    tally = visit(stub, STEADY)
    assert (tally.submitted, tally.refused, tally.end) == (len(TEXTS), 0, "closed")
    assert stub.names == ["k=v&name=Ada+Trenk"]
    assert [draft["revision"] for draft in stub.drafts] == [3] * len(TEXTS)
    assert all(submit["active_seconds"] > 5 for submit in stub.submits)
    assert {submit["version"] for submit in stub.submits} == {"7"}


@pytest.mark.parametrize("careless", ["forgets_edit", "touches_only_whitespace"])
def test_a_refused_edit_is_corrected(stub: Stub, careless: str) -> None:
    quiet = {"forgets_edit": 0.0, "touches_only_whitespace": 0.0, "returns": 0.0, "pauses": 0.0}
    tally = visit(stub, Habits(**{**quiet, careless: 1.0}))
    assert tally.submitted == len(TEXTS)
    assert tally.refused == stub.statuses.count(422) > 0


def test_work_may_be_returned(stub: Stub) -> None:
    tally = visit(stub, Habits(returns=1, pauses=0))
    assert (tally.returned, tally.submitted) == (len(TEXTS), 0)


def test_a_person_waits_while_there_is_nothing_to_do(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extras.demo.people.FIRST_WAIT", 0.01)
    stub.queue, later = [], {"reason": "nothing_now", "message": "Come back later."}
    stub.finished = [later, later, {"reason": "cap", "message": "Thank you.", "final": True}]
    assert visit(stub, STEADY).end == "cap"
    assert stub.statuses.count(200) == 4


def test_a_person_stops_when_told(stub: Stub) -> None:
    stop = threading.Event()
    stop.set()
    assert visit(stub, STEADY, stop).end == "stopped"


def test_an_unexpected_answer_is_raised_with_its_beginning(stub: Stub) -> None:
    stub.override["submit"] = (500, {"oops": "traceback"})
    with pytest.raises(UnexpectedResponseError, match=r"500.*oops"):
        visit(stub, STEADY)


def test_a_server_that_stays_busy_is_reported(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "FIRST_DELAY", 0.001)
    stub.busy = 100
    with pytest.raises(UnexpectedResponseError, match="503"):
        visit(stub, STEADY)


@pytest.mark.slow
def test_a_person_takes_the_tutorial_first_and_may_be_wrong_at_times(stub):
    asked = ["fluency-ferry", "overall-pool", "edit-author"] * 24
    stub.questions = list(asked)
    tally = visit(stub, STEADY)
    assert [answer["question"] for answer in stub.answers] == asked
    assert 0 < sum(not answer["correct"] for answer in stub.answers) < len(asked) / 4
    assert tally.submitted == len(TEXTS)
