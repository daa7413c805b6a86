"""Simulated annotators on the local MTurk endpoint, whose HITs lead to a server of a few lines."""

import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from extras.demo.people import DemoPerson, OnSite, Tally, work
from extras.mturk_simulator import workers
from extras.mturk_simulator.server import RunningServer, serve
from extras.mturk_simulator.world import AssignmentState
from tests.extras.demo.test_demo_people import PAGE, STEADY, TEXTS, Handler, Stub
from tests.extras.mturk_simulator.requester import QUESTION, client, hit

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


class Entry(Handler):
    """The way in of a paid unit, its work, and the form that hands it in."""

    server: "Study"

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path != "/entry":
            super().do_GET()
            return
        given = {name: values[0] for name, values in parse_qs(asked.query).items()}
        self.server.came.append(given)
        if given["assignmentId"] == PREVIEW:
            self.reply(200, "An example.")
        elif self.server.refuses:
            self.reply(410, "This study is complete.")
        else:
            self.reply(303, "", Location=PAGE)

    def reply(self, status: int, text: str, **headers: str) -> None:
        last = self.server.came[-1] if self.server.came else {}
        if self.path == PAGE and not self.server.queue and self.server.hands_in:
            form = f'<form id="hand-in" method="post" action="{last["turkSubmitTo"]}'
            form += '/mturk/externalSubmit"><input type="hidden" name="assignmentId" '
            form += f'value="{last["assignmentId"]}"><input type="hidden" name="receipt" value="r">'
            text = text.replace("</body>", f"{form}</form></body>")
        super().reply(status, text, **headers)


class Study(Stub):
    def __init__(self) -> None:
        super().__init__()
        self.RequestHandlerClass = Entry
        self.came: list[dict[str, str]] = []
        self.refuses, self.hands_in = False, True


@pytest.fixture
def study() -> Iterator[Study]:
    server = Study()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def turk(study: Study) -> Iterator[RunningServer]:
    url = f"http://127.0.0.1:{study.server_address[1]}/entry"
    with serve() as running, client(running.url) as requester:
        for _ in range(2):
            hit(requester, Question=QUESTION.format(url))
        yield running


def visit(turk: RunningServer, until: int) -> Tally:
    """Let somebody work until they have told so often what they did with a submission."""
    stop, told = threading.Event(), []

    def say(line: str) -> None:
        told.append(line)
        if sum("submission" in one for one in told) >= until:
            stop.set()

    person = DemoPerson(seed=4, name="Ada Trenk", habits=STEADY)
    return work(person, turk.url, stop, 0, say, by=OnSite)


def states(turk: RunningServer) -> list[AssignmentState]:
    return [one.state for one in turk.state.assignments.values()]


def test_a_unit_is_previewed_accepted_done_and_handed_in(turk: RunningServer, study: Study) -> None:
    study.finished = [{"reason": "done", "message": "Thank you.", "final": True}]
    tally = visit(turk, until=1)
    assert (tally.submitted, tally.handed_in, tally.given_back) == (len(TEXTS), 1, 0)
    assert states(turk) == [AssignmentState.SUBMITTED]
    (unit,) = turk.state.assignments.values()
    assert unit.worker == workers.worker_id("Ada Trenk")
    assert "<FreeText>r</FreeText>" in unit.answer
    preview, came = study.came
    assert preview["assignmentId"] == PREVIEW
    assert came == {
        "assignmentId": unit.id,
        "hitId": unit.hit.id,
        "workerId": unit.worker,
        "turkSubmitTo": turk.url,
    }


def test_the_next_unit_follows_without_another_preview(turk: RunningServer, study: Study) -> None:
    study.finished = [{"reason": "done", "message": "Thank you.", "final": True}]
    tally = visit(turk, until=2)
    assert tally.handed_in == 2
    assert states(turk) == [AssignmentState.SUBMITTED, AssignmentState.SUBMITTED]
    assert [one["assignmentId"] for one in study.came].count(PREVIEW) == 1


def test_a_unit_without_work_is_given_back(turk: RunningServer, study: Study) -> None:
    study.queue, study.hands_in = [], False
    tally = visit(turk, until=99)
    assert (tally.handed_in, tally.given_back, tally.end) == (0, 1, "closed")
    assert states(turk) == [AssignmentState.RETURNED]


def test_who_is_not_let_in_gives_the_unit_back(turk: RunningServer, study: Study) -> None:
    study.refuses = True
    tally = visit(turk, until=1)
    assert (tally.submitted, tally.handed_in, tally.given_back) == (0, 0, 1)
    assert states(turk) == [AssignmentState.RETURNED]
